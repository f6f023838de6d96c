"""Reads a .vtp with the standard library alone and compares it with the manifest beside it.

Usage: check_vtp.py FOLDER NAME...   (FOLDER/NAME.vtp against FOLDER/NAME.json)
"""
import json
import math
import struct
import sys
import xml.etree.ElementTree as ET

TYPES = {"Float32": "f", "Float64": "d", "Int8": "b", "UInt8": "B", "Int32": "i", "Int64": "q"}
HOUDINI = {"fpreal16": "Float32", "fpreal32": "Float32", "fpreal64": "Float64", "int8": "Int8", "int32": "Int32",
           "int64": "Int64", "string": "String"}


def read(path):
    data = open(path, "rb").read()
    at = data.index(b"<AppendedData")
    start = data.index(b"_", at) + 1
    end = data.rindex(b"\n  </AppendedData>")
    root = ET.fromstring(data[:at] + b"</VTKFile>")
    assert root.attrib["type"] == "PolyData" and root.attrib["header_type"] == "UInt64"
    assert root.attrib["byte_order"] == "LittleEndian"
    blob, arrays, spans = data[start:end], {}, []
    piece = root.find("PolyData/Piece")
    counts = {k: int(v) for k, v in piece.attrib.items()}
    for section in [root.find("PolyData/FieldData")] + list(piece):
        for array in section:
            offset = int(array.attrib["offset"])
            (size,) = struct.unpack_from("<Q", blob, offset)
            body = blob[offset + 8:offset + 8 + size]
            assert len(body) == size, "an array ends behind the file"
            spans.append((offset, offset + 8 + size))
            kind, width = array.attrib["type"], int(array.attrib["NumberOfComponents"])
            if kind == "String":
                assert size == 0 or body[-1] == 0
                values = body.decode("utf-8").split("\0")[:-1]
            else:
                code = TYPES[kind]
                values = struct.unpack("<%d%s" % (size // struct.calcsize(code), code), body)
            assert len(values) % width == 0
            arrays[section.tag, array.attrib["Name"]] = (kind, width, values)
    # the arrays fill the data exactly, with neither gap nor overlap
    spans.sort()
    assert spans[0][0] == 0 and spans[-1][1] == len(blob)
    assert all(a[1] == b[0] for a, b in zip(spans, spans[1:]))
    return counts, arrays


def check_cells(arrays, section, cells, points):
    _, _, connectivity = arrays[section, "connectivity"]
    _, _, offsets = arrays[section, "offsets"]
    assert len(offsets) == cells, (section, len(offsets), cells)
    assert list(offsets) == sorted(offsets) and (not cells or offsets[-1] == len(connectivity))
    assert all(0 <= p < points for p in connectivity)


def check(folder, name):
    want = json.load(open("%s/%s.json" % (folder, name)))
    counts, arrays = read("%s/%s.vtp" % (folder, name))
    assert counts["NumberOfPoints"] == want["points"]
    for word, section in (("verts", "Verts"), ("lines", "Lines"), ("polys", "Polys")):
        assert counts["NumberOf" + section] == want[word], (section, counts)
        check_cells(arrays, section, want[word], want["points"])
    cells = want["verts"] + want["lines"] + want["polys"]
    sections = {"point": ("PointData", want["points"]), "vertex": ("PointData", want["points"]),
                "prim": ("CellData", cells), "detail": ("FieldData", 1)}
    expected = {(s, a) for s in ("Verts", "Lines", "Polys") for a in ("connectivity", "offsets")}
    for attribute in want["attributes"]:
        section, count = sections[attribute["owner"]]
        key = (section, attribute["name"]) if attribute["name"] != "P" else ("Points", "Points")
        expected.add(key)
        kind, width, values = arrays[key]
        assert kind == HOUDINI[attribute["storage"]] and width == attribute["size"], (key, kind, width)
        assert len(values) == count * width, (key, len(values))
        if kind == "String":
            assert list(values) == attribute["texts"], key
        else:
            finite = [x for x in values if not math.isnan(x)]
            assert min(finite) == attribute["min"] and max(finite) == attribute["max"], (key, min(finite), max(finite))
    for group in want["groups"]:
        section, count = sections[group["owner"]]
        key = (section, "group_" + group["name"])
        expected.add(key)
        kind, width, values = arrays[key]
        assert kind == "UInt8" and width == 1 and len(values) == count and sum(values) == group["members"], key
    assert expected == set(arrays), expected ^ set(arrays)
    return counts, arrays


def main():
    for name in sys.argv[2:]:
        counts, arrays = check(sys.argv[1], name)
        if name == "mixed":
            # the tetrahedron's faces must look outwards in VTK's counter-clockwise sense: its volume is +1/6
            points, polys = arrays["Points", "Points"][2], arrays["Polys", "connectivity"][2]
            p = [points[3 * i:3 * i + 3] for i in polys]
            volume = sum(a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                         + a[2] * (b[0] * c[1] - b[1] * c[0]) for a, b, c in zip(p[::3], p[1::3], p[2::3])) / 6
            assert abs(volume - 1 / 6) < 1e-12, volume
            # cells in VTK's order: two free points, the curve of one point, the curve, the faces
            assert arrays["CellData", "piece"][2] == (0, 0, 15, 10, 11, 12, 13, 14), arrays["CellData", "piece"]
        print(name, counts)


main()
