"""Units end to end: a shot in centimetres (metersperunit 0.01, every length 100 times as large) is the shot in metres.
Lengths that are not set have their default, converted; every length that comes out is in units of the scene."""
import json
import os
import re
import subprocess
import sys
import tempfile

RIVULET = os.environ["RIVULET"]
FRAMES = 4


def scene(unit):
    """The shot with `unit` scene units a metre."""
    return {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "metersperunit": 1 / unit, "nodes": {
        # radius, width, curl and all that is not named here come from the defaults
        "hair": {"type": "groom", "parms": {"count": 12, "length": 0.08 * unit, "points": 8, "size": 0.01 * unit}},
        "film": {"type": "attribute", "inputs": ["hair"], "parms": {"name": "filmheight", "value": [2e-5 * unit, 0, 0, 0]}},
        "more": {"type": "attribute", "inputs": ["film"], "parms": {"name": "wetadd", "value": [1e-4 * unit, 0, 0, 0]}},
        "pool": {"type": "fill", "parms": {"size": [0.02 * unit] * 3, "t": [0, -0.07 * unit, 0], "particlesep": 0.004 * unit}},
        "wet": {"type": "wetsolver", "inputs": ["more", "pool"], "parms": {"substeps": 2, "thickness": 0.001 * unit}},
        "out": {"type": "filecache", "inputs": ["wet"], "parms": {"file": "$OUT/hair.$F4.bgeo.sc"}},
        "drops": {"type": "filecache", "inputs": ["wet:2"], "parms": {"file": "$OUT/drops.$F4.bgeo.sc"}},
        "stage": {"type": "filecache", "inputs": ["wet"], "parms": {"file": "$OUT/hair.$F4.usda"}},
        "tint": {"type": "material", "inputs": ["hair"], "parms": {"hair": "human"}},
        "tinted": {"type": "filecache", "inputs": ["tint"], "parms": {"file": "$OUT/tint.$F4.bgeo.sc"}}}}


def cook(folder, name, unit):
    """(reports, folder of the files)"""
    path, out = os.path.join(folder, name + ".json"), os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene(unit), stream)
    done = subprocess.run([RIVULET, "cook", path, "--out", out, "--report", out + ".jsonl", "--quiet", "--threads", "1"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "centimetres" not in done.stderr and "metersperunit" not in done.stderr, done.stderr
    with open(out + ".jsonl", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream], out


def ranges(path):
    """Range of every attribute of a file."""
    info = json.loads(subprocess.run([RIVULET, "info", path, "--json"], capture_output=True, text=True, check=True).stdout)
    return {(a["owner"], a["name"]): a for a in info["attributes"] if not a["name"].startswith("rv_")}


def near(a, b, share, floor=0.0):
    return abs(a - b) <= share * max(abs(a), abs(b)) + floor


# power of length of the attributes; those that are not listed have no unit of length
LENGTHS = {"P": 1, "v": 1, "rest": 1, "width": 1, "hairradius": 1, "pscale": 1, "filmheight": 1, "filmradius": 1, "dropradius": 1,
           "filmv": 1, "wetadd": 1, "volume": 3}
# Rounding of 0.01 in float attributes grows over the steps; positions of wet hair are the most sensitive.
SHARE = 2e-3


def compare(metres, centimetres, what):
    assert metres.keys() == centimetres.keys(), (what, metres.keys() ^ centimetres.keys())
    seen = set()
    for key, a in metres.items():
        b, factor = centimetres[key], 100.0 ** LENGTHS.get(key[1], 0)
        if "min" not in a or isinstance(a["min"], str):
            continue
        lows = a["min"] if isinstance(a["min"], list) else [a["min"]]
        highs = a["max"] if isinstance(a["max"], list) else [a["max"]]
        lows2 = b["min"] if isinstance(b["min"], list) else [b["min"]]
        highs2 = b["max"] if isinstance(b["max"], list) else [b["max"]]
        if None in lows + highs:
            continue
        size = max(map(abs, lows + highs))
        for x, y in zip(lows + highs, lows2 + highs2):
            assert near(x * factor, y, SHARE, SHARE * size * factor), (what, key, x, y, factor)
        if size > 0:
            seen.add(key[1])
    return seen


def main():
    folder = tempfile.mkdtemp()
    m, metres = cook(folder, "metres", 1)
    c, centimetres = cook(folder, "centimetres", 100)
    # the report is SI in both
    for a, b in zip(m, c):
        for part in ("bulk", "film", "absorbed"):
            assert near(a["ledger"][part], b["ledger"][part], SHARE, 1e-15), (a["frame"], part, a["ledger"], b["ledger"])
        assert a["counts"]["particles"] == b["counts"]["particles"] and a["ledger"]["film"] > 0
    seen = set()
    for name in ("hair.%04d.bgeo.sc" % FRAMES, "drops.%04d.bgeo.sc" % FRAMES, "tint.0001.bgeo.sc", "hair.0001.bgeo.sc"):
        seen |= compare(ranges(os.path.join(metres, name)), ranges(os.path.join(centimetres, name)), name)
    missing = set(LENGTHS) - seen - {"dropradius"}
    assert not missing, "never compared: %s" % missing
    # USD: the stage says its unit, and widths are in it
    widths = []
    for out, unit in ((metres, 1), (centimetres, 100)):
        with open(os.path.join(out, "hair.%04d.usda" % FRAMES), encoding="utf-8") as stream:
            text = stream.read()
        said = float(re.search(r"metersPerUnit = ([0-9.e-]+)", text).group(1))
        assert near(said, 1 / unit, 1e-9), said
        found = re.search(r"widths.timeSamples = \{\s*[0-9.]+: \[([^\]]+)\]", text)
        numbers = [float(x) for x in found.group(1).split(",")]
        widths.append([x * said for x in numbers])
    assert len(widths[0]) == len(widths[1]) and all(near(a, b, SHARE) for a, b in zip(*widths)), widths
    assert 1e-5 < max(widths[0]) < 1e-3, max(widths[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
