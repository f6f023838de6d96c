"""A model of Houdini for houdini_smoke.py: nodes, the Solver SOP, DOPs, verbs, data ids and files as the checks use them. What a
node makes is a text that says how it was made, in the place of geometry. FAULTS names what is broken, one entry for each item of
the smoke test. No Houdini is in it, and it proves nothing about one: it shows that the checks pass and fail when they should."""
import hashlib
import os
import re
import types

FAULTS = set()
SOLVERS = ("strandsolver", "liquidsolver", "filmsolver", "wetsolver")


class OperationFailed(Exception):
    pass


class OperationInterrupted(Exception):
    pass


def stepped(state, made, last="[]"):
    """The state of strands after one step more. `made` is the groom of the frame, `last` the values of the step."""
    sampled = "" if os.environ.get("RIVULET_WHOLE_FRAMES") or "within_frames" in FAULTS else " within"
    return hashlib.sha256((state + made + sampled + last).encode()).hexdigest()


class Parm:
    def __init__(self, node, name):
        self.node, self.name = node, name

    def set(self, value):
        self.node.values[self.name] = value
        self.node.frames.clear()

    setExpression = set

    def eval(self):
        return self.node.values.get(self.name, 0)

    def isHidden(self):
        """Of a groom's count and density the one that the method does not use; the model knows no other condition."""
        return "dialogs" not in FAULTS and self.name in ("count", "density") and self.node.values.get("method") != self.name

    def isDisabled(self):
        return self.name == "stick" and not self.node.values.get("viscosity")

    def pressButton(self):
        if self.name == "preset":
            self.node.values["viscosity"] = {"honey": 10}[self.node.values["preset"]]
        self.node.frames.clear()


class Prim:
    def __init__(self, name="", closed=False):
        self.name, self.closed = name, closed

    def isClosed(self):
        return self.closed

    def attribValue(self, _):
        return self.name


class Geometry:
    def __init__(self, made="", prims=()):
        self.made, self.list = made, list(prims)

    def prims(self):
        return self.list

    def pointFloatAttribValues(self, name):
        return (0.0, 1e-5 if name == "filmheight" and "flip" not in FAULTS else 0.0)

    def pointFloatAttribValuesAsString(self, _):
        # three points of 12 bytes
        return hashlib.sha256(self.made.encode()).digest() + b"\0\0\0\0"

    def pointAttribs(self):
        number = 0 if "data_ids" in FAULTS else self.made
        names = ("P",) if self.made.startswith("read") and "files" in FAULTS else ("P", "rv_x")
        return [types.SimpleNamespace(name=lambda name=name: name, dataId=lambda: number) for name in names]

    def saveToFile(self, path):
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(self.made)


class Node:
    def __init__(self, hou, parent, kind, name):
        self.hou, self.parent, self.kind, self.name = hou, parent, kind, name
        self.inputs, self.values, self.children, self.frames, self.said = {}, {}, {}, {}, []
        inside = {"solver": {"d/s": ("Prev_Frame", "Input_1", "Input_2")}}.get(kind, {})
        for path, names in inside.items():
            net = Node(hou, self, "net", path)
            self.children[path] = net
            net.children = {child: Node(hou, net, child, child) for child in names}
        if kind.startswith("rivulet::") and kind.split("::")[1] in SOLVERS and parent.kind != "dopnet" and "assets" not in FAULTS:
            self.children["solve"] = Node(hou, self, "net", "solve")

    def path(self):
        return (self.parent.path() if self.parent else "") + "/" + self.name

    def createNode(self, kind):
        if kind.startswith("rivulet::") and "loads" in FAULTS:
            raise OperationFailed("there is no operator " + kind)
        name = kind.split("::")[1] if "::" in kind else kind
        if name in self.children:
            name += str(len(self.children))
        self.children[name] = Node(self.hou, self, kind, name)
        return self.children[name]

    def node(self, name):
        return self.children.get(name)

    def setInput(self, index, source):
        self.inputs[index] = source

    def parm(self, name):
        return Parm(self, name)

    def type(self):
        return types.SimpleNamespace(name=lambda: self.kind)

    def setDisplayFlag(self, on):
        pass

    def setSelected(self, on, clear_all_selected=False):
        pass

    def outputNames(self):
        return ("strands", "liquid", "state")

    def errors(self):
        return self.said

    def cook(self, force=False):
        self.geometry()

    def fail(self, text, item):
        self.said = [text if item not in FAULTS else "something is wrong"]
        raise OperationFailed(self.said[0])

    def value(self, name, frame):
        text = self.values.get(name)
        found = re.fullmatch(r"\$F \* (\d+)", text) if isinstance(text, str) else None
        if not found:
            return text
        return int(found.group(1)) * (1 if "values" in FAULTS else frame)

    def geometry(self, output=0):
        frame = self.hou.frame
        # a cooked frame is kept; a Solver SOP keeps all of them
        if frame not in self.frames or "scrub" in FAULTS:
            self.frames[frame] = self.make(frame)
        return self.frames[frame]

    def input(self, index, frame):
        return self.inputs[index].make(frame) if index in self.inputs else None

    def state(self, groom, frame, last):
        """The state of strands after all steps up to a frame."""
        state = "seed of " + groom.make(1).made
        for step in range(2, frame + 1):
            state = stepped(state, groom.make(step).made, last)
        return state

    def make(self, frame):
        kind = self.kind.split("::")[1] if "::" in self.kind else self.kind
        values = " ".join("%s=%s" % (name, self.value(name, frame)) for name in sorted(self.values))
        if kind == "solver":
            return self.solve(frame)
        if kind in SOLVERS:
            if self.values.get("substeps", 1) < 0:
                self.fail("substeps: -5 is less than 1", "dop_options" if self.parent.kind == "dopnet" else "errors")
            return Geometry(self.state(self.inputs[0], frame, "[]"), self.inputs[0].make(frame).prims())
        if kind.endswith("_step"):
            return Geometry("seed of " + self.inputs[1].make(1).made)
        if kind == "file":
            return self.read(self.values["file"])
        source = self.input(0, frame)
        if kind == "groom":
            prims = [Prim() for _ in range(self.values.get("count", 100))]
            return Geometry("groom " + values, prims)
        if kind == "collider":
            return Geometry("collider", [Prim("surface")])
        if kind == "vdbfrompolygons":
            return Geometry("surface", [Prim("surface")])
        if kind == "vdbanalysis":
            return Geometry("flow", [Prim(self.values["customname"])])
        if kind == "merge":
            found = [self.inputs[index].make(frame) for index in sorted(self.inputs)]
            return Geometry(" and ".join(part.made for part in found), [prim for part in found for prim in part.prims()])
        if kind == "convertvdb":
            return Geometry("mesh", [Prim()] * (100 if "vdb" not in FAULTS else 0))
        if kind in ("pack", "assemble", "convert", "material"):
            if kind == "material" and "packed" in FAULTS:
                return Geometry("empty")
            return source
        if kind == "transform" and "speed" in FAULTS and source and "count=5000" in source.made:
            self.hou.clock.late = 3
        made = "%s %s of %s" % (kind, values, source.made if source else "nothing")
        return Geometry(made, source.prims() if source else [Prim(closed=True)])

    def read(self, path):
        if not os.path.exists(path):
            self.fail("cannot read '%s'" % path, "errors")
        with open(path, encoding="utf-8") as stream:
            made = stream.read()
        geometry = Geometry(made)
        if "files" in FAULTS:
            geometry.made = "read" + made
        return geometry

    def solve(self, frame):
        """A Solver SOP with a step inside; it may be stopped by a signal, as Escape does."""
        step = next(node for node in self.node("d/s").children.values() if "_step" in node.kind)
        groom = self.inputs[1]
        if "start_frame" in FAULTS:
            frame += 1
        last = repr(sorted(step.values.items()))
        if step.values.get("substeps") == 32 and self.hou.interruptible:
            if "escape" in FAULTS:
                self.frames[self.hou.frame] = Geometry("incomplete")
            if not self.stopped_once():
                return Geometry(self.state(groom, frame, last))
            raise OperationInterrupted("interrupted")
        extra = last + (str(self.hou.requests) if "scrub" in FAULTS else "")
        self.hou.requests += 1
        return Geometry(self.state(groom, frame, extra))

    def stopped_once(self):
        """Whether the signal comes, which the check sends after a while. It comes to one cook only."""
        if not self.hou.signals:
            return False
        signal = self.hou.signals.pop()
        signal()
        return True

    def simulation(self):
        """The one object of a DOP network."""
        solver = next(node for node in self.children.values() if node.kind.startswith("rivulet::"))
        groom = self.hou.node(solver.values["strandspath"])
        shift = 1 if "dop_time" in FAULTS else 0
        if solver.values.get("substeps", 1) < 0:
            self.fail("substeps: -5 is less than 1", "dop_options")
        made = Geometry(solver.state(groom, self.hou.frame + shift, "[]"))
        return types.SimpleNamespace(objects=lambda: [types.SimpleNamespace(geometry=lambda: made)])


def shelf(hou):
    """The modules of the shelf, whose own test is host/test_shelf_tools: what the smoke test calls, over the model."""
    def solver(*_):
        obj = hou.node("/obj")
        groom = obj.createNode("rivulet::groom::1.0")
        groom.values["count"] = 20
        wet = obj.createNode("rivulet::wetsolver::1.0")
        wet.setInput(0, groom)
        return wet

    def still(*_):
        return hou.node("/obj").createNode("rivulet::sphere::1.0")

    def wet_hair(_):
        return still() if "shelf" in FAULTS else solver()

    setups = types.SimpleNamespace(wet_hair=wet_hair, pour_on_fur=solver, example=still)
    return {"rivulet_setups": setups, "rivulet_tools": types.SimpleNamespace(wet_selected=solver)}


def make(clock):
    """The module `hou`. `clock` is the time that the check of the speed reads."""
    hou = types.SimpleNamespace(frame=1, requests=0, interruptible=False, signals=[], clock=clock, Geometry=Geometry,
                                OperationFailed=OperationFailed, OperationInterrupted=OperationInterrupted)
    root = Node(hou, None, "root", "")
    root.path = lambda: ""
    obj = Node(hou, root, "obj", "obj")
    root.children["obj"] = obj

    def find(path):
        node = root
        for name in path.strip("/").split("/"):
            node = node and node.children.get(name)
        return node

    class Verb:
        def execute(self, geometry, _):
            geometry.made = Node(hou, obj, "rivulet::sphere::1.0", "sphere").make(1).made + (" else" if "verb" in FAULTS else "")

    def set_frame(frame):
        hou.frame = frame

    def load(*_, **__):
        obj.children = saved[0] if "hip" not in FAULTS else {name: changed(node) for name, node in saved[0].items()}

    def changed(node):
        for child in node.children.values():
            if child.kind.endswith("transform::1.0"):
                child.values["tx"] = 7
            child.frames.clear()
        return node

    def clear(**_):
        obj.children = {}

    saved = [None]
    kinds = ["rivulet::%s::1.0" % kind for kind in list(range(30))]
    kind = types.SimpleNamespace(icon=lambda: "SOP_rivulet-groom-1.0")
    sop_types = types.SimpleNamespace(nodeTypes=lambda: kinds, nodeVerb=lambda _: Verb(), nodeType=lambda _: kind)
    hou.node, hou.setFrame, hou.setFps = find, set_frame, lambda _: None
    hou.sopNodeTypeCategory, hou.dopNodeTypeCategory = lambda: sop_types, lambda: types.SimpleNamespace(nodeTypes=lambda: kinds[:4])
    hou.findFile = lambda path: os.path.join(os.environ["RV_SOURCE_DIR"], "otls", path)
    hou.getenv = lambda _: "/nothere" if "libraries" in FAULTS else "/"
    hou.applicationVersionString = lambda: "model"
    hou.hipFile = types.SimpleNamespace(save=lambda _: saved.__setitem__(0, obj.children), clear=clear, load=load)
    return hou
