"""Of a jet that falls along a bundle the hairs keep what suction and friction bring to rest while it leaves them, and that film
hangs on them at rest: whatever the size of the particles, the number of substeps and of points (WH-31, E74)."""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import bundles  # noqa: E402
import scenes  # noqa: E402

FPS, POURED, PASSED = 100, 0.1, 19  # 1/s; s of the jet; the last of it has passed the tips at this frame
SIDE, DISTANCE, LENGTH, ANGLE, VISCOSITY = 7, 0.6e-3, 0.02, 30, 8.9e-4
WIDTH, SPEED, ABOVE = 0.01, 0.5, 0.004  # of the jet where it begins: m, m/s, m above the roots
# A picture does not show a change of film by less.
FILM = 0.15
# The law of the way out of the jet; the way along which the grid blurs its surface is a fifth of the bundle.
LAW = 0.15
# m/s: mean speed of the film along the hairs as the jet has passed. In a bundle it would fall with the speed of the jet, 0.8 m/s.
SLOW = 0.08


def scene(sep, substeps, points):
    """A bundle of stiff hairs hangs in the middle of a jet that their drag does not slow; they are dry before."""
    made = bundles.scene(DISTANCE, LENGTH, points, ANGLE, VISCOSITY, substeps, side=SIDE)
    nodes = made["nodes"]
    off = 0.5 * (SIDE - 1) * DISTANCE
    nodes["place"] = {"type": "transform", "inputs": ["all"], "parms": {"t": [-off, 0, -off]}}
    nodes["jet"] = {"type": "source", "parms": {
        "shape": "disc", "size": [WIDTH, WIDTH, WIDTH], "t": [0, ABOVE, 0], "vel": [0, -SPEED, 0],
        "rate": numpy.pi / 4 * WIDTH ** 2 * SPEED, "active": {"keys": [[1, 1], [1 + POURED * FPS, 0]], "interp": "constant"}}}
    nodes["none"] = {"type": "merge"}
    parms = nodes["wet"]["parms"]
    parms.update(hairmode="animated", drag=0, viscosity=VISCOSITY, particlesep=sep, killmin=[-0.04, -0.03, -0.04],
                 killmax=[0.04, 0.05, 0.04])
    nodes["wet"] = {"type": "wetsolver", "inputs": ["place", "none", None, "jet"], "parms": parms}
    return {"rivulet": 1, "fps": FPS, "frames": [1, PASSED], "nodes": nodes}


def theory():
    """mm3 on a hair: what comes to rest of the liquid between the hairs, and the film of Landau, Levich and Quere, at the
    speed that the jet has in free fall."""
    below = numpy.linspace(0, LENGTH, 201)
    speed = numpy.sqrt(SPEED ** 2 + 2 * bundles.G * (ABOVE + below))
    meniscus = numpy.sqrt(bundles.TENSION / (bundles.DENSITY * bundles.G))
    # suction: the momentum that it takes from what flows through the free area
    suction = bundles.column(DISTANCE, ANGLE) * bundles.DENSITY * bundles.G
    by_suction = numpy.minimum(suction / (bundles.DENSITY * speed ** 2), 1)
    # friction of an annulus as thick as the free area, for the time in which the liquid passes a meniscus
    radius, height = bundles.RADIUS, bundles.film_height(DISTANCE, 1)
    outer = radius + height
    flow = (2 * outer ** 4 * numpy.log(outer / radius) - (outer ** 2 - radius ** 2) * (3 * outer ** 2 - radius ** 2) / 2) / 4
    rate = VISCOSITY / bundles.DENSITY * (outer ** 2 - radius ** 2) / flow
    stopped = 1 - (1 - by_suction) * numpy.exp(-rate * meniscus / speed)
    # the film of a single hair
    thin = 1.34 * (VISCOSITY * speed / bundles.TENSION) ** (2 / 3)
    inertia = bundles.DENSITY * speed ** 2 * radius / bundles.TENSION
    layer = numpy.sqrt(VISCOSITY * meniscus / (bundles.DENSITY * speed))
    film = numpy.minimum(radius * thin / numpy.maximum(1 - thin - inertia, 0.05), layer)
    area = bundles.free_area(DISTANCE) * stopped + numpy.pi * ((radius + film) ** 2 - radius ** 2)
    return 1e9 * numpy.trapz(area, below)


def measure(sep=0.001, substeps=4, points=20):
    """mm3 of film on a hair within the bundle as the jet has passed, and the film's mean speed, m/s."""
    run = scenes.cook(scene(sep, substeps, points))
    drift = run.rows[-1]["ledger"]["drift"]
    scenes.holds("particlesep %g mm, %d substeps, %d points: drift %.1e, at most 1e-12" % (1e3 * sep, substeps, points, drift),
                 abs(drift) <= 1e-12)
    hair = run.strands(PASSED)
    inner = numpy.zeros((SIDE, SIDE), bool)
    inner[1:-1, 1:-1] = True
    film = hair.film()[inner.ravel()]
    speed = hair.point("filmv").reshape(hair.cell.shape)[inner.ravel()]
    return 1e9 * film.sum() / inner.sum(), float((film * speed).sum() / film.sum())


def main():
    fine = measure()
    by_size, by_steps, by_points = measure(sep=0.002), measure(substeps=16), measure(points=60)
    scenes.near("film on a hair, mm3", fine[0], theory(), LAW, "momentum balance")
    scenes.equal("film on a hair, mm3, particlesep 2, 1 mm", [by_size[0], fine[0]], FILM)
    scenes.equal("film on a hair, mm3, substeps 4, 16", [fine[0], by_steps[0]], FILM)
    scenes.equal("film on a hair, mm3, points 20, 60", [fine[0], by_points[0]], FILM)
    fastest = max(run[1] for run in (fine, by_size, by_steps, by_points))
    scenes.holds("film runs at up to %.3f m/s, at most %g" % (fastest, SLOW), fastest <= SLOW)
    scenes.end()


if __name__ == "__main__":
    main()
