"""The rules of USD's schemas, as far as our stages use them: UsdGeom, UsdVol, UsdShade and UsdPreviewSurface.

check(scene, folder) takes what check_usda.Reader has read and raises Broken with the name of the rule. Each rule has a
seeded fault in test_usd_stage.py. The tables are those of the schemas' documentation; nothing here is shared with the
writer.

Usage: check_usda_schema.py FILE...
"""
import math
import os
import sys

from check_usda import Reader, at_time


class Broken(Exception):
    """A rule that a stage breaks: its name, and where."""

    def __init__(self, rule, *where):
        super().__init__(rule, *where)
        self.rule = rule


def require(rule, condition, *where):
    if not condition:
        raise Broken(rule, *where)


GPRIM = {"extent": "float3[]", "material:binding": "rel"}
POINT_BASED = {**GPRIM, "points": "point3f[]", "velocities": "vector3f[]", "accelerations": "vector3f[]"}
# attribute: type; "u " before it for uniform ones
SCHEMAS = {
    "Xform": {},
    "Scope": {},
    "BasisCurves": {**POINT_BASED, "type": "u token", "basis": "u token", "wrap": "u token", "curveVertexCounts": "int[]",
                    "widths": "float[]"},
    "Mesh": {**POINT_BASED, "orientation": "u token", "subdivisionScheme": "u token", "faceVertexCounts": "int[]",
             "faceVertexIndices": "int[]"},
    "Points": {**POINT_BASED, "widths": "float[]", "ids": "int64[]"},
    "Volume": {**GPRIM},
    "OpenVDBAsset": {"fieldClass": "token", "fieldDataType": "token", "fieldIndex": "int", "fieldName": "token",
                     "vectorDataRoleHint": "token", "filePath": "asset"},
    "Camera": {"projection": "token", "xformOpOrder": "u token[]", "xformOp:transform": "matrix4d", "clippingRange": "float2",
               "focalLength": "float", "focusDistance": "float", "fStop": "float", "horizontalAperture": "float",
               "verticalAperture": "float"},
    "Material": {"outputs:surface": "token"},
    "Shader": {"info:id": "u token"},
}
REQUIRED = {
    "BasisCurves": ("type", "wrap", "curveVertexCounts", "points"),
    "Mesh": ("faceVertexCounts", "faceVertexIndices", "points"),
    "Points": ("points",),
    "OpenVDBAsset": ("filePath", "fieldName", "fieldDataType"),
    "Camera": ("projection", "xformOpOrder", "xformOp:transform", "clippingRange", "focalLength", "horizontalAperture",
               "verticalAperture"),
    "Material": ("outputs:surface",),
    "Shader": ("info:id",),
}
TOKENS = {
    ("BasisCurves", "type"): {"linear", "cubic"},
    ("BasisCurves", "basis"): {"bezier", "bspline", "catmullRom"},
    ("BasisCurves", "wrap"): {"nonperiodic", "periodic", "pinned"},
    ("Mesh", "orientation"): {"leftHanded", "rightHanded"},
    ("Mesh", "subdivisionScheme"): {"catmullClark", "loop", "bilinear", "none"},
    ("OpenVDBAsset", "fieldClass"): {"levelSet", "fogVolume", "staggered", "unknown"},
    ("OpenVDBAsset", "fieldDataType"): {"half", "float", "double", "int", "uint", "int64", "half2", "float2", "double2", "int2",
                                        "half3", "float3", "double3", "int3", "matrix3d", "matrix4d", "quatd", "bool", "mask",
                                        "string"},
    ("OpenVDBAsset", "vectorDataRoleHint"): {"None", "Point", "Normal", "Vector", "Color"},
    ("Camera", "projection"): {"perspective", "orthographic"},
}
PREVIEW = {"diffuseColor": "color3f", "emissiveColor": "color3f", "useSpecularWorkflow": "int", "specularColor": "color3f",
           "metallic": "float", "roughness": "float", "clearcoat": "float", "clearcoatRoughness": "float", "opacity": "float",
           "opacityThreshold": "float", "ior": "float", "normal": "normal3f", "displacement": "float", "occlusion": "float"}
SHADERS = {
    "UsdPreviewSurface": (PREVIEW, {"surface": "token", "displacement": "token"}),
    "UsdPrimvarReader_float": ({"fallback": "float", "varname": "string"}, {"result": "float"}),
    "UsdPrimvarReader_float3": ({"fallback": "float3", "varname": "string"}, {"result": "float3"}),
}
# types that may be connected: a colour is three floats
SAME = {"color3f": "float3", "normal3f": "float3", "float3": "float3"}
INTERPOLATIONS = {"constant", "uniform", "varying", "vertex", "faceVarying"}
GEOMETRY = ("BasisCurves", "Mesh", "Points")


def codes(entry):
    return sorted(entry.get("samples", {}))


def values(entry):
    """Every value with its time code; None for a value without one."""
    return [(None, entry["value"])] if "value" in entry else sorted(entry.get("samples", {}).items())


def check_stage(scene):
    meta = scene["meta"]
    roots = [path[1:] for path in scene["prims"] if path.count("/") == 1]
    require("metadata", meta.get("upAxis") in ("Y", "Z"), "upAxis")
    require("metadata", meta.get("metersPerUnit", 0) > 0, "metersPerUnit")
    require("metadata", meta.get("defaultPrim") in roots, "defaultPrim")
    require("metadata", meta.get("timeCodesPerSecond", 0) > 0 and meta.get("framesPerSecond", 0) > 0, "rates")
    require("kind", all(scene["prims"]["/" + root]["meta"].get("kind") in ("component", "group", "assembly") for root in roots))
    times = [t for prim in scene["prims"].values() for entry in prim["properties"].values() for t in codes(entry)]
    if times:
        start, end = meta.get("startTimeCode", math.inf), meta.get("endTimeCode", -math.inf)
        require("time range", start <= min(times) and max(times) <= end, start, end, min(times), max(times))


def check_types(path, prim):
    schema, properties = prim["schema"], prim["properties"]
    require("schema", schema in SCHEMAS, path, schema)
    for name in REQUIRED.get(schema, ()):
        require("required", name in properties, path, name)
    for name, entry in properties.items():
        spelled = ("u " if entry.get("uniform") else "") + entry["type"]
        if name.startswith("primvars:"):
            require("primvar", entry.get("interpolation") in INTERPOLATIONS, path, name)
        elif name.startswith("field:"):
            require("type", schema == "Volume" and entry["type"] == "rel", path, name)
        elif schema == "Shader" and name.startswith(("inputs:", "outputs:")):
            check_shader_port(path, properties, name, entry)
        else:
            require("type", SCHEMAS[schema].get(name) == spelled, path, name, spelled)
        require("uniform", not (entry.get("uniform") and codes(entry)), path, name)
        allowed = TOKENS.get((schema, name))
        require("token", allowed is None or all(value in allowed for _, value in values(entry)), path, name)


def check_shader_port(path, properties, name, entry):
    shader = properties["info:id"]["value"]
    require("shader", shader in SHADERS, path, shader)
    inputs, outputs = SHADERS[shader]
    side, port = name.split(":", 1)
    require("shader", (inputs if side == "inputs" else outputs).get(port) == entry["type"], path, name, entry["type"])


def check_targets(scene, path, prim):
    prims = scene["prims"]
    for name, entry in prim["properties"].items():
        if name == "material:binding":
            require("binding", entry["target"] in prims and prims[entry["target"]]["schema"] == "Material", path, entry["target"])
            require("binding", "MaterialBindingAPI" in prim["meta"].get("apiSchemas", []), path, "apiSchemas")
        elif name.startswith("field:"):
            require("field", entry["target"] in prims and prims[entry["target"]]["schema"] == "OpenVDBAsset", path, name)
            require("field", entry["target"].startswith(path + "/"), path, name)
        if "connect" in entry:
            source, _, output = entry["connect"].partition(".")
            require("connection", source in prims and output.startswith("outputs:"), path, name, entry["connect"])
            found = prims[source]["properties"].get(output)
            require("connection", found is not None, path, name, entry["connect"])
            require("connection", SAME.get(found["type"], found["type"]) == SAME.get(entry["type"], entry["type"]), path, name)
    if prim["schema"] == "Material":
        require("connection", "connect" in prim["properties"]["outputs:surface"], path)
    if prim["schema"] in GEOMETRY + ("Volume",):
        require("binding", "material:binding" in prim["properties"], path)


def check_motion(path, properties):
    """Readers use velocities only where they have the time codes of the points, and as many elements."""
    for name in ("velocities", "accelerations"):
        if name in properties:
            require("motion", codes(properties[name]) == codes(properties["points"]), path, name)
            require("motion", all(value is not None for _, value in values(properties[name])), path, name)


def element_counts(path, schema, properties, time):
    points = len(at_time(properties["points"], time))
    counts = {"vertex": points, "varying": points, "constant": 1}
    if schema == "BasisCurves":
        curves = at_time(properties["curveVertexCounts"], time)
        least = 4 if properties["type"]["value"] == "cubic" and properties["wrap"]["value"] == "nonperiodic" else 2
        require("curves", sum(curves) == points and all(n >= least for n in curves), path, time)
        require("curves", properties["type"]["value"] == "linear" or "basis" in properties, path, "basis")
        counts["uniform"] = len(curves)
    if schema == "Mesh":
        faces, corners = at_time(properties["faceVertexCounts"], time), at_time(properties["faceVertexIndices"], time)
        require("faces", sum(faces) == len(corners) and all(n >= 3 for n in faces), path, time)
        require("faces", all(0 <= i < points for i in corners), path, time)
        counts["uniform"], counts["faceVarying"] = len(faces), len(corners)
    return counts


def check_lengths(path, prim):
    properties = prim["properties"]
    times = sorted({t for entry in properties.values() for t in codes(entry)}) or [0]
    for time in times:
        counts = element_counts(path, prim["schema"], properties, time)
        for name, entry in properties.items():
            if name in ("velocities", "accelerations", "ids"):
                require("length", len(at_time(entry, time)) == counts["vertex"], path, name, time)
            if "interpolation" not in entry:
                continue
            value = at_time(entry, time)
            # a frame that has the points has the values: film primvars are zeros, not absent, on dry hair
            require("absent", value is not None or counts["vertex"] == 0 or name == "widths", path, name, time)
            if value is not None and entry["type"].endswith("[]"):
                wanted = counts[entry["interpolation"]] * int(entry.get("elementSize", 1))
                require("length", len(value) == wanted, path, name, time, len(value), wanted)


def check_extent(path, prim):
    properties = prim["properties"]
    require("extent", "extent" in properties, path)
    for time in codes(properties["points"]) or [0]:
        points, extent = at_time(properties["points"], time), at_time(properties["extent"], time)
        if not points or extent is None:
            require("extent", not points, path, time)
            continue
        size = max(abs(x) for corner in extent for x in corner) + 1e-30
        # corners and points are floats of their own
        require("extent", all(extent[0][c] - 1e-6 * size <= p[c] <= extent[1][c] + 1e-6 * size for p in points for c in range(3)),
                path, time)


def check_asset(path, prim, folder):
    """The files are there and hold a grid of that name, class and type."""
    properties = prim["properties"]
    for _, name in values(properties["filePath"]):
        if name is None:
            continue
        file = os.path.join(folder, name)
        require("asset", name.startswith("./") and os.path.exists(file), path, name)
        try:
            import pyopenvdb
        except ImportError:
            continue
        grids = [g for g in pyopenvdb.readAllGridMetadata(file) if g.name == properties["fieldName"]["value"]]
        require("asset", len(grids) > properties["fieldIndex"]["value"], path, name)
        grid = grids[properties["fieldIndex"]["value"]]
        spelled = {"level set": "levelSet", "fog volume": "fogVolume", "staggered": "staggered"}.get(grid.gridClass, "unknown")
        require("asset", properties["fieldClass"]["value"] == spelled, path, spelled)
        require("asset", properties["fieldDataType"]["value"] == ("float3" if "vec3" in grid.valueTypeName else "float"), path)


def check_camera(path, prim):
    properties = prim["properties"]
    for _, m in values(properties["xformOp:transform"]):
        rows = [row[:3] for row in m[:3]]
        for i in range(3):
            for k in range(3):
                dot = sum(rows[i][c] * rows[k][c] for c in range(3))
                require("camera", abs(dot - (i == k)) < 1e-6, path, "axes", dot)
        (a, b, c), (d, e, f), (g, h, i) = rows
        require("camera", a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) > 0.999, path, "handedness")
        require("camera", [row[3] for row in m] == [0, 0, 0, 1], path, "last column")
    require("camera", properties["xformOpOrder"]["value"] == ["xformOp:transform"], path, "xformOpOrder")
    require("camera", all(0 < near < far for _, (near, far) in values(properties["clippingRange"])), path, "clippingRange")
    for name in ("focalLength", "horizontalAperture", "verticalAperture"):
        require("camera", all(value > 0 for _, value in values(properties[name])), path, name)


def check(scene, folder):
    check_stage(scene)
    for path, prim in scene["prims"].items():
        check_types(path, prim)
        check_targets(scene, path, prim)
        if prim["schema"] in GEOMETRY:
            check_motion(path, prim["properties"])
            check_lengths(path, prim)
            check_extent(path, prim)
        if prim["schema"] == "OpenVDBAsset":
            check_asset(path, prim, folder)
        if prim["schema"] == "Camera":
            check_camera(path, prim)


def read(path):
    with open(path, encoding="utf-8") as stream:
        return Reader(stream.read()).scene()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        check(read(name), os.path.dirname(os.path.abspath(name)))
        print(name, "keeps the rules")
