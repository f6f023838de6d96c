"""Liquids with a yield stress in `liquidsolver` (SD-1, SD-3, SD-4, SD-31): flow between two plates, and a block that stands.

A slab of liquid falls between two plates that it sticks to; its other sides are free, so that in its middle the flow is that
of an endless channel under rho g = 1000 Pa/m, which has a closed form: a plug with the speed

    n / (n + 1) (G / K)^(1/n) (a - x0)^(1/n + 1),   x0 = yield / G,   a half the width,

and the law of Herschel and Bulkley beside it. The slab is six times as long as wide: its ends add about one part in a
hundred. Particles next to a plate move with the first cell's velocity, which adds another.

  test_yield.py            8 cells from plate to plate
  test_yield.py full       16 and 32 cells, steps of 1 to 4 ms, both laws of the issue
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402
from plates import FPS, channel, exact  # noqa: E402


def flows(cells, dt, law, frames, tolerance):
    mean, plug, _ = channel(cells, dt, law, frames)
    expected_mean, expected_plug = exact(law)
    name = f"yield {law[0]:g}, consistency {law[1]:g}, index {law[2]:g}, {cells} cells, {1000 * dt:g} ms"
    scenes.near(f"{name}: mean, m/s", mean, expected_mean, tolerance, "channel")
    scenes.near(f"{name}: plug, m/s", plug, expected_plug, tolerance, "channel")
    return mean


def block(ratio, frames=21, solve="together"):
    """A cube of 8 cm whose weight is `ratio` yield stresses; heights of its top and its rms speed at the end."""
    high, density = 0.08, 1000
    parms = {"density": density, "viscosity": 5, "shearmodulus": 5000, "yieldstress": density * 9.81 * high / ratio,
             "shearsolve": solve, "substeps": 10, "walls": True, "wallsmin": [-0.3, 0, -0.3], "wallsmax": [0.3, 0.5, 0.3]}
    run = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, frames], "nodes": {
        "pool": {"type": "fill", "parms": {"size": [high] * 3, "t": [0, high / 2, 0], "particlesep": 0.005}},
        "wet": {"type": "liquidsolver", "inputs": ["pool"], "parms": parms}}})
    points = run.points(frames)
    speed = points.point("v").reshape(-1, 3)
    return float(points.P[:, 1].max()) / high, float(numpy.sqrt((speed ** 2).sum(axis=1).mean()))


def stands():
    # It sinks by its elasticity, about rho g H / (6 modulus) of its height, and rings: 1 mm/s is a thousandth of a fall.
    top, speed = block(1.5)
    scenes.holds(f"weight of 1.5 yield stresses stands: top {top:.3f} of its height, {speed:.1e} m/s", top > 0.93 and speed < 1e-3)
    top, speed = block(1.5, solve="split")
    scenes.holds(f"split: top {top:.3f} of its height, {speed:.1e} m/s", top > 0.93)
    top, speed = block(6)
    scenes.holds(f"weight of 6 yield stresses flows: top {top:.3f} of its height", top < 0.8)


BINGHAM, THINNING = (2.0, 1.0, 1.0), (2.0, 2.0, 0.5)

if "full" in sys.argv:
    for steps in (1e-3, 2e-3, 4e-3):
        flows(16, steps, BINGHAM, 9, 0.03)
    flows(16, 4e-3, THINNING, 16, 0.03)
    flows(32, 4e-3, BINGHAM, 9, 0.02)
else:
    means = [flows(8, 4e-3, BINGHAM, 9, 0.04), flows(8, 2e-3, BINGHAM, 9, 0.04)]
    scenes.equal("mean at 4 and 2 ms", means, 0.01)
    flows(8, 4e-3, THINNING, 16, 0.05)
    still, *_ = channel(8, 4e-3, (11.0, 1.0, 1.0), 9)
    scenes.holds(f"below its yield stress it does not flow: {still:.1e} m/s", abs(still) < 1e-5)
    stands()
scenes.end()
