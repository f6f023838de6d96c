"""The set-ups of the shelf: each function makes a network that cooks without further changes."""
import json
import os

import hou

VERSION = "rivulet::%s::1.0"  # internal name of a node type
# names of the outputs of nodes that have several, by which scene files name them
OUTPUTS = {"strandsolver": ["strands", "liquid", "state"], "liquidsolver": ["liquid", "strands", "state"],
           "filmsolver": ["strands", "liquid", "state"], "wetsolver": ["strands", "liquid", "state"],
           "lookdevsolver": ["strands", "liquid", "state"], "continuumsolver": ["strands", "liquid", "state"],
           "interfacesolver": ["liquid", "strands", "state"]}


def _network(name):
    return hou.node("/obj").createNode("geo", name)


def wire(node, inputs):
    """Wires the inputs of a node; None is left empty, and (node, output) is another output than the first."""
    for index, source in enumerate(inputs):
        if isinstance(source, tuple):
            node.setInput(index, source[0], source[1])
        elif source is not None:
            node.setInput(index, source)


def add_node(parent, type, name, inputs=(), **parms):
    """A Rivulet node with its inputs and parameters."""
    node = parent.createNode(VERSION % type, name)
    wire(node, inputs)
    node.setParms(parms)
    return node


def show(parent, node):
    """Displays a node and lays the network out."""
    node.setDisplayFlag(True)
    node.setRenderFlag(True)
    parent.layoutChildren()


def wet_hair(kwargs):
    """A head of hair over a pool; key the node `move` to dip it and pull it out."""
    geo = _network("wet_hair")
    head = add_node(geo, "sphere", "head", radius=0.1)
    hair = add_node(geo, "groom", "hair", [head], count=1000, length=0.2, points=20)
    solid = add_node(geo, "collider", "solid", [head])
    move = add_node(geo, "transform", "move", [solid])
    follow = add_node(geo, "deform", "follow", [hair, solid, move])
    pool = add_node(geo, "fill", "pool", size=(0.4, 0.15, 0.4), t=(0, -0.22, 0), particlesep=0.008)
    wet = add_node(geo, "wetsolver", "wet", [follow, pool, move], hairsperguide=10, walls=True, wallsmin=(-0.2, -0.295, -0.2),
                wallsmax=(0.2, 2, 0.2))
    show(geo, wet)
    return wet


def pour_on_fur(kwargs):
    """A mat of fur, and a can above it that pours water."""
    geo = _network("pour_on_fur")
    mat = add_node(geo, "grid", "mat", size=(0.1, 0.1), rows=17, cols=17, addnormals=True)
    fur = add_node(geo, "groom", "fur", [mat], count=1500, length=0.03, points=12, lift=1, bend=0)
    slab = add_node(geo, "box", "slab", size=(0.12, 0.006, 0.12), t=(0, -0.003, 0))
    solid = add_node(geo, "collider", "solid", [slab])
    can = add_node(geo, "box", "can", size=(0.05, 0.008, 0.05), t=(0, 0.08, 0))
    pour = add_node(geo, "source", "pour", [can], mode="fill", vel=(0, -0.3, 0))
    wet = add_node(geo, "wetsolver", "wet", [fur, None, solid, pour], particlesep=0.003, rootfree=0.002, killbox=True,
                killmin=(-0.5, -0.1, -0.5), killmax=(0.5, 0.5, 0.5))
    show(geo, wet)
    return wet


def _set(node, token, value, fps):
    """Sets a value of a scene file: a constant, keys or a wave."""
    if isinstance(value, dict) and "keys" in value:
        curve = {"constant": "constant()", "linear": "linear()", "smooth": "cubic()"}[value.get("interp", "linear")]
        for frame, number in value["keys"]:
            key = hou.Keyframe()
            key.setFrame(frame)
            key.setValue(number)
            key.setExpression(curve)
            node.parm(token).setKeyframe(key)
    elif isinstance(value, dict):
        wave = value["wave"]
        node.parm(token).setExpression("%r + %r * sin(360 * (%r * $T) + %r)" % (
            wave.get("offset", 0), wave["amplitude"], wave["frequency"], wave.get("phase", 0)))
    else:
        node.setParms({token: tuple(value) if isinstance(value, list) else value})


def _output(rows, made, text):
    """The node and the number of the output that an input of a scene file names: "node" or "node:output"."""
    name, _, port = text.partition(":")
    return made[name], OUTPUTS[rows[name]["type"]].index(port) if port else 0


def example(type):
    """The example network of a node type, as nodes in a new object; returns the node of that type."""
    path = os.path.join(os.environ["RIVULET"], "help", "rivulet", type + ".json")
    with open(path) as stream:
        scene = json.load(stream)
    geo = _network("example_" + type)
    made = {}
    for name, row in scene["nodes"].items():
        if row["type"] not in ("camera", "filecache") or row["type"] == type:  # Houdini has its own
            made[name] = geo.createNode(VERSION % row["type"], name)
    for name, node in made.items():
        row = scene["nodes"][name]
        wire(node, [_output(scene["nodes"], made, text) if text else None for text in row.get("inputs", [])])
        for token, value in row.get("parms", {}).items():
            if row["type"] not in ("file", "filecache"):
                _set(node, token, value, scene["fps"])
    shown = next((node for name, node in made.items() if scene["nodes"][name]["type"] == type), None)
    if shown is not None:
        show(geo, shown)
    return shown


def example_of_selected(kwargs):
    """The example network of the selected Rivulet node."""
    types = [node.type().nameComponents() for node in hou.selectedNodes()]
    chosen = [parts[2] for parts in types if parts[1] == "rivulet"]
    if not chosen:
        hou.ui.displayMessage("Select a node of Rivulet: this tool makes an example network of its type.")
        return None
    return example(chosen[0])
