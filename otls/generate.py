"""Writes the files that Houdini needs for every node, from the node table. Run it after a change of the table.

  /usr/bin/python3 otls/generate.py [FOLDER]     FOLDER: this one

  rivulet_<solver>.1.0.hda/        an expanded asset of each solver: interface, help, icon, tool, and its network, a Solver
                                   SOP around the hidden step (contents.py)
  dialogs/<type>.ds                the interface of the other nodes, which the plug-in registers itself
  help/nodes/sop, help/nodes/dop   help cards, each with a picture and an example network
  help/images/rivulet              the pictures; help/rivulet the networks: copies of docs/scenes/nodes
  config/Icons                     icons
  toolbar/rivulet.shelf            a tool for each node, and complete set-ups
"""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "python_shim"))

import contents  # noqa: E402
import glyphs  # noqa: E402
import naming  # noqa: E402

import rivulet  # noqa: E402
from rivulet._lib import lib  # noqa: E402

MADE = ("dialogs", "help", "config", "toolbar")  # generated folders: emptied before they are written
DATE = "Thu Jan  1 00:00:00 2026"  # a fixed date, so that equal tables give equal files
OPTIONS = (("CheckExternal", 1), ("ContentsCompressionType", 1), ("ForbidOutsideParms", 1), ("GzipContents", 1),
           ("LockContents", 1), ("MakeDefault", 1), ("ParmsFromVfl", 0), ("PrefixDroppedParmLabel", 0),
           ("PrefixDroppedParmName", 0), ("SaveCachedCode", 0), ("SaveIcon", 1), ("SaveSpareParms", 0),
           ("UnlockOnCreate", 0), ("UseDSParms", 1))
PRESET = "preset"  # the menu of an asset's presets
EXAMPLES = os.path.join(HERE, "..", "docs", "scenes", "nodes")  # TYPE.json and its picture TYPE.png
# tools that act on the selection: function of rivulet_tools, label, icon, help
TOOLS = (("wet_selected", "Wet Selected Hair", "wetsolver", "Select hair curves and a closed mesh: the mesh is filled with water. A "
          "mesh that holds the roots is the skin, and collides."),
         ("wet_by_particles", "Wet by Particles", "filmsolver", "Select hair curves and the particles of a FLIP simulation, which wet it."),
         ("simulate_selected", "Simulate Selected Hair", "strandsolver", "Select hair curves, and meshes that they collide with."))
SETUPS = (("example_of_selected", "Example of Selected Node", "file", "Makes the example network of the selected node of Rivulet."),
          ("wet_hair", "Wet Hair", "wetsolver", "A head of hair above a pool; key the node move to dip it."),
          ("pour_on_fur", "Pour on Fur", "wetsolver", "Fur with water poured over it."))


def described(type, form):
    """A node type in one of the formats of rv_node_describe: "ds", "help"."""
    return lib.node_describe(lib.node_find(type.encode()), form.encode())


def read_example(type, ending):
    """A file of the example of a type; None where a node has none yet."""
    path = os.path.join(EXAMPLES, type + ending)
    if not os.path.exists(path):
        return None
    with open(path, "rb") as stream:
        return stream.read()


def card(type):
    """The help card: the table's, with a picture below the summary and the example network before the inputs."""
    text, network = described(type, "help"), read_example(type, ".json")
    if read_example(type, ".png") is not None:
        at = text.index('"""\n', text.index('"""') + 3) + 4
        text = text[:at] + "\n[Image:/images/rivulet/%s.png]\n" % type + text[at:]
    if network is None:
        return text
    at = min(text.index(mark) for mark in ("\n@inputs", "\n@outputs", "\n@parameters") if mark in text)
    return text[:at] + "\n== Example ==\n\nThe network of the picture, as a scene of the program `rivulet`. The tool Example of Selected Node " \
        "of the shelf makes it here.\n\n{{{\n%s}}}\n" % network.decode("utf-8") + text[at:]


def solvers():
    return [row for row in rivulet.nodes.all() if "solver" in row.flags]


#------------------------------------------------------------------------------------------------ assets

def dialog(row):
    """The table's DialogScript with the header of an asset."""
    body = described(row.type, "ds")
    head = ["    script  %s" % naming.operator(row.type), '    label   "%s"' % row.label, '    help { "" }']
    head += ['    inputlabel %d "%s"' % (i + 1, port["label"]) for i, port in enumerate(row.inputs)]
    head += ['    outputlabel %d "%s"' % (i + 1, port["label"]) for i, port in enumerate(row.outputs)]
    mark = "    name    parameters\n"
    assert body.count(mark) == 1
    button = 'type    button\n'
    assert body.count(button) == 1, "which button is Reset Simulation?"
    body = body.replace(button, button + """            parmtag { "script_callback" "hou.phm().reset(kwargs['node'])" }
            parmtag { "script_callback_language" "python" }
""")
    body = body.replace(mark, "    name    %s\n" % naming.operator(row.type) + "\n".join(head) + "\n" + preset_menu(row))
    return body


def quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def preset_menu(row):
    """A menu of the asset alone: choosing an item sets parameters, and the menu goes back to its first item. No inner node refers
    to it, so it does not make the simulation start again by itself."""
    if not row.presets:
        return ""
    items = [("none", "Choose...")] + [(preset["token"], preset["label"]) for preset in row.presets]
    lines = ["    parm {", '        name    "%s"' % PRESET, '        label   "Preset"', "        type    ordinal", '        default { "0" }', "        menu {"]
    lines += ["            %s %s" % (quoted(token), quoted(label)) for token, label in items]
    help_text = "Sets several parameters at once. " + " ".join("%s: %s" % (preset["label"], preset["help"]) for preset in row.presets)
    lines += ["        }", "        help    %s" % quoted(help_text),
              """        parmtag { "script_callback" "hou.phm().preset(kwargs['node'])" }""",
              '        parmtag { "script_callback_language" "python" }', "    }", ""]
    return "\n".join(lines)


def sections(names):
    """A Sections.list: file names and section names."""
    return '""\n' + "".join("%s\t%s\n" % (naming.encode(name), name) for name in names)


def index(row):
    """The INDEX__SECTION of an asset."""
    name = naming.table_name(row.type)
    needed = sum(1 for port in row.inputs if port["required"])
    lines = (("Operator", naming.operator(row.type)), ("Label", row.label), ("Path", "oplib:/%s?%s" % (name, name)),
             ("Icon", "opdef:/%s?IconSVG" % name), ("Table", "Sop"), ("License", ""), ("Extra", ""), ("User", ""),
             ("Inputs", "%d to %d" % (needed, len(row.inputs))), ("Outputs", "%d" % len(row.outputs)), ("Subnet", "true"), ("Python", "false"),
             ("Empty", "false"), ("Modified", DATE))
    return "".join("%-13s %s\n" % (key + ":", value) for key, value in lines) + "\n"


def tool(row):
    """Tools.shelf of an asset: its entry in the TAB menu."""
    return """<?xml version="1.0" encoding="UTF-8"?>
<shelfDocument>
  <tool name="$HDA_DEFAULT_TOOL" label="$HDA_LABEL" icon="$HDA_ICON">
    <toolMenuContext name="network"><contextOpType>$HDA_TABLE_AND_NAME</contextOpType></toolMenuContext>
    <toolSubmenu>Rivulet/%s</toolSubmenu>
    <script scriptType="python"><![CDATA[import soptoolutils
soptoolutils.genericTool(kwargs, '$HDA_NAME')]]></script>
  </tool>
</shelfDocument>
""" % row.category


def module(row):
    """PythonModule of an asset."""
    values = "".join("    %r: %r,\n" % (preset["token"], preset["values"]) for preset in row.presets)
    return """# The button Reset Simulation: the Solver SOP inside forgets its frames.
def reset(node):
    node.node('solve').parm('resimulate').pressButton()


PRESETS = {
%s}


# The menu Preset: sets the parameters of the chosen preset, as one step of undo, and shows its first item again.
def preset(node):
    chosen = node.parm('preset').evalAsString()
    if chosen in PRESETS:
        node.setParms(PRESETS[chosen])
        node.parm('preset').set('none')
""" % values


def asset(row):
    """The files of an expanded asset, text by path."""
    folder, inner = naming.asset_folder(row.type), naming.encode(naming.table_name(row.type))
    parts = {"DialogScript": dialog(row), "TypePropertiesOptions": "".join("%s := %d;\n" % pair for pair in OPTIONS),
             "CreateScript": "# Automatically generated script\n\\set noalias = 1\n",
             "Help": card(row.type), "IconSVG": glyphs.icon(row.type, row.category), "Tools.shelf": tool(row),
             "PythonModule": module(row), "MessageNodes": contents.message_nodes(row)}
    files = {"%s/%s/%s" % (folder, inner, naming.encode(name)): text for name, text in parts.items()}
    # Houdini expands the section Contents.gz to a folder with the archive in it.
    files["%s/%s/Sections.list" % (folder, inner)] = sections(sorted(parts) + ["Contents.gz"])
    files["%s/%s/Contents.dir/Sections.list" % (folder, inner)] = sections(["Contents.mime"])
    files["%s/%s/Contents.dir/Contents.mime" % (folder, inner)] = contents.archive(row)
    files[folder + "/INDEX__SECTION"] = index(row)
    files[folder + "/houdini.hdalibrary"] = ""
    files[folder + "/Sections.list"] = sections(["INDEX_SECTION", "houdini.hdalibrary", naming.table_name(row.type)])
    return files


#------------------------------------------------------------------------------------------------ the rest

def shelf():
    """The shelf: tools of the selection and set-ups first, then a tool for each node."""
    members = ["rivulet::" + name for name, _, _, _ in TOOLS + SETUPS] + ["rivulet::sop_" + row.type for row in rivulet.nodes.all()]
    out = ['<?xml version="1.0" encoding="UTF-8"?>', "<shelfDocument>", '  <toolshelf name="rivulet" label="Rivulet">']
    out += ['    <memberTool name="%s"/>' % member for member in members]
    out.append("  </toolshelf>")
    for name, label, type, help_text in TOOLS + SETUPS:
        module = "rivulet_setups" if (name, label, type, help_text) in SETUPS else "rivulet_tools"
        out.append("""  <tool name="rivulet::%s" label="%s" icon="SOP_rivulet-%s-1.0">
    <helpText><![CDATA[%s]]></helpText>
    <script scriptType="python"><![CDATA[import %s
%s.%s(kwargs)]]></script>
  </tool>""" % (name, label, type, help_text, module, module, name))
    for row in rivulet.nodes.all():
        out.append("""  <tool name="rivulet::sop_%s" label="%s" icon="SOP_rivulet-%s-1.0">
    <helpURL>operator:%s</helpURL>
    <toolMenuContext name="network"><contextOpType>%s</contextOpType></toolMenuContext>
    <toolSubmenu>Rivulet/%s</toolSubmenu>
    <script scriptType="python"><![CDATA[import soptoolutils
soptoolutils.genericTool(kwargs, '%s')]]></script>
  </tool>""" % (row.type, row.label, row.type, naming.table_name(row.type), naming.table_name(row.type), row.category,
                naming.operator(row.type)))
    return "\n".join(out + ["</shelfDocument>", ""])


def everything():
    """All generated files, text or bytes by path."""
    files = {"toolbar/rivulet.shelf": shelf()}
    for row in rivulet.nodes.all():
        files["help/nodes/sop/rivulet--%s-1.0.txt" % row.type] = card(row.type)
        for path, ending in (("help/images/rivulet/", ".png"), ("help/rivulet/", ".json")):
            if read_example(row.type, ending) is not None:
                files[path + row.type + ending] = read_example(row.type, ending)
        files["config/Icons/SOP_rivulet-%s-1.0.svg" % row.type] = glyphs.icon(row.type, row.category)
        if "solver" in row.flags:
            files.update(asset(row))
        else:
            files["dialogs/%s.ds" % row.type] = described(row.type, "ds")
        if "dop" in row.flags:
            files["help/nodes/dop/rivulet--%s-1.0.txt" % row.type] = card(row.type).replace(
                "#context: sop", "#context: dop")
    return files


def write(folder):
    """Replaces the generated files of a folder; returns their number."""
    files = everything()
    for name in os.listdir(folder):
        if name in MADE or name.endswith(".hda"):
            shutil.rmtree(os.path.join(folder, name))
    for path, text in files.items():
        full = os.path.join(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as stream:
            stream.write(text if isinstance(text, bytes) else text.encode("utf-8"))
    return len(files)


if __name__ == "__main__":
    print("%d files" % write(sys.argv[1] if len(sys.argv) > 1 else HERE))
