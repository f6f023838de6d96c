"""Liquids that thicken when they are sheared, in `liquidsolver` (SD-31): flow between two plates.

The law is that of test_yield.py without a yield stress. Beyond a flow index of 2 the viscosity of one iteration takes the
next one farther from the solution than it was itself, unless only a part of it is taken: the liquid then had one of two
viscosities, thousands of times apart, by the number of the iteration.

  test_thickening.py           8 cells from plate to plate, steps of 4 and 2 ms
  test_thickening.py full      16 cells too, and an index of 3
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402
from plates import channel, exact  # noqa: E402

FULL = "full" in sys.argv
# Six times what the flow takes to become steady: density a^2 over the viscosity at the plates, 5 Pa s.
FRAMES = 4


def flows(index, consistency, cells, dt):
    law = (0.0, consistency, index)
    expected_mean, expected_middle = exact(law)
    mean, middle, warnings = channel(cells, dt, law, FRAMES, modulus=0, density=1000)
    name = f"index {index:g}, {cells} cells, {1000 * dt:g} ms"
    # 3.0 and 0.8% at 8 and 16 cells: particles beside a plate move with the first cell
    scenes.near(f"{name}: mean, m/s", mean, expected_mean, 0.04, "channel")
    scenes.near(f"{name}: middle, m/s", middle, expected_middle, 0.04, "channel")
    scenes.holds(f"{name}: pressure and shear are in balance {warnings[:1]}", not any("balance" in text for text in warnings))


flows(2.5, 1.0, 8, 4e-3)
flows(2.5, 1.0, 8, 2e-3)
if FULL:
    flows(3, 0.3, 8, 4e-3)
    flows(2.5, 1.0, 16, 4e-3)
scenes.end()
