"""Every step of a wet tuft whose hairs push each other is solved: Newton's residual comes below the tolerance (WH-44).

The first frames of docs/scenes/dip.json, in which menisci press 250 hairs into a bundle. Its hairs move in concert. A line search
that shortens the steps of single hairs only gets stuck there, with residuals of 0.01 to 0.03, and what the bundle does then
depends on the step."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

FRAMES = 5
TOLERANCE = 1e-3  # the default of the node


def largest_residual(substeps):
    """Of all steps."""
    run = scenes.cook("dip.json", [f"wet.substeps={substeps}"], FRAMES)
    return max(max(row["residuals"]) for row in run.rows)


for substeps in (8, 16):
    residual = largest_residual(substeps)
    scenes.holds(f"largest residual with {substeps} substeps: {residual:.2g} (at most {TOLERANCE:g})", residual <= TOLERANCE)
scenes.end()
