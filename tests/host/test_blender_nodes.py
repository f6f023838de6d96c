"""The node graph in Blender, headless: nodes and sockets from the table, export, bake, scrub, cancel, errors, keys, caches that
stay, small numbers, hidden inputs, and a Cycles render with hair and water. Each check is tried with a fault as well.

Outside of Blender this packs the add-on and starts Blender. Skipped where there is no Blender.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["RV_SOURCE_DIR"], "tests", "support"))
import blender_run  # noqa: E402

DONE = "graph: all is well"
FRAMES = (1, 4)


#------------------------------------------------------------------------------------------------ helpers

def notices(check, *patch):
    """The check must fail with the fault."""
    from blender_picture import patched
    with patched(*patch):
        try:
            check()
        except AssertionError as reason:
            print("graph: %s notices a broken %s: %s" % (check.__name__, patch[1], str(reason)[:80]))
            return
    raise SystemExit("%s does not notice a broken %s" % (check.__name__, patch[1]))


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


def fails(call, words):
    """An operator is refused with these words."""
    try:
        call()
    except RuntimeError as reason:
        assert words in str(reason), reason
        return
    raise AssertionError("not refused: " + words)


def shot_paths(folder):
    return [os.path.join(folder, name % frame) for name in ("strands.%04d.bgeo.sc", "water.%04d.vdb")
            for frame in range(FRAMES[0], FRAMES[1] + 1)]


class Case:
    """The scene and what its checks share."""

    def __init__(self, home):
        import bpy

        import blender_graph
        self.bpy, self.home, self.scene = bpy, home, bpy.context.scene
        self.tree, self.nodes = blender_graph.wet_ball(FRAMES)
        self.folder = os.path.join(home, "cache")
        self.tree.rivulet.folder = self.folder

    def bake(self, **words):
        return self.bpy.ops.rivulet.graph_bake(tree=self.tree.name, **words)

    def export(self, name):
        """The scene file of the graph, as JSON."""
        folder = os.path.join(self.home, name)
        assert self.bpy.ops.rivulet.graph_export(tree=self.tree.name, directory=folder) == {"FINISHED"}
        return folder, json.loads(read(os.path.join(folder, "scene.json")))


#------------------------------------------------------------------------------------------------ nodes

def check_table():
    """Every node type has its class, sockets and properties with the table's defaults; presets set their values."""
    import bpy

    import rivulet
    from rivulet_blender.graph import node_types, schema
    tree, seen = bpy.data.node_groups.new("Table", "RivuletTree"), 0
    for row in schema.types():
        node = tree.nodes.new(node_types.identifier(row.type))
        assert [socket.identifier for socket in node.inputs] == [port["name"] for port in row.inputs], row.type
        assert [socket.name for socket in node.outputs] == [port["label"] for port in row.outputs], row.type
        for parm in row.parms:
            if parm["type"] != "button":
                assert schema.is_default(parm, node.parameter(parm["token"])), (row.type, parm["token"], node.parameter(parm["token"]))
                seen += 1
    solver = tree.nodes.new("RivuletNode_wetsolver")
    solver.p_substeps = -5
    assert solver.p_substeps == 1, "a hard limit does not hold"
    assert bpy.ops.rivulet.node_preset(tree=tree.name, node=solver.name, preset="honey") == {"FINISHED"}
    for token, value in next(one for one in rivulet.nodes.find("wetsolver").presets if one["token"] == "honey")["values"].items():
        assert schema.same(solver.parameter(token), value), token
    bpy.data.node_groups.remove(tree)
    print("graph: %d properties as in the table" % seen)


def check_small_numbers(case):
    """A number that its field would show as zero has a text of its own."""
    from rivulet import nodes
    wet, row = case.nodes["Wet Solver"], nodes.find("wetsolver")
    wet.p_dragtangent, wet.p_hairradius, wet.p_dragnormal = 2.5e-7, 1.5e-8, 5e-5
    try:
        assert wet.readout(row.parm("dragtangent")) == "= 2.5e-07 kg/(m s)", wet.readout(row.parm("dragtangent"))
        # the hard limit of the radius is 1e-7
        assert wet.readout(row.parm("hairradius")) == "= 1e-07 m", wet.readout(row.parm("hairradius"))
        assert wet.readout(row.parm("dragnormal")) == ""
        assert wet.bl_rna.properties["p_dragnormal"].precision == 6, "5e-05 is shown as 0.000"
        assert case.scene.rivulet.wetsolver.bl_rna.properties["dragnormal"].precision == 6
    finally:
        for token in ("p_dragtangent", "p_hairradius", "p_dragnormal"):
            wet.property_unset(token)


def check_wires(case):
    """A wire that brings the wrong kind of geometry is drawn as invalid, and the bake says so on the node."""
    from rivulet_blender.graph import tree as trees
    link = case.tree.links.new(case.nodes["Fill"].outputs[0], case.nodes["Guides"].inputs[0])
    trees.check_wires()
    assert not link.is_valid, "particles as strands look right"
    fails(case.bake, "takes curves")
    assert "takes curves" in case.nodes["Guides"].fault and case.nodes["Guides"].use_custom_color
    good = case.tree.links.new(case.nodes["Groom"].outputs[0], case.nodes["Guides"].inputs[0])
    trees.check_wires()
    assert good.is_valid


#------------------------------------------------------------------------------------------------ export

def by_hand():
    """The scene of the graph as somebody would write it."""
    return {"rivulet": 1, "fps": 24, "frames": list(FRAMES), "nodes": {
        "head": {"type": "file", "parms": {"file": "$HIP/in/Head.bgeo.sc"}},
        "bucket": {"type": "file", "parms": {"file": "$HIP/in/Bucket.bgeo.sc"}},
        "ground": {"type": "file", "parms": {"file": "$HIP/in/Ground.bgeo.sc"}},
        "hair": {"type": "groom", "inputs": ["head"], "parms": {"count": 120, "length": 0.05, "points": 8, "radius": 2e-4}},
        "water": {"type": "fill", "inputs": ["bucket"], "parms": {"particlesep": 0.012}},
        "solids": {"type": "merge", "inputs": ["head", "ground"]},
        "guides": {"type": "guides", "inputs": ["hair"], "parms": {"step": 4}},
        "body": {"type": "collider", "inputs": ["solids"], "parms": {"voxelsize": 0.006}},
        "wet": {"type": "wetsolver", "inputs": ["guides", "water", "body"], "parms": {"substeps": 2, "particlesep": 0.012}},
        "all": {"type": "transfer", "inputs": ["hair", "guides", "wet"]},
        "skin": {"type": "surface", "inputs": ["wet:state"]},
        "a": {"type": "filecache", "inputs": ["all"], "parms": {"file": "$OUT/strands.$F4.bgeo.sc"}},
        "b": {"type": "filecache", "inputs": ["skin"], "parms": {"file": "$OUT/water.$F4.vdb"}}}}


def hashes(folder, scene):
    out = os.path.join(folder, "out_" + scene)
    report = os.path.join(folder, scene + ".jsonl")
    subprocess.run([os.environ["RV_PROGRAM"], "cook", os.path.join(folder, scene), "--out", out, "--report", report, "--quiet"],
                   check=True)
    with open(report, encoding="utf-8") as stream:
        return out, [json.loads(line)["hash"] for line in stream]


def check_export(case):
    """The exported scene cooks to the hashes of the same scene written by hand, and to the bits of the bake."""
    folder, data = case.export("exported")
    # objects that stand still are one file, so that their nodes cook once
    assert data["nodes"]["Head"]["parms"]["file"] == "$HIP/in/Head.bgeo.sc", data["nodes"]["Head"]
    assert sorted(os.listdir(os.path.join(folder, "in"))) == ["Bucket.bgeo.sc", "Ground.bgeo.sc", "Head.bgeo.sc"]
    with open(os.path.join(folder, "hand.json"), "w", encoding="utf-8") as stream:
        json.dump(by_hand(), stream)
    out, mine = hashes(folder, "scene.json")
    _, hand = hashes(folder, "hand.json")
    assert mine == hand and len(set(mine)) == FRAMES[1], (mine, hand)
    for path in shot_paths(case.folder):
        assert read(path) == read(os.path.join(out, os.path.basename(path))), "the bake has other bits: " + path
    print("graph: %d frames with the hashes of the scene by hand" % len(mine))


def check_keys(case):
    """Keyed numbers, vectors, toggles and menus are exported; the node shows the value of the frame."""
    wet = case.nodes["Wet Solver"]
    for frame, value in ((1, 0.0), (4, 1.2)):
        wet.p_gravity[0] = value
        wet.keyframe_insert("p_gravity", index=0, frame=frame)
    for frame, value in ((1, False), (3, True)):
        wet.p_walls = value
        wet.keyframe_insert("p_walls", frame=frame)
    for frame, value in ((1, "simulate"), (4, "animated")):
        wet.p_hairmode = value
        wet.keyframe_insert("p_hairmode", frame=frame)
    curves = case.tree.animation_data.action.fcurves
    for point in curves.find('nodes["Wet Solver"].p_gravity', index=0).keyframe_points:
        point.interpolation = "LINEAR"
    try:
        _, data = case.export("keyed")
        parms = data["nodes"]["Wet_Solver"]["parms"]
        assert isinstance(parms.get("gravity"), list) and isinstance(parms["gravity"][0], dict), "keys are not exported: %s" % parms
        assert parms["gravity"][0] == {"keys": [[1, 0], [4, 1.2]], "interp": "linear", "extend": "hold"}, parms["gravity"]
        assert parms["gravity"][1:] == [-9.81, 0], parms["gravity"]
        assert parms["walls"]["keys"] == [[1, 0], [3, 1]] and parms["walls"]["interp"] == "constant", parms["walls"]
        assert parms["hairmode"]["keys"][-1] == [4, 1] and parms["hairmode"]["interp"] == "constant", parms["hairmode"]
        # a Bezier curve is sampled, and close to Blender's
        for point in curves.find('nodes["Wet Solver"].p_gravity', index=0).keyframe_points:
            point.interpolation = "BEZIER"
        made = case.export("bezier")[1]["nodes"]["Wet_Solver"]["parms"]["gravity"][0]
        curve = curves.find('nodes["Wet Solver"].p_gravity', index=0)
        assert len(made["keys"]) > 4 and all(abs(value - curve.evaluate(frame)) < 2e-3 for frame, value in made["keys"]), made
        case.scene.frame_set(4)
        assert abs(wet.p_gravity[0] - 1.2) < 1e-6 and wet.p_walls and wet.p_hairmode == "animated"
        case.scene.frame_set(1)
        assert wet.p_gravity[0] == 0 and not wet.p_walls and wet.p_hairmode == "simulate", "the node does not show its keys"
    finally:
        case.tree.animation_data_clear()
        for token in ("p_gravity", "p_walls", "p_hairmode"):
            wet.property_unset(token)


def check_driver(case):
    """A driver is refused on its node: it would be baked as if it stood still."""
    case.nodes["Groom"].driver_add("p_length").driver.expression = "0.1"
    try:
        fails(lambda: case.export("driven"), "the driver of length")
        assert "driver" in case.nodes["Groom"].fault
    finally:
        case.nodes["Groom"].driver_remove("p_length")
        case.nodes["Groom"].property_unset("p_length")
        case.nodes["Groom"].p_length = 0.05


#------------------------------------------------------------------------------------------------ bakes

def check_bake(case):
    assert case.bake() == {"FINISHED"}, case.tree.rivulet.status
    assert case.tree.rivulet.status == "Baked frames 1 to 4" and not case.tree.rivulet.running
    for path in shot_paths(case.folder):
        assert os.path.getsize(path) > 100, path
    assert not any(node.fault for node in case.tree.nodes if hasattr(node, "fault"))


def check_scrub(case):
    """Each frame shows its own strands and its own water, as a mesh; a frame that is not baked shows the inputs."""
    import numpy

    import rivulet
    for frame in (4, 1, 3):
        case.scene.frame_set(frame)
        thing = case.bpy.data.objects["Wet Ball Strands"]
        shown = numpy.empty(3 * len(thing.data.points), "f4")
        thing.data.attributes["position"].data.foreach_get("vector", shown)
        want = rivulet.Detail.load(os.path.join(case.folder, "strands.%04d.bgeo.sc" % frame))
        assert (shown.reshape(-1, 3) == want.points["P"]).all() and len(want.prims) == 120, "frame %d is not shown" % frame
        water = case.bpy.data.objects["Wet Ball Water"]
        assert len(water.data.polygons) > 100 and not water.modifiers and not water.hide_render
        assert water.data.materials[0].name == "Rivulet Water"
    case.scene.frame_set(30)
    assert case.bpy.data.objects["Wet Ball Water"].hide_render and case.bpy.data.objects["Wet Ball Strands"].hide_viewport
    case.scene.frame_set(4)


def check_hidden(case):
    """Results replace the block of water; ball and floor stay. At frames without results the block is back."""
    block, ball, slab = (case.bpy.data.objects[name] for name in ("Block", "Ball", "Slab"))
    case.scene.frame_set(4)
    assert block.hide_render and block.hide_viewport, "the block of water is shown beside the water"
    assert not ball.hide_render and not slab.hide_render and not ball.hide_viewport
    case.scene.frame_set(30)
    assert not block.hide_render and not block.hide_viewport, "the block does not come back"
    case.scene.frame_set(4)
    case.tree.rivulet.show = False
    assert not block.hide_render and case.bpy.data.objects["Wet Ball Water"].hide_render
    case.tree.rivulet.show = True
    case.nodes["Bucket"].hiding = "NEVER"
    case.scene.frame_set(4)
    assert not block.hide_render
    case.nodes["Bucket"].hiding = "AUTO"
    case.scene.frame_set(4)
    assert block.hide_render, "the block is not hidden again"


def check_refusal(case):
    """A finished bake of other values stays; the same values are not baked again."""
    before = [read(path) for path in shot_paths(case.folder)]
    assert case.bake() == {"FINISHED"} and case.tree.rivulet.status == "The cache is up to date", case.tree.rivulet.status
    case.nodes["Groom"].p_length = 0.04
    try:
        refused = False
        try:
            case.bake()
        except RuntimeError as reason:
            refused = "holds a finished bake" in str(reason)
        assert [read(path) for path in shot_paths(case.folder)] == before, "a finished bake was replaced unasked"
        assert refused
        # an error in a replacement that was asked for leaves it as well
        case.nodes["Fill"].p_particlesep = 0
        fails(lambda: case.bake(replace=True), "Fill: ")
        assert [read(path) for path in shot_paths(case.folder)] == before
    finally:
        case.nodes["Groom"].p_length, case.nodes["Fill"].p_particlesep = 0.05, 0.012


def check_error(case):
    """An error of the host stands on the node that has it, and goes away with the next bake."""
    folder = case.tree.rivulet.folder
    case.tree.rivulet.folder = os.path.join(case.home, "error")
    case.nodes["Fill"].p_particlesep = 0
    try:
        fails(case.bake, "particlesep")
        marked = [node.name for node in case.tree.nodes if getattr(node, "fault", "")]
        assert marked == ["Fill"] and "particlesep" in case.nodes["Fill"].fault, marked
        case.nodes["Fill"].p_particlesep = 0.012
        case.nodes["Head"].object = None
        fails(case.bake, "choose a mesh object")
        marked = [node.name for node in case.tree.nodes if getattr(node, "fault", "")]
        assert marked == ["Head"], marked
    finally:
        case.nodes["Fill"].p_particlesep = 0.012
        case.nodes["Head"].object = case.bpy.data.objects["Ball"]
        case.tree.rivulet.folder = folder


def check_cancel(case):
    """A cancelled bake leaves whole files, is not taken for a finished one, and goes on to the same bits."""
    import rivulet
    from rivulet_blender import baking
    from rivulet_blender.graph import bake, cache
    folder = case.tree.rivulet.folder
    case.tree.rivulet.folder = os.path.join(case.home, "cancelled")
    work = cache.part(case.tree.rivulet.folder)
    made = baking.prepare(bake.GraphTarget(case.tree, case.scene))
    made.job.start()
    while made.job.running() and not os.path.exists(os.path.join(work, "strands.0001.bgeo.sc")):
        pass
    made.job.stop()
    made.job.wait()
    level, text = baking.finish(made)
    assert level == "WARNING" and "goes on" in text and not os.path.exists(case.tree.rivulet.folder), text
    left = [name for name in os.listdir(work) if name.startswith("strands") and name.endswith(".sc")]
    assert 1 <= len(left) < FRAMES[1], left
    for name in left:
        rivulet.Detail.load(os.path.join(work, name)).check()
    # what is there is shown meanwhile
    case.scene.frame_set(1)
    assert not case.bpy.data.objects["Wet Ball Strands"].hide_render
    assert case.bake() == {"FINISHED"}, case.tree.rivulet.status
    for path in shot_paths(case.tree.rivulet.folder):
        assert read(path) == read(os.path.join(case.folder, os.path.basename(path))), "the bake went on to other bits"
    # a file that was saved during a bake does not say for ever that one is running
    case.tree.rivulet.running = True
    assert case.bpy.ops.rivulet.graph_cancel(tree=case.tree.name) == {"FINISHED"} and not case.tree.rivulet.running
    case.tree.rivulet.folder = folder
    print("graph: cancelled after %d of %d frames, and went on to the same bits" % (len(left), FRAMES[1]))


#------------------------------------------------------------------------------------------------ objects

def check_objects(case):
    """Hair curves, curve objects, vertex groups and moving meshes reach the files."""
    import numpy

    import rivulet
    from rivulet_blender import bring
    bpy, tree = case.bpy, bpy_tree("Objects")
    hair = bring._new_hair("Guide Hair", [4, 4])
    hair.data.attributes["position"].data.foreach_set("vector", numpy.arange(24, dtype="f4") * 0.01)
    old = bpy.data.curves.new("Old", "CURVE")
    old.dimensions = "3D"
    for start in (0.0, 0.2):
        spline = old.splines.new("POLY")
        spline.points.add(2)
        for k, point in enumerate(spline.points):
            point.co = (start, 0, -0.02 * k, 1)
    legacy = bpy.data.objects.new("Old", old)
    case.scene.collection.objects.link(legacy)
    ball = case.bpy.data.objects["Ball"]
    group = ball.vertex_groups.new(name="density")
    group.add([0, 1], 0.5, "REPLACE")
    ball.keyframe_insert("location", frame=1)
    ball.location.x += 0.1
    ball.keyframe_insert("location", frame=4)
    one, two, mesh = (tree.nodes.new(name) for name in ("RivuletNodeCurves", "RivuletNodeCurves", "RivuletNodeMesh"))
    one.object, two.object, mesh.object = hair, legacy, ball
    both, grow, out = (tree.nodes.new("RivuletNode" + name) for name in ("_merge", "_groom", "Output"))
    link = tree.links.new
    link(one.outputs[0], both.inputs[0])
    link(two.outputs[0], both.inputs[1])
    link(mesh.outputs[0], grow.inputs[0])
    link(grow.outputs[0], both.inputs[2])
    link(both.outputs[0], out.inputs[0])
    folder = os.path.join(case.home, "objects")
    assert bpy.ops.rivulet.graph_export(tree=tree.name, directory=folder) == {"FINISHED"}
    load = rivulet.Detail.load
    names = sorted(os.listdir(os.path.join(folder, "in")))
    assert "Mesh_Object.1.bgeo.sc" in names and "Mesh_Object.5.bgeo.sc" in names and "Curves_Object.bgeo.sc" in names, names
    assert len(load(os.path.join(folder, "in", "Curves_Object.bgeo.sc")).prims) == 2
    lines = load(os.path.join(folder, "in", "Curves_Object_001.bgeo.sc"))
    assert len(lines.prims) == 2 and len(lines.points) == 6 and lines.prim_type(0) == "curve"
    first, last = (load(os.path.join(folder, "in", "Mesh_Object.%d.bgeo.sc" % frame)) for frame in (1, 4))
    assert abs((last.points["P"] - first.points["P"]).mean(0) - [0.1, 0, 0]).max() < 1e-6, "the motion is lost"
    assert abs(first.points["density"].max() - 0.5) < 1e-6 and (first.points["density"] > 0).sum() == 2
    mesh.motion = "START"
    assert bpy.ops.rivulet.graph_export(tree=tree.name, directory=folder + "2") == {"FINISHED"}
    assert "Mesh_Object.bgeo.sc" in os.listdir(os.path.join(folder + "2", "in"))
    ball.animation_data_clear()
    ball.location.x = 0
    ball.vertex_groups.remove(group)
    for thing in (hair, legacy):
        bpy.data.objects.remove(thing)
    bpy.data.node_groups.remove(tree)


def bpy_tree(name):
    import bpy
    return bpy.data.node_groups.new(name, "RivuletTree")


def check_units(case):
    """In centimetres a new node shows lengths in these, and what is untouched stays the host's default."""
    settings, tree = case.scene.unit_settings, bpy_tree("Centimetres")
    settings.scale_length = 0.01
    try:
        from rivulet_blender.graph import reader
        groom, out = tree.nodes.new("RivuletNode_groom"), tree.nodes.new("RivuletNodeOutput")
        tree.links.new(groom.outputs[0], out.inputs[0])
        assert abs(groom.p_length - 10) < 1e-5 and abs(groom.p_radius - 4e-3) < 1e-8, (groom.p_length, groom.p_radius)
        data = reader.scene_of(tree, case.scene).data
        assert data["metersperunit"] == 0.01 and "parms" not in data["nodes"]["Groom"], data
    finally:
        settings.scale_length = 1.0
        case.bpy.data.node_groups.remove(tree)


def check_example(case):
    """The graph to start from bakes, coarsely, and says when the .blend file must be saved first."""
    from rivulet_blender.graph import example
    tree, last = example.make(), case.scene.frame_end
    case.scene.frame_end = 2
    fails(lambda: case.bpy.ops.rivulet.graph_bake(tree=tree.name), "save the .blend file first")
    tree.rivulet.folder, tree.rivulet.preview = os.path.join(case.home, "example"), 16
    assert case.bpy.ops.rivulet.graph_bake(tree=tree.name) == {"FINISHED"}, tree.rivulet.status
    names = os.listdir(tree.rivulet.folder)
    assert {"strands.0002.bgeo.sc", "water.0002.vdb", "mesh.0002.bgeo.sc"} <= set(names), names
    case.scene.frame_set(2)
    assert len(case.bpy.data.objects["Wet Hair Mesh"].data.polygons) > 500
    for label in ("Strands", "Water", "Mesh"):
        thing = case.bpy.data.objects.get("Wet Hair " + label)
        if thing is not None:
            case.bpy.data.objects.remove(thing)
    case.bpy.data.node_groups.remove(tree)
    case.scene.frame_end = last


def check_saved(case):
    """The graph survives in a .blend file, and its results show after loading."""
    bpy, path = case.bpy, os.path.join(case.home, "shot.blend")
    case.nodes["Groom"].folder = "1"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not bpy.data.node_groups
    bpy.ops.wm.open_mainfile(filepath=path)
    tree = bpy.data.node_groups["Wet Ball"]
    assert tree.nodes["Groom"].p_count == 120 and len(tree.links) == 15 and tree.nodes["Head"].object.name == "Ball", len(tree.links)
    bpy.context.scene.frame_set(2)
    assert not bpy.data.objects["Wet Ball Water"].hide_render and bpy.data.objects["Block"].hide_render
    case.scene, case.tree = bpy.context.scene, tree
    case.nodes = {node.name: node for node in tree.nodes}


#------------------------------------------------------------------------------------------------ render

def check_render(case, picture):
    """Hair and water are where they should be, the water is clear, and no block of water stands in the way."""
    case.scene.frame_set(4)
    seen = picture.take()
    dry, bald = picture.without("Wet Ball Water"), picture.without("Wet Ball Strands")
    # pixels without a difference have the same random numbers, so they are equal
    water, hair = abs(seen - dry).max(2) > 0.02, abs(seen - bald).max(2) > 0.02
    # 4.7 mm a pixel: the ball is at rows 42 to 63 and columns 37 to 59; hair reaches 5 cm from it, water falls on it
    print("graph: %.2f of the ball's upper half is water, %.2f of its surroundings hair" % (
        water[42:54, 37:59].mean(), hair[36:72, 28:68].mean()))
    assert water[42:54, 37:59].mean() > 0.3, "there is no water on the ball"
    assert hair[36:72, 28:68].mean() > 0.15, "there is no hair around the ball"
    assert water[:24].mean() < 0.01 and hair[:24].mean() < 0.01, "something is where nothing should be"
    # clear water lets the grey of ball and world through; particles as balls would be blue
    tint = (seen - dry)[water]
    blue = float((tint[:, 2] - tint[:, 0]).mean())
    print("graph: %d pixels of water, %d of hair, blue by %.3f" % (water.sum(), hair.sum(), blue))
    assert abs(blue) < 0.04, "the water is blue"
    # nothing but the world, as at the side, is where the block that was filled stood
    assert abs(seen[26:36, 42:54] - seen[26:36, 4:16]).max() < 0.05, "the block of water is rendered"


#------------------------------------------------------------------------------------------------ all

def inside():
    home = blender_run.install()
    import blender_picture
    from rivulet_blender import bring, hiding, materials
    from rivulet_blender.graph import bake, cache, node_types, numbers, reader, results
    check_table()
    case = Case(home)

    def of(check, *more):
        def run():
            check(case, *more)
        run.__name__ = check.__name__
        return run
    check_small_numbers(case)
    notices(of(check_small_numbers), numbers, "readable", lambda value, places: True)
    check_bake(case)
    check_export(case)
    check_scrub(case)
    check_hidden(case)
    notices(of(check_hidden), hiding, "hide", lambda thing: None)
    case.scene.frame_set(4)
    check_refusal(case)
    check_wires(case)
    check_error(case)
    notices(of(check_error), bake.GraphTarget, "mark", lambda self, text: text)
    check_keys(case)
    notices(of(check_keys), reader, "fcurves_of", lambda data: {})
    check_driver(case)
    check_cancel(case)
    check_objects(case)
    check_units(case)
    check_example(case)
    check_saved(case)
    picture = blender_picture.Picture(case.scene, case.home)
    check_render(case, picture)
    notices(of(check_render, picture), results, "SHOW", dict(results.SHOW, water=blue_balls(bring, materials)))
    bring.remove("Wet Ball Water")  # it still has the modifier of the balls
    notices(of(check_render, picture), hiding, "hide", lambda thing: hiding.restore(thing))
    notices(of(check_refusal), cache, "plan", lambda folder, key, replace=False: cache.NEW)
    case.bpy.ops.preferences.addon_disable(module="rivulet_blender")
    assert not hasattr(case.bpy.types.Scene, "rivulet") and not hasattr(case.bpy.types, node_types.identifier("groom"))
    print(DONE)


def blue_balls(bring, materials):
    """A fault: the liquid as particles of a blue material."""
    import bpy
    import rivulet

    def show(tree, detail):
        bring.remove("Wet Ball Water")
        made = rivulet.Detail()
        made.add_points(detail.grids()["surface"].mesh()[0])
        bring.particles(made, "Wet Ball Water", materials.skin("Blue", (0.35, 0.65, 0.85)))
        return bpy.data.objects["Wet Ball Water"]
    return show


if __name__ == "__main__":
    try:
        import bpy  # noqa: F401
    except ImportError:
        sys.exit(blender_run.start(os.path.abspath(__file__), DONE))
    inside()
