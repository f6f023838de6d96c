"""Shows the cache in the viewport: strands and liquid of the current frame."""
import os

import bpy
from bpy.app.handlers import persistent

import rivulet

from . import bring, export, materials

STRANDS, DROPS, LIQUID = "Rivulet Strands", "Rivulet Drops", "Rivulet Liquid"


def path_of(scene, name, frame):
    return os.path.join(export.folder_of(scene.rivulet), "%s.%04d.bgeo.sc" % (name, frame))


def update(scene):
    """Imports the current frame; hides strands and liquid at frames that are not baked."""
    frame = scene.frame_current
    try:
        path = path_of(scene, "strands", frame)
        if os.path.exists(path):
            strands = bring.load(path)
            thing = bring.strands(strands, STRANDS)
            if thing is not None and not thing.data.materials:
                thing.data.materials.append(materials.hair())
            bring.drops(strands, DROPS, materials.drops())
        path = path_of(scene, "liquid", frame)
        if os.path.exists(path):
            bring.particles(bring.load(path), LIQUID, materials.drops())
    except rivulet.Error as reason:
        scene.rivulet.status = str(reason)
        return
    for name, kind in ((STRANDS, "strands"), (DROPS, "strands"), (LIQUID, "liquid")):
        thing = bpy.data.objects.get(name)
        if thing is not None:
            thing.hide_viewport = thing.hide_render = not os.path.exists(path_of(scene, kind, frame))
    # the simulated hair replaces the groom in renders
    if scene.rivulet.strands is not None:
        there = os.path.exists(path_of(scene, "strands", frame))
        scene.rivulet.strands.hide_render = there


@persistent
def on_frame(scene, _graph=None):
    if not export.busy and os.path.isdir(export.folder_of(scene.rivulet)):
        update(scene)


def register():
    bpy.app.handlers.frame_change_post.append(on_frame)


def unregister():
    if on_frame in bpy.app.handlers.frame_change_post:
        bpy.app.handlers.frame_change_post.remove(on_frame)
