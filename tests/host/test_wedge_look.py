"""wedge --cached varies the look of one simulation; a folder that holds a wedge is resumed by its key or refused."""
import json
import os
import subprocess
import sys
import tempfile

RIVULET = os.environ["RIVULET"]
SCENE = {"rivulet": 1, "fps": 24, "frames": [1, 3], "nodes": {
    "hair": {"type": "groom", "parms": {"count": 20, "length": 0.1, "points": 5, "radius": 0.002}},
    "sim": {"type": "strandsolver", "inputs": ["hair"]},
    "out": {"type": "filecache", "inputs": ["sim"], "parms": {"file": "$OUT/hair.$F4.bgeo.sc"}},
    "look": {"type": "attribute", "inputs": ["out"], "parms": {"name": "Cd", "size": 3, "value": [1, 0, 0, 0]}},
    "view": {"type": "camera", "parms": {"t": [0.2, 0.1, 0.5]}}}}
SMALL = ("--size", "48x27")


def run(folder, *words, code=0):
    done = subprocess.run([RIVULET, "wedge", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stderr


def pictures(folder, out, count):
    found = []
    for k in range(count):
        with open(os.path.join(folder, out, "w%04d" % k, "still.png"), "rb") as stream:
            found.append(stream.read())
    return found


def main():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "scene.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(SCENE, stream)
    look = ("scene.json", "--cached", "--vary", "look.value=1 0 0 0,0 1 0 0,0 0 1 0", *SMALL)

    # three looks of one simulation
    run(folder, *look, "--out", "a")
    assert len(set(pictures(folder, "a", 3))) == 3, "the look does not vary"
    assert sorted(n for n in os.listdir(os.path.join(folder, "a")) if "." not in n) == ["simulation", "w0000", "w0001", "w0002"]
    assert not any(n.endswith(".bgeo.sc") for k in range(3) for n in os.listdir(os.path.join(folder, "a", "w%04d" % k)))
    cooked = os.stat(os.path.join(folder, "a", "simulation", "hair.0003.bgeo.sc")).st_mtime_ns

    # a second wedge of other values on the same simulation
    run(folder, "scene.json", "--cached", "--vary", "view.fov=10,60", *SMALL, "--out", "b", "--simulation", "a/simulation")
    assert len(set(pictures(folder, "b", 2))) == 2
    assert os.stat(os.path.join(folder, "a", "simulation", "hair.0003.bgeo.sc")).st_mtime_ns == cooked, "it was cooked again"

    # the same wedge again: resumed, only what is missing is made
    marks = [os.path.join(folder, "a", "w%04d" % k, "still.png") for k in range(3)]
    before = [os.stat(mark).st_mtime_ns for mark in marks]
    os.remove(os.path.join(folder, "a", "w0001", "done"))
    said = run(folder, *look, "--out", "a")
    assert "only what is not done" in said and "w0001 done" in said and "w0000" not in said, said
    after = [os.stat(mark).st_mtime_ns for mark in marks]
    assert [x == y for x, y in zip(before, after)] == [True, False, True], "other pictures were made again"
    # another wedge in a used folder is refused, and so is the same one of a scene that was edited
    said = run(folder, "scene.json", "--cached", "--vary", "look.value=1 1 0 0", *SMALL, "--out", "a", code=1)
    assert "holds another wedge" in said, said
    SCENE["nodes"]["sim"]["parms"] = {"gravity": [0, -1, 0]}
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(SCENE, stream)
    said = run(folder, *look, "--out", "a", code=1)
    assert "holds another wedge" in said, said
    assert [os.stat(mark).st_mtime_ns for mark in marks] == after

    # values of the simulation are refused before anything is cooked; so is a simulation of other values
    said = run(folder, "scene.json", "--cached", "--vary", "hair.length=0.1,0.2", *SMALL, "--out", "c", code=1)
    assert "'hair' is part of the simulation" in said and not os.path.exists(os.path.join(folder, "c", "simulation")), said
    said = run(folder, "scene.json", "--cached", "--vary", "view.fov=10,60", *SMALL, "--out", "d", "--simulation", "a/simulation", code=1)
    assert "gravity" in said, said
    run(folder, "scene.json", "--vary", "view.fov=10", "--simulation", "a", "--out", "e", code=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
