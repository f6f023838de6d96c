"""A slab of liquid that falls between two plates, in `liquidsolver`, against the closed form of Herschel and Bulkley.

Its other sides are free, so that in its middle the flow is that of an endless channel under rho g = 1000 Pa/m.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scenes  # noqa: E402

HALF, PRESSURE = 0.01, 1000.0  # half the width, m; rho g, Pa/m
MODULUS = 1000.0
# kg/m3: light liquids come to their steady speed in a quarter of the time of water, density (2 HALF / pi)^2 / consistency = 10 ms.
DENSITY = 250.0
FPS = 25


def channel(cells, dt, law, frames, modulus=MODULUS, density=DENSITY):
    """Mean speed and that of the plug in the middle third of the slab, m/s, and the warnings; law: yield, consistency, index."""
    cell = 2 * HALF / cells
    parms = {"density": density, "gravity": [0, -PRESSURE / density, 0], "shearmodulus": modulus, "yieldstress": law[0],
             "viscosity": law[1], "flowindex": law[2], "substeps": round(1 / (FPS * dt)), "walls": True,
             "wallsmin": [-HALF, -0.3, -0.1], "wallsmax": [HALF, 0.3, 0.1], "wallny": False, "wallnz": False, "wallpz": False}
    run = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, frames], "nodes": {
        "pool": {"type": "fill", "parms": {"size": [2 * HALF, 12 * HALF, 4 * cell], "particlesep": cell / 2}},
        "wet": {"type": "liquidsolver", "inputs": ["pool"], "parms": parms}}})
    points = run.points(frames)
    low, high = numpy.quantile(points.P[:, 1], [1 / 3, 2 / 3])
    inner = (points.P[:, 1] > low) & (points.P[:, 1] < high)
    speed = -points.point("v").reshape(-1, 3)[:, 1]
    speeds = float(speed[inner].mean()), float(speed[inner & (numpy.abs(points.P[:, 0]) < 0.1 * HALF)].mean())
    return *speeds, [text for row in run.rows for text in row["warnings"]]


def exact(law):
    """Mean and plug of the endless channel: the mean by quadrature of the profile."""
    stress, consistency, index = law
    at = (numpy.arange(100000) + 0.5) / 100000 * HALF
    core = stress / PRESSURE
    power = 1 / index + 1
    def profile(x):
        beside = numpy.maximum(x - core, 0) ** power
        return index / (index + 1) * (PRESSURE / consistency) ** (1 / index) * ((HALF - core) ** power - beside)
    return float(profile(at).mean()), float(profile(0.0))
