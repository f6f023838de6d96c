"""Surfaces as OpenVDB's own vdb_print sees them: names, classes, 16 bits, metadata, and points in a file of their own."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

if not shutil.which("vdb_print"):
    print("vdb_print (package libopenvdb-tools) is missing: skipped")
    sys.exit(77)

SCENE = {
    "rivulet": 1, "fps": 24, "frames": [1, 1],
    "nodes": {
        "pool": {"type": "fill", "parms": {"size": [0.1, 0.04, 0.1], "particlesep": 0.005, "v": [1, 2, 3]}},
        "hair": {"type": "groom", "parms": {"layout": "disk", "size": 0.03, "count": 20, "length": 0.08, "points": 9}},
        "wet": {"type": "attribute", "inputs": ["hair"], "parms": {"name": "filmheight", "value": [0.001, 0, 0, 0]}},
        "both": {"type": "merge", "inputs": ["pool", "wet"]},
        "skin": {"type": "surface", "inputs": ["both"],
                 "parms": {"voxelsize": 0.001, "density": True, "half": True, "points": True}},
        "out": {"type": "filecache", "inputs": ["skin"], "parms": {"file": "$OUT/liquid.$F4.vdb"}},
        "outpoints": {"type": "filecache", "inputs": ["skin:points"], "parms": {"file": "$OUT/points.$F4.vdb"}},
    },
}


def vdb_print(path):
    run = subprocess.run(["vdb_print", "-l", "-m", path], check=True, capture_output=True, text=True)
    return run.stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "scene.json")
        with open(scene, "w", encoding="utf-8") as stream:
            json.dump(SCENE, stream)
        run = subprocess.run([os.environ["RIVULET"], "cook", scene, "--out", folder, "--quiet"], capture_output=True,
                             text=True)
        assert run.returncode == 0, run.stderr
        text = vdb_print(os.path.join(folder, "liquid.0001.vdb"))
        for part in ("Name: surface", "Name: density", "Name: vel", "class: level set", "class: fog volume",
                     "class: staggered", "vector_type: contravariant relative", "is_saved_as_half_float: true",
                     "Background value: 0.003", "blosc + active values"):
            assert part in text, (part, text)
        text = vdb_print(os.path.join(folder, "points.0001.vdb"))
        for part in ("Name: points", "ptdataidx32"):
            assert part in text, (part, text)
        print("vdb_print: ok")


main()
