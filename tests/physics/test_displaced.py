"""Hair displaces liquid (WH-39, E48): a tuft that fills a quarter of its space is lowered into a tank. The level beside
it rises by the volume of its fibres, and stays there: the volume correction knows what fibres leave of a cell.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import numpy

import scenes

LONG, WIDE, DEPTH = 0.06, 0.02, 0.024  # m, of the liquid
TUFT, LOWERED = 0.036, 0.0177  # m: of the tank's length that the tuft takes; depth of its tips
SHARE = 0.25  # of its space that are fibres
COLUMNS, ROWS, HAIRS = 18, 10, 4  # guides, and hairs that each stands for
DOWN, WINDOW = 14, 12  # frame at which the tuft is down; frames over which the level is averaged
FREE = 0.008  # m: beyond it, with a margin of 2 mm, there is no tuft


def scene(sep):
    radius = float(numpy.sqrt(SHARE * TUFT * WIDE / (COLUMNS * ROWS * HAIRS * numpy.pi)))
    gap, rows = TUFT / COLUMNS, []
    nodes = {}
    for k in range(ROWS):
        origin = [-LONG / 2 + gap / 2, 0.031, -WIDE / 2 + WIDE / ROWS * (k + 0.5)]
        rows.append(f"row{k}")
        nodes[rows[k]] = {"type": "curve", "parms": {"origin": origin, "dir": [0, -1, 0], "dist": 0.03, "points": 16,
                                                     "count": COLUMNS, "spacing": [gap, 0, 0]}}
    down = -LOWERED - 0.001  # the tips begin 1 mm above the liquid
    nodes["half"] = {"type": "merge", "inputs": rows[:5]}
    nodes["tuft"] = {"type": "merge", "inputs": ["half"] + rows[5:]}
    nodes["lower"] = {"type": "transform", "inputs": ["tuft"],
                      "parms": {"ty": {"keys": [[1, 0], [2, 0], [DOWN, down]], "interp": "linear", "extend": "hold"}}}
    nodes["pool"] = {"type": "fill", "parms": {"size": [LONG, DEPTH, WIDE], "t": [0, -DEPTH / 2, 0],
                                               "particlesep": sep}}
    nodes["wet"] = {"type": "wetsolver", "inputs": ["lower", "pool"],
                    "parms": {"substeps": 2, "hairradius": radius, "hairsperguide": HAIRS, "hairmode": "animated",
                              "capture": 0, "walls": True, "wallsmin": [-LONG / 2, -DEPTH, -WIDE / 2],
                              "wallsmax": [LONG / 2, 0.1, WIDE / 2]}}
    return {"rivulet": 1, "fps": 24, "frames": [1, 2], "nodes": nodes}


def measure(points):
    """m that the liquid beside the tuft stands above the level at first; its density; that within the tuft."""
    x, volume = points.P, points.point("volume").ravel()
    beside, within = x[:, 0] > FREE, x[:, 0] < TUFT - LONG / 2 - 0.002
    deep = (x[:, 1] > 0.008 - DEPTH) & (x[:, 1] < 0.016 - DEPTH)
    area = (LONG / 2 - FREE) * WIDE
    height = 0.008
    inside = (TUFT - 0.002) * WIDE
    return [volume[beside].sum() / area - DEPTH, volume[beside & deep].sum() / (area * height),
            volume[within & deep].sum() / (inside * height)]


def main():
    # the fibres under the risen level: rise LONG = SHARE TUFT (LOWERED + rise)
    part = SHARE * TUFT / LONG
    rise = part * LOWERED / (1 - part)
    last = DOWN + 4 + 4 * WINDOW
    for sep in (0.00133333, 0.001):
        run = scenes.cook(scene(sep), frames=last)
        # From a sixth of a second after the tuft came to rest. The liquid's own volume is kept within 0.5% of its depth.
        for first in range(DOWN + 5, last, WINDOW):
            frames = [measure(run.points(f)) for f in range(first, first + WINDOW)]
            level, beside, within = numpy.mean(frames, axis=0)
            scenes.near(f"rise at {sep * 1e3:.3g} mm in frames from {first} on, mm", level * 1e3, rise * 1e3, 0.05,
                        "displaced volume")
            # particles keep a tenth of a cell from walls: 0.27 mm on both sides of 20, and at the end
            scenes.near("density beside the tuft", beside, 1, 0.05, "liquid")
            scenes.near("density within it", within, 1 - SHARE, 0.05, "what fibres leave")
    scenes.end()


main()
