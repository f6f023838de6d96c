"""Figures in the docs are those of the program: each row has a text of a page with the number in it, cooks the scene that the
text names, measures, and compares. A text that is no longer there fails too.

  docs_figures.py [WORD...]      all rows, or those whose text contains a word; RIVULET names the program

Scenes take about two minutes. Times of cooking are not checked here (docs/benchmarks.md).
"""
import functools
import os
import re
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

DOCS = os.path.join(os.path.dirname(scenes.SCENES))


@functools.lru_cache(maxsize=None)
def cook(name, *sets, frames=None):
    return scenes.cook(name, sets, frames)


def film(run):
    """mm3 on the hair, frame by frame."""
    return [1e9 * row["ledger"]["film"] for row in run.rows]


def hairs(run):
    return [run.strands(row["frame"]).x for row in run.rows]


def lag(*sets):
    """mm that the tip of drag.json is behind its root at most."""
    return max(1e3 * (x[0, 0, 0] - x[0, -1, 0]) for x in hairs(cook("wet/drag.json", *sets)))


def parted():
    """s until the tips of two_hairs.json are a millimetre apart."""
    wide = [numpy.linalg.norm(x[1, -1] - x[0, -1]) for x in hairs(cook("wet/two_hairs.json"))]
    return next(k for k, gap in enumerate(wide) if gap > 1e-3) / 24


def lowest(frame, *sets):
    """mm that the lowest point of coil_sag.json is below its axis: at last, or at most."""
    low = [-1e3 * x[..., 1].min() for x in hairs(cook("wet/coil_sag.json", *sets))]
    return low[-1] if frame else max(low)


def wetted(frame):
    """Hairs of capillary.json with 5 micrometres of film or more."""
    height = cook("wet/capillary.json").strands(frame).point("filmheight").reshape(16, -1)
    return int((height.mean(axis=1) >= 5e-6).sum())


def clumps(name, *sets, frame=None, frames=None):
    rows = cook(name, *sets, frames=frames).rows
    return rows[-1 if frame is None else frame - 1]["counts"]["clumps"]


def shed(name):
    """Share of the first film that is liquid around at last."""
    ledger = cook(name).rows[-1]["ledger"]
    return (ledger["bulk"] + sum(ledger["sinks"].values())) / ledger["initial"]


def swing():
    """Degrees from the vertical, frame by frame, of pendulum.json."""
    return [numpy.degrees(numpy.arctan2(x[0, -1, 0] - x[0, 0, 0], x[0, 0, 1] - x[0, -1, 1]))
            for x in hairs(cook("wet/pendulum.json"))]


def back():
    angles = swing()
    least = int(numpy.argmin(angles))
    return max(angles[least:])


def left(run):
    """s until half of the film of droplet.json has left."""
    amount = film(run)
    return next(k for k, v in enumerate(amount) if v < 0.5 * amount[0]) / FPS["droplet"]


FPS = {"droplet": scenes.load("wet/droplet.json")["fps"]}
WET, LIST = "wet.md", "wet_scenes.md"
# 15%: figures are told with two digits, and clumps differ by a few
ROWS = [
    # one clump, and single hairs beside it: up to three more or fewer
    (WET, r"the tuft ends in about (\d+) points", lambda: clumps("dip.json"), 1),
    (WET, r"holds (\d+) mm3 after the tuft has left the water", lambda: film(cook("dip.json"))[-1], 0.1),
    (WET, r"2.8, 2 mm \| (\d+), \d+ mm3", lambda: film(cook("dip.json", "pool.particlesep=0.0028"))[-1], 0.05),
    (WET, r"2.8, 2 mm \| \d+, (\d+) mm3", lambda: film(cook("dip.json"))[-1], 0.05),
    (WET, r"a hair in the stream holds up to ([\d.]+) mm3", lambda: max(film(cook("wet/capture.json"))), 0.15),
    (WET, r"the value of the scene, leaves ([\d.]+) of 12 mm3", lambda: film(cook("wet/coil_sag.json"))[-1], 0.05),
    (WET, r"then hangs ([\d.]+) mm low instead", lambda: lowest(True, "wet.drip=0"), 0.05),
    (WET, r"mm low instead of ([\d.]+)\.", lambda: lowest(True), 0.05),
    (WET, r"stay joined at their tips for ([\d.]+) s", parted, 0.06),
    (WET, r"its tip lags by up to ([\d.]+) mm", lag, 0.05),
    (WET, r"without drag by ([\d.]+) mm", lambda: lag("wet.drag=0"), 0.2),
    (WET, r"from 4 hairs of 16 to (\d+) in half a second", lambda: wetted(13), 0),
    (LIST, r"leaves the tip after ([\d.]+) s", lambda: left(cook("wet/droplet.json")), 0.15),
    (LIST, r"and (\d+)% stay as a film", lambda: 100 * film(cook("wet/droplet.json"))[-1] / film(cook("wet/droplet.json"))[0], 0.1),
    (LIST, r"it swings to (\d+) degrees beyond", lambda: -min(swing()), 0.06),
    (LIST, r"vertical and back to (\d+)", back, 0.06),
    (LIST, r"back to \d+; (\d+)% have dripped", lambda: 100 * shed("wet/pendulum.json"), 0.03),
    (LIST, r"the coil swings down to ([\d.]+) mm", lambda: lowest(False), 0.05),
    (LIST, r"its axis and settles at ([\d.]+) mm", lambda: lowest(True), 0.05),
    (LIST, r"settles at [\d.]+ mm with (\d+)% of the film",
     lambda: 100 * film(cook("wet/coil_sag.json"))[-1] / film(cook("wet/coil_sag.json"))[0], 0.05),
    (LIST, r"it settles at ([\d.]+) mm with all of it", lambda: lowest(True, "wet.drip=0"), 0.05),
    (LIST, r"(\d+)% leave as a jet", lambda: 100 * shed("wet/spin.json"), 0.06),
    (LIST, r"up to ([\d.]+) mm3 are on the hair", lambda: max(film(cook("wet/capture.json"))), 0.15),
    (LIST, r"and ([\d.]+) mm3 at the end", lambda: film(cook("wet/capture.json"))[-1], 0.15),
    (LIST, r"after 2 s all (\d+) have", lambda: wetted(48), 0),
    (LIST, r"and separate at ([\d.]+) s", parted, 0.06),
    (LIST, r"21 hairs form (\d+) groups", lambda: clumps("wet/hair_row.json"), 0),
    (LIST, r"at up to 8 cm/s the tip lags by up to ([\d.]+) mm", lag, 0.05),
    (LIST, r"`--set wet.drag=0` by ([\d.]+) mm", lambda: lag("wet.drag=0"), 0.2),
]


def main():
    pages = {}
    for page, pattern, measure, tolerance in ROWS:
        if len(sys.argv) > 1 and not any(word in pattern for word in sys.argv[1:]):
            continue
        if page not in pages:
            with open(os.path.join(DOCS, page), encoding="utf-8") as stream:
                pages[page] = stream.read()
        found = re.findall(pattern, pages[page])
        if scenes.holds(f"{page}: \"{pattern}\" is there once", len(found) == 1):
            scenes.near("  it says", float(found[0]), float(measure()), tolerance, "measured")
    scenes.end()


main()
