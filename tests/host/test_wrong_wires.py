"""A wire of the wrong kind is an error that names node and port, at the first frame; a parameter that an attribute
overrides, and sizes that look wrong by a hundred, are told once."""
import json
import os
import subprocess
import sys
import tempfile

RIVULET = os.environ["RIVULET"]
BALL = {"type": "sphere", "parms": {"radius": 0.05}}
OPEN = {"type": "grid", "parms": {"size": [0.1, 0.1]}}
HAIR = {"type": "groom", "parms": {"count": 5, "length": 0.05, "points": 5}}
DROPS = {"type": "fill", "parms": {"size": [0.02, 0.02, 0.02], "particlesep": 0.005}}
MAKERS = {"ball": BALL, "open": OPEN, "hair": HAIR, "drops": DROPS}


def cook(frames, nodes, meters=1):
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "scene.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"rivulet": 1, "fps": 24, "frames": [1, frames], "metersperunit": meters, "nodes": nodes}, stream)
    done = subprocess.run([RIVULET, "cook", path, "--out", folder], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def wired(kind, inputs, parms=None):
    nodes = {name: MAKERS[name] for name in inputs if name}
    nodes["x"] = {"type": kind, "inputs": inputs, "parms": parms or {}}
    return cook(3, nodes)


def main():
    # node, inputs, number and label of the port at fault, what it takes, what the wire brings
    wrong = [
        ("strandsolver", ["ball"], 1, "Strands", "curves", "faces"),
        ("strandsolver", ["drops"], 1, "Strands", "curves", "loose points"),
        ("strandsolver", ["hair", "drops"], 2, "Colliders", "faces or VDBs", "loose points"),
        ("strandsolver", ["hair", None, "ball"], 3, "Wind", "VDBs", "faces"),
        ("liquidsolver", ["ball"], 1, "Liquid", "loose points", "faces"),
        ("liquidsolver", ["drops", "hair"], 2, "Colliders", "faces or VDBs", "curves"),
        ("liquidsolver", ["drops", None, "hair"], 3, "Sources", "faces or VDBs", "curves"),
        ("filmsolver", ["ball"], 1, "Strands", "curves", "faces"),
        ("filmsolver", ["hair", "ball"], 2, "Liquid", "loose points or VDBs", "faces"),
        ("wetsolver", ["ball", "drops"], 1, "Strands", "curves", "faces"),
        ("wetsolver", ["hair", "ball"], 2, "Liquid", "loose points or VDBs", "faces"),
        ("groom", ["drops"], 1, "Skin", "faces", "loose points"),
        ("guides", ["ball"], 1, "Strands", "curves", "faces"),
        ("deform", ["ball", "ball", "ball"], 1, "Strands", "curves", "faces"),
        ("deform", ["hair", "hair", "ball"], 2, "Rest Skin", "faces", "curves"),
        ("transfer", ["hair", None, "ball"], 3, "Simulated Guides", "curves", "faces"),
        ("wetness", ["drops"], 1, "Strands", "curves", "loose points"),
        ("collider", ["hair"], 1, "Shape", "faces or VDBs", "curves"),
        ("source", ["hair"], 1, "Shape", "faces or VDBs", "curves"),
        ("fill", ["drops"], 1, "Shape", "faces or VDBs", "loose points"),
        ("surface", ["ball"], 1, "Liquid", "curves or loose points", "faces"),
    ]
    for kind, inputs, port, label, takes, brings in wrong:
        code, said = wired(kind, inputs)
        assert code == 1, (kind, inputs, code, said)
        for text in ("node 'x' (%s)" % kind, "input %d (%s) takes %s," % (port, label, takes), brings, "wire another"):
            assert text in said, (kind, inputs, text, said)
    # right kinds still cook, and so does geometry that is empty
    for kind, inputs in (("strandsolver", ["hair", "ball"]), ("liquidsolver", ["drops", "ball"]), ("wetsolver", ["hair", "drops", "ball"]),
                         ("wetsolver", [None, "drops"]), ("surface", ["drops"]), ("surface", [])):
        code, said = wired(kind, inputs)
        assert code == 0, (kind, inputs, said)
    nothing = {"hair": HAIR, "none": {"type": "blast", "inputs": ["hair"], "parms": {"group": "0-24", "grouptype": "points"}},
               "drops": DROPS, "x": {"type": "wetsolver", "inputs": ["none", "drops"]}}
    code, said = cook(2, nothing)
    assert code == 0, said
    # an open mesh that holds no water
    code, said = wired("fill", ["open"])
    assert code == 1 and "node 'x' (fill)" in said and "open at" in said and "no liquid" in said, said

    # what an attribute overrides is told once, and only where the parameter was set
    for kind in ("strandsolver", "wetsolver", "filmsolver"):
        code, said = wired(kind, ["hair"], {"hairradius": 1e-4})
        assert code == 0 and said.count("hairradius of 0.0001 has no effect") == 1, (kind, said)
        code, said = wired(kind, ["hair"])
        assert code == 0 and "no effect" not in said, (kind, said)
    code, said = wired("strandsolver", ["hair"], {"youngs": 1e9})
    assert code == 0 and "no effect" not in said, said

    # units
    long = {"hair": {"type": "groom", "parms": {"count": 5, "length": 20, "points": 5}}, "x": {"type": "strandsolver", "inputs": ["hair"]}}
    code, said = cook(2, long)
    assert code == 0 and said.count("is the scene in centimetres?") == 1, said
    code, said = cook(2, long, 0.01)
    assert code == 0 and "centimetres" not in said, said
    small = {"drops": {"type": "fill", "parms": {"size": [200, 200, 200], "particlesep": 50}}, "x": {"type": "liquidsolver", "inputs": ["drops"]}}
    code, said = cook(1, small)
    assert code == 0 and "separation of 50 m: is the scene in centimetres?" in said, said
    return 0


if __name__ == "__main__":
    sys.exit(main())
