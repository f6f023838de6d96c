"""tinyusdz, a USD library that is not Pixar's, reads our stages: as layers, and as scenes whose prims it builds.

Usage: usd_tinyusdz.py RIVULET    needs node and npm, which fetches the package (version below) into a scratch folder

tinyusdz 0.9.0-rc10 builds no shader UsdPrimvarReader_float, not even the smallest one (MINIMAL, checked first). So the
stages are read as scenes without the shader that reads `wetness`, and as layers as they are.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
VERSION = "0.9.0-rc10"
MINIMAL = '#usda 1.0\ndef Material "m"\n{\n    def Shader "s"\n    {\n        uniform token info:id = "UsdPrimvarReader_float"\n    }\n}\n'
# The package is made for browsers; its WebAssembly runs in node all the same.
READER = """
import fs from 'fs';
globalThis.window = globalThis;
process.type = 'renderer';
const { default: init } = await import('tinyusdz/tinyusdz.js');
const wasm = fs.readFileSync(new URL(import.meta.resolve('tinyusdz/tinyusdz.wasm')));
const native = await init({ instantiateWasm(imports, done) {
  WebAssembly.instantiate(wasm, imports).then(r => done(r.instance, r.module));
  return {};
} });
for (const file of process.argv.slice(2)) {
  const bytes = new Uint8Array(fs.readFileSync(file));
  const layer = new native.TinyUSDZLoaderNative(), scene = new native.TinyUSDZLoaderNative();
  const out = { file, layer: layer.loadAsLayerFromBinary(bytes, file), scene: scene.loadFromBinary(bytes, file) };
  out.meshes = scene.numMeshes();
  out.error = scene.error();
  console.log('RESULT ' + JSON.stringify(out));
}
"""


def without_reader(path, out):
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    text = re.sub(r'\n            def Shader "wetness"\n            \{.*?\n            \}\n', "\n", text, flags=re.S)
    text = re.sub(r" *float inputs:clearcoat\.connect = \S+\n", "", text)
    with open(out, "w", encoding="utf-8") as stream:
        stream.write(text)
    return out


def read(folder, files):
    done = subprocess.run(["node", "reader.mjs", *files], cwd=folder, capture_output=True, text=True, timeout=600, check=True)
    return [json.loads(line[7:]) for line in done.stdout.split("\n") if line.startswith("RESULT ")]


def main():
    rivulet = os.path.abspath(sys.argv[1])
    os.environ["RIVULET"] = rivulet
    sys.path.insert(0, os.path.join(top, "tests", "host"))
    import test_usd_stage
    if not shutil.which("npm") or not shutil.which("node"):
        print("npm and node are not installed: skipped")
        return 77
    where = tempfile.mkdtemp(prefix="rivulet_tinyusdz_")
    try:
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "tinyusdz@" + VERSION], cwd=where, check=True)
        with open(os.path.join(where, "reader.mjs"), "w", encoding="utf-8") as stream:
            stream.write(READER)
        scene, out = os.path.join(where, "scene.json"), os.path.join(where, "out")
        with open(scene, "w", encoding="utf-8") as stream:
            json.dump(test_usd_stage.SCENE, stream)
        test_usd_stage.run("cook", scene, "--out", out, "--quiet")
        stages = [os.path.join(out, name) for name in sorted(os.listdir(out)) if name.endswith(".usda")]
        for curves in ("linear", "catmullrom", "bspline"):
            stages.append(os.path.join(out, curves + "_strands.usda"))
            test_usd_stage.run("convert", os.path.join(out, "strands.$F4.bgeo.sc"), stages[-1], "--frames", "1-3", "--curves", curves)
        minimal, broken = os.path.join(where, "minimal.usda"), os.path.join(where, "broken.usda")
        with open(minimal, "w", encoding="utf-8") as stream:
            stream.write(MINIMAL)
        with open(stages[0], encoding="utf-8") as stream:
            text = stream.read()
        # a seeded fault: points of another type
        with open(broken, "w", encoding="utf-8") as stream:
            stream.write(text.replace("point3f[] points", "float[] points", 1))
        for got in read(where, [minimal, broken]):
            assert got["layer"] is False or got["scene"] is False, got
        for got in read(where, stages):
            assert got["layer"], got
        plain = [without_reader(path, os.path.join(where, "plain_%d.usda" % i)) for i, path in enumerate(stages)]
        for path, got in zip(stages, read(where, plain)):
            assert got["layer"] and got["scene"] and not got["error"], (path, got)
            assert got["meshes"] == 1 or "strands" in path, (path, got)
        print("tinyusdz %s reads %d stages" % (VERSION, len(stages)))
    finally:
        shutil.rmtree(where)
    return 0


if __name__ == "__main__":
    sys.exit(main())
