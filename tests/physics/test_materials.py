"""Several materials in one `liquidsolver` (SD-5): each flows by its own law, and a mixture by the mean of its logarithms.

Two blocks that do not touch, of a light liquid that stands and a heavy one that spreads, are simulated in one solver and in two.
Two drops of different surface tension contract from cubes in the same way.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

FPS, FRAMES, SIDE = 25, 11, 0.06
DROP_FRAMES = 4
STANDS = {"density": 300, "yieldstress": 100, "viscosity": 5, "flowindex": 0.6, "shearmodulus": 3000}
SPREADS = {"density": 1400, "yieldstress": 20, "viscosity": 3, "flowindex": 0.6, "shearmodulus": 1500}
THIN = {"density": 1000, "yieldstress": 0, "viscosity": 2, "flowindex": 1, "shearmodulus": 0}


def block(nodes, name, at, law, separation, high=SIDE / 2):
    nodes["fill" + name] = {"type": "fill", "parms": {"size": [SIDE] * 3, "t": [at, high, 0], "particlesep": separation}}
    last = "fill" + name
    for key, value in law.items():
        nodes[key + name] = {"type": "attribute", "inputs": [last], "parms": {"name": key, "value": [value, 0, 0, 0]}}
        last = key + name
    return last


def run(blocks, separation):
    """Heights and half widths along z of what stands left and right of 0 in the end; blocks: place and law."""
    nodes, ends = {}, []
    for k, (at, law) in enumerate(blocks):
        ends.append(block(nodes, str(k), at, law, separation))
    nodes["all"] = {"type": "merge", "inputs": ends}
    nodes["wet"] = {"type": "liquidsolver", "inputs": ["all"], "parms": {
        "substeps": 8, "particlesep": separation, "walls": True, "wallsmin": [-0.45, 0, -0.3], "wallsmax": [0.45, 0.5, 0.3]}}
    done = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, FRAMES], "nodes": nodes})
    ledger = done.rows[-1]["ledger"]
    scenes.holds("volume is kept", abs(ledger["bulk"] - ledger["initial"]) <= 1e-12 * ledger["initial"])
    points = done.points(FRAMES)
    found = {}
    for side, chosen in (("left", points.P[:, 0] < 0), ("right", points.P[:, 0] >= 0)):
        if chosen.any():
            found[side] = (float(numpy.quantile(points.P[chosen, 1], 0.98)) / SIDE,
                           float(numpy.quantile(numpy.abs(points.P[chosen, 2]), 0.98)) / SIDE)
    return found


def swing(drops):
    """Mean square of the distance from its centre of each cube that its tension makes a drop, in those of the cube, over time."""
    nodes, ends = {}, []
    for k, (at, tension) in enumerate(drops):
        law = {"density": 1000, "viscosity": 0.05, "surfacetension": tension}
        ends.append(block(nodes, str(k), at, law, 0.006, high=0.1))
    nodes["all"] = {"type": "merge", "inputs": ends}
    nodes["wet"] = {"type": "liquidsolver", "inputs": ["all"], "parms": {
        "substeps": 2, "particlesep": 0.006, "gravity": [0, 0, 0], "walls": True, "wallsmin": [-0.3, 0, -0.3],
        "wallsmax": [0.3, 0.5, 0.3]}}
    done = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, DROP_FRAMES], "nodes": nodes})
    found = {side: [] for side in ("left", "right")}
    for frame in range(1, DROP_FRAMES + 1):
        places = done.points(frame).P
        for side, chosen in (("left", places[:, 0] < 0), ("right", places[:, 0] >= 0)):
            if chosen.any():
                off = places[chosen] - places[chosen].mean(axis=0)
                found[side].append(float((off ** 2).sum(axis=1).mean()) / (SIDE ** 2 / 4))
    return {side: numpy.array(values) for side, values in found.items()}


both = swing([(-0.12, 2.0), (0.12, 0.5)])
for side, at, tension in (("left", -0.12, 2.0), ("right", 0.12, 0.5)):
    alone = swing([(at, tension)])[side]
    # they begin at 1; a ball of the volume of a cube has 0.9238
    scenes.near(f"tension {tension:g} N/m: change of the mean square radius", float(both[side][-1] - 1), float(alone[-1] - 1), 0.05,
                "in a solver of its own")
scenes.holds("they differ", abs(both["left"][-1] - both["right"][-1]) > 0.01)

for separation in (0.006, 0.0045) if "full" in sys.argv else (0.006,):
    both = run([(-0.2, STANDS), (0.2, SPREADS)], separation)
    stands, spreads = run([(-0.2, STANDS)], separation)["left"], run([(0.2, SPREADS)], separation)["right"]
    for name, value, truth in (("stands, height", both["left"][0], stands[0]), ("stands, width", both["left"][1], stands[1]),
                               ("spreads, height", both["right"][0], spreads[0]), ("spreads, width", both["right"][1], spreads[1])):
        # the residual of the solve is that of both blocks together
        scenes.near(f"separation {separation:g}, {name}", value, truth, 0.02, "in a solver of its own")
    scenes.holds("they differ", both["left"][0] > 1.3 * both["right"][0])
    # one without elasticity beside one that stands
    mixed = run([(-0.2, STANDS), (0.2, THIN)], separation)
    thin = run([(0.2, THIN)], separation)["right"]
    scenes.near(f"separation {separation:g}, thin beside it, height", mixed["right"][0], thin[0], 0.03, "in a solver of its own")
    scenes.near(f"separation {separation:g}, stands, height", mixed["left"][0], stands[0], 0.02, "in a solver of its own")
scenes.end()
