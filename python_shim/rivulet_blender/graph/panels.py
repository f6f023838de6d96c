"""The sidebar of the node editor: bake, cache and the help of the active node."""
import bpy

from rivulet import nodes

from . import faults, node_types


class _Panel:
    bl_space_type = "NODE_EDITOR"
    bl_region_type = "UI"
    bl_category = "Rivulet"

    @classmethod
    def poll(cls, context):
        return node_types.tree_of(context) is not None


class RIVULET_PT_graph(bpy.types.Panel, _Panel):
    bl_idname = "RIVULET_PT_graph"
    bl_label = "Bake"

    def draw(self, context):
        tree, layout = node_types.tree_of(context), self.layout
        settings = tree.rivulet
        layout.prop(settings, "folder")
        layout.prop(settings, "preview")
        layout.prop(settings, "show")
        row = layout.row(align=True)
        if settings.running:
            row.operator("rivulet.graph_cancel", icon="CANCEL").tree = tree.name
            layout.prop(settings, "progress", slider=True)
        else:
            row.operator("rivulet.graph_bake", icon="REC").tree = tree.name
            row.operator("rivulet.graph_export", text="Export", icon="EXPORT").tree = tree.name
        for line in faults.wrapped(settings.status, max(int(context.region.width / 8), 20)):
            layout.label(text=line)


def draw_help(layout, context, node):
    """The help of a node's type, wrapped to the width of the sidebar."""
    row = nodes.find(node.rivulet_type)
    for part in [row.summary] + row.help.split("\n\n"):
        for line in faults.wrapped(part, max(int(context.region.width / 8), 20)):
            layout.label(text=line)


class RIVULET_PT_graph_help(bpy.types.Panel, _Panel):
    bl_idname = "RIVULET_PT_graph_help"
    bl_label = "About This Node"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        tree = node_types.tree_of(context)
        return tree is not None and isinstance(tree.nodes.active, node_types.TableNode)

    def draw(self, context):
        draw_help(self.layout, context, node_types.tree_of(context).nodes.active)


class RIVULET_PT_graph_start(bpy.types.Panel, _Panel):
    bl_idname = "RIVULET_PT_graph_start"
    bl_label = "Start"

    @classmethod
    def poll(cls, context):
        return getattr(context.space_data, "tree_type", "") == node_types.TREE and node_types.tree_of(context) is None

    def draw(self, _context):
        self.layout.label(text="New (in the header) makes an empty graph.")
        self.layout.operator("rivulet.graph_example", icon="ADD")


CLASSES = (RIVULET_PT_graph_start, RIVULET_PT_graph, RIVULET_PT_graph_help)


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)


def unregister():
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
