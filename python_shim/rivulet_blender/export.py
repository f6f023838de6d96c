"""Exports Blender's objects as geometry files, and the set-up as a Rivulet scene.

Blender is Z up and Rivulet is Y up: (x, y, z) becomes (x, z, -y).
"""
import os

import bpy
import numpy

import rivulet

from . import hiding
from .bring import turned

busy = False  # true while frames are exported; the viewport does not update then


def y_up(points):
    """Blender's world positions in Rivulet's axes."""
    points = numpy.asarray(points, "f8").reshape(-1, 3)
    return numpy.ascontiguousarray(numpy.stack([points[:, 0], points[:, 2], -points[:, 1]], 1), "f4")


def _world(thing, local):
    """World positions of an object's local ones."""
    matrix = numpy.array(thing.matrix_world, "f8")
    return local @ matrix[:3, :3].T + matrix[:3, 3]


def _scale(thing):
    """Mean scale of an object: the cube root of the volume scale."""
    return abs(float(numpy.linalg.det(numpy.array(thing.matrix_world, "f8")[:3, :3]))) ** (1 / 3)


def strands(thing):
    """A hair curves object at the current frame, as a detail."""
    data = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    total = len(data.points)
    if not total:
        raise rivulet.InputError("BAD_INPUT", "the hair curves object '%s' has no curves: choose another one under Strands" % thing.name)
    local = numpy.empty(3 * total, "f4")
    data.attributes["position"].data.foreach_get("vector", local)
    starts = numpy.empty(len(data.curves) + 1, "i4")
    data.curve_offset_data.foreach_get("value", starts)
    detail = rivulet.Detail()
    detail.add_points(y_up(_world(thing, local.reshape(-1, 3).astype("f8"))))
    detail.add_polygons(starts[1:] - starts[:-1], numpy.arange(total), curve=True)
    radius = data.attributes.get("radius")
    if radius is not None:
        values = numpy.empty(total, "f4")
        radius.data.foreach_get("value", values)
        detail.points.set("width", values * 2 * _scale(thing))
    detail.prims.set("id", numpy.arange(len(data.curves), dtype="i4"))
    return detail


def _runs(count, edges):
    """Numbers of points of the polylines of a wire mesh, whose vertices follow each other along every line."""
    joined = numpy.zeros(max(count - 1, 0), bool)
    for a, b in edges:
        if abs(int(a) - int(b)) == 1:
            joined[min(a, b)] = True
    cuts = numpy.flatnonzero(~joined) + 1
    return numpy.diff(numpy.concatenate([[0], cuts, [count]])).astype("i4")


def legacy_curves(thing):
    """A curve object (Bezier, NURBS or poly) at the current frame, as strands; its thickness is the radius of a strand."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    data = evaluated.to_mesh()
    try:
        local, edges = numpy.empty(3 * len(data.vertices), "f4"), numpy.empty(2 * len(data.edges), "i4")
        data.vertices.foreach_get("co", local)
        data.edges.foreach_get("vertices", edges)
        solid = len(data.polygons) > 0
    finally:
        evaluated.to_mesh_clear()
    if solid or not len(edges):
        raise rivulet.InputError("BAD_INPUT", "the curve '%s' has %s: strands are made of curves without thickness" % (
            thing.name, "bevel, extrusion or filling" if solid else "no points"))
    sizes = _runs(len(local) // 3, edges.reshape(-1, 2))
    detail = rivulet.Detail()
    detail.add_points(y_up(_world(thing, local.reshape(-1, 3).astype("f8"))))
    detail.add_polygons(sizes, numpy.arange(len(local) // 3), curve=True)
    detail.prims.set("id", numpy.arange(len(sizes), dtype="i4"))
    return detail


def curves(thing):
    """Any object that has curves, as strands."""
    return strands(thing) if thing.type == "CURVES" else legacy_curves(thing)


def _weights(thing, data):
    """Vertex groups of a mesh as numbers 0 to 1 by name."""
    found = {}
    for group in thing.vertex_groups:
        values = numpy.zeros(len(data.vertices), "f4")
        for index, vertex in enumerate(data.vertices):
            for weight in vertex.groups:
                if weight.group == group.index:
                    values[index] = weight.weight
        found[group.name] = values
    return found


def mesh(thing):
    """A mesh with its modifiers at the current frame, as a detail; faces in Houdini's order, vertex groups as point attributes."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    data = evaluated.to_mesh()
    try:
        local = numpy.empty(3 * len(data.vertices), "f4")
        data.vertices.foreach_get("co", local)
        sizes, corners = numpy.empty(len(data.polygons), "i4"), numpy.empty(len(data.loops), "i4")
        data.polygons.foreach_get("loop_total", sizes)
        data.loops.foreach_get("vertex_index", corners)
        weights = _weights(thing, data)
    finally:
        evaluated.to_mesh_clear()
    detail = rivulet.Detail()
    detail.add_points(y_up(_world(thing, local.reshape(-1, 3).astype("f8"))))
    if len(sizes):
        detail.add_polygons(sizes, turned(sizes, corners))
    for name, values in weights.items():
        if name.isidentifier() and name not in ("P", "N", "v"):
            detail.points.set(name, values)
    return detail


def colliders(collection):
    """All meshes of a collection as one detail; it may be empty."""
    whole = rivulet.Detail()
    for thing in sorted(collection.all_objects, key=lambda thing: thing.name):
        if thing.type == "MESH":
            whole.merge(mesh(thing))
    return whole


def folder_of(settings):
    return bpy.path.abspath(settings.folder)


def write_inputs(scene, folder):
    """Writes strands and colliders of every frame to files, one frame more at each end for velocities. Returns the files."""
    settings, first, last, shown = scene.rivulet, scene.frame_start, scene.frame_end, scene.frame_current
    os.makedirs(os.path.join(folder, "in"), exist_ok=True)
    files = []

    def save(detail, name):
        detail.save(os.path.join(folder, "in", name))
        files.append("in/" + name)
    global busy
    busy = True
    hiding.restore_all()
    try:
        for frame in range(first - 1, last + 2):
            scene.frame_set(frame)
            if settings.strands:
                save(strands(settings.strands), "strands.%d.bgeo.sc" % frame)
            if settings.colliders:
                save(colliders(settings.colliders), "colliders.%d.bgeo.sc" % frame)
        scene.frame_set(first)
        if settings.liquid:
            save(mesh(settings.liquid), "liquid.bgeo.sc")
    finally:
        scene.frame_set(shown)
        busy = False
    return files


def _wires(made, settings, ports):
    """The inputs of the solver, by port, as nodes that read the files of write_inputs."""
    wires = {}
    if settings.strands and "strands" in ports:
        wires["strands"] = made.add("file", "strands", file="$HIP/in/strands.$F.bgeo.sc")
    if settings.liquid and "liquid" in ports:
        full = made.add("file", "liquid", file="$HIP/in/liquid.bgeo.sc")
        wires["liquid"] = made.add("fill", "water", inputs=[full], particlesep=settings.separation)
    if settings.colliders and "colliders" in ports:
        solids = made.add("file", "colliders", file="$HIP/in/colliders.$F.bgeo.sc")
        wires["colliders"] = made.add("collider", "solids", inputs=[solids])
    return wires


def scene_of(scene):
    """The set-up as a Rivulet scene, which bakes and the command line cook alike."""
    settings = scene.rivulet
    type = rivulet.nodes.find(settings.solver)
    ports = [port["name"] for port in type.inputs]
    made = rivulet.Scene(frames=(scene.frame_start, scene.frame_end), fps=scene.render.fps / scene.render.fps_base,
                         meters_per_unit=scene.unit_settings.scale_length)
    wires = _wires(made, settings, ports)
    missing = [port["label"] for port in type.inputs if port["required"] and port["name"] not in wires]
    if missing or not {"strands", "liquid"} & set(wires):
        raise rivulet.InputError("BAD_INPUT", "%s needs %s: choose an object in the Rivulet panel" % (
            type.label, " and ".join(missing) or "strands or liquid"))
    solver = made.add(settings.solver, "solve", inputs=[wires.get(port) for port in ports])
    values = settings.values()
    values.setdefault("startframe", scene.frame_start)
    solver.set(**values)
    for index, port in enumerate(type.outputs[:2]):
        made.add("filecache", "out_" + port["name"], inputs=[solver.output(index)], file="$OUT/%s.$F4.bgeo.sc" % port["name"])
    if "liquid" in wires or settings.solver == "filmsolver":
        surface = made.add("surface", "surface", inputs=[solver.output("state")])
        made.add("filecache", "out_water", inputs=[surface], file="$OUT/water.$F4.vdb")
    return made
