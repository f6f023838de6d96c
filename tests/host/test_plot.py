"""rivulet plot draws a cook's report as SVG and PNG, and says in which line a report is wrong."""
import json
import os
import re
import struct
import subprocess
import xml.etree.ElementTree as tree
import zlib

import host_run as h

SVG = "{http://www.w3.org/2000/svg}"


def plot(*words):
    return subprocess.run([h.HOST, "plot", *words], capture_output=True, text=True, timeout=60)


def line(frame, **more):
    row = {"frame": frame, "seconds": 1.5, "cpu_seconds": 2.5, "substeps": 3, "iterations": 7,
           "stages": {"strands": 1.0, "write": 0.25}, "counts": {"strands": 10, "particles": 100 * frame},
           "ledger": {"bulk": 2e-6, "film": 1e-6, "absorbed": 0, "initial": 3e-6, "sources": frame * 1e-7,
                      "sinks": {"killed": frame * 1e-7, "evaporated": 0, "outflow": 0}, "total": 3e-6, "drift": 1e-15},
           "warnings": []}
    row.update(more)
    return json.dumps(row)


def pixels(path):
    """Width, height and the rows of an 8-bit RGB PNG, by the format's own rules."""
    with open(path, "rb") as f:
        data = f.read()
    h.check(data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG")
    at, packed, head = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", data[at + 8:at + 8 + size])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    width, height, depth, color = head[:4]
    h.check((depth, color) == (8, 2), f"depth {depth}, colour {color}")
    raw, stride, before, rows = zlib.decompress(packed), 3 * width, bytearray(3 * width), []
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind == 1:
            for i in range(3, stride):
                row[i] = (row[i] + row[i - 3]) & 255
        elif kind == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, before))
        elif kind:
            for i in range(stride):
                a, b, c = (row[i - 3] if i > 2 else 0), before[i], (before[i - 3] if i > 2 else 0)
                pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                paeth = a if pa <= pb and pa <= pc else b if pb <= pc else c
                row[i] = (row[i] + ((a + b) // 2 if kind == 3 else paeth)) & 255
        rows.append(row)
        before = row
    return width, height, rows


def write(name, text):
    path = os.path.join(where, name)
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


where = h.folder()

# a report of a real cook
scene = h.write_scene(where)
report = os.path.join(where, "cook.jsonl")
h.must_cook(scene, os.path.join(where, "out"), "--report", report)
done = plot(report)
h.check(done.returncode == 0, done.stderr)
svg, png = os.path.join(where, "cook.svg"), os.path.join(where, "cook.png")
h.check(done.stdout.split() == [svg, png], done.stdout)
root = tree.parse(svg).getroot()
texts = [t.text for t in root.iter(SVG + "text")]
for title in ("Liquid", "Drift of the ledger", "Time by stage", "Substeps and iterations", "Counts", "cook.jsonl"):
    h.check(title in texts, f"no text {title}")
with open(report, encoding="utf-8") as f:
    frames = [json.loads(row) for row in f]
stages = {name for row in frames for name in row["stages"]}
h.check(sum(name in texts for name in stages) >= min(len(stages), 11), f"stages {stages} in {texts}")

# what is drawn is what was measured: the places of a line, read back
path = write("made.jsonl", "\n".join(line(f, substeps=f * f) for f in range(1, 11)) + "\n")
done = plot(path, "-o", os.path.join(where, "a.svg"), "-o", os.path.join(where, "a.png"))
h.check(done.returncode == 0 and not done.stdout, done.stderr)
root = tree.parse(os.path.join(where, "a.svg")).getroot()
lines = [[tuple(map(float, p.split(","))) for p in e.get("points").split()] for e in root.iter(SVG + "polyline")]
curves = [c for c in lines if len(c) == 10]
parabola = [c for c in curves if len({y for _, y in c}) == 10]
best = 1e9
for c in parabola:
    (x0, y0), (x1, y1) = c[0], c[9]
    best = min(best, max(abs((y - y0) / (y1 - y0) - (k * k + 2 * k) / 99) + abs((x - x0) / (x1 - x0) - k / 9)
                         for k, (x, y) in enumerate(c)))
h.check(best < 1e-3, f"no line goes as the substeps do: {best}")
# 10 columns of 1 s and 0.25 s: the stacked areas are in that ratio
areas = [e for e in root.iter(SVG + "polygon") if e.get("fill") in ("#2f6db3", "#e9962e")]


def area(e):
    p = [tuple(map(float, q.split(","))) for q in e.get("points").split()]
    return abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(p, p[1:] + p[:1]))) / 2


big = {e.get("fill"): area(e) for e in areas if len(e.get("points").split()) > 4}
h.check(abs(big["#e9962e"] / big["#2f6db3"] - 1.25) < 1e-3, f"areas {big}")

# the PNG has the same areas in the same colours
width, height, rows = pixels(os.path.join(where, "a.png"))
scale = width / float(root.get("width"))
count = sum(bytes(row[i:i + 3]) == b"\x2f\x6d\xb3" for row in rows for i in range(0, 3 * width, 3))
h.check(abs(count / (scale * scale * big["#2f6db3"]) - 1) < 0.05, f"{count} blue pixels for {big}")
dark = sum(sum(row[i:i + 3]) < 200 for row in rows[:int(70 * scale)] for i in range(0, 3 * width, 3))
h.check(dark > 200, "the title is not written")

# odd but right: one frame, no liquid, gaps, a frame that comes twice, thousands of frames, odd names
one = {"bulk": 0, "film": 0, "absorbed": 0, "initial": 0, "sources": 0, "drift": 0,
       "sinks": {"killed": 0, "evaporated": 0, "outflow": 0}}
odd = {
    "one": line(5, ledger=one, stages={}, counts={}),
    "twice": "\n".join([line(1), line(2, substeps=99), "", line(2), line(3)]),
    "null": "\n".join([line(1), line(2, seconds=None), line(3)]),
    "many": "\n".join(line(f) for f in range(1, 5001)),
    "names": line(1, stages={"<b>&\"'\u00e4" + "x" * 300: 1}, warnings=["]]> <script> \u00fc" * 50]),
    "huge": "\n".join([line(1, seconds=1e99), line(1e9, substeps=1e99)]),
    "tiny": "\n".join([line(1, seconds=1e-300), line(1.25, substeps=0)]),
    "minus": "\n".join([line(-5, seconds=-1), line(-4, counts={"tiles": -3})]),
}
for name, text in odd.items():
    path = write(name + ".jsonl", text)
    done = plot(path, "-o", path.replace(".jsonl", ".svg"), *(["-o", path.replace(".jsonl", ".png")] if name == "huge" else []))
    h.check(done.returncode == 0, f"{name}: {done.returncode} {done.stderr}")
    root = tree.parse(path.replace(".jsonl", ".svg")).getroot()
    for e in root.iter():
        for value in (e.get("points") or "").replace(",", " ").split():
            h.check(re.fullmatch(r"-?[0-9.e+-]+", value) and abs(float(value)) <= 1e5, f"{name}: {value}")
twice = [t.text for t in tree.parse(os.path.join(where, "twice.svg")).getroot().iter(SVG + "text")]
h.check("9 in all" in twice, f"of a frame that comes twice the later counts: {twice}")
many = [t.text for t in tree.parse(os.path.join(where, "many.svg")).getroot().iter(SVG + "text")]
h.check("15000 in all" in many, f"sums are of all frames: {many}")

# wrong ones are told with their line, and write nothing
good = line(1)
wrong = {
    "empty": ("", ":1: the report is empty"),
    "blank": ("\n \n", ":1: the report is empty"),
    "cut": (good + "\n" + line(2)[:90], ":2: this is not a line of a report"),
    "text": (good + "\nhello\n", ":2: this is not a line of a report"),
    "list": ("[1, 2]\n", ":1: a line of a report is an object"),
    "noframe": (good + '\n\n{"seconds": 1}\n', ":3: there is no number 'frame'"),
    "nostages": ('{"frame": 1, "seconds": 1, "cpu_seconds": 1, "substeps": 1, "iterations": 1}', ":1: there is no 'stages'"),
    "words": (line(1, stages={"write": "long"}), ":1: this should be a number: 'write'"),
    "sinks": (line(1, ledger={"sinks": 3}), ":1: this should be an object: 'sinks'"),
    "warnings": (line(1, warnings=[3]), ":1: these should be texts: 'warnings'"),
    "absurd": (line(1e30), ":1: this number is out of range: 'frame'"),
    "overflow": ('{"frame": 1e999}', ":1: this is not a line of a report"),
    "columns": (line(1, stages={f"s{k}": 1 for k in range(500)}), ":1: too many different columns"),
    "deep": ("[" * 100000, ":1: this is not a line of a report"),
    "zero": (good.encode() + b"\n{\0}\n", ":2: there is a zero byte"),
    "noise": (bytes(range(1, 256)) * 20, ":1: this is not a line of a report"),
}
for name, (text, message) in wrong.items():
    path = write(name + ".jsonl", text)
    done = plot(path)
    h.check(done.returncode == 1 and name + ".jsonl" + message in done.stderr and done.stderr.count("\n") == 1,
            f"{name}: {done.returncode} {done.stderr[:300]}")
    h.check(not os.path.exists(path.replace(".jsonl", ".svg")), f"{name} was drawn")
made = os.path.join(where, "made.jsonl")
for words, message in ((["missing.jsonl"], "missing.jsonl"), ([], "one report"), ([made, "-o", "x.jpg"], ".svg or .png"),
                       ([made, made], "one report"), ([made, "--what"], "unknown option")):
    done = plot(*words)
    h.check(done.returncode == 1 and message in done.stderr, f"{words}: {done.stderr}")
h.check(not h.temporaries(where), "temporaries are left")
h.clean(where)
print(f"{len(odd)} odd and {len(wrong)} wrong reports")
