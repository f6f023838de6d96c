"""A smoke test for a machine with Houdini: hython houdini_smoke.py. It prints a line for each check and exits with 1 if one fails.

It uses the hidden operators only, so it needs the plug-in but not the digital assets.
"""
import sys

import hou

FAILED = []


def check(what, good, detail=""):
    """Prints one result and remembers a failure."""
    print("%-60s %s %s" % (what, "ok" if good else "FAILED", detail))
    if not good:
        FAILED.append(what)


def frames(solver, last):
    """Hashes of P by frame, cooked in order."""
    found = {}
    for frame in range(1, last + 1):
        hou.setFrame(frame)
        found[frame] = hash(solver.geometry().pointFloatAttribValuesAsString("P"))
    return found


def main():
    hou.setFps(24)
    geo = hou.node("/obj").createNode("geo")
    names = [name for name in hou.sopNodeTypeCategory().nodeTypes() if name.startswith("rivulet::")]
    check("operators are registered", len(names) > 20, "%d" % len(names))
    ball = geo.createNode("rivulet::sphere::1.0")
    hair = geo.createNode("rivulet::groom::1.0")
    hair.setInput(0, ball)
    hair.parm("count").set(50)
    strands = hair.geometry()
    check("the groom has 50 curves", len(strands.prims()) == 50)
    check("the curves are open", not strands.prims()[0].isClosed())
    turn = geo.createNode("rivulet::transform::1.0")
    turn.setInput(0, hair)
    turn.parm("rz").setExpression("$F * 4")
    hou.setFrame(1)
    first = turn.geometry().pointFloatAttribValues("P")
    hou.setFrame(10)
    check("an expression animates the transform", first != turn.geometry().pointFloatAttribValues("P"))
    # seed -> Solver SOP { step }
    seed = geo.createNode("rivulet::strandsolver_step::1.0")
    seed.setInput(1, turn)
    solver = geo.createNode("solver")
    solver.setInput(0, seed)
    solver.setInput(1, turn)
    inside = solver.node("d/s")
    step = inside.createNode("rivulet::strandsolver_step::1.0")
    step.setInput(0, inside.node("Prev_Frame"))
    step.setInput(1, inside.node("Input_2"))
    inside.node("OUT").setInput(0, step)
    straight = frames(solver, 24)
    check("24 frames are simulated", len(set(straight.values())) == 24)
    for frame in (12, 24):
        hou.setFrame(frame)
        again = hash(solver.geometry().pointFloatAttribValuesAsString("P"))
        check("scrubbing to frame %d gives the same result" % frame, again == straight[frame])
    solver.parm("resimulate").pressButton()
    check("a second simulation gives the same result", frames(solver, 24) == straight)
    split = geo.createNode("rivulet::strandsolver_strands::1.0")
    split.setInput(0, solver)
    hou.setFrame(5)
    check("the strands have no private attributes", not [a for a in split.geometry().pointAttribs() if a.name().startswith("rv_")])
    broken = geo.createNode("rivulet::file::1.0")
    broken.parm("file").set("/nothere.bgeo")
    try:
        broken.cook(force=True)
    except hou.OperationFailed:
        pass
    check("a missing file is an error that names it", any("/nothere.bgeo" in text for text in broken.errors()))
    dop = [name for name in hou.dopNodeTypeCategory().nodeTypes() if name.startswith("rivulet::")]
    check("DOP solvers are registered", len(dop) >= 4, " ".join(sorted(dop)))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
