"""Rivulet in Blender: an add-on that bakes wet hair and liquid, shows caches and exports scenes. Scripts can use its
modules to import caches.

The panels of a solver and the nodes of the graph are made from the library's node table.
"""
import os
import sys

bl_info = {
    "name": "Rivulet",
    "author": "The Rivulet developers",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Node Editor > Rivulet, and 3D View > Sidebar > Rivulet",
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
    from .graph import bake as graph_bake
    from .graph import blender_nodes, example, node_types, results, sockets, tree
    from .graph import panels as graph_panels
    return (props, bake, show, panels, sockets, node_types, blender_nodes, tree, graph_bake, results, graph_panels, example)


def register():
    for module in _modules():
        module.register()


def unregister():
    for module in reversed(_modules()):
        module.unregister()
