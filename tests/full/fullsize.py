"""Seconds a step of the wet scenes at the paper's sizes, of hair that is wet and in contact.

  fullsize.py RIVULET FOLDER [NAME...]   cooks docs/scenes/wet/full/NAME.json, or all of the large ones

The strands start with a film on all of their length that is SHARE of what they carry by (17) where they are; the first
frame lets it settle, and at least STEPS steps after it are counted. A line a scene: what there was, what part of (17)
the film is in the end, which must be at least half, CPU and wall seconds a step, the most memory, and the drift of the
ledger, which must be below 1e-12.
"""
import json
import os
import shutil
import subprocess
import sys

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import carrying  # noqa: E402

TOP = os.path.join(HERE, "..", "..")
LARGE = ["fur_mat_2", "fur_mat_3", "fur_mat_4", "fur_mat_5", "whip_wall", "whip_ball", "wringing", "hair_flip", "roller",
         "shaking_dog"]
SHARE = 0.8
# of fur that points down the flanks the film runs off within three frames: more of it, counted at once
FLEETING = {"shaking_dog": 1.4}
LOOKED_AT = 64  # strands of which the capacity is counted
STEPS = 20


def capacity(strands):
    """m3 that the strands that are looked at carry by (17), and who they are."""
    some = numpy.linspace(0, len(strands.points) - 1, LOOKED_AT).astype(int)
    return strands.capacity(some)[0].sum(), some


def wetted(rivulet, name, folder):
    """The scene with painted strands: of the film's area, height = sqrt(area / pi + r^2) - r."""
    path = os.path.join(TOP, "docs", "scenes", "wet", "full", name + ".json")
    run(rivulet, path, folder, "1-1")
    strands = carrying.Strands(os.path.join(folder, "hair.0001.bgeo.sc"))
    room, some = capacity(strands)
    area = FLEETING.get(name, SHARE) * room / strands.length[some].sum()
    with open(path, encoding="utf-8") as stream:
        scene = json.load(stream)
    wet = scene["nodes"]["wet"]
    paint = numpy.sqrt(area / numpy.pi + strands.radius ** 2) - strands.radius
    scene["nodes"]["paint"] = {"type": "attribute", "inputs": [wet["inputs"][0]],
                               "parms": {"name": "filmheight", "value": [float(paint), 0, 0, 0]}}
    wet["inputs"][0] = "paint"
    return scene


def run(rivulet, path, out, frames):
    """Cooks one process, and returns its most memory in MB."""
    child = subprocess.Popen([rivulet, "cook", path, "--node", "out", "--out", out, "--quiet", "--resume", "--frames", frames,
                              "--report", os.path.join(out, frames + ".jsonl")])
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit("%s: cook failed" % path)
    return usage.ru_maxrss / 1024


def measure(rivulet, name, folder):
    out = os.path.join(folder, name)
    # a report that is there already would be added to
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(os.path.join(out, "dry"))
    path = os.path.join(out, "scene.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(wetted(rivulet, name, os.path.join(out, "dry")), stream)
    frame = 2 if name in FLEETING else 3
    memory, rows = run(rivulet, path, out, "1-%d" % (frame - 1)), []
    while sum(row["substeps"] for row in rows) < STEPS:
        frames = "%d-%d" % (frame, frame)
        memory = max(memory, run(rivulet, path, out, frames))
        with open(os.path.join(out, frames + ".jsonl"), encoding="utf-8") as stream:
            rows += [row for row in map(json.loads, stream) if row["frame"] == frame]
        frame += 1
    steps, last = sum(row["substeps"] for row in rows), rows[-1]
    counts, ledger = last["counts"], last["ledger"]
    drift = max(abs(row["ledger"]["drift"]) for row in rows)
    strands = carrying.Strands(os.path.join(out, "hair.%04d.bgeo.sc" % (frame - 1)))
    room, some = capacity(strands)
    share = strands.film()[some].sum() / room
    print("%-12s %6d strands, %7d points, %7d particles; film %5.1f mm3 a strand, %.2f of (17), %7d contacts, %7d bridges; "
          "%3d steps: CPU %.2f s, wall %.2f s a step; %.0f MB; drift %.1e" % (
              name, counts["strands"], counts["vertices"], counts["particles"], 1e9 * ledger["film"] / counts["strands"], share,
              counts["contacts"], counts["bridges"], steps, sum(row["cpu_seconds"] for row in rows) / steps,
              sum(row["seconds"] for row in rows) / steps, memory, drift), flush=True)
    return drift < 1e-12 and share >= 0.5 and counts["contacts"] > 0


def main():
    rivulet, folder = sys.argv[1], sys.argv[2]
    good = [measure(rivulet, name, folder) for name in sys.argv[3:] or LARGE]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
