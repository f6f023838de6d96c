"""Imports caches as Blender objects: strands as hair curves, particles as points, level sets as meshes, fogs as volumes.

Imported objects are parented to an empty that is rotated 90 degrees about X (Y up to Z up). The data keep the coordinates
of the files.
"""
import math

import bpy
import numpy

import rivulet

ROOT = "Rivulet"


def root():
    """The empty that rotates Y up to Z up; made on the first call."""
    empty = bpy.data.objects.get(ROOT)
    if empty is None:
        empty = bpy.data.objects.new(ROOT, None)
        empty.rotation_euler = (math.pi / 2, 0, 0)
        bpy.context.scene.collection.objects.link(empty)
    return empty


def _place(thing):
    """Parents an object to the empty and links it to the scene."""
    thing.parent = root()
    if thing.name not in bpy.context.scene.collection.objects:
        bpy.context.scene.collection.objects.link(thing)
    return thing


def remove(name):
    """Deletes the object of that name, if there is one."""
    thing = bpy.data.objects.get(name)
    if thing is not None:
        bpy.data.objects.remove(thing, do_unlink=True)


def _give(data, domain, name, values, kind):
    """Sets a numeric attribute of a geometry; `kind` is Blender's data type."""
    there = data.attributes.get(name)
    if there is not None and (there.data_type != kind or there.domain != domain):
        data.attributes.remove(there)
        there = None
    if there is None:
        there = data.attributes.new(name, kind, domain)
    there.data.foreach_set("vector" if kind == "FLOAT_VECTOR" else "color" if kind == "FLOAT_COLOR" else "value",
                           numpy.ascontiguousarray(values, "f4" if kind != "INT" else "i4").reshape(-1))


def _give_all(data, detail, skip):
    """Copies every point attribute that Blender has a data type for."""
    for name in detail.points.names():
        info = detail.points.info(name)
        kind = {("f", 1): "FLOAT", ("f", 3): "FLOAT_VECTOR", ("i", 1): "INT"}.get((info["type"][0], info["size"]))
        if kind is None or name in skip or name.startswith("rv_"):
            continue
        values = numpy.nan_to_num(detail.points[name].astype("f8")) if info["type"][0] == "f" else detail.points[name]
        _give(data, "POINT", name, numpy.clip(values, -2**31, 2**31 - 1) if kind == "INT" else values, kind)


#------------------------------------------------------------------------------------------------ strands

def _curve_runs(detail):
    """Number of points of every open curve, and the indices of all these points in order."""
    starts, corners = detail.starts, detail.corners
    runs = []
    for i in range(len(detail.prims)):
        if detail.prim_type(i) == "curve" and starts[i + 1] - starts[i] > 1:
            runs.append((int(starts[i]), int(starts[i + 1] - starts[i])))
    order = numpy.concatenate([corners[a:a + n] for a, n in runs]) if runs else numpy.zeros(0, "i4")
    return [n for _, n in runs], order


def _poly_splines(name, sizes):
    """A curve object of the old kind with straight splines of so many points."""
    legacy = bpy.data.curves.new(name, "CURVE")
    legacy.dimensions = "3D"
    for n in sizes:
        legacy.splines.new("POLY").points.add(n - 1)
    thing = bpy.data.objects.new(name, legacy)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def _converted(thing):
    """An object as hair curves. The operator needs a window, which timers and renders do not have, and a selection, which is the
    artist's and is restored."""
    window = bpy.context.window or next(iter(bpy.context.window_manager.windows), None)
    with bpy.context.temp_override(**({"window": window} if window else {})):
        layer = bpy.context.view_layer
        selected, active = [other for other in layer.objects if other is not None and other.select_get()], layer.objects.active
        for other in selected:
            other.select_set(False)
        thing.select_set(True)
        layer.objects.active = thing
        bpy.ops.object.convert(target="CURVES")
        made = layer.objects.active
        made.select_set(False)
        for other in selected:
            other.select_set(True)
        layer.objects.active = active
    return made


def _new_hair(name, sizes):
    """A hair curves object. Before Blender 4.3 curves cannot be added to one, so poly splines are made and converted."""
    if hasattr(bpy.types, "Curves") and hasattr(bpy.types.Curves, "add_curves"):
        data = bpy.data.hair_curves.new(name)
        data.add_curves([int(n) for n in sizes])
        made = bpy.data.objects.new(name, data)
        bpy.context.scene.collection.objects.link(made)
    else:
        made = _converted(_poly_splines(name, sizes))
    made.name = name
    made["rivulet_sizes"] = list(sizes)
    return made


def strands(detail, name="Strands", width_scale=1.0):
    """Hair curves from all open curves; the radius is half of `width` plus the film height."""
    sizes, order = _curve_runs(detail)
    if not sizes:
        remove(name)
        return None
    thing = bpy.data.objects.get(name)
    if thing is None or list(thing.get("rivulet_sizes", [])) != sizes:
        remove(name)
        thing = _new_hair(name, sizes)
    curves, points = thing.data, detail.points
    curves.attributes["position"].data.foreach_set(
        "vector", numpy.ascontiguousarray(points["P"][order], "f4").reshape(-1))
    width = points.get("width")
    radius = (width[order] / 2 if width is not None else numpy.full(len(order), 5e-5, "f4")) * width_scale
    if "filmheight" in points:
        radius = radius + numpy.maximum(numpy.nan_to_num(points["filmheight"][order]), 0)
    _give(curves, "POINT", "radius", radius, "FLOAT")
    for key in ("wetness", "filmheight", "absorbed", "curveu", "clumpid", "waterload", "roughness"):
        if key in points:
            _give(curves, "POINT", key, points[key][order], "FLOAT")
    if "Cd" in points:
        _give(curves, "POINT", "Cd", points["Cd"][order], "FLOAT_VECTOR")
    curves.update_tag()
    return _place(thing)


#------------------------------------------------------------------------------------------------ particles

def _group_socket(tree, way, kind, name):
    """Adds a socket to a node group: its interface has them since Blender 4.0, before that the group itself."""
    if hasattr(tree, "interface"):
        return tree.interface.new_socket(name, in_out=way, socket_type=kind)
    return (tree.inputs if way == "INPUT" else tree.outputs).new(kind, name)


def _group_input(tree, name):
    """Identifier of an input of a node group."""
    items = tree.interface.items_tree if hasattr(tree, "interface") else tree.inputs
    return next(item.identifier for item in items if item.name == name and getattr(item, "in_out", "INPUT") == "INPUT")


def _points_modifier(thing, material):
    """Geometry nodes that turn vertices into points with radius and material, as Cycles does not render bare vertices."""
    tree = bpy.data.node_groups.get("Rivulet Points") or bpy.data.node_groups.new("Rivulet Points", "GeometryNodeTree")
    if not tree.nodes:
        _group_socket(tree, "INPUT", "NodeSocketGeometry", "Geometry")
        _group_socket(tree, "INPUT", "NodeSocketMaterial", "Material")
        _group_socket(tree, "OUTPUT", "NodeSocketGeometry", "Geometry")
        start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
        turn = tree.nodes.new("GeometryNodeMeshToPoints")
        radius = tree.nodes.new("GeometryNodeInputNamedAttribute")
        paint = tree.nodes.new("GeometryNodeSetMaterial")
        radius.data_type = "FLOAT"
        radius.inputs["Name"].default_value = "radius"
        link = tree.links.new
        link(start.outputs["Geometry"], turn.inputs["Mesh"])
        link(next(s for s in radius.outputs if s.enabled and s.type == "VALUE"), turn.inputs["Radius"])
        link(turn.outputs["Points"], paint.inputs["Geometry"])
        link(start.outputs["Material"], paint.inputs["Material"])
        link(paint.outputs["Geometry"], end.inputs["Geometry"])
    modifier = thing.modifiers.get("Points") or thing.modifiers.new("Points", "NODES")
    modifier.node_group = tree
    modifier[_group_input(tree, "Material")] = material


def _balls(detail, keep, radius, name, material):
    """The points of a mask as spheres; `radius` has a number for each point of the detail."""
    if not keep.any():
        remove(name)
        return None
    mesh = _vertices(name, detail.points["P"][keep])
    _give(mesh, "POINT", "radius", radius[keep], "FLOAT")
    if "v" in detail.points:
        _give(mesh, "POINT", "velocity", detail.points["v"][keep], "FLOAT_VECTOR")
    thing = _show_mesh(name, mesh, None)
    _points_modifier(thing, material)
    return thing


def particles(detail, name="Particles", material=None):
    """Loose points as spheres of their `pscale`."""
    keep = numpy.ones(len(detail.points), bool)
    keep[detail.corners] = False
    scale = detail.points.get("pscale")
    return _balls(detail, keep, scale if scale is not None else numpy.full(len(keep), 0.005), name, material)


def drops(detail, name="Drops", material=None):
    """Drops that hang at the tips of strands, as spheres of their `dropradius`."""
    radius = detail.points.get("dropradius")
    radius = numpy.zeros(len(detail.points)) if radius is None else numpy.nan_to_num(radius)
    return _balls(detail, radius > 0, radius, name, material)


#------------------------------------------------------------------------------------------------ meshes

def turned(sizes, corners):
    """Corners of faces in reverse order: Houdini's faces are clockwise seen from outside, Blender's counter-clockwise."""
    sizes, corners = numpy.asarray(sizes, "i8"), numpy.asarray(corners)
    ends = numpy.cumsum(sizes)
    # corner k of a face that ends at e becomes corner e - 1 - (k - first)
    return corners[numpy.repeat(2 * ends - sizes - 1, sizes) - numpy.arange(len(corners))]


def _vertices(name, points):
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", numpy.ascontiguousarray(points, "f4").reshape(-1))
    return mesh


def _mesh(name, points, sizes, corners, smooth):
    ends = numpy.cumsum(sizes)
    mesh = _vertices(name, points)
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", numpy.ascontiguousarray(turned(sizes, corners), "i4"))
    mesh.polygons.add(len(sizes))
    mesh.polygons.foreach_set("loop_start", numpy.ascontiguousarray(ends - sizes, "i4"))
    # newer versions compute it from loop_start
    if not bpy.types.MeshPolygon.bl_rna.properties["loop_total"].is_readonly:
        mesh.polygons.foreach_set("loop_total", numpy.ascontiguousarray(sizes, "i4"))
    mesh.polygons.foreach_set("use_smooth", numpy.full(len(sizes), smooth))
    mesh.update(calc_edges=True)
    mesh.validate()
    return mesh


def _show_mesh(name, mesh, material):
    """Puts a mesh into the object of that name, which is made if necessary."""
    thing = bpy.data.objects.get(name)
    if thing is None:
        thing = bpy.data.objects.new(name, mesh)
    else:
        old, thing.data = thing.data, mesh
        bpy.data.meshes.remove(old)
    if material is not None:
        mesh.materials.append(material)
    return _place(thing)


def faces(detail, name="Body", material=None):
    """A mesh from the closed polygons of a detail."""
    starts, corners = detail.starts, detail.corners
    kept = [i for i in range(len(detail.prims)) if detail.prim_type(i) == "polygon" and starts[i + 1] - starts[i] > 2]
    if not kept:
        remove(name)
        return None
    sizes = numpy.array([starts[i + 1] - starts[i] for i in kept])
    chosen = numpy.concatenate([corners[starts[i]:starts[i + 1]] for i in kept])
    mesh = _mesh(name, detail.points["P"], sizes, chosen, True)
    _give_all(mesh, detail, ("P", "N"))
    return _show_mesh(name, mesh, material)


def level_set(detail, name="Liquid", grid="surface", material=None):
    """A mesh of the surface of a level set."""
    found = detail.grids().get(grid)
    if found is None or found.kind != "level set":
        remove(name)
        return None
    points, triangles = found.mesh()
    if not len(triangles):
        remove(name)
        return None
    mesh = _mesh(name, points, numpy.full(len(triangles), 3), triangles.reshape(-1), True)
    return _show_mesh(name, mesh, material)


def volume(path, name="Fog", material=None):
    """A volume object for a fog; Blender reads the .vdb file itself."""
    data = bpy.data.volumes.get(name) or bpy.data.volumes.new(name)
    data.filepath = path
    thing = bpy.data.objects.get(name) or bpy.data.objects.new(name, data)
    if material is not None:
        data.materials.clear()
        data.materials.append(material)
    return _place(thing)


def camera(detail, name="Camera"):
    """Blender's camera from the output of a `camera` node."""
    values = detail.globals
    if "rv_cam_eye" not in values:
        return None
    eye, target, up = (numpy.asarray(values["rv_cam_" + key], "f8").reshape(3) for key in ("eye", "target", "up"))
    back = (eye - target) / numpy.linalg.norm(eye - target)
    right = numpy.cross(up, back)
    right /= numpy.linalg.norm(right)
    thing = bpy.data.objects.get(name) or bpy.data.objects.new(name, bpy.data.cameras.new(name))
    thing.data.sensor_fit = "VERTICAL"
    thing.data.angle = math.radians(float(numpy.asarray(values["rv_cam_fov"]).reshape(-1)[0]))
    for key, limit in (("near", "clip_start"), ("far", "clip_end")):
        if "rv_cam_" + key in values:
            setattr(thing.data, limit, float(numpy.asarray(values["rv_cam_" + key]).reshape(-1)[0]))
    _place(thing)
    from mathutils import Matrix
    columns = numpy.stack([right, numpy.cross(back, right), back, eye], 1)
    thing.matrix_parent_inverse = Matrix.Identity(4)
    thing.matrix_basis = Matrix([list(row) for row in columns] + [[0, 0, 0, 1]])
    bpy.context.scene.camera = thing
    return thing


def load(path):
    """Reads a geometry file."""
    return rivulet.Detail.load(path)
