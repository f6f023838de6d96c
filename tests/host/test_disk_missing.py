"""A frame of a sequence that is not there: an error that names it, the frames before it stay, and a resumed run goes on."""
import os

import host_run as h


def main():
    where = h.folder()
    try:
        straight = os.path.join(where, "straight")
        h.must_cook(h.write_scene(where), straight)
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
        # a frame that is done and then replaced is told, by node and pattern
        os.utime(os.path.join(straight, "state.0002.bgeo.sc"), (1000000000, 1000000000))
        code, text = h.cook(path, out, "--resume")
        h.check(code == 1 and "'in'" in text and straight + "/state.$F4.bgeo.sc" in text, f"replaced: {code} {text}")
    finally:
        h.clean(where)


main()
