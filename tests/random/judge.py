"""Cooks a random scene and says what is wrong with the run.

The promises, each with its limit:
  signal     no run ends by a signal or with a report of a sanitizer
  code       exit code 0, or 1 with a message; never 2
  message    the message of an error names a node of the scene, and one of its parameters or inputs
  nan        no number of any output, report or grid is NaN or infinite
  ledger     the drift of the ledger stays below 1e-12
  speed      hair and liquid are no faster than SPEED_FACTOR times what drives them, or a warning says why
  stretch    no strand of a solver is longer than its rest length by STRETCH, or a warning says so
  bits       1 and 3 workers, each instruction set, and a killed and resumed run give the same bits
  time       CPU seconds of a run stay below CPU_SECONDS
  memory     resident memory stays below MEMORY, and what the surfaces of the scene may take by their memorylimit
"""
import glob
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

TOP = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
RIVULET = os.path.abspath(os.environ.get("RIVULET") or os.path.join(TOP, "build", "release", "rivulet"))
DATA = os.path.join(TOP, "tests", "data")

CPU_SECONDS = 20
MEMORY = 1 << 30
# a run that needs more than this much address space is stopped before it hurts the machine
ADDRESSES = 6 << 30
DRIFT = 1e-12
# A sanitizer takes about this many times as long, and its shadow needs all addresses.
SANITIZED = os.environ.get("RV_SANITIZED") == "1"
SLOWER = 12 if SANITIZED else 1
STRETCH = 0.05
SPEED_FACTOR = 20
INSTRUCTION_SETS = ("base", "avx2", "avx512")
GEOMETRY, VOLUME = "geo", "vdb"


class Wrong(Exception):
    """A broken promise: its kind, and what happened."""

    def __init__(self, kind, text):
        super().__init__("%s: %s" % (kind, text))
        self.kind, self.text = kind, text


def with_outputs(scene, table):
    """The scene with a cache of what its solvers give, and of every output that nobody reads."""
    scene = json.loads(json.dumps(scene))
    nodes = scene["nodes"]
    read = {(ref or "").split(":")[0] for node in nodes.values() for ref in node.get("inputs", [])}
    for name, node in list(nodes.items()):
        entry = table.get(node["type"])
        if entry is None or (name in read and "solver" not in entry["flags"]):
            continue
        for index, port in enumerate(entry["outputs"]):
            if port["name"] == "state":
                continue
            ending = VOLUME if port["name"] == "surface" else GEOMETRY
            nodes["check_%s_%d" % (name, index + 1)] = {
                "type": "filecache", "inputs": ["%s:%d" % (name, index + 1)],
                "parms": {"file": "$OUT/check_%s_%d.$F4.%s" % (name, index + 1, ending)}}
    return scene


class Run:
    """One cook of a scene in a folder of its own."""

    def __init__(self, where, scene, workers=1, isa="", resume=False, name="out"):
        self.where, self.out = where, os.path.join(where, name)
        self.scene = os.path.join(where, "scene.json")
        if not os.path.exists(self.scene):
            with open(self.scene, "w", encoding="utf-8") as stream:
                json.dump(scene, stream, indent=1)
            os.symlink(os.path.join(DATA, "bgeo"), os.path.join(where, "bgeo"))
        self.report = os.path.join(where, name + ".jsonl")
        self.command = [RIVULET, "cook", self.scene, "--out", self.out, "--quiet", "--threads", str(workers),
                        "--report", self.report] + (["--resume"] if resume else [])
        self.environment = {**os.environ, **({"RIVULET_ISA": isa} if isa else {})}
        self.code = self.signal = self.held = None
        self.error, self.cpu, self.memory = "", 0.0, 0

    def limits(self):
        limit = int(CPU_SECONDS * SLOWER)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))

    def start(self):
        self.errors = open(self.out + ".err", "w+", encoding="utf-8", errors="replace")
        return subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=self.errors, env=self.environment,
                                preexec_fn=self.limits)

    def finish(self, process):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        self.code = None if self.signal else os.WEXITSTATUS(status)
        self.cpu, self.memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        self.errors.seek(0)
        self.error = self.errors.read()
        self.errors.close()
        return self

    def go(self):
        return self.finish(self.start())

    def lines(self):
        """The report, one object a frame; the later line of a frame counts."""
        if not os.path.exists(self.report):
            return {}
        with open(self.report, encoding="utf-8") as stream:
            return {line["frame"]: line for line in map(json.loads, stream)}

    def files(self):
        return {os.path.basename(p): p for p in sorted(glob.glob(os.path.join(self.out, "check_*")))}

    def volumes(self):
        """What the VDB files of the finished run hold, by path: one call of the program for all of them."""
        if self.held is None:
            self.held = described([path for path in self.files().values() if path.endswith(VOLUME)])
        return self.held

    def content(self, path):
        if path.endswith(VOLUME):
            return json.dumps(self.volumes()[path], sort_keys=True)
        with open(path, "rb") as stream:
            return stream.read()


def finite(value, where):
    """Raises where a number of a JSON value is not finite. `null` stands for such a number in our reports."""
    if isinstance(value, float) and not math.isfinite(value):
        raise Wrong("nan", where)
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        finite(one, where)


def message(scene, table, text):
    """Raises unless the text of an error names a node and one of its parameters or inputs."""
    named = re.findall(r"node '([^']+)'", text)
    known = [scene["nodes"][name] for name in named if name in scene["nodes"]]
    if not known:
        raise Wrong("message", "names no node: " + text.strip())
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    for node in known:
        entry = table[node["type"]]
        tokens = {p["token"] for p in entry["parms"]}
        tokens |= {p["token"] + c for p in entry["parms"] if p["size"] > 1 for c in "xyzwrgb1234"}
        if tokens & words or re.search(r"\binputs? \d|\binput\b", text):
            return
    raise Wrong("message", "names no parameter and no input: " + text.strip())


# - what the outputs hold

class Geometry:
    """Points and curves of a .geo file."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        self.attributes, self.curves = {}, []
        try:
            raw = json.loads(text, parse_constant=lambda word: float("nan"))
        except ValueError:
            # our writer spells infinities as inf, which Python's reader does not know
            raise Wrong("nan", "%s has numbers that are not finite" % os.path.basename(path)) from None
        whole = pairs(raw)
        finite(raw, os.path.basename(path))
        for head, body in pairs(whole.get("attributes", [])).get("pointattributes", []):
            values = pairs(pairs(body).get("values", []))
            tuples = values.get("tuples") or [[v] for v in (values.get("arrays") or [[]])[0]]
            self.attributes[pairs(head)["name"]] = tuples
        self.refs = pairs(pairs(whole.get("topology", [])).get("pointref", [])).get("indices", [])
        for head, body in whole.get("primitives", []):
            self.read_curves(pairs(head).get("type"), body if isinstance(body, list) else [])

    def read_curves(self, kind, body):
        if kind != "PolygonCurve_run":
            return
        run, at = pairs(body), pairs(body).get("startvertex", 0)
        counts = run.get("nvertices_rle")
        sizes = [n for n, times in zip(counts[::2], counts[1::2]) for _ in range(times)] if counts else run.get("nvertices", [])
        for size in sizes:
            self.curves.append([self.refs[v] for v in range(at, at + size)])
            at += size

    def lengths(self):
        P = self.attributes.get("P", [])
        return [sum(math.dist(P[a], P[b]) for a, b in zip(curve, curve[1:])) for curve in self.curves]

    def speed(self):
        """The highest speed of a point; 0 where there is none."""
        return max((math.hypot(*v) for v in self.attributes.get("v", []) if len(v) == 3), default=0.0)


def pairs(flat):
    """A list of key, value, key, value as a dictionary."""
    return dict(zip(flat[::2], flat[1::2])) if isinstance(flat, list) and all(isinstance(k, str) for k in flat[::2]) else \
        flat if isinstance(flat, dict) else {}


def described(paths):
    """What VDB files hold, by path; the identifier of such a file is random, so their bytes differ."""
    done = subprocess.run([RIVULET, "info", "--json", *paths], capture_output=True, text=True) if paths else None
    if done and done.returncode:
        raise Wrong("output", "info of %s: %s" % (", ".join(map(os.path.basename, paths)), done.stderr.strip()))
    found = [json.loads(line) for line in done.stdout.splitlines()] if done else []
    for one in found:
        one.pop("file", None)
    return dict(zip(paths, found, strict=True))


def nonfinite(value):
    """Whether `info --json` found numbers that are not finite: it counts them beside the range."""
    if isinstance(value, dict):
        return bool(value.get("nonfinite")) or any(nonfinite(v) for v in value.values())
    return isinstance(value, list) and any(nonfinite(v) for v in value)


# - the promises

def check_outputs(scene, table, run):
    """No number that is not finite; speeds and stretches bounded or warned of."""
    warnings = [text for line in run.lines().values() for text in line["warnings"]]
    # the frame in which a run ends with an error has files of some nodes, and no line in the report
    warnings += [line.partition(": ")[2] for line in run.error.splitlines() if line.startswith(("warning: ", "note: "))]
    rest = {}
    for name, path in run.files().items():
        if path.endswith(VOLUME):
            if nonfinite(run.volumes()[path]):
                raise Wrong("nan", name)
            continue
        geometry = Geometry(path)
        node = name[len("check_"):].split(".")[0].rsplit("_", 1)[0]
        if "solver" not in table[scene["nodes"][node]["type"]]["flags"]:
            continue
        said = [text for text in warnings if text.startswith(node + ":")]
        lengths = geometry.lengths() if simulates(scene, table, node) else []
        first = rest.setdefault(node + name.split(".")[0], lengths)
        stretch = max((b / a for a, b in zip(first, lengths) if a > 0), default=1.0) - 1
        if stretch > STRETCH and not said and len(first) == len(lengths):
            raise Wrong("stretch", "%s: a strand is %.3g times as long as at the start, and no warning" % (name, 1 + stretch))
        bound = speed_bound(scene, node)
        if geometry.speed() * scene.get("metersperunit", 1) > bound and not said:
            raise Wrong("speed", "%s: %.3g m/s, above %.3g m/s, and no warning" % (
                name, geometry.speed() * scene.get("metersperunit", 1), bound))


def simulates(scene, table, node):
    """Whether a solver simulates its strands: those that it takes as animated are as long as the animation says, and so are
    those that are pinned to it."""
    entry = scene["nodes"][node]
    pinned = {"pintoanimation", "targetweight", "rest"}
    if any(pinned & {str(v) for v in other.get("parms", {}).values() if isinstance(v, str)} for other in scene["nodes"].values()):
        return False
    tokens = {p["token"] for p in table[entry["type"]]["parms"]}
    return "youngs" in tokens and entry["parms"].get("hairmode", "simulate") == "simulate"


def numbers(value):
    """Every number in a value of a parameter, keys and waves included."""
    if isinstance(value, bool) or isinstance(value, str):
        return
    if isinstance(value, (int, float)):
        yield abs(value)
    elif isinstance(value, dict) and "keys" in value:
        for key in value["keys"]:
            yield from numbers(key[1])
    elif isinstance(value, dict):
        yield from numbers(list(value.get("wave", {}).values()))
    else:
        for one in value:
            yield from numbers(one)


def speed_bound(scene, node):
    """m/s: what drives the media of a scene, taken together, times SPEED_FACTOR. It counts the longest length a frame (that is
    how fast a key may move something), every velocity that is set, and what gravity gives in the time of the scene."""
    metres, top, free = scene.get("metersperunit", 1), 1.0, 0.0
    seconds = (scene["frames"][1] - scene["frames"][0] + 1) / scene["fps"]
    for other in scene["nodes"].values():
        for token, value in other.get("parms", {}).items():
            largest = max(numbers(value), default=0.0)
            if token in ("vel", "v", "wind", "speed") or token.startswith("value"):
                free = max(free, largest * metres, largest)
            elif token == "gravity":
                free = max(free, largest * seconds)
            elif token in ("t", "p", "size", "length", "dist", "height", "rad", "radius", "origin", "scale", "s", "timescale"):
                top = max(top, largest * metres, largest)
    return SPEED_FACTOR * (1 + free + 9.81 * seconds + top * scene["fps"])


def check_end(run):
    """How a run ends."""
    if run.signal in (signal.SIGXCPU, signal.SIGKILL):
        raise Wrong("time", "more than %d s of CPU" % (CPU_SECONDS * SLOWER))
    if run.signal:
        raise Wrong("signal", "ended by %s: %s" % (signal.Signals(run.signal).name, run.error[-300:]))
    if "Sanitizer:" in run.error:
        raise Wrong("signal", run.error[run.error.index("Sanitizer:"):][:1000])
    if run.code not in (0, 1):
        raise Wrong("code", "exit code %d: %s" % (run.code, run.error.strip()[-600:]))


def memory_bound(scene):
    """Bytes that a scene may take: MEMORY, or what a surface of it is allowed beside what all the rest takes."""
    gigabytes = [max(numbers(node.get("parms", {}).get("memorylimit", 0)), default=0) for node in scene["nodes"].values()]
    return max(MEMORY, MEMORY / 4 + max(gigabytes, default=0) * (1 << 30))


def check_run(scene, table, run):
    """The promises that one run can break."""
    check_end(run)
    if run.memory > memory_bound(scene) and not SANITIZED:
        raise Wrong("memory", "%d MB" % (run.memory >> 20))
    if run.code == 1:
        errors = [line for line in run.error.splitlines() if line.startswith("rivulet:")]
        message(scene, table, "\n".join(errors) or run.error)
    for frame, line in run.lines().items():
        finite(line, "report of frame %g" % frame)
        if not abs(line["ledger"]["drift"]) <= DRIFT:
            raise Wrong("ledger", "frame %g: drift %g" % (frame, line["ledger"]["drift"]))
    check_outputs(scene, table, run)


def results(run):
    """What two runs must have in common: exit code, hashes by frame, and outputs."""
    return {"code": run.code, **{"frame %g" % f: line["hash"] for f, line in run.lines().items()},
            **{name: run.content(path) for name, path in run.files().items()}}


def compare(first, second, what):
    # A run that took too long has fewer files; that is no difference of bits.
    check_end(second)
    a, b = results(first), results(second)
    for key in sorted(set(a) | set(b)):
        if a.get(key) != b.get(key):
            raise Wrong("bits", "%s differ in %s" % (what, key))


def killed(where, scene, seed, kills, workers, straight):
    """A run that is killed at times spread over its length, and resumed until it is done."""
    import random
    dice = random.Random("%s/kill" % seed)
    hit = 0
    for again in range(kills + 1):
        run = Run(where, scene, workers, resume=again > 0, name="killed")
        process = run.start()
        if again < kills:
            time.sleep(dice.random() * max(0.02, straight))
            # a look that leaves the end of a run that was faster than the kill for finish()
            hit += os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
            os.kill(process.pid, signal.SIGKILL)
        run.finish(process)
    return run, hit


class Verdict:
    """What became of a scene: the kind and text of what is wrong, or None; its exit code, CPU time and kills that hit."""

    def __init__(self):
        self.kind, self.text, self.code, self.cpu, self.memory, self.kills = None, "", None, 0.0, 0, 0
        self.error = ""


def judge(scene, table, seed=0, plan=((1, ""), (3, "base")), kills=0, keep=None):
    """Cooks a scene by each (workers, instruction set) of the plan, then with kills; the verdict."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    where = tempfile.mkdtemp(prefix="rivulet_random_", dir=base)
    verdict = Verdict()
    try:
        cooked = with_outputs(scene, table)
        first = None
        for turn, (workers, isa) in enumerate(plan):
            run = Run(where, cooked, workers, isa, name="out%d" % turn).go()
            verdict.cpu, verdict.memory = max(verdict.cpu, run.cpu), max(verdict.memory, run.memory)
            if first is None:
                first, verdict.code, verdict.error = run, run.code, run.error
                check_run(cooked, table, run)
            else:
                compare(first, run, "1 worker and %d workers, %s," % (workers, isa or "best instruction set"))
        if kills and first.code == 0:
            run, verdict.kills = killed(where, cooked, seed, kills, 1, first.cpu)
            compare(first, run, "a straight run and one that was killed %d times" % verdict.kills)
    except Wrong as wrong:
        verdict.kind, verdict.text = wrong.kind, wrong.text
    finally:
        if keep:
            shutil.copytree(where, keep, dirs_exist_ok=True, symlinks=True)
        shutil.rmtree(where, ignore_errors=True)
    return verdict
