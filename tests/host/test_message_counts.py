"""Messages that come again are counted, not repeated: the first of a kind at once, one line with the number at the end.
The report keeps every one of every frame."""
import json
import os
import re
import subprocess
import sys
import tempfile

RIVULET = os.environ["RIVULET"]
FRAMES = 12
# Fast drops with one substep lag behind in every frame; curls that are too coarse are told in every frame with other numbers; the look of
# hair without film is noted in every frame.
SCENE = {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": {
    "drops": {"type": "fill", "parms": {"size": [0.02, 0.02, 0.02], "particlesep": 0.005, "v": [3, 0, 0]}},
    "sim": {"type": "liquidsolver", "inputs": ["drops"], "parms": {"maxsubsteps": 1}},
    "out": {"type": "filecache", "inputs": ["sim"], "parms": {"file": "$OUT/d.$F4.bgeo.sc"}},
    "hair": {"type": "groom", "parms": {"count": 5, "points": 5, "style": "curly", "length": {"keys": [[1, 0.1], [FRAMES, 5]]}}},
    "look": {"type": "wetness", "inputs": ["hair"]},
    "outhair": {"type": "filecache", "inputs": ["look"], "parms": {"file": "$OUT/h.$F4.bgeo.sc"}}}}


def run(folder, *words):
    done = subprocess.run([RIVULET, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def main():
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "scene.json"), "w", encoding="utf-8") as stream:
        json.dump(SCENE, stream)
    lines = run(folder, "cook", "scene.json", "--out", "o", "--report", "o/report.jsonl")
    with open(os.path.join(folder, "o", "report.jsonl"), encoding="utf-8") as stream:
        told = [w for line in stream for w in json.loads(line)["warnings"]]
    lagging = [line for line in lines if "maxsubsteps is too small" in line]
    assert len(told) >= FRAMES - 1, told
    # one line at once, one with the count
    assert len(lagging) == 2 and lagging[0].startswith("warning: sim:"), lagging
    count = re.match(r"  \((\d+) more up to frame %d: warning: sim: maxsubsteps" % FRAMES, lagging[1])
    assert count and int(count.group(1)) == sum("maxsubsteps" in json.dumps(w) for w in told) - 1, (lagging, told)
    curls = [line for line in lines if "points a turn of the curl" in line]
    numbers = {w if isinstance(w, str) else json.dumps(w) for w in told if "points a turn" in json.dumps(w)}
    assert len(numbers) == FRAMES and len(curls) == 2, (numbers, curls)
    # no kind has more than these two lines, whatever numbers are in it
    kinds = {}
    for line in lines:
        found = re.search(r"(warning|note): (\w+): (.*)", line)
        if found:
            kind = re.sub(r"-?[0-9][0-9.]*(e[-+]?[0-9]+)?", "#", found.group(0))[:60]
            kinds[kind] = kinds.get(kind, 0) + 1
    assert kinds and max(kinds.values()) <= 2, kinds
    assert len(lines) <= 2 * len(kinds) + 1, lines

    # pictures: a folder of files that all give the same message
    for name in os.listdir(os.path.join(folder, "o")):
        if name.startswith("h."):
            os.remove(os.path.join(folder, "o", name))
    lines = run(folder, "flipbook", "o", "--size", "16x16", "--quality", "draft", "-o", "pictures")
    assert len(lines) <= 3, lines
    return 0


if __name__ == "__main__":
    sys.exit(main())
