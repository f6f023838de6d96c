"""An .exr of the flipbook, read back by other programs: ffmpeg's own decoder for the colours, and a reader of the file format's
description here for the layers. Depth, normals, ids and wetness are those of the scene; the colours are those of the .png before tone
mapping; the look of `wetness` is seen."""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import zlib

RIVULET = os.environ["RIVULET"]
WIDTH, HEIGHT = 64, 48


def scene(extra):
    return {"rivulet": 1, "fps": 24, "frames": [1, 1], "nodes": {
        "wall": {"type": "grid", "parms": {"size": [2, 2], "rows": 2, "cols": 2, "orient": "xy"}},
        "hair": {"type": "groom", "parms": {"count": 300, "length": 0.5, "points": 8, "size": 0.4, "widthscale": 400}},
        "lift": {"type": "transform", "inputs": ["hair"], "parms": {"t": [0, -0.25, 0.5]}},
        "film": {"type": "attribute", "inputs": ["lift"], "parms": {"name": "filmheight", "value": [6e-5, 0, 0, 0]}},
        "wet": {"type": "wetness", "inputs": ["film"], "parms": extra},
        "camera": {"type": "camera", "parms": {"t": [0, 0, 3], "target": [0, 0, 0], "fov": 30, "resx": WIDTH, "resy": HEIGHT}}}}


def flipbook(folder, name, output, extra):
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene(extra), stream)
    result = os.path.join(folder, output)
    subprocess.run([RIVULET, "flipbook", path, "--quiet", "-o", result], check=True)
    return result


def channels(path):
    """All channels of a scan-line .exr with ZIP compression and 32-bit floats, by the OpenEXR file layout."""
    with open(path, "rb") as stream:
        data = stream.read()
    assert data[:4] == b"\x76\x2f\x31\x01", "not an .exr"
    at, head = 8, {}
    while data[at]:
        name = data[at:data.index(b"\0", at)]
        at += len(name) + 1
        kind = data[at:data.index(b"\0", at)]
        at += len(kind) + 1
        size, = struct.unpack_from("<i", data, at)
        head[name.decode()] = data[at + 4:at + 4 + size]
        at += 4 + size
    at += 1
    names, list_at = [], 0
    while head["channels"][list_at]:
        end = head["channels"].index(b"\0", list_at)
        names.append(head["channels"][list_at:end].decode())
        assert struct.unpack_from("<i", head["channels"], end + 1)[0] == 2, "not 32-bit floats"
        list_at = end + 17
    assert head["compression"] == b"\x03", "not ZIP"
    x0, y0, x1, y1 = struct.unpack("<4i", head["dataWindow"])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    out = {name: [] for name in names}
    for block in range((height + 15) // 16):
        place, = struct.unpack_from("<Q", data, at + 8 * block)
        y, size = struct.unpack_from("<ii", data, place)
        raw = data[place + 8:place + 8 + size]
        rows = min(16, height - (y - y0))
        if size < 4 * width * rows * len(names):
            raw = zlib.decompress(raw)
            # undo the predictor, then the split into low and high halves
            line = bytearray(raw)
            for i in range(1, len(line)):
                line[i] = (line[i - 1] + line[i] - 128) & 255
            half = (len(line) + 1) // 2
            raw = bytearray(len(line))
            raw[0::2], raw[1::2] = line[:half], line[half:]
        for row in range(rows):
            for k, name in enumerate(names):
                start = 4 * width * (row * len(names) + k)
                out[name] += struct.unpack_from("<%df" % width, raw, start)
    return width, height, out


def main():
    wrong = []

    def check(good, text):
        if not good:
            wrong.append(text)

    with tempfile.TemporaryDirectory() as folder:
        exr = flipbook(folder, "a", "a.exr", {})
        width, height, layers = channels(exr)
        check((width, height) == (WIDTH, HEIGHT), "the size is %d x %d" % (width, height))
        check(sorted(layers) == ["A", "B", "G", "N.X", "N.Y", "N.Z", "R", "Z", "id.Y", "wetness.Y"], "channels: %s" % sorted(layers))
        # ffmpeg reads the colours
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", exr, "-f", "rawvideo", "-pix_fmt", "gbrapf32le", "-"], check=True,
                             stdout=subprocess.PIPE).stdout
        count = WIDTH * HEIGHT
        planes = struct.unpack("<%df" % (len(raw) // 4), raw)
        for k, name in enumerate(("G", "B", "R")):
            check(len(planes) == 4 * count, "ffmpeg gives %d numbers" % len(planes))
            worst = max(abs(a - b) for a, b in zip(planes[k * count:(k + 1) * count], layers[name]))
            check(worst == 0, "ffmpeg reads another %s, by %g" % (name, worst))
        # a corner shows the wall: 3 along the view, facing the camera, the first output, dry
        corner = WIDTH * 4 + 8
        check(abs(layers["Z"][corner] - 3) < 1e-3, "depth of the wall: %g" % layers["Z"][corner])
        check(abs(layers["N.Z"][corner] - 1) < 1e-3, "normal of the wall: %g" % layers["N.Z"][corner])
        check(layers["wetness.Y"][corner] == 0 and layers["A"][corner] == 1, "the wall is wet (%g) or has holes (%g)" % (layers["wetness.Y"][corner], layers["A"][corner]))
        # the middle shows wet hair before the wall, another output
        middle = max(range(count), key=lambda i: layers["wetness.Y"][i])
        check(layers["Z"][middle] < 2.8, "depth of the hair: %g" % layers["Z"][middle])
        check(layers["id.Y"][middle] > 0 and layers["id.Y"][middle] != layers["id.Y"][corner], "ids are the same")
        check(0.9 < layers["wetness.Y"][middle] <= 1, "wetness of the hair: %g" % layers["wetness.Y"][middle])
        for i in range(count):
            n = math.sqrt(sum(layers["N." + k][i] ** 2 for k in "XYZ"))
            if layers["A"][i] > 0 and abs(n - 1) > 1e-3 and n > 1e-3:
                wrong.append("the normal of pixel %d has length %g" % (i, n))
                break
        # what wetness sets is what is seen
        seen = {"as it is": layers["R"]}
        for name, extra in (("baseroughness 0.05", {"baseroughness": 0.05}), ("baseroughness 1", {"baseroughness": 1}),
                            ("wetcolor", {"wetcolor": [1, 1, 1]}), ("basecolor", {"basecolor": [0.5, 0.4, 0.3]}),
                            ("width", {"widthramp": "0 3 linear, 1 3 linear"})):
            seen[name] = channels(flipbook(folder, "b", "b.exr", extra))[2]["R"]
        names = list(seen)
        for i, a in enumerate(names):
            for b in names[:i]:
                difference = sum(abs(x - y) for x, y in zip(seen[a], seen[b])) / count
                check(difference > 1e-4, "%s and %s give the same picture, to %g" % (a, b, difference))
    for text in wrong:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
