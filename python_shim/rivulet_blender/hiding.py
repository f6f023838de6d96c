"""Hides objects that baked results replace, and makes them visible again as the artist left them."""
import bpy

HIDDEN = "rivulet_hidden"  # custom property of a hidden object: how visible it was before


def hide(thing):
    if HIDDEN not in thing:
        thing[HIDDEN] = [thing.hide_viewport, thing.hide_render]
    thing.hide_viewport = thing.hide_render = True


def restore(thing):
    if HIDDEN in thing:
        viewport, render = thing[HIDDEN]
        thing.hide_viewport, thing.hide_render = bool(viewport), bool(render)
        del thing[HIDDEN]


def restore_all():
    for thing in bpy.data.objects:
        restore(thing)
