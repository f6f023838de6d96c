"""A stand-in for Houdini's module `hou`, as far as the shelf's Python uses it. Nodes keep types, wires and values; geometry is that
of our own library. A network of Rivulet nodes can be cooked: `scene_of` makes a scene of it. No Houdini is in it."""
import os
import types

import rivulet


class NodeType:
    def __init__(self, name, category):
        self.name, self._category = name, category

    def category(self):
        return self._category

    def nameComponents(self):
        words = self.name.split("::")
        return ("", words[0], words[1], words[2]) if len(words) == 3 else ("", "", self.name, "")


class Parm:
    def __init__(self, node, token):
        self.node, self.token = node, token

    def set(self, value):
        self.node.values[self.token] = value

    def setKeyframe(self, key):
        self.node.keys.setdefault(self.token, []).append((key.frame, key.value, key.expression))

    def setExpression(self, text):
        self.node.expressions[self.token] = text


class Keyframe:
    def setFrame(self, frame):
        self.frame = frame

    def setValue(self, value):
        self.value = value

    def setExpression(self, text):
        self.expression = text


class Position:
    def __init__(self, numbers):
        self.numbers = [float(number) for number in numbers]

    def __getitem__(self, index):
        return self.numbers[index]

    def position(self):
        return self

    def point(self):
        return self


class Prim:
    def __init__(self, closed, first):
        self.closed, self.first = closed, first

    def type(self):
        return "polygon"

    def isClosed(self):
        return self.closed

    def vertex(self, index):
        assert index == 0
        return self.first


class Geometry:
    """The geometry of a node: a Detail of ours behind the names of hou.Geometry."""

    def __init__(self, detail):
        self.detail, self.P = detail, detail.points["P"]

    def prims(self):
        return [Prim(self.detail.prim_type(index) == "polygon", Position(self.P[self.detail.corners[self.detail.starts[index]]]))
                for index in range(len(self.detail.prims))]

    def intrinsicValue(self, name):
        return {"pointcount": len(self.detail.points), "primitivecount": len(self.detail.prims)}[name]

    def boundingBox(self):
        return types.SimpleNamespace(minvec=lambda: Position(self.P.min(axis=0)), maxvec=lambda: Position(self.P.max(axis=0)))


class Node:
    def __init__(self, hou, parent, type, name, category):
        self.hou, self.parent, self.name, self.kind = hou, parent, name, NodeType(type, category)
        self.inputs, self.values, self.keys, self.expressions, self.children = {}, {}, {}, {}, []
        self.shape, self.shown, self.selected = None, False, False
        if type.startswith("rivulet::"):
            self.row = rivulet.nodes.find(type.split("::")[1])

    def type(self):
        return self.kind

    def path(self):
        return (self.parent.path() if self.parent else "") + "/" + self.name

    def createNode(self, type, name=None):
        inside = "Sop" if self.kind.name == "geo" else "Object"
        taken = {child.name for child in self.children}
        free = next(name + end for end in [""] + [str(k) for k in range(1, 99)] if name + end not in taken)
        self.children.append(Node(self.hou, self, type, free, inside))
        return self.children[-1]

    def displayNode(self):
        return next((child for child in self.children if child.shown), None)

    def geometry(self):
        return Geometry(self.shape) if self.shape is not None else None

    def setInput(self, index, node, output=0):
        self.inputs[index] = (node, output)

    def setParms(self, values):
        for token in values:
            if hasattr(self, "row"):
                self.row.parm(token)
        self.values.update(values)

    def parm(self, token):
        return Parm(self, token)

    def setDisplayFlag(self, on):
        for child in self.parent.children:
            child.shown = False
        self.shown = on

    def setRenderFlag(self, on):
        pass

    def layoutChildren(self):
        pass

    def setSelected(self, on, clear_all_selected=False):
        if clear_all_selected:
            self.hou.selection.clear()
        self.hou.selection.append(self)


def make():
    """A new module `hou` with an empty scene; `selection` and `messages` are the test's."""
    hou = types.ModuleType("hou")
    hou.selection, hou.messages = [], []
    hou.obj = Node(hou, None, "obj", "obj", "Manager")
    hou.node = lambda path: hou.obj if path == "/obj" else None
    hou.selectedNodes = lambda: tuple(hou.selection)
    hou.objNodeTypeCategory = lambda: "Object"
    hou.primType = types.SimpleNamespace(Polygon="polygon")
    hou.ui = types.SimpleNamespace(displayMessage=hou.messages.append)
    hou.Keyframe = Keyframe
    return hou


def scene_of(hou, network, folder, frames):
    """The Rivulet nodes of an object as a scene of ours. Object merges become files of the geometry that they fetch."""
    every = {}

    def gather(node):
        every[node.path()] = node
        for child in node.children:
            gather(child)
    gather(hou.obj)
    scene, made = rivulet.Scene(frames=frames), {}
    for node in network.children:
        if node.kind.name == "object_merge":
            path = os.path.join(folder, node.name + ".bgeo")
            assert node.values["xformtype"] == 1
            every[node.values["objpath1"]].shape.save(path)
            made[node.name] = scene.add("file", node.name, file=path)
        else:
            type = "merge" if node.kind.name == "merge" else node.row.type
            made[node.name] = scene.add(type, node.name, **node.values)
    for node in network.children:
        for index, (source, output) in node.inputs.items():
            made[node.name].wire(index, made[source.name].output(output))
        for token, rows in node.keys.items():
            made[node.name].parm(token).key([(frame, value) for frame, value, _ in rows], "smooth" if "cubic" in rows[0][2] else "linear")
    return scene, made
