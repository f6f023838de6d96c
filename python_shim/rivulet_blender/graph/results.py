"""Shows the baked frames of graphs: strands, water, meshes and particles; hides the inputs that they replace."""
import contextlib
import os

import bpy
from bpy.app.handlers import persistent

import rivulet

from .. import bring, export, hiding, materials
from . import cache, node_types, reader, scenefile
from .blender_nodes import InputNode

_paused = set()  # names of trees whose results are put away, while their inputs are read
_hidden = set()  # names of the objects that graphs hide


def trees():
    return [tree for tree in bpy.data.node_groups if tree.bl_idname == node_types.TREE]


def folder_of(tree):
    """The cache folder of a graph."""
    name = "".join(letter if letter.isalnum() or letter in " _-." else "_" for letter in tree.name)
    return bpy.path.abspath(tree.rivulet.folder or "//rivulet/" + name).rstrip("/\\")


def file_of(tree, key, frame):
    """Path of a result at a frame, in the bake that is shown."""
    pattern = next(file for name, _, _, _, file in scenefile.RESULTS if name == key)
    return os.path.join(cache.shown(folder_of(tree)), pattern.replace("$F4", "%04d" % frame))


def name_of(tree, label):
    """Name of the object that shows a result."""
    return "%s %s" % (tree.name, label)


#------------------------------------------------------------------------------------------------ what is shown

def _strands(tree, detail):
    thing = bring.strands(detail, name_of(tree, "Strands"))
    if thing is not None and not thing.data.materials:
        thing.data.materials.append(materials.hair())


def _water(tree, detail):
    bring.level_set(detail, name_of(tree, "Water"), material=materials.water())


def _mesh(tree, detail):
    bring.faces(detail, name_of(tree, "Mesh"), materials.skin())


def _particles(tree, detail):
    """Particles are for a look in the viewport: renders show the water's surface."""
    thing = bring.particles(detail, name_of(tree, "Particles"), materials.drops())
    if thing is not None:
        thing.hide_render = True


SHOW = {"strands": _strands, "water": _water, "mesh": _mesh, "particles": _particles}


def _label(key):
    return next(label for name, label, _, _, _ in scenefile.RESULTS if name == key)


def _show_one(tree, key, frame):
    """Shows a result of the frame, or hides it; True if it is there."""
    path = file_of(tree, key, frame)
    there = os.path.exists(path)
    if there:
        SHOW[key](tree, bring.load(path))
    thing = bpy.data.objects.get(name_of(tree, _label(key)))
    if thing is not None:
        thing.hide_viewport = not there
        thing.hide_render = not there or key == "particles"
    return there


#------------------------------------------------------------------------------------------------ inputs

def replaced_objects(tree, scene):
    """Objects that the results replace, as the input nodes and the graph say."""
    try:
        automatic = scenefile.replaced(reader.records_of(tree, scene))
    except scenefile.Fault:
        automatic = set()
    found = []
    for node in tree.nodes:
        if isinstance(node, InputNode) and (node.hiding == "ALWAYS" or (node.hiding == "AUTO" and node.name in automatic)):
            found += node.objects()
    return found


#------------------------------------------------------------------------------------------------ updates

def _update_tree(tree, scene):
    """Shows a graph at the current frame; returns the objects to hide."""
    frame = scene.frame_current
    visible = tree.rivulet.show and tree.name not in _paused
    if not visible:
        for key in SHOW:
            thing = bpy.data.objects.get(name_of(tree, _label(key)))
            if thing is not None:
                thing.hide_viewport = thing.hide_render = True
        return []
    there = [_show_one(tree, key, frame) for key in SHOW]
    return replaced_objects(tree, scene) if any(there) else []


def update(scene):
    """Shows all graphs at the current frame."""
    hidden = []
    for tree in trees():
        try:
            hidden += _update_tree(tree, scene)
        except rivulet.Error as reason:
            tree.rivulet.status = str(reason)
    for thing in hidden:
        hiding.hide(thing)
    names = {thing.name for thing in hidden}
    for name in _hidden - names:
        if name in bpy.data.objects:
            hiding.restore(bpy.data.objects[name])
    _hidden.clear()
    _hidden.update(names)


def animate(tree, frame):
    """Shows keyed values at a frame: Blender evaluates the animation of its own node trees only."""
    for (path, index), curve in reader.fcurves_of(tree).items():
        try:
            owner, _, name = path.rpartition(".")
            target, value = tree.path_resolve(owner), curve.evaluate(frame)
            present = getattr(target, name)
            if hasattr(present, "__len__") and not isinstance(present, str):
                present[index] = value
            elif isinstance(present, (bool, int)):
                setattr(target, name, type(present)(round(value)))
            elif isinstance(present, float):
                setattr(target, name, value)
            else:
                items = target.bl_rna.properties[name].enum_items
                setattr(target, name, items[max(0, min(int(round(value)), len(items) - 1))].identifier)
        except (ValueError, AttributeError, TypeError):
            continue  # the node or the property is gone


@contextlib.contextmanager
def paused(tree):
    """While it lasts, the inputs of a graph are as the artist left them and frames do not update the results."""
    before, export.busy = export.busy, True
    _paused.add(tree.name)
    hiding.restore_all()
    try:
        yield
    finally:
        _paused.discard(tree.name)
        export.busy = before


@persistent
def on_frame(scene, _graph=None):
    for tree in trees():
        animate(tree, scene.frame_current)
    if not export.busy and trees():
        update(scene)


def register():
    bpy.app.handlers.frame_change_post.append(on_frame)


def unregister():
    if on_frame in bpy.app.handlers.frame_change_post:
        bpy.app.handlers.frame_change_post.remove(on_frame)
