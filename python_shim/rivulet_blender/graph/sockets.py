"""Socket classes, one for each row of schema.SOCKETS."""
import bpy

from . import schema


def identifier(name):
    """bl_idname of the class of a socket type."""
    return "RivuletSocket_" + name


def _class(name, label, color):
    def draw(self, _context, layout, _node, text):
        layout.label(text=text)

    def draw_color(self, _context, _node):
        return color

    # Blender 4 asks the class for the colour, Blender 3 the socket
    def draw_color_simple(_cls):
        return color
    return type(identifier(name), (bpy.types.NodeSocket,), {
        "bl_idname": identifier(name), "bl_label": label, "draw": draw, "draw_color": draw_color,
        "draw_color_simple": classmethod(draw_color_simple)})


CLASSES = [_class(name, label, color) for name, (label, color) in schema.SOCKETS.items()]


def type_of(socket):
    """Name of a socket's type; reroutes have sockets of other classes, which count as geometry."""
    name = socket.bl_idname[len("RivuletSocket_"):] if socket.bl_idname.startswith("RivuletSocket_") else ""
    return name if name in schema.SOCKETS else "geometry"


def register():
    for item in CLASSES:
        bpy.utils.register_class(item)


def unregister():
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
