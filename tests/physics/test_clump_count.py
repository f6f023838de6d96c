"""A bundle of hairs that is drawn out of a pool closes to one clump where elastocapillarity says so, and stays apart where
bending wins, whatever the number of points and substeps (E47, WH-10, WH-18).

N x N hairs stand at a distance D, clamped at their roots, and are drawn slowly out of water. Hairs longer than L_N of E47
can hold together N across the bundle, and hairs shorter than L_2 not even in pairs; both at a bridge of section 4 r^2.
Soft hair of 2.5 L_N must end as one clump; stiff wires of 0.5 L_2 must stand as before. D is 4 d0: the films do not reach
from hair to hair, so the menisci at the waterline must close the bundle.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import hair_pair  # noqa: E402
import scenes  # noqa: E402

SIDE, SPACING, RADIUS = 5, 5e-4, 4e-5
SOFT, STIFF = (3e8, 0.016), (4e11, 0.009)  # Pa, m of length: hair, tungsten
DRY, FRAMES = 0.004, 26                    # m of the hairs above the water at the start
POOL, DEPTH = 0.016, 0.014


def bound(youngs, count):
    """L_N, m."""
    hair_pair.use(RADIUS, SPACING, youngs)
    return hair_pair.elastocapillary() * (count / 2) ** 0.75


def scene(youngs, length, points, substeps, sep):
    nodes = {}
    for k in range(SIDE * SIDE):
        x, z = (SPACING * (i - (SIDE - 1) / 2) for i in divmod(k, SIDE))
        nodes[f"hair{k}"] = {"type": "curve", "parms": {"method": "coords", "coords": ", ".join(
            "%.9g %.9g %.9g" % (x, -length * i / (points - 1), z) for i in range(points))}}
    # a merge takes up to eight inputs
    for row in range(SIDE):
        nodes[f"row{row}"] = {"type": "merge", "inputs": [f"hair{SIDE * row + k}" for k in range(SIDE)]}
    nodes["all"] = {"type": "merge", "inputs": [f"row{row}" for row in range(SIDE)]}
    nodes["lift"] = {"type": "transform", "inputs": ["all"], "parms": {
        "ty": {"keys": [[1, DRY], [3, DRY], [21, length + 0.006]], "interp": "smooth"}}}
    nodes["pool"] = {"type": "fill", "parms": {"size": [POOL, DEPTH, POOL], "t": [0, -DEPTH / 2, 0], "particlesep": sep}}
    nodes["wet"] = {"type": "wetsolver", "inputs": ["lift", "pool"], "parms": {
        "substeps": substeps, "hairradius": RADIUS, "youngs": youngs, "shear": youngs / 3, "walls": True,
        "wallsmin": [-POOL / 2, -DEPTH, -POOL / 2], "wallsmax": [POOL / 2, 1, POOL / 2]}}
    return {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": nodes}


def largest_group(tips, reach):
    """Share of the tips in the largest group of which each is within reach of another: the clump that one sees."""
    near = numpy.linalg.norm(tips[:, None] - tips[None], axis=2) < reach
    for _ in range(SIDE):
        near = (near.astype(int) @ near.astype(int)) > 0
    return near.sum(axis=1).max() / len(tips)


def measure(kind, points, substeps, sep):
    """Share of the tips that are in one group within 3 d0, radius of the tips' disk over that at the start, and clumps of
    the report, which are joined by liquid whether or not they have closed."""
    run = scenes.cook(scene(*kind, points, substeps, sep))
    tips = run.strands(FRAMES).x[:, -1]
    spread = numpy.sqrt(((tips - tips.mean(axis=0))[:, [0, 2]] ** 2).sum(axis=1).mean())
    start = SPACING * numpy.sqrt((SIDE * SIDE - 1) / 6)
    return largest_group(tips, 9 * RADIUS), spread / start, run.rows[-1]["counts"]["clumps"]


def main():
    soft, stiff = SOFT[1] / bound(SOFT[0], SIDE), STIFF[1] / bound(STIFF[0], 2)
    scenes.holds(f"soft hair has {soft:.2f} L_N, above 2; stiff wire {stiff:.2f} L_2, below 0.6", soft > 2 and stiff < 0.6)
    for points, substeps, sep in ((17, 4, 0.0014), (33, 8, 0.0014), (17, 16, 0.0014)):
        for kind, name in ((SOFT, "soft hair"), (STIFF, "stiff wire")):
            group, spread, clumps = measure(kind, points, substeps, sep)
            what = f"{name}, {points} points, {substeps} substeps: {group * SIDE * SIDE:.0f} of {SIDE * SIDE} tips in one " \
                   f"group, spread {spread:.2f} of the start, {clumps} clumps of liquid"
            # Closed: hairs touch, and d0 is a quarter of D. Apart: no hair is on its way to another.
            closed = group == 1 and spread < 0.5
            apart = group == 1 / SIDE ** 2 and spread > 0.9
            scenes.holds(what, closed if kind == SOFT else apart)
    scenes.end()


if __name__ == "__main__":
    main()
