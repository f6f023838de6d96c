"""Viewport guides of wetsolver and filmsolver: with the toggle on, strands have Cd by wetness and pscale by filmradius, read back by a
reader that shares no code with the writer; everything else, and the state, is the same to the bit as without it."""
import json
import os
import subprocess
import sys
import tempfile

TOP, RIVULET = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."), os.environ["RIVULET"]
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
import houdini_oracle  # noqa: E402

DRY, WET = (0.55, 0.42, 0.3), (0.02, 0.2, 0.8)  # linear colours of wetness 0 and 1
ROUNDING = 1e-6  # of colours in 32 bits: some 1e-7
FRAMES = 3


def cook(type, folder, guides):
    """Attributes of output 1 by frame, and the hashes of the state."""
    with open(os.path.join(TOP, "docs", "scenes", "nodes", type + ".json"), encoding="utf-8") as stream:
        scene = json.load(stream)
    nodes = {name: node for name, node in scene["nodes"].items() if node["type"] != "filecache"}
    for node in nodes.values():
        if node["type"] == "groom":
            node["parms"]["count"] = min(node["parms"]["count"], 12)
        if node["type"] == "fill":
            node["parms"]["particlesep"] *= 2
    # the input has a colour of its own, which gives way
    nodes["dyed"] = {"type": "attribute", "inputs": [nodes[type]["inputs"][0]], "parms": {"name": "Cd", "size": 3, "value": [1, 0, 0, 0]}}
    nodes[type]["inputs"][0] = "dyed"
    nodes[type].setdefault("parms", {})["guides"] = guides
    nodes["out"] = {"type": "filecache", "inputs": [type], "parms": {"file": "$OUT/out.$F.geo"}}
    path, out, report = (os.path.join(folder, "%s_%d%s" % (type, guides, end)) for end in (".json", "", ".jsonl"))
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(dict(scene, nodes=nodes, frames=[1, FRAMES]), stream)
    subprocess.run([RIVULET, "cook", path, "--out", out, "--quiet", "--threads", "1", "--report", report], check=True)
    with open(report, encoding="utf-8") as stream:
        hashes = [json.loads(line)["hash"] for line in stream]
    return [houdini_oracle.read(os.path.join(out, "out.%d.geo" % frame))["attributes"] for frame in range(1, FRAMES + 1)], hashes


def main():
    wettest = 0
    with tempfile.TemporaryDirectory(prefix="rivulet_guides_") as folder:
        for type in ("filmsolver", "wetsolver"):
            plain, hashes = cook(type, folder, False)
            shown, same = cook(type, folder, True)
            assert hashes == same, "guides change the state"
            for frame, (a, b) in enumerate(zip(plain, shown), 1):
                added = set(b) - set(a)
                assert added == {("point", "pscale")}, added
                changed = {key for key in a if a[key] != b[key]}
                assert changed == {("point", "Cd")}, changed
                assert all(row == [1, 0, 0] for row in map(list, a[("point", "Cd")][5])), "without guides the input's colour passes"
                colours, radii = b[("point", "Cd")][5], [row[0] for row in b[("point", "pscale")][5]]
                wet = [row[0] for row in b[("point", "wetness")][5]] if ("point", "wetness") in b else [0] * len(colours)
                if ("point", "filmradius") in b:
                    assert radii == [row[0] for row in b[("point", "filmradius")][5]], "pscale is the radius of strand and film"
                else:  # the start frame, before there is a film: all strands of the groom have one radius
                    assert frame == 1 and set(radii) == {row[0] for row in b[("prim", "hairradius")][5]}, set(radii)
                assert min(radii) > 1e-6
                for w, colour in zip(wet, colours):
                    assert all(abs(c - (d + w * (e - d))) < ROUNDING for c, d, e in zip(colour, DRY, WET)), (frame, w, colour)
                wettest = max([wettest] + wet)
    assert wettest > 0.1, wettest
    print("guides follow wetness up to %.2f; all else is the same" % wettest)


if __name__ == "__main__":
    main()
