"""Nodes that only Blender has: objects as inputs, and the Output, which says what is baked."""
import bpy
from bpy.props import EnumProperty, PointerProperty

from . import faults, scenefile, sockets
from .node_types import LETTER_WIDTH, MARKS, WIDTH, Marked

MOTIONS = [("ANIMATED", "Every Frame", "Writes the object at every frame, with its modifiers and its motion"),
           ("START", "First Frame", "Writes the object once, as it is at the first frame: a rest pose, or a body that stands still")]
HIDING = [("AUTO", "Automatic", "Hides curves and liquid that the results replace, and keeps bodies: skins and colliders"),
          ("ALWAYS", "Hidden", "Hides the object while baked results show"),
          ("NEVER", "Visible", "The object stays as it is")]


def _is_curves(_self, thing):
    return thing.type in ("CURVES", "CURVE")


def _is_mesh(_self, thing):
    return thing.type == "MESH"


class InputNode(Marked):
    """An object of the scene; classes for its kinds derive from it."""

    source = "object"   # name of the property that has the object
    what = ""           # what the artist must choose
    socket = "mesh"
    geometry = "mesh"   # curves, mesh or collection

    def init(self, _context):
        self.width = WIDTH
        self.outputs.new(sockets.identifier(self.socket), "Strands" if self.socket == "strands" else "Mesh")

    def chosen(self):
        return getattr(self, self.source)

    def objects(self):
        """The objects of the node, sorted by name."""
        thing = self.chosen()
        if thing is None:
            return []
        if self.geometry != "collection":
            return [thing]
        return sorted((one for one in thing.all_objects if one.type == "MESH"), key=lambda one: one.name)

    def missing(self):
        """What the artist must do before the node can be baked; None if nothing."""
        if self.chosen() is None:
            return "choose %s" % self.what
        if not self.objects():
            return "the collection '%s' has no mesh: choose another one" % self.chosen().name
        return None

    def draw_buttons(self, _context, layout):
        self.draw_marks(layout)
        layout.prop(self, self.source, text="")
        layout.prop(self, "motion", text="")

    def draw_buttons_ext(self, context, layout):
        self.draw_buttons(context, layout)
        layout.prop(self, "hiding")


def _common(kind, poll):
    words = {"name": "Object", "type": kind}
    if poll:
        words["poll"] = poll
    return dict(MARKS, object=PointerProperty(**words), motion=EnumProperty(name="Motion", items=MOTIONS),
                hiding=EnumProperty(name="While Baked", items=HIDING))


def _input(name, label, help, poll=None, kind=bpy.types.Object, **words):
    """A class of input nodes."""
    return type(name, (bpy.types.Node, InputNode), dict(
        {"bl_idname": name, "bl_label": label, "bl_description": help, "__annotations__": _common(kind, poll)}, **words))


Curves = _input("RivuletNodeCurves", "Curves Object", "Hair curves or curves of the scene as strands, root first", _is_curves,
                what="a curves object", socket="strands", geometry="curves", bl_icon="CURVES_DATA")
Mesh = _input("RivuletNodeMesh", "Mesh Object", "A mesh of the scene, with its modifiers; vertex groups become attributes",
              _is_mesh, what="a mesh object", bl_icon="MESH_DATA")
Meshes = _input("RivuletNodeCollection", "Mesh Collection", "All meshes of a collection as one", kind=bpy.types.Collection,
                what="a collection", geometry="collection", bl_icon="OUTLINER_COLLECTION")


class RivuletNodeOutput(bpy.types.Node, Marked):
    """What is baked and shown."""

    bl_idname = "RivuletNodeOutput"
    bl_label = "Output"
    bl_description = "What is baked and shown: strands, water (the first output of Surface), meshes, particles for a look in the viewport"
    bl_icon = "OUTPUT"
    __annotations__ = dict(MARKS)

    def init(self, _context):
        self.width = WIDTH
        for key, label, socket, _, _ in scenefile.RESULTS:
            self.inputs.new(sockets.identifier(socket), label, identifier=key)

    def draw_buttons(self, _context, layout):
        self.draw_marks(layout)
        row, settings = layout.row(align=True), self.id_data.rivulet
        if settings.running:
            row.operator("rivulet.graph_cancel", icon="CANCEL").tree = self.id_data.name
            layout.prop(settings, "progress", slider=True)
        else:
            row.operator("rivulet.graph_bake", icon="REC").tree = self.id_data.name
        row.prop(settings, "show", text="", icon="HIDE_OFF")
        for line in faults.wrapped(settings.status, int(self.width / LETTER_WIDTH) - 2) if settings.status else ():
            layout.label(text=line)


INPUTS = (Curves, Mesh, Meshes)
CLASSES = INPUTS + (RivuletNodeOutput,)


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)


def unregister():
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
