"""A hair over a turning cylinder, dry and wet: the capstan equation with adhesion (WH-9, E76).

The hair rises from its root, lies over the top of a cylinder and hangs down on the other side; the cylinder turns
towards the tip and slips everywhere. With the angle psi from the hanging side, the line's radius R, weight w and
adhesion f a length,

    dT/dpsi = mu (T + f R + w R sin psi) + w R cos psi,

of which the first part alone gives T2 = (T1 + f R) exp(mu phi) - f R. T1 is the weight of the hanging part. The tension
on the root's side is read from the stretch of the hair's edges, which are soft for it: its bending is 1e-4 of T1 R^2.

Tolerance 5%: beyond the half turn some 0.6 mm of hair at either side are still near enough for the bridge to press
them on the cylinder, of 16 mm.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import bridge_law  # noqa: E402
import scenes  # noqa: E402

RADIUS, DENSITY, YOUNGS, G, THETA, MU = 4e-5, 2e4, 1e7, 9.81, numpy.radians(60), 0.3
SOLID_WIDTH = 1e-4  # m, RvContactDef.solid_width
CYLINDER, UP, DOWN = 5e-3, 0.01, 0.04
LINE = CYLINDER + RADIUS + SOLID_WIDTH
STRETCHING = YOUNGS * numpy.pi * RADIUS ** 2
FRAMES, TURN = 18, -60.0  # degrees a second


def path(edge):
    up, around, down = (round(length / edge) for length in (UP, numpy.pi * LINE, DOWN))
    angle = numpy.pi * numpy.arange(around) / around
    x = numpy.concatenate([-LINE * numpy.ones(up), -LINE * numpy.cos(angle), LINE * numpy.ones(down + 1)])
    y = numpy.concatenate([UP * (numpy.arange(up) / up - 1), LINE * numpy.sin(angle),
                           -DOWN * numpy.arange(down + 1) / down])
    return numpy.stack([x, y, 0 * x], axis=1)


def scene(points, film, tension, substeps):
    keys = [[1, 0], [FRAMES, TURN * (FRAMES - 1) / 24]]
    coords = ", ".join("%.9g %.9g %.9g" % tuple(p) for p in points)
    return {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": {
        "line": {"type": "curve", "parms": {"method": "coords", "coords": coords}},
        "film": {"type": "attribute", "inputs": ["line"], "parms": {"name": "filmheight", "value": [film, 0, 0, 0]}},
        "tube": {"type": "tube", "parms": {"orient": "z", "rad": [CYLINDER, CYLINDER], "height": 0.004, "cols": 128}},
        "solid": {"type": "collider", "inputs": ["tube"], "parms": {"voxelsize": 0.00025, "friction": MU}},
        "move": {"type": "transform", "inputs": ["solid"], "parms": {"rz": {"keys": keys, "interp": "linear"}}},
        "wet": {"type": "wetsolver", "inputs": ["film", None, "move"], "parms": {
            "substeps": substeps, "maxsubsteps": substeps, "rootfree": 0, "restmode": "natural", "tension": tension,
            "drip": 0, "filmfriction": 1e7, "absorption": 0, "density": DENSITY, "youngs": YOUNGS,
            "shear": YOUNGS / 2.6, "damping": 1e3, "dragnormal": 2e-2, "dragtangent": 2e-2, "keepstate": True,
            "strandcollisions": False}}}}


def root_tension(points, film, tension, substeps):
    """Newton, of the last edge before the cylinder."""
    x = scenes.cook(scene(points, film, tension, substeps)).strands(FRAMES).point("rv_x").reshape(-1, 3)
    rest, now = (numpy.linalg.norm(numpy.diff(p, axis=0), axis=1) for p in (points, x))
    before = numpy.flatnonzero((points[1:, 0] < 0) & (points[1:, 1] < 0))
    return STRETCHING * (now / rest - 1)[before[-1]]


def theory(weight, adhesion):
    tension, steps = weight * DOWN, 10000
    for psi in numpy.pi * (numpy.arange(steps) + 0.5) / steps:
        slope = MU * (tension + LINE * (adhesion + weight * numpy.sin(psi))) + weight * LINE * numpy.cos(psi)
        tension += slope * numpy.pi / steps
    return tension


COARSE_TO_FINE = ((1e-3, 4), (5e-4, 8), (5e-4, 24))  # edge, m, and substeps
for name, film, tension, resolutions in (("dry", 0, 0.01, COARSE_TO_FINE), ("wet", 6e-5, 0.01, COARSE_TO_FINE),
                                         ("film without tension", 6e-5, 0, COARSE_TO_FINE[:1])):
    area = bridge_law.film_area(RADIUS, film)
    weight = (DENSITY * numpy.pi * RADIUS ** 2 + 1000 * area) * G
    adhesion = tension and tension * bridge_law.pull_off(bridge_law.plane_force, RADIUS, SOLID_WIDTH, area, THETA)
    for edge, substeps in resolutions:
        scenes.near(f"{name}, edges of {1e3 * edge:g} mm, {substeps} substeps: tension at the root, uN",
                    1e6 * root_tension(path(edge), film, tension, substeps), 1e6 * theory(weight, adhesion), 0.05,
                    "capstan equation")
scenes.end()
