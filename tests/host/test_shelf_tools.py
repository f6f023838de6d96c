"""The shelf's tools over a stand-in for `hou`: they make the right networks of the selection, those cook in our own host, and what
cannot be used is said. The script of every tool of the shelf file is run as Houdini would run it."""
import os
import sys
import tempfile
import types
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.environ["RV_SOURCE_DIR"], "tests", "support"))
from package import TOP  # noqa: E402
import hou_stub  # noqa: E402

import rivulet  # noqa: E402

os.environ["RIVULET"] = os.path.join(TOP, "otls")  # as the package sets it: the folder with help/


def shapes():
    """Geometry to select: a tuft of hair, a pool below its tips, a ball at its roots, particles, and a point with nothing."""
    scene = rivulet.Scene()
    tuft = scene.add("groom", "tuft", layout="disk", size=0.01, count=12, length=0.05, points=8, lift=1, bend=0)
    hang = scene.add("transform", "hang", inputs=[tuft], r=(180, 0, 0))
    pool = scene.add("box", "pool", size=(0.04, 0.04, 0.04), t=(0, -0.05, 0))
    ball = scene.add("box", "ball", size=(0.014, 0.01, 0.014), t=(0, 0.004, 0))
    drops = scene.add("fill", "drops", inputs=[pool], particlesep=0.004)
    return {"hair": hang.cook(), "pool": pool.cook(), "skin": ball.cook(), "drops": drops.cook()}


def load(name):
    """A module of the shelf, with the fault that is tried."""
    with open(os.path.join(TOP, "otls", "python", name + ".py"), encoding="utf-8") as stream:
        source = stream.read()
    for old, new in FAULT:
        source = source.replace(old, new)
    module = types.ModuleType(name)
    exec(compile(source, name + ".py", "exec"), module.__dict__)
    return module


def fresh(*names):
    """The tools over a new scene, with these shapes as selected objects."""
    hou = hou_stub.make()
    sys.modules["hou"] = hou
    for module in ("rivulet_setups", "rivulet_tools"):
        sys.modules[module] = load(module)
    for name in names:
        thing = hou.obj.createNode("geo", name)
        inside = thing.createNode("null", "OUT")
        inside.shape, inside.shown = SHAPES[name], True
        hou.selection.append(thing)
    return hou, sys.modules["rivulet_tools"], sys.modules["rivulet_setups"]


def type_of(node):
    return node.type().nameComponents()[2]


def wire(node, index):
    source, output = node.inputs[index]
    assert output == 0
    return source


def wire_output(node, index):
    return node.inputs[index][1]


def fetched(node):
    return node.values["objpath1"]


def cooked(hou, wet, frames):
    """Strands, volume of the liquid, and the largest way of a strand's point, cooked by our own host."""
    with tempfile.TemporaryDirectory() as folder:
        scene, made = hou_stub.scene_of(hou, wet.parent, folder, (1, frames))
        first, last = made[wet.name].cook(1), made[wet.name].cook(frames)
        liquid = made[wet.name].output("liquid").cook(frames)
        volume = float(liquid.points["volume"].sum()) if len(liquid.points) else 0.0
        return len(last.prims), volume, float(abs(last.points["P"] - first.points["P"]).max()), "filmheight" in last.points


def wets_selected_hair():
    for names in (("hair", "pool"), ("pool", "hair")):
        hou, tools, _ = fresh(*names)
        wet = tools.wet_selected({})
        assert type_of(wet) == "wetsolver" and not hou.messages and wet.shown and hou.selection == [wet]
        pool = wire(wet, 1)
        assert fetched(wire(wet, 0)) == "/obj/hair/OUT" and type_of(pool) == "fill" and fetched(wire(pool, 0)) == "/obj/pool/OUT"
        assert 2 not in wet.inputs, "no mesh is left to collide"
        assert wet.values["walls"] and abs(wet.values["wallsmin"][1] + 0.07) < 1e-6 and wet.values["wallsmax"][1] > 1, wet.values
        # some 30,000 particles in the box of 64 ml
        assert abs(pool.values["particlesep"] - (6.4e-5 / 30000) ** (1 / 3)) < 1e-6, pool.values
    pool.values["particlesep"] = 0.005  # for the test's time
    count, volume, way, film = cooked(hou, wet, 4)
    # the box holds 64 ml, to the particle
    assert count == 12 and film and abs(volume - 6.4e-5) < 0.02 * 6.4e-5 and way > 1e-6, (count, volume, way)
    print("wet_selected: %d strands in %.1f ml, moved by up to %.3f mm" % (count, 1e6 * volume, 1e3 * way))


def skin_collides():
    hou, tools, _ = fresh("hair", "skin", "pool")
    wet = tools.wet_selected({})
    solids = wire(wet, 2)
    assert type_of(solids) == "collider" and fetched(wire(solids, 0)) == "/obj/skin/OUT" and fetched(wire(wire(wet, 1), 0)) == "/obj/pool/OUT"


def sops_can_be_selected():
    hou, tools, _ = fresh("hair", "pool")
    hou.selection[:] = [thing.children[0] for thing in hou.selection]
    assert fetched(wire(tools.wet_selected({}), 0)) == "/obj/hair/OUT"


def wets_by_particles():
    hou, tools, _ = fresh("hair", "drops")
    wet = tools.wet_by_particles({})
    assert wet.values == {"liquidmode": "cached"} and fetched(wire(wet, 1)) == "/obj/drops/OUT" and fetched(wire(wet, 0)) == "/obj/hair/OUT"
    count, volume, way, film = cooked(hou, wet, 4)
    # cached liquid pushes the hair and stays that of its own simulation
    assert count == 12 and film and volume < 1e-6 and way > 1e-6, (count, volume, way)


def simulates_dry_hair():
    hou, tools, _ = fresh("hair", "skin", "pool")
    dry = tools.simulate_selected({})
    assert type_of(dry) == "strandsolver" and type_of(wire(dry, 1)) == "collider"
    merged = wire(wire(dry, 1), 0)
    assert merged.kind.name == "merge" and sorted(fetched(wire(merged, k)) for k in (0, 1)) == ["/obj/pool/OUT", "/obj/skin/OUT"]


def says_what_is_missing():
    for names, tool, word in ((("hair",), "wet_selected", "no mesh"), (("pool",), "wet_selected", "no hair"), ((), "simulate_selected", "no hair"),
                              (("hair", "pool"), "wet_by_particles", "no particles")):
        hou, tools, _ = fresh(*names)
        assert getattr(tools, tool)({}) is None and len(hou.messages) == 1 and word in hou.messages[0], hou.messages
        assert len(hou.obj.children) == len(names), "nothing is made"
    hou, _, setups = fresh("pool")
    assert setups.example_of_selected({}) is None and "Select a node of Rivulet" in hou.messages[0]


def examples_become_networks():
    """Example of every type: nodes, wires, values and keys are those of the scene file; one of them is cooked both ways."""
    for row in rivulet.nodes.all():
        if row.type == "camera":
            continue
        hou, _, setups = fresh()
        made = setups.example(row.type)
        assert type_of(made) == row.type and made.shown, row.type
        for node in made.parent.children:
            for source, output in node.inputs.values():
                assert output < len(source.row.outputs) and ("solver" in source.row.flags or output == 0), (row.type, node.name)
        if row.type == "surface":
            assert wire_output(made, 0) == 2, "it draws the state"
    assert setups.OUTPUTS == {row.type: [port["name"] for port in row.outputs] for row in rivulet.nodes.all() if "solver" in row.flags}
    hou, _, setups = fresh()
    made = setups.example("deform")
    with tempfile.TemporaryDirectory() as folder:
        scene, nodes = hou_stub.scene_of(hou, made.parent, folder, (1, 12))
        mine = nodes["deform"].cook(12).points["P"]
    theirs = rivulet.Scene.load(os.path.join(TOP, "docs", "scenes", "nodes", "deform.json")).cook("deform", 12).points["P"]
    assert len(mine) and (mine == theirs).all(), "the network that was made is another"


def scripts_of_the_shelf_run():
    document = xml.dom.minidom.parse(os.path.join(TOP, "otls", "toolbar", "rivulet.shelf"))
    ran = 0
    for tool in document.getElementsByTagName("tool"):
        script = tool.getElementsByTagName("script")[0].firstChild.data
        if "rivulet_" not in script:
            continue
        hou, _, _ = fresh("hair", "pool", "drops")
        exec(script, {"kwargs": {}})
        assert len(hou.obj.children) == 4 or hou.messages, tool.getAttribute("name")
        ran += 1
    assert ran == 6, ran


# what is broken, and the test that must notice
FAULTS = ((('node.parm("xformtype").set(1)', 'node.parm("xformtype").set(0)'), wets_selected_hair),
          (("if not prim.isClosed()]", "if prim.isClosed()]"), wets_selected_hair),
          (("wallsmin=tuple(low)", "wallsmin=tuple(high)"), wets_selected_hair),
          (("if skin.holds(roots) < 0.5:", "if skin.holds(roots) < 2:"), skin_collides),
          (("max(meshes, key=", "min(meshes, key="), skin_collides),
          (('liquidmode="cached"', 'liquidmode="coupled"'), wets_by_particles),
          (("wire(merge, made)", "wire(merge, made[:1])"), simulates_dry_hair),
          (("node.setInput(index, source)\n", "node.setInput(0, source)\n"), wets_selected_hair),
          (("    if missing:", "    if False:"), says_what_is_missing),
          (('.index(port) if port else 0', '.index(port) * 0 if port else 0'), examples_become_networks),
          (("key.setValue(number)", "key.setValue(0)"), examples_become_networks),
          (("def wet_by_particles(", "def wet_by_points("), scripts_of_the_shelf_run))

FAULT = []
SHAPES = shapes()
for test in (wets_selected_hair, skin_collides, sops_can_be_selected, wets_by_particles, simulates_dry_hair, says_what_is_missing,
             examples_become_networks, scripts_of_the_shelf_run):
    test()
    print("ok: " + test.__name__, flush=True)
sources = "".join(open(os.path.join(TOP, "otls", "python", name), encoding="utf-8").read() for name in ("rivulet_tools.py", "rivulet_setups.py"))
for fault, test in FAULTS:
    assert sources.count(fault[0]) == 1, fault
    FAULT[:] = [fault]
    try:
        test()
    except Exception:  # whatever the broken tool leads to
        print("ok: %s notices %s" % (test.__name__, fault[1]), flush=True)
    else:
        sys.exit("FAILED: %s does not notice %s" % (test.__name__, fault[1]))
