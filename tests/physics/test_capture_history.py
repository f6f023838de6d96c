"""Liquid that a hair captures while it is being accelerated gets nothing of the acceleration before (WH-31, E42): a force
drives a hair of nearly no stiffness, without gravity, through a row of drops at rest. The momentum of hair, film and drops
together is the impulse of the force, less what the held root takes: the stretched first edge pulls with up to 4% of the force
at the end. It is never more: BDF2 would give 5% more if what came had a share in the change of velocity before.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

LENGTH, POINTS, RADIUS, FPS, FRAMES, FORCE = 0.03, 21, 5e-5, 100, 8, 4e-7


def scene(substeps):
    return {"rivulet": 1, "fps": FPS, "frames": [1, FRAMES], "nodes": {
        "hair": {"type": "curve", "parms": {"dir": [1, 0, 0], "dist": LENGTH, "points": POINTS}},
        "push": {"type": "attribute", "inputs": ["hair"],
                 "parms": {"name": "force", "size": 3, "typeinfo": "vector", "value": [0, FORCE, 0, 0]}},
        "pool": {"type": "fill", "parms": {"size": [0.028, 0.001, 0.001], "t": [0.017, 0.006, 0], "particlesep": 0.001}},
        "wet": {"type": "wetsolver", "inputs": ["push", "pool"], "parms": {
            "hairradius": RADIUS, "restmode": "natural", "youngs": 1, "shear": 1, "damping": 0, "dragnormal": 0,
            "dragtangent": 0, "gravity": [0, 0, 0], "drip": 0, "absorption": 0, "filmfriction": 1e6, "substeps": substeps,
            "maxsubsteps": substeps}}}}


shares = []
for steps in (2, 3, 4, 6, 8):
    run = scenes.cook(scene(steps))
    hair, liquid = run.strands(FRAMES), run.points(FRAMES)
    mass = 1320 * numpy.pi * RADIUS ** 2 * LENGTH / (POINTS - 1) * numpy.ones(POINTS)
    mass[-1] /= 2
    v = hair.point("v").reshape(-1, 3)[:, 1]
    own = (mass * (1 + hair.point("waterload").ravel()) * v)[2:].sum()
    around = 1000 * (liquid.point("volume").ravel() * liquid.point("v").reshape(-1, 3)[:, 1]).sum()
    shares.append((own + around) / (FORCE * (POINTS - 2) * (FRAMES - 1) / FPS))
    took = 1e9 * run.rows[-1]["ledger"]["film"]
    scenes.holds(f"{steps} substeps: {took:.1f} mm3 captured, at least 5; momentum is {shares[-1]:.3f} of the impulse", took > 5)
# The longest step shows the fault best: 7% more. Single runs with shorter steps scatter by 3%, as drops come at once; their mean
# does not: without the history it is 1.016.
scenes.holds(f"2 substeps: momentum is {shares[0]:.3f} of the impulse, 0.92 to 1", 0.92 < shares[0] < 1)
mean = sum(shares) / len(shares)
scenes.holds(f"mean of all: {mean:.3f} of the impulse, 0.95 to 1.01", 0.95 < mean < 1.01)
scenes.end()
