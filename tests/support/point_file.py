"""Points with attributes of floats as a .geo file, for scenes whose particles no node makes."""
import json

import numpy


def _attribute(name, values, kind):
    options = {"type": {"type": "string", "value": kind}} if kind else {}
    size = values.shape[1]
    return [["scope", "public", "type", "numeric", "name", name, "options", options],
            ["size", size, "storage", "fpreal32", "defaults", ["size", 1, "storage", "fpreal64", "values", [0]],
             "values", ["size", size, "storage", "fpreal32", "tuples", values.tolist()]]]


def write(path, places, **attributes):
    """places: [points, 3]; an attribute has a number or a vector a point."""
    points = [_attribute("P", numpy.asarray(places, dtype=float), "point")]
    for name, values in attributes.items():
        values = numpy.asarray(values, dtype=float).reshape(len(places), -1)
        points.append(_attribute(name, values, "vector" if values.shape[1] == 3 else None))
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(["fileversion", "18.0.0", "hasindex", False, "pointcount", len(places), "vertexcount", 0,
                   "primitivecount", 0, "info", {}, "topology", ["pointref", ["indices", []]],
                   "attributes", ["pointattributes", points], "primitives", []], stream)
