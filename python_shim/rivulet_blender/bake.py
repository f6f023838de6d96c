"""Baking: cooks the set-up frame by frame, in a separate thread if Blender has a window."""
import os
import threading

import bpy

import rivulet

from . import export


class Job:
    """One bake. Its thread uses no data of Blender; the operator reads `fraction`, `frame` and `error`."""

    def __init__(self, made, folder, frames):
        self.made, self.folder, self.frames = made, folder, frames
        self.fraction, self.frame, self.error, self.warnings = 0.0, frames[0], None, []
        self.stop = False
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        try:
            self.made.run(out=self.folder, frames=self.frames, progress=self._progress,
                          checkpoints=os.path.join(self.folder, "checkpoints"))
        except Exception as reason:  # finish() shows it to the artist
            self.error = reason
        self.warnings = self.made.warnings()

    def _progress(self, at):
        first, last = self.frames
        self.frame = at.frame
        self.fraction = min(max((at.frame - first) / max(last - first + 1, 1), 0.0), 1.0)
        return not self.stop


def prepare(context):
    """Writes scene.json and the inputs to the cache folder; returns the job that cooks them."""
    scene = context.scene
    made = export.scene_of(scene)
    folder = export.folder_of(scene.rivulet)
    export.write_inputs(scene)
    made.save(os.path.join(folder, "scene.json"))
    return Job(made, folder, (scene.frame_start, scene.frame_end))


def finish(operator, context, job):
    """Shows warnings, errors and the result of a job that has ended."""
    settings = context.scene.rivulet
    settings.progress = 0.0
    for text in job.warnings[:5]:
        operator.report({"WARNING"}, text)
    if isinstance(job.error, rivulet.Cancelled):
        settings.status = "Cancelled at frame %d" % job.frame
        operator.report({"WARNING"}, settings.status)
        return {"CANCELLED"}
    if job.error is not None:
        settings.status = str(job.error)
        operator.report({"ERROR"}, str(job.error))
        return {"CANCELLED"}
    settings.status = "Baked frames %d to %d" % job.frames
    from . import show
    show.update(context.scene)
    return {"FINISHED"}


class RIVULET_OT_bake(bpy.types.Operator):
    bl_idname = "rivulet.bake"
    bl_label = "Bake"
    bl_description = "Simulates all frames of the scene into the cache; Escape stops it"

    _job = None
    _timer = None

    def _begin(self, context):
        try:
            self._job = prepare(context)
            return True
        except (rivulet.Error, OSError) as reason:
            context.scene.rivulet.status = str(reason)
            self.report({"ERROR"}, str(reason))
            return False

    def execute(self, context):
        if not self._begin(context):
            return {"CANCELLED"}
        self._job.run()
        return finish(self, context, self._job)

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        if not self._begin(context):
            return {"CANCELLED"}
        self._job.thread.start()
        self._timer = context.window_manager.event_timer_add(0.2, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._job.stop = True
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        settings = context.scene.rivulet
        settings.progress = self._job.fraction
        settings.status = "Frame %d" % self._job.frame
        for area in context.screen.areas:
            area.tag_redraw()
        if self._job.thread.is_alive():
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self._timer)
        return finish(self, context, self._job)


class RIVULET_OT_export(bpy.types.Operator):
    bl_idname = "rivulet.export"
    bl_label = "Export Scene"
    bl_description = "Writes scene.json and its inputs, for the command line and the farm"

    def execute(self, context):
        try:
            job = prepare(context)
        except (rivulet.Error, OSError) as reason:
            self.report({"ERROR"}, str(reason))
            return {"CANCELLED"}
        path = os.path.join(job.folder, "scene.json")
        context.scene.rivulet.status = "rivulet cook %s --out %s" % (path, job.folder)
        self.report({"INFO"}, context.scene.rivulet.status)
        return {"FINISHED"}


CLASSES = (RIVULET_OT_bake, RIVULET_OT_export)


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)


def unregister():
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
