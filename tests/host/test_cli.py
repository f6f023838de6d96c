"""The words and exit codes of the command line: 0 done, 1 the input is wrong, 130 interrupted; every error says why."""
import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile

RIVULET = os.environ["RIVULET"]
SCENE = """{ "rivulet": 1, "fps": 24, "frames": [1, 3], "nodes": {
  "ball": { "type": "sphere", "parms": { "radius": 0.1 } },
  "hair": { "type": "groom", "inputs": ["ball"], "parms": { "count": 50, "length": 0.05, "points": 8 } },
  "turn": { "type": "transform", "inputs": ["hair"], "parms": { "ry": { "keys": [[1, 0], [3, 90]], "interp": "linear" } } },
  "out": { "type": "filecache", "inputs": ["turn"], "parms": { "file": "$OUT/hair.$F4.bgeo.sc" } } } }"""


def run(*words, code=0, cwd=None):
    done = subprocess.run([RIVULET, *words], capture_output=True, text=True, cwd=cwd, timeout=120)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    if code == 1:
        lines = [line for line in done.stderr.split("\n") if line.startswith("rivulet: ")]
        assert len(lines) == 1, ("one clear error", words, done.stderr)
    return done


def fails(part, *words, cwd=None):
    done = run(*words, code=1, cwd=cwd)
    assert part in done.stderr, (words, part, done.stderr)


def check_usage(folder):
    assert "rivulet cook SCENE" in run("--help").stdout
    assert run("--version").stdout.startswith("rivulet ")
    assert run("cook", "--help").stdout.startswith("usage: rivulet cook")
    assert subprocess.run([RIVULET], capture_output=True).returncode == 1
    fails("unknown command 'fry'", "fry")
    fails("unknown option '--nope'", "cook", "scene.json", "--nope", cwd=folder)
    fails("takes one scene", "cook")
    fails("--threads takes a whole number", "cook", "scene.json", "--threads", "many", cwd=folder)
    fails("needs a value", "cook", "scene.json", "--out", cwd=folder)
    fails("not a frame range", "cook", "scene.json", "--frames", "9-2", cwd=folder)
    fails("go together", "cook", "scene.json", "--from", "x", cwd=folder)
    fails("missing.json", "cook", "missing.json", cwd=folder)


def check_cook(folder):
    run("cook", "scene.json", "--out", "o", "--report", "o/report.jsonl", "--threads", "1", "--quiet", cwd=folder)
    made = sorted(n for n in os.listdir(os.path.join(folder, "o")) if n.endswith(".sc"))
    assert made == ["hair.0001.bgeo.sc", "hair.0002.bgeo.sc", "hair.0003.bgeo.sc"], made
    with open(os.path.join(folder, "o", "report.jsonl"), encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    assert [line["frame"] for line in lines] == [1, 2, 3]
    wanted = {"frame", "seconds", "cpu_seconds", "substeps", "stages", "counts", "ledger", "iterations", "residuals",
              "warnings", "hash"}
    assert wanted <= set(lines[0]), wanted - set(lines[0])
    assert set(lines[0]["counts"]) == {"strands", "vertices", "particles", "tiles", "contacts", "bridges", "clumps"}
    assert lines[0]["counts"]["strands"] == 50 and lines[0]["counts"]["vertices"] == 400
    assert len({line["hash"] for line in lines}) == 3, "the strands turn, so every frame has its own hash"
    run("cook", "scene.json", "--out", "p", "--report", "p/report.jsonl", "--threads", "4", "--quiet", cwd=folder)
    with open(os.path.join(folder, "p", "report.jsonl"), encoding="utf-8") as stream:
        assert [json.loads(line)["hash"] for line in stream] == [line["hash"] for line in lines], "threads"
    fails("hair", "cook", "scene.json", "--set", "hair.cuont=3", cwd=folder)
    fails("count", "cook", "scene.json", "--set", "hair.cuont=3", cwd=folder)
    fails("harr", "cook", "scene.json", "--set", "harr.count=3", cwd=folder)
    fails("--report", "cook", "scene.json", "--report", "scene.json/x", cwd=folder)


def check_info(folder):
    facts = json.loads(run("info", "o/hair.0003.bgeo.sc", "--json", cwd=folder).stdout)
    assert facts["points"] == 400 and facts["curves"] == 50 and facts["kind"] == "geometry"
    names = {(a["owner"], a["name"]): a for a in facts["attributes"]}
    assert names["point", "P"]["size"] == 3 and names["point", "P"]["type"] == "fpreal32"
    low, high = facts["bounds"]
    assert -0.2 < low[0] < high[0] < 0.2 and names["point", "P"]["min"] == low
    assert re.search(r"point\s+P\s+fpreal32\[3\]", run("info", "o/hair.0003.bgeo.sc", cwd=folder).stdout)
    # of a list as long as a state's contacts only the ends are printed
    with open(os.path.join(folder, "long.geo"), "w", encoding="utf-8") as stream:
        json.dump(["pointcount", 0, "vertexcount", 0, "primitivecount", 0, "attributes", ["globalattributes", [
            [["scope", "public", "type", "numeric", "name", "many"],
             ["size", 2000, "storage", "fpreal32", "values", ["size", 2000, "storage", "fpreal32", "tuples",
                                                               [[i - 7 for i in range(2000)]]]]]]]], stream)
    lines = run("info", "long.geo", cwd=folder).stdout.split("\n")
    assert any("many" in line and "from -7 to 1992" in line for line in lines) and max(map(len, lines)) < 200, lines
    scene = json.loads(run("info", "scene.json", "--json", cwd=folder).stdout)
    assert scene["kind"] == "scene" and {n["type"] for n in scene["nodes"]} == {"sphere", "groom", "transform", "filecache"}
    fails("nothing.bgeo", "info", "nothing.bgeo", cwd=folder)
    fails("needs at least one file name", "info")


def check_convert(folder):
    run("convert", "o/hair.0001.bgeo.sc", "one.geo", cwd=folder)
    run("convert", "one.geo", "two.bgeo", cwd=folder)
    hashes = [json.loads(run("info", name, "--json", cwd=folder).stdout)["hash"]
              for name in ("o/hair.0001.bgeo.sc", "one.geo", "two.bgeo")]
    assert len(set(hashes)) == 1, hashes
    run("convert", "o/hair.$F4.bgeo.sc", "film.usda", "--frames", "1-3", cwd=folder)
    with open(os.path.join(folder, "film.usda"), encoding="utf-8") as stream:
        text = stream.read()
    assert text.startswith("#usda 1.0") and "timeSamples" in text and "endTimeCode = 3" in text
    run("convert", "o/hair.$F4.bgeo.sc", "q/hair.$F4.vtp", "--frames", "2-3", cwd=folder)
    assert sorted(os.listdir(os.path.join(folder, "q"))) == ["hair.0002.vtp", "hair.0003.vtp"]
    fails("is a sequence", "convert", "o/hair.$F4.bgeo.sc", "x.bgeo", cwd=folder)
    fails("hair.0009", "convert", "o/hair.$F4.bgeo.sc", "x.$F4.bgeo", "--frames", "9", cwd=folder)
    fails(".xyz", "convert", "one.geo", "one.xyz", cwd=folder)


def check_nodes():
    listing = run("nodes").stdout
    table = json.loads(run("nodes", "--json").stdout)
    assert len(table) >= 15 and all(row["type"] in listing for row in table)
    groom = json.loads(run("nodes", "groom", "--json").stdout)
    assert groom["type"] == "groom"
    assert "style" in run("nodes", "rivulet::groom::1.0").stdout
    assert run("nodes", "groom", "--ds").stdout.lstrip().startswith("{")
    fails("grom", "nodes", "grom")
    # a reader that has seen enough is no fault; a full disk is one, however long the text
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([RIVULET, "nodes", "groom"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode == 0 and not done.stderr, done
    with open("/dev/full", "w", encoding="utf-8") as full:
        for words in (["nodes"], ["nodes", "groom"]):
            done = subprocess.run([RIVULET, *words], stdout=full, stderr=subprocess.PIPE, check=False)
            assert done.returncode == 1 and b"disk full" in done.stderr, done


def check_flipbook(folder):
    small = ("--size", "64x36", "--quality", "draft", "--quiet")
    run("flipbook", "scene.json", *small, "-o", "still.png", cwd=folder)
    run("flipbook", "scene.json", *small, "-o", "pictures", cwd=folder)
    assert sorted(os.listdir(os.path.join(folder, "pictures"))) == [f"frame.{i:04d}.png" for i in (1, 2, 3)]
    run("flipbook", "o", *small, "--frames", "2", "--camera", "0.2,0.1,0.5,0,0,0,40", "-o", "cached.png", cwd=folder)
    with open(os.path.join(folder, "cached.png"), "rb") as stream:
        assert stream.read(8) == b"\x89PNG\r\n\x1a\n"
    for view in ("wetness", "age", "film", "clump", "speed", "beauty"):
        run("flipbook", "scene.json", *small, "--view", view, "-o", "view.png", cwd=folder)
    run("flipbook", "scene.json", *small, "--view", "speed", "--range", "0,2", "--liquid", "particles", "-o", "v.png",
        cwd=folder)
    run("flipbook", "scene.json", *small, "--shutter", "0.5", "--aperture", "0.01", "--focus", "1", "--exposure", "0.5",
        "-o", "blurred.png", cwd=folder)
    fails("--view", "flipbook", "scene.json", *small, "--view", "heat", "-o", "x.png", cwd=folder)
    fails("--liquid", "flipbook", "scene.json", *small, "--liquid", "foam", "-o", "x.png", cwd=folder)
    fails("--range", "flipbook", "scene.json", *small, "--range", "0,2", "-o", "x.png", cwd=folder)
    fails("--range", "flipbook", "scene.json", *small, "--view", "age", "--range", "2,0", "-o", "x.png", cwd=folder)
    fails("--shutter", "flipbook", "scene.json", *small, "--shutter", "-1", "-o", "x.png", cwd=folder)
    fails("-o", "flipbook", "scene.json", cwd=folder)
    fails("--size", "flipbook", "scene.json", "--size", "0x9", "-o", "x.png", cwd=folder)
    fails(".png", "flipbook", "scene.json", *small, "-o", "x.tiff", cwd=folder)
    assert not os.path.exists(os.path.join(folder, "x.tiff"))
    fails("cook that frame first", "flipbook", "scene.json", *small, "--cached", "--out", "none", "-o", "x.png", cwd=folder)
    fails("need a number", "flipbook", "scene.json", *small, "--frames", "1-3", "-o", "x.png", cwd=folder)
    fails("no file of frame 9", "flipbook", "o", *small, "--frames", "9", "-o", "x.png", cwd=folder)
    assert not os.path.exists(os.path.join(folder, "x.png"))


def check_live_line(folder):
    """On a terminal there is one line that is drawn again and again: frame, percent."""
    try:
        master, slave = pty.openpty()
    except OSError as error:  # a chroot without /dev/pts
        print("the live line was not tried:", error)
        return
    with subprocess.Popen([RIVULET, "cook", "scene.json", "--out", "t", "--set", "hair.count=20000", "--frames", "1-6"],
                          cwd=folder, stderr=slave, stdout=slave) as process:
        os.close(slave)
        shown = b""
        while True:
            ready, _, _ = select.select([master], [], [], 60)
            try:
                part = os.read(master, 4096) if ready else b""
            except OSError:
                part = b""
            if not part:
                break
            shown += part
        assert process.wait() == 0, shown
    os.close(master)
    assert re.search(rb"\rframe \d+/6 +\d+%", shown), shown


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "scene.json"), "w", encoding="utf-8") as stream:
            stream.write(SCENE)
        check_usage(folder)
        check_cook(folder)
        check_info(folder)
        check_convert(folder)
        check_nodes()
        check_flipbook(folder)
        check_live_line(folder)
    print("the command line keeps its words")
    return 0


sys.exit(main())
