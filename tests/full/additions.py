"""A stage, a parameter, a state field, a node and a solver are added as docs/contributing.md says, and work.

  additions.py SOURCE FOLDER    copies SOURCE into FOLDER, applies the page's code samples, builds and uses the result

A sample of the page that is to be applied stands below a comment that the reader of the page does not see:

  <!-- ADDITION: FILE new -->                            the sample is the file
  <!-- ADDITION: FILE before|after|instead of `TEXT` --> the sample goes there; TEXT occurs on one line of the file

An addition may touch two files at most. What the target docs generates is not counted. guard/test_contributing applies
the samples too, without building them.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

ADDITIONS = ("stage", "parameter", "field", "node", "solver")
MOST_FILES = 2
SAMPLE = re.compile(r"<!-- (\w+): (\S+) (new|before|after|instead of)(?: `([^`]+)`)? -->\n```c\n(.*?)```", re.S)
PAGE = os.path.join("docs", "contributing.md")
FPS = 24

# hair under a falling block of water; the state as a file of every frame
WET = {"rivulet": 1, "fps": FPS, "frames": [1, 5], "nodes": {
    "ball": {"type": "sphere", "parms": {"radius": 0.03}},
    "hair": {"type": "groom", "inputs": ["ball"], "parms": {"count": 24, "length": 0.03, "points": 8}},
    "water": {"type": "fill", "parms": {"size": [0.05, 0.02, 0.05], "t": [0, 0.06, 0], "particlesep": 0.004,
                                        "v": [0, -1, 0]}},
    "w": {"type": "wetsolver", "inputs": ["hair", "water"], "parms": {"airfriction": {"keys": [[1, 0], [2, 1]]}}},
    "state": {"type": "filecache", "inputs": ["w:3"], "parms": {"file": "$OUT/state.$F4.geo"}}}}
# a moving grid on a lattice, and points that follow it
POINTS = {"rivulet": 1, "fps": FPS, "frames": [1, 6], "nodes": {
    "grid": {"type": "grid", "parms": {"size": [0.13, 0.13], "rows": 3, "cols": 3}},
    "move": {"type": "transform", "inputs": ["grid"], "parms": {"tx": {"keys": [[1, 0], [6, 1]]}}},
    "lattice": {"type": "snap", "inputs": ["grid"], "parms": {"spacing": 0.05}},
    "f": {"type": "follow", "inputs": ["move"], "parms": {"delay": 0.05}},
    "snapped": {"type": "filecache", "inputs": ["lattice"], "parms": {"file": "$OUT/snapped.$F4.geo"}},
    "state": {"type": "filecache", "inputs": ["f:state"], "parms": {"file": "$OUT/follow.$F4.geo"}}}}


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, "%s\n%s\n%s" % (" ".join(words), done.stdout[-4000:], done.stderr[-4000:])
    return done.stdout


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


# ---------------------------------------------------------------------------------------------- the copy

def repository_files(source):
    return run("git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")


def copy(source, folder, names):
    """Files of the working tree; those that are not there are left out."""
    for name in filter(None, names):
        path = os.path.join(folder, name)
        if os.path.isfile(os.path.join(source, name)):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy2(os.path.join(source, name), path)


def contents(folder):
    """{path: digest} of every file."""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as stream:
                found[os.path.relpath(path, folder)] = hashlib.sha1(stream.read()).hexdigest()
    return found


def apply(folder, file, how, anchor, sample):
    """One sample of the page, in its place."""
    path = os.path.join(folder, file)
    if how == "new":
        assert not os.path.exists(path), "%s is there already" % file
        write(path, sample)
        return
    lines = read(path).splitlines(keepends=True)
    at = [i for i, line in enumerate(lines) if anchor in line]
    assert len(at) == 1, "docs/contributing.md: `%s` is on %d lines of %s" % (anchor, len(at), file)
    first = at[0] + (how == "after")
    last = at[0] + (how != "before")
    lines[first:last] = sample.splitlines(keepends=True)
    write(path, "".join(lines))


def samples_of(folder):
    """Addition, file, where, text there, and the sample itself."""
    return SAMPLE.findall(read(os.path.join(folder, PAGE)))


def add_all(folder):
    """Applies the samples of each addition, and counts the files that it touched."""
    samples = samples_of(folder)
    assert [name for name in ADDITIONS if name not in {s[0] for s in samples}] == [], "an addition has no sample"
    before = contents(folder)
    for name in ADDITIONS:
        for addition, file, how, anchor, sample in samples:
            if addition == name:
                apply(folder, file, how, anchor, sample)
        after = contents(folder)
        touched = sorted(path for path in after if before.get(path) != after[path])
        print("%-9s %d files: %s" % (name, len(touched), ", ".join(touched)), flush=True)
        assert 1 <= len(touched) <= MOST_FILES, "%s: %d files" % (name, len(touched))
        before = after


def build(folder):
    run("cmake", "--preset", "release", cwd=folder)
    made = os.path.join(folder, "build", "release")
    guards = ["guard_" + name[:-len(".c")] for name in os.listdir(os.path.join(folder, "tests", "guard"))
              if name.endswith(".c")]
    run("cmake", "--build", made, "--target", "rivulet", "rivulet_shared", "docs", *guards)
    return made


# ---------------------------------------------------------------------------------------------- using it

class Program:
    """The program that was built, and what it cooks."""

    def __init__(self, made, folder):
        self.rivulet, self.folder = os.path.join(made, "rivulet"), folder

    def describe(self, type):
        return json.loads(run(self.rivulet, "nodes", type, "--json"))

    def cook(self, scene, name, *words):
        """The lines of the report, by frame, and the folder of the output."""
        out = os.path.join(self.folder, name)
        os.makedirs(out, exist_ok=True)
        path, report = os.path.join(self.folder, "scene.json"), os.path.join(out, "report.jsonl")
        write(path, json.dumps(scene))
        run(self.rivulet, "cook", path, "--out", out, "--report", report, "--quiet", *words)
        return {line["frame"]: line for line in map(json.loads, read(report).splitlines())}, out

    def attributes(self, path):
        """{name: description} of the attributes of a file."""
        return {row["name"]: row for row in json.loads(run(self.rivulet, "info", "--json", path))["attributes"]}

    def resumes(self, scene, name, last):
        """A run that is interrupted after half of its frames ends with the hashes of a straight one."""
        straight, out = self.cook(scene, name)
        half = last // 2
        self.cook(scene, name + "_resumed", "--frames", "1-%d" % half)
        resumed, _ = self.cook(scene, name + "_resumed", "--resume")
        assert sorted(straight) == sorted(resumed) == list(range(1, last + 1)), (sorted(straight), sorted(resumed))
        for frame in straight:
            assert straight[frame]["hash"] == resumed[frame]["hash"], (name, frame)
        assert straight[last]["hash"] != straight[last - 1]["hash"], "nothing moves"
        return straight, out


def check_stage(program, report):
    stages = program.describe("wetsolver")["stages"]
    assert stages[stages.index("across") + 1:][:2] == ["calm", "dry"], stages
    assert "calm" in program.describe("filmsolver")["stages"]
    assert "calm" not in program.describe("strandsolver")["stages"]
    seconds = {frame: line["stages"]["calm"] for frame, line in report.items()}
    order = list(report[max(report)]["stages"])
    assert order.index("across") < order.index("calm") < order.index("dry"), order
    assert all(value >= 0 for value in seconds.values()) and max(seconds.values()) > 0, seconds
    return "in the table and the report, after across, %.2g s in the last frame" % seconds[max(seconds)]


def check_parameter(program, report, folder, environment):
    """In the command line, the scene file, Python, Blender, and everything that the target docs makes."""
    seen = []
    assert "airfriction" in run(program.rivulet, "nodes", "wetsolver")
    row = next(p for p in program.describe("wetsolver")["parms"] if p["token"] == "airfriction")
    assert (row["default"], row["min"], row["hard_min"], row["unit"]) == (0.25, 0, True, "s-1"), row
    seen.append("command line")

    changed, _ = program.cook(WET, "changed", "--set", "w.airfriction=2")
    assert changed[5]["hash"] != report[5]["hash"], "the parameter has no effect"
    scene = os.path.join(program.folder, "scene.json")
    bad = subprocess.run([program.rivulet, "cook", scene, "--set", "w.airfriction=-1", "--out", program.folder],
                         capture_output=True, text=True, check=False)
    assert bad.returncode == 1 and "airfriction" in bad.stderr, bad.stderr
    seen.append("scene")

    said = run("/usr/bin/python3", "-c", "import rivulet as rv; s = rv.Scene(); w = s.add('wetsolver', 'w', "
               "airfriction=0.5); print(w['airfriction'], rv.nodes.find('wetsolver').parm('airfriction')['label'])",
               env=environment)
    assert said.strip() == "0.5 Air Friction", said
    seen.append("Python")

    pages = {"manual": "docs/nodes/wetsolver.md", "help card": "otls/help/nodes/sop/rivulet--wetsolver-1.0.txt",
             "asset": "otls/rivulet_wetsolver.1.0.hda/rivulet_8_8Sop_1wetsolver_8_81.0/DialogScript"}
    for name, path in pages.items():
        assert "airfriction" in read(os.path.join(folder, path)), path
        seen.append(name)
    run("/usr/bin/python3", os.path.join(folder, "otls", "check.py"), env=environment)
    seen.append("checker")

    if shutil.which("blender"):
        script = os.path.join(program.folder, "look.py")
        write(script, "import sys; sys.path.insert(0, %r)\nimport bpy, rivulet_blender\nrivulet_blender.register()\n"
              "group = bpy.context.scene.rivulet.wetsolver\nassert abs(group.airfriction - 0.25) < 1e-6\n"
              "group.airfriction = -1\nassert group.airfriction == 0\nprint('airfriction is there')\n"
              % os.path.join(folder, "python_shim"))
        said = run("blender", "-b", "--factory-startup", "--python-exit-code", "1", "-P", script, env=environment)
        assert "airfriction is there" in said
        seen.append("Blender")
    return "changes the result; in " + ", ".join(seen)


def check_field(program, out, folder):
    rows = {row["name"]: row for row in program.describe("wetsolver")["fields"]}
    assert rows["rv_wetseconds"]["unit"] == "s", rows["rv_wetseconds"]
    assert "rv_wetseconds" in read(os.path.join(folder, "docs", "nodes", "wetsolver.md"))
    for frame in (1, 5):
        attribute = program.attributes(os.path.join(out, "state.%04d.geo" % frame))["rv_wetseconds"]
        value, expected = attribute["min"], (frame - 1) / FPS
        value = value[0] if isinstance(value, list) else value
        assert abs(value - expected) < 1e-12, attribute
    return "in the table and the state, %.4f s at frame 5; a resumed run has the same hashes" % value


def check_node(program, out, folder):
    import houdini_oracle
    assert "Snap" in read(os.path.join(folder, "docs", "nodes", "snap.md"))
    points = houdini_oracle.read(os.path.join(out, "snapped.0001.geo"))["attributes"][("point", "P")][5]
    places = {round(x, 6) for point in points for x in point}
    assert len(points) == 9 and places == {-0.05, 0, 0.05}, points
    return "cooks: 9 points on the lattice"


def check_solver(program, out, folder):
    import houdini_oracle
    assert "rv_path" in read(os.path.join(folder, "docs", "nodes", "follow.md"))
    attributes = houdini_oracle.read(os.path.join(out, "follow.0006.geo"))["attributes"]
    paths = [row[0] for row in attributes[("point", "rv_path")][5]]
    assert len(paths) == 9 and all(0.2 < path < 1 for path in paths), paths
    return "cooks: its points went %.2f m after their goals' 1 m; a resumed run has the same hashes" % paths[0]


def main():
    source, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    sys.path.insert(0, os.path.join(source, "tests", "support"))
    copy(source, folder, repository_files(source))
    add_all(folder)
    made = build(folder)
    environment = dict(os.environ, RIVULET_LIBRARY=os.path.join(made, "librivulet.so.0"),
                       PYTHONPATH=os.path.join(folder, "python_shim"), PYTHONDONTWRITEBYTECODE="1")
    cooked = os.path.join(made, "additions")
    os.makedirs(cooked)
    program = Program(made, cooked)
    report, out = program.resumes(WET, "wet", 5)
    _, points = program.resumes(POINTS, "points", 6)
    print("stage     " + check_stage(program, report))
    print("parameter " + check_parameter(program, report, folder, environment))
    print("field     " + check_field(program, out, folder))
    print("node      " + check_node(program, points, folder))
    print("solver    " + check_solver(program, points, folder))
    # the samples are in the copy already
    said = run("ctest", "--test-dir", made, "-L", "guard", "-E", "test_contributing", "--no-tests=error",
               "--output-on-failure")
    print("guards    " + next(line for line in said.splitlines() if "tests passed" in line))


if __name__ == "__main__":
    main()
