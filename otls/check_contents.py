"""Checks the network inside an asset, as read by archive.py, against the node table and the asset's own dialog: types, wires,
flags, links, order. What is expected is said here in words of its own, not taken from the writer.
"""
import re

import archive
import dialogscript
import naming

STOCK = {"null", "solver", "output", "object_merge", "dopimport"}  # Houdini's operators that an asset may use
SUFFIX = {"vector2": "xy", "vector": "xyz", "vector4": "xyzw", "intvector2": "xy", "intvector": "xyz", "color": "rgb"}
INSIDE = "hdaroot/solve/d/s"


def asset_channels(dialog):
    """The channels of the asset's interface by the parameter that has them; none for buttons."""
    found = {}
    for parm in dialogscript.parms(dialogscript.parse(dialog)):
        if parm["type"] != "button" and parm["name"] != "preset":  # the menu acts by its script
            found[parm["name"]] = [parm["name"] + letter for letter in SUFFIX.get(parm["type"], "")] or [parm["name"]]
    return found


def wired(nodes, path, index):
    node = nodes.get(path)
    return archive.source(nodes, node, index) if node else "nothing: %s does not exist" % path


def check_types(row, nodes, bad):
    """Every node has a type that Houdini or the plug-in has; only Houdini's own asset matches its definition."""
    parts = {"step"} | {port["name"] for port in row.outputs if port["name"] != "state"}
    own = {"%s::%s_%s::%s" % (naming.NAMESPACE, row.type, part, naming.VERSION) for part in parts}
    for path, node in nodes.items():
        if path == INSIDE:
            if node.type is not None:
                bad.append("%s has a type; the Solver SOP makes it" % path)
        elif path == "hdaroot":
            if node.type != naming.operator(row.type):
                bad.append("the network is of type %s" % node.type)
        elif node.type not in STOCK | own:
            bad.append("%s has the unknown type %s" % (path, node.type))
        elif node.matches != (node.type == "solver"):
            bad.append("%s: matchesdef is wrong for the type %s" % (path, node.type))


def check_order(nodes, bad):
    """Each network lists exactly its children."""
    for path in ("hdaroot", INSIDE):
        children = sorted(name.rpartition("/")[2] for name, node in nodes.items() if node.parent == path)
        if sorted(nodes[path].order or []) != children:
            bad.append("%s lists %s and has %s" % (path, nodes[path].order, children))


def check_wires(row, nodes, bad):
    """Inputs, seed, solver, step and outputs are wired in their order, and nothing else is."""
    inputs = range(1, len(row.inputs) + 1)
    wanted = {("hdaroot/in_%d" % k, 0): k - 1 for k in inputs}
    wanted.update({("hdaroot/seed", k): "hdaroot/in_%d" % k for k in inputs})
    wanted[("hdaroot/solve", 0)] = "hdaroot/seed"
    wanted[(INSIDE + "/step", 0)] = INSIDE + "/Prev_Frame"
    wanted.update({(INSIDE + "/step", k): INSIDE + "/get_%d" % k for k in inputs})
    wanted[(INSIDE + "/OUT", 0)] = INSIDE + "/step"
    for k, port in enumerate(row.outputs):
        made = "solve" if port["name"] == "state" else port["name"]
        wanted[("hdaroot/out_%d" % (k + 1), 0)] = "hdaroot/" + made
        if made != "solve":
            wanted[("hdaroot/" + made, 0)] = "hdaroot/solve"
    for (path, index), source in wanted.items():
        if wired(nodes, path, index) != source:
            bad.append("input %d of %s is wired to %s, not to %s" % (index + 1, path, wired(nodes, path, index), source))
    for path, node in nodes.items():
        extra = [index for index in node.wires if (path, index) not in wanted and path != INSIDE]
        bad += ["input %d of %s should not be wired" % (index + 1, path) for index in extra]
        connectors = list(node.outputs)
        if connectors and node.next <= max(connectors):
            bad.append("%s: the next connector %d is in use" % (path, node.next))


def check_values(row, nodes, bad):
    """Object merges fetch the inputs; outputs have their numbers; one node of each network is shown."""
    for k in range(1, len(row.inputs) + 1):
        path = "%s/get_%d" % (INSIDE, k)
        if archive.resolve(path, nodes[path].values.get("objpath1", "")) != "hdaroot/in_%d" % k:
            bad.append("%s fetches %s" % (path, nodes[path].values.get("objpath1")))
    for k in range(len(row.outputs)):
        if nodes["hdaroot/out_%d" % (k + 1)].values.get("outputidx") != "%d" % k:
            bad.append("out_%d has the number %s" % (k + 1, nodes["hdaroot/out_%d" % (k + 1)].values.get("outputidx")))
    for parent, shown in (("hdaroot", "hdaroot/out_1"), (INSIDE, INSIDE + "/OUT")):
        for flag in ("display", "render"):
            lit = [path for path, node in nodes.items() if node.parent == parent and node.flags.get(flag)]
            if lit != [shown]:
                bad.append("the %s flag of %s is on %s" % (flag, parent, lit))
    if any(node.flags.get("bypass") or node.flags.get("template") for node in nodes.values()):
        bad.append("a node is bypassed or a template")


def check_links(row, nodes, dialog, bad):
    """Every parameter of the solver's own nodes refers to the asset's channel of its name."""
    channels = asset_channels(dialog)
    linked = [path for path, node in nodes.items() if (node.type or "").startswith(naming.NAMESPACE + "::") and path != "hdaroot"]
    for path in linked + ["hdaroot/solve"]:
        node = nodes[path]
        wanted = channels if path in linked else {"startframe": channels["startframe"]}
        missing = set(wanted) - set(node.values)
        if missing:
            bad.append("%s has no value of %s" % (path, sorted(missing)[:3]))
        for name in set(wanted) & set(node.values):
            used = re.findall(r"\[ (\w+)\t\S+ \]", node.values[name])
            if used != wanted[name]:
                bad.append("%s.%s refers to the channels %s" % (path, name, used))
            for channel in used:
                match = re.match(r'ch\("(.*)"\)$', node.channels.get(channel, ""))
                if not match or archive.resolve(path, match.group(1)) != "hdaroot/" + channel:
                    bad.append("%s.%s is %s" % (path, channel, node.channels.get(channel, "not linked")))
        known = {channel for names in wanted.values() for channel in names}
        bad += ["%s has the channel %s of no parameter" % (path, name) for name in set(node.channels) - known]


def check(row, text, dialog, messages):
    """Everything that is wrong with a network, as a list of messages."""
    bad = []
    try:
        nodes, rest = archive.read(text)
        if rest.get("node_type") != "Sop\n" or rest.get("hdaroot.inp", "").split("\n")[0] != "%d" % len(row.inputs):
            bad.append("the network is not of SOPs, or has another number of inputs")
        check_types(row, nodes, bad)
        check_order(nodes, bad)
        check_wires(row, nodes, bad)
        check_values(row, nodes, bad)
        check_links(row, nodes, dialog, bad)
        bad += ["MessageNodes names %s, which does not exist" % name for name in messages.split() if "hdaroot/" + name not in nodes]
    except (archive.Wrong, dialogscript.Wrong, KeyError) as reason:
        bad.append("%s" % reason)
    return bad
