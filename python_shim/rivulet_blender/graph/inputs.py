"""Writes the Blender objects of a graph to files that its scene reads."""
import os

import rivulet

from .. import export
from . import cache, results, scenefile


def _detail(node):
    """The geometry of an input node at the current frame."""
    try:
        if node.geometry == "curves":
            return export.curves(node.chosen())
        if node.geometry == "mesh":
            return export.mesh(node.chosen())
        return export.colliders(node.chosen())
    except rivulet.Error as reason:
        raise scenefile.Fault(node.name, str(reason))


def _file(pattern, frame):
    return pattern.replace("$F", str(frame))


def write(tree, scene, inputs, folder):
    """Writes each input (name of its node -> file pattern) at every frame it needs, and one more at each end for velocities.
    Returns the files, below the folder, and the names of the moving inputs that stood still."""
    os.makedirs(os.path.join(folder, "in"), exist_ok=True)
    first, last, shown = scene.frame_start, scene.frame_end, scene.frame_current
    files, bytes_of = [], {name: set() for name in inputs}
    with results.paused(tree):
        try:
            for frame in [first] + [n for n in range(first - 1, last + 2) if n != first]:
                scene.frame_set(frame)
                for name, pattern in inputs.items():
                    if "$F" not in pattern and frame != first:
                        continue
                    path = os.path.join(folder, _file(pattern, frame))
                    _detail(tree.nodes[name]).save(path)
                    files.append(_file(pattern, frame))
                    with open(path, "rb") as stream:
                        bytes_of[name].add(stream.read())
        finally:
            scene.frame_set(shown)
    still = {name for name, pattern in inputs.items() if "$F" in pattern and len(bytes_of[name]) == 1}
    return files, still


def settle(records, still, inputs, files, folder, first):
    """Makes one file of a moving input that stood still: its nodes then cook once. Returns the files that are left."""
    left = list(files)
    for record in records:
        if record.name not in still:
            continue
        record.moving = False
        pattern = inputs[record.name]
        for name in [name for name in left if name.startswith(pattern.split("$F")[0])]:
            left.remove(name)
            path = os.path.join(folder, name)
            if name == _file(pattern, first):
                kept = pattern.replace(".$F", "")
                with open(path, "rb") as stream:
                    cache.write(os.path.join(folder, kept), stream.read())
            os.remove(path)
        left.append(kept)
    return left
