"""Every recipe of docs/cookbook.md cooks over docs/scenes/cookbook.json and has the effect that its comment states.

A comment `cookbook: WHAT HOW, ...` stands before each fragment. WHAT is compared with the scene without the recipe in the last
frame: film, bulk (m3), strands, sources, evaporated of the report; hairs are the strands of the file; spread is the mean distance of a
tip from the nearest other; locks are the effective clumps of the tips, in the mean over GROOMS, as one groom may fall together or not by
chance; tips sideways asks for a mean move of the tips along x by a tenth of the length. HOW is more or less, by a
hundredth at least."""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy

TOP, RIVULET = os.environ["RV_SOURCE_DIR"], os.environ["RIVULET"]
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
import houdini_oracle  # noqa: E402

LENGTH = 0.05  # m, of the tuft
SEEN = 0.01  # share by which a figure must change
GROOMS = tuple(range(8))  # seeds of the tufts that locks are counted in; one scatters by a third to a half of the mean


def recipes():
    """[(title, statement, fragment)]"""
    with open(os.path.join(TOP, "docs", "cookbook.md"), encoding="utf-8") as stream:
        page = stream.read()
    found = re.findall(r"^## (.*?)$(.*?)(?=^## |\Z)", page, re.M | re.S)
    rows = []
    for title, text in found:
        match = re.search(r"<!-- cookbook: (.*?) -->\n```json\n(.*?)```", text, re.S)
        assert match, "the recipe '%s' has no fragment that can be cooked" % title
        rows.append((title, match.group(1), json.loads("{" + match.group(2) + "}")))
    links = re.findall(r"\]\(#([a-z-]+)\)", page)
    titles = [title.lower().replace(" ", "-") for title, _, _ in rows]
    assert sorted(links) == sorted(titles), "the table of contents names %s" % sorted(set(links) ^ set(titles))
    return rows


def merged(base, fragment):
    """The scene with a recipe in it: parameters one by one, all else whole."""
    scene = copy.deepcopy(base)
    for name, node in fragment.items():
        if not isinstance(node, dict):
            scene[name] = node
            continue
        known = scene["nodes"].setdefault(name, {})
        for key, value in node.items():
            known[key] = dict(known.get("parms", {}), **value) if key == "parms" else value
    return scene


def locks(hair, tips):
    """1 / sum of squares of the clumps' shares of the tips: n for n clumps of one size."""
    share = numpy.unique(numpy.array(hair["attributes"][("point", "clumpid")][5])[tips, 0], return_counts=True)[1] / tips.sum()
    return float(1 / (share ** 2).sum())


def mean_locks(scene):
    """The locks of a scene in the mean over several grooms."""
    total = 0.0
    for seed in GROOMS:
        other = copy.deepcopy(scene)
        other["nodes"]["tuft"]["parms"]["seed"] = seed
        with tempfile.TemporaryDirectory() as folder:
            total += figures(other, folder)[0]["locks"]
    return total / len(GROOMS)


def figures(scene, folder):
    """What the last frame holds."""
    path, out, report = (os.path.join(folder, name) for name in ("scene.json", "out", "report.jsonl"))
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene, stream)
    done = subprocess.run([RIVULET, "cook", path, "--out", out, "--report", report, "--quiet"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with open(report, encoding="utf-8") as stream:
        last = json.loads(stream.readlines()[-1])
    hair = houdini_oracle.read(os.path.join(out, "hair.%04d.bgeo.sc" % scene["frames"][1]))
    places, u = (numpy.array(hair["attributes"][("point", name)][5]) for name in ("P", "curveu"))
    ledger, tips = last["ledger"], places[u[:, 0] == 1]
    apart = numpy.sqrt(((tips[:, None] - tips[None]) ** 2).sum(2)) + numpy.eye(len(tips))
    return {"film": ledger["film"], "bulk": ledger["bulk"], "sources": ledger["sources"], "evaporated": ledger["sinks"]["evaporated"],
            "strands": last["counts"]["strands"], "hairs": len(hair["prims"]),
            "locks": locks(hair, u[:, 0] == 1), "spread": float(apart.min(1).mean()), "tips": float(tips[:, 0].mean())}, done.stderr


def judge(statement, base, now):
    """What of a statement does not hold."""
    wrong = []
    for what, how in [part.split(" ") for part in statement.split(", ") if part != "cooks"]:
        if how == "sideways":
            true = now["tips"] - base["tips"] > 0.1 * LENGTH
        else:
            true = now[what] > (1 + SEEN) * base[what] if how == "more" else now[what] < (1 - SEEN) * base[what]
        if not true:
            wrong.append("%s %s: %g, without the recipe %g" % (what, how, now[what], base[what]))
    return wrong


def main():
    with open(os.path.join(TOP, "docs", "scenes", "cookbook.json"), encoding="utf-8") as stream:
        scene = json.load(stream)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        base, _ = figures(scene, folder)
    for title, statement, fragment in recipes():
        with tempfile.TemporaryDirectory() as folder:
            now, said = figures(merged(scene, fragment), folder)
        if "locks" in statement:
            base["locks"], now["locks"] = mean_locks(scene), mean_locks(merged(scene, fragment))
        wrong = judge(statement, base, now) + (["warns: " + said.strip()] if said.strip() else [])
        print("%s %s: %s" % ("FAILED" if wrong else "ok    ", title, "; ".join(wrong) or statement), flush=True)
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
