"""Wedges: every variation in its folder, a failed one is reported and run again alone, one labelled sheet of all."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib

RIVULET = os.environ["RIVULET"]
SCENE = {"rivulet": 1, "fps": 24, "frames": [1, 2], "nodes": {
    "skin": {"type": "file", "parms": {"file": "$HIP/a.geo"}},
    "hair": {"type": "groom", "inputs": ["skin"], "parms": {"count": 60, "length": 0.5, "points": 4, "radius": 0.01}},
    "out": {"type": "filecache", "inputs": ["hair"], "parms": {"file": "$OUT/hair.$F4.bgeo.sc"}}}}


def run(*words, code=0):
    done = subprocess.run([RIVULET, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stderr


def pixels(path):
    """Rows of a PNG of 8-bit RGB."""
    with open(path, "rb") as stream:
        data = stream.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    raw, rows, line = zlib.decompress(packed), [], 3 * width
    before = bytearray(line)
    for y in range(height):
        kind, row = raw[y * (line + 1)], bytearray(raw[y * (line + 1) + 1:(y + 1) * (line + 1)])
        for i in range(line):
            left, up, corner = row[i - 3] if i >= 3 else 0, before[i], before[i - 3] if i >= 3 else 0
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[i] = (row[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
        rows.append(bytes(row))
        before = row
    return width, height, rows


def main():
    folder = tempfile.mkdtemp()
    scene, out = os.path.join(folder, "scene.json"), os.path.join(folder, "it's wedges")
    with open(scene, "w", encoding="utf-8") as stream:
        json.dump(SCENE, stream)
    ball = os.path.join(folder, "ball.json")
    with open(ball, "w", encoding="utf-8") as stream:
        json.dump({"rivulet": 1, "nodes": {"b": {"type": "sphere"}, "o": {
            "type": "filecache", "inputs": ["b"], "parms": {"file": "$HIP/a.geo"}}}}, stream)
    run("cook", ball, "--out", folder, "--quiet")

    # one of the two skins is not there yet
    said = run("wedge", scene, "--vary", "skin.file=$HIP/a.geo,$HIP/b.geo", "--vary", "hair.style=straight,wavy", "--out", out,
               "--size", "96x54", "--jobs", "2", code=1)
    assert said.count("FAILED") == 2 and said.count("done") == 2 and "--failed" in said, said
    for k in range(4):
        assert os.path.exists(os.path.join(out, "w%04d" % k, "done")) == (k < 2), k
    with open(os.path.join(out, "w0002", "log.txt"), encoding="utf-8") as stream:
        assert "b.geo" in stream.read()
    width, height, rows = pixels(os.path.join(out, "sheet.png"))
    first = os.stat(os.path.join(out, "w0000", "still.png")).st_mtime_ns

    shutil.copy(os.path.join(folder, "a.geo"), os.path.join(folder, "b.geo"))
    said = run("wedge", out, "--failed")
    assert said.count("done") == 2 and "w0000" not in said, said
    assert os.stat(os.path.join(out, "w0000", "still.png")).st_mtime_ns == first, "what was done was done again"
    again = pixels(os.path.join(out, "sheet.png"))
    assert again[:2] == (width, height) and again[2] != rows, "the sheet is not new"
    # the picture of the first variation stands in the first cell: it is no flat grey
    cell = {bytes(row[3 * x:3 * x + 3]) for row in again[2][30:270:7] for x in range(30, 480, 7)}
    assert len(cell) > 30, "the first cell is empty"
    # a picture that was damaged since is told, and marked on the sheet; it is no lack of memory
    still = os.path.join(out, "w0001", "still.png")
    shutil.copy(still, folder)
    for damage in (b"", b"\x89PNG\r\n"):
        with open(still, "wb") as stream:
            stream.write(damage)
        said = run("wedge", out, "--sheet")
        assert "w0001 is marked as failed" in said and "still.png" in said and "w0000" not in said, said
        assert pixels(os.path.join(out, "sheet.png"))[2] != again[2], "the sheet still shows the picture"
    shutil.copy(os.path.join(folder, "still.png"), still)
    run("wedge", out, "--sheet")
    assert pixels(os.path.join(out, "sheet.png")) == again, "the sheet is another one"
    # a value reaches the cook
    with open(os.path.join(out, "wedge.json"), encoding="utf-8") as stream:
        assert json.load(stream)["vary"][1] == {"parm": "hair.style", "values": ["straight", "wavy"]}
    hair = [open(os.path.join(out, "w%04d" % k, "hair.0001.bgeo.sc"), "rb").read() for k in range(4)]
    assert hair[0] == hair[2] and hair[1] == hair[3] and hair[0] != hair[1]

    for words, text in ((["wedge", scene, "--vary", "hair.count=5,-1", "--out", out], "at least 1"),
                        (["wedge", scene, "--vary", "hair.cuont=5", "--out", out], "count"),
                        (["wedge", scene, "--vary", "hair.count", "--out", out], "NODE.PARM"),
                        (["wedge", scene, "--vary", "hair.count=1,,2", "--out", out], "empty"),
                        (["wedge", scene, "--vary", "hair.count=1", "--vary", "hair.count=2", "--out", out], "twice"),
                        (["wedge", scene, "--vary", "hair.count=1"], "--out"),
                        (["wedge", scene, "--out", out], "--vary"),
                        (["wedge", folder, "--failed"], "wedge.json"),
                        (["wedge", out, "--task", "9"], "no variation 9")):
        assert text in run(*words, code=1), words
    many = ["wedge", scene, "--out", out]
    for token in ("seed", "count", "points"):
        many += ["--vary", "hair.%s=%s" % (token, ",".join(str(k + 3) for k in range(20)))]
    assert "more than 1000" in run(*many, code=1)
    with open(os.path.join(out, "wedge.json"), "w", encoding="utf-8") as stream:
        stream.write('{"scene": "x", "vary": [{"parm": "a.b", "values": [1]}]}')
    assert "damaged" in run("wedge", out, "--failed", code=1)
    shutil.rmtree(folder)
    print("wedges are as they should be")


if __name__ == "__main__":
    sys.exit(main())
