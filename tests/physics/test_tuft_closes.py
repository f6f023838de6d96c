"""A tuft that stands in a pool is drawn together at the waterline by its menisci, as far with 8 as with 32 substeps (WH-10, WH-18).

The first frames of docs/scenes/dip.json, before the tuft is lifted. The approach of all hairs is slow against what else moves in a
step: where Newton's iterations end before it is solved, it depends on the step (0.9 and 1.7 mm)."""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

FRAMES, LEVEL = 4, -0.045  # 0.125 s; m, of the water
# The hairs have come from 3.5 mm to 0.8 mm; the number of steps in which they do leaves a twentieth of that open.
WIDTH = 0.15


def width(substeps):
    """mm: root mean square distance of the hairs from their middle, at the waterline."""
    x = scenes.cook("dip.json", [f"wet.substeps={substeps}"], FRAMES).strands(FRAMES).x
    at = numpy.argmin(abs(x[:, :, 1].mean(axis=0) - LEVEL))
    away = (x[:, at] - x[:, at].mean(axis=0))[:, [0, 2]]
    return 1e3 * float(numpy.sqrt((away ** 2).sum(axis=1).mean()))


scenes.equal("width of the tuft at the waterline, mm, 8, 32 substeps", [width(8), width(32)], WIDTH)
scenes.end()
