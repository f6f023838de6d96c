"""Draws the pictures of the help cards anew: the last frame of every example network, by our own flipbook.

  /usr/bin/python3 otls/pictures.py RIVULET [TYPE...]     RIVULET: the program; then run the target docs
"""
import json
import os
import subprocess
import sys
import tempfile

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "scenes", "nodes")
SIZE = "160x120"  # some 25 kB each


def draw(rivulet, type, folder):
    scene = os.path.join(EXAMPLES, type + ".json")
    with open(scene, encoding="utf-8") as stream:
        frame = int(json.load(stream)["frames"][1])
    subprocess.run([rivulet, "flipbook", scene, "--frames", "%d-%d" % (frame, frame), "--size", SIZE, "--quality", "normal", "--quiet",
                    "--out", os.path.join(folder, type), "-o", os.path.join(EXAMPLES, type + ".png")], check=True)


if __name__ == "__main__":
    chosen = sys.argv[2:] or sorted(name[:-5] for name in os.listdir(EXAMPLES) if name.endswith(".json"))
    with tempfile.TemporaryDirectory() as scratch:
        for one in chosen:
            draw(sys.argv[1], one, scratch)
            print(one, flush=True)
