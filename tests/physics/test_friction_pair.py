"""Two wet hairs drawn along each other: the drag a length is mu times their pull-off force a length (WH-10, E76, SD-28).

Two hairs lie side by side over half of their length, held together by their bridges alone, without gravity; one is
drawn out from between the other and then stops. The tension of the other, read from the stretch of its edges, is
mu f times the length over which they still lie together, with f the pull-off force of the bridge from its closed form.
When the hair stops, friction holds: the tension stays.

Tolerance 5%: the contact at each end is found to a third of the shorter edges, 0.5 mm of 15 mm.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import bridge_law  # noqa: E402
import scenes  # noqa: E402

RADIUS, YOUNGS, THETA, MU = 4e-5, 1e7, numpy.radians(60), 0.3
LENGTH, SHIFT = 0.04, 0.02
WIDTH = RADIUS  # m, gap of d0 between hairs: half of the sum of their radii
STRETCHING = YOUNGS * numpy.pi * RADIUS ** 2
SPEED, STOP, FRAMES = 0.01, 13, 20


def scene(points, film, tension, substeps):
    drawn = -SPEED * (STOP - 1) / 24
    keys = [[1, 0], [STOP, drawn], [FRAMES + 1, drawn]]
    return {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": {
        "one": {"type": "curve", "parms": {"origin": [0, 0, 0], "dir": [1, 0, 0], "dist": LENGTH, "points": points}},
        "drawn": {"type": "transform", "inputs": ["one"], "parms": {"tx": {"keys": keys, "interp": "linear"}}},
        "other": {"type": "curve", "parms": {"origin": [LENGTH + SHIFT, 3 * RADIUS, 0], "dir": [-1, 0, 0],
                                             "dist": LENGTH, "points": points}},
        "both": {"type": "merge", "inputs": ["drawn", "other"]},
        "film": {"type": "attribute", "inputs": ["both"], "parms": {"name": "filmheight", "value": [film, 0, 0, 0]}},
        "wet": {"type": "wetsolver", "inputs": ["film"], "parms": {
            "substeps": substeps, "maxsubsteps": substeps, "gravity": [0, 0, 0], "restmode": "natural",
            "tension": tension, "drip": 0, "filmfriction": 1e7, "absorption": 0, "youngs": YOUNGS,
            "shear": YOUNGS / 2.6, "damping": 1e3, "dragnormal": 2e-3, "dragtangent": 2e-3, "keepstate": True,
            "friction": MU}}}}


def drag(run, frame, points):
    """N/m: tension of the other hair over the length that lies together."""
    hair = run.strands(frame)
    x = hair.point("rv_x").reshape(2, -1, 3)
    edge = numpy.linalg.norm(x[1, 3] - x[1, 2])
    return STRETCHING * (edge * (points - 1) / LENGTH - 1) / (hair.x[0, :, 0].max() - hair.x[1, :, 0].min())


# water on 10 and on 5 um of film, and a tenth of its tension
for film, tension in ((1e-5, 0.072), (5e-6, 0.072), (1e-5, 0.0072)):
    area = 2 * bridge_law.film_area(RADIUS, film)
    limit = MU * tension * bridge_law.pull_off(bridge_law.pair_force, RADIUS, WIDTH, area, THETA)
    for points, substeps in ((41, 4), (81, 8), (81, 24)):
        run = scenes.cook(scene(points, film, tension, substeps))
        name = f"film {1e6 * film:g} um, {tension:g} N/m, {points} points, {substeps} substeps"
        scenes.near(f"{name}: drag, mN/m", 1e3 * drag(run, STOP, points), 1e3 * limit, 0.05, "mu f =")
        scenes.near(f"{name}: held after it stopped, mN/m", 1e3 * drag(run, FRAMES, points), 1e3 * limit, 0.05, "mu f =")
scenes.end()
