"""Rivulet in Blender: an add-on that bakes wet hair and liquid, shows caches and exports scenes. Scripts can use its
modules to import caches.

The panels of a solver are made from the library's parameter table.
"""
import os
import sys

bl_info = {
    "name": "Rivulet",
    "author": "The Rivulet developers",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Rivulet",
    "description": "Hair, fur and the liquid on and around them",
    "category": "Physics",
}

_HERE = os.path.dirname(os.path.abspath(__file__))
# an installed add-on contains the package in lib; in the source tree the package is beside the add-on
for _place in (os.path.join(_HERE, "lib"), os.path.dirname(_HERE)):
    if os.path.isdir(os.path.join(_place, "rivulet")) and _place not in sys.path:
        sys.path.append(_place)


def _modules():
    from . import bake, panels, props, show
    return props, bake, show, panels


def register():
    for module in _modules():
        module.register()


def unregister():
    for module in reversed(_modules()):
        module.unregister()
