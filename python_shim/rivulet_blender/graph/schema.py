"""What the graph shows of the node table: menus, sockets, folders and fields. Nothing here needs Blender."""
from rivulet import nodes

from . import numbers

PREFIX = "p_"  # of parameters as properties of a node, whose own properties (name, width, type) have tokens of parameters too

# Blender has its own camera, lights and materials, and the Output node writes the caches.
LEFT_OUT = ("camera", "light", "lookmaterial", "filecache")

# Socket types: label, colour. A socket shows what goes through a wire; kinds say what the node takes.
SOCKETS = {
    "strands": ("Strands", (0.80, 0.58, 0.26, 1)),
    "liquid": ("Liquid", (0.25, 0.55, 0.90, 1)),
    "mesh": ("Mesh", (0.30, 0.75, 0.45, 1)),
    "collider": ("Collider", (0.62, 0.62, 0.62, 1)),
    "source": ("Source", (0.45, 0.80, 0.85, 1)),
    "vdb": ("VDB", (0.65, 0.45, 0.85, 1)),
    "state": ("State", (0.90, 0.85, 0.40, 1)),
    "geometry": ("Geometry", (0.85, 0.85, 0.85, 1)),
}
# Kinds of geometry that a socket type carries; an empty set is any.
KINDS = {"strands": {"curves"}, "liquid": {"points"}, "mesh": {"faces"}, "collider": {"faces", "vdbs"},
         "source": {"faces"}, "vdb": {"vdbs"}, "state": {"curves", "points"}, "geometry": set()}

# Ports whose name says more than the kind of geometry they take.
_BY_NAME = {"liquid": "liquid", "colliders": "collider", "collider": "collider", "sources": "source", "source": "source", "state": "state"}
# Outputs by name. test_blender_graph cooks the example of every node and compares.
_OUTPUTS = {"strands": "strands", "guides": "strands", "hairs": "strands", "curves": "strands", "particles": "liquid",
            "points": "liquid", "liquid": "liquid", "mesh": "mesh", "surface": "vdb", "collider": "collider",
            "source": "source", "state": "state"}
_BY_KIND = {"curves": "strands", "points": "liquid", "faces": "mesh", "vdbs": "vdb"}
# Generators without inputs give a mesh where their output has the general name `geometry`.
_GENERAL = "geometry"


def types():
    """The node types of the graph, in the order of the table."""
    return [row for row in nodes.all() if row.type not in LEFT_OUT and "hidden" not in row.flags]


def menus():
    """(category, types) of the Add menu, in the order of the table."""
    found = {}
    for row in types():
        found.setdefault(row.category, []).append(row)
    return list(found.items())


def takes(port):
    """Kinds of geometry that an input takes; an empty set is any."""
    return set(port.get("takes") or ())


def input_socket(port):
    """Socket type of an input."""
    if port["name"] in _BY_NAME:
        return _BY_NAME[port["name"]]
    kinds = port.get("takes") or []
    return _BY_KIND[kinds[0]] if kinds else "geometry"


def output_socket(row, port):
    """Socket type of an output."""
    if port["name"] == _GENERAL and not row.inputs and row.type != "file":
        return "mesh"
    return _OUTPUTS.get(port["name"], "geometry")


def fits(socket, wanted):
    """Whether a wire of a socket type may bring one of the wanted kinds; an empty set takes any."""
    return not wanted or not KINDS[socket] or bool(KINDS[socket] & wanted)


def folders(row):
    """Folders of a type's parameters, in the order of the table."""
    found = []
    for parm in row.parms:
        if parm["type"] != "button" and parm["folder"] not in found:
            found.append(parm["folder"])
    return found


def has_advanced(row):
    """Whether a type has parameters that only the advanced view shows."""
    return any(parm["level"] == "advanced" and parm["type"] != "button" for parm in row.parms)


def shown(row, folder, advanced, values, wired):
    """(parameter, enabled) of each parameter of a folder that a dialog shows now."""
    for parm in row.parms:
        if parm["type"] == "button" or parm["folder"] != folder:
            continue
        if parm["level"] == "advanced" and not advanced:
            continue
        view = row.view(parm["token"], values, wired)
        if view != "hidden":
            yield parm, view == "shown"


def tooltip(parm):
    """The help of a parameter with its unit."""
    unit = numbers.units(parm["unit"])
    return parm["help"] + (" Unit: %s." % unit if unit else "")


def readout(parm, value, scale=1.0):
    """A text for numbers of which the field shows too few digits; an empty one for others. `scale` is that of lengths."""
    if parm["type"] != "float":
        return ""
    scale = scale if parm["unit"] == "m" else 1.0
    parts = [numbers.typed(part) * scale for part in (value if isinstance(value, (list, tuple)) else [value])]
    if all(numbers.readable(part, numbers.decimals(parm)) for part in parts):
        return ""
    return "= %s" % numbers.text(parts, parm["unit"])


def length_scale(units):
    """Metres that a unit of the scene is shown as, by the scene's unit settings: plain numbers without a unit system."""
    return units.scale_length if units.system != "NONE" else 1.0


def default(parm, meters_per_unit=1.0):
    """The default of a parameter in units of the scene: the table has metres."""
    value = parm.get("default")
    if parm["unit"] != "m" or meters_per_unit == 1.0 or value is None:
        return value
    if isinstance(value, list):
        return [number / meters_per_unit for number in value]
    return value / meters_per_unit


def same(value, other):
    """Whether a property's value is another number, text or list, to 32-bit precision."""
    if isinstance(value, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(value) == len(other) and all(same(a, b) for a, b in zip(value, other))
    if isinstance(value, (int, float)) and isinstance(other, (int, float)):
        return numbers.single(value) == numbers.single(other)
    return value == other


def is_default(parm, value, meters_per_unit=1.0):
    """Whether a value is the one that the host uses where none is set."""
    meant = default(parm, meters_per_unit)
    return same(value, meant if meant is not None else "")
