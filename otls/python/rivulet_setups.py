"""The set-ups of the shelf: each function makes a network that cooks without further changes."""
import hou

_VERSION = "rivulet::%s::1.0"


def _network(name):
    return hou.node("/obj").createNode("geo", name)


def _node(parent, type, name, inputs=(), **parms):
    """A Rivulet node with its inputs and parameters; an input may be (node, output)."""
    node = parent.createNode(_VERSION % type, name)
    for index, source in enumerate(inputs):
        if isinstance(source, tuple):
            node.setInput(index, source[0], source[1])
        elif source is not None:
            node.setInput(index, source)
    node.setParms(parms)
    return node


def _show(parent, node):
    """Displays a node and lays the network out."""
    node.setDisplayFlag(True)
    node.setRenderFlag(True)
    parent.layoutChildren()


def wet_hair(kwargs):
    """A head of hair over a pool; key the node `move` to dip it and pull it out."""
    geo = _network("wet_hair")
    head = _node(geo, "sphere", "head", radius=0.1)
    hair = _node(geo, "groom", "hair", [head], count=1000, length=0.2, points=20)
    solid = _node(geo, "collider", "solid", [head])
    move = _node(geo, "transform", "move", [solid])
    follow = _node(geo, "deform", "follow", [hair, solid, move])
    pool = _node(geo, "fill", "pool", size=(0.4, 0.15, 0.4), t=(0, -0.22, 0), particlesep=0.008)
    wet = _node(geo, "wetsolver", "wet", [follow, pool, move], hairsperguide=10, walls=True, wallsmin=(-0.2, -0.295, -0.2),
                wallsmax=(0.2, 2, 0.2))
    _show(geo, wet)
    return wet


def pour_on_fur(kwargs):
    """A mat of fur, and a can above it that pours water."""
    geo = _network("pour_on_fur")
    mat = _node(geo, "grid", "mat", size=(0.1, 0.1), rows=17, cols=17, addnormals=True)
    fur = _node(geo, "groom", "fur", [mat], count=1500, length=0.03, points=12, lift=1, bend=0)
    slab = _node(geo, "box", "slab", size=(0.12, 0.006, 0.12), t=(0, -0.003, 0))
    solid = _node(geo, "collider", "solid", [slab])
    can = _node(geo, "box", "can", size=(0.05, 0.008, 0.05), t=(0, 0.08, 0))
    pour = _node(geo, "source", "pour", [can], mode="fill", vel=(0, -0.3, 0))
    wet = _node(geo, "wetsolver", "wet", [fur, None, solid, pour], particlesep=0.003, rootfree=0.002, killbox=True,
                killmin=(-0.5, -0.1, -0.5), killmax=(0.5, 0.5, 0.5))
    _show(geo, wet)
    return wet
