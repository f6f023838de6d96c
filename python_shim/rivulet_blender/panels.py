"""The sidebar: objects, cache and bake, and a panel for every folder of the solvers' parameters."""
import bpy

import rivulet

from . import props
from .graph import schema


class RIVULET_PT_main(bpy.types.Panel):
    bl_idname = "RIVULET_PT_main"
    bl_label = "Rivulet"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Rivulet"

    def draw(self, context):
        settings, layout = context.scene.rivulet, self.layout
        layout.use_property_split = True
        layout.prop(settings, "solver")
        layout.prop(settings, "advanced")
        for name in ("strands", "liquid", "separation", "colliders", "folder"):
            layout.prop(settings, name)
        row = layout.row(align=True)
        if settings.running:
            row.operator("rivulet.cancel", icon="CANCEL")
            layout.prop(settings, "progress", slider=True)
        else:
            row.operator("rivulet.bake", icon="REC")
            row.operator("rivulet.export", icon="EXPORT")
        if settings.status:
            layout.label(text=settings.status)


def _folders():
    """Labels of all folders of parameters, in the order of the tables."""
    found = []
    for solver in props.SOLVERS:
        for row in solver.parms:
            if row["folder"] and row["folder"] not in found:
                found.append(row["folder"])
    return found


def _draw_parms(folder, settings, layout, units):
    """Draws the parameters of a folder as the table says: hidden, greyed out, and the advanced ones only where they are asked for."""
    group, solver = getattr(settings, settings.solver), rivulet.nodes.find(settings.solver)
    values = {token: getattr(group, token) for token in group.__annotations__}
    for row in solver.parms:
        token = row["token"]
        if row["folder"] != folder or token not in values or (row["level"] == "advanced" and not settings.advanced):
            continue
        view = solver.view(token, values)
        if view != "hidden":
            line = layout.row()
            line.enabled = view == "shown"
            line.prop(group, token)
            value = values[token]
            several = hasattr(value, "__len__") and not isinstance(value, str)
            readout = schema.readout(row, list(value) if several else value, schema.length_scale(units))
            if readout:
                layout.label(text=readout)


def _panel(folder):
    """A panel class for one folder; it is visible if the chosen solver has the folder."""
    class Panel(bpy.types.Panel):
        bl_idname = "RIVULET_PT_" + "".join(letter if letter.isalnum() else "_" for letter in folder.lower())
        bl_label = folder
        bl_parent_id = "RIVULET_PT_main"
        bl_space_type = "VIEW_3D"
        bl_region_type = "UI"
        bl_options = {"DEFAULT_CLOSED"}

        @classmethod
        def poll(cls, context):
            return any(row["folder"] == folder for row in rivulet.nodes.find(context.scene.rivulet.solver).parms)

        def draw(self, context):
            settings, layout = context.scene.rivulet, self.layout
            layout.use_property_split = True
            _draw_parms(folder, settings, layout, context.scene.unit_settings)
    Panel.__name__ = Panel.bl_idname
    return Panel


PANELS = [RIVULET_PT_main] + [_panel(folder) for folder in _folders()]


def register():
    for panel in PANELS:
        bpy.utils.register_class(panel)


def unregister():
    for panel in reversed(PANELS):
        bpy.utils.unregister_class(panel)
