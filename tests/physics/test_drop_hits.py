"""A drop of rain wets the hairs that it meets, and only those, whatever the size of the particles, the cells and the steps (WH-31, E74).

Drops of 1.5 mm fall on one place of a row of level hairs that are 0.25 mm apart. What each hair takes of a ball is the section of the
ball through that hair: the mean square distance of the liquid from the middle is a fifth of the radius squared, and hairs farther away
than a drop's radius get little. When a drop was spread over the cells around it, as far as it went in a step, the liquid lay 2.4,
1.4 and 0.7 mm from the middle with particles of 2, 1 and 0.5 mm, and a tuft in the rain was in twice as many clumps with 2 mm as with 1 mm.

Capture is low, so that the film does not widen the hairs: they sweep 2 r (u + pull) of what is there."""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

RADIUS, TENSION, DENSITY, GRAVITY = 5e-5, 0.072, 1000, 9.81
FPS, FRAMES, LENGTH, COUNT, SPACING, HIGH = 50, 9, 0.02, 81, 2.5e-4, 0.02  # frames; m; hairs; m; m from the cloud to the hairs
SPEED, DROP, CAPTURE = 2.0, 0.0015, 0.002
RATE = 1.2e-7  # m3/s: a drop each 15 ms
# The kernel of a drop has the ball's mean square and ends 1.26 of its radius away. With 1 mm a drop is two particles, here one to the
# left and one to the right, which is 21% wider than a ball.
SPREAD, REACH = 0.25, 1.4
# A sum over hairs that are a sixth of a drop apart, and the film that widens them, up to 7% at 40 points.
TAKEN = 0.1


def scene(sep, substeps, points):
    """Stiff level hairs and drops above the middle of them."""
    return {
        "rivulet": 1, "fps": FPS, "frames": [1, FRAMES],
        "nodes": {
            "hair": {"type": "groom", "parms": {
                "layout": "row", "spacing": SPACING, "count": COUNT, "length": LENGTH, "lengthrandom": 0, "points": points,
                "radius": RADIUS, "lift": 1, "bend": 0, "directionrandom": 0, "taper": "0 1 linear, 1 1 linear"}},
            "lie": {"type": "transform", "inputs": ["hair"], "parms": {"r": [90, 0, 0], "t": [-SPACING * (COUNT - 1) / 2, 0, -LENGTH / 2]}},
            "cloud": {"type": "grid", "parms": {"sizex": 1e-5, "sizey": 1e-5, "t": [0, HIGH, 0]}},
            "rain": {"type": "source", "inputs": ["cloud"], "parms": {"rate": RATE, "dropsize": DROP, "vel": [0, -SPEED, 0]}},
            "none": {"type": "merge"},
            "wet": {"type": "wetsolver", "inputs": ["lie", "none", None, "rain"], "parms": {
                "substeps": substeps, "particlesep": sep, "hairradius": RADIUS, "youngs": 1e12, "cohesion": 0, "absorption": 0,
                "capture": CAPTURE, "drip": 0, "killbox": True, "killmin": [-0.1, -0.05, -0.1], "killmax": [0.1, 0.1, 0.1]}}}}


def measure(sep=0.002, substeps=4, points=12):
    """mm, spread of the film; share of it beyond REACH radii; share of the passed liquid that is taken."""
    run = scenes.cook(scene(sep, substeps, points))
    hair = run.strands(FRAMES)
    film = hair.film().sum(axis=1)
    place = hair.x[:, :, 0].mean(axis=1)
    place = place - (place[0] + place[-1]) / 2
    ledger = run.rows[-1]["ledger"]
    liquid = run.points(FRAMES)
    above = liquid.point("volume").ravel()[liquid.P[:, 1] > 0].sum()
    passed = ledger["sources"] - above
    spread = 1e3 * numpy.sqrt((film * place ** 2).sum() / film.sum())
    beyond = film[numpy.abs(place) > REACH * DROP / 2 + RADIUS].sum() / film.sum()
    print("        particlesep %g mm, %d substeps, %d points: spread %.3f mm, %.2g beyond, %.4f taken" % (
        1e3 * sep, substeps, points, spread, beyond, ledger["film"] / passed), flush=True)
    return spread, beyond, ledger["film"] / passed


def main():
    fall = numpy.sqrt(SPEED ** 2 + 2 * GRAVITY * HIGH)
    pull = numpy.sqrt(TENSION / (DENSITY * (3 * RADIUS * TENSION / (DENSITY * GRAVITY)) ** (1 / 3)))
    taken = CAPTURE * 2 * RADIUS / SPACING * (1 + pull / fall)
    ball = 1e3 * DROP / 2 / numpy.sqrt(5)
    for what, options in (("particlesep 2 mm", {}), ("1 mm", {"sep": 0.001}), ("0.5 mm", {"sep": 0.0005}),
                          ("2 mm, 16 substeps", {"substeps": 16}), ("2 mm, 40 points", {"points": 40})):
        spread, beyond, share = measure(**options)
        scenes.near(what + ": spread of the liquid, mm", spread, ball, SPREAD, "of a ball")
        scenes.holds(what + ": %.2g of it farther than the drop reaches, at most 0.01" % beyond, beyond <= 0.01)
        scenes.near(what + ": share that is taken", share, taken, TAKEN, "swept")
    scenes.end()


if __name__ == "__main__":
    main()
