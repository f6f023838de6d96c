"""Liquid that comes to a hair with the hair's own velocity does not change its swing (WH-26, E42): a hair of no stiffness
that hangs aside swings as one whose film stays the same, while `wetadd` makes it ten times as heavy. BDF2 remembers the
velocity of the step before; what came since has no share in the change. Otherwise the hair would swing later by
w dt / 4 ln(heavier), 0.2 rad at one step a frame.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

LENGTH, POINTS, FPS, FRAMES = 0.05, 21, 48, 25
# of a hair that is thin and wet, so that its stiffness turns 1% of its length; it is longer by 0.6% at the end
RADIUS, YOUNGS, HEIGHT = 2e-5, 3e7, 1e-4


def scene(rate, substeps, integrator):
    return {"rivulet": 1, "fps": FPS, "frames": [1, FRAMES], "nodes": {
        "hair": {"type": "curve", "parms": {"dir": [0.3, -1, 0], "dist": LENGTH, "points": POINTS}},
        "film": {"type": "attribute", "inputs": ["hair"], "parms": {"name": "filmheight", "value": [HEIGHT, 0, 0, 0]}},
        "paint": {"type": "attribute", "inputs": ["film"], "parms": {"name": "wetadd", "value": [rate, 0, 0, 0]}},
        "wet": {"type": "wetsolver", "inputs": ["paint"], "parms": {
            "hairradius": RADIUS, "restmode": "natural", "youngs": YOUNGS, "shear": YOUNGS, "damping": 0, "dragnormal": 0,
            "dragtangent": 0, "filmfriction": 1e6, "absorption": 0, "drip": 0, "substeps": substeps, "maxsubsteps": substeps,
            "tolerance": 1e-6, "niter": 50, "integrator": integrator}}}}


def path(rate, substeps, integrator="bdf2"):
    run = scenes.cook(scene(rate, substeps, integrator))
    load = float(run.strands(FRAMES).point("waterload").mean())
    return numpy.array([run.strands(f).x[0, -1] for f in range(1, FRAMES + 1)]), load


for steps in (1, 2, 4):
    same, light = path(0, steps)
    painted, heavy = path(5e-4, steps)
    swing = same[:, 0].max() - same[:, 0].min()
    off = float(numpy.abs(painted - same).max() / swing)
    scenes.holds(f"{steps} substeps, {heavy / light:.0f} times as heavy: it swings alike within {off:.4f} of its swing, at most 0.03",
                 off < 0.03)
scenes.end()
