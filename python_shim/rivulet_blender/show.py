"""Shows the baked frames of the sidebar's set-up: strands, and the liquid as water."""
import os

import bpy
from bpy.app.handlers import persistent

import rivulet

from . import bring, export, hiding, materials
from .graph import cache

STRANDS, LIQUID = "Rivulet Strands", "Rivulet Liquid"
FILES = {"strands": "strands.%04d.bgeo.sc", "water": "water.%04d.vdb"}


def path_of(scene, name, frame):
    return os.path.join(cache.shown(export.folder_of(scene.rivulet)), FILES[name] % frame)


def _strands(path):
    thing = bring.strands(bring.load(path), STRANDS)
    if thing is not None and not thing.data.materials:
        thing.data.materials.append(materials.hair())


def _water(path):
    bring.level_set(bring.load(path), LIQUID, material=materials.water())


def _replaced(scene):
    """Objects that the results replace; colliders stay."""
    return [thing for thing in (scene.rivulet.strands, scene.rivulet.liquid) if thing is not None]


def update(scene):
    """Imports the current frame; at frames that are not baked the inputs are shown instead."""
    any_there = False
    try:
        for key, name, bring_one in (("strands", STRANDS, _strands), ("water", LIQUID, _water)):
            path = path_of(scene, key, scene.frame_current)
            there = os.path.exists(path)
            any_there = any_there or there
            if there:
                bring_one(path)
            thing = bpy.data.objects.get(name)
            if thing is not None:
                thing.hide_viewport = thing.hide_render = not there
    except rivulet.Error as reason:
        scene.rivulet.status = str(reason)
        return
    for thing in _replaced(scene):
        (hiding.hide if any_there else hiding.restore)(thing)


@persistent
def on_frame(scene, _graph=None):
    if not export.busy and (scene.rivulet.strands or scene.rivulet.liquid):
        update(scene)


def register():
    bpy.app.handlers.frame_change_post.append(on_frame)


def unregister():
    if on_frame in bpy.app.handlers.frame_change_post:
        bpy.app.handlers.frame_change_post.remove(on_frame)
