"""Seconds a step of the wet scenes at the paper's sizes, of hair that is wet and in contact.

  fullsize.py RIVULET FOLDER [NAME...]   cooks docs/scenes/wet/full/NAME.json, or all of the large ones

The strands start with a film of PAINT on all of their length, which is more than they carry: the first frame lets the
rest drip off, and at least STEPS steps after it are counted. A line a scene: what there was, CPU and wall seconds a
step, the most memory, and the drift of the ledger, which must be below 1e-12.
"""
import json
import os
import shutil
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LARGE = ["fur_mat_2", "fur_mat_3", "fur_mat_4", "fur_mat_5", "whip_wall", "whip_ball", "wringing", "hair_flip", "roller",
         "shaking_dog"]
PAINT = 1.5e-4  # m
STEPS = 20


def wetted(name):
    """The scene with painted strands."""
    with open(os.path.join(TOP, "docs", "scenes", "wet", "full", name + ".json"), encoding="utf-8") as stream:
        scene = json.load(stream)
    wet = scene["nodes"]["wet"]
    scene["nodes"]["paint"] = {"type": "attribute", "inputs": [wet["inputs"][0]],
                               "parms": {"name": "filmheight", "value": [PAINT, 0, 0, 0]}}
    wet["inputs"][0] = "paint"
    return scene


def run(rivulet, path, out, frames):
    """Cooks one process, and returns its most memory in MB."""
    child = subprocess.Popen([rivulet, "cook", path, "--node", "wet", "--out", out, "--quiet", "--resume", "--frames", frames,
                              "--report", os.path.join(out, frames + ".jsonl")])
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit("%s: cook failed" % path)
    return usage.ru_maxrss / 1024


def measure(rivulet, name, folder):
    out = os.path.join(folder, name)
    # a report that is there already would be added to
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    path = os.path.join(out, "scene.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(wetted(name), stream)
    memory = run(rivulet, path, out, "1-2")
    rows, frame = [], 3
    while sum(row["substeps"] for row in rows) < STEPS:
        frames = "%d-%d" % (frame, frame)
        memory = max(memory, run(rivulet, path, out, frames))
        with open(os.path.join(out, frames + ".jsonl"), encoding="utf-8") as stream:
            rows += [row for row in map(json.loads, stream) if row["frame"] == frame]
        frame += 1
    steps, last = sum(row["substeps"] for row in rows), rows[-1]
    counts, ledger = last["counts"], last["ledger"]
    drift = max(abs(row["ledger"]["drift"]) for row in rows)
    print("%-12s %6d strands, %7d points, %7d particles; film %5.1f mm3 a strand, %7d contacts, %7d bridges; "
          "%3d steps: CPU %.2f s, wall %.2f s a step; %.0f MB; drift %.1e" % (
              name, counts["strands"], counts["vertices"], counts["particles"], 1e9 * ledger["film"] / counts["strands"],
              counts["contacts"], counts["bridges"], steps, sum(row["cpu_seconds"] for row in rows) / steps,
              sum(row["seconds"] for row in rows) / steps, memory, drift), flush=True)
    return drift < 1e-12 and ledger["film"] > 0 and counts["contacts"] > 0


def main():
    rivulet, folder = sys.argv[1], sys.argv[2]
    good = [measure(rivulet, name, folder) for name in sys.argv[3:] or LARGE]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
