"""Out of memory or disk is never a wrong answer: the n-th allocation, write, fsync, rename and thread of a tiny scene of
each solver fails, and the run is judged:

  exit 0     the report (hashes, counts, ledger, warnings) and all files are those of the undisturbed run
  otherwise  one clear error on standard error; exit code 2 and the word "memory" where an allocation failed; every final
             file is whole; after a failed write, fsync or rename, --resume completes the run with the files of the
             undisturbed one
  never      a signal

A crash inside a library of others is counted by its library and allowed only where docs/reliability.md lists it (KNOWN).

The kind `drought` fails the n-th allocation and all after it. The calls of a run are many, the places in the program
that make them few: a place is a stack, and the sweep tries the first call of each.

  test_fault_sweep.py                       a sample of the places of each kind
  test_fault_sweep.py --places              every place
  test_fault_sweep.py --full                every n
  test_fault_sweep.py --only SCENE KIND [N...]  one scene and kind; prints what was seen
  with --record the figures are printed and nothing fails

tests/support/fail_nth.c makes the calls fail."""
import collections
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

RIVULET = os.environ.get("RIVULET") or sys.exit("RIVULET is not set: run this by ctest")
INJECTOR = os.environ.get("RV_FAIL_NTH")
if not INJECTOR:
    print("RV_FAIL_NTH, the path of the library fail_nth, is not set: there is none in builds with a sanitizer")
    sys.exit(77)
KINDS = ("alloc", "drought", "write", "fsync", "rename", "thread")
SAMPLES = {"alloc": 24, "drought": 6, "write": 8, "fsync": 4, "rename": 4, "thread": 6}  # of each scene in ./test
FRAMES = 2
WORKERS = {"thread": 4}  # allocations are counted in order, which one worker keeps
# Libraries of others in which a failed allocation or thread may end the process, by kind: docs/reliability.md.
KNOWN = {}

HAIR = {
    "ball": {"type": "sphere", "parms": {"radius": 0.01, "rows": 6, "cols": 8}},
    "grow": {"type": "groom", "inputs": ["ball"], "parms": {"count": 6, "length": 0.02, "points": 6}},
    "paint": {"type": "attribute", "inputs": ["grow"], "parms": {"name": "filmheight", "value": [5e-5, 0, 0, 0]}},
    "body": {"type": "collider", "inputs": ["ball"], "parms": {"voxelsize": 0.004}},
}
POOL = {"pool": {"type": "fill", "parms": {"size": [0.02, 0.01, 0.02], "t": [0, 0.02, 0], "particlesep": 0.004}}}


def cache(source, name):
    return {"type": "filecache", "inputs": [source], "parms": {"file": f"$OUT/{name}"}}


def scenes(where):
    """The tiny scenes by name; `where` has the files that they read."""
    files = {"solid": {"type": "file", "parms": {"file": f"{where}/solid.vdb"}},
             "flow": {"type": "file", "parms": {"file": f"{where}/flow.$F4.bgeo.sc"}}}
    nodes = {
        "strandsolver": {**HAIR, "sim": {"type": "strandsolver", "inputs": ["grow", "body"], "parms": {"substeps": 1}},
                         "out": cache("sim", "hair.$F4.usda"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "liquidsolver": {**HAIR, **POOL,
                         "spout": {"type": "sphere", "parms": {"radius": 0.008, "t": [0, 0.04, 0], "rows": 4, "cols": 6}},
                         "jet": {"type": "source", "inputs": ["spout"], "parms": {"rate": 1e-5, "vel": [0, -1, 0]}},
                         "sim": {"type": "liquidsolver", "inputs": ["pool", "body", "jet"],
                                 "parms": {"substeps": 1, "viscosity": 0.01, "surfacetension": 0.07}},
                         "skin": {"type": "surface", "inputs": ["sim"], "parms": {"voxelsize": 0.002}},
                         "out": cache("sim", "drops.$F4.bgeo.sc"), "level": cache("skin", "skin.$F4.vdb")},
        "filmsolver": {**HAIR, **POOL, "sim": {"type": "filmsolver", "inputs": ["paint", "pool", "body"],
                                               "parms": {"substeps": 1}},
                       "out": cache("sim", "hair.$F4.bgeo"), "drops": cache("sim:2", "drops.$F4.vdb")},
        "wetsolver": {**HAIR, **POOL, "sim": {"type": "wetsolver", "inputs": ["paint", "pool", "body"],
                                              "parms": {"substeps": 1}},
                      "skin": {"type": "surface", "inputs": ["sim:3"], "parms": {"voxelsize": 0.002}},
                      "out": cache("sim", "hair.$F4.bgeo.sc"), "level": cache("skin", "skin.$F4.vdb"),
                      "look": cache("sim:2", "drops.$F4.usda")},
        "cached": {**HAIR, **files, "hard": {"type": "collider", "inputs": ["solid"]},
                   "sim": {"type": "wetsolver", "inputs": ["paint", "flow", "hard"],
                           "parms": {"substeps": 1, "liquidmode": "cached"}},
                   "out": cache("sim", "hair.$F4.vtp"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
    }
    return {name: {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": graph} for name, graph in nodes.items()}


def prepare(where):
    """Writes the scenes and the files that they read."""
    first = {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": {
        **HAIR, **POOL, "sim": {"type": "liquidsolver", "inputs": ["pool"], "parms": {"substeps": 1}},
        "flow": cache("sim", "flow.$F4.bgeo.sc"), "solid": cache("body", "solid.vdb")}}
    for name, scene in [("first", first), *scenes(where).items()]:
        with open(os.path.join(where, name + ".json"), "w", encoding="utf-8") as stream:
            json.dump(scene, stream)
    subprocess.run([RIVULET, "cook", os.path.join(where, "first.json"), "--out", where, "--quiet"], check=True,
                   stderr=subprocess.DEVNULL)
    return list(scenes(where))


class Runs:
    """Runs of one scene with a number of workers, by a server that forks them."""

    def __init__(self, where, scene, workers):
        self.folder = tempfile.mkdtemp(prefix=scene + "_", dir=where)
        self.run = os.path.join(self.folder, "run")
        self.words = ["cook", os.path.join(where, scene + ".json"), "--out", "out", "--report", "report.jsonl", "--quiet",
                      "--threads", str(workers)]
        self.server = subprocess.Popen([RIVULET, *self.words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                       env={**os.environ, "LD_PRELOAD": INJECTOR})
        self.clean = self.once("none", 0)
        again = self.once("none", 0)
        if self.clean["code"] or self.clean["report"] != again["report"] or self.clean["files"] != again["files"]:
            sys.exit(f"FAILED: {scene}: the undisturbed run ends with {self.clean['code']}: {self.clean['stderr']}")
        self.counts = dict(re.findall(r"count (\w+) (\d+)", self.clean["fault"]))

    def once(self, kind, n):
        """What a run left."""
        shutil.rmtree(self.run, ignore_errors=True)
        os.mkdir(self.run)
        self.server.stdin.write(f"{kind} {n} {self.run}\n")
        self.server.stdin.flush()
        status = int(self.server.stdout.readline())
        return self.seen(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
                         os.WEXITSTATUS(status) if os.WIFEXITED(status) else None)

    def resume(self):
        """Completes the last run, undisturbed."""
        done = subprocess.run([RIVULET, *self.words, "--resume"], cwd=self.run, stderr=subprocess.PIPE, text=True)
        return self.seen(0, done.returncode)

    def seen(self, stopped, code):
        def text(name):
            path = os.path.join(self.run, name)
            if not os.path.exists(path):
                return ""
            with open(path, encoding="utf-8", errors="replace") as stream:
                return stream.read()

        files, temporaries = {}, []
        for root, _, names in os.walk(os.path.join(self.run, "out")):
            for name in names:
                path = os.path.join(root, name)
                if name == ".lock":  # it names the process
                    continue
                if name.startswith(".") and name.endswith(".tmp"):
                    temporaries.append(name)
                    continue
                with open(path, "rb") as stream:
                    files[os.path.relpath(path, self.run)] = stream.read()
        report = [{key: line[key] for key in line if key not in ("seconds", "cpu_seconds", "stages")}
                  for line in map(json.loads, text("report.jsonl").splitlines())] if code == 0 else []
        return {"signal": stopped, "code": code, "stderr": text("stderr"), "fault": text("fault.txt"), "files": files,
                "temporaries": temporaries, "report": report, "stacks": text("stacks.txt")}

    def places(self, kind):
        """Numbers of the first call of each stack."""
        kind = "alloc" if kind == "drought" else kind
        first = {}
        for line in self.once("stacks", 0)["stacks"].splitlines():
            name, n, stack = line.split()
            if name == kind:
                first.setdefault(stack, int(n))
        return sorted(first.values())

    def end(self):
        self.server.stdin.close()
        self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def library(fault, title):
    """Of the stack under a title: the innermost library that is not of the system; `rivulet` is our program."""
    _, _, stack = fault.partition(title + "\n")
    modules = [os.path.basename(line.split("(")[0]) for line in stack.splitlines() if "[0x" in line]
    system = ("libfail_nth", "fail_nth", "libc.so", "libstdc++", "libgcc_s", "ld-linux", "libm.so")
    return next((m.split(".so")[0] for m in modules if not m.startswith(system)), "unknown")


def functions(fault, title, most=6):
    """Innermost functions of our program on the stack under a title, for the reader of a failure."""
    _, _, stack = fault.partition(title + "\n")
    names = []
    for symbol, offset in re.findall(r"rivulet\((\w*)\+(0x[0-9a-f]+)\)", stack):
        if not symbol:
            done = subprocess.run(["addr2line", "-f", "-e", RIVULET, offset], capture_output=True, text=True)
            symbol = done.stdout.split("\n")[0]
        names.append(symbol)
    return " < ".join(names[:most])


def judge(runs, kind, n):
    """(verdict, text): ok, error, crash <library>, or a fault: silent, half file, unclear."""
    seen = runs.once(kind, n)
    verdict, text = verdict_of(runs, kind, seen)
    if not allowed(kind, verdict):
        text += f"; failed in {library(seen['fault'], 'failed')}: {functions(seen['fault'], 'failed')}"
    if verdict.startswith("crash"):
        text += f"; crashed in {functions(seen['fault'], 'crash')}"
    return verdict, text


def verdict_of(runs, kind, seen):
    if seen["signal"]:
        name = signal.Signals(seen["signal"]).name
        return f"crash {library(seen['fault'], 'crash')}", name
    for name, data in seen["files"].items():
        if name.endswith("progress.rvck") and seen["code"]:
            continue  # it says how far the run came; --resume judges it
        if name.endswith("outputs.rvck") and seen["code"] and runs.clean["files"][name].startswith(data.rpartition(b"\n")[0]):
            continue  # the journal grows by lines, each with its checksum
        if runs.clean["files"].get(name) != data:
            return ("silent" if seen["code"] == 0 else "half file"), f"{name} differs"
    if seen["code"] == 0:
        if seen["report"] != runs.clean["report"] or seen["files"].keys() != runs.clean["files"].keys():
            return "silent", "report or files differ"
        return "same", ""
    message = seen["stderr"].strip()
    if not message.startswith("rivulet: ") and "\nrivulet: " not in message:
        return "unclear", f"exit {seen['code']} with '{message}'"
    if kind in ("alloc", "drought", "thread") and (seen["code"] != 2 or "memory" not in message):
        return "unclear", f"exit {seen['code']} with '{message}'"
    if kind in ("write", "fsync", "rename"):
        if seen["code"] != 1 or not re.search("cannot|could not", message):
            return "unclear", f"exit {seen['code']} with '{message}'"
        after = runs.resume()
        if after["code"] or after["files"] != runs.clean["files"]:
            return "resume", f"after '{message}': exit {after['code']}, files differ: " + " ".join(
                n for n in runs.clean["files"] if runs.clean["files"][n] != after["files"].get(n))
    return "error", message


def sweep(where, scene, kind, choice):
    """(calls, places, [(n, verdict, text)]) of a scene and kind. choice: "full", "places", "sample", or a list of n."""
    runs = Runs(where, scene, WORKERS.get(kind, 1))
    try:
        total = int(runs.counts["alloc" if kind == "drought" else kind])
        places = runs.places(kind)
        chosen = choice
        if choice == "full":
            chosen = range(1, total + 1)
        elif choice == "places":
            chosen = places
        elif choice == "sample":
            few = min(SAMPLES[kind], len(places))
            chosen = [places[(2 * k + 1) * len(places) // (2 * few)] for k in range(few)]
        return total, len(places), [(n, *judge(runs, kind, n)) for n in chosen]
    finally:
        runs.end()


def allowed(kind, verdict):
    return verdict in ("same", "error") or verdict.startswith("crash ") and verdict[len("crash "):] in KNOWN.get(kind, ())


def main():
    words = sys.argv[1:]
    record = "--record" in words
    choice = "full" if "--full" in words else "places" if "--places" in words else "sample"
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    where = tempfile.mkdtemp(prefix="rivulet_faults_", dir=base)
    try:
        names = prepare(where)
        jobs = [(scene, kind) for scene in names for kind in KINDS]
        if "--only" in words:
            scene, kind, *n = [word for word in words[words.index("--only") + 1:] if not word.startswith("--")]
            jobs = [(scene, kind)]
            choice = [int(x) for x in n] or choice
        bad = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = pool.map(lambda job: sweep(where, *job, choice), jobs)
            for (scene, kind), (total, places, rows) in zip(jobs, done):
                tally = collections.Counter(verdict for _, verdict, _ in rows)
                print(f"{scene} {kind}: {total} calls from {places} places, {len(rows)} tried: " +
                      ", ".join(f"{count} {verdict}" for verdict, count in sorted(tally.items())), flush=True)
                wrong = [row for row in rows if not allowed(kind, row[1])]
                bad += len(wrong)
                for n, verdict, text in wrong if record else rows if isinstance(choice, list) else wrong[:10]:
                    print(f"  n {n}: {verdict}: {text}", flush=True)
        return 1 if bad and not record else 0
    finally:
        shutil.rmtree(where, ignore_errors=True)


sys.exit(main())
