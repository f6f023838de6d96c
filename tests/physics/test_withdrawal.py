"""A hair that is drawn out of water has the film of Landau, Levich and Quere on it, whatever the size of the particles, the
number of substeps and of points (WH-31, E74)."""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

RADIUS, TENSION, VISCOSITY, DENSITY = 5e-5, 0.072, 8.9e-4, 1000
FPS, LENGTH = 100, 0.05


def scene(speed, sep, points, substeps, viscosity):
    """A stiff hair that hangs 3 cm deep in a pool is drawn up by 4 cm."""
    frames = 2 + int(0.04 / speed * FPS + 0.5)
    rise = {"keys": [[1, 0], [2, 0], [frames, 0.04 * (frames - 2) / (0.04 / speed * FPS)]], "interp": "linear"}
    return {
        "rivulet": 1, "fps": FPS, "frames": [1, frames],
        "nodes": {
            "hair": {"type": "curve", "parms": {"origin": [0, 0.02, 0], "dir": [0, -1, 0], "dist": LENGTH,
                                                "points": points}},
            "rise": {"type": "transform", "inputs": ["hair"], "parms": {"ty": rise}},
            "pool": {"type": "fill", "parms": {"size": [0.024, 0.036, 0.024], "t": [0, -0.018, 0], "particlesep": sep}},
            "wet": {"type": "wetsolver", "inputs": ["rise", "pool"],
                    "parms": {"substeps": substeps, "hairradius": RADIUS, "youngs": 1e11, "viscosity": viscosity,
                              "filmviscosity": viscosity, "absorption": 0, "drying": 0, "walls": True, "wallsmin": [-0.012, -0.036, -0.012],
                              "wallsmax": [0.012, 0.1, 0.012]}}}}


def theory(speed, viscosity):
    """Film height: 1.34 r Ca^(2/3) with its thick limit and inertia, at most the boundary layer of the meniscus."""
    thin = 1.34 * (viscosity * speed / TENSION) ** (2 / 3)
    inertia = DENSITY * speed ** 2 * RADIUS / TENSION
    layer = numpy.sqrt(viscosity * numpy.sqrt(TENSION / (DENSITY * 9.81)) / (DENSITY * speed))
    return min(RADIUS * thin / max(1 - thin - inertia, 0.05), layer)


def measure(speed, sep=0.002, points=51, substeps=4, viscosity=VISCOSITY):
    """Mean film area of the part that came out in the second half of the way."""
    made = scene(speed, sep, points, substeps, viscosity)
    last = made["frames"][1]
    hair = scenes.cook(made).strands(last)
    y = hair.x[0, :, 1]
    out = (y > 0.012) & (y < 0.03)
    area = hair.film()[0] / hair.cell[0]
    return float(area[out].mean())


def main():
    for speed, viscosity in ((0.1, VISCOSITY), (0.4, VISCOSITY), (0.2, 0.02)):
        height = theory(speed, viscosity)
        truth = numpy.pi * ((RADIUS + height) ** 2 - RADIUS ** 2)
        what = "film at %g m/s and %g Pa s, um2" % (speed, viscosity)
        by_size = [measure(speed, sep, viscosity=viscosity) for sep in (0.003, 0.0015, 0.00075)]
        scenes.equal(what + ", particlesep 3, 1.5, 0.75 mm", [1e12 * a for a in by_size], 0.15)
        # Quere's law is one of steady withdrawal; waves on the pool change the speed
        scenes.near(what, 1e12 * by_size[-1], 1e12 * truth, 0.25, "Landau-Levich-Quere")
    by_steps = [measure(0.2, substeps=n) for n in (2, 4, 16)]
    scenes.equal("film, um2, substeps 2, 4, 16", [1e12 * a for a in by_steps], 0.15)
    by_points = [measure(0.2, points=n) for n in (21, 41, 81)]
    scenes.equal("film, um2, points 21, 41, 81", [1e12 * a for a in by_points], 0.15)
    scenes.end()


if __name__ == "__main__":
    main()
