"""A graph as a scene file of the headless host. Nothing here needs Blender: the graph comes as records.

A record is a node of the graph: one of the node table, an input (a Blender object, written to a file) or an output. Only
nodes that an output needs are written.
"""
import re

from rivulet import nodes

from . import schema

TABLE, INPUT, OUTPUT, REROUTE = "table", "input", "output", "reroute"
NAME_LETTERS = 64  # of the host

# Ports of an Output node: name, label, socket type, kinds it takes, file of a frame.
RESULTS = (("strands", "Strands", "strands", {"curves"}, "strands.$F4.bgeo.sc"),
           ("water", "Water", "vdb", {"vdbs"}, "water.$F4.vdb"),
           ("mesh", "Mesh", "mesh", {"faces"}, "mesh.$F4.bgeo.sc"),
           ("particles", "Particles", "liquid", {"points"}, "particles.$F4.bgeo.sc"))
# Inputs that shape a body: an object that is wired to them stays visible beside the results.
BODIES = {("groom", "skin"), ("deform", "rest"), ("deform", "skin"), ("transfer", "skin"), ("collider", "shape")}


class Fault(Exception):
    """Something is wrong with a node of the graph; `node` is its name in Blender, or None for the whole graph."""

    def __init__(self, node, text):
        super().__init__(text)
        self.node = node


class Record:
    """A node of the graph. `wires` has (name of the source, index of its output) or None for each input."""

    def __init__(self, name, kind, type=None, wires=(), values=None, muted=False, moving=True, missing=None):
        self.name, self.kind, self.type, self.wires = name, kind, type, list(wires)
        self.values = values or {}  # by token: as in a scene file, keys included
        self.muted = muted
        self.moving = moving        # inputs: a file for each frame
        self.missing = missing      # inputs: what the artist must choose


class Scene:
    """The scene file with the names that lead back to the graph."""

    def __init__(self, data, names, inputs):
        self.data = data      # as json.dump writes it
        self.names = names    # name in the scene -> name of the node in Blender
        self.inputs = inputs  # name in Blender -> file pattern below the scene's folder, of the inputs in use


def safe_name(name, taken):
    """A name that the host allows and that is not taken."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:NAME_LETTERS - 4] or "node"
    made, count = plain, 1
    while made in taken:
        count += 1
        made = "%s_%d" % (plain, count)
    return made


class _Writer:
    def __init__(self, records, start_frame):
        self.records = {record.name: record for record in records}
        self.start_frame = start_frame
        self.names, self.nodes, self.inputs, self.open = {}, {}, {}, []

    def source(self, wire):
        """The (record, output) behind a wire: reroutes and muted nodes pass on their first input. None for nothing."""
        seen = set()
        while wire is not None:
            record = self.records[wire[0]]
            if record.kind != REROUTE and not record.muted:
                return record, wire[1]
            if record.name in seen:
                raise Fault(record.name, "the wires form a cycle: remove one of them")
            seen.add(record.name)
            passes = record.kind == REROUTE or wire[1] == 0
            wire = record.wires[0] if record.wires and passes else None
        return None

    def name_of(self, record):
        """The name of a record in the scene; writes its node and all that it reads on the first call."""
        if record.name in self.open:
            raise Fault(record.name, "the wires form a cycle: %s; remove one of them" % " -> ".join(
                self.open[self.open.index(record.name):] + [record.name]))
        for made, name in self.names.items():
            if name == record.name:
                return made
        self.open.append(record.name)
        node = self.input(record) if record.kind == INPUT else self.table(record)
        self.open.pop()
        made = safe_name(record.name, self.nodes)
        self.names[made] = record.name
        self.nodes[made] = node
        return made

    def input(self, record):
        """A file node that reads what Blender wrote."""
        if record.missing:
            raise Fault(record.name, record.missing)
        stem = safe_name(record.name, {path.split("/")[1].split(".")[0] for path in self.inputs.values()})
        self.inputs[record.name] = "in/%s%s.bgeo.sc" % (stem, ".$F" if record.moving else "")
        return {"type": "file", "parms": {"file": "$HIP/" + self.inputs[record.name]}}

    def wire(self, record, port, found):
        """The text of a wire; refuses kinds of geometry that the input does not take."""
        source, output = found
        socket = "mesh" if source.kind == INPUT and source.type != "curves" else "strands"
        if source.kind == TABLE:
            row = nodes.find(source.type)
            socket = schema.output_socket(row, row.outputs[output])
        if not schema.fits(socket, port["kinds"]):
            raise Fault(record.name, "%s takes %s, and '%s' brings %s: wire another node into it" % (
                port["label"], " or ".join(sorted(port["kinds"])), source.name, schema.SOCKETS[socket][0].lower()))
        name = self.name_of(source)
        return name if output == 0 else "%s:%d" % (name, output + 1)

    def table(self, record):
        """A node of the table with its wires and values."""
        row = nodes.find(record.type)
        wires = []
        for index, port in enumerate(row.inputs):
            found = self.source(record.wires[index] if index < len(record.wires) else None)
            if found is None and port["required"]:
                raise Fault(record.name, "%s is not connected: wire a node into it" % port["label"])
            wires.append(self.wire(record, dict(port, kinds=schema.takes(port)), found) if found else None)
        while wires and wires[-1] is None:
            wires.pop()
        node = {"type": record.type}
        if wires:
            node["inputs"] = wires
        values = dict(record.values)
        if "solver" in row.flags and any(parm["token"] == "startframe" for parm in row.parms):
            values.setdefault("startframe", self.start_frame)
        if values:
            node["parms"] = values
        return node

    def output(self, record):
        """The files of an Output node."""
        found = 0
        for index, (key, label, _, kinds, file) in enumerate(RESULTS):
            source = self.source(record.wires[index] if index < len(record.wires) else None)
            if source is None:
                continue
            found += 1
            wire = self.wire(record, {"label": label, "kinds": kinds}, source)
            made = safe_name("out_" + key, self.nodes)
            self.names[made] = record.name
            self.nodes[made] = {"type": "filecache", "inputs": [wire], "parms": {"file": "$OUT/" + file}}
        if not found:
            raise Fault(record.name, "nothing is wired into the Output: wire strands or a surface into it")


def build(records, frames, fps=24.0, meters_per_unit=1.0):
    """The scene file of a graph; raises Fault with the node that is wrong."""
    outputs = [record for record in records if record.kind == OUTPUT and not record.muted]
    if not outputs:
        raise Fault(None, "the graph has no Output: add one (Add, Output) and wire the results into it")
    if len(outputs) > 1:
        raise Fault(outputs[1].name, "the graph has %d Outputs: mute or remove all but one" % len(outputs))
    writer = _Writer(records, frames[0])
    writer.output(outputs[0])
    data = {"rivulet": 1, "fps": fps, "frames": list(frames), "metersperunit": meters_per_unit, "nodes": writer.nodes}
    return Scene(data, writer.names, writer.inputs)


def _passes(port):
    """Whether a node hands on the geometry of an input, as merge and transform do."""
    return port["name"] == "geometry" or port["name"].startswith("input")


def replaced(records):
    """Names of the inputs whose objects the results replace: all but those that shape a body."""
    writer, seen = _Writer(records, 1), set()
    inputs = {record.name for record in records if record.kind == INPUT}

    def follow(wire):
        """Marks all that a wire brings, through nodes that hand geometry on."""
        found = writer.source(wire)
        if found is None or found[0].name in seen:
            return
        record = found[0]
        seen.add(record.name)
        if record.kind == TABLE:
            for port, before in zip(nodes.find(record.type).inputs, record.wires):
                if _passes(port):
                    follow(before)
    for record in records:
        if record.kind == TABLE:
            for port, wire in zip(nodes.find(record.type).inputs, record.wires):
                if (record.type, port["name"]) in BODIES:
                    follow(wire)
    return inputs - seen
