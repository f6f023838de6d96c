"""The program of docs/embedding.md: compiled against an installation by pkg-config and by CMake, it gives the same hash in every
frame as `rivulet cook` of the same arrays as a scene of files."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["RV_SOURCE_DIR"], "tests", "support"))
from package import BUILD, TOP  # noqa: E402

import rivulet as rv  # noqa: E402

HAIRS, POINTS, SIDE, FRAMES = 16, 9, 10, 6
UNIT = 1 / 256  # whole multiples of it are exact in floats and doubles


def check(truth, what):
    if not truth:
        sys.exit("FAILED: " + what)


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    check(done.returncode == 0, "%s: %s%s" % (" ".join(command), done.stdout, done.stderr))
    return done.stdout


def blocks(language):
    with open(os.path.join(TOP, "docs", "embedding.md"), encoding="utf-8") as stream:
        return re.findall(r"```%s\n(.*?)```" % language, stream.read(), flags=re.S)


def hashes(output):
    found = re.findall(r"^frame (\d+): film (\S+) m3, .* hash ([0-9a-f]{16})$", output, flags=re.M)
    check([int(frame) for frame, _, _ in found] == list(range(2, FRAMES + 1)), "unexpected output: " + output)
    check(all(float(film) > 0 for _, film, _ in found), "no film: " + output)
    return [text for _, _, text in found]


def by_pkg_config(folder, prefix, source):
    environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(prefix, "lib", "pkgconfig"))
    flags = run(["pkg-config", "--cflags", "--libs", "rivulet"], env=environment).split()
    check(flags[-1] == "-lrivulet" and sum(flag.startswith("-l") for flag in flags) == 1, "libraries: %s" % flags)
    program = os.path.join(folder, "dip")
    run(["cc", "-std=c17", "-Wall", "-Wextra", "-Werror", source, *flags, "-o", program])
    return run([program], env=dict(os.environ, LD_LIBRARY_PATH=os.path.join(prefix, "lib")))


def by_cmake(folder, prefix):
    with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as stream:
        stream.write(blocks("cmake")[0])
    build = os.path.join(folder, "build")
    run(["cmake", "-S", folder, "-B", build, "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_BUILD_TYPE=Release"])
    run(["cmake", "--build", build])
    return run([os.path.join(build, "dip")])


def by_scene(folder):
    """The arrays of the program as files, and the scene that reads them."""
    for frame in range(1, FRAMES + 1):
        hair = rv.Detail()
        hair.add_curves(HAIRS, POINTS, [(UNIT * (2 * (h % 4) - 3), UNIT * (3 * (POINTS - p) + frame - 1), UNIT * (2 * (h // 4) - 3))
                                        for h in range(HAIRS) for p in range(POINTS)])
        hair.save(os.path.join(folder, "hair.%04d.bgeo.sc" % frame))
    water = rv.Detail()
    water.add_points([(UNIT * (i % SIDE - 4.5), UNIT * (i // SIDE % SIDE + 0.5), UNIT * (i // SIDE // SIDE - 4.5))
                      for i in range(SIDE**3)])
    water.points.set("volume", [UNIT**3] * SIDE**3, type="f8")
    water.save(os.path.join(folder, "water.bgeo.sc"))
    scene = {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": {
        "hair": {"type": "file", "parms": {"file": os.path.join(folder, "hair.$F4.bgeo.sc"), "missingframe": "hold"}},
        "water": {"type": "file", "parms": {"file": os.path.join(folder, "water.bgeo.sc")}},
        "wet": {"type": "wetsolver", "inputs": ["hair", "water"],
                "parms": {"walls": True, "wallsmin": [-0.02, 0, -0.02], "wallsmax": [0.02, 1, 0.02]}}}}
    path, report = os.path.join(folder, "dip.json"), os.path.join(folder, "report.jsonl")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene, stream)
    run([os.environ["RIVULET"], "cook", path, "--out", folder, "--report", report, "--quiet"])
    with open(report, encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    return [line["hash"] for line in lines if "hash" in line and line["frame"] > 1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "prefix")
        run(["cmake", "--install", BUILD, "--prefix", prefix])
        source = os.path.join(folder, "dip.c")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(blocks("c")[0])
        compiled = hashes(by_pkg_config(folder, prefix, source))
        check(hashes(by_cmake(folder, prefix)) == compiled, "the two programs differ")
        cooked = by_scene(folder)
        check(cooked == compiled, "hashes of the program %s and of the scene %s" % (compiled, cooked))
    # the page explains every function
    with open(os.path.join(TOP, "docs", "embedding.md"), encoding="utf-8") as stream:
        page = stream.read()
    for header in ("solver.h", "host.h"):
        with open(os.path.join(TOP, "include", "rivulet", header), encoding="utf-8") as stream:
            text = re.sub(r"//[^\n]*", "", stream.read())
        for name in set(re.findall(r"\b(rv_(?:sim|host)_\w+)\(", text)):
            check("`%s`" % name in page, "docs/embedding.md does not explain %s" % name)
    print("%d frames with the same hash: by pkg-config, by CMake, by a scene" % len(compiled))


main()
