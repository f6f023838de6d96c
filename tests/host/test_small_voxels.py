"""Voxels below 1.4e-5 units, which OpenVDB refuses: a given size is an error that names its parameter, an automatic one
never ends a run."""
import os
import subprocess
import sys

import host_run as h

RIVULET = os.environ["RIVULET"]


def cook(where, name, nodes, frames=1, **top):
    folder = os.path.join(where, name)
    os.mkdir(folder)
    scene = h.write_scene(folder, {"rivulet": 1, "frames": [1, frames], "nodes": nodes, **top})
    done = subprocess.run([RIVULET, "cook", scene, "--out", os.path.join(folder, "out"), "--quiet", "--threads", "1"],
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=False)
    print(f"{name}: {done.returncode} {done.stderr.strip()}")
    return done.returncode, done.stderr


def cache(source):
    return {"type": "filecache", "inputs": [source], "parms": {"file": "$OUT/out.$F4.vdb"}}


def main():
    where = h.folder()
    ball = {"type": "sphere", "parms": {"radius": 0.0003}}
    tiny = {"type": "fill", "parms": {"size": [1e-4, 1e-4, 1e-4], "particlesep": 2e-5}}
    try:
        # given sizes: the error names the parameter and the way out
        given = {
            "collider": ({"ball": ball, "body": {"type": "collider", "inputs": ["ball"], "parms": {"voxelsize": 1e-5}},
                          "out": cache("body")}, "node 'body'", "voxelsize"),
            "surface": ({"pool": tiny, "skin": {"type": "surface", "inputs": ["pool"], "parms": {"voxelsize": 1e-5}},
                         "out": cache("skin")}, "node 'skin'", "voxelsize"),
            "fill": ({"ball": ball, "pool": {"type": "fill", "inputs": ["ball"], "parms": {"particlesep": 2e-5}},
                      "out": {"type": "filecache", "inputs": ["pool"], "parms": {"file": "$OUT/out.$F4.bgeo.sc"}}},
                     "node 'pool'", "particlesep"),
            "transform": ({"ball": ball, "body": {"type": "collider", "inputs": ["ball"]},
                           "small": {"type": "transform", "inputs": ["body"], "parms": {"s": [0.01, 0.01, 0.01]}},
                           "out": cache("small")}, "node 'small'", "voxels"),
        }
        for name, (nodes, node, parm) in given.items():
            code, text = cook(where, name, nodes)
            h.check(code == 1 and node in text and parm in text and "metersperunit" in text, f"{name}: {code} {text}")
        # automatic sizes: a solid that shrinks below them, particles that are finer, points written as VDB
        shrinks = {"s": {"keys": [[1, [1, 1, 1]], [4, [0.02, 0.02, 0.02]]], "interp": "linear"}}
        fine = {
            "shrinking": ({"ball": ball, "less": {"type": "transform", "inputs": ["ball"], "parms": shrinks},
                           "body": {"type": "collider", "inputs": ["less"]}, "out": cache("body")}, 6),
            "solid": ({"ball": ball, "less": {"type": "transform", "inputs": ["ball"], "parms": shrinks},
                       "hair": {"type": "groom", "parms": {"count": 2, "points": 4, "length": 0.01}},
                       "sim": {"type": "strandsolver", "inputs": ["hair", "less"]},
                       "out": {"type": "filecache", "inputs": ["sim"], "parms": {"file": "$OUT/out.$F4.bgeo.sc"}}}, 6),
            "skin": ({"pool": tiny, "skin": {"type": "surface", "inputs": ["pool"]}, "out": cache("skin")}, 1),
            "points": ({"pool": tiny, "out": cache("pool")}, 1),
        }
        for name, (nodes, frames) in fine.items():
            code, text = cook(where, name + "_auto", nodes, frames)
            h.check(code == 0, f"{name}: {code} {text}")
            made = [n for n in os.listdir(os.path.join(where, name + "_auto", "out")) if n.startswith("out.")]
            h.check(len(made) == frames, f"{name}: {made}")
        h.check("smallest voxels" in cook(where, "told", fine["shrinking"][0], 4)[1], "the collider does not warn")
    finally:
        h.clean(where)
    return 0


sys.exit(main())
