"""Bake, cancel and export a graph."""
import json
import os

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from .. import baking
from . import cache, faults, inputs, node_types, reader, results, scenefile


def clear_faults(tree):
    for node in tree.nodes:
        if isinstance(node, node_types.Marked):
            node.set_fault("")
            node.note = ""


def write_scene(tree, scene, folder):
    """Writes scene.json and its inputs to a folder; returns the scene and the input files."""
    clear_faults(tree)
    records = reader.records_of(tree, scene)
    made = reader.build(records, scene)
    files, still = inputs.write(tree, scene, made.inputs, folder)
    files = inputs.settle(records, still, made.inputs, files, folder, scene.frame_start)
    made = reader.build(records, scene)
    cache.write(os.path.join(folder, cache.SCENE), json.dumps(made.data, indent=1).encode("utf-8"))
    return made, files


class GraphTarget:
    """A graph to bake, for the frames of a scene."""

    def __init__(self, tree, scene):
        self.name, self.scene_name = tree.name, scene.name
        self.folder, self.preview = results.folder_of(tree), tree.rivulet.preview
        self.frames = (scene.frame_start, scene.frame_end)
        self.names = {}  # name in the scene file -> name of the node

    @property
    def tree(self):
        return bpy.data.node_groups.get(self.name)

    @property
    def settings(self):
        return self.tree.rivulet

    def scene_now(self):
        return bpy.data.scenes.get(self.scene_name)

    def alive(self):
        return self.tree is not None and self.scene_now() is not None

    def check(self):
        """A folder beside the .blend file needs the file."""
        if (self.settings.folder or "//").startswith("//") and not bpy.data.filepath:
            raise scenefile.Fault(None, "save the .blend file first, or choose a cache folder in the sidebar (N, Rivulet)")

    def write(self, folder):
        made, files = write_scene(self.tree, bpy.data.scenes[self.scene_name], folder)
        self.names = made.names
        return files

    def _node(self, name):
        """A node that can be marked, by its name in Blender."""
        node = self.tree.nodes.get(name or "")
        return node if isinstance(node, node_types.Marked) else None

    def mark(self, text):
        """Puts an error of the host on the node that has it; returns the text for the status."""
        name, short = faults.place(text)
        node = self._node(self.names.get(name, name))
        if node is None:
            return short
        node.set_fault(short)
        return "%s: %s" % (node.name, short)

    def mark_fault(self, fault):
        """Puts an error of the graph on its node; returns the text for the status."""
        node = self._node(fault.node)
        if node is None:
            return str(fault)
        node.set_fault(str(fault))
        return "%s: %s" % (node.name, fault)

    def warn(self, messages):
        """Puts the first warning of each node on it."""
        for level, name, text in messages:
            node = self._node(self.names.get(name, name))
            if level == "warning" and node is not None and not node.note:
                node.note = text

    def show(self):
        if self.scene_now() is not None:
            results.update(self.scene_now())


class _OfTree:
    """Operators of a graph: the one that they name, or that of the node editor."""

    def tree_of(self, context):
        tree = bpy.data.node_groups.get(self.tree) if self.tree else node_types.tree_of(context)
        if tree is None:
            self.report({"ERROR"}, "open a Rivulet graph in a node editor first")
        return tree


class RIVULET_OT_graph_bake(baking.BakeOperator, _OfTree, bpy.types.Operator):
    bl_idname = "rivulet.graph_bake"
    bl_label = "Bake"
    bl_description = ("Simulates all frames of the scene into the cache, in the background. "
                      "A finished bake of other values stays unless you ask for its replacement")

    tree: StringProperty(options={"HIDDEN"})
    replace: BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})
    answer: EnumProperty(name="Finished Bake", items=baking.ANSWERS, options={"SKIP_SAVE"})
    asked: BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})

    def target(self, context):
        tree = self.tree_of(context)
        return GraphTarget(tree, context.scene) if tree else None


class RIVULET_OT_graph_cancel(_OfTree, bpy.types.Operator):
    bl_idname = "rivulet.graph_cancel"
    bl_label = "Cancel"
    bl_description = "Stops the bake. Its frames stay, and Bake goes on from there"

    tree: StringProperty(options={"HIDDEN"})

    def execute(self, context):
        tree = self.tree_of(context)
        return baking.cancel(GraphTarget(tree, context.scene)) if tree else {"CANCELLED"}


class RIVULET_OT_graph_export(_OfTree, bpy.types.Operator):
    bl_idname = "rivulet.graph_export"
    bl_label = "Export Scene"
    bl_description = "Writes scene.json and its inputs to a folder, for the command line and the farm"

    tree: StringProperty(options={"HIDDEN"})
    directory: StringProperty(name="Folder", subtype="DIR_PATH")

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        tree, folder = self.tree_of(context), bpy.path.abspath(self.directory)
        if tree is None:
            return {"CANCELLED"}
        target = GraphTarget(tree, context.scene)
        try:
            if not folder or cache.read_note(folder):
                raise scenefile.Fault(None, "choose a folder for the export that holds no bake")
            os.makedirs(folder, exist_ok=True)
            target.write(folder)
            text = "rivulet cook %s" % os.path.join(folder, cache.SCENE)
        except scenefile.Fault as fault:
            self.report({"ERROR"}, target.mark_fault(fault))
            tree.rivulet.status = str(fault)
            return {"CANCELLED"}
        except OSError as reason:
            self.report({"ERROR"}, str(reason))
            return {"CANCELLED"}
        finally:
            target.show()
        tree.rivulet.status = text
        self.report({"INFO"}, text)
        return {"FINISHED"}


CLASSES = (RIVULET_OT_graph_bake, RIVULET_OT_graph_cancel, RIVULET_OT_graph_export)


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)


def unregister():
    baking.stop_all()
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
