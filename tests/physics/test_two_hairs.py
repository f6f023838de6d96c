"""Two wet hairs whose roots are drawn apart part at one time, for every step and every number of points (WH-10, WH-11,
WH-15, E45).

The scene is docs/scenes/wet/two_hairs.json, written four times as often with a quarter of the substeps a frame, so that
the time is known to a few milliseconds. Tolerance 2%: the drop at the tips lets go at a time that is known to a substep, and the
swing that follows decides when the hairs part. With 4 substeps, 10 ms, the strands take three steps in each; in one step
they parted 5% too early.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

FINER = 4      # times as many frames a second
APART = 1e-3   # m: farther than any bridge reaches


def parting_time(points, substeps):
    scene = scenes.load("wet/two_hairs.json")
    scene["fps"] *= FINER
    for name in ("left", "right"):
        for key in scene["nodes"][name]["parms"]["tx"]["keys"]:
            key[0] = 1 + FINER * (key[0] - 1)
    run = scenes.cook(scene, frames=1 + 26 * FINER, sets=[f"wet.substeps={substeps // FINER}", f"pair.points={points}"])
    nearest = [APART]
    for frame in range(2, 2 + 26 * FINER):
        x = run.strands(frame).x
        nearest.append(numpy.linalg.norm(x[0] - x[1], axis=1).min())
        if nearest[-1] > APART:
            share = (APART - nearest[-2]) / (nearest[-1] - nearest[-2])
            return (frame - 2 + share) / scene["fps"]
    return numpy.inf


sweep = "--full" in sys.argv
steps = (4, 8, 16, 32) if sweep else (4, 8, 16)
TRUTH = 0.88  # s: 125 points and 32 substeps
for points in (42, 65, 83, 125) if sweep else (42,):
    times = [parting_time(points, n) for n in steps]
    scenes.near(f"{points} points, {steps[-1]} substeps: parting, s", times[-1], TRUTH, 0.02, "finest:")
    scenes.equal(f"{points} points, {', '.join(map(str, steps))} substeps: parting, s", times, 0.02)
scenes.end()
