"""docs/curves.md works as it stands: its scene wets curves that came as .bgeo.sc, as .usda (Y and Z up, moved by an Xform),
and from a hair curves object of Blender."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.environ["RV_SOURCE_DIR"]
RIVULET = os.environ["RIVULET"]
os.environ.setdefault("RIVULET_LIBRARY", os.path.join(os.environ["RV_BUILD_DIR"], "librivulet.so.0"))
sys.path.insert(0, os.path.join(TOP, "python_shim"))

with open(os.path.join(TOP, "docs", "curves.md"), encoding="utf-8") as stream:
    PAGE = stream.read()
SCENE = json.loads(re.search(r"```json\n(\{ \"rivulet.*?)```", PAGE, re.S).group(1))
MANY = json.loads("{" + re.search(r"```json\n(\"mine\".*?)```", PAGE, re.S).group(1) + "}")
SCRIPT = re.search(r"```python\n(.*?)```", PAGE, re.S).group(1)


def strands():
    """Twelve curves of 8 and 10 points that stand in a ring and hang over: root first."""
    import math
    curves = []
    for k in range(12):
        a = 2 * math.pi * k / 12
        curves.append([(0.08 * math.cos(a) * (1 + 0.05 * i), 0.1 - 0.012 * i, 0.08 * math.sin(a) * (1 + 0.05 * i))
                       for i in range(8 + 2 * (k % 2))])
    return curves


def run(*arguments):
    done = subprocess.run([RIVULET, *arguments], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def info(path):
    return json.loads(run("info", path, "--json"))


def usda(curves, up):
    """A stage as other programs write it: an Xform above the curves, widths a curve, properties that are not read."""
    def place(p):
        x, y, z = p[0] - 0.5, p[1], p[2]
        return (x, y, z) if up == "Y" else (x, -z, y)
    points = ", ".join("(%.7g, %.7g, %.7g)" % place(p) for c in curves for p in c)
    return f"""#usda 1.0
(
    metersPerUnit = 1
    upAxis = "{up}"
)
def Xform "groom"
{{
    double3 xformOp:translate = (0.5, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def BasisCurves "hair" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {{
        uniform token basis = "catmullRom"
        int[] curveVertexCounts = {[len(c) for c in curves]}
        rel material:binding = </groom/mat>
        point3f[] points = [{points}]
        color3f[] primvars:displayColor = [(0.1, 0.05, 0.02)] (
            interpolation = "constant"
        )
        uniform token type = "linear"
        float[] widths = {[0.00008] * len(curves)} (
            interpolation = "uniform"
        )
    }}
}}
"""


def cook(folder, out, *more):
    """Cooks the page's scene and returns what the first and the last frame hold."""
    run("cook", os.path.join(folder, "mine.json"), "--out", out, "--quiet", *more)
    return info(os.path.join(out, "hair.0001.bgeo.sc")), info(os.path.join(out, "hair.0012.bgeo.sc"))


def bounds_near(a, b):
    return all(abs(x - y) < 1e-5 for p, q in zip(a["bounds"], b["bounds"]) for x, y in zip(p, q))


def from_blender(folder, source):
    """The page's script in Blender, on a hair curves object; None where there is no Blender."""
    blender = shutil.which("blender")
    if not blender:
        return None
    # Blender 3.4 has no call that adds curves: the add-on's importer makes the object from the file.
    make = f"""
import sys, bpy
sys.path.insert(0, {os.path.join(TOP, 'python_shim')!r})
from rivulet_blender import bring
hair = bring.strands(bring.load({source!r}), name="Hair")
bpy.context.view_layer.update()
"""
    script = os.path.join(folder, "save_hair.py")
    page = SCRIPT.replace('"python_shim"', repr(os.path.join(TOP, "python_shim"))).replace(
        '"groom.bgeo.sc"', repr(os.path.join(folder, "blender.bgeo.sc")))
    with open(script, "w", encoding="utf-8") as stream:
        stream.write(make + page)
    done = subprocess.run([blender, "-b", "--factory-startup", "--python-exit-code", "1", "-noaudio", "-P", script],
                          capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return os.path.join(folder, "blender.bgeo.sc")


def main():
    import numpy
    import rivulet
    curves = strands()
    detail = rivulet.Detail()
    detail.add_points(numpy.array([p for c in curves for p in c], "f4"))
    detail.add_polygons(numpy.array([len(c) for c in curves], "i4"), numpy.arange(sum(map(len, curves))), curve=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "groom.bgeo.sc")
        detail.save(path)
        with open(os.path.join(folder, "mine.json"), "w", encoding="utf-8") as stream:
            json.dump(SCENE, stream)
        wanted = info(path)
        first, last = cook(folder, os.path.join(folder, "out"))
        assert bounds_near(first, wanted), (first["bounds"], wanted["bounds"])
        assert not bounds_near(last, wanted), "the rain moved nothing"
        wet = [a for a in last["attributes"] if a["name"] == "wetness"]
        assert wet and max(wet[0]["max"]) > 0, last["attributes"]
        # the same from a stage of either axis: Frame 1 equals the groom
        for up in "YZ":
            name = os.path.join(folder, "groom_%s.usda" % up)
            with open(name, "w", encoding="utf-8") as stream:
                stream.write(usda(curves, up))
            first, _ = cook(folder, os.path.join(folder, "usd" + up), "--set", "mine.file=" + name)
            assert bounds_near(first, wanted), (up, first["bounds"], wanted["bounds"])
            assert any(a["name"] == "width" for a in first["attributes"])
        # what we write we read
        run("convert", path, os.path.join(folder, "again.usda"))
        run("convert", os.path.join(folder, "again.usda"), os.path.join(folder, "again.geo"))
        assert bounds_near(info(os.path.join(folder, "again.geo")), wanted)
        # the last command of the page
        run("convert", os.path.join(folder, "out", "hair.$F4.bgeo.sc"), os.path.join(folder, "hair.usda"), "--frames", "1-12")
        # many hairs
        scene = dict(SCENE, nodes=dict(SCENE["nodes"], **MANY))
        scene["nodes"]["pick"]["parms"]["step"] = 3
        scene["nodes"]["wet"]["parms"] = SCENE["nodes"]["wet"]["parms"]
        scene["nodes"]["out"] = dict(SCENE["nodes"]["out"], inputs=["all"])
        with open(os.path.join(folder, "mine.json"), "w", encoding="utf-8") as stream:
            json.dump(scene, stream)
        first, _ = cook(folder, os.path.join(folder, "many"))
        assert first["curves"] == len(curves), first
        # damaged stages are refused with the line
        for cut, word in ((0.5, "line"), (0.8, "line"), (0.0, "#usda")):
            name = os.path.join(folder, "cut.usda")
            text = usda(curves, "Y")
            with open(name, "w", encoding="utf-8") as stream:
                stream.write(text[:int(len(text) * cut)] if cut else "PXR-USDC")
            done = subprocess.run([RIVULET, "info", name], capture_output=True, text=True, check=False, timeout=60)
            assert done.returncode == 1 and word in done.stderr, (cut, done)
        blend = from_blender(folder, path)
        if blend:
            assert bounds_near(info(blend), wanted), (info(blend)["bounds"], wanted["bounds"])
        print("curves came from files" + (" and Blender" if blend else ""))


main()
