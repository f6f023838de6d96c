"""Bake, cancel and export the set-up of the sidebar."""
import os

import bpy
from bpy.props import BoolProperty, EnumProperty

import rivulet

from . import baking, export
from .graph import cache, faults, scenefile


class PanelTarget:
    """The set-up of the sidebar, for the frames of its scene."""

    preview = 1.0

    def __init__(self, scene):
        self.scene_name, self.name = scene.name, "scene " + scene.name
        self.folder = export.folder_of(scene.rivulet)
        self.frames = (scene.frame_start, scene.frame_end)

    @property
    def scene(self):
        return bpy.data.scenes.get(self.scene_name)

    @property
    def settings(self):
        return self.scene.rivulet

    def scene_now(self):
        return self.scene

    def alive(self):
        return self.scene is not None

    def check(self):
        """A folder beside the .blend file needs the file."""
        if self.settings.folder.startswith("//") and not bpy.data.filepath:
            raise scenefile.Fault(None, "save the .blend file first, or choose another cache folder")

    def write(self, folder):
        """Writes scene.json and its inputs; returns the input files."""
        try:
            made = export.scene_of(self.scene)
            files = export.write_inputs(self.scene, folder)
        except rivulet.Error as reason:
            raise scenefile.Fault(None, str(reason))
        made.save(os.path.join(folder, cache.SCENE))
        return files

    def mark(self, text):
        return faults.place(text)[1]

    def mark_fault(self, fault):
        return str(fault)

    def warn(self, messages):
        for level, name, text in messages[:5]:
            if level == "warning":
                print("%s: %s" % (name, text))

    def show(self):
        from . import show
        show.update(self.scene)


class RIVULET_OT_bake(baking.BakeOperator, bpy.types.Operator):
    bl_idname = "rivulet.bake"
    bl_label = "Bake"
    bl_description = ("Simulates all frames of the scene into the cache, in the background. "
                      "A finished bake of other values stays unless you ask for its replacement")

    replace: BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})
    answer: EnumProperty(name="Finished Bake", items=baking.ANSWERS, options={"SKIP_SAVE"})
    asked: BoolProperty(default=False, options={"HIDDEN", "SKIP_SAVE"})

    def target(self, context):
        return PanelTarget(context.scene)


class RIVULET_OT_cancel(bpy.types.Operator):
    bl_idname = "rivulet.cancel"
    bl_label = "Cancel"
    bl_description = "Stops the bake. Its frames stay, and Bake goes on from there"

    def execute(self, context):
        return baking.cancel(PanelTarget(context.scene))


class RIVULET_OT_export(bpy.types.Operator):
    bl_idname = "rivulet.export"
    bl_label = "Export Scene"
    bl_description = "Writes scene.json and its inputs beside the cache, for the command line and the farm"

    def execute(self, context):
        target = PanelTarget(context.scene)
        folder = target.folder + "_export"
        try:
            os.makedirs(folder, exist_ok=True)
            target.write(folder)
        except (scenefile.Fault, OSError) as reason:
            target.settings.status = str(reason)
            self.report({"ERROR"}, str(reason))
            return {"CANCELLED"}
        finally:
            target.show()
        target.settings.status = "rivulet cook %s" % os.path.join(folder, cache.SCENE)
        self.report({"INFO"}, target.settings.status)
        return {"FINISHED"}


CLASSES = (RIVULET_OT_bake, RIVULET_OT_cancel, RIVULET_OT_export)


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)


def unregister():
    baking.stop_all()
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
