"""USD stages of a wet shot keep the rules of the schemas, have the scene's units, camera, volume and materials; and each
rule is broken once by a seeded fault, which the checker names.

The checker (check_usda.py reads, check_usda_schema.py knows the rules) shares no code with the writer.
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

from check_usda import Reader, at_time
from check_usda_schema import Broken, check, codes, read

RIVULET = os.environ["RIVULET"]
SCENE = {
    "rivulet": 1, "fps": 30, "frames": [1, 3], "metersperunit": 0.1,
    "nodes": {
        "head": {"type": "sphere", "parms": {"radius": 0.5}},
        "hair": {"type": "groom", "inputs": ["head"], "parms": {"count": 12, "length": 0.6, "points": 6}},
        "pool": {"type": "fill", "parms": {"size": [0.4, 0.2, 0.4], "t": [0, 0.6, 0], "particlesep": 0.08}},
        "wet": {"type": "wetsolver", "inputs": ["hair", "pool", None, None], "parms": {"substeps": 2}},
        "liquid": {"type": "surface", "inputs": ["wet:3"], "parms": {"vel": 1, "mesh": 1}},
        "cam": {"type": "camera", "parms": {"t": [0, 1, 3], "target": [0, 0.5, 0], "fov": 35, "fstop": 2}},
        "all": {"type": "merge", "inputs": ["wet:1", "wet:2", "head", "liquid", "cam"]},
        "out": {"type": "filecache", "inputs": ["all"],
                "parms": {"file": "$OUT/shot.$F4.usda", "keepstate": 0, "usdcurves": "catmullrom"}},
        "mesh": {"type": "filecache", "inputs": ["liquid:mesh"], "parms": {"file": "$OUT/mesh.$F4.usda", "usdmesh": "liquid"}},
        "strands": {"type": "filecache", "inputs": ["wet:1"], "parms": {"file": "$OUT/strands.$F4.bgeo.sc", "keepstate": 0}},
        "vdb": {"type": "filecache", "inputs": ["liquid"], "parms": {"file": "$OUT/liquid.$F4.vdb"}},
    },
}
FILM = "filmheight filmv waterload wetness absorbed dropradius".split()


def run(*words):
    subprocess.run([RIVULET, *words], check=True, stdout=subprocess.DEVNULL)


def cut(text, pattern):
    """The text without the first match, which must be there."""
    assert re.search(pattern, text, re.S), pattern
    return re.sub(pattern, "", text, count=1, flags=re.S)


def put(text, pattern, instead):
    assert re.search(pattern, text, re.S), pattern
    return re.sub(pattern, instead, text, count=1, flags=re.S)


# name of the fault, the rule that it breaks, what it does to the text of a stage of one frame
FAULTS = [
    ("no up axis", "metadata", lambda t: cut(t, r'    upAxis = "Y"\n')),
    ("sideways up axis", "metadata", lambda t: put(t, r'upAxis = "Y"', 'upAxis = "X"')),
    ("no scale", "metadata", lambda t: cut(t, r"    metersPerUnit = \S+\n")),
    ("no default prim", "metadata", lambda t: put(t, r'defaultPrim = "rivulet"', 'defaultPrim = "river"')),
    ("no rate", "metadata", lambda t: cut(t, r"    timeCodesPerSecond = \S+\n")),
    ("no kind", "kind", lambda t: put(t, r'kind = "component"', 'kind = "thing"')),
    ("time outside of the range", "time range", lambda t: put(t, r"endTimeCode = 3", "endTimeCode = 2")),
    ("unknown schema", "schema", lambda t: put(t, r'def Points "', 'def Particles "')),
    ("no counts", "required", lambda t: cut(t, r"        int\[\] curveVertexCounts\.timeSamples = \{.*?\}\n")),
    ("no data type", "required", lambda t: cut(t, r'            token fieldDataType = "float"\n')),
    ("velocities as points", "type", lambda t: put(t, r"vector3f\[\] velocities", "point3f[] velocities")),
    ("attribute of no schema", "type", lambda t: put(t, r"float3\[\] extent", "float3[] extents")),
    ("varying type", "type", lambda t: put(t, r'uniform token type = "cubic"', 'token type = "cubic"')),
    ("samples of a uniform attribute", "uniform", lambda t: put(t, r'token type = "cubic"', 'token type.timeSamples = {\n3: "cubic",\n}')),
    ("no interpolation", "primvar", lambda t: put(t, r'(primvars:wetness \(\n\s+)interpolation = "vertex"', r"\1elementSize = 1")),
    ("unknown basis", "token", lambda t: put(t, r'basis = "catmullRom"', 'basis = "hermite"')),
    ("unknown class", "token", lambda t: put(t, r'fieldClass = "levelSet"', 'fieldClass = "sdf"')),
    ("unknown shader", "shader", lambda t: put(t, r'"UsdPreviewSurface"', '"UsdSurface"')),
    ("input of no shader", "shader", lambda t: put(t, r"inputs:roughness", "inputs:rough")),
    ("bound to nothing", "binding", lambda t: put(t, r"binding = </rivulet/materials/hair>", "binding = </rivulet/materials/fur>")),
    ("binding not applied", "binding", lambda t: cut(t, r' \(\n        prepend apiSchemas = \["MaterialBindingAPI"\]\n    \)')),
    ("no material", "binding", lambda t: cut(t, r"        rel material:binding = \S+\n")),
    ("field of nothing", "field", lambda t: put(t, r"field:vel = </rivulet/volume/vel>", "field:vel = </rivulet/volume/speed>")),
    ("connection to nothing", "connection", lambda t: put(t, r"wetness\.outputs:result>", "wetness.outputs:value>")),
    ("connection of another type", "connection", lambda t: put(t, r"hair/color\.outputs:result>", "hair/wetness.outputs:result>")),
    ("unconnected material", "connection", lambda t: put(t, r"token outputs:surface\.connect = \S+", "token outputs:surface")),
    ("velocities at another time", "motion", lambda t: put(put(t, "startTimeCode = 3", "startTimeCode = 2"),
                                                            r"(velocities\.timeSamples = \{\n\s+)3:", r"\g<1>2:")),
    ("velocities for all times", "motion", lambda t: put(t, r"velocities\.timeSamples = \{\n\s+3: (\[[^\]]*\]),\n\s+\}", r"velocities = \1")),
    ("a velocity less", "length", lambda t: put(t, r"(velocities\.timeSamples = \{\n\s+3: \[)\([^)]*\), ", r"\1")),
    ("a wetness less", "length", lambda t: put(t, r"(primvars:wetness\.timeSamples = \{\n\s+3: \[)\S+, ", r"\1")),
    ("no film", "absent", lambda t: put(t, r"(primvars:filmheight\.timeSamples = \{\n\s+3: )\[[^\]]*\]", r"\1None")),
    ("a curve of one point", "curves", lambda t: put(t, r"(curveVertexCounts\.timeSamples = \{\n\s+3: \[)6, 6", r"\g<1>11, 1")),
    ("cubic without ends", "curves", lambda t: put(put(t, r'wrap = "pinned"', 'wrap = "nonperiodic"'),
                                                   r"(curveVertexCounts\.timeSamples = \{\n\s+3: \[)6, 6", r"\g<1>9, 3")),
    ("cubic without basis", "curves", lambda t: cut(t, r'        uniform token basis = "catmullRom"\n')),
    ("corner of no point", "faces", lambda t: put(t, r"(faceVertexIndices\.timeSamples = \{\n\s+3: \[)0", r"\g<1>1000000")),
    ("extent too small", "extent", lambda t: put(t, r"(extent\.timeSamples = \{\n\s+3: \[\()[^,]*,", r"\g<1>0.2,")),
    ("no file", "asset", lambda t: put(t, r"@\./shot\.0003\.volume\.vdb@", "@./shot.0009.volume.vdb@")),
    ("absolute file", "asset", lambda t: put(t, r"@\./shot", "@/shot")),
    ("another grid", "asset", lambda t: put(t, r'fieldName = "vel"', 'fieldName = "velocity"')),
    ("another class", "asset", lambda t: put(t, r'fieldClass = "staggered"', 'fieldClass = "unknown"')),
    ("mirrored camera", "camera", lambda t: put(t, r"(xformOp:transform\.timeSamples = \{\n\s+3: \( \()1,", r"\1-1,")),
    ("camera without a lens", "camera", lambda t: put(t, r"(focalLength\.timeSamples = \{\n\s+3: )\S+,", r"\g<1>0,")),
    ("camera that sees nothing", "camera", lambda t: put(t, r"(clippingRange\.timeSamples = \{\n\s+3: \()\S+,", r"\g<1>0,")),
]


def check_faults(path):
    """Every fault breaks its rule and no other one first; every rule has a fault."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    for name, rule, damage in FAULTS:
        try:
            check(Reader(damage(text)).scene(), os.path.dirname(path))
        except Broken as broken:
            assert broken.rule == rule, (name, broken)
            continue
        raise AssertionError("not noticed: " + name)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_usda_schema.py")
    with open(source, encoding="utf-8") as stream:
        rules = set(re.findall(r'require\("([a-z ]+)"', stream.read()))
    untested = rules - {rule for _, rule, _ in FAULTS}
    assert not untested, untested


def check_shot(out):
    for frame in (1, 2, 3):
        path = os.path.join(out, "shot.%04d.usda" % frame)
        scene = read(path)
        check(scene, out)
        prims = scene["prims"]
        assert (scene["meta"]["metersPerUnit"], scene["meta"]["upAxis"], scene["meta"]["timeCodesPerSecond"]) == (0.1, "Y", 30)
        assert {p["schema"] for p in prims.values()} >= {"BasisCurves", "Mesh", "Points", "Volume", "OpenVDBAsset", "Camera"}
        strands, points = prims["/rivulet/strands"]["properties"], prims["/rivulet/points"]["properties"]
        assert codes(strands["points"]) == codes(strands["velocities"]) == [frame]
        assert strands["basis"]["value"] == "catmullRom" and strands["wrap"]["value"] == "pinned"
        # dry hair has film primvars too, which are zero: merging them adds no particle for the camera either
        for name in FILM:
            film = at_time(strands["primvars:" + name], frame)
            assert len(film) == 72 and (frame > 1 or not any(film)), (name, frame)
        assert [0, 1, 3] not in at_time(points["points"], frame)
    camera = prims["/rivulet/camera"]["properties"]
    matrix = at_time(camera["xformOp:transform"], 3)
    assert matrix[3][:3] == [0, 1, 3]
    # it looks along -z of its axes at the target, (0, 0.5, 0)
    view = [t - e for t, e in zip((0, 0.5, 0), matrix[3])]
    distance = math.sqrt(sum(x * x for x in view))
    assert all(abs(-matrix[2][c] - view[c] / distance) < 1e-6 for c in range(3))
    # 1e-5: numbers of the camera are floats
    focal, width, height = (at_time(camera[n], 3) for n in ("focalLength", "horizontalAperture", "verticalAperture"))
    assert abs(math.degrees(2 * math.atan(height / 2 / focal)) - 35) < 35e-5
    assert abs(width / height - 16 / 9) < 1e-5 and abs(width - 20.955e-3 / 0.1 * 10) < 1e-5
    assert abs(at_time(camera["focusDistance"], 3) - distance) < 1e-5
    # f/2 of the camera node is for a sensor 41.4214 mm wide; the diameter of the lens is the same
    diameter = 41.4214e-3 / 0.1 * 9 / 16 / 2 / math.tan(math.radians(35 / 2)) / 2
    assert abs(focal / 10 / at_time(camera["fStop"], 3) - diameter) < 1e-5 * diameter
    assert prims["/rivulet/mesh"]["properties"]["material:binding"]["target"] == "/rivulet/materials/skin"


def check_sequences(out):
    strands = os.path.join(out, "strands.usda")
    for curves in ("linear", "catmullrom", "bspline"):
        run("convert", os.path.join(out, "strands.$F4.bgeo.sc"), strands, "--frames", "1-3", "--metersperunit", "0.1",
            "--curves", curves)
        scene = read(strands)
        check(scene, out)
        p = scene["prims"]["/rivulet/strands"]["properties"]
        assert p["type"]["value"] == ("linear" if curves == "linear" else "cubic")
        assert p["basis"]["value"].lower() == curves if curves != "linear" else "basis" not in p
        assert codes(p["velocities"]) == codes(p["points"]) and len(codes(p["points"])) >= 2
        assert scene["meta"]["metersPerUnit"] == 0.1
    run("convert", os.path.join(out, "liquid.$F4.vdb"), os.path.join(out, "liquid.usda"), "--frames", "1-3")
    scene = read(os.path.join(out, "liquid.usda"))
    check(scene, out)
    paths = scene["prims"]["/rivulet/volume/surface"]["properties"]["filePath"]["samples"]
    assert paths == {f: "./liquid.volume.%04d.vdb" % f for f in (1, 2, 3)}, paths
    mesh = read(os.path.join(out, "mesh.0002.usda"))
    check(mesh, out)
    assert mesh["prims"]["/rivulet/mesh"]["properties"]["material:binding"]["target"] == "/rivulet/materials/water"
    for words in (["--curves", "hermite"], ["--mesh", "fur"], ["--metersperunit", "0"]):
        call = [RIVULET, "convert", os.path.join(out, "strands.0001.bgeo.sc"), os.path.join(out, "x.usda"), *words]
        assert subprocess.run(call, capture_output=True, check=False).returncode == 1, words


def main():
    where = tempfile.mkdtemp(prefix="rivulet_usd_")
    try:
        scene, out = os.path.join(where, "scene.json"), os.path.join(where, "out")
        with open(scene, "w", encoding="utf-8") as stream:
            json.dump(SCENE, stream)
        run("cook", scene, "--out", out, "--quiet", "--threads", "1")
        check_shot(out)
        check_sequences(out)
        check_faults(os.path.join(out, "shot.0003.usda"))
        print("%d faults are noticed" % len(FAULTS))
    finally:
        shutil.rmtree(where)
    return 0


if __name__ == "__main__":
    sys.exit(main())
