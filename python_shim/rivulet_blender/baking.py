"""What the bakes of the sidebar and of the graph share: a target says what is baked, an operator runs it in the background.

A target has `name`, `settings` (status, progress, running), `folder`, `preview`, `frames`, and the methods check, write, mark,
warn, show, alive and scene_now.
"""
import atexit

import bpy

from .graph import cache, cook, scenefile

TIMER_SECONDS = 0.2
RUNNING = {}  # name of a target -> Bake at work

# Answers to the question what happens to a finished bake of other values.
ANSWERS = [("NEW", "Keep It, Bake to a New Folder", "The finished bake stays, and the new one gets a folder of its own"),
           ("REPLACE", "Replace It", "Removes the finished bake when the new one is finished")]


class Refused(Exception):
    """A finished bake is in the way."""


class Bake:
    """One bake: its target, the process at work and the key of its values."""

    def __init__(self, target, job, key):
        self.target, self.job, self.key = target, job, key


def prepare(target, replace=False):
    """Writes the scene and its inputs beside the cache and plans the bake. Returns None if the cache is up to date; raises
    scenefile.Fault or Refused."""
    target.check()
    folder, plan = target.folder, None
    staged = cache.stage(folder)
    try:
        files = target.write(staged)
        key = cache.key(staged, files, target.preview)
        plan = cache.plan(folder, key, replace)
    finally:
        cache.take(folder, plan)
    if plan == cache.DONE:
        return None
    if plan == cache.REFUSED:
        raise Refused(cache.refusal(folder))
    cache.write_note(cache.part(folder), key=key, frames=list(target.frames), finished=False)
    words = cook.command(folder, plan == cache.RESUME, target.preview)
    return Bake(target, cook.Job(folder, target.frames, words), key)


def finish(bake):
    """Shows what a job that ended has to say; returns the level and the text of the status."""
    target, job = bake.target, bake.job
    done = cook.finish(job, bake.key)
    if not target.alive():
        return "WARNING", "what was baked is gone"
    target.settings.running, target.settings.progress = False, 0.0
    target.warn(job.messages)
    if done:
        # results are imported at every frame of a render: Blender must not draw the same data meanwhile
        target.scene_now().render.use_lock_interface = True
        level, text = "INFO", "Baked frames %d to %d" % job.frames
    elif job.cancelled:
        level, text = "WARNING", "Cancelled at frame %d; Bake goes on from there" % job.frame
    else:
        level, text = "ERROR", target.mark(job.error)
    target.settings.status = text
    target.show()
    return level, text


class BakeOperator:
    """The steps of an operator that bakes. Its class has the properties replace, answer and asked, and target(context)."""

    _bake = _timer = None

    def fail(self, target, text):
        target.settings.status = text
        self.report({"ERROR"}, text)
        return {"CANCELLED"}

    def _begin(self, target):
        """The bake at work; or None, and the result of the operator."""
        if at_work(target.name):
            return None, self.fail(target, "a bake is at work: cancel it first")
        try:
            bake = prepare(target, self.replace)
        except scenefile.Fault as fault:
            return None, self.fail(target, target.mark_fault(fault))
        except OSError as reason:
            return None, self.fail(target, "the cache cannot be written: %s" % reason)
        finally:
            target.show()
        if bake is None:
            target.settings.status = "The cache is up to date"
            self.report({"INFO"}, target.settings.status)
            return None, {"FINISHED"}
        try:
            bake.job.start()
        except OSError as reason:
            return None, self.fail(target, str(reason))
        RUNNING[target.name] = bake
        target.settings.running, target.settings.status = True, "Baking"
        return bake, None

    def _end(self, bake):
        RUNNING.pop(bake.target.name, None)
        level, text = finish(bake)
        self.report({level}, text)
        return {"FINISHED"} if level == "INFO" else {"CANCELLED"}

    def execute(self, context):
        """Without a window the bake runs to its end; with one it goes on in the background."""
        target = self.target(context)
        if target is None:
            return {"CANCELLED"}
        if self.asked:
            self.replace = self.answer == "REPLACE"
            if self.answer == "NEW":
                target.settings.folder = cache.free_name(target.folder)
        try:
            bake, result = self._begin(target)
        except Refused as reason:
            return self.fail(target, str(reason))
        if bake is None:
            return result
        if bpy.app.background or context.window is None:
            bake.job.wait()
            return self._end(bake)
        return self._go_modal(context, bake)

    def invoke(self, context, _event):
        """Asks what to do if a finished bake of other values is there."""
        target = None if bpy.app.background else self.target(context)
        if target is None:
            return self.execute(context)
        try:
            bake, result = self._begin(target)
        except Refused as reason:
            target.settings.status = str(reason)
            self.asked = True
            return context.window_manager.invoke_props_dialog(self, width=420)
        return self._go_modal(context, bake) if bake else result

    def draw(self, _context):
        self.layout.label(text="The cache holds a finished bake of other values.", icon="QUESTION")
        self.layout.prop(self, "answer", expand=True)

    def _go_modal(self, context, bake):
        self._bake = bake
        self._timer = context.window_manager.event_timer_add(TIMER_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        """Shows the progress until the process ends."""
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        bake = self._bake
        if bake.target.alive():
            job, settings = bake.job, bake.target.settings
            settings.progress = job.fraction
            settings.status = "Frame %g%s" % (job.frame, ", %s left" % job.left if job.left else "")
        for window in context.window_manager.windows:
            for area in window.screen.areas:
                area.tag_redraw()
        if bake.job.running():
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self._timer)
        return self._end(bake)


def at_work(name):
    """The bake of a target that is at work, or None. One whose operator ended with another .blend file is forgotten."""
    bake = RUNNING.get(name)
    if bake is not None and not bake.job.running():
        del RUNNING[name]
        bake = None
    return bake


def cancel(target):
    """Stops the bake of a target. A file that was saved during a bake says that one is running: this corrects it."""
    bake = at_work(target.name)
    if bake is not None:
        bake.job.stop()
    else:
        target.settings.running = False
    return {"FINISHED"}


@atexit.register
def stop_all():
    """Asks all bakes to end; also when Blender quits."""
    for bake in list(RUNNING.values()):
        bake.job.stop()
