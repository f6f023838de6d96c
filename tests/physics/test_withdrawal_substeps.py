"""Substeps of hair that leaves water (rv_wet_longest): half a capillary length in each, so that its meniscus acts on every place;
but not shorter than T = l_c sqrt(density r / (2 tension cos angle)), in which the strongest meniscus, whose slope is 1, draws a capillary
length of hair aside by half of one. Hair that is torn out passes its meniscus before it has moved.

A long hair is drawn out of a narrow pool at a steady speed. T is 2.3 ms for hair of 40 micrometres and 4.6 ms for 160.
"""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

FPS, LAST = 24, 4
LENGTH, POINTS, SEP = 0.3, 13, 0.005  # m of hair: its roots move by less than an edge a substep
DEPTH, WIDTH = 0.26, 0.02             # m of the pool
TENSION, DENSITY, ANGLE = 0.072, 1320, 60
CAPILLARY = math.sqrt(TENSION / 9810)  # m, of water


def substeps(speed, radius):
    """Most substeps of a frame while the hair leaves the water."""
    coords = ", ".join("0 %.9g 0" % (0.03 - LENGTH * i / (POINTS - 1)) for i in range(POINTS))
    nodes = {
        "hair": {"type": "curve", "parms": {"method": "coords", "coords": coords}},
        "lift": {"type": "transform", "inputs": ["hair"], "parms": {
            "ty": {"keys": [[1, 0], [LAST, speed * (LAST - 1) / FPS]], "interp": "linear"}}},
        "pool": {"type": "fill", "parms": {"size": [WIDTH, DEPTH, WIDTH], "t": [0, -DEPTH / 2, 0], "particlesep": SEP}},
        "wet": {"type": "wetsolver", "inputs": ["lift", "pool"], "parms": {
            "substeps": 2, "hairradius": radius, "density": DENSITY, "contactangle": ANGLE, "drag": 0, "walls": True,
            "wallsmin": [-WIDTH / 2, -DEPTH, -WIDTH / 2], "wallsmax": [WIDTH / 2, 1, WIDTH / 2]}}}
    run = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, LAST], "nodes": nodes})
    return max(row["substeps"] for row in run.rows)


def main():
    for speed, radius in ((0.2, 4e-5), (1, 4e-5), (2, 4e-5), (1, 1.6e-4)):
        resolved = speed / FPS / (0.5 * CAPILLARY)
        closing = CAPILLARY * math.sqrt(DENSITY * radius / (2 * TENSION * math.cos(math.radians(ANGLE))))
        wanted = min(resolved, 1 / FPS / closing)
        taken = substeps(speed, radius)
        # whole substeps, of speeds that change by a few per cent within a frame
        scenes.holds(f"{speed} m/s, radius {1e6 * radius:.0f} um: {taken} substeps; half a capillary length in each takes {resolved:.1f}, "
                     f"{wanted:.1f} are wanted", wanted * 0.95 <= taken <= 1.1 * wanted + 1)
    scenes.end()


if __name__ == "__main__":
    main()
