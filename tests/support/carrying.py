"""What strands can carry by (17), counted from their places anew (E50), and the film that they have.

Of each hair 2/3 pi r_max^2 / N a length, r_max^3 = 3 r tension sqrt(N) / (density a): N the hairs within r_max, a what
pulls across.
"""
import numpy

import houdini_oracle

TENSION, DENSITY, GRAVITY = 0.072, 1000, 9.81
ALONG, LEAST = 0.25, 0.05  # of what pulls along a hair, and of gravity: docs/wet.md


def column(geometry, name, owner="point"):
    return numpy.array(geometry["attributes"][(owner, name)][5])


class Strands:
    """The strands of a file, all with as many points."""

    def __init__(self, path):
        self.file = houdini_oracle.read(path)
        self.radius = float(column(self.file, "hairradius", "prim").mean())
        starts = numpy.flatnonzero(column(self.file, "curveu").ravel() == 0)
        self.points = column(self.file, "P").reshape(len(starts), -1, 3)
        edges = numpy.linalg.norm(self.points[:, 1:] - self.points[:, :-1], axis=2)
        self.length = numpy.zeros(self.points.shape[:2])
        self.length[:, 1:] += edges / 2
        self.length[:, :-1] += edges / 2

    def film(self):
        """m3 at each vertex."""
        height = column(self.file, "filmheight").reshape(self.length.shape)
        return numpy.pi * ((height + self.radius) ** 2 - self.radius ** 2) * self.length

    def distances(self, strand):
        """From each vertex of a strand to all strands, sorted; 0 first, its own."""
        edge, own = self.points[:, 1:] - self.points[:, :-1], self.points[:, :-1]
        square = (edge ** 2).sum(2)
        for vertex in range(self.points.shape[1]):
            off = self.points[strand, vertex] - own
            t = numpy.clip((off * edge).sum(2) / square, 0, 1)
            yield numpy.sort(numpy.sqrt(((off - t[:, :, None] * edge) ** 2).sum(2).min(1)))

    def capacity(self, some):
        """m3 of the vertices of some strands by (17), and the hairs that hold it together."""
        tangent = numpy.gradient(self.points, axis=1)
        tangent /= numpy.linalg.norm(tangent, axis=2)[:, :, None]
        along = -GRAVITY * tangent[:, :, 1]
        pull = numpy.sqrt(GRAVITY ** 2 - along ** 2 + (ALONG * along) ** 2 + (LEAST * GRAVITY) ** 2)
        room, hairs = (numpy.ones((len(some), self.points.shape[1])) for _ in range(2))
        for at, strand in enumerate(some):
            for vertex, near in enumerate(self.distances(strand)):
                one = 3 * self.radius * TENSION / (DENSITY * pull[strand, vertex])
                count, before = 1, 0
                while count != before:
                    before, reach = count, numpy.cbrt(one * numpy.sqrt(count))
                    count = max(int(numpy.searchsorted(near, reach)), before)
                hairs[at, vertex] = count
                room[at, vertex] = self.length[strand, vertex] * 2 / 3 * numpy.pi * reach ** 2 / count
        return room, hairs
