"""Rivulet in Python: scenes of solver nodes, their geometry, and geometry files.

    import rivulet as rv
    scene = rv.Scene.load("docs/scenes/dip.json")
    hair = scene.node("wet").cook(12)
    print(hair.points["wetness"].max())

It works in Python 3.9 and later. Attributes are numpy arrays, or memoryviews where numpy is not installed.
"""
from . import nodes
from ._lib import Cancelled, Error, FileError, InputError, MemoryLimit, decode, lib
from .geo import Detail, Grid
from .scene import At, Node, Output, Parm, Scene

__version__ = decode(lib.version())


def threads(workers=None):
    """Number of threads; with an argument, sets it first (0: one for each core). Results do not depend on it."""
    if workers is not None:
        lib.threads_set(workers)
    return lib.threads()


__all__ = ["At", "Cancelled", "Detail", "Error", "FileError", "Grid", "InputError", "MemoryLimit", "Node", "Output", "Parm",
           "Scene", "nodes", "threads", "__version__"]
