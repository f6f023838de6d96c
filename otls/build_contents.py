"""Builds the networks inside the solvers' assets: run `hython otls/build_contents.py FOLDER` on a machine with Houdini and
the plug-in, on the folder that `generate.py` wrote. Houdini writes the result, Contents.dir, in its own format.

An asset contains a seed, a Solver SOP around the hidden step, and the operators that take a state apart (docs/houdini.md):

  in_1 ... in_n -> seed -> solve [ Prev_Frame, in_1 ... in_n -> step ] -> strands, liquid -> outputs 1, 2; state -> output 3

Inputs reach the step through object merges, as a Solver SOP has four inputs and a wet solver five. The script follows the
published pages of `hou` and has never run in Houdini: see the list in docs/houdini.md.
"""
import os
import sys

import hou

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import naming  # noqa: E402


def link(node, asset):
    """Links every parameter of the node to the asset's parameter of the same name."""
    for parm in node.parms():
        other = asset.parm(parm.name())
        if other is not None and parm.parmTemplate().type() != hou.parmTemplateType.Button:
            parm.set(other)


def hidden(parent, type, part, name):
    """A hidden operator of a solver: its step, or one of its outputs."""
    return parent.createNode("%s::%s_%s::%s" % (naming.NAMESPACE, type, part, naming.VERSION), name)


def build(asset, type):
    """Builds the network inside an asset whose contents are unlocked."""
    count = asset.type().maxNumInputs()
    inputs = []
    for index in range(count):
        null = asset.createNode("null", "in_%d" % (index + 1))
        null.setInput(0, asset.indirectInputs()[index])
        inputs.append(null)
    seed = hidden(asset, type, "step", "seed")
    for index, null in enumerate(inputs):
        seed.setInput(index + 1, null)
    solve = asset.createNode("solver", "solve")
    solve.setInput(0, seed)
    inside = solve.node("d/s")
    step = hidden(inside, type, "step", "step")
    step.setInput(0, inside.node("Prev_Frame"))
    for index, null in enumerate(inputs):
        merge = inside.createNode("object_merge", "get_%d" % (index + 1))
        merge.setParms({"objpath1": merge.relativePathTo(null), "xformtype": 0})
        step.setInput(index + 1, merge)
    step.setDisplayFlag(True)
    step.setRenderFlag(True)
    link(seed, asset)
    link(step, asset)
    solve.parm("startframe").set(asset.parm("startframe"))
    for index, part in enumerate(("strands", "liquid", None)):
        made = solve
        if part is not None:
            made = hidden(asset, type, part, part)
            made.setInput(0, solve)
            link(made, asset)
        out = asset.createNode("output", "out_%d" % (index + 1))
        out.setInput(0, made)
        out.parm("outputidx").set(index)
    for parent in (asset, inside):
        parent.layoutChildren()


def fill(folder, type):
    """Installs an expanded asset, builds its contents and saves it in place."""
    path = os.path.join(folder, naming.asset_folder(type))
    hou.hda.installFile(path)
    geo = hou.node("/obj").createNode("geo", "rivulet_build")
    try:
        asset = geo.createNode(naming.operator(type), type)
        asset.allowEditingOfContents()
        for child in asset.children():
            child.destroy()
        build(asset, type)
        asset.type().definition().updateFromNode(asset)
    finally:
        geo.destroy()
    print("filled", path)


def main(folder):
    ends = "." + naming.VERSION + ".hda"
    starts = naming.NAMESPACE + "_"
    for name in sorted(os.listdir(folder)):
        if name.startswith(starts) and name.endswith(ends):
            fill(folder, name[len(starts):-len(ends)])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else HERE)
