"""Every wet scene cooks, with fewer strands and a few frames, at both sizes' set-up: it exits with 0, says nothing that is
not expected, holds no number that is none, and loses no liquid: `rivulet info` recomputes the drift from the state that each
frame wrote. A loss of a millionth of one particle, or of the film of the wettest point, is noticed."""
import concurrent.futures
import glob
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

RIVULET = os.environ["RIVULET"]
SCENES = os.path.join(os.environ["RV_SOURCE_DIR"], "docs", "scenes")
DRIFT = 1e-12

# what makes a scene small, and the frames that are cooked; scenes of few strands are cooked as they are
FEW = {
    "hair_flip": (["hair.count=240", "pool.particlesep=0.02"], 14),
    "wringing": (["grow.count=24", "wet.particlesep=0.003"], 8),
    "whip_wall": (["grow.count=16"], 10),
    "whip_ball": (["grow.count=16"], 10),
    "shaking_dog": (["fur.count=40", "wet.particlesep=0.02"], 8),
    "roller": (["bristles.count=40", "pool.particlesep=0.04"], 6),
    "fur_mat_2": (["grow.count=30", "wet.particlesep=0.004"], 8),
    "fur_mat_3": (["grow.count=30", "wet.particlesep=0.004"], 8),
    "fur_mat_4": (["grow.count=30", "wet.particlesep=0.004"], 8),
    "fur_mat_5": (["grow.count=30", "wet.particlesep=0.004"], 8),
    "drag": (["pool.particlesep=0.003"], 6),
    "capture": ([], 5),
}
FRAMES = 5
# strands that a jet presses against a solid, or that are crowded, are told of
EXPECTED = ("so deep inside a collider", "strands are heaped", "did not converge", "hold their pose only")


def check(truth, what):
    if not truth:
        sys.exit("FAILED: " + what)


def info(path):
    run = subprocess.run([RIVULET, "info", "--json", path], capture_output=True, text=True)
    check(run.returncode == 0, f"info {path}: {run.stderr}")
    return json.loads(run.stdout)


def numbers(value):
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


def write_with_states(path, where):
    """The scene, with a cache of the solver's whole state."""
    with open(path, encoding="utf-8") as stream:
        scene = json.load(stream)
    scene["nodes"]["state"] = {"type": "filecache", "inputs": ["wet:state"],
                               "parms": {"file": "$OUT/state.$F4.bgeo.sc", "keepstate": True}}
    changed = os.path.join(where, os.path.basename(path))
    with open(changed, "w", encoding="utf-8") as stream:
        json.dump(scene, stream)
    return changed


def cook(path, where):
    name = os.path.splitext(os.path.basename(path))[0]
    assignments, frames = FEW.get(name, ([], FRAMES))
    out = os.path.join(where, name)
    report = out + ".jsonl"
    os.makedirs(out)
    words = [RIVULET, "cook", write_with_states(path, where), "--out", out, "--report", report, "--quiet", "--threads", "1",
             "--frames", f"1-{frames}"]
    for assignment in assignments:
        words += ["--set", assignment]
    run = subprocess.run(words, capture_output=True, text=True)
    check(run.returncode == 0, f"{name}: exit {run.returncode}: {run.stderr}")
    with open(report, encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    check(len(lines) == frames, f"{name}: {len(lines)} frames")
    for line in lines:
        for warning in line["warnings"]:
            check(any(text in warning for text in EXPECTED), f"{name}, frame {line['frame']}: {warning}")
    held = 0
    for frame in range(1, frames + 1):
        state = info(os.path.join(out, f"state.{frame:04d}.bgeo.sc"))
        drift = state["volumes"]["drift"]
        check(math.isfinite(drift) and abs(drift) < DRIFT, f"{name}, frame {frame}: the drift is {drift}")
        for attribute in state["attributes"]:
            bounds = list(numbers([attribute.get("min", []), attribute.get("max", [])]))
            check(all(math.isfinite(x) for x in bounds), f"{name}, frame {frame}: {attribute}")
        held = max(held, state["volumes"]["film"])
    return name, out, held, lines[-1]


# ---------------------------------------------------------------------------------------------- a loss is noticed

def find_values(geo, name):
    """The list of numbers of a point attribute in a .geo, as it stands in the file."""
    points = geo[geo.index("attributes") + 1]
    points = points[points.index("pointattributes") + 1]
    for head, body in points:
        if head[head.index("name") + 1] != name:
            continue
        values = body[body.index("values") + 1]
        return values[values.index("arrays") + 1][0] if "arrays" in values else values[values.index("tuples") + 1]
    sys.exit(f"FAILED: there is no {name}")


def lose(state, where, name, share):
    """A copy of a state in which the largest number of an attribute is smaller by a share of it: one of a hundred
    thousand points may hold less than the rounding of their sum."""
    text = os.path.join(where, "state.geo")
    run = subprocess.run([RIVULET, "convert", state, text], capture_output=True, text=True)
    check(run.returncode == 0, run.stderr)
    with open(text, encoding="utf-8") as stream:
        geo = json.load(stream)
    values = find_values(geo, name)
    first = [value[0] if isinstance(value, list) else value for value in values]
    at = first.index(max(first))
    if isinstance(values[at], list):
        values[at][0] *= 1 - share
    else:
        values[at] *= 1 - share
    with open(text, "w", encoding="utf-8") as stream:
        json.dump(geo, stream)
    return abs(info(text)["volumes"]["drift"])


def notices(out, frame, where):
    state = os.path.join(out, f"state.{frame:04d}.bgeo.sc")
    kept = lose(state, where, "rv_volume", 0)
    check(kept < DRIFT, f"a state that was only copied has a drift of {kept}")
    for name in ("rv_volume", "rv_film"):
        drift = lose(state, where, name, 1e-6)
        check(drift > DRIFT, f"a loss of 1e-6 of one {name} is not noticed: {drift}")


def main():
    paths = sorted(glob.glob(os.path.join(SCENES, "wet", "*.json"))) + [os.path.join(SCENES, "hair_flip.json")]
    full = {os.path.basename(p) for p in glob.glob(os.path.join(SCENES, "wet", "full", "*.json"))}
    check({os.path.basename(p) for p in paths} == full, f"small and full scenes differ: {full}")
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    where = tempfile.mkdtemp(prefix="rivulet_wet_", dir=base)
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            cooked = {name: (out, held, last) for name, out, held, last in pool.map(lambda p: cook(p, where), paths)}
        dry = [name for name, (_, held, _) in cooked.items() if not held > 0]
        check(set(dry) <= {"roller", "shaking_dog", "wringing", "fur_mat_2", "drag"}, f"nothing got wet: {dry}")
        out, _, last = cooked["capture"]
        notices(out, last["frame"], where)
    finally:
        shutil.rmtree(where, ignore_errors=True)


main()
