"""What we write, read by an independent reader: hand-made geometry and real files, in all three formats."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import houdini_oracle as oracle  # noqa: E402

RIVULET = os.environ.get("RIVULET", "")
DATA = os.path.join(HERE, "..", "data", "bgeo")
ENDINGS = [".geo", ".bgeo", ".bgeo.sc"]


def attribute(name, storage, rows, tag=""):
    size = len(rows[0])
    options = {"type": {"type": "string", "value": tag}} if tag else {}
    return [["scope", "public", "type", "numeric", "name", name, "options", options],
            ["size", size, "storage", storage, "defaults", ["size", 1, "storage", "fpreal64", "values", [0]],
             "values", ["size", size, "storage", storage, "tuples", rows]]]


def hand_made():
    """Strands of 2 to 5 points and some triangles, each owner with attributes and groups, more than one page."""
    counts = [2 + i % 4 for i in range(600)]
    npoint = sum(counts)
    nvertex = npoint + 30
    indices = list(range(npoint)) + [(7 * i) % npoint for i in range(30)]
    nprim = len(counts) + 10
    names = ["strand%d" % (i % 3) for i in range(nprim)]
    document = [
        "fileversion", "18.0.287", "hasindex", False, "pointcount", npoint, "vertexcount", nvertex,
        "primitivecount", nprim, "info", {"software": "by hand"},
        "topology", ["pointref", ["indices", indices]],
        "attributes", [
            "vertexattributes", [attribute("uv", "fpreal32", [[i / 7, 0.1, -i] for i in range(nvertex)])],
            "pointattributes", [
                attribute("P", "fpreal32", [[i * 0.01, -i / 3, 1e-20 * i] for i in range(npoint)], "point"),
                attribute("v", "fpreal32", [[0.1, i, 0] for i in range(npoint)], "vector"),
                attribute("wetness", "fpreal16", [[(i % 100) / 100] for i in range(npoint)]),
                attribute("x64", "fpreal64", [[i / 3, i * 1e100, -1e-310] for i in range(npoint)]),
                attribute("id", "int32", [[i - 5] for i in range(npoint)], "nonarithmetic_integer"),
                attribute("big", "int64", [[(i << 40) - 1] for i in range(npoint)])],
            "primitiveattributes", [
                [["scope", "public", "type", "string", "name", "name", "options", {}],
                 ["size", 1, "storage", "int32", "strings", ["strand0", "strand1", "strand2"],
                  "indices", ["size", 1, "storage", "int32", "arrays", [[i % 3 for i in range(nprim)]]]]]],
            "globalattributes", [attribute("time", "fpreal64", [[1 / 24]])]],
        "primitives", [
            [["type", "PolygonCurve_run"], ["startvertex", 0, "nprimitives", 600, "nvertices", counts]],
            [["type", "Polygon_run"], ["startvertex", npoint, "nprimitives", 10, "nvertices_rle", [3, 10]]]],
        "pointgroups", [[["name", "roots"], ["selection", ["unordered", ["boolRLE", [npoint - 3, True, 3, False]]]]]],
        "vertexgroups", [[["name", "some"], ["selection", ["unordered", ["i8", [i % 2 for i in range(nvertex)]]]]]],
        "primitivegroups", [[["name", "sim"], ["selection", ["unordered", ["i8", [1] * 600 + [0] * 10]]]]]]
    assert names[4] == "strand1"
    return json.dumps(document).encode()


def convert(source, target):
    run = subprocess.run([RIVULET, "convert", source, target], capture_output=True, text=True)
    assert run.returncode == 0, (source, target, run.stderr)


def compare(want, got, what):
    assert got["version"] == "18.0.0" and got["info"]["software"] == "rivulet" and "date" not in got["info"], what
    assert got["counts"] == want["counts"], (what, got["counts"], want["counts"])
    assert got["prims"] == want["prims"], (what, "primitives")
    assert got["groups"] == want["groups"], (what, "groups")
    assert set(got["attributes"]) == set(want["attributes"]), (what, set(got["attributes"]) ^ set(want["attributes"]))
    for key, (kind, storage, size, tag, defaults, rows) in want["attributes"].items():
        kind2, storage2, size2, tag2, defaults2, rows2 = got["attributes"][key]
        hpoint = key == ("point", "P") and size == 4
        if hpoint:
            assert all(row[3] == 1 for row in rows)
            size, tag, rows = 3, "point", [row[:3] for row in rows]
        assert (kind, storage, size, tag) == (kind2, storage2, size2, tag2), (what, key)
        for row, row2 in zip(rows, rows2):
            if kind == "string":
                assert row == row2, (what, key, row, row2)
            else:
                assert all(oracle.equal(storage, a, b) for a, b in zip(row, row2)), (what, key, row, row2)
        if defaults and not hpoint and kind == "numeric":
            wide = defaults * size if len(defaults) == 1 else (defaults + [0] * size)[:size]
            assert list(defaults2) == wide, (what, key, defaults, defaults2)


def sample_names():
    for name in sorted(os.listdir(DATA)):
        # the text twins are compared with these elsewhere
        if not name.endswith(".bgeo"):
            continue
        try:
            yield name, oracle.read(os.path.join(DATA, name))
        except (KeyError, AssertionError):
            pass  # primitives that are expanded or skipped are another test's business


def main():
    if not RIVULET:
        print("no rivulet binary: skipped")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "hand.geo")
        with open(source, "wb") as stream:
            stream.write(hand_made())
        cases = [(source, oracle.read(source), ending) for ending in ENDINGS]
        # polygons and plain points of Houdini 14 to 16.5, each format in its turn: every call costs a start
        samples = list(sample_names())
        assert len(samples) == 12, [name for name, _ in samples]
        cases += [(os.path.join(DATA, name), want, ENDINGS[i % 3]) for i, (name, want) in enumerate(samples)]
        for path, want, ending in cases:
            target = os.path.join(folder, "out" + ending)
            convert(path, target)
            got = oracle.read(target)
            if got is None:
                print("no blosc for Python: only the frame of .bgeo.sc was checked")
                continue
            compare(want, got, os.path.basename(path) + " as " + ending)
        print("%d files agree" % len(cases))
    return 0


if __name__ == "__main__":
    sys.exit(main())
