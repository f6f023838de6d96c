"""What the host's tests share: a scene with the test solver, runs of the test host, comparison of folders."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HOST = os.environ.get("RIVULET_TESTHOST") or sys.exit("RIVULET_TESTHOST is not set: run this by ctest")

SCENE = {
    "rivulet": 1, "fps": 24, "frames": [1, 24],
    "nodes": {
        "points": {"type": "testpoints", "parms": {"count": 1500, "spacing": 0.001,
                                                   "ty": {"wave": {"amplitude": 0.2, "frequency": 2}}}},
        "wet": {"type": "testsolver", "inputs": ["points"], "parms": {"substeps": 12}},
        "late": {"type": "testsolver", "inputs": ["points", "wet"], "parms": {"startframe": 6, "seed": 3}},
        "state": {"type": "filecache", "inputs": ["wet:state"], "parms": {"file": "$OUT/state.$F4.bgeo.sc"}},
        "drops": {"type": "filecache", "inputs": ["late:liquid"], "parms": {"file": "$OUT/drops.$F4.bgeo"}},
    },
}


def folder():
    """A new folder, in memory where that is possible: these tests flush hundreds of files."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.mkdtemp(prefix="rivulet_host_", dir=base)


def write_scene(where, scene=SCENE):
    path = os.path.join(where, "scene.json")
    with open(path, "w") as f:
        json.dump(scene, f)
    return path


def command(scene, out, *options):
    return [HOST, "cook", scene, "--out", out, "--quiet", *options]


def cook(scene, out, *options):
    """(exit code, standard error)"""
    done = subprocess.run(command(scene, out, *options), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    return done.returncode, done.stderr


def must_cook(scene, out, *options):
    code, text = cook(scene, out, *options)
    check(code == 0, f"cook {options} ended with {code}: {text}")


def straight_run(where):
    """A run without interruption, with its report: (scene, folder, its files)."""
    scene = write_scene(where)
    straight = os.path.join(where, "straight")
    must_cook(scene, straight, "--report", os.path.join(straight, "report.jsonl"))
    return scene, straight, files(straight)


def check(truth, what):
    if not truth:
        sys.exit("FAILED: " + what)


def files(out):
    """Every visible file of a folder by name; temporaries begin with a dot."""
    found = {}
    for root, _, names in os.walk(out):
        for name in names:
            if not name.startswith("."):
                path = os.path.join(root, name)
                with open(path, "rb") as f:
                    found[os.path.relpath(path, out)] = f.read()
    return found


def temporaries(out):
    return [n for _, _, names in os.walk(out) for n in names if n.endswith(".tmp")]


def compare(out, expected, some=False):
    """All files equal to the expected ones; with `some`, those that are there."""
    have = files(out)
    for name, data in have.items():
        if name.startswith("report") or (some and name.endswith(("progress.rvck", "outputs.rvck"))):
            continue
        if some and name.startswith("checkpoints") and name not in expected:
            continue
        check(name in expected, f"{name} should not be there")
        check(data == expected[name], f"{name} differs ({len(data)} and {len(expected[name])} bytes)")
    if not some:
        missing = [n for n in expected if n not in have and not n.startswith("report")]
        check(not missing, f"missing: {missing}")
    return len(have)


def random(seed):
    """The same numbers in [0, 1) on every machine."""
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield (seed >> 33) / 2**31


def wait_for_frame(process, out, frame, numbers):
    """Until the run has written that frame (0: has begun), and a random part of a frame longer; so that the moment is
    spread over the run however fast the machine is. True if the run still goes."""
    path = os.path.join(out, f"state.{frame:04d}.bgeo.sc") if frame else os.path.join(out, "checkpoints")
    while not os.path.exists(path) and process.poll() is None:
        time.sleep(0.001)
    time.sleep(0.03 * next(numbers))
    return process.poll() is None


def clean(where):
    shutil.rmtree(where, ignore_errors=True)
