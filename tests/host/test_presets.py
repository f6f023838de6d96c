"""Presets of nodes: every one cooks with the node's example, no two give the same result, fibres have the numbers of the
material presets (src/node/presets.def), and thicker liquids have larger viscosities."""
import json
import os
import re
import subprocess
import sys
import tempfile

TOP, RIVULET = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."), os.environ["RIVULET"]
FIBRES = {"human": "human", "coily": "humancoily", "fur": "fur", "wool": "wool"}  # preset of a solver: preset of the node material


def fibres():
    """The fibres of presets.def: density, youngs, shear, damping, hairradius."""
    with open(os.path.join(TOP, "src", "node", "presets.def"), encoding="utf-8") as stream:
        rows = re.findall(r'^RV_HAIR\((\w+), ".*?", (.*)\)$', stream.read(), re.M)
    keys = ("density", "youngs", "shear", "damping", "hairradius")
    return {name: dict(zip(keys, map(float, numbers.split(", ")))) for name, numbers in rows}


def cook(type, presets, ports, folder):
    """The files of each preset, cooked side by side: {preset: bytes of all its files}."""
    with open(os.path.join(TOP, "docs", "scenes", "nodes", type + ".json"), encoding="utf-8") as stream:
        scene = json.load(stream)
    nodes = {name: node for name, node in scene["nodes"].items() if node["type"] not in ("filecache", type)}
    solver = next(node for node in scene["nodes"].values() if node["type"] == type)
    for node in nodes.values():
        if node["type"] == "groom":
            node["parms"]["count"] = min(node["parms"]["count"], 12)
        if node["type"] == "fill":
            node["parms"]["particlesep"] *= 2
    for preset in presets:
        # what the example itself sets gives way to the preset
        nodes["p_" + preset["token"]] = dict(solver, parms=dict(solver.get("parms", {}), **preset["values"]))
        for port in range(1, ports + 1):
            nodes["%s_%d" % (preset["token"], port)] = {"type": "filecache", "inputs": ["p_%s:%d" % (preset["token"], port)],
                                                        "parms": {"file": "$OUT/$OS.$F4.bgeo"}}
    path, out = os.path.join(folder, type + ".json"), os.path.join(folder, type)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(dict(scene, nodes=nodes, frames=[1, 3]), stream)
    done = subprocess.run([RIVULET, "cook", path, "--out", out, "--quiet", "--threads", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    found = {}
    for preset in presets:
        names = sorted(name for name in os.listdir(out) if name.startswith(preset["token"] + "_"))
        assert len(names) == 3 * ports, names
        found[preset["token"]] = [open(os.path.join(out, name), "rb").read() for name in names]
    return found


def main():
    wrong, known = [], fibres()
    listed = json.loads(subprocess.run([RIVULET, "nodes", "--json"], capture_output=True, text=True, check=True).stdout)
    with tempfile.TemporaryDirectory(prefix="rivulet_presets_") as folder:
        for row in listed:
            presets = row["presets"]
            if "solver" in row["flags"] and not presets:
                wrong.append("%s has no presets" % row["type"])
            if not presets:
                continue
            for preset in presets:
                if "solver" in row["flags"] and preset["token"] in FIBRES and preset["values"] != known[FIBRES[preset["token"]]]:
                    wrong.append("%s: the fibre %s is %s" % (row["type"], preset["token"], preset["values"]))
            values = {preset["token"]: preset["values"] for preset in presets}
            key = next((key for key in ("filmviscosity", "viscosity") if key in values.get("honey", {})), None)
            if key and not values["water"][key] < values["oil"][key] < values["honey"][key]:
                wrong.append("%s: honey is not thicker than oil and water" % row["type"])
            cooked = cook(row["type"], presets, min(2, len(row["outputs"])), folder)
            tokens = sorted(cooked)
            wrong += ["%s: the presets %s and %s give the same" % (row["type"], a, b) for i, a in enumerate(tokens) for b in tokens[:i]
                      if cooked[a] == cooked[b]]
            print("%-13s %s" % (row["type"], " ".join(tokens)), flush=True)
    print("\n".join(wrong) or "all presets cook and differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
