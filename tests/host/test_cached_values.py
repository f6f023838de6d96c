"""flipbook --cached draws what the scene says: a value that reached the simulation and differs is an error that names it,
a change of the look is applied, and nothing is simulated."""
import json
import os
import subprocess
import sys
import tempfile

RIVULET = os.environ["RIVULET"]
SCENE = {"rivulet": 1, "fps": 24, "frames": [1, 3], "nodes": {
    "hair": {"type": "groom", "parms": {"count": 20, "length": 0.1, "points": 5, "radius": 0.002}},
    "sim": {"type": "strandsolver", "inputs": ["hair"]},
    "guides": {"type": "filecache", "inputs": ["sim"], "parms": {"file": "$OUT/guides.$F4.bgeo.sc"}},
    "look": {"type": "attribute", "inputs": ["sim"], "parms": {"name": "Cd", "size": 3, "value": [1, 0, 0, 0]}},
    "out": {"type": "filecache", "inputs": ["look"], "parms": {"file": "$OUT/hair.$F4.bgeo.sc"}},
    "shown": {"type": "attribute", "inputs": ["out"], "parms": {"name": "width", "value": [0.004, 0, 0, 0]}},
    "view": {"type": "camera", "parms": {"t": [0.2, 0.1, 0.5]}}}}
DRAW = ("flipbook", "scene.json", "--cached", "--out", "o", "--node", "shown", "--size", "48x48", "--quality", "draft", "--frames", "3")


def call(folder, *words):
    done = subprocess.run([RIVULET, *words], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def draw(folder, *words, code=0):
    """(picture, standard error)"""
    path = os.path.join(folder, "x.png")
    if os.path.exists(path):
        os.remove(path)
    got, said = call(folder, *DRAW, *words, "-o", "x.png")
    assert got == code, (words, got, said)
    if code:
        assert not os.path.exists(path), "a picture of a refused call"
        return None, said
    with open(path, "rb") as stream:
        return stream.read(), said


def main():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "scene.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(SCENE, stream)
    code, said = call(folder, "cook", "scene.json", "--out", "o", "--quiet")
    assert code == 0, said

    plain, said = draw(folder)
    assert "other values" not in said and "anew" not in said, said
    # what reached the simulation stops, and the message says which value and what to do
    _, said = draw(folder, "--set", "sim.gravity=0 -1 0", code=1)
    for word in ("'sim'", "'gravity'", "[0, -1, 0]", "--anyway", "Cook again"):
        assert word in said, (word, said)
    _, said = draw(folder, "--set", "hair.length=0.2", code=1)
    assert "'hair'" in said and "'length'" in said, said
    # or draws the old files, with a warning
    stale, said = draw(folder, "--set", "sim.gravity=0 -1 0", "--anyway")
    assert stale == plain and "warning" in said and "'gravity'" in said, said
    # the look behind the cache and the camera are applied
    for value in ("shown.value=0.02 0 0 0", "view.fov=20"):
        changed, said = draw(folder, "--set", value)
        assert changed != plain and "other values" not in said, (value, said)
    # so is a look before the cache, from the cache of the solver's output: nothing is simulated
    blue, said = draw(folder, "--set", "look.value=0 0 1 0")
    assert blue != plain and "anew" in said and "'look'" in said, said
    for name in os.listdir(os.path.join(folder, "o")):
        if name.startswith("hair."):
            os.remove(os.path.join(folder, "o", name))
    again, said = draw(folder, "--set", "look.value=0 0 1 0")
    assert again == blue, said
    # with the solver's cache gone there is nothing to draw from: an error, and no simulation
    for name in os.listdir(os.path.join(folder, "o")):
        if name.startswith("guides."):
            os.remove(os.path.join(folder, "o", name))
    _, said = draw(folder, "--set", "look.value=0 0 1 0", code=1)
    assert "guides" in said and "cook that frame first" in said, said

    # without a record it says that it does not know
    code, said = call(folder, "cook", "scene.json", "--out", "o", "--quiet")
    assert code == 0, said
    os.remove(os.path.join(folder, "o", "checkpoints", "progress.rvck"))
    _, said = draw(folder)
    assert "no run in this folder recorded" in said, said
    code, said = call(folder, "flipbook", "scene.json", "--anyway", "-o", "x.png")
    assert code == 1 and "--cached" in said, said
    return 0


if __name__ == "__main__":
    sys.exit(main())
