"""Small scenes for tests of physics: they are cooked by the program that ships, through its nodes, and their files and
report are measured.

    import scenes
    run = scenes.cook(scene, sets=["wet.substeps=8"])      # a scene: a dict, or the name of one in docs/scenes
    run.rows[-1]["ledger"]["film"]                         # the report, a row a frame
    hair = run.strands(24)                                 # what the node gave in frame 24, if the scene writes it
    scenes.near("film held, mm3", hair.film_volume() * 1e9, 0.77, 0.05, "kinematic wave")
    scenes.end()                                           # says what failed, and exits
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy

import houdini_oracle

RIVULET = os.environ.get("RIVULET") or sys.exit("RIVULET is not set: the program to cook with")
SCENES = os.path.join(os.environ.get("RV_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", "..")), "docs",
                      "scenes")
_failed = []


def near(what, value, truth, tolerance, why):
    """Whether a value is the truth within a relative tolerance; prints both, and remembers a failure."""
    off = value / truth - 1 if truth else value
    return holds(f"{what}: {value:.6g}, {why} {truth:.6g} ({100 * off:+.1f}%, at most {100 * tolerance:g}%)",
                 abs(off) <= tolerance)


def equal(what, values, tolerance):
    """Whether values at several resolutions, the finest last, are the finest's within a relative tolerance."""
    finest = values[-1]
    off = max((abs(v / finest - 1) for v in values), default=0) if finest else float("inf")
    text = ", ".join(f"{v:.5g}" for v in values)
    return holds(f"{what}: {text} (within {100 * off:.1f}% of the finest, at most {100 * tolerance:g}%)", off <= tolerance)


def holds(what, truth):
    print(("ok      " if truth else "FAILED  ") + what, flush=True)
    if not truth:
        _failed.append(what)
    return bool(truth)


def end():
    sys.exit(f"FAILED: {len(_failed)} of the above" if _failed else 0)


class Points:
    """The points of a file."""

    def __init__(self, path):
        self.file = houdini_oracle.read(path)
        self.P = self.point("P").reshape(-1, 3)

    def has(self, name, owner="point"):
        return (owner, name) in self.file["attributes"]

    def point(self, name):
        return numpy.array(self.file["attributes"][("point", name)][5])

    def prim(self, name):
        return numpy.array(self.file["attributes"][("prim", name)][5])

    def detail(self, name):
        return numpy.array(self.file["attributes"][("global", name)][5])


class Strands(Points):
    """Strands of equally many points: x [strands, points, 3]. `radius`, m, where the file does not tell it."""

    def __init__(self, path, radius):
        super().__init__(path)
        roots = numpy.flatnonzero(self.point("curveu").ravel() == 0)
        self.count = len(roots)
        self.x = self.P.reshape(self.count, -1, 3)
        self.radius = float(self.prim("hairradius").mean()) if self.has("hairradius", "prim") else radius
        edges = numpy.linalg.norm(self.x[:, 1:] - self.x[:, :-1], axis=2)
        self.cell = numpy.zeros(self.x.shape[:2])  # m of strand at each point
        self.cell[:, 1:] += edges / 2
        self.cell[:, :-1] += edges / 2

    def film(self):
        """m3 of film at each point, [strands, points]."""
        height = self.point("filmheight").reshape(self.cell.shape)
        return numpy.pi * ((height + self.radius) ** 2 - self.radius ** 2) * self.cell

    def film_volume(self):
        return float(self.film().sum())

    def effective_clumps(self):
        """1 / sum of squares of the clumps' shares of the hairs, by the tips' `clumpid`: n for n clumps of one size. A
        single hair beside a lock of 249 is 1.008 clumps, as one sees one lock, where a mere count has two."""
        tips = self.point("clumpid").reshape(self.cell.shape)[:, -1]
        share = numpy.unique(tips, return_counts=True)[1] / self.count
        return float(1 / (share ** 2).sum())


class Run:
    """A cooked scene."""

    def __init__(self, folder, rows, said, radius):
        self.folder, self.rows, self.said, self.radius = folder, rows, said, radius

    def path(self, name, frame):
        return os.path.join(self.folder, "%s.%04d.bgeo" % (name, frame))

    def strands(self, frame, name="hair"):
        return Strands(self.path(name, frame), self.radius)

    def points(self, frame, name="liquid"):
        return Points(self.path(name, frame))

    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def load(scene):
    if isinstance(scene, dict):
        return json.loads(json.dumps(scene))
    with open(os.path.join(SCENES, scene), encoding="utf-8") as stream:
        return json.load(stream)


def without_caches(nodes):
    """Removes the filecache nodes; what reads one reads its input instead."""
    caches = {name: node["inputs"][0] for name, node in nodes.items() if node["type"] == "filecache"}
    for name in caches:
        del nodes[name]
    for node in nodes.values():
        if "inputs" in node:
            node["inputs"] = [caches.get(source, source) for source in node["inputs"]]


def cook(scene, sets=(), frames=None, solver="wet", fails=False, extra=()):
    """Cooks a scene; the strands and the liquid of its solver are written as hair.$F4.bgeo and liquid.$F4.bgeo, and the
    first output of each node of `extra` as NODE.$F4.bgeo."""
    scene = load(scene)
    nodes = scene["nodes"]
    without_caches(nodes)
    if frames:
        scene["frames"] = [1, frames]
    kind = nodes[solver]["type"]
    if kind != "liquidsolver":
        nodes["test_hair"] = {"type": "filecache", "inputs": [solver], "parms": {"file": "$OUT/hair.$F4.bgeo"}}
    if kind != "strandsolver":
        nodes["test_liquid"] = {"type": "filecache", "inputs": [solver + ":liquid"], "parms": {"file": "$OUT/liquid.$F4.bgeo"}}
    for name in extra:
        nodes["test_" + name] = {"type": "filecache", "inputs": [name], "parms": {"file": f"$OUT/{name}.$F4.bgeo"}}
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="rivulet_scene_", dir=base)
    path, report = os.path.join(folder, "scene.json"), os.path.join(folder, "report.jsonl")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene, stream)
    command = [RIVULET, "cook", path, "--out", folder, "--quiet", "--report", report]
    for text in sets:
        command += ["--set", text]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode and not fails:
        sys.exit(f"FAILED: {' '.join(command)}: {done.stderr}")
    with open(report, encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return Run(folder, rows, done.stderr, nodes[solver].get("parms", {}).get("hairradius", 5e-5))
