"""cook --preview FACTOR divides strands, particles and substeps by one factor and says what it did; what it made is drawn
with the same factor only."""
import json
import os
import subprocess
import sys
import tempfile

RIVULET = os.environ["RIVULET"]
SCENE = {"rivulet": 1, "fps": 24, "frames": [1, 2], "nodes": {
    "hair": {"type": "groom", "parms": {"count": 400, "length": 0.05, "points": 6, "size": 0.05}},
    "pick": {"type": "guides", "inputs": ["hair"], "parms": {"step": 5}},
    "pool": {"type": "fill", "parms": {"size": [0.04, 0.04, 0.04], "t": [0, -0.08, 0], "particlesep": 0.004}},
    "wet": {"type": "wetsolver", "inputs": ["pick", "pool"], "parms": {"substeps": 8, "maxsubsteps": 8}},
    "out": {"type": "filecache", "inputs": ["wet"], "parms": {"file": "$OUT/wet.$F4.bgeo.sc"}},
    "bare": {"type": "groom", "parms": {"count": 80, "length": 0.05, "points": 6, "size": 0.05}},
    "sim": {"type": "strandsolver", "inputs": ["bare"], "parms": {"substeps": {"keys": [[1, 8], [2, 8]]}}},
    "outbare": {"type": "filecache", "inputs": ["sim"], "parms": {"file": "$OUT/bare.$F4.bgeo.sc"}}}}


def call(folder, *words, code=0):
    done = subprocess.run([RIVULET, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.stderr)
    return done.stderr


def report(folder, out):
    with open(os.path.join(folder, out, "report.jsonl"), encoding="utf-8") as stream:
        return [json.loads(line) for line in stream][-1]


def count(folder, path):
    told = subprocess.run([RIVULET, "info", path, "--json"], cwd=folder, capture_output=True, text=True, check=True).stdout
    return json.loads(told)["curves"]


def main():
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "scene.json"), "w", encoding="utf-8") as stream:
        json.dump(SCENE, stream)
    cook = ("cook", "scene.json", "--threads", "1")
    call(folder, *cook, "--out", "full", "--report", "full/report.jsonl")
    said = call(folder, *cook, "--out", "fast", "--report", "fast/report.jsonl", "--preview", "8")
    for text in ("note: pick: preview: step is 40 instead of 5", "note: pool: preview: particlesep is 0.008 instead of 0.004",
                 "note: wet: preview: substeps is 1 instead of 8", "note: bare: preview: count is 10 instead of 80",
                 "note: sim: preview: hairsperguide is 8 instead of 1", "note: sim: preview: substeps is keyed and stays"):
        assert said.count(text) == 1, (text, said)
    # hairs that guides stand for, and what has nothing to do with speed, stay as they are
    assert "note: hair" not in said and said.count("preview:") == 6, said
    full, fast = report(folder, "full"), report(folder, "fast")
    assert full["counts"]["particles"] == 8 * fast["counts"]["particles"], (full["counts"], fast["counts"])
    assert count(folder, "full/wet.0002.bgeo.sc") == 80 and count(folder, "fast/wet.0002.bgeo.sc") == 10
    assert count(folder, "full/bare.0002.bgeo.sc") == 80 and count(folder, "fast/bare.0002.bgeo.sc") == 10
    # the same liquid and the same hair
    assert abs(full["ledger"]["total"] / fast["ledger"]["total"] - 1) < 1e-6

    draw = ("flipbook", "scene.json", "--cached", "--out", "fast", "--size", "16x16", "--quality", "draft", "-o", "x.png")
    said = call(folder, *draw, code=1)
    assert "other values" in said, said
    call(folder, *draw, "--preview", "8")
    for wrong in ("0.5", "fast", "1e9"):
        assert "--preview takes a factor" in call(folder, *cook, "--out", "x", "--preview", wrong, code=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
