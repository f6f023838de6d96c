"""A small wet scene in Blender, as a graph made in code: a ball with hair, a block of water that falls on it, a floor."""
import bpy


def clear():
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing, do_unlink=True)


def mesh_object(name, make, **words):
    make(**words)
    bpy.context.object.name = name
    return bpy.context.object


class Maker:
    """Adds nodes and wires to a new graph."""

    def __init__(self, name):
        self.tree = bpy.data.node_groups.new(name, "RivuletTree")
        self.tree.use_fake_user = True
        self.columns = {}

    def node(self, type, name, column=0, inputs=(), **values):
        """A node of a table type or of a class, wired from (node, output) pairs, with parameters by token."""
        own = type.startswith("RivuletNode")
        node = self.tree.nodes.new(type if own else "RivuletNode_" + type)
        node.name = name
        node.location = (290 * column, -self.columns.get(column, 0))
        self.columns[column] = self.columns.get(column, 0) + 350
        for key, value in values.items():
            setattr(node, key if own else "p_" + key, value)
        for socket, source in zip(node.inputs, inputs):
            if source is not None:
                self.tree.links.new(source[0].outputs[source[1]], socket)
        return node


def wet_ball(frames=(1, 4), count=120, separation=0.012, substeps=2):
    """(tree, nodes by name) of the scene; objects `Ball`, `Block` and the collection `Floor`."""
    scene = bpy.context.scene
    clear()
    scene.frame_start, scene.frame_end, scene.render.fps = frames[0], frames[1], 24
    ops = bpy.ops.mesh
    ball = mesh_object("Ball", ops.primitive_uv_sphere_add, radius=0.05, location=(0, 0, 0.1))
    block = mesh_object("Block", ops.primitive_cube_add, size=0.07, location=(0, 0, 0.195))
    floor = mesh_object("Slab", ops.primitive_cube_add, size=1, location=(0, 0, -0.03))
    floor.scale = (0.4, 0.4, 0.04)
    solids = bpy.data.collections.new("Floor")
    scene.collection.children.link(solids)
    solids.objects.link(floor)
    made = Maker("Wet Ball")
    n = made.node
    head = n("RivuletNodeMesh", "Head", 0, object=ball)
    bucket = n("RivuletNodeMesh", "Bucket", 0, object=block)
    ground = n("RivuletNodeCollection", "Ground", 0, object=solids)
    groom = n("groom", "Groom", 1, [(head, 0)], count=count, length=0.05, points=8, radius=2e-4)
    fill = n("fill", "Fill", 1, [(bucket, 0)], particlesep=separation)
    both = n("merge", "Solids", 1, [(head, 0), (ground, 0)])
    guides = n("guides", "Guides", 2, [(groom, 0)], step=4)
    body = n("collider", "Body", 2, [(both, 0)], voxelsize=0.006)
    wet = n("wetsolver", "Wet Solver", 3, [(guides, 0), (fill, 0), (body, 0)], substeps=substeps, particlesep=separation)
    hairs = n("transfer", "Transfer", 4, [(groom, 0), (guides, 0), (wet, 0)])
    surface = n("surface", "Surface", 4, [(wet, 2)])
    n("RivuletNodeOutput", "Output", 5, [(hairs, 0), (surface, 0)])
    return made.tree, {node.name: node for node in made.tree.nodes}
