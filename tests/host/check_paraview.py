"""Run by pvpython: ParaView reads our .vtp and must find the counts, names, ranges and texts of the manifest.

Usage: check_paraview.py FOLDER NAME...
"""
import json
import math
import sys

from paraview import servermanager
from paraview.simple import XMLPolyDataReader


def ranges(array):
    width = array.GetNumberOfComponents()
    values = [array.GetComponent(i, c) for i in range(array.GetNumberOfTuples()) for c in range(width)]
    finite = [v for v in values if not math.isnan(v)]
    return min(finite), max(finite)


def check(folder, name):
    want = json.load(open("%s/%s.json" % (folder, name)))
    reader = XMLPolyDataReader(FileName=["%s/%s.vtp" % (folder, name)])
    reader.UpdatePipeline()
    data = servermanager.Fetch(reader)
    got = {"points": data.GetNumberOfPoints(), "verts": data.GetNumberOfVerts(), "lines": data.GetNumberOfLines(),
           "polys": data.GetNumberOfPolys()}
    assert all(got[k] == want[k] for k in got), (name, got)
    owners = {"point": data.GetPointData(), "vertex": data.GetPointData(), "prim": data.GetCellData(),
              "detail": data.GetFieldData()}
    for attribute in want["attributes"]:
        key, owner = attribute["name"], owners[attribute["owner"]]
        if key == "P":
            array = data.GetPoints().GetData()
        else:
            array = owner.GetAbstractArray(key)
        assert array is not None, (name, key, "is missing")
        assert array.GetNumberOfComponents() == attribute["size"], (name, key)
        if attribute["storage"] == "string":
            texts = [array.GetValue(i) for i in range(array.GetNumberOfValues())]
            assert texts == attribute["texts"], (name, key, texts)
        else:
            lo, hi = ranges(array)
            # through ParaView's doubles, which hold every value of the samples
            assert lo == attribute["min"] and hi == attribute["max"], (name, key, lo, hi)
    for group in want["groups"]:
        array = owners[group["owner"]].GetArray("group_" + group["name"])
        assert array is not None, (name, group)
        assert sum(array.GetTuple1(i) for i in range(array.GetNumberOfTuples())) == group["members"], (name, group)
    print(name, got)


for name in sys.argv[2:]:
    check(sys.argv[1], name)
print("ParaView agrees")
