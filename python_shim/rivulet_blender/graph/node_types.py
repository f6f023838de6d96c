"""Node classes, one for each node type of the table, with its ports as sockets and its parameters as properties."""
import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from rivulet import nodes

from .. import props
from . import faults, numbers, schema, sockets

TREE = "RivuletTree"                # bl_idname of the node tree
FAULT_COLOR = (0.55, 0.10, 0.10)    # of a node that has an error
WIDTH = 240                         # of a node: a label and its number are readable
LETTER_WIDTH = 5.4                  # of a node's text, in the units of its width


def identifier(type):
    """bl_idname of the class of a node type."""
    return "RivuletNode_" + type


class Marked:
    """What every node of the graph has: a place for its error and its warnings."""

    @classmethod
    def poll(cls, tree):
        return tree.bl_idname == TREE

    def draw_label(self):
        """The title is the node's name, by which messages and the scene file call it."""
        return self.name

    def set_fault(self, text):
        """Puts an error on the node, or removes it (an empty text)."""
        self.fault = text
        self.use_custom_color = bool(text)
        if text:
            self.color = FAULT_COLOR

    def draw_marks(self, layout):
        """The error and the first warning, wrapped to the node's width."""
        for text, icon in ((self.fault, "ERROR"), (self.note, "INFO")):
            if not text:
                continue
            box = layout.box()
            box.alert = icon == "ERROR"
            for index, line in enumerate(faults.wrapped(text, int(self.width / LETTER_WIDTH) - 5)):
                box.label(text=line, icon=icon if index == 0 else "BLANK1")


MARKS = {"fault": StringProperty(options={"SKIP_SAVE"}), "note": StringProperty(options={"SKIP_SAVE"})}


class TableNode(Marked):
    """A node of the table; classes of node types derive from it."""

    rivulet_type = ""

    def init(self, _context):
        row = nodes.find(self.rivulet_type)
        self.width = WIDTH
        for port in row.inputs:
            self.inputs.new(sockets.identifier(schema.input_socket(port)), port["label"], identifier=port["name"])
        for port in row.outputs:
            self.outputs.new(sockets.identifier(schema.output_socket(row, port)), port["label"], identifier=port["name"])
        self.scale_lengths(numbers.typed(bpy.context.scene.unit_settings.scale_length))

    def scale_lengths(self, meters_per_unit):
        """Defaults are metres: in a scene of other units a new node shows its lengths in these."""
        if meters_per_unit == 1.0:
            return
        for parm in nodes.find(self.rivulet_type).parms:
            if parm["unit"] == "m" and parm["type"] == "float":
                setattr(self, schema.PREFIX + parm["token"], schema.default(parm, meters_per_unit))

    def parameter(self, token):
        """The value of a parameter: a number, a text or a list."""
        value = getattr(self, schema.PREFIX + token)
        return list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value

    def parameters(self):
        """Values of all parameters by token."""
        return {parm["token"]: self.parameter(parm["token"]) for parm in nodes.find(self.rivulet_type).parms
                if parm["type"] != "button"}

    def apply_preset(self, token):
        """Sets the parameters of a preset; the others stay as they are."""
        preset = next(one for one in nodes.find(self.rivulet_type).presets if one["token"] == token)
        for name, value in preset["values"].items():
            setattr(self, schema.PREFIX + name, value)

    def draw_folder(self, layout, folder):
        """The parameters of a folder, as the table's conditions have it."""
        row = nodes.find(self.rivulet_type)
        wired = [socket.is_linked for socket in self.inputs]
        for parm, enabled in schema.shown(row, folder, self.advanced, self.parameters(), wired):
            line = layout.column(align=True)
            line.enabled = enabled
            line.prop(self, schema.PREFIX + parm["token"])
            readout = self.readout(parm)
            if readout:
                line.label(text=readout, icon="BLANK1")

    def readout(self, parm):
        """A text for a parameter of which the field shows too few digits; an empty one for others."""
        return schema.readout(parm, self.parameter(parm["token"]), schema.length_scale(bpy.context.scene.unit_settings))

    def draw_buttons(self, _context, layout):
        self.draw_marks(layout)
        row = nodes.find(self.rivulet_type)
        if row.presets:
            # the menu finds its node in the context
            layout.context_pointer_set("rivulet_node", self)
            layout.menu("RIVULET_MT_presets", text="Preset")
        if not schema.folders(row):
            return
        head = layout.row(align=True)
        if len(schema.folders(row)) > 1:
            head.prop(self, "folder", text="")
        if schema.has_advanced(row):
            head.prop(self, "advanced", text="", icon="PREFERENCES")
        self.draw_folder(layout, schema.folders(row)[int(self.folder)])

    def draw_buttons_ext(self, _context, layout):
        """All folders, in the sidebar of the editor."""
        row = nodes.find(self.rivulet_type)
        layout.label(text=row.summary)
        layout.prop(self, "advanced")
        for folder in schema.folders(row):
            box = layout.box()
            box.label(text=folder or "Main")
            self.draw_folder(box, folder)


def _folder_property(row):
    # Blender allows no empty identifier, and a folder may have an empty name
    items = [(str(index), name or "Main", "") for index, name in enumerate(schema.folders(row))]
    return EnumProperty(name="Folder", description="Which parameters the node shows; the sidebar (N, Node, Properties) shows all",
                        items=items or [("0", "Main", "")])


def _class(row):
    """The class of a node type."""
    made = {schema.PREFIX + parm["token"]: props.property_of(parm) for parm in row.parms}
    made = {name: prop for name, prop in made.items() if prop is not None}
    made["folder"] = _folder_property(row)
    made["advanced"] = BoolProperty(name="Advanced", description="Shows the parameters that few shots need")
    return type(identifier(row.type), (bpy.types.Node, TableNode), {
        "bl_idname": identifier(row.type), "bl_label": row.label, "bl_description": row.summary,
        "rivulet_type": row.type, "__annotations__": dict(made, **MARKS)})


def tree_of(context):
    """The Rivulet tree of the node editor that the context is in; None in any other place."""
    space = context.space_data
    tree = getattr(space, "edit_tree", None) if space else None
    return tree if tree is not None and tree.bl_idname == TREE else None


class RIVULET_OT_node_preset(bpy.types.Operator):
    bl_idname = "rivulet.node_preset"
    bl_label = "Preset"
    bl_description = "Sets some parameters of the node to values that belong together"
    bl_options = {"UNDO"}

    tree: StringProperty()
    node: StringProperty()
    preset: StringProperty()

    @classmethod
    def description(cls, _context, properties):
        """The help of the preset."""
        node = bpy.data.node_groups[properties.tree].nodes[properties.node]
        return next(one["help"] for one in nodes.find(node.rivulet_type).presets if one["token"] == properties.preset)

    def execute(self, _context):
        bpy.data.node_groups[self.tree].nodes[self.node].apply_preset(self.preset)
        return {"FINISHED"}


class RIVULET_MT_presets(bpy.types.Menu):
    bl_idname = "RIVULET_MT_presets"
    bl_label = "Preset"

    def draw(self, context):
        node = context.rivulet_node
        for one in nodes.find(node.rivulet_type).presets:
            line = self.layout.operator("rivulet.node_preset", text=one["label"])
            line.tree, line.node, line.preset = node.id_data.name, node.name, one["token"]


CLASSES = [_class(row) for row in schema.types()] + [RIVULET_OT_node_preset, RIVULET_MT_presets]


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)


def unregister():
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
