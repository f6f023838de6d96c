"""A strict reader of the part of the .usda grammar that we write: every token and every type is checked.

Usage: check_usda.py FILE   prints the scene as JSON: {"meta": {}, "prims": {path: {"schema", "meta", "properties"}}}

An attribute has "type", "uniform", "value" or "samples" (by time code), "connect" (a path) and its metadata; a
relationship has "target".
"""
import json
import re
import sys

TOKEN = re.compile(r"""
    (?P<space>[ \t\n]+)
  | (?P<string>"(?:[^"\\\n]|\\["\\ntr]|\\x[0-9a-f]{2})*")
  | (?P<number>-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|inf)|nan)(?![A-Za-z0-9_.])
  | (?P<path></[A-Za-z0-9_/]+(?:\.[A-Za-z0-9_:]+)?>)
  | (?P<asset>@@@[^\n]+?@@@|@[^@\n]+@)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?::[A-Za-z_][A-Za-z0-9_]*)*(?:\.(?:timeSamples|connect))?)
  | (?P<mark>[()\[\]{}=:,])
""", re.X)

SCALARS = {"half", "float", "double", "int", "int64", "bool", "string", "token", "asset"}
WHOLE = {"int", "int64", "bool"}


def width_of(kind):
    """(numbers in a value, rows of a matrix or 0, whole, kind of its token or "" for a number)"""
    base = kind[:-2] if kind.endswith("[]") else kind
    if base in SCALARS:
        return 1, 0, base in WHOLE, {"string": "string", "token": "string", "asset": "asset"}.get(base, "")
    if re.fullmatch(r"matrix[34]d", base):
        return int(base[6]), int(base[6]), False, ""
    match = re.fullmatch(r"(half|float|double|int)([234])", base)
    if match:
        return int(match[2]), 0, match[1] == "int", ""
    match = re.fullmatch(r"(point3|vector3|normal3|color3|color4|texCoord2|texCoord3)[hfd]", base)
    if match:
        return int(match[1][-1]), 0, False, ""
    if re.fullmatch(r"quat[hfd]", base):
        return 4, 0, False, ""
    raise SystemExit("unknown type " + kind)


class Reader:
    def __init__(self, text):
        assert text.startswith("#usda 1.0\n"), "no header"
        self.tokens, at = [], len("#usda 1.0\n")
        while at < len(text):
            match = TOKEN.match(text, at)
            assert match, "line %d: %r" % (text.count("\n", 0, at) + 1, text[at:at + 40])
            if match.lastgroup != "space":
                self.tokens.append((match.lastgroup, match[0]))
            at = match.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self, kind=None, text=None):
        got = self.peek()
        assert (kind is None or got[0] == kind) and (text is None or got[1] == text), (got, kind, text)
        self.at += 1
        return got[1]

    def accept(self, text):
        if self.peek() == ("mark", text) or self.peek() == ("name", text):
            self.at += 1
            return True
        return False

    def list(self, close, item):
        out = []
        while not self.accept(close):
            out.append(item())
            if not self.accept(","):
                self.take("mark", close)
                break
        return out

    def scalar(self, whole, text):
        kind, word = self.peek()
        self.at += 1
        if text == "asset":
            assert kind == "asset", (kind, word)
            return word.strip("@")
        if text:
            assert kind == "string", (kind, word)
            return bytes(word[1:-1], "utf-8").decode("unicode_escape").encode("latin-1", "replace").decode("utf-8", "replace")
        assert kind == "number", (kind, word)
        assert not whole or re.fullmatch(r"-?\d+", word), word
        return int(word) if whole else float(word)

    def value(self, kind):
        width, rows, whole, text = width_of(kind)

        def one():
            if width == 1:
                return self.scalar(whole, text)
            self.take("mark", "(")
            out = self.list(")", lambda: self.row(rows)) if rows else self.list(")", lambda: self.scalar(whole, text))
            assert len(out) == width, (kind, out)
            return out

        if kind.endswith("[]"):
            self.take("mark", "[")
            return self.list("]", one)
        return one()

    def row(self, count):
        self.take("mark", "(")
        out = self.list(")", lambda: self.scalar(False, ""))
        assert len(out) == count
        return out

    def metadata(self):
        out = {}
        while not self.accept(")"):
            self.accept("prepend")
            name = self.take("name")
            self.take("mark", "=")
            if self.accept("["):
                out[name] = self.list("]", lambda: self.scalar(False, "string"))
                continue
            kind, word = self.peek()
            assert kind in ("string", "number"), word
            out[name] = self.scalar(False, "string" if kind == "string" else "")
        return out

    def path(self):
        return self.take("path")[1:-1]

    def samples(self, kind):
        self.take("mark", "{")
        times, out = [], {}
        while not self.accept("}"):
            time = self.scalar(False, "")
            assert not times or time > times[-1], "time codes must ascend"
            times.append(time)
            self.take("mark", ":")
            out[time] = None if self.accept("None") else self.value(kind)
            self.take("mark", ",")
        return out

    def prim(self, prims, path):
        schema = self.take("name")
        path += "/" + self.scalar(False, "string")
        assert path not in prims, path
        properties = {}
        prims[path] = {"schema": schema, "properties": properties, "meta": self.metadata() if self.accept("(") else {}}
        self.take("mark", "{")
        while not self.accept("}"):
            if self.accept("def"):
                self.prim(prims, path)
                continue
            if self.accept("rel"):
                name = self.take("name")
                self.take("mark", "=")
                assert name not in properties, name
                properties[name] = {"type": "rel", "target": self.path()}
                continue
            uniform = self.accept("uniform")
            kind = self.take("name")
            if self.accept("["):
                self.take("mark", "]")
                kind += "[]"
            name = self.take("name")
            name, _, part = name.partition(".")
            timed = part == "timeSamples"
            entry = properties.setdefault(name, {"type": kind, "uniform": uniform})
            assert entry["type"] == kind, name
            if timed:
                assert "samples" not in entry and "value" not in entry, name
                self.take("mark", "=")
                entry["samples"] = self.samples(kind)
            elif part == "connect":
                self.take("mark", "=")
                entry["connect"] = self.path()
            elif self.accept("="):
                assert "value" not in entry, name
                entry["value"] = self.value(kind)
            if self.accept("("):
                entry.update(self.metadata())

    def scene(self):
        prims, meta = {}, {}
        if self.accept("("):
            meta = self.metadata()
        while self.peek()[0] != "end":
            self.take("name", "def")
            self.prim(prims, "")
        return {"meta": meta, "prims": prims}


def at_time(entry, time):
    """The value at a time code, as USD holds it; arrays are compared by length, so no interpolation is needed."""
    if "value" in entry:
        return entry["value"]
    earlier = [t for t in entry["samples"] if t <= time]
    return entry["samples"][max(earlier) if earlier else min(entry["samples"])]


def check_lengths(scene):
    """The counts of every array fit its interpolation at every time code."""
    for path, prim in scene["prims"].items():
        p = prim["properties"]
        if "points" not in p:
            continue
        times = sorted({t for e in p.values() for t in e.get("samples", {})}) or [0]
        for time in times:
            points = len(at_time(p["points"], time))
            counts = {"vertex": points, "constant": None}
            if prim["schema"] == "BasisCurves":
                curves = at_time(p["curveVertexCounts"], time)
                assert sum(curves) == points and all(n >= 2 for n in curves), path
                counts["uniform"] = len(curves)
            if prim["schema"] == "Mesh":
                faces, corners = at_time(p["faceVertexCounts"], time), at_time(p["faceVertexIndices"], time)
                assert sum(faces) == len(corners) and all(0 <= i < points for i in corners), path
                counts["uniform"], counts["faceVarying"] = len(faces), len(corners)
            for name, entry in p.items():
                if "value" not in entry and "samples" not in entry:
                    continue
                value = at_time(entry, time)
                if name in ("velocities", "accelerations", "ids"):
                    assert len(value) == points, (path, name, time)
                if "interpolation" in entry and value is not None and counts[entry["interpolation"]] is not None:
                    wanted = counts[entry["interpolation"]] * int(entry.get("elementSize", 1))
                    assert len(value) == wanted, (path, name, time, len(value), wanted)


def main():
    scene = Reader(open(sys.argv[1], encoding="utf-8").read()).scene()
    check_lengths(scene)
    json.dump(scene, sys.stdout)


if __name__ == "__main__":
    main()
