"""A graph to start from: a bust with wet hair under a stream of water."""
import bpy

from . import node_types

# Nodes: type or class, name, column, row, wires (name, output), parameters by token.
NODES = (
    ("bust", "Bust", 0, 0, (), {"shoulders": 0.8}),
    ("groom", "Groom", 1, 0, (("Bust", 0),), {
        "group": "scalp", "count": 4000, "length": 0.24, "points": 20, "style": "wavy", "curlradius": 0.006, "curlpitch": 0.08,
        "parting": "left", "partingstrength": 0.6, "lift": 0.42, "bend": 0.95, "bendlength": 0.035,
        "clumpsize": 0.016, "tightness": 0.5, "radius": 4e-5, "widthscale": 2.5}),
    # a wide band: some strands begin deep inside the bust
    ("collider", "Body", 1, 1, (("Bust", 0),), {"voxelsize": 0.005, "band": 16.0}),
    ("source", "Bucket", 2, 1, (), {
        "shape": "disc", "size": (0.07, 0.07, 0.07), "t": (0, 0.3, 0.02), "rate": 0.0035, "vel": (0, -0.95, 0.1)}),
    ("guides", "Guides", 2, 0, (("Groom", 0),), {"step": 30}),
    ("wetsolver", "Wet Solver", 3, 0, (("Guides", 0), None, ("Body", 0), ("Bucket", 0)), {
        "substeps": 4, "particlesep": 0.006, "reststiffen": 12,
        "killbox": True, "killmin": (-0.5, -0.4, -0.5), "killmax": (0.5, 0.8, 0.5)}),
    ("transfer", "Transfer", 4, 0, (("Groom", 0), ("Guides", 0), ("Wet Solver", 0)), {}),
    ("surface", "Surface", 4, 1, (("Wet Solver", 2),), {}),
    ("RivuletNodeOutput", "Output", 5, 0, (("Transfer", 0), ("Surface", 0), ("Bust", 0)), {}),
)
COLUMN, ROW = 290, 350  # distances of nodes in the editor


def make(name="Wet Hair"):
    """A new graph with the nodes of the example."""
    tree = bpy.data.node_groups.new(name, node_types.TREE)
    tree.use_fake_user = True
    for type, title, column, row, wires, values in NODES:
        node = tree.nodes.new(type if type.startswith("RivuletNode") else node_types.identifier(type))
        node.name, node.location = title, (COLUMN * column, -ROW * row)
        for token, value in values.items():
            setattr(node, "p_" + token, value)
        for socket, wire in zip(node.inputs, wires):
            if wire is not None:
                tree.links.new(tree.nodes[wire[0]].outputs[wire[1]], socket)
        node.select = False
    return tree


class RIVULET_OT_graph_example(bpy.types.Operator):
    bl_idname = "rivulet.graph_example"
    bl_label = "New Example Graph"
    bl_description = "Makes a graph to start from: a bust with hair under a stream of water"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        return getattr(context.space_data, "tree_type", "") == node_types.TREE

    def execute(self, context):
        context.space_data.node_tree = make()
        return {"FINISHED"}


def draw_menu(self, context):
    """The entry of the Add menu."""
    if getattr(context.space_data, "tree_type", "") == node_types.TREE:
        self.layout.separator()
        self.layout.operator(RIVULET_OT_graph_example.bl_idname, icon="ADD")


def register():
    bpy.utils.register_class(RIVULET_OT_graph_example)
    bpy.types.NODE_MT_add.append(draw_menu)


def unregister():
    bpy.types.NODE_MT_add.remove(draw_menu)
    bpy.utils.unregister_class(RIVULET_OT_graph_example)
