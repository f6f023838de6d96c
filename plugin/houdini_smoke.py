"""What a mock of Houdini cannot prove, tried in a real one: hython houdini_smoke.py [NAME...]

Prints a line for each item, pass or FAILED with the reason, and exits with 1 if one fails. The names are those of
docs/houdini.md. It needs the installed package; `headless` also needs the program `rivulet`, in the PATH or named by
RIVULET_PROGRAM.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import hou

ITEMS = []


def item(check):
    """Adds a check to the list, in the order of the file."""
    ITEMS.append(check)
    return check


def need(good, text, node=None):
    """Fails the item with a reason, and with the errors of a node."""
    if not good:
        raise AssertionError(text + (": " + errors_of(node) if node else ""))


def new(parent, kind, *inputs, **values):
    """A node with its inputs wired and its parameters set; a text with $ is an expression."""
    node = parent.createNode(kind)
    for index, source in enumerate(inputs):
        if source is not None:
            node.setInput(index, source)
    for name, value in values.items():
        parm = node.parm(name)
        need(parm is not None, "%s has no parameter %s" % (kind, name))
        if isinstance(value, str) and value.startswith("$"):
            parm.setExpression(value)
        else:
            parm.set(value)
    return node


def sops():
    return hou.node("/obj").createNode("geo")


def points(node, frame=None):
    """The bytes of P at a frame."""
    if frame is not None:
        hou.setFrame(frame)
    return node.geometry().pointFloatAttribValuesAsString("P")


def turning_groom(geo, count=20):
    """Hair on a ball that turns by 4 degrees a frame."""
    hair = new(geo, "rivulet::groom::1.0", new(geo, "rivulet::sphere::1.0"), count=count)
    return new(geo, "rivulet::transform::1.0", hair, rz="$F * 4")


def solver_sop(geo, groom):
    """seed -> Solver SOP { step }, made by hand."""
    seed = new(geo, "rivulet::strandsolver_step::1.0", None, groom)
    solver = new(geo, "solver", seed, groom)
    inside = solver.node("d/s")
    step = inside.createNode("rivulet::strandsolver_step::1.0")
    step.setInput(0, inside.node("Prev_Frame"))
    step.setInput(1, inside.node("Input_2"))
    end = inside.node("OUT") or inside.createNode("output")
    end.setInput(0, step)
    return seed, solver, step


def simulation(count=20):
    """A turning groom and its Solver SOP: network, groom, seed, solver, step."""
    geo = sops()
    groom = turning_groom(geo, count)
    return (geo, groom) + solver_sop(geo, groom)


def errors_of(node):
    try:
        node.cook(force=True)
    except hou.OperationFailed:
        pass
    return "\n".join(node.errors())


@item
def loads():
    """The plug-in was built for this Houdini: every operator and DOP is there."""
    names = [name for name in hou.sopNodeTypeCategory().nodeTypes() if name.startswith("rivulet::")]
    dops = [name for name in hou.dopNodeTypeCategory().nodeTypes() if name.startswith("rivulet::")]
    need(len(names) > 25 and len(dops) >= 4, "%d operators and %d DOPs; HOUDINI_DSO_ERROR=3 says why" % (len(names), len(dops)))
    hair = new(sops(), "rivulet::groom::1.0", count=50).geometry()
    need(len(hair.prims()) == 50 and not hair.prims()[0].isClosed(), "the groom is not 50 open curves")


@item
def libraries():
    """One OpenVDB, TBB, Blosc and zlib in the process, all of them Houdini's."""
    need(os.path.exists("/proc/self/maps"), "look at the loaded libraries by hand: one of each, under $HFS")
    with open("/proc/self/maps", encoding="utf-8") as stream:
        loaded = {line.split()[-1] for line in stream if ".so" in line}
    for name in ("libopenvdb", "libtbb", "libblosc", "libz"):
        found = [path for path in loaded if re.match(name + r"(_\w+)?\.so", os.path.basename(path))]
        foreign = [path for path in found if not os.path.realpath(path).startswith(os.path.realpath(hou.getenv("HFS")))]
        need(found and not foreign, "%s: %s" % (name, " ".join(found) or "not loaded"))


@item
def verb():
    """Houdini finds the verbs by name, and they make what the nodes make."""
    found = hou.sopNodeTypeCategory().nodeVerb("rivulet::sphere::1.0")
    need(found is not None, "there is no verb rivulet::sphere::1.0")
    made = hou.Geometry()
    found.execute(made, [])
    need(made.pointFloatAttribValuesAsString("P") == points(new(sops(), "rivulet::sphere::1.0")), "verb and node differ")


@item
def values():
    """Values are read during a cook: expressions animate, and a change of a value cooks again."""
    turn = turning_groom(sops())
    first, tenth = points(turn, 1), points(turn, 10)
    need(first != tenth, "an expression does not animate")
    turn.parm("tx").set(1)
    need(points(turn) != tenth, "a changed value does not cook")


@item
def within_frames():
    """A step may cook its inputs at fractional times, inside a Solver SOP too."""
    os.environ.pop("RIVULET_WHOLE_FRAMES", None)
    _, _, _, solver, _ = simulation()
    sampled = [points(solver, frame) for frame in range(1, 7)]
    os.environ["RIVULET_WHOLE_FRAMES"] = "1"
    solver.parm("resimulate").pressButton()
    whole = [points(solver, frame) for frame in range(1, 7)]
    os.environ.pop("RIVULET_WHOLE_FRAMES")
    need(sampled != whole, "inputs are read at whole frames only; keep RIVULET_WHOLE_FRAMES=1 set")


@item
def start_frame():
    """The start frame shows the groom, and no frame is ahead: a Solver SOP solves its start frame too."""
    _, _, seed, solver, _ = simulation()
    need(points(solver, 1) == points(seed, 1), "frame 1 is not the groom")
    need(points(solver, 2) != points(solver, 1), "frame 2 is not simulated")


@item
def scrub():
    """Frames in any order, and a second simulation, are the same."""
    _, _, _, solver, _ = simulation()
    straight = {frame: points(solver, frame) for frame in range(1, 13)}
    need(len(set(straight.values())) == 12, "frames repeat")
    need(all(points(solver, frame) == straight[frame] for frame in (6, 12, 1)), "scrubbing changes a frame")
    solver.parm("resimulate").pressButton()
    need(all(points(solver, frame) == straight[frame] for frame in range(1, 13)), "a second simulation differs")


@item
def escape():
    """A step that is interrupted is not kept: the next play gives the frames of an undisturbed one."""
    _, _, _, solver, step = simulation(3000)
    step.parm("substeps").set(32)
    undisturbed = points(solver, 3)
    solver.parm("resimulate").pressButton()
    points(solver, 1)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    stopped = False
    try:
        points(solver, 3)
    except (hou.OperationInterrupted, hou.OperationFailed, KeyboardInterrupt):
        stopped = True
    timer.join()
    need(stopped, "the cook was over before the interrupt; make the groom larger")
    need(points(solver, 3) == undisturbed, "an incomplete frame was kept")


def dop_frames(groom, solve):
    """P of a DOP simulation by frame."""
    net = hou.node("/obj").createNode("dopnet")
    solver = net.createNode("rivulet::strandsolver::1.0")
    solver.parm("strandspath").set(groom.path())
    thing = net.createNode("emptyobject")
    if thing.parm("solvefirstframe"):
        thing.parm("solvefirstframe").set(solve)
    solver.setInput(0, thing)
    out = net.node("output") or net.createNode("output")
    out.setInput(0, solver)
    found = {}
    for frame in range(2, 8):
        hou.setFrame(frame)
        geometry = net.simulation().objects()[0].geometry()
        need(geometry is not None, "no Geometry at frame %d: %s" % (frame, errors_of(net)))
        found[frame] = geometry.pointFloatAttribValuesAsString("P")
    return found


@item
def dop_time():
    """DOPs and SOPs have the same frames, solved on the creation frame or not. If not: set RIVULET_DOP_TIME=start."""
    _, groom, _, solver, _ = simulation()
    wanted = {frame: points(solver, frame) for frame in range(1, 9)}
    for solve in (True, False):
        for frame, have in dop_frames(groom, solve).items():
            same = [other for other in wanted if wanted[other] == have]
            need(same == [frame], "frame %d in DOPs is frame %s of the SOPs (solve on creation: %s)" % (frame, same, solve))


@item
def dop_options():
    """Values of a DOP have the types that the plug-in expects, and a wrong one is named."""
    net = hou.node("/obj").createNode("dopnet")
    solver = net.createNode("rivulet::strandsolver::1.0")
    solver.parm("strandspath").set(turning_groom(sops()).path())
    solver.parm("substeps").set(-5)
    solver.setInput(0, net.createNode("emptyobject"))
    (net.node("output") or net.createNode("output")).setInput(0, solver)
    hou.setFrame(3)
    text = errors_of(net) + errors_of(solver)
    need("substeps" in text, "the message is: " + text)


@item
def data_ids():
    """What changed has a new data id and nothing else has, so that the viewport follows."""
    turn = turning_groom(sops())
    hou.setFrame(1)
    before = {a.name(): a.dataId() for a in turn.geometry().pointAttribs()}
    hou.setFrame(2)
    after = {a.name(): a.dataId() for a in turn.geometry().pointAttribs()}
    need(before["P"] != after["P"], "P moved and has the same data id")


@item
def vdb():
    """VDBs go both ways: names, values, and no point of theirs becomes a particle."""
    geo = sops()
    ball = new(geo, "rivulet::collider::1.0", new(geo, "rivulet::sphere::1.0"))
    need("surface" in [prim.attribValue("name") for prim in ball.geometry().prims()], "the collider has no VDB 'surface'")
    again = new(geo, "rivulet::transform::1.0", ball, tx=0.5)
    need(len(again.geometry().prims()) == len(ball.geometry().prims()), "VDBs are lost on the way")
    mesh = new(geo, "convertvdb", ball, conversion=2)
    need(len(mesh.geometry().prims()) > 10, "Houdini makes no mesh of it")


def in_any_order(positions):
    """Positions of three 32-bit floats, sorted as bytes."""
    return sorted(positions[at:at + 12] for at in range(0, len(positions), 12))


@item
def packed():
    """Packed geometry, fragments and NURBS are read as if they were unpacked and converted."""
    geo = sops()
    groom = new(geo, "rivulet::groom::1.0", new(geo, "rivulet::sphere::1.0"), count=20)
    wanted = in_any_order(points(groom))
    whole = new(geo, "rivulet::material::1.0", new(geo, "pack", groom))
    need(in_any_order(points(whole)) == wanted, "a packed groom is not the groom")
    pieces = new(geo, "assemble", groom, create_packed=1)
    fragments = new(geo, "rivulet::material::1.0", pieces)
    need(len(fragments.geometry().prims()) == 20, "packed fragments: %d curves" % len(fragments.geometry().prims()))
    need(in_any_order(points(fragments)) == wanted, "points of packed fragments are not those of the groom")
    curved = new(geo, "rivulet::material::1.0", new(geo, "convert", groom, totype=4))
    need(len(curved.geometry().prims()) == 20 and not curved.geometry().prims()[0].isClosed(), "NURBS are not read")


@item
def assets():
    """The digital assets load, have three outputs and cook as the network made by hand."""
    geo = sops()
    groom = turning_groom(geo)
    _, solver, _ = solver_sop(geo, groom)
    for kind in ("strandsolver", "liquidsolver", "filmsolver", "wetsolver"):
        node = geo.createNode("rivulet::%s::1.0" % kind)
        need(len(node.outputNames()) == 3, "%s has %d outputs" % (kind, len(node.outputNames())))
        need(node.node("solve") is not None, "%s has no network" % kind)
    asset = new(geo, "rivulet::strandsolver::1.0", groom)
    hou.setFrame(4)
    have = asset.geometry(2).pointFloatAttribValuesAsString("P")
    need(have == points(solver, 4), "the asset and the network made by hand differ")


@item
def errors():
    """A failed step shows its message on the asset that the artist sees."""
    asset = new(sops(), "rivulet::strandsolver::1.0", substeps=-5)
    text = errors_of(asset)
    need("substeps" in text, "the message is: " + text)
    broken = new(sops(), "rivulet::file::1.0", file="/nothere.bgeo")
    need("/nothere.bgeo" in errors_of(broken), "a missing file is not named")


@item
def files():
    """A state that Houdini writes is the state that Rivulet reads."""
    geo, _, _, solver, _ = simulation()
    path = os.path.join(tempfile.mkdtemp(), "state.bgeo.sc")
    hou.setFrame(5)
    solver.geometry().saveToFile(path)
    read = new(geo, "rivulet::file::1.0", file=path)
    need(points(read) == points(solver), "P of the file differs")
    names = {a.name() for a in solver.geometry().pointAttribs()} - {a.name() for a in read.geometry().pointAttribs()}
    need(not names, "attributes are lost: %s" % sorted(names))


@item
def hip():
    """A saved scene has the same nodes and frames."""
    _, _, _, solver, _ = simulation()
    path, wanted, name = os.path.join(tempfile.mkdtemp(), "smoke.hip"), points(solver, 4), solver.path()
    hou.hipFile.save(path)
    hou.hipFile.clear(suppress_save_prompt=True)
    hou.hipFile.load(path, suppress_save_prompt=True)
    need(points(hou.node(name), 4) == wanted, "the loaded scene differs")


@item
def speed():
    """100,000 points go through a node in less than a second."""
    geo = sops()
    groom = new(geo, "rivulet::groom::1.0", new(geo, "rivulet::sphere::1.0"), count=5000, points=20)
    groom.geometry()
    same = new(geo, "rivulet::transform::1.0", groom)
    start = time.monotonic()
    same.geometry()
    seconds = time.monotonic() - start
    need(seconds < 1, "%.2f s" % seconds)


@item
def dialogs():
    """Conditions hide and disable parameters, a preset sets several, and the types have icons and help."""
    geo = sops()
    groom = new(geo, "rivulet::groom::1.0", method="count")
    hidden = (groom.parm("count").isHidden(), groom.parm("density").isHidden())
    need(hidden == (False, True), "hidden by the method: count %s, density %s" % hidden)
    liquid = new(geo, "rivulet::liquidsolver::1.0", viscosity=0)
    need(liquid.parm("stick").isDisabled(), "stick is not disabled without viscosity")
    liquid.parm("preset").set("honey")
    liquid.parm("preset").pressButton()
    need(liquid.parm("viscosity").eval() == 10, "the preset honey gives a viscosity of %s" % liquid.parm("viscosity").eval())
    need(not liquid.parm("stick").isDisabled(), "stick is disabled in honey")
    icon = hou.sopNodeTypeCategory().nodeType("rivulet::groom::1.0").icon()
    for path in ("config/Icons/%s.svg" % icon, "help/nodes/sop/rivulet--groom-1.0.txt"):
        need(os.path.exists(hou.findFile(path)), path + " is not found")


@item
def shelf():
    """The set-ups of the shelf play, and its tools make a simulation of what is selected."""
    import rivulet_setups
    import rivulet_tools
    for setup in (rivulet_setups.wet_hair, rivulet_setups.pour_on_fur):
        node = setup({})
        need(points(node, 1) != points(node, 2), setup.__name__ + " does not move", node)
    hair, water = sops(), sops()
    ball = new(hair, "rivulet::sphere::1.0", radius=0.05)
    new(hair, "rivulet::groom::1.0", ball, count=20, length=0.05).setDisplayFlag(True)
    new(water, "rivulet::box::1.0").setDisplayFlag(True)
    hair.setSelected(True, clear_all_selected=True)
    water.setSelected(True)
    wet = rivulet_tools.wet_selected({})
    need(wet is not None and wet.type().name() == "rivulet::wetsolver::1.0", "the selected hair is not wetted")
    hou.setFrame(1)
    need(len(wet.geometry().prims()) == 20, "%d strands of 20" % len(wet.geometry().prims()), wet)
    need(rivulet_setups.example("groom") is not None, "there is no example of the groom")


# a VDB has no particles whose size the solver could take
FLIP_PARMS = {"liquidmode": "cached", "particlesep": 0.005}


@item
def flip():
    """VDBs `surface` and `vel` that Houdini makes, as a FLIP simulation has them, wet the hair as cached liquid."""
    geo = sops()
    surface = new(geo, "vdbfrompolygons", new(geo, "rivulet::sphere::1.0", radius=0.1), voxelsize=0.005)
    # its gradient is a flow outwards of 1 m/s
    flow = new(geo, "vdbanalysis", surface, outputname="custom", customname="vel")
    hair = new(geo, "rivulet::groom::1.0", new(geo, "rivulet::sphere::1.0", radius=0.08), count=20, length=0.05)
    liquid = new(geo, "merge", surface, flow)
    wet = new(geo, "rivulet::wetsolver::1.0", hair, liquid, **FLIP_PARMS)
    hou.setFrame(4)
    names = [prim.attribValue("name") for prim in liquid.geometry().prims()]
    need(sorted(names) == ["surface", "vel"], "Houdini made the VDBs %s" % names)
    film = wet.geometry().pointFloatAttribValues("filmheight")
    need(max(film) > 0, "hair in the liquid has no film", wet)


# frames of `headless`: Houdini writes the state of the first, and the program goes on to the last
HANDED_OVER, HEADLESS_END = 4, 6


def headless_scene():
    """The scene of `headless` for the program: hair that falls, without motion that two hosts could round differently."""
    nodes = {"ball": {"type": "sphere"}, "hair": {"type": "groom", "inputs": ["ball"], "parms": {"count": 20}},
             "sim": {"type": "strandsolver", "inputs": ["hair"]},
             "out": {"type": "filecache", "inputs": ["sim:state"], "parms": {"file": "$OUT/state.$F4.bgeo.sc"}}}
    return {"rivulet": 1, "fps": 24, "frames": [1, HEADLESS_END], "nodes": nodes}


def headless_words(program, folder):
    """The command that continues from FOLDER/houdini.bgeo.sc and writes FOLDER/state.0006.bgeo.sc."""
    return [program, "cook", os.path.join(folder, "scene.json"), "--from", os.path.join(folder, "houdini.bgeo.sc"), "--start",
            str(HANDED_OVER), "--out", folder, "--quiet"]


@item
def headless():
    """`rivulet cook --from` goes on from a state that Houdini wrote, to the same bits."""
    program = os.environ.get("RIVULET_PROGRAM") or shutil.which("rivulet")
    need(program, "the program rivulet is not in the PATH; set RIVULET_PROGRAM")
    geo, folder = sops(), tempfile.mkdtemp()
    hair = new(geo, "rivulet::groom::1.0", new(geo, "rivulet::sphere::1.0"), count=20)
    _, solver, _ = solver_sop(geo, hair)
    hou.setFrame(HANDED_OVER)
    solver.geometry().saveToFile(os.path.join(folder, "houdini.bgeo.sc"))
    with open(os.path.join(folder, "scene.json"), "w", encoding="utf-8") as stream:
        json.dump(headless_scene(), stream)
    done = subprocess.run(headless_words(program, folder), stderr=subprocess.PIPE, universal_newlines=True, check=False)
    need(done.returncode == 0, "the program says: " + done.stderr.strip())
    read = new(geo, "rivulet::file::1.0", file=os.path.join(folder, "state.%04d.bgeo.sc" % HEADLESS_END))
    need(points(read) == points(solver, HEADLESS_END), "frame %d of the program and of Houdini differ" % HEADLESS_END)


def main():
    hou.setFps(24)
    chosen = [check for check in ITEMS if not sys.argv[1:] or check.__name__ in sys.argv[1:]]
    failed = 0
    for check in chosen:
        try:
            check()
            said = "pass"
        except Exception as error:  # whatever goes wrong is this item's result
            said, failed = "FAILED: %s" % error, failed + 1
        print("%-14s %s" % (check.__name__, said), flush=True)
    print("%d of %d pass, Houdini %s" % (len(chosen) - failed, len(chosen), hou.applicationVersionString()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
