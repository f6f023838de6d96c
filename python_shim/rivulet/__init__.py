"""Rivulet in Python: scenes of solver nodes, their geometry, and files of it.

    import rivulet as rv
    scene = rv.Scene.load("docs/scenes/dip.json")
    hair = scene.node("wet").cook(12)
    print(hair.points["wetness"].max())

Works in any Python from 3.9 on; arrays are numpy's where it is installed, and memoryviews where it is not.
"""
from . import nodes
from ._lib import Cancelled, Error, FileError, InputError, MemoryLimit, decode, lib
from .geo import Detail, Grid
from .scene import At, Node, Output, Parm, Scene

__version__ = decode(lib.version())


def threads(workers=None):
    """How many workers there are; given a number, sets it (0: one a core). No result depends on it."""
    if workers is not None:
        lib.threads_set(workers)
    return lib.threads()


__all__ = ["At", "Cancelled", "Detail", "Error", "FileError", "Grid", "InputError", "MemoryLimit", "Node", "Output", "Parm",
           "Scene", "nodes", "threads", "__version__"]
