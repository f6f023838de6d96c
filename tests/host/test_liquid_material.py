"""Materials of liquids reach the solvers: density, viscosity and tension of a preset are those of the flow, by attribute
or by name; what the solvers leave out is said once, and so is a parameter that the material overrides."""
import json
import os
import struct
import subprocess
import sys
import tempfile

RIVULET = os.environ["RIVULET"]
FRAMES = 6


def single(x):
    """The number as the float of an attribute."""
    return struct.unpack("f", struct.pack("f", x))[0]


def scene(material=None, fill=None, **solver):
    nodes = {"block": {"type": "fill", "parms": {"size": [0.06, 0.06, 0.06], "t": [0, 0.03, 0], "particlesep": 0.01, **(fill or {})}}}
    last = "block"
    if material:
        nodes["stuff"] = {"type": "material", "inputs": ["block"], "parms": {"kind": "liquid", **material}}
        last = "stuff"
    nodes["sim"] = {"type": "liquidsolver", "inputs": [last], "parms": {
        "walls": True, "wallsmin": [-0.1, 0, -0.1], "wallsmax": [0.1, 1, 0.1], **solver}}
    nodes["out"] = {"type": "filecache", "inputs": ["sim"], "parms": {"file": "$OUT/liquid.$F4.geo", "keepstate": False}}
    return {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": nodes}


def cook(**words):
    """(positions of the last frame, standard error)"""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "scene.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene(**words), stream)
    done = subprocess.run([RIVULET, "cook", path, "--out", folder, "--threads", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with open(os.path.join(folder, "liquid.%04d.geo" % FRAMES), encoding="utf-8") as stream:
        geo = json.load(stream)
    points = dict(zip(geo[::2], geo[1::2]))["attributes"]
    points = dict(zip(points[::2], points[1::2]))["pointattributes"]
    for head, body in points:
        head, body = dict(zip(head[::2], head[1::2])), dict(zip(body[::2], body[1::2]))
        if head["name"] == "P":
            values = dict(zip(body["values"][::2], body["values"][1::2]))
            if "tuples" in values:
                return [tuple(p) for p in values["tuples"]], done.stderr
            flat = sum(values["rawpagedata"], []) if isinstance(values["rawpagedata"][0], list) else values["rawpagedata"]
            return [tuple(flat[i:i + 3]) for i in range(0, len(flat), 3)], done.stderr
    raise AssertionError("no P")


def height(points):
    return sum(p[1] for p in points) / len(points)


def main():
    plain, _ = cook()
    mud, said = cook(material={"liquid": "mud"})
    assert mud != plain, "mud flows as the solver's own liquid"
    assert said.count("Left out") == 1 and "shear modulus (100 Pa)" in said and "note: stuff" in said, said
    water, said = cook(material={"liquid": "water"})
    assert water != mud and "Left out" not in said, said
    cream, said = cook(material={"liquid": "cream"})
    # cream is lighter than its yield stress can hold and still stands when the others have spread
    assert height(cream) > 2 * max(height(mud), height(water)), (height(water), height(mud), height(cream))
    # the preset is the flow of the same numbers in the solver
    direct, _ = cook(density=single(1220), viscosity=single(0.3839455), surfacetension=single(0.06), yieldstress=single(0.970699),
                     flowindex=single(0.5173), shearmodulus=100)
    assert mud == direct, "the preset is another flow than its numbers"
    # an override of the node is taken too, and a name alone is as good as the node
    thin, _ = cook(material={"liquid": "mud", "viscosity": 0.05})
    assert thin != mud
    named, said = cook(fill={"material": "mud"})
    exact, _ = cook(density=1220, viscosity=0.3839455, surfacetension=0.06, yieldstress=0.970699, flowindex=0.5173, shearmodulus=100)
    assert named == exact, said
    # no control lies: a parameter that the material overrides, and a name that is no preset, are told
    _, said = cook(material={"liquid": "mud"}, viscosity=3)
    assert "viscosity of 3 has no effect" in said, said
    label, said = cook(fill={"material": "slime"})
    assert label == plain and "'slime' is no preset" in said, said
    return 0


if __name__ == "__main__":
    sys.exit(main())
