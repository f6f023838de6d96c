"""An independent reader of .geo, .bgeo and .bgeo.sc, for tests only.

Written from the rules of the formats alone (docs/formats.md); it shares nothing with the C reader and writer.
read(path) gives a dict: counts, attributes {(owner, name): (type, storage, size, tag, defaults, [tuples])},
prims [(closed, [points])], groups {(owner, name): [members as 0/1]}.
"""
import ctypes
import ctypes.util
import json
import math
import re
import struct

MAGIC = 0x624A534E
BLOCK = 1 << 20


class Binary:
    """Binary JSON to lists, dicts, numbers and texts."""

    SCALARS = {0x11: "b", 0x12: "h", 0x13: "i", 0x14: "q", 0x18: "e", 0x19: "f", 0x1A: "d", 0x21: "B", 0x22: "H"}

    def __init__(self, data):
        self.data, self.at, self.words = data, 5, {}
        assert data[0] == 0x7F
        self.order = "<" if struct.unpack("<I", data[1:5])[0] == MAGIC else ">"
        assert struct.unpack(self.order + "I", data[1:5])[0] == MAGIC

    def take(self, count):
        assert self.at + count <= len(self.data), "cut short"
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, code):
        return struct.unpack(self.order + code, self.take(struct.calcsize(code)))[0]

    def length(self):
        first = self.number("B")
        if first < 0xF1:
            return first
        return self.number({0xF2: "H", 0xF4: "I", 0xF8: "q"}[first])

    def text(self):
        return self.take(self.length()).decode("utf-8")

    def uniform(self):
        kind, count = self.number("B"), self.length()
        if kind == 0x10:
            words = [self.number("I") for _ in range((count + 31) // 32)]
            return [bool(words[i // 32] >> (i % 32) & 1) for i in range(count)]
        code = self.SCALARS[kind]
        return list(struct.unpack("%s%d%s" % (self.order, count, code), self.take(count * struct.calcsize(code))))

    def value(self):
        """The next value, or the closing bracket as a one-byte bytes."""
        while True:
            kind = self.number("B")
            if kind == 0x2B:
                key = self.length()
                self.words[key] = self.text()
            elif kind == 0x2D:
                del self.words[self.length()]
            elif kind not in (0x2C, 0x3A):
                break
        if kind == 0x00:
            return None
        if kind == 0x10:
            return self.number("B") != 0
        if kind in (0x30, 0x31):
            return kind == 0x31
        if kind in self.SCALARS:
            return self.number(self.SCALARS[kind])
        if kind == 0x27:
            return self.text()
        if kind == 0x26:
            return self.words[self.length()]
        if kind == 0x40:
            return self.uniform()
        if kind in (0x5D, 0x7D):
            return bytes([kind])
        out = []
        while True:
            item = self.value()
            if isinstance(item, bytes):
                break
            out.append(item)
        return out if kind == 0x5B else dict(zip(out[::2], out[1::2]))


def unpack_sc(data):
    """The .bgeo bytes of a container, every part of its frame checked. None if there is no blosc to unpack with."""
    assert data[:4] == b"scf1" and data[-4:] == b"1fcs"
    meta, = struct.unpack(">Q", data[4:12])
    index, = struct.unpack(">Q", data[-12:-4])
    words = struct.unpack(">%dQ" % (index // 8), data[-12 - index:-12])
    ends, block, last = list(words[:-2]), words[-2], words[-1]
    body = data[12 + meta:-12 - index]
    starts, ends = [0] + ends, ends + [len(body)]
    assert block == BLOCK and 0 < last <= block
    pieces = [body[a:b] for a, b in zip(starts, ends)]
    name = ctypes.util.find_library("blosc")
    library = ctypes.CDLL(name) if name else None
    out = []
    for i, piece in enumerate(pieces):
        version, _, flags, size, plain, _, packed = struct.unpack("<BBBBIII", piece[:16])
        want = last if i + 1 == len(pieces) else block
        assert version == 2 and size == 4 and plain == want and packed == len(piece), (i, plain, want, packed, len(piece))
        if library:
            target = ctypes.create_string_buffer(want)
            got = library.blosc_decompress_ctx(piece, target, ctypes.c_size_t(want), 1)
            assert got == want
            out.append(target.raw)
    return b"".join(out) if library else None


def pairs(flat):
    if isinstance(flat, dict):
        return flat
    assert len(flat) % 2 == 0
    return dict(zip(flat[::2], flat[1::2]))


def decode_values(values, count):
    """Tuples of all elements, from any of the three layouts."""
    values = pairs(values)
    size = values["size"]
    if "tuples" in values:
        rows = values["tuples"]
    elif "arrays" in values:
        rows = [list(row) for row in zip(*values["arrays"])]
    else:
        raw, page = values["rawpagedata"], values["pagesize"]
        packing = values.get("packing", [size])
        flags = values.get("constantpageflags", [[] for _ in packing])
        rows, at = [[] for _ in range(count)], 0
        for first in range(0, count, page):
            n = min(page, count - first)
            for width, constant in zip(packing, flags):
                if constant and constant[first // page]:
                    for i in range(n):
                        rows[first + i] += raw[at:at + width]
                    at += width
                else:
                    for i in range(n):
                        rows[first + i] += raw[at + i * width:at + (i + 1) * width]
                    at += n * width
        assert at == len(raw)
    assert len(rows) == count and all(len(row) == size for row in rows), (count, len(rows), size)
    return rows


def decode_attribute(definition, data, count):
    definition, data = pairs(definition), pairs(data)
    tag = definition.get("options", {}).get("type", {}).get("value", "")
    if definition["type"] == "string":
        rows = decode_values(data["indices"], count)
        texts = [[data["strings"][i] if i >= 0 else "" for i in row] for row in rows]
        return "string", "int32", data["size"], tag, None, texts
    defaults = pairs(data["defaults"])["values"] if "defaults" in data else []
    return "numeric", data["storage"], data["size"], tag, defaults, decode_values(data["values"], count)


def decode_group(selection, count):
    selection = pairs(pairs(selection)["selection"])
    if "ordered" in selection:
        members = set(selection["ordered"])
        return [int(i in members) for i in range(count)]
    kind, flat = list(pairs(selection["unordered"]).items())[0]
    if kind == "boolRLE":
        flat = [int(flat[i + 1]) for i in range(0, len(flat), 2) for _ in range(flat[i])]
    assert len(flat) == count
    return [int(v) for v in flat]


RUNS = {"Polygon_run": True, "p_r": True, "PolygonCurve_run": False, "c_r": False}
SHORT = {"s_v": "startvertex", "n_p": "nprimitives", "n_v": "nvertices", "r_v": "nvertices_rle"}


def decode_prims(records, indices):
    prims = []
    for definition, data in records:
        definition = pairs(definition)
        if definition["type"] == "run":
            assert definition["runtype"] == "Poly"
            where = definition["varyingfields"].index("vertex")
            for row in data:
                prims.append((definition["uniformfields"]["closed"], [indices[v] for v in row[where]]))
            continue
        if definition["type"] == "Poly":
            prims.append((pairs(data)["closed"], [indices[v] for v in pairs(data)["vertex"]]))
            continue
        closed = RUNS[definition["type"]]
        data = {SHORT.get(k, k): v for k, v in pairs(data).items()}
        at, counts = data["startvertex"], data.get("nvertices")
        if counts is None:
            rle = data["nvertices_rle"]
            counts = [rle[i] for i in range(0, len(rle), 2) for _ in range(rle[i + 1])]
        assert len(counts) == data["nprimitives"]
        for n in counts:
            prims.append((closed, indices[at:at + n]))
            at += n
    return prims


OWNERS = {"vertexattributes": "vertex", "pointattributes": "point", "primitiveattributes": "prim",
          "globalattributes": "detail"}
GROUPS = {"pointgroups": "point", "vertexgroups": "vertex", "primitivegroups": "prim"}


def read_bytes(data):
    if data[:4] == b"scf1":
        data = unpack_sc(data)
        if data is None:
            return None
    if data[:1] == b"\x7f":
        parser = Binary(data)
        document = parser.value()
        assert parser.at == len(data), "bytes after the end"
    else:
        text = re.sub(r"(?<=[\[,])(-?)inf(?=[,\]])", r"\1Infinity", data.decode("utf-8"))
        document = json.loads(re.sub(r"(?<=[\[,])-?nan(?=[,\]])", "NaN", text))
    top = pairs(document)
    counts = {"point": top["pointcount"], "vertex": top["vertexcount"], "prim": top["primitivecount"], "detail": 1}
    indices = pairs(pairs(top["topology"])["pointref"])["indices"]
    assert len(indices) == counts["vertex"] and all(0 <= p < counts["point"] for p in indices)
    attributes = {}
    for key, flat in pairs(top.get("attributes", [])).items():
        for definition, data in flat:
            owner = OWNERS[key]
            attributes[owner, pairs(definition)["name"]] = decode_attribute(definition, data, counts[owner])
    groups = {}
    for key, owner in GROUPS.items():
        for definition, selection in top.get(key, []):
            groups[owner, pairs(definition)["name"]] = decode_group(selection, counts[owner])
    prims = decode_prims(top.get("primitives", []), indices)
    assert len(prims) == counts["prim"]
    return {"keys": document[::2], "version": top["fileversion"], "info": top.get("info", {}), "counts": counts,
            "attributes": attributes, "groups": groups, "prims": prims}


def read(path):
    with open(path, "rb") as stream:
        return read_bytes(stream.read())


def single(value):
    """The value as a 32-bit float holds it."""
    return struct.unpack("<f", struct.pack("<f", value))[0] if math.isfinite(value) else value


def equal(storage, a, b):
    if storage == "fpreal32":
        return single(a) == single(b)
    if storage == "fpreal16":
        return struct.pack("<e", a) == struct.pack("<e", b)
    return a == b
