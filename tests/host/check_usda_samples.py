"""What the files of test_usda.c must hold. Usage: check_usda_samples.py FOLDER"""
import math
import sys

from check_usda import Reader, at_time, check_lengths


def load(name):
    scene = Reader(open("%s/%s.usda" % (sys.argv[1], name), encoding="utf-8").read()).scene()
    check_lengths(scene)
    assert scene["meta"]["upAxis"] == "Y" and scene["meta"]["defaultPrim"] == "rivulet"
    return scene


def strands():
    scene = load("strands")
    assert scene["meta"]["metersPerUnit"] == 1 and scene["meta"]["timeCodesPerSecond"] == 24
    assert list(scene["prims"])[:2] == ["/rivulet", "/rivulet/strands"]
    assert {p["schema"] for p in scene["prims"].values()} == {"Xform", "BasisCurves", "Scope", "Material", "Shader"}
    prim = scene["prims"]["/rivulet/strands"]
    p = prim["properties"]
    assert prim["schema"] == "BasisCurves" and p["type"]["value"] == "linear"
    assert p["curveVertexCounts"]["value"] == [8] * 20
    # floats are written so that they read back to the same bits
    f32 = lambda x: __import__("struct").unpack("f", __import__("struct").pack("f", x))[0]
    points = p["points"]["value"]
    assert [f32(x) for x in points[159]] == [f32(f32(19) * f32(0.1)), f32(-1.75), f32(f32(1e-7) * 159)]
    assert p["velocities"]["value"][6] == [0, 6, -2] and p["velocities"]["type"] == "vector3f[]"
    assert math.isclose(p["widths"]["value"][9], 0.02, rel_tol=1e-6) and p["widths"]["interpolation"] == "vertex"
    assert p["primvars:id"]["value"][159] == 1000159
    assert math.isnan(p["primvars:wetness"]["value"][17]) and p["primvars:wetness"]["value"][7] == 1
    # (x, y, z, w) becomes (w, x, y, z)
    assert p["primvars:orient"]["type"] == "quatf[]"
    assert [round(x, 6) for x in p["primvars:orient"]["value"][0]] == [0.9, 0.1, 0.2, 0.3]
    assert p["primvars:rv_x64"]["value"][100][1] == -1.0 + 1e-12 * 100
    assert p["primvars:coarse"]["type"] == "half2[]" and p["primvars:coarse"]["value"][11] == [2.75, 0]
    assert p["primvars:skinprim"]["value"][19] == 5000000019 and p["primvars:skinprim"]["type"] == "int64[]"
    assert p["primvars:skinprim"]["interpolation"] == "uniform"
    assert p["primvars:name"]["value"][:6] == ["", "tuft 1", "tuft 2", "tuft 3", "tuft 4", ""]
    assert len(p["primvars:arc"]["value"]) == 160
    assert p["primvars:world"]["value"] == [float(i % 5 == 0) for i in range(16)]
    assert p["primvars:world"]["elementSize"] == 16 and p["primvars:world"]["interpolation"] == "constant"
    assert sum(p["primvars:group_roots"]["value"]) == 20 and sum(p["primvars:group_wet"]["value"]) == 2
    # all points and their widths are inside the extent
    lo, hi = p["extent"]["value"]
    for q, w in zip(points, p["widths"]["value"]):
        assert all(lo[c] - 1e-6 <= q[c] - w / 2 and q[c] + w / 2 <= hi[c] + 1e-6 for c in range(3))


def mixed():
    scene = load("mixed")
    prims = scene["prims"]
    mesh, free = prims["/rivulet/mesh"]["properties"], prims["/rivulet/points"]["properties"]
    assert mesh["orientation"]["value"] == "leftHanded" and mesh["subdivisionScheme"]["value"] == "none"
    assert mesh["faceVertexCounts"]["value"] == [3] * 4
    assert mesh["faceVertexIndices"]["value"] == [0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2]
    assert mesh["primvars:piece"]["value"] == [11, 12, 13, 14]
    assert mesh["primvars:displayColor"]["type"] == "color3f[]"
    # the point of a curve too short to draw is a point
    assert [q[0] for q in free["points"]["value"]] == [7, 8, 9]
    assert prims["/rivulet/strands"]["properties"]["curveVertexCounts"]["value"] == [2]
    assert mesh["primvars:odd__name_____quotes_"]["value"][3] == 2
    assert mesh["primvars:_9lives"]["value"] == [0] * 4


def hostile():
    p = load("hostile")["prims"]["/rivulet/points"]["properties"]
    assert p["primvars:text"]["value"][0] == 'a "quote" \\ back\nline\ttab'
    assert p["ids"]["value"] == [7, 8] and p["ids"]["type"] == "int64[]"
    assert p["widths"]["value"] == [0.5, 0.5]
    names = [n for n in p if n.startswith("primvars:a_b")]
    assert len(names) == 3, names


def sequence():
    scene = load("sequence")
    assert (scene["meta"]["startTimeCode"], scene["meta"]["endTimeCode"]) == (1, 6)
    assert scene["meta"]["timeCodesPerSecond"] == 30 and scene["meta"]["metersPerUnit"] == 0.01
    curves = scene["prims"]["/rivulet/strands"]["properties"]
    # never changes: no samples
    assert curves["curveVertexCounts"]["value"] == [3, 3]
    # moves at every frame
    assert sorted(curves["points"]["samples"]) == [1, 2, 3, 4, 5, 6]
    assert [curves["points"]["samples"][t][0][1] for t in range(1, 7)] == [0, 1, 2, 3, 4, 5]
    # velocities do not change, and have the time codes of the points
    assert sorted(curves["velocities"]["samples"]) == [1, 2, 3, 4, 5, 6]
    assert all(v == [[0, 30, 0]] * 6 for v in curves["velocities"]["samples"].values())
    # equal from 1 to 4, then another: the ends of the equal run are there, its middle is not needed
    assert sorted(curves["primvars:stage"]["samples"]) == [1, 4, 5, 6]
    # particles are born at frame 3 and gone at 6; an attribute of theirs comes at 5
    points = scene["prims"]["/rivulet/points"]["properties"]
    assert {t: len(v) for t, v in points["points"]["samples"].items()} == {1: 0, 2: 0, 3: 1, 4: 2, 5: 3, 6: 0}
    assert points["ids"]["samples"][5] == [0, 1, 2]
    assert points["extent"]["samples"][2] is None and len(points["extent"]["samples"][3]) == 2
    heat = points["primvars:heat"]
    # where the attribute is missing, its points have 0
    assert heat["samples"][3] == [0] and heat["samples"][4] == [0, 0] and heat["samples"][5] == [5, 5, 5]
    assert heat["samples"][6] == [] and at_time(heat, 1) == []


strands()
mixed()
hostile()
sequence()
