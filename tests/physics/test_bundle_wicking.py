"""A dry bundle whose lower end is kept wet draws liquid up to the column of the energy balance (bundles.py), against
gravity and from below (WH-20, E74). A lone hair does not.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import bundles  # noqa: E402
import scenes  # noqa: E402

# As in test_bundle_column.
COLUMN = 0.15
RESOLUTION = 0.1
FRAMES = 48


def risen(d, angle, viscosity, points, substeps, side=6):
    """Height of the column above the tips, over that of the energy balance. The lowest fifth is painted."""
    column = bundles.column(d, angle)
    length = 1.8 * column
    paint = {"name": "wetadd", "value": [2e-3, 0, 0, 0], "mode": "ramp",
             "ramp": "0 0 constant, %.6f 1 constant" % (1 - 0.2 * column / length)}
    run = scenes.cook(bundles.scene(d, length, points, angle, viscosity, substeps, [paint], side), frames=FRAMES)
    return bundles.height(run.strands(FRAMES), d) / column


for distance, contact, mu in ((0.5e-3, 30, 1e-3), (0.25e-3, 60, 2e-4)):
    found = [risen(distance, contact, mu, points, substeps) for points, substeps in ((28, 8), (46, 4), (46, 8))]
    for height in found:
        scenes.near(f"d {distance * 1e3:g} mm: height that liquid rises to, over h", height, 1, COLUMN, "energy balance")
    scenes.equal(f"d {distance * 1e3:g} mm: heights", found, RESOLUTION)
# one hair: what is painted stays below, but for the film's own tension
alone = risen(0.25e-3, 60, 2e-4, 46, 8, side=1)
scenes.holds(f"one hair: {alone:.2f} of h, at most 0.35", alone < 0.35)
scenes.end()
