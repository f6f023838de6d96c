"""The node tree: its settings, the Add menu, and wires that are drawn red where they cannot work."""
import bpy
import nodeitems_utils
from bpy.props import BoolProperty, FloatProperty, PointerProperty, StringProperty

from rivulet import nodes

from . import blender_nodes, node_types, schema, scenefile, sockets

CATEGORIES = "RIVULET_NODES"


class RivuletTreeSettings(bpy.types.PropertyGroup):
    """What a graph knows besides its nodes."""

    folder: StringProperty(name="Cache", default="", subtype="DIR_PATH",
                           description="Folder of the baked frames. Empty: a folder with the graph's name beside the .blend file")
    show: BoolProperty(name="Show Baked Results", default=True, update=lambda self, context: _show(context),
                       description="Shows the baked frames, and hides the inputs that they replace")
    preview: FloatProperty(name="Preview", default=1.0, min=1.0, soft_max=32.0, max=1000.0,
                           description="Divides guides, particles and substeps by this number for a fast look; 1 bakes in full")
    status: StringProperty(default="")
    running: BoolProperty(default=False)
    progress: FloatProperty(name="Baking", min=0, max=1, subtype="FACTOR")


def _show(context):
    from . import results
    results.update(context.scene)


def settings_of(tree):
    return tree.rivulet


class RivuletTree(bpy.types.NodeTree):
    """Wet hair: grooms, sources and solvers as nodes"""

    bl_idname = node_types.TREE
    bl_label = "Rivulet"
    bl_icon = "MOD_FLUIDSIM"

    def update(self):
        """Called by Blender when nodes or wires change: marks wires that bring the wrong kind of geometry."""
        # links cannot be changed while Blender updates them
        if not bpy.app.timers.is_registered(check_wires):
            bpy.app.timers.register(check_wires, first_interval=0.01)


def kinds_of(socket):
    """Kinds of geometry that an input socket takes; an empty set is any."""
    node = socket.node
    if isinstance(node, node_types.TableNode):
        ports = {port["name"]: port for port in nodes.find(node.rivulet_type).inputs}
        return schema.takes(ports[socket.identifier]) if socket.identifier in ports else set()
    results = {key: kinds for key, _, _, kinds, _ in scenefile.RESULTS}
    return results.get(socket.identifier, set())


def _origin(socket):
    """The output behind a socket: reroutes pass it on. None where a reroute has no wire."""
    seen = 0
    while socket is not None and socket.node.bl_idname == "NodeReroute":
        wires = socket.node.inputs[0].links
        socket = wires[0].from_socket if wires else None
        seen += 1
        if seen > 1000:
            return None
    return socket


def check_wires():
    """Draws wires red that bring a kind of geometry that their input does not take."""
    for tree in bpy.data.node_groups:
        if tree.bl_idname != node_types.TREE:
            continue
        for link in tree.links:
            source = _origin(link.from_socket)
            good = source is None or schema.fits(sockets.type_of(source), kinds_of(link.to_socket))
            if not good and link.is_valid:
                link.is_valid = False


def _items():
    """The Add menu: inputs and the output first, then the categories of the table."""
    category, item = nodeitems_utils.NodeCategory, nodeitems_utils.NodeItem

    class Category(category):
        @classmethod
        def poll(cls, context):
            return context.space_data.tree_type == node_types.TREE
    made = [Category("RIVULET_INPUT", "Input", items=[item(one.bl_idname) for one in blender_nodes.INPUTS]),
            Category("RIVULET_OUTPUT", "Output", items=[item(blender_nodes.RivuletNodeOutput.bl_idname)])]
    for name, rows in schema.menus():
        made.append(Category("RIVULET_" + name.upper(), name, items=[item(node_types.identifier(row.type)) for row in rows]))
    return made


def register():
    bpy.utils.register_class(RivuletTreeSettings)
    bpy.utils.register_class(RivuletTree)
    bpy.types.NodeTree.rivulet = PointerProperty(type=RivuletTreeSettings)
    nodeitems_utils.register_node_categories(CATEGORIES, _items())


def unregister():
    nodeitems_utils.unregister_node_categories(CATEGORIES)
    del bpy.types.NodeTree.rivulet
    bpy.utils.unregister_class(RivuletTree)
    bpy.utils.unregister_class(RivuletTreeSettings)
    if bpy.app.timers.is_registered(check_wires):
        bpy.app.timers.unregister(check_wires)
