"""Rivulet in Blender: an add-on that bakes wet hair and liquid, shows caches and exports scenes; and the modules that
bring caches in, for scripts.

All that is shown of a solver is made from the library's own table of parameters.
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
# an installed add-on has the package inside; in the source tree it stands beside
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
