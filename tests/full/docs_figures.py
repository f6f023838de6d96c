"""Figures in the docs are those of the program: each row has a text of a page with the number in it, cooks the scene that the
text names, measures, and compares. A text that is no longer there fails too.

  docs_figures.py [WORD...]      all rows, or those whose page or text contains a word; RIVULET names the program

Scenes take about five minutes of CPU for dip.json and the small wet scenes, ten for the large ones (their figures are in rows with
`large`), and fifteen for liquid.md and strands.md. Times of cooking depend on the machine: rows of TIMES are measured and printed,
and only their texts are required. The flip's figures that need its files are compared by flip.py, those of fur mats by fur_mats.py.
"""
import functools
import json
import re
import os
import subprocess
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pages  # noqa: E402
import scenes  # noqa: E402

TENSION, WEIGHT = 0.072, 9810.0  # N/m; N/m3: water, as wetsolver has it


@functools.lru_cache(maxsize=None)
def _cook(name, sets, frames, solver, extra):
    if name == PAINTED:
        name = painted()
    elif name.endswith(".md"):
        name = scene_of_page(name)
    return scenes.cook(name, sets, frames, solver, extra=extra)


def cook(name, *sets, frames=None, solver="wet", extra=()):
    """A cooked scene; the same words are cooked once, however they are given."""
    return _cook(name, sets, frames, solver, extra)


@functools.lru_cache(maxsize=None)
def large(name):
    """The report of a large scene, whose files are not kept."""
    return scenes.cook(name).rows


def scene_of_page(page):
    """The first scene that a page prints."""
    return json.loads(re.search(r"```json\n(\{ \"rivulet\".*?)```", pages.text(page), re.S).group(1))


PAINTED = "painted"


def painted():
    """dip.json with the nodes that the chapter on painting prints, in place of the pool."""
    scene = scenes.load("dip.json")
    chapter = pages.text("wet.md").split("## Painting wetness")[1]
    nodes = json.loads("{" + re.search(r"```json\n(.*?)```", chapter, re.S).group(1) + "}")
    keep = set(scene["nodes"]) - {"lift", "pool"}
    scene["nodes"] = {name: scene["nodes"][name] for name in scene["nodes"] if name in keep}
    scene["nodes"].update(nodes)
    return scene


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


def heights(frame, *sets):
    """Micrometres of film on each hair of capillary.json, means."""
    return 1e6 * cook("wet/capillary.json", *sets).strands(frame).point("filmheight").reshape(16, -1).mean(axis=1)


def aside():
    """mm that a point of droplet.json's hair is from the vertical through its root, at most."""
    return max(1e3 * numpy.abs(x[0, :, ::2] - x[0, 0, ::2]).max() for x in hairs(cook("wet/droplet.json")))


def drop_over_hair():
    """Mass of the drop of droplet.json over that of its hair."""
    parms = scenes.load("wet/droplet.json")["nodes"]["wet"]["parms"]
    hair = numpy.pi * parms["hairradius"] ** 2 * 0.047 * parms["density"]
    return 1e-9 * film(cook("wet/droplet.json"))[0] * 1000 / hair


def bead(frame):
    """mm of the thickest film on coil_sag.json."""
    return 1e3 * cook("wet/coil_sag.json").strands(frame).point("filmheight").max()


def front():
    """s until film of 5 micrometres reaches the tip of spin.json."""
    run = cook("wet/spin.json")
    tips = [run.strands(row["frame"]).point("filmheight").ravel()[-1] for row in run.rows]
    return next(k for k, height in enumerate(tips) if height > 5e-6) / 48


def gap(roots):
    """mm between the tips of two_hairs.json while its roots are so many mm apart."""
    pair = next(x for x in hairs(cook("wet/two_hairs.json")) if 1e3 * numpy.linalg.norm(x[1, 0] - x[0, 0]) >= roots)
    return 1e3 * numpy.linalg.norm(pair[1, -1] - pair[0, -1])


@functools.lru_cache(maxsize=None)
def bundles(*sets):
    """Sizes of the bundles of hair_row.json at the end, from left to right: hairs whose clumpid is the same at a point of their last
    quarter are in one."""
    run = cook("wet/hair_row.json", *sets)
    hair = run.strands(run.rows[-1]["frame"])
    order = numpy.argsort(hair.x[:, 0, 0])
    ids = hair.point("clumpid").reshape(len(order), -1)[order]
    ids = ids[:, 3 * ids.shape[1] // 4:]
    group = numpy.arange(len(order))
    for at in range(ids.shape[1]):
        for one in numpy.unique(ids[:, at]):
            joined = numpy.unique(group[ids[:, at] == one])
            group[numpy.isin(group, joined)] = joined[0]
    return numpy.unique(group, return_counts=True)[1].tolist()


def rained():
    """m3 that the attribute wetadd of the painted scene brought."""
    rows = cook(PAINTED, frames=37).rows
    return rows[-1]["ledger"]["sources"] - rows[0]["ledger"]["sources"]


def dripped():
    """m3 that left the hair of the painted scene."""
    ledger = cook(PAINTED, frames=37).rows[-1]["ledger"]
    return ledger["bulk"] + sum(ledger["sinks"].values())


def ml(rows, frame=None):
    """ml of film in a frame, or at most."""
    amount = [1e6 * row["ledger"]["film"] for row in rows]
    return max(amount) if frame is None else amount[frame - 1 if frame > 0 else frame]


def most_at(rows):
    """Frame in which there is most film."""
    return rows[max(range(len(rows)), key=lambda k: rows[k]["ledger"]["film"])]["frame"]


def groups(rows, frames=None):
    """Fewest clumps of some frames, or of all."""
    return min(row["counts"]["clumps"] for row in rows if not frames or row["frame"] in frames)


def flip_groups():
    """Fewest clumps within half a second after the most film."""
    rows = large("hair_flip.json")
    first = int(most_at(rows))
    return groups(rows, range(first, first + 13))


def column(spacing, angle):
    """mm: the column that a bundle holds, as the page has it, of hair of 0.05 mm radius."""
    r = 5e-5
    free = spacing ** 2 - numpy.pi * r ** 2
    return 1e3 * 2 * numpy.pi * r * TENSION * numpy.cos(numpy.radians(angle)) / (WEIGHT * free)


def held(radius, hairs_together=1):
    """Radius in m of the drops that a level hair holds, (17): balls side by side, 2/3 pi r^2 a length."""
    return (3 * radius * TENSION * hairs_together ** 0.5 / WEIGHT) ** (1 / 3)


def tate(radius):
    """mm3 that fall from a tip."""
    return 1e9 * 2 * numpy.pi * radius * TENSION / WEIGHT


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


def spin_error():
    """Per cent of its spin that a ball of liquid loses at most, of the test of it."""
    test = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "physics", "test_spin.py")
    done = subprocess.run([sys.executable, test], stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="")
    return 100 * max(abs(float(one) - 1) for one in re.findall(r"^ok .*spin.*: ([\d.]+), kept 1 ", done.stdout, re.M))


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


def share(stage, name, *sets, frames=None):
    """Per cent of the time of all stages that one takes, in the frames after the first."""
    rows = cook(name, *sets, frames=frames, solver="solve").rows[1:]
    return 100 * sum(row["stages"].get(stage, 0) for row in rows) / sum(sum(row["stages"].values()) for row in rows)


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
FPS = {"droplet": scenes.load("wet/droplet.json")["fps"]}
WET, LIST, LIQUID, STRANDS = "wet.md", "wet_scenes.md", "liquid.md", "strands.md"
FEW = ("hair.count=500", "solve.strandcollisions=1")
# 15%: figures are told with two digits, and clumps differ by a few
ROWS = [
    # one clump, and single hairs beside it: up to three more or fewer
    (WET, r"the tuft ends in (\d+) point", lambda: clumps("dip.json"), 1),
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
    # 2 points, as in the first row
    (WET, r"\d+ mm3, in (\d+) points each", lambda: clumps("dip.json", "pool.particlesep=0.0014"), 1),
    (WET, r"32 substeps \| (\d+), \d+, \d+, \d+: one hair", lambda: len(bundles("wet.substeps=4")), 0),
    (WET, r"32 substeps \| \d+, \d+, \d+, (\d+): one hair", lambda: len(bundles("wet.substeps=32")), 0),
    (WET, r"a film of micrometres, and (nothing) without", lambda: max(film(cook("wet/capture.json", "wet.capture=0"))), 0),
    (WET, r"leaves [\d.]+ of (\d+) mm3; 1 keeps all of it", lambda: film(cook("wet/coil_sag.json", "wet.capacity=1"))[-1], 0.01),
    (WET, r"this scene paints ([\d.]+) ml at the start", lambda: ml(cook(PAINTED, frames=37).rows, 1), 0.03),
    (WET, r"at the start and rains ([\d.]+) ml in half a second", lambda: 1e6 * rained(), 0.02),
    (WET, r"a second later ([\d.]+) ml are left", lambda: ml(cook(PAINTED, frames=37).rows, -1), 0.1),
    (WET, r"are left and ([\d.]+) ml have\ndripped", lambda: 1e6 * dripped(), 0.1),
    # laws; that the node obeys them is shown by tests/physics (capacity, tip_drops, bundle_column)
    (WET, r"radius in water holds ([\d.]+) mm3 a millimetre", lambda: 1e6 * 2 / 3 * numpy.pi * held(5e-5) ** 2, 0.02),
    (WET, r"a millimetre, in drops of ([\d.]+) mm3", lambda: 1e9 * 4 / 3 * numpy.pi * held(5e-5) ** 3, 0.01),
    (WET, r"hundred hairs together hold drops (ten) times as large", lambda: (held(5e-5, 100) / held(5e-5)) ** 3, 0.001),
    (WET, r"A hair of 0.04 mm radius in water lets ([\d.]+) mm3 fall", lambda: tate(4e-5), 0.005),
    (WET, r"one of 0.08 mm ([\d.]+) mm3", lambda: tate(8e-5), 0.005),
    (WET, r"\| 0.5 mm \| ([\d.]+) mm", lambda: column(5e-4, 0), 0.02),
    (WET, r"\| 0.25 mm \| ([\d.]+) mm", lambda: column(2.5e-4, 0), 0.02),
    (WET, r"\| 0.15 mm \| ([\d.]+) mm", lambda: column(1.5e-4, 0), 0.02),
    (WET, r"\| 0.25 mm \| [\d.]+ mm \| ([\d.]+) mm", lambda: column(2.5e-4, 60), 0.02),
    (WET, r"\| 0.15 mm \| [\d.]+ mm \| ([\d.]+) mm", lambda: column(1.5e-4, 60), 0.02),
    (WET, r"Each hair holds ([\d.]+) mm3 in its column", lambda: tate(5e-5), 0.03),
    (WET, r"in its column \(([\d.]+) mm3 at 60 degrees\)", lambda: 0.5 * tate(5e-5), 0.05),
    (LIST, r"stays vertical within ([\d.]+) mm", aside, BELOW),
    (LIST, r"the drop, (\d+) times the hair's mass", drop_over_hair, 0.03),
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
    (LIST, r"a bead at its lowest point \(([\d.]+) mm thick", lambda: bead(72), 0.1),
    (LIST, r"mm thick, from ([\d.]+) mm\)", lambda: bead(1), 0.01),
    (LIST, r"the front reaches the tip after ([\d.]+) s", front, 0.05),
    (LIST, r"in the stream, and [\d.]+ mm3 at the end; with `--set wet.capture=0` (none)",
     lambda: max(film(cook("wet/capture.json", "wet.capture=0"))), 0),
    (LIST, r"after 2 s all 16 have (\d+) to \d+ micrometres", lambda: heights(48).min(), 0.1),
    (LIST, r"after 2 s all 16 have \d+ to (\d+) micrometres", lambda: heights(48).max(), 0.1),
    (LIST, r"`--set wet.transverse=0` the four have (\d+) micrometres", lambda: heights(48, "wet.transverse=0")[:4].mean(), 0.1),
    (LIST, r"the tips are ([\d.]+) mm apart while", lambda: gap(9), 0.1),
    (LIST, r"groups: (\w+) single hairs", lambda: bundles().count(1), 0),
    (LIST, r"single hairs, (\w+) bundles of three", lambda: bundles().count(3), 0),
    (LIST, r"bundles of three and (\w+) of four", lambda: bundles().count(4), 0),
    (LIST, r"([\d.]+) l are on the hair as it leaves the water", lambda: 1e-3 * ml(large("hair_flip.json")), 0.05),
    (LIST, r"leaves the water \(frame (\d+)\)", lambda: most_at(large("hair_flip.json")), 0.08),
    (LIST, r"\(frame \d+\), ([\d.]+) l at the end; within", lambda: 1e-3 * ml(large("hair_flip.json"), -1), 0.05),
    (LIST, r"2,000 strands form (\d+) groups", flip_groups, 0.1),
    (LIST, r"groups, at the end (\d+);", lambda: large("hair_flip.json")[-1]["counts"]["clumps"], 0.1),
    (LIST, r"the bundle holds ([\d.]+) ml as the twist begins", lambda: ml(large("wet/wringing.json"), 28), 0.05),
    (LIST, r"as the twist begins and ([\d.]+) ml after it", lambda: ml(large("wet/wringing.json"), 66), 0.1),
    (LIST, r"200 strands become (one) group", lambda: groups(large("wet/wringing.json")), 0),
    (LIST, r"\(from 200 groups to (\d+)\)", lambda: groups(large("wet/whip_wall.json")), 0.2),
    (LIST, r"the fur holds (\d+) ml when the shaking", lambda: ml(large("wet/shaking_dog.json"), 30), 0.05),
    (LIST, r"at 4 Hz begins, (\d+) ml after a second", lambda: ml(large("wet/shaking_dog.json"), 54), 0.1),
    (LIST, r"after a second of it and (\d+) ml at the end", lambda: ml(large("wet/shaking_dog.json"), -1), 0.1),
    (LIST, r"the brush holds ([\d.]+) l at most", lambda: 1e-3 * ml(large("wet/roller.json")), 0.05),
    (LIST, r"as it begins to turn \(frame (\d+)\)", lambda: most_at(large("wet/roller.json")), 0.1),
    (LIST, r"\(frame \d+\), and ([\d.]+) l at the end", lambda: 1e-3 * ml(large("wet/roller.json"), -1), 0.1),
    (LIQUID, r"a column of ([\d,]+) particles falls", particles, 0.05),
    (LIQUID, r"Half the value gives (eight) times the particles", lambda: particles("water.particlesep=0.00625") / particles(), 0.05),
    (LIQUID, r"a source pours (four) litres a second", poured, 0.01),
    (LIQUID, r"occupied volume changes by less than (one) per cent", most_change, BELOW),
    (LIQUID, r"after half a second to ([\d.]+)%", spin_error, BELOW),
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
    (LIQUID, r"the particles and about (sixteen) times the time",
     lambda: sum(cpu("dam.json", "water.particlesep=0.00625", frames=24)) / sum(cpu("dam.json", frames=24))),
    (LIQUID, r"It about (doubles) the time", lambda: sum(cpu("dam.json", "solve.viscosity=1")) / sum(cpu("dam.json"))),
    (WET, r"36 frames take about (\d+) s of CPU", lambda: sum(cpu("dip.json", solver="wet"))),
    (STRANDS, r"two of its five frames are still \((\d+) s each\)", lambda: min(cpu("shoulder.json", "pick.step=1", frames=6))),
    (STRANDS, r"2,000 x 32 points \| ([\d.]+) \|", lambda: numpy.mean(cpu("turn_and_stop.json"))),
    (STRANDS, r"2,000 x 32 points \| [\d.]+ \| ([\d.]+) \|", lambda: max(cpu("turn_and_stop.json"))),
    (STRANDS, r"\| 500 x 32 \| ([\d.]+) \|", lambda: numpy.mean(cpu("turn_and_stop.json", *FEW, frames=24))),
    (STRANDS, r"8,000 x 14 \| ([\d.]+) \|", lambda: numpy.mean(cpu("fur_ball.json"))),
    (STRANDS, r"1,000 x 32 for 20,000 \| ([\d.]+) \|", lambda: numpy.mean(cpu("shoulder.json"))),
    (STRANDS, r"\| 20,000 x 32 \| ([\d.]+) \|", lambda: numpy.mean(cpu("shoulder.json", "pick.step=1", frames=6))),
    (STRANDS, r"2,000 x 32 points \|.*?\| 4 to \d+ \| (\d+)%", lambda: share("strands", "turn_and_stop.json")),
    (STRANDS, r"2,000 x 32 points \|.*?\| 4 to \d+ \| \d+% \| (\d+)%", lambda: share("contacts", "turn_and_stop.json")),
    (STRANDS, r"\| 500 x 32 \|.*?\| 4 to \d+ \| (\d+)%", lambda: share("strands", "turn_and_stop.json", *FEW, frames=24)),
    (STRANDS, r"\| 500 x 32 \|.*?\| 4 to \d+ \| \d+% \| (\d+)%", lambda: share("contacts", "turn_and_stop.json", *FEW, frames=24)),
    (STRANDS, r"8,000 x 14 \|.*?\| 4 to \d+ \| (\d+)%", lambda: share("strands", "fur_ball.json")),
    (STRANDS, r"8,000 x 14 \|.*?\| 4 to \d+ \| \d+% \| (\d+)%", lambda: share("contacts", "fur_ball.json")),
    (STRANDS, r"1,000 x 32 for 20,000 \|.*?\| 4 to \d+ \| (\d+)%", lambda: share("strands", "shoulder.json")),
    (STRANDS, r"1,000 x 32 for 20,000 \|.*?\| 4 to \d+ \| \d+% \| (\d+)%", lambda: share("contacts", "shoulder.json")),
    (STRANDS, r"\| 20,000 x 32 \|.*?\| 4 to \d+ \| (\d+)%", lambda: share("strands", "shoulder.json", "pick.step=1", frames=6)),
    (STRANDS, r"\| 20,000 x 32 \|.*?\| 4 to \d+ \| \d+% \| (\d+)%", lambda: share("contacts", "shoulder.json", "pick.step=1", frames=6)),
    (STRANDS, r"Iterations\*\* 1 is the linearised step, for blocking: softer and less exact, and a (third) faster",
     lambda: 1 - sum(cpu("strands.md", "solve.niter=1")) / sum(cpu("strands.md"))),
]


def main():
    words = sys.argv[1:]
    for page, pattern, measure, tolerance in ROWS:
        value = pages.said(page, pattern) if not words or any(word in page + pattern for word in words) else None
        if value is None:
            continue
        measured = float(measure())
        if tolerance == BELOW:
            scenes.holds(f"  it says less than {value:g}, measured {measured:.4g}", measured < value)
        else:
            scenes.near("  it says", value, measured, tolerance, "measured")
    for page, pattern, measure in TIMES:
        value = pages.said(page, pattern) if not words or any(word in page + pattern for word in words) else None
        if value is not None:
            print(f"          it says {value:g}, measured {float(measure()):.3g}, not compared", flush=True)
    scenes.end()


main()
