"""Figures in the docs are those of the program: each row has a text of a page with the number in it, cooks the scene that the
text names, measures, and compares. A text that is no longer there fails too.

  docs_figures.py [WORD...]      all rows, or those whose page or text contains a word; RIVULET names the program

Scenes take about two minutes of CPU for wet hair and fifteen for liquid.md and strands.md. Times of cooking depend on the machine:
rows of TIMES are measured and printed, and only their texts are required.
"""
import functools
import json
import os
import re
import subprocess
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

DOCS = os.path.join(os.path.dirname(scenes.SCENES))


@functools.lru_cache(maxsize=None)
def _cook(name, sets, frames, solver, extra):
    return scenes.cook(scene_of_page(name) if name.endswith(".md") else name, sets, frames, solver, extra=extra)


def cook(name, *sets, frames=None, solver="wet", extra=()):
    """A cooked scene; the same words are cooked once, however they are given."""
    return _cook(name, sets, frames, solver, extra)


def scene_of_page(page):
    """The first scene that a page prints."""
    with open(os.path.join(DOCS, page), encoding="utf-8") as stream:
        return json.loads(re.search(r"```json\n(\{ \"rivulet\".*?)```", stream.read(), re.S).group(1))


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


#------------------------------------------------------------------------------------------------ liquid

def particles(*sets):
    """Particles of dam.json at the start."""
    return cook("dam.json", *sets, frames=1, solver="solve").rows[0]["counts"]["particles"]


def poured():
    """Litres a second that pour.json emits, of the ledger after half a second."""
    return 1e3 * cook("pour.json", frames=13, solver="solve").rows[-1]["ledger"]["sources"] / 0.5


def most_change():
    """Per cent by which the occupied volume changes in the two long checks, the larger."""
    done = subprocess.run([scenes.RIVULET, "check", "liquid_volume", "pour_volume", "--json"], stdout=subprocess.PIPE,
                          text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return 100 * max(abs(line["measured"] - line["expected"]) for line in lines if line["tolerance"] == 0.01)


def cpu(name, *sets, frames=None, solver="solve"):
    """CPU seconds of each frame after the first."""
    return [row["cpu_seconds"] for row in cook(name, *sets, frames=frames, solver=solver).rows[1:]]


#------------------------------------------------------------------------------------------------ strands

def from_animation(weight):
    """mm that the hair of the page's scene is from its animation in frame 12, root mean square; `weight`: goals."""
    scene = scene_of_page("strands.md")
    if weight:
        scene["nodes"]["goal"] = {"type": "attribute", "inputs": ["follow"], "parms": {
            "name": "targetweight", "mode": "ramp", "value": [weight, 0, 0, 0], "ramp": "0 1 linear, 0.5 0.2 linear, 1 0"}}
        scene["nodes"]["solve"]["inputs"][0] = "goal"
    run = scenes.cook(scene, (), 12, "solve", extra=("follow",))
    apart = run.strands(12).P - run.points(12, "follow").P
    return 1e3 * numpy.sqrt((apart ** 2).sum(axis=1).mean())


def substeps(name, *sets, frames=None, most=True):
    """Most, or fewest, substeps of a frame after the first."""
    counts = [row["substeps"] for row in cook(name, *sets, frames=frames, solver="solve").rows[1:]]
    return (max if most else min)(counts)


def unconverged(name):
    """Of each frame that warns of it, the share of its substeps that did not converge."""
    told = [re.search(r"(\d+) of (\d+) substeps did not converge", str(row["warnings"]))
            for row in cook(name, solver="solve").rows]
    return [int(one[1]) / int(one[2]) for one in told if one]


def in_shoulder(*sets):
    """Per cent of the points of all hairs that are inside the shoulder at frame 11 of shoulder.json."""
    P = cook("shoulder.json", *sets, frames=11, solver="solve", extra=("all",)).points(11, "all").P
    c, s = numpy.cos(numpy.radians(12)), numpy.sin(numpy.radians(12))
    P = (P - (0, -0.23, -0.075)) @ numpy.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) / (0.19, 0.08, 0.095)
    return 100 * float(((P ** 2).sum(axis=1) < 1).mean())


BELOW = "below"  # in place of a tolerance: the text gives a bound
WORDS = {"half": 0.5, "third": 1 / 3, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "minute": 60}
FPS = {"droplet": scenes.load("wet/droplet.json")["fps"]}
WET, LIST, LIQUID, STRANDS = "wet.md", "wet_scenes.md", "liquid.md", "strands.md"
FEW = ("hair.count=500", "solve.strandcollisions=1")
# 15%: figures are told with two digits, and clumps differ by a few
ROWS = [
    # one clump, and single hairs beside it: up to three more or fewer
    (WET, r"the tuft ends in about (\d+) points", lambda: clumps("dip.json"), 1),
    (WET, r"holds (\d+) mm3 after the tuft has left the water", lambda: film(cook("dip.json"))[-1], 0.1),
    (WET, r"2.8, 2, 1.4 mm \| (\d+), ", lambda: film(cook("dip.json", "pool.particlesep=0.0028"))[-1], 0.05),
    (WET, r"2.8, 2, 1.4 mm \| \d+, (\d+), ", lambda: film(cook("dip.json"))[-1], 0.05),
    (WET, r"2.8, 2, 1.4 mm \| \d+, \d+, (\d+) mm3", lambda: film(cook("dip.json", "pool.particlesep=0.0014"))[-1], 0.05),
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
    (LIQUID, r"a column of ([\d,]+) particles falls", particles, 0.05),
    (LIQUID, r"Half the value gives (eight) times the particles", lambda: particles("water.particlesep=0.00625") / particles(), 0.05),
    (LIQUID, r"a source pours (four) litres a second", poured, 0.01),
    (LIQUID, r"occupied volume changes by less than (one) per cent", most_change, BELOW),
    (STRANDS, r"the hair is (\d+) mm from the animation without goals", lambda: from_animation(0), 0.05),
    (STRANDS, r"\(root mean square\), (\d+) mm with them", lambda: from_animation(1), 0.05),
    (STRANDS, r"and (\d+) mm with `value` 10", lambda: from_animation(10), 0.13),
    (STRANDS, r"In (\w+) of the 48 frames up to", lambda: len(unconverged("fur_ball.json")), 0),
    (STRANDS, r"48 frames up to (half) of the substeps do not converge", lambda: max(unconverged("fur_ball.json"), default=0), 0.2),
    (STRANDS, r"of the shrug ([\d.]+)% of their points are inside", in_shoulder, 0.05),
    (STRANDS, r"on the solver (\d+)% of those remain", lambda: 100 * in_shoulder("solve.thickness=0.004") / in_shoulder(), 0.1),
    (STRANDS, r"twice as many guides (\d+)% remain", lambda: 100 * in_shoulder("pick.step=10") / in_shoulder(), 0.1),
    (STRANDS, r"2,000 x 32 points \|.*?\| 4 to (\d+) \|", lambda: substeps("turn_and_stop.json"), 0),
    (STRANDS, r"\| 500 x 32 \|.*?\| 4 to (\d+) \|", lambda: substeps("turn_and_stop.json", *FEW, frames=24), 0),
    (STRANDS, r"8,000 x 14 \|.*?\| 4 to (\d+) \|", lambda: substeps("fur_ball.json"), 0),
    (STRANDS, r"1,000 x 32 for 20,000 \|.*?\| 4 to (\d+) \|", lambda: substeps("shoulder.json"), 0),
    (STRANDS, r"\| 20,000 x 32 \|.*?\| 4 to (\d+) \|", lambda: substeps("shoulder.json", "pick.step=1", frames=6), 0),
]
# Seconds of CPU; measured and printed, not compared.
TIMES = [
    (LIQUID, r"48 frames take about (\d+) s of CPU", lambda: sum(cpu("dam.json"))),
    (LIQUID, r"60 frames take about a (minute) of CPU", lambda: sum(cpu("bucket.json"))),
    (STRANDS, r"2,000 x 32 points \| ([\d.]+) \|", lambda: numpy.mean(cpu("turn_and_stop.json"))),
    (STRANDS, r"2,000 x 32 points \| [\d.]+ \| ([\d.]+) \|", lambda: max(cpu("turn_and_stop.json"))),
    (STRANDS, r"\| 500 x 32 \| ([\d.]+) \|", lambda: numpy.mean(cpu("turn_and_stop.json", *FEW, frames=24))),
    (STRANDS, r"8,000 x 14 \| ([\d.]+) \|", lambda: numpy.mean(cpu("fur_ball.json"))),
    (STRANDS, r"1,000 x 32 for 20,000 \| ([\d.]+) \|", lambda: numpy.mean(cpu("shoulder.json"))),
    (STRANDS, r"\| 20,000 x 32 \| ([\d.]+) \|", lambda: numpy.mean(cpu("shoulder.json", "pick.step=1", frames=6))),
    (STRANDS, r"Iterations\*\* 1 is the linearised step, for blocking: softer and less exact, and a (third) faster",
     lambda: 1 - sum(cpu("strands.md", "solve.niter=1")) / sum(cpu("strands.md"))),
]


def number(text):
    return WORDS[text] if text in WORDS else float(text.replace(",", ""))


def said(page, pattern):
    """The number that a page has at this place, or None."""
    found = re.findall(pattern, page_of(page))
    return number(found[0]) if scenes.holds(f"{page}: \"{pattern}\" is there once", len(found) == 1) else None


@functools.lru_cache(maxsize=None)
def page_of(name):
    with open(os.path.join(DOCS, name), encoding="utf-8") as stream:
        return stream.read()


def main():
    words = sys.argv[1:]
    for page, pattern, measure, tolerance in ROWS:
        value = said(page, pattern) if not words or any(word in page + pattern for word in words) else None
        if value is None:
            continue
        measured = float(measure())
        if tolerance == BELOW:
            scenes.holds(f"  it says less than {value:g}, measured {measured:.4g}", measured < value)
        else:
            scenes.near("  it says", value, measured, tolerance, "measured")
    for page, pattern, measure in TIMES:
        value = said(page, pattern) if not words or any(word in page + pattern for word in words) else None
        if value is not None:
            print(f"          it says {value:g}, measured {float(measure()):.3g}, not compared", flush=True)
    scenes.end()


main()
