"""Writes the network inside a solver's asset: the archive Contents.mime of an expanded asset, as text.

  in_1 ... in_n -> seed -> solve [ Prev_Frame, get_1 ... get_n -> step -> OUT ] -> strands, liquid -> outputs 1, 2
                                                                        solve ------------------> output 3

The seed makes the state of the start frame. The Solver SOP repeats the step. Inputs reach the step by object merges, as a
Solver SOP has four inputs and a wet solver five. All parameters of seed, step and outputs refer to those of the asset.

The form of the archive was read from the expanded assets of SideFX Labs: one part a file, `NAME.init` (type), `.def` (flags
and wires), `.chn` (expressions), `.parm` (values), `.userdata`; then `.order` and `.net` of each network.
"""
import naming

BOUNDARY = "HOUDINIMIMEBOUNDARY0x52495655-0x4C455400-0x00000001-0x00000001HOUDINIMIMEBOUNDARY"
FLAGS = ("lock", "model", "template", "footprint", "xray", "bypass", "display", "render", "highlight", "unload", "savedata",
         "compress", "colordefault", "exposed")
SUFFIXES = {("float", 2): "xy", ("float", 3): "xyz", ("float", 4): "xyzw", ("int", 2): "xy", ("int", 3): "xyz",
            ("color", 3): "rgb"}
SHOWN = ("display", "render")
SOLVER_INPUTS = 4  # of Houdini's Solver SOP


class Node:
    """A node to write: wires as (input, source, connector of the source), parameter lines and channels as text."""

    def __init__(self, name, type, **options):
        self.name, self.type = name, type
        self.position = options.get("position", (0, 0))
        self.inputs = options.get("inputs", [])  # (index, node or number of an input of the asset)
        self.parms = list(options.get("parms", []))  # (name, text between the parentheses)
        self.channels = list(options.get("channels", []))  # (name, value, expression)
        self.lit = options.get("lit", ())  # flags that are on beside those of every node
        self.matches = options.get("matches", False)  # an asset of Houdini with its own contents
        self.outputs = options.get("outputs", 1)
        self.sop = options.get("sop", True)

    def connector(self):
        """The number of the output connector: inputs are numbered first."""
        return max([index for index, _ in self.inputs], default=-1) + 1


#------------------------------------------------------------------------------------------------ parts of a node

def _init(node):
    return "type = %s\nmatchesdef = %d\n" % (node.type, node.matches)


def _def(node):
    """Flags and wires. A wire from an input of the asset is written as its number in parentheses."""
    on = {"compress", "exposed", "colordefault"} | set(node.lit)
    named, plain = [], []
    for index, source in node.inputs:
        if isinstance(source, int):
            named.append('%d \t(%d) "" 1 "input%d"' % (index, source, index + 1))
            plain.append("%d \t(%d) 0 1" % (index, source))
        else:
            named.append('%d \t%s %d 1 "input%d"' % (index, source.name, source.connector(), index + 1))
            plain.append("%d \t%s 0 1" % (index, source.name))
    outputs = ['%d "output1"' % node.connector()] if node.outputs else []
    lines = ["sopflags sopflags = "] if node.sop else []
    lines += ['comment ""', "position %g %g" % node.position, "connectornextid %d" % (node.connector() + node.outputs),
              "flags =  " + " ".join("%s %s" % (flag, "on" if flag in on else "off") for flag in FLAGS)]
    for word, rows in (("outputsNamed3", outputs), ("inputsNamed3", named), ("inputs", plain)):
        lines += [word, "{"] + rows + ["}"]
    lines += ["stat", "{", "  create -1", "  modify -1", "  author rivulet", "  access 0777", "}",
              "color UT_Color RGB 0.8 0.8 0.8 ", 'delscript ""', "exprlanguage hscript", "end"]
    return "\n".join(lines) + "\n"


def _number(value):
    return repr(float(value)) if float(value) != int(value) else "%d" % value


def _channel(name, value, expression):
    lines = ["    channel %s {" % name, "      lefttype = extend", "      righttype = extend"]
    lines += ["      default = %s" % _number(value)] if value else []
    lines += ["      flags = 0", "      segment { length = 0 %sexpr = %s }" % (
        "value = %s %s " % (_number(value), _number(value)) if value else "", expression.replace('"', '\\"')), "    }"]
    return "\n".join(lines)


def _parm(node):
    return "{\nversion 0.8\n" + "".join("%s\t[ 0\tlocks=0 ]\t(\t%s\t)\n" % pair for pair in node.parms) + "}\n"


USERDATA = '{\n\t"___Version___":{\n\t\t"type":"string",\n\t\t"value":"%s"\n\t}\n}\n'


def _parts(path, node):
    """The parts of a node, (file name, text). Houdini makes the node `s` of a Solver SOP itself, so it has no .init."""
    parts = [(path + ".init", _init(node))] if node.type else []
    parts.append((path + ".def", _def(node)))
    if node.channels:
        parts.append((path + ".chn", "{\n" + "\n".join(_channel(*row) for row in node.channels) + "\n  }\n"))
    parts += [(path + ".parm", _parm(node)), (path + ".userdata", USERDATA % ("" if node.matches else "___EXTERNAL___"))]
    return parts


def _order(path, nodes):
    return [(path + ".order", "%d\n%s\n" % (len(nodes), "\n".join(node.name for node in nodes))), (path + ".net", "1\n")]


#------------------------------------------------------------------------------------------------ the network

def components(parm):
    """The names of a parameter's channels: gravityx gravityy gravityz."""
    if parm["size"] <= 1:
        return [parm["token"]]
    return [parm["token"] + suffix for suffix in SUFFIXES[(parm["type"], parm["size"])]]


def link(node, parms, up):
    """Makes every parameter of a node refer to the asset's parameter of the same name, `up` levels above."""
    for parm in parms:
        if parm["type"] == "button":
            continue
        if parm["type"] not in ("float", "int", "toggle", "menu", "color"):
            raise ValueError("a parameter of the kind %s cannot be linked yet: %s" % (parm["type"], parm["token"]))
        values = parm["default"] if isinstance(parm["default"], list) else [parm["default"]]
        if parm["type"] == "menu":
            values = [[item["token"] for item in parm["menu"]].index(values[0]) if isinstance(values[0], str) else values[0]]
        rows = list(zip(components(parm), [float(value) for value in values]))
        node.channels += [(name, value, 'ch("%s%s")' % ("../" * up, name)) for name, value in rows]
        node.parms.append((parm["token"], "\t".join("[ %s\t%s ] " % (name, _number(value)) for name, value in rows)))


def _hidden(row, part):
    return "%s::%s_%s::%s" % (naming.NAMESPACE, row.type, part, naming.VERSION)


def _merge(name, path, position):
    """An Object Merge of one node."""
    return Node(name, "object_merge", position=position, parms=[("numobj", "1"), ("xformtype", '"object"'), ("xformpath", '""'),
                                                                ("enable1", '"on"'), ("objpath1", path)])


def _quoted(text):
    return '"%s"' % text.replace('"', '\\"')


def _inside(row):
    """The nodes in the Solver SOP, and the node `s` that holds them."""
    holder = Node("s", "", sop=False, lit=("display",), parms=[
        ("usesoppath", '"off"'), ("soppath", '""'), ("datapath", "Geometry"), ("transformsopoutput", '"on"'),
        ("solveinitframe", '"on"'), ("usetimestep", '"on"'), ("timescale", "1"), ("defaultparmop", '"initial"'), ("group", "*"),
        ("dataname", "$OS"), ("uniquedataname", '"on"'), ("solverperobject", '"off"')])
    holder.inputs = [(0, Node("sopgeo1", "sopgeo", inputs=[(0, None)]))]
    before = Node("Prev_Frame", "dopimport", position=(0, 0), parms=[
        ("doppath", _quoted('`stamps("..", "DOPNET", "../..")`')),
        ("objpattern", _quoted('`stamps("..", "OBJID", arg(dopnodeobjs(".."),0))`')), ("singleobject", '"on"'),
        ("importstyle", '"fetch"'), ("importbyname", '"on"'),
        ("geodatapath", _quoted('`stamps("..", "DATANAME", chs("../datapath"))`')), ("doposxform", "[ doposxform\t1 ] "),
        ("doxform", "[ doxform\t1 ] "), ("keepworldspacepos", '"on"'), ("donotsim", '"on"')],
        channels=[("doposxform", 1, 'ch("../transformsopoutput")'), ("doxform", 1, 'ch("../transformsopoutput")')])
    own = [_merge("Input_%d" % (k + 1), _quoted('`opinputpath("../..", %d)`' % k), (6 + 2 * k, 2)) for k in range(SOLVER_INPUTS)]
    gets = [_merge("get_%d" % (k + 1), "../../../../in_%d" % (k + 1), (2 + 2 * k, 0)) for k in range(len(row.inputs))]
    step = Node("step", _hidden(row, "step"), position=(0, -2), inputs=[(0, before)] + [(k + 1, get) for k, get in enumerate(gets)])
    link(step, row.parms, 4)
    out = Node("OUT", "output", position=(0, -4), inputs=[(0, step)], parms=[("outputidx", "0")], lit=SHOWN, outputs=0)
    return holder, [before] + own + gets + [step, out]


def _asset(row):
    """The nodes of the asset."""
    ins = [Node("in_%d" % (k + 1), "null", position=(3 * k, 8), inputs=[(0, k)], parms=[("copyinput", '"on"'), ("cacheinput", '"off"')])
           for k in range(len(row.inputs))]
    seed = Node("seed", _hidden(row, "step"), position=(0, 6), inputs=[(k + 1, node) for k, node in enumerate(ins)])
    link(seed, row.parms, 1)
    start = next(parm for parm in row.parms if parm["token"] == "startframe")
    solve = Node("solve", "solver", position=(0, 4), inputs=[(0, seed)], matches=True)
    link(solve, [start], 1)
    solve.parms += [("substep", "1")]
    nodes, outs = ins + [seed, solve], []
    for k, port in enumerate(row.outputs):
        made = solve
        if port["name"] != "state":
            made = Node(port["name"], _hidden(row, port["name"]), position=(3 * k, 2), inputs=[(0, solve)])
            link(made, row.parms, 1)
            nodes.append(made)
        outs.append(Node("out_%d" % (k + 1), "output", position=(3 * k, 0), inputs=[(0, made)], parms=[("outputidx", "%d" % k)],
                         lit=SHOWN if k == 0 else (), outputs=0))
    return nodes + outs


def message_nodes(row):
    """The section MessageNodes: whose errors and warnings the asset shows as its own."""
    return " ".join(["seed", "solve", "solve/d/s/step"] + [port["name"] for port in row.outputs if port["name"] != "state"])


def archive(row):
    """The text of Contents.mime of a solver."""
    root = Node("hdaroot", naming.operator(row.type), outputs=0)
    parts = [("node_type", "Sop\n")] + [part for part in _parts("hdaroot", root) if not part[0].endswith(".parm")]
    parts.append(("hdaroot.inp", "%d\n" % len(row.inputs) + "".join(
        '%d %d 10 2 0 __NO_OWNER_NETWORK_BOX__ "FROMOUTPUT"\n' % (k, 3 * k) for k in range(len(row.inputs)))))
    nodes = _asset(row)
    for node in nodes:
        parts += _parts("hdaroot/" + node.name, node)
        if node.name == "solve":
            holder, inner = _inside(row)
            parts += _parts("hdaroot/solve/d/s", holder)
            for child in inner:
                parts += _parts("hdaroot/solve/d/s/" + child.name, child)
            parts += _order("hdaroot/solve/d/s", inner)
    parts += _order("hdaroot", nodes)
    text = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="%s"\n\n' % BOUNDARY
    for name, body in parts:
        text += '--%s\nContent-Disposition: attachment; filename="%s"\nContent-Type: text/plain\n\n%s\n' % (BOUNDARY, name, body)
    return text + "--%s--\n" % BOUNDARY
