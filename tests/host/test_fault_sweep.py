"""Out of memory or disk is never a wrong answer: the n-th allocation, write, fsync, rename and thread fails while a tiny
scene of each solver is cooked, drawn by flipbook and wedge, and described by info. The run is judged:

  exit 0     the report (hashes, counts, ledger, warnings), all files and the standard output are those of the undisturbed
             run
  otherwise  one clear error on standard error; exit code 2 and the word "memory" where an allocation failed; every final
             file is whole; after a failed write, fsync or rename, --resume (of the others: the command again) completes
             the run with the files of the undisturbed one
  never      a signal

An error that the handler of last resort makes of a crash inside a library of others (src/cli/last_resort.c) is counted by
that library, apart from the errors that the program returned. A crash that no handler caught is allowed only where
docs/reliability.md lists it (KNOWN).

The kind `drought` fails the n-th allocation and all after it. The calls of a run are many, the places in the program
that make them few: a place is a stack, and the sweep tries the first call of each.

  test_fault_sweep.py                       a sample of the places of each kind
  test_fault_sweep.py --places              every place
  test_fault_sweep.py --full                every n
  test_fault_sweep.py --only CASE KIND [N...]  one case and kind; prints what was seen
  with --record the figures are printed and nothing fails; with --sites the places of others that end in the last resort

tests/support/fail_nth.c makes the calls fail."""
import collections
import concurrent.futures
import functools
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
FEW_SAMPLES = {"alloc": 12, "drought": 6, "write": 3, "fsync": 2, "rename": 1, "thread": 2}  # of each other command
LAST_RESORT = re.compile("the library (.+?) cannot go on")
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
POOL = {"pool": {"type": "fill", "parms": {"size": [0.012, 0.008, 0.012], "t": [0, 0.016, 0], "particlesep": 0.004}}}
JET = {"spout": {"type": "sphere", "parms": {"radius": 0.008, "t": [0, 0.04, 0], "rows": 4, "cols": 6}},
       "jet": {"type": "source", "inputs": ["spout"], "parms": {"rate": 1e-5, "vel": [0, -1, 0]}}}
TURN = {"turn": {"type": "transform", "inputs": ["ball"],
                 "parms": {"ry": {"keys": [[1, 0], [FRAMES, 20]], "interp": "linear"}}},
        "follow": {"type": "deform", "inputs": ["paint", "ball", "turn"]}}


def cache(source, name):
    return {"type": "filecache", "inputs": [source], "parms": {"file": f"$OUT/{name}"}}


def scenes(where):
    """The tiny scenes by name; `where` has the files that they read. One solver a scene, and its smallest: a surface costs
    more than the rest of a cook, so that it has a scene of its own."""
    files = {"solid": {"type": "file", "parms": {"file": f"{where}/solid.vdb"}},
             "flow": {"type": "file", "parms": {"file": f"{where}/flow.$F4.bgeo.sc"}},
             "wet": {"type": "file", "parms": {"file": f"{where}/wet.bgeo.sc"}}}
    nodes = {
        "strandsolver": {**HAIR, "sim": {"type": "strandsolver", "inputs": ["grow", "body"], "parms": {"substeps": 1}},
                         "out": cache("sim", "hair.$F4.usda"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "liquidsolver": {**HAIR, **POOL, **JET,
                         "sim": {"type": "liquidsolver", "inputs": ["pool", "body", "jet"],
                                 "parms": {"substeps": 1, "viscosity": 0.01, "surfacetension": 0.07}},
                         "out": cache("sim", "drops.$F4.bgeo.sc")},
        "yield": {**POOL, "sim": {"type": "liquidsolver", "inputs": ["pool"],
                                  "parms": {"substeps": 1, "viscosity": 1, "yieldstress": 20, "shearmodulus": 500,
                                            "wallsmin": [-0.006, 0.012, -0.006], "wallsmax": [0.006, 0.1, 0.006]}},
                  "out": cache("sim", "drops.$F4.bgeo"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "filmsolver": {**HAIR, **POOL, "sim": {"type": "filmsolver", "inputs": ["paint", "pool", "body"],
                                               "parms": {"substeps": 1}},
                       "out": cache("sim", "hair.$F4.bgeo"), "drops": cache("sim:2", "drops.$F4.vdb")},
        "wetsolver": {**HAIR, **POOL, "sim": {"type": "wetsolver", "inputs": ["paint", "pool", "body"],
                                              "parms": {"substeps": 1}},
                      "out": cache("sim", "hair.$F4.bgeo.sc"), "look": cache("sim:2", "drops.$F4.usda")},
        "cached": {**HAIR, **files, "hard": {"type": "collider", "inputs": ["solid"]},
                   "sim": {"type": "wetsolver", "inputs": ["paint", "flow", "hard"],
                           "parms": {"substeps": 1, "liquidmode": "cached"}},
                   "out": cache("sim", "hair.$F4.vtp"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "lookdevsolver": {**HAIR, **POOL, **TURN,
                          "sim": {"type": "lookdevsolver", "inputs": ["follow", "pool", "body"], "parms": {"substeps": 1}},
                          "out": cache("sim", "hair.$F4.bgeo.sc"), "drops": cache("sim:2", "drops.$F4.bgeo"),
                          "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "continuumsolver": {**HAIR, **TURN,
                            "sim": {"type": "continuumsolver", "inputs": ["follow", "body"],
                                    "parms": {"substeps": 1, "turbulence": 1, "wind": [2, 0, 0], "volumepower": 2}},
                            "out": cache("sim", "hair.$F4.bgeo.sc"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "interfacesolver": {**HAIR, **POOL, **JET,
                            "oil": {"type": "attribute", "inputs": ["pool"],
                                    "parms": {"name": "phase", "type": "int", "value": [1, 0, 0, 0]}},
                            "gas": {"type": "attribute", "inputs": ["beside"],
                                    "parms": {"name": "bubbleid", "type": "int", "value": [1, 0, 0, 0]}},
                            "beside": {"type": "transform", "inputs": ["pool"], "parms": {"t": [0.012, 0, 0]}},
                            "above": {"type": "transform", "inputs": ["pool"], "parms": {"t": [0, 0.008, 0]}},
                            "all": {"type": "merge", "inputs": ["oil", "gas", "above"]},
                            "sim": {"type": "interfacesolver", "inputs": ["all", "body", "jet"],
                                    "parms": {"timescale": 0.05, "layers": 2, "popbubble": 1}},
                            "out": cache("sim", "drops.$F4.bgeo.sc"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "bodies": {**HAIR, **POOL,
                   "beside": {"type": "transform", "inputs": ["pool"], "parms": {"t": [0.012, 0, 0]}},
                   "block": {"type": "attribute", "inputs": ["beside"],
                             "parms": {"name": "bodyid", "type": "int", "value": [1, 0, 0, 0]}},
                   "all": {"type": "merge", "inputs": ["pool", "block"]},
                   "breath": {"type": "source", "parms": {"shape": "disc", "size": [0.01, 0.001, 0.01], "t": [0, 0.04, 0],
                                                          "vel": [0, 0.4, 0], "rate": 1e-4, "bubble": 2, "bubblefilm": 0.2}},
                   "sim": {"type": "interfacesolver", "inputs": ["all", "body", "breath"],
                           "parms": {"timescale": 0.05, "solver": "pcisph", "pairupdates": True}},
                   "out": cache("sim", "drops.$F4.bgeo.sc"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "drag": {**HAIR,
                 "bath": {"type": "fill", "parms": {"size": [0.03, 0.02, 0.03], "t": [0, 0.016, 0], "particlesep": 0.006}},
                 "sim": {"type": "wetsolver", "inputs": ["grow", "bath"],
                         "parms": {"substeps": 1, "viscosity": 1, "flowindex": 0.6, "yieldstress": 20, "shearmodulus": 500}},
                 "out": cache("sim", "hair.$F4.bgeo.sc"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "air": {**HAIR, **TURN,
                "sim": {"type": "continuumsolver", "inputs": ["follow", "body"],
                        "parms": {"substeps": 1, "wind": [2, 0, 0], "air": "solved", "airreach": 1, "interaction": "particles",
                                  "continuity": True, "turbulence": 1}},
                "out": cache("sim", "hair.$F4.bgeo.sc"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "materials": {**HAIR, **POOL,
                      "cream": {"type": "attribute", "inputs": ["pool"],
                                "parms": {"name": "material", "type": "string", "string": "cream"}},
                      "beside": {"type": "transform", "inputs": ["pool"], "parms": {"t": [0.014, -0.012, 0]}},
                      "all": {"type": "merge", "inputs": ["cream", "beside"]},
                      "sim": {"type": "liquidsolver", "inputs": ["all", "body"],
                              "parms": {"substeps": 1, "viscosity": 0.1, "droptension": 0.07}},
                      "out": cache("sim", "drops.$F4.bgeo.sc"), "state": cache("sim:state", "state.$F4.bgeo.sc")},
        "surface": {**files, "skin": {"type": "surface", "inputs": ["wet"], "parms": {"voxelsize": 0.004}},
                    "out": cache("skin", "skin.vdb")},
    }
    return {name: {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": graph} for name, graph in nodes.items()}


PICTURE = {name: {"type": "file", "parms": {"file": f"$HIP/{name}.$F4.bgeo.sc"}} for name in ("hair", "flow")}
PICTURE["solid"] = {"type": "file", "parms": {"file": "$HIP/solid.vdb"}}
PICTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "picture")
DOMES = {"ball": HAIR["ball"],
         **{ending: {"type": "light", "parms": {"lighttype": "dome", "dome": "image", "envmap": f"$HIP/sky.{ending}"}}
            for ending in ("exr", "hdr", "png")},
         "all": {"type": "merge", "inputs": ["ball", "exr", "hdr", "png"]}}
BALL = {"ball": HAIR["ball"], "grow": HAIR["grow"], "out": cache("grow", "hair.$F4.bgeo.sc")}
BLOSC_LINE = "Error allocating memory!"


class Case:
    """A command line whose calls fail. `first` is a folder that it finds as `out`; `again` completes a run that failed. One that
    takes milliseconds is tried at all of its places always (`quick`). One that starts programs is run anew for each failure
    (`starts`): a copy of it would share them."""

    def __init__(self, words, again=None, first=None, quick=False, starts=False):
        self.words, self.again, self.first, self.quick, self.starts = words, again or words, first, quick, starts


def cases(where):
    """The commands by name."""
    one = ["--threads", "1"]
    cooked = {}
    for name in scenes(where):
        words = ["cook", f"{where}/{name}.json", "--out", "out", "--report", "report.jsonl", "--quiet"]
        cooked[name] = Case([*words, *one], [*words, *one, "--resume"])
    small = ["--size", "24x14"]
    files = [f"{where}/{name}" for name in ("hair.0001.bgeo.sc", "solid.vdb", "cached.json", "checkpoints/sim.0001.rvck")]
    return {**cooked,
            "info": Case(["info", *files]), "info_json": Case(["info", "--json", *files]),
            "convert": Case(["convert", f"{where}/hair.$F4.bgeo.sc", "out/hair.$F4.vtp", "--frames", "1-2"]),
            "convert_usda": Case(["convert", f"{where}/hair.$F4.bgeo.sc", "out/hair.usda", "--frames", "1-2"]),
            "convert_curves": Case(["convert", f"{where}/curves.usda", "out/curves.bgeo"]),
            "convert_stage": Case(["convert", f"{where}/solid.vdb", "out/solid.usda"]),
            "plot": Case(["plot", f"{where}/report.jsonl", "-o", "out/plot.svg"], quick=True),
            "flipbook": Case(["flipbook", f"{where}/picture.json", "--quality", "draft", "--quiet", "-o", "out/pictures", "--out",
                              "out", *small, *one]),
            "domes": Case(["flipbook", f"{where}/domes.json", "--quality", "draft", "--quiet", "-o", "out/domes.png", *small, *one]),
            "wedge": Case(["wedge", f"{where}/ball.json", "--vary", "ball.radius=0.01,0.02", "--frames", "1", "--out", "out",
                           "--quiet", "--jobs", "2", *small], starts=True),
            "wedge_task": Case(["wedge", "out", "--task", "1", *one], first=f"{where}/wedge")}


def prepare(where):
    """Writes the scenes and the files that the cases read."""
    first = {**HAIR, **POOL, "sim": {"type": "liquidsolver", "inputs": ["pool"], "parms": {"substeps": 1}},
             "flow": cache("sim", "flow.$F4.bgeo.sc"), "solid": cache("body", "solid.vdb"),
             "hair": cache("paint", "hair.$F4.bgeo.sc")}
    wet = {**HAIR, **POOL, "sim": {"type": "wetsolver", "inputs": ["paint", "pool", "body"], "parms": {"substeps": 1}},
           "wet": cache("sim:3", "wet.bgeo.sc")}
    graphs = {"first": first, "picture": PICTURE, "ball": BALL, "wet": wet, "domes": DOMES}
    for name, ending in (("piz_1", "exr"), ("runs", "hdr"), ("rgb8", "png")):
        shutil.copy(os.path.join(PICTURES, f"{name}.{ending}"), os.path.join(where, "sky." + ending))
    made = {name: {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": graph} for name, graph in graphs.items()}
    for name, scene in {**made, **scenes(where)}.items():
        with open(os.path.join(where, name + ".json"), "w", encoding="utf-8") as stream:
            json.dump(scene, stream)
    for words in (["cook", f"{where}/first.json", "--out", where, "--quiet", "--report", f"{where}/report.jsonl"],
                  ["cook", f"{where}/wet.json", "--out", where, "--quiet", "--frames", "2"],
                  ["convert", f"{where}/hair.0001.bgeo.sc", f"{where}/curves.usda"],
                  ["wedge", f"{where}/ball.json", "--vary", "ball.radius=0.01,0.02", "--frames", "1", "--size", "24x14", "--out",
                   f"{where}/wedge", "--quiet"]):
        subprocess.run([RIVULET, *words], check=True, stderr=subprocess.DEVNULL)
    for name in os.listdir(f"{where}/wedge"):
        if name != "wedge.json":
            path = os.path.join(where, "wedge", name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    return cases(where)


def report_lines(text):
    """The lines of a report without its times."""
    return [{key: line[key] for key in line if key not in ("seconds", "cpu_seconds", "stages")}
            for line in map(json.loads, text.splitlines())]


class Folder:
    """A folder whose files are put back as they were, with their inodes: a process that goes on has them open."""

    def __init__(self, path, aside):
        self.path, self.aside, self.files, self.links = path, aside, {}, 0
        os.makedirs(aside)

    def paths(self):
        """Every file by its path, with what tells whether it is another one or has changed."""
        found = {}
        for root, _, names in os.walk(self.path):
            for name in names:
                stat = os.lstat(os.path.join(root, name))
                found[os.path.join(root, name)] = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        return found

    def keep(self):
        """Remembers the files as they are."""
        known, self.files = self.files, {}
        for path, stat in self.paths().items():
            if path in known and known[path][0] == stat:
                self.files[path] = known.pop(path)
                continue
            self.links += 1
            link = os.path.join(self.aside, str(self.links))
            os.link(path, link)
            with open(link, "rb") as stream:
                self.files[path] = (stat, link, stream.read())
        for _, link, _ in known.values():
            os.unlink(link)

    def put_back(self):
        """Makes the files what keep() saw."""
        now = self.paths()
        for path in now.keys() - self.files.keys():
            os.unlink(path)
        for path, (stat, link, data) in self.files.items():
            if path in now and now[path][0] != stat[0]:
                os.unlink(path)
            if path not in now or now[path][0] != stat[0]:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                os.link(link, path)
            after = os.lstat(link)
            if (after.st_size, after.st_mtime_ns) != stat[1:]:
                with open(link, "r+b") as stream:
                    stream.write(data)
                    stream.truncate()
                after = os.lstat(link)
                self.files[path] = ((after.st_ino, after.st_size, after.st_mtime_ns), link, data)


class Runs:
    """Runs of one case with a number of workers, by a server that forks them."""

    def __init__(self, where, name, case, workers):
        self.folder = tempfile.mkdtemp(prefix=name + "_", dir=where)
        self.run = os.path.join(self.folder, "run")
        self.case = case
        words = [str(workers) if before == "--threads" else word for before, word in zip(["", *case.words], case.words)]
        # all symbols are bound before the server forks, not in each run anew
        self.server = subprocess.Popen([RIVULET, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                       env={**os.environ, "LD_PRELOAD": INJECTOR, "LD_BIND_NOW": "1"})
        self.clean = self.once("none", 0)
        again = self.once("none", 0)
        if self.clean["code"] or any(self.clean[key] != again[key] for key in ("report", "files", "stdout")):
            sys.exit(f"FAILED: {name}: the undisturbed run ends with {self.clean['code']}: {self.clean['stderr']}; files: " +
                     " ".join(f for f in again["files"] if again["files"][f] != self.clean["files"].get(f)))
        self.counts = dict(re.findall(r"count (\w+) (\d+)", self.clean["fault"]))

    def ask(self, words):
        self.server.stdin.write(words + "\n")
        self.server.stdin.flush()

    def begin(self, kind, n):
        """Asks for a run in a new folder."""
        shutil.rmtree(self.run, ignore_errors=True)
        os.mkdir(self.run)
        if self.case.first:
            shutil.copytree(self.case.first, os.path.join(self.run, "out"))
        self.ask(f"{kind} {n} {self.run}")

    def ended(self):
        """What a run left that has ended."""
        status = int(self.server.stdout.readline())
        return self.seen(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
                         os.WEXITSTATUS(status) if os.WIFEXITED(status) else None)

    def once(self, kind, n):
        """What a run left."""
        self.begin(kind, n)
        return self.ended()

    def each(self, kind, numbers):
        """(n, what the run left) for failures at these numbers, in order. Those of allocations share one run, which forks at each."""
        if kind not in ("alloc", "drought") or self.case.starts:
            yield from ((n, self.once(kind, n)) for n in numbers)
            return
        numbers = sorted(numbers)
        aside = tempfile.mkdtemp(dir=self.folder)
        if numbers:
            self.begin("walk_" + kind, numbers[0])
        folder = Folder(self.run, os.path.join(aside, "files"))
        for at, (n, following) in enumerate(zip(numbers, [*numbers[1:], 0])):
            # libraries of others make one allocation more or less now and then: the run may end before the last number
            if self.server.stdout.readline().strip() != "stop":
                yield from ((n, self.once(kind, n)) for n in numbers[at:])
                numbers = []
                break
            folder.keep()
            self.ask("1")
            yield n, self.ended()
            folder.put_back()
            self.ask(str(following))
        if numbers:
            self.server.stdout.readline()
        shutil.rmtree(aside)

    def complete(self):
        """Completes the last run, undisturbed."""
        done = subprocess.run([RIVULET, *self.case.again], cwd=self.run, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True)
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
                    data = stream.read()
                if name == "report.jsonl":  # of a wedge's variation: whole lines count
                    whole = data[:data.rfind(b"\n") + 1]
                    data = json.dumps(report_lines(whole.decode())).encode()
                files[os.path.relpath(path, self.run)] = data
        return {"signal": stopped, "code": code, "stderr": text("stderr"), "stdout": text("stdout"), "fault": text("fault.txt"),
                "files": files, "temporaries": temporaries, "stacks": text("stacks.txt"),
                "report": report_lines(text("report.jsonl")) if code == 0 else []}

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


@functools.cache
def demangled(symbol):
    """The name of a C++ function without its arguments."""
    done = subprocess.run(["c++filt", symbol], capture_output=True, text=True)
    return re.sub(r"[<(].*", "", done.stdout.strip())


def site(fault, title):
    """Of the stack under a title: library and function of the innermost frame of others that has a name."""
    _, _, stack = fault.partition(title + "\n")
    ours = ("libfail_nth", "fail_nth", "libc.so", "libstdc++", "libgcc_s", "ld-linux", "libm.so", "rivulet")
    for module, symbol in re.findall(r"^(\S+?)\((\w*)\+?0x[0-9a-f]+\)", stack, re.M):
        name = os.path.basename(module)
        if symbol and not name.startswith(ours):
            return name.split(".so")[0] + " " + demangled(symbol)
    return library(fault, title)


def judge(runs, kind, seen):
    """(verdict, text) of what a run left: same, error, last resort <library>, crash <library>, or a fault: silent, half file,
    unclear."""
    verdict, text = verdict_of(runs, kind, seen)
    if not allowed(kind, verdict):
        text += f"; failed in {library(seen['fault'], 'failed')}: {functions(seen['fault'], 'failed')}"
    if verdict.startswith("crash"):
        text += f"; crashed in {functions(seen['fault'], 'crash')}"
    if verdict.startswith("last resort"):
        text = site(seen["fault"], "failed")
    return verdict, text


def may_differ(runs, name, data):
    """Files of a failed run that say how far it came, or why it failed; completing the run judges them."""
    clean = runs.clean["files"].get(name, b"")
    if name.endswith("outputs.rvck"):  # the journal grows by lines, each with its checksum
        return clean.startswith(data.rpartition(b"\n")[0])
    if name.endswith("report.jsonl"):
        return clean.startswith(data.rstrip(b"]"))
    # a sheet shows which variations failed
    return name.endswith(("progress.rvck", "log.txt", "sheet.png"))


def verdict_of(runs, kind, seen):
    if seen["signal"]:
        name = signal.Signals(seen["signal"]).name
        return f"crash {library(seen['fault'], 'crash')}", name
    for name, data in seen["files"].items():
        if runs.clean["files"].get(name) != data and not (seen["code"] and may_differ(runs, name, data)):
            return ("silent" if seen["code"] == 0 else "half file"), f"{name} differs"
    if seen["code"] == 0:
        if seen["report"] != runs.clean["report"] or seen["files"].keys() != runs.clean["files"].keys():
            return "silent", "report or files differ"
        # blosc prints that an allocation of its own failed; the block is then written by another way, and the file is right
        printed = seen["stdout"].replace(BLOSC_LINE, "")
        return ("same", "") if printed == runs.clean["stdout"] else ("silent", "the standard output differs")
    message = seen["stderr"].strip()
    if not message.startswith("rivulet: ") and "\nrivulet: " not in message:
        return "unclear", f"exit {seen['code']} with '{message}'"
    if kind in ("alloc", "drought", "thread") and (seen["code"] != 2 or "memory" not in message):
        return "unclear", f"exit {seen['code']} with '{message}'"
    if kind in ("write", "fsync", "rename"):
        if seen["code"] != 1 or not re.search("cannot|could not", message):
            return "unclear", f"exit {seen['code']} with '{message}'"
        after = runs.complete()
        if after["code"] or after["files"] != runs.clean["files"]:
            return "resume", f"after '{message}': exit {after['code']}, files differ: " + " ".join(
                n for n in runs.clean["files"] if runs.clean["files"][n] != after["files"].get(n))
    rescued = LAST_RESORT.search(message)
    return (f"last resort {rescued.group(1)}" if rescued else "error"), message


def sweep(where, name, case, kind, choice):
    """(calls, places, [(n, verdict, text)]) of a case and kind. choice: "full", "places", "sample", or a list of n."""
    runs = Runs(where, name, case, WORKERS.get(kind, 1))
    try:
        total = int(runs.counts["alloc" if kind == "drought" else kind])
        places = runs.places(kind)
        chosen = choice
        if choice == "full":
            chosen = range(1, total + 1)
        elif choice == "places" or choice == "sample" and case.quick:
            chosen = places
        elif choice == "sample":
            few = min((SAMPLES if case.words[0] == "cook" else FEW_SAMPLES)[kind], len(places))
            chosen = [places[(2 * k + 1) * len(places) // (2 * few)] for k in range(few)]
        return total, len(places), [(n, *judge(runs, kind, seen)) for n, seen in runs.each(kind, chosen)]
    finally:
        runs.end()


def allowed(kind, verdict):
    if verdict in ("same", "error") or verdict.startswith("last resort "):
        return True
    return verdict.startswith("crash ") and verdict[len("crash "):] in KNOWN.get(kind, ())


def table_of(totals):
    """The figures by kind: what the program returned, and what the last resort made of crashes in libraries."""
    for kind, tally in totals.items():
        rescued = sum(count for verdict, count in tally.items() if verdict.startswith("last resort"))
        bad = sum(count for verdict, count in tally.items() if not allowed(kind, verdict))
        yield (f"all {kind}: {sum(tally.values())} tried: {tally['same']} without effect, {tally['error']} errors of the program, "
               f"{rescued} errors of the last resort, {bad} faults")


def main():
    words = sys.argv[1:]
    record = "--record" in words
    choice = "full" if "--full" in words else "places" if "--places" in words else "sample"
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    where = tempfile.mkdtemp(prefix="rivulet_faults_", dir=base)
    try:
        made = prepare(where)
        jobs = [(name, kind) for name in made for kind in KINDS]
        if "--only" in words:
            name, kind, *n = [word for word in words[words.index("--only") + 1:] if not word.startswith("--")]
            jobs = [(name, one) for one in (KINDS if kind == "all" else [kind])]
            choice = [int(x) for x in n] or choice
        bad, totals, sites = 0, collections.defaultdict(collections.Counter), collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = pool.map(lambda job: sweep(where, job[0], made[job[0]], job[1], choice), jobs)
            for (name, kind), (total, places, rows) in zip(jobs, done):
                tally = collections.Counter(verdict for _, verdict, _ in rows)
                totals[kind] += tally
                sites.update((verdict, text) for _, verdict, text in rows if verdict.startswith("last resort"))
                print(f"{name} {kind}: {total} calls from {places} places, {len(rows)} tried: " +
                      ", ".join(f"{count} {verdict}" for verdict, count in sorted(tally.items())), flush=True)
                wrong = [row for row in rows if not allowed(kind, row[1])]
                bad += len(wrong)
                for n, verdict, text in wrong if record else rows if isinstance(choice, list) else wrong[:10]:
                    print(f"  n {n}: {verdict}: {text}", flush=True)
        print(*table_of(totals), sep="\n")
        if "--sites" in words:
            print(*(f"{count} {verdict}: {text}" for (verdict, text), count in sites.most_common()), sep="\n")
        return 1 if bad and not record else 0
    finally:
        shutil.rmtree(where, ignore_errors=True)


sys.exit(main())
