"""Checks the generated files without Houdini: lists of sections match the folders, names are encoded correctly, dialogs
parse and have exactly the parameters of the table, icons and shelves are well-formed XML, set-ups use nodes and
parameters that exist.

  /usr/bin/python3 otls/check.py [FOLDER]
"""
import os
import sys
import types
import xml.dom.minidom

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "python_shim"))

import check_contents  # noqa: E402
import dialogscript  # noqa: E402
import naming  # noqa: E402

import rivulet  # noqa: E402

NEEDED = {"DialogScript", "TypePropertiesOptions", "CreateScript", "Help", "IconSVG", "Tools.shelf", "Contents.gz", "MessageNodes"}
EXPANDED = {"Contents.gz": "Contents.dir"}  # sections that are folders on disk
KINDS = {"float": {1: "float", 2: "vector2", 3: "vector", 4: "vector4"}, "int": {1: "integer", 2: "intvector2", 3: "intvector"},
         "toggle": {1: "toggle"}, "menu": {1: "ordinal"}, "string": {1: "string"}, "file": {1: "file"}, "color": {3: "color"},
         "ramp": {1: "ramp_flt"}, "button": {0: "button", 1: "button"}}
# Houdini's spelling of the table's units: pairs of m, kg or s and an exponent; it has none for degrees
UNITS = {"": None, "deg": None, "m": "m1", "s": "s1", "s-1": "s-1", "m-2": "m-2", "m1s-1": "m1s-1", "m1s-2": "m1s-2", "m3s-1": "m3s-1",
         "kg1m-3": "kg1m-3", "kg1s-2": "kg1s-2", "kg1m-1s-1": "kg1m-1s-1", "kg1m-1s-2": "kg1m-1s-2"}


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def listed(folder, bad):
    """Section names of a Sections.list; reports differences between the list and the folder."""
    lines = read(os.path.join(folder, "Sections.list")).split("\n")
    if lines[0] != '""' or lines[-1] != "":
        bad.append("%s/Sections.list does not begin with an empty string or does not end with a newline" % folder)
    names = []
    for line in lines[1:-1]:
        coded, _, real = line.partition("\t")
        names.append(real)
        if naming.encode(real) != coded or naming.decode(coded) != real:
            bad.append("%s: file name '%s' is not the encoding of '%s'" % (folder, coded, real))
        if not os.path.exists(os.path.join(folder, EXPANDED.get(coded, coded))):
            bad.append("%s: the section %s is listed but does not exist" % (folder, real))
    known = {EXPANDED.get(name, naming.encode(name)) for name in names}
    extra = set(os.listdir(folder)) - known - {"Sections.list"}
    bad += ["%s: %s exists but is not listed" % (folder, name) for name in sorted(extra)]
    return names


def same_parms(name, text, row, bad):
    """Reports where a dialog differs from the table: parameters, order, types, defaults, menus, folders, units."""
    try:
        found = dialogscript.parms(dialogscript.parse(text))
    except dialogscript.Wrong as reason:
        bad.append("%s: %s" % (name, reason))
        return
    # the menu of presets belongs to the asset alone
    menus = [parm for parm in found if parm["name"] == "preset"]
    found = [parm for parm in found if parm["name"] != "preset"]
    tokens = ["none"] + [preset["token"] for preset in row.presets]
    if "solver" in row.flags and row.presets:
        if len(menus) != 1 or [pair[0] for pair in menus[0]["menu"]] != tokens or "preset" not in menus[0]["tags"].get("script_callback", ""):
            bad.append("%s: the menu of presets differs from the table" % name)
    elif menus:
        bad.append("%s has a menu of presets and no presets" % name)
    mine = [parm["name"] for parm in found]
    wanted = by_level(row.parms)
    table = [parm["token"] for parm in wanted]
    if mine != table:
        bad.append("%s: parameters differ from the table: %s" % (name, sorted(set(mine) ^ set(table)) or "their order"))
        return
    for parm, want in zip(found, wanted):
        where = "%s: %s" % (name, parm["name"])
        if parm["type"] != KINDS[want["type"]].get(want["size"]):
            bad.append("%s is a %s, but of type %s" % (where, want["type"], parm["type"]))
        if parm["label"] != want["label"] or (parm["folder"] or "") != (want["folder"] or ""):
            bad.append("%s: label or folder differs from the table" % where)
        if want["type"] == "menu" and [pair[0] for pair in parm["menu"]] != [item["token"] for item in want["menu"]]:
            bad.append("%s: menu differs from the table" % where)
        if want["type"] in ("float", "int", "color"):
            default = want["default"] if isinstance(want["default"], list) else [want["default"]]
            if [float(number) for number in parm["default"]] != [float(number) for number in default]:
                bad.append("%s has the default %s, not %s" % (where, parm["default"], default))
        if parm["tags"].get("units") != UNITS[want["unit"]]:
            bad.append("%s has the unit %s, not %s" % (where, parm["tags"].get("units"), UNITS[want["unit"]]))
        if want["type"] in ("string", "file") and parm["default"] != [want["default"].replace("$OUT/", "$HIP/geo/")]:
            bad.append("%s has the default %s, not %s in $HIP/geo" % (where, parm["default"], want["default"]))
        if parm["closed"] != (want["level"] == "advanced"):
            bad.append("%s is in the wrong view: its level is %s" % (where, want["level"]))
        check_conditions(where, parm, want, set(mine), len(row.inputs), bad)


def by_level(parms):
    """The parameters of a table as a dialog has them: in each folder first the simple ones."""
    folders = list(dict.fromkeys(parm["folder"] for parm in parms))
    return [parm for folder in folders for level in ("simple", "advanced") for parm in parms
            if parm["folder"] == folder and parm["level"] == level]


def check_conditions(where, parm, want, names, inputs, bad):
    """Reports conditions that differ from the table, or that name what the node does not have."""
    for word, key in (("disablewhen", "disable_when"), ("hidewhen", "hide_when")):
        if parm.get(word) != want.get(key):
            bad.append("%s: %s is %s, not %s" % (where, word, parm.get(word), want.get(key)))
        if word not in parm:
            continue
        try:
            clauses = [clause for block in dialogscript.conditions(parm[word]) for clause in block]
        except dialogscript.Wrong as reason:
            bad.append("%s: %s" % (where, reason))
            continue
        inputs_known = {"hasinput(%d)" % k for k in range(inputs)}
        bad += ["%s: %s names %s, which does not exist" % (where, word, name) for name, _, _ in clauses
                if name not in names | inputs_known or name == parm["name"]]


def check_asset(folder, row, bad):
    """Reports what is wrong with an expanded asset."""
    top = listed(folder, bad)
    name = naming.table_name(row.type)
    if top != ["INDEX_SECTION", "houdini.hdalibrary", name]:
        bad.append("%s lists %s" % (folder, top))
        return
    fields = dict(line.split(":", 1) for line in read(os.path.join(folder, "INDEX__SECTION")).strip().split("\n"))
    needed = sum(1 for port in row.inputs if port["required"])
    for key, value in (("Operator", naming.operator(row.type)), ("Table", "Sop"), ("Label", row.label),
                       ("Inputs", "%d to %d" % (needed, len(row.inputs))), ("Outputs", "%d" % len(row.outputs)),
                       ("Subnet", "true")):
        if fields.get(key, "").strip() != value:
            bad.append("%s: %s is '%s', not '%s'" % (folder, key, fields.get(key, "").strip(), value))
    inner = os.path.join(folder, naming.encode(name))
    missing = NEEDED - set(listed(inner, bad))
    bad += ["%s has no section %s" % (folder, section) for section in sorted(missing)]
    same_parms(folder, read(os.path.join(inner, "DialogScript")), row, bad)
    check_help(os.path.join(inner, "Help"), row, bad)
    check_presets(folder, read(os.path.join(inner, "PythonModule")), row, bad)
    well_formed(os.path.join(inner, "IconSVG"), bad)
    well_formed(os.path.join(inner, "Tools.shelf"), bad)
    network = os.path.join(inner, "Contents.dir")
    if listed(network, bad) != ["Contents.mime"]:
        bad.append("%s does not list its archive" % network)
    wrong = check_contents.check(row, read(os.path.join(network, "Contents.mime")), read(os.path.join(inner, "DialogScript")),
                                 read(os.path.join(inner, "MessageNodes")))
    bad += ["%s: %s" % (folder, reason) for reason in wrong]


class PresetParm:
    """A replacement of hou.Parm for the menu of presets."""

    def __init__(self, value):
        self.value = value

    def evalAsString(self):
        return self.value

    def set(self, value):
        self.value = value


class PresetNode:
    """A replacement of hou.Node that takes values as the table does."""

    def __init__(self, row):
        self.menu, self.set = PresetParm("none"), rivulet.Scene().add(row.type, "n")

    def parm(self, token):
        assert token == "preset", token
        return self.menu

    def setParms(self, values):
        for token, value in values.items():
            self.set[token] = value


def check_presets(folder, module, row, bad):
    """Runs the asset's Python for every preset: afterwards the node has the values of the table, and the menu its first item."""
    space = {}
    exec(compile(module, "PythonModule", "exec"), space)
    for preset in row.presets:
        node = PresetNode(row)
        node.menu.set(preset["token"])
        try:
            space["preset"](node)
        except Exception as reason:  # whatever the module raises
            bad.append("%s: preset %s: %s" % (folder, preset["token"], reason))
            continue
        wrong = [token for token, value in preset["values"].items() if node.set[token] != value]
        if wrong or node.menu.value != "none":
            bad.append("%s: preset %s leaves %s" % (folder, preset["token"], wrong or "its menu"))


def check_help(path, row, bad):
    """Reports where a help card differs from the table."""
    text = read(path)
    lines = text.split("\n")
    if lines[0] != "= %s =" % row.label or "#internal: " + naming.operator(row.type) not in lines:
        bad.append("%s: title or #internal line differs from the table" % path)
    ids = [line.split(":", 1)[1].strip() for line in lines if line.strip().startswith("#id:")]
    if ids != [parm["token"] for parm in row.parms]:
        bad.append("%s: parameters differ from the table" % path)


def well_formed(path, bad):
    """The parsed XML file, or None after reporting an error."""
    try:
        return xml.dom.minidom.parseString(read(path))
    except Exception as reason:  # whatever the parser raises
        bad.append("%s: %s" % (path, reason))
        return None


def check_shelf(path, bad):
    """Reports tools that are not members of the shelf, and the reverse."""
    document = well_formed(path, bad)
    if document is None:
        return
    tools = [tool.getAttribute("name") for tool in document.getElementsByTagName("tool")]
    members = [member.getAttribute("name") for member in document.getElementsByTagName("memberTool")]
    if sorted(tools) != sorted(members) or len(set(tools)) != len(tools):
        bad.append("%s: tools and members differ: %s" % (path, set(tools) ^ set(members)))


#------------------------------------------------------------------------------------------------ set-ups

class StandIn:
    """A replacement of hou.Node for the set-ups; it reports unknown nodes, inputs, outputs and parameters."""

    def __init__(self, bad, type, name):
        self.bad, self.type, self.name, self.children = bad, type, name, []
        bare = type.split("::")[1] if type.startswith("rivulet::") else None
        self.row = None
        if bare is not None:
            try:
                self.row = rivulet.nodes.find(bare)
            except rivulet.InputError as reason:
                bad.append("a set-up makes '%s': %s" % (type, reason))

    def createNode(self, type, name=None):
        self.children.append(StandIn(self.bad, type, name))
        return self.children[-1]

    def setInput(self, index, node, output=0):
        if self.row is not None and index >= len(self.row.inputs):
            self.bad.append("a set-up wires input %d of %s" % (index + 1, self.type))
        if node is not None and node.row is not None and output >= len(node.row.outputs):
            self.bad.append("a set-up takes output %d of %s" % (output + 1, node.type))

    def setParms(self, values):
        scene = rivulet.Scene()
        node = scene.add(self.row.type, "n") if self.row is not None else None
        for token, value in values.items():
            try:
                if node is not None:
                    node[token] = value
            except rivulet.Error as reason:
                self.bad.append("a set-up sets %s.%s: %s" % (self.type, token, reason))

    def __getattr__(self, name):
        return lambda *args, **options: None


def check_setups(bad):
    """Runs the set-ups of the shelf against StandIn nodes."""
    import generate
    stand = types.ModuleType("hou")
    made = []

    def node(path):
        made.append(StandIn(bad, "obj", path))
        return made[-1]
    stand.node = node
    sys.modules["hou"] = stand
    sys.path.insert(0, os.path.join(HERE, "python"))
    import rivulet_setups
    for name, _, _, _ in generate.SETUPS:
        if name.startswith("example"):  # tests/host/test_shelf_tools.py
            continue
        made.clear()
        getattr(rivulet_setups, name)({})
        kinds = [child.type for top in made for geo in top.children for child in geo.children]
        if "rivulet::wetsolver::1.0" not in kinds:
            bad.append("the set-up %s makes no solver: %s" % (name, kinds))


def check_icons(folder, bad):
    """Every node has an icon of its own, which its asset, the shelf and the plug-in's source name."""
    seen = {}
    for row in rivulet.nodes.all():
        name = "SOP_rivulet-%s-1.0" % row.type
        drawing = read(os.path.join(folder, "config", "Icons", name + ".svg"))
        if drawing in seen:
            bad.append("the icons of %s and %s are the same" % (row.type, seen[drawing]))
        seen[drawing] = row.type
        if "solver" in row.flags:
            asset = os.path.join(folder, naming.asset_folder(row.type))
            inner = os.path.join(asset, naming.encode(naming.table_name(row.type)))
            named = [line for line in read(os.path.join(asset, "INDEX__SECTION")).split("\n") if line.startswith("Icon:")]
            if read(os.path.join(inner, "IconSVG")) != drawing or named != ["Icon:         opdef:/%s?IconSVG" % naming.table_name(row.type)]:
                bad.append("the asset %s does not have its icon" % row.type)
    document = well_formed(os.path.join(folder, "toolbar", "rivulet.shelf"), bad)
    for tool in document.getElementsByTagName("tool") if document is not None else []:
        if not os.path.exists(os.path.join(folder, "config", "Icons", tool.getAttribute("icon") + ".svg")):
            bad.append("the tool %s has no icon" % tool.getAttribute("name"))


def check_examples(folder, bad):
    """A card shows the picture and the network of its example; both are installed with the help."""
    for row in rivulet.nodes.all():
        text = read(os.path.join(folder, "help", "nodes", "sop", "rivulet--%s-1.0.txt" % row.type))
        network = os.path.join(folder, "help", "rivulet", row.type + ".json")
        picture = os.path.join(folder, "help", "images", "rivulet", row.type + ".png")
        if os.path.exists(network) != ("{{{" in text) or (os.path.exists(network) and "{{{\n%s}}}" % read(network) not in text):
            bad.append("the card of %s does not show its network" % row.type)
        if os.path.exists(picture) != ("[Image:/images/rivulet/%s.png]" % row.type in text):
            bad.append("the card of %s and its picture do not belong together" % row.type)


def check(folder):
    """Everything that is wrong with a folder, as a list of messages."""
    bad = []
    for row in rivulet.nodes.all():
        if "solver" in row.flags:
            check_asset(os.path.join(folder, naming.asset_folder(row.type)), row, bad)
        else:
            same_parms("dialogs/%s.ds" % row.type, read(os.path.join(folder, "dialogs", row.type + ".ds")), row, bad)
        check_help(os.path.join(folder, "help", "nodes", "sop", "rivulet--%s-1.0.txt" % row.type), row, bad)
        well_formed(os.path.join(folder, "config", "Icons", "SOP_rivulet-%s-1.0.svg" % row.type), bad)
    check_icons(folder, bad)
    check_examples(folder, bad)
    check_shelf(os.path.join(folder, "toolbar", "rivulet.shelf"), bad)
    check_setups(bad)
    return bad


if __name__ == "__main__":
    wrong = check(sys.argv[1] if len(sys.argv) > 1 else HERE)
    print("\n".join(wrong) or "all files are correct")
    sys.exit(1 if wrong else 0)
