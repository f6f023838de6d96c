"""Film flows from a wetter hair to a drier one beside it at the rate of WH-27 (spec 1.2.7, src/film/across.c).

Without gravity and with film of one height on each hair the volumes A1, A2 a length follow

    dA1/dt = -h1 k (p1 - p2) / distance of axes,  k = r^2 / (8 viscosity),  p = -tension cos(angle) / (r + h + gap / 2)
"""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

RADIUS, TENSION, ANGLE, LENGTH = 5e-5, 0.072, 60.0, 0.02
DISTANCE = 1.5e-4
# the film's thickest allowed viscosity: the exchange takes a fifth of a second
VISCOSITY = 0.1
HEIGHTS = (6e-5, 1.5e-5)
FRAME = 4
# A step is implicit, of first order: 2% at 16 substeps; bridges move even stiff hairs by a percent of their distance.
TOLERANCE = 0.05


def area(height):
    return math.pi * ((height + RADIUS) ** 2 - RADIUS ** 2)


def height_of(section):
    return math.sqrt(section / math.pi + RADIUS ** 2) - RADIUS


def law(seconds, steps=20000):
    """m2 that have flowed after a time."""
    a, b = area(HEIGHTS[0]), area(HEIGHTS[1])
    pull, gap = TENSION * math.cos(math.radians(ANGLE)), DISTANCE - 2 * RADIUS
    for _ in range(steps):
        h, g = height_of(a), height_of(b)
        drop = pull / (RADIUS + g + gap / 2) - pull / (RADIUS + h + gap / 2)
        flow = seconds / steps * h * RADIUS ** 2 / (8 * VISCOSITY) * drop / DISTANCE
        a -= flow
        b += flow
    return area(HEIGHTS[0]) - a


def flowed(points, substeps):
    films = " ".join(" ".join([repr(h)] * points) for h in HEIGHTS)
    run = scenes.cook({"rivulet": 1, "fps": 24, "frames": [1, FRAME], "nodes": {
        "hair": {"type": "curve", "parms": {"dir": [1, 0, 0], "dist": LENGTH, "points": points, "count": 2,
                                            "spacing": [0, 0, DISTANCE]}},
        "film": {"type": "attribute", "inputs": ["hair"],
                 "parms": {"name": "filmheight", "mode": "list", "list": films}},
        "wet": {"type": "wetsolver", "inputs": ["film"], "parms": {
            "hairradius": RADIUS, "substeps": substeps, "transverse": True, "absorption": 0, "filmviscosity": VISCOSITY,
            "tension": TENSION, "contactangle": ANGLE, "gravity": [0, 0, 0], "cohesion": 0.001, "youngs": 1e12, "shear": 4e11}}}})
    hair = run.strands(FRAME)
    # roots are clamped and have no contacts: the outer half counts, where film does not flow along the hair
    outer = slice(points // 2, points)
    return area(HEIGHTS[0]) - float(hair.film()[0, outer].sum() / hair.cell[0, outer].sum())


truth = law((FRAME - 1) / 24)
print(f"of {area(HEIGHTS[0]) * 1e9:.3f} over {area(HEIGHTS[1]) * 1e9:.3f} 1e-9 m2, {truth * 1e9:.3f} flow over")
found = [flowed(points, substeps) for points, substeps in ((11, 16), (41, 16), (41, 64))]
for section in found:
    scenes.near("flow from hair to hair, 1e-9 m2", 1e9 * section, 1e9 * truth, TOLERANCE, "WH-27")
scenes.equal("flow", found, TOLERANCE)
scenes.end()
