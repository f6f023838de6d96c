"""Bake, cancel and export a graph."""
import json
import os

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from . import cache, cook, faults, inputs, node_types, reader, results, scenefile

TIMER_SECONDS = 0.2
RUNNING = {}  # tree name -> Bake at work

# Answers to the question what happens to a finished bake of other values.
ANSWERS = [("NEW", "Keep It, Bake to a New Folder", "The finished bake stays, and the new one gets a folder of its own"),
           ("REPLACE", "Replace It", "Removes the finished bake when the new one is finished")]


class Refused(Exception):
    """A finished bake is in the way."""


class Bake:
    """One bake of a graph: its scene, its folder and the process at work."""

    def __init__(self, tree, scene, made, job, key):
        self.tree, self.scene_name = tree.name, scene.name
        self.made, self.job, self.key = made, job, key


def clear_faults(tree):
    for node in tree.nodes:
        if isinstance(node, node_types.Marked):
            node.set_fault("")
            node.note = ""


def mark(tree, names, text):
    """Puts an error of the host on the node that has it; returns the text for the status."""
    name, short = faults.place(text)
    node = tree.nodes.get(names.get(name, name or ""))
    if node is not None and isinstance(node, node_types.Marked):
        node.set_fault(short)
        return "%s: %s" % (node.name, short)
    return short


def mark_fault(tree, fault):
    """Puts an error of the graph on its node; returns the text for the status."""
    node = tree.nodes.get(fault.node or "")
    if node is None:
        return str(fault)
    node.set_fault(str(fault))
    return "%s: %s" % (node.name, fault)


def mark_messages(tree, names, messages):
    """Puts the first warning of each node on it."""
    for level, name, text in messages:
        node = tree.nodes.get(names.get(name, name))
        if level == "warning" and node is not None and isinstance(node, node_types.Marked) and not node.note:
            node.note = text


#------------------------------------------------------------------------------------------------ writing

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


def prepare(tree, scene, replace=False):
    """Writes the scene and its inputs beside the cache and plans the bake. Returns None if the cache is up to date; raises
    scenefile.Fault or Refused."""
    folder = results.folder_of(tree)
    staged = cache.stage(folder)
    plan = None
    try:
        made, files = write_scene(tree, scene, staged)
        key = cache.key(staged, files, tree.rivulet.preview)
        plan = cache.plan(folder, key, replace)
    finally:
        cache.take(folder, plan)
    if plan == cache.DONE:
        return None
    if plan == cache.REFUSED:
        raise Refused(cache.refusal(folder))
    frames = (scene.frame_start, scene.frame_end)
    cache.write_note(cache.part(folder), key=key, frames=list(frames), finished=False)
    words = cook.command(folder, plan == cache.RESUME, tree.rivulet.preview)
    return Bake(tree, scene, made, cook.Job(folder, frames, words), key)


def finish(bake):
    """Shows what a job that ended has to say; returns the level and the text of the status."""
    tree, scene, job = bpy.data.node_groups.get(bake.tree), bpy.data.scenes.get(bake.scene_name), bake.job
    done = cook.finish(job, bake.key)
    if tree is None:
        return "WARNING", "the graph is gone"
    tree.rivulet.running, tree.rivulet.progress = False, 0.0
    mark_messages(tree, bake.made.names, job.messages)
    if done:
        level, text = "INFO", "Baked frames %d to %d" % job.frames
    elif job.cancelled:
        level, text = "WARNING", "Cancelled at frame %d; Bake goes on from there" % job.frame
    else:
        level, text = "ERROR", mark(tree, bake.made.names, job.error)
    tree.rivulet.status = text
    if scene is not None:
        results.update(scene)
    return level, text


#------------------------------------------------------------------------------------------------ operators

class _OfTree:
    """Operators of a graph: the one that they name, or that of the node editor."""

    def tree_of(self, context):
        return bpy.data.node_groups.get(self.tree) if self.tree else node_types.tree_of(context)

    @classmethod
    def poll(cls, context):
        return True

    def fail(self, tree, text):
        tree.rivulet.status = text
        self.report({"ERROR"}, text)
        return {"CANCELLED"}


class RIVULET_OT_graph_bake(bpy.types.Operator, _OfTree):
    bl_idname = "rivulet.graph_bake"
    bl_label = "Bake"
    bl_description = "Simulates all frames of the scene into the cache, in the background. A finished bake of other values is kept unless you ask for its replacement"

    tree: StringProperty(options={"HIDDEN"})
    replace: BoolProperty(name="Replace", default=False, options={"HIDDEN"})
    answer: EnumProperty(name="Finished Bake", items=ANSWERS, options={"SKIP_SAVE"})
    asked: BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})

    def _begin(self, context, tree):
        """The bake to run; None with the operator's result if there is none."""
        if tree.name in RUNNING:
            return None, self.fail(tree, "this graph is being baked: cancel it first")
        try:
            bake = prepare(tree, context.scene, self.replace)
        except scenefile.Fault as fault:
            return None, self.fail(tree, mark_fault(tree, fault))
        except OSError as reason:
            return None, self.fail(tree, "the cache cannot be written: %s" % reason)
        finally:
            results.update(context.scene)
        if bake is None:
            tree.rivulet.status = "The cache is up to date"
            self.report({"INFO"}, tree.rivulet.status)
            return None, {"FINISHED"}
        try:
            bake.job.start()
        except OSError as reason:
            return None, self.fail(tree, str(reason))
        RUNNING[tree.name] = bake
        tree.rivulet.running, tree.rivulet.status = True, "Baking"
        return bake, None

    def _end(self, bake):
        RUNNING.pop(bake.tree, None)
        level, text = finish(bake)
        self.report({level}, text)
        return {"FINISHED"} if level == "INFO" else {"CANCELLED"}

    def execute(self, context):
        tree = self.tree_of(context)
        if tree is None:
            self.report({"ERROR"}, "open a Rivulet graph in a node editor first")
            return {"CANCELLED"}
        if self.asked:
            self._take_answer(tree)
        try:
            bake, result = self._begin(context, tree)
        except Refused as reason:
            return self.fail(tree, str(reason))
        if bake is None:
            return result
        if bpy.app.background or context.window is None:
            bake.job.wait()
            return self._end(bake)
        return self._go_modal(context, bake)

    def _take_answer(self, tree):
        """Does what the artist chose in the question."""
        self.replace = self.answer == "REPLACE"
        if self.answer == "NEW":
            tree.rivulet.folder = cache.free_name(results.folder_of(tree))

    def invoke(self, context, _event):
        tree = self.tree_of(context)
        if tree is None or bpy.app.background:
            return self.execute(context)
        try:
            bake, result = self._begin(context, tree)
        except Refused as reason:
            tree.rivulet.status = str(reason)
            self.asked, self.tree = True, tree.name
            return context.window_manager.invoke_props_dialog(self, width=420)
        return self._go_modal(context, bake) if bake else result

    def draw(self, _context):
        """The question, if a finished bake of other values is there."""
        self.layout.label(text="The cache holds a finished bake of other values.", icon="QUESTION")
        self.layout.prop(self, "answer", expand=True)

    def _go_modal(self, context, bake):
        self._bake = bake
        self._timer = context.window_manager.event_timer_add(TIMER_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        bake = self._bake
        tree = bpy.data.node_groups.get(bake.tree)
        if tree is not None:
            tree.rivulet.progress = bake.job.fraction
            tree.rivulet.status = "Frame %g%s" % (bake.job.frame, ", %s left" % bake.job.left if bake.job.left else "")
        for area in context.screen.areas:
            area.tag_redraw()
        if bake.job.running():
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self._timer)
        return self._end(bake)


class RIVULET_OT_graph_cancel(bpy.types.Operator, _OfTree):
    bl_idname = "rivulet.graph_cancel"
    bl_label = "Cancel"
    bl_description = "Stops the bake. Its frames stay, and Bake goes on from there"

    tree: StringProperty(options={"HIDDEN"})

    def execute(self, context):
        tree = self.tree_of(context)
        bake = RUNNING.get(tree.name) if tree else None
        if bake is None:
            return {"CANCELLED"}
        bake.job.stop()
        return {"FINISHED"}


class RIVULET_OT_graph_export(bpy.types.Operator, _OfTree):
    bl_idname = "rivulet.graph_export"
    bl_label = "Export Scene"
    bl_description = "Writes scene.json and its inputs to a folder, for the command line and the farm"

    tree: StringProperty(options={"HIDDEN"})
    directory: StringProperty(name="Folder", subtype="DIR_PATH")

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        tree = self.tree_of(context)
        folder = bpy.path.abspath(self.directory)
        if tree is None or not folder:
            self.report({"ERROR"}, "choose a graph and a folder")
            return {"CANCELLED"}
        if cache.read_note(folder):
            return self.fail(tree, "%s holds a bake: choose another folder for the export" % folder)
        try:
            os.makedirs(folder, exist_ok=True)
            write_scene(tree, context.scene, folder)
        except scenefile.Fault as fault:
            return self.fail(tree, mark_fault(tree, fault))
        except OSError as reason:
            return self.fail(tree, str(reason))
        finally:
            results.update(context.scene)
        tree.rivulet.status = "rivulet cook %s" % os.path.join(folder, cache.SCENE)
        self.report({"INFO"}, tree.rivulet.status)
        return {"FINISHED"}


CLASSES = (RIVULET_OT_graph_bake, RIVULET_OT_graph_cancel, RIVULET_OT_graph_export)


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)


def unregister():
    for bake in list(RUNNING.values()):
        bake.job.stop()
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
