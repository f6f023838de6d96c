"""Every node has an example network (docs/scenes/nodes/TYPE.json) that uses it and cooks without a warning, and a small picture of
it that our own flipbook drew; docs/examples.md shows them all. Three pictures are drawn again and compared."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

TOP, RIVULET = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."), os.environ["RIVULET"]
FOLDER = os.path.join(TOP, "docs", "scenes", "nodes")
SIZE, MOST_BYTES = (160, 120), 40000
AGAIN = ("tube", "groom", "grid")  # of few primitives, of many, and flat
# grey levels of 255: the renderer may change its last digits, not what is to be seen
MEAN_DIFFERENCE = 2.0


def pixels(path):
    """Width, height and rows of RGB bytes of a PNG with 8 bits a channel."""
    with open(path, "rb") as stream:
        data = stream.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    at, packed, head = 8, b"", None
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body), path
        head = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else head
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height, depth, color = head[:4]
    assert depth == 8 and color in (2, 6), head
    channels = 3 if color == 2 else 4
    raw, stride, rows, before = zlib.decompress(packed), width * channels, [], bytes(width * channels)
    for y in range(height):
        filtered, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            a, b = line[x - channels] if x >= channels else 0, before[x]
            c = before[x - channels] if x >= channels else 0
            near = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[x] = (line[x] + (0, a, b, (a + b) // 2, near)[filtered]) & 255
        rows.append(bytes(line))
        before = line
    return width, height, [bytes(row[x] for x in range(stride) if x % channels < 3) for row in rows]


def check_picture(type, wrong):
    path = os.path.join(FOLDER, type + ".png")
    if not os.path.exists(path):
        wrong.append("%s has no picture" % type)
        return
    width, height, rows = pixels(path)
    colours = {row[x:x + 3] for row in rows for x in range(0, len(row), 3)}
    if (width, height) != SIZE or os.path.getsize(path) > MOST_BYTES:
        wrong.append("the picture of %s is %d x %d and has %d bytes" % (type, width, height, os.path.getsize(path)))
    # an empty room has a few hundred
    if len(colours) < 500:
        wrong.append("the picture of %s has %d colours only" % (type, len(colours)))


def last_frame(type):
    with open(os.path.join(FOLDER, type + ".json"), encoding="utf-8") as stream:
        return int(json.load(stream)["frames"][1])


def draw_again(type, folder, wrong):
    """Draws a picture anew, as otls/pictures.py does, and compares."""
    path, frame = os.path.join(folder, type + ".png"), last_frame(type)
    subprocess.run([RIVULET, "flipbook", os.path.join(FOLDER, type + ".json"), "--frames", "%d-%d" % (frame, frame), "--size", "%dx%d" % SIZE,
                    "--quality", "normal", "--quiet", "--threads", "1", "--out", os.path.join(folder, type), "-o", path], check=True)
    new, kept = b"".join(pixels(path)[2]), b"".join(pixels(os.path.join(FOLDER, type + ".png"))[2])
    mean = sum(abs(a - b) for a, b in zip(new, kept)) / len(new)
    print("%s drawn again: mean difference %.3f of 255" % (type, mean))
    if mean > MEAN_DIFFERENCE:
        wrong.append("the picture of %s is stale: run otls/pictures.py" % type)


def cook(type, folder, wrong):
    path = os.path.join(FOLDER, type + ".json")
    if not os.path.exists(path):
        wrong.append("%s has no example" % type)
        return
    with open(path, encoding="utf-8") as stream:
        nodes = json.load(stream)["nodes"]
    if not any(node["type"] == type for node in nodes.values()):
        wrong.append("the example of %s does not use it" % type)
    out = os.path.join(folder, type)
    done = subprocess.run([RIVULET, "cook", path, "--out", out, "--threads", "1", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        wrong.append("%s: %s" % (type, done.stderr[-300:]))
        return
    caches = [name for name, node in nodes.items() if node["type"] == "filecache"]
    for name in caches:
        frame = "%04d" % last_frame(type)
        pattern = nodes[name]["parms"]["file"].replace("$OUT", out).replace("$OS", name).replace("$F4", frame)
        info = json.loads(subprocess.run([RIVULET, "info", "--json", pattern], capture_output=True, text=True, check=True).stdout)
        if not pattern.endswith(".vdb") and not info["points"]:
            wrong.append("%s: %s holds nothing" % (type, os.path.basename(pattern)))


def main():
    wrong = []
    types = [row["type"] for row in json.loads(subprocess.run([RIVULET, "nodes", "--json"], capture_output=True, text=True, check=True).stdout)]
    with open(os.path.join(TOP, "docs", "examples.md"), encoding="utf-8") as stream:
        page = stream.read()
    shown = re.findall(r"!\[[^]]*\]\(scenes/nodes/(\w+)\.png\)", page)
    linked = re.findall(r"\]\(scenes/nodes/(\w+)\.json\)", page)
    if sorted(shown) != sorted(types) or sorted(linked) != sorted(types):
        wrong.append("docs/examples.md lacks %s" % sorted(set(types) - (set(shown) & set(linked))))
    with tempfile.TemporaryDirectory(prefix="rivulet_examples_") as folder:
        for type in types:
            cook(type, folder, wrong)
            check_picture(type, wrong)
        for type in AGAIN:
            draw_again(type, folder, wrong)
    print("\n".join(wrong) or "%d examples cook, each with its picture" % len(types))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
