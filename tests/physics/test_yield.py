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


def block(ratio, frames, steps, solve="together"):
    """A cube of 8 cm whose weight is `ratio` yield stresses, five cells wide, with so many steps a frame; the height of its top
    over its side, and its rms speed at the end. Shear waves go 5.6 / steps cells in one."""
    high, density = 0.08, 1000
    parms = {"density": density, "viscosity": 5, "shearmodulus": 5000, "yieldstress": density * 9.81 * high / ratio,
             "shearsolve": solve, "substeps": steps, "walls": True, "wallsmin": [-0.3, 0, -0.3], "wallsmax": [0.3, 0.5, 0.3]}
    run = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, frames], "nodes": {
        "pool": {"type": "fill", "parms": {"size": [high] * 3, "t": [0, high / 2, 0], "particlesep": 0.008}},
        "wet": {"type": "liquidsolver", "inputs": ["pool"], "parms": parms}}})
    points = run.points(frames)
    speed = points.point("v").reshape(-1, 3)
    return float(points.P[:, 1].max()) / high, float(numpy.sqrt((speed ** 2).sum(axis=1).mean()))


def stands(frames, steps, least, most):
    """It sinks by its elasticity, about rho g H / (6 modulus) of its height, and rings. The ringing falls to 1/e in 0.2 s at 10
    steps a frame and faster at fewer; what is left then falls to 1/e in 43 steps, as the strain of the particles of a cell
    evens out."""
    top, speed = block(1.5, frames, steps)
    scenes.holds(f"weight of 1.5 yield stresses, shear waves of {5.6 / steps:.2g} cells a step, {frames} frames: top {top:.3f} of its "
                 f"height (above {least:g}), {speed:.1e} m/s (below {most:g})", top > least and speed < most)


def blocks():
    stands(21, 2, 0.94, 1e-4)
    top, speed = block(1.5, 14, 2, solve="split")
    scenes.holds(f"split, 2.8 cells a step: it creeps with {speed:.1e} m/s, top {top:.3f} of its height", top > 0.9 and speed > 3e-4)
    top, speed = block(6, 11, 4)
    scenes.holds(f"weight of 6 yield stresses flows: top {top:.3f} of its height", top < 0.8)


BINGHAM, THINNING = (2.0, 1.0, 1.0), (2.0, 2.0, 0.5)

if "full" in sys.argv:
    for steps in (1e-3, 2e-3, 4e-3):
        flows(16, steps, BINGHAM, 5, 0.03)
    flows(16, 4e-3, THINNING, 8, 0.03)
    flows(32, 4e-3, BINGHAM, 5, 0.02)
    # to rest, for shear waves of 5.6, 2.8 and 0.56 cells a step; at 0.2 it still rings, as nothing but the steps damps it
    for frames, steps, most in ((221, 1, 1e-6), (121, 2, 1e-6), (71, 10, 1e-6), (71, 28, 1e-4)):
        stands(frames, steps, 0.94, most)
else:
    means = [flows(8, 4e-3, BINGHAM, 4, 0.04), flows(8, 2e-3, BINGHAM, 4, 0.04)]
    scenes.equal("mean at 4 and 2 ms", means, 0.01)
    flows(8, 4e-3, THINNING, 7, 0.05)
    still, *_ = channel(8, 4e-3, (11.0, 1.0, 1.0), 4)
    scenes.holds(f"below its yield stress it does not flow: {still:.1e} m/s", abs(still) < 1e-5)
    blocks()
scenes.end()
