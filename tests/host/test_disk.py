"""Trouble with the disk: full, unwritable, a missing frame. A real error, no half file, nothing older lost."""
import copy
import os
import subprocess
import sys

import host_run as h


def unwritable(where, scene):
    out = os.path.join(where, "taken")
    with open(out, "w") as f:
        f.write("a file where the folder should be")
    code, text = h.cook(scene, out)
    h.check(code == 1 and out in text, f"a file in the place of the folder: {code} {text}")
    with open(out) as f:
        h.check(f.read() == "a file where the folder should be", "the file was touched")
    if os.geteuid() != 0:
        locked = os.path.join(where, "locked")
        os.mkdir(locked, 0o555)
        code, text = h.cook(scene, os.path.join(locked, "out"))
        h.check(code == 1 and "Permission denied" in text, f"an unwritable folder: {code} {text}")


def missing_frame(where, straight):
    scene = {"rivulet": 1, "frames": [1, 5], "nodes": {
        "in": {"type": "file", "parms": {"file": straight + "/state.$F4.bgeo.sc"}},
        "out": {"type": "filecache", "inputs": ["in"], "parms": {"file": "$OUT/copy.$F4.bgeo.sc"}}}}
    folder = os.path.join(where, "missing")
    os.mkdir(folder)
    path = h.write_scene(folder, scene)
    gone = os.path.join(straight, "state.0004.bgeo.sc")
    os.rename(gone, gone + ".away")
    out = os.path.join(folder, "out")
    code, text = h.cook(path, out)
    h.check(code == 1 and gone in text and "'in'" in text, f"a missing frame: {code} {text}")
    h.check(sorted(n for n in os.listdir(out) if n.startswith("copy")) ==
            [f"copy.000{i}.bgeo.sc" for i in (1, 2, 3)], "the frames before it should be there")
    os.rename(gone + ".away", gone)
    h.must_cook(path, out, "--resume")
    h.check(len([n for n in os.listdir(out) if n.startswith("copy")]) == 5, "the rest should be there")


def full(where, scene, expected):
    """On a file system of a few pages; needs the right to mount one."""
    disk = os.path.join(where, "disk")
    os.mkdir(disk)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], stderr=subprocess.DEVNULL)
    if mounted.returncode != 0:
        print("no right to mount a tmpfs: the full disk was not tried")
        return False
    try:
        code, text = h.cook(scene, disk)
        h.check(code == 1 and "No space left" in text, f"a full disk: {code} {text}")
        count = h.compare(disk, expected, some=True)
        h.check(count > 3, "some frames should have been written")
        h.check(not h.temporaries(disk), "a half file was left")
        before = h.files(disk)
        # still full: the same error, and all that was there is there
        code, text = h.cook(scene, disk, "--resume")
        h.check(code == 1 and "No space left" in text, f"still full: {code} {text}")
        for name, data in before.items():
            if name.startswith(("state", "drops")):
                h.check(h.files(disk).get(name) == data, f"{name} was lost")
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        h.must_cook(scene, disk, "--resume")
        h.compare(disk, expected)
    finally:
        subprocess.run(["umount", disk], check=True)
    return True


def main():
    where = h.folder()
    try:
        shot = copy.deepcopy(h.SCENE)
        scene = h.write_scene(where, shot)
        straight = os.path.join(where, "straight")
        h.must_cook(scene, straight)
        expected = h.files(straight)
        unwritable(where, scene)
        missing_frame(where, straight)
        tried = full(where, scene, expected)
    finally:
        h.clean(where)
    sys.exit(0 if tried else 77)


main()
