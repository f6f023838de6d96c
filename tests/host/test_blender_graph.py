"""The node graph of the Blender add-on without Blender: sockets and fields from the node table, the scene file that a graph
becomes, keys, small numbers, messages and the nodes they are about, cache folders and the background cook."""
import json
import math
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["RV_SOURCE_DIR"], "tests", "support"))
from package import BUILD, TOP  # noqa: E402

os.environ.setdefault("RIVULET", os.path.join(BUILD, "rivulet"))
import rivulet  # noqa: E402
from rivulet_blender.graph import cache, cook, faults, keys, numbers, scenefile, schema  # noqa: E402

Record, Fault = scenefile.Record, scenefile.Fault
TABLE, INPUT, OUTPUT, REROUTE = scenefile.TABLE, scenefile.INPUT, scenefile.OUTPUT, scenefile.REROUTE


def refused(call, node, words):
    """The call raises a Fault of that node with these words."""
    try:
        call()
    except Fault as fault:
        assert fault.node == node and words in str(fault), (fault.node, str(fault))
        return
    raise AssertionError("nothing was refused: " + words)


#------------------------------------------------------------------------------------------------ the table

def kinds_in(detail):
    """Kinds of geometry that a detail has."""
    found = {{"curve": "curves", "polygon": "faces", "vdb": "vdbs"}.get(detail.prim_type(k), "faces")
             for k in range(len(detail.prims))}
    used = {int(corner) for corner in detail.corners} if len(detail.prims) else set()
    return found | ({"points"} if len(detail.points) > len(used) + (1 if "vdbs" in found else 0) else set())


def check_sockets():
    """Every type is in the menu, and every output brings what its socket says, in the example of its node."""
    listed = [row.type for _, rows in schema.menus() for row in rows]
    assert sorted(listed) == sorted(row.type for row in schema.types()) and len(set(listed)) == len(listed)
    assert not {"light", "camera"} & set(listed) and {"groom", "guides", "wetsolver", "transfer", "surface", "source"} <= set(listed)
    seen = 0
    for row in schema.types():
        path = os.path.join(TOP, "docs", "scenes", "nodes", row.type + ".json")
        if not os.path.exists(path):
            continue
        scene = rivulet.Scene.load(path)
        node = next(one for one in scene.nodes() if one.type == row.type)
        for index, port in enumerate(row.outputs):
            claimed, real = schema.KINDS[schema.output_socket(row, port)], kinds_in(node.output(index).cook(scene.frames[0]))
            assert not claimed or real <= claimed, "%s:%s is a socket for %s, and brings %s" % (row.type, port["name"], claimed, real)
            seen += bool(real)
    solver = rivulet.nodes.find("wetsolver")
    sockets = [schema.input_socket(port) for port in solver.inputs]
    assert sockets == ["strands", "liquid", "collider", "source", "vdb"], sockets
    assert [schema.output_socket(solver, port) for port in solver.outputs] == ["strands", "liquid", "state"]
    print("%d outputs of %d node types bring what their sockets say" % (seen, len(listed)))


def check_conditions():
    """Folders show the table's parameters: hidden, greyed out, simple and advanced."""
    solver = rivulet.nodes.find("wetsolver")
    every = {parm["token"] for folder in schema.folders(solver) for parm, _ in schema.shown(solver, folder, True, {}, [])}
    simple = {parm["token"] for folder in schema.folders(solver) for parm, _ in schema.shown(solver, folder, False, {}, [])}
    assert simple < every and "integrator" in every and "integrator" not in simple

    def enabled(token, **values):
        return dict((parm["token"], on) for folder in schema.folders(solver)
                    for parm, on in schema.shown(solver, folder, True, values, [])).get(token)
    assert enabled("wallsmin") is False and enabled("wallsmin", walls=True) is True and enabled("niter", hairmode="animated") is None
    groom = rivulet.nodes.find("groom")

    def has(token, wired):
        return any(parm["token"] == token for folder in schema.folders(groom) for parm, _ in schema.shown(groom, folder, True, {}, wired))
    assert has("layout", []) and not has("layout", [True]) and has("group", [True])
    assert "kg/(m s)" in schema.tooltip(solver.parm("filmviscosity"))
    assert schema.default(groom.parm("length"), 0.01) == 10 and schema.is_default(groom.parm("length"), numbers.single(10), 0.01)


#------------------------------------------------------------------------------------------------ numbers

def check_numbers():
    assert numbers.typed(numbers.single(0.1)) == 0.1 and numbers.typed(numbers.single(5e-5)) == 5e-5
    assert numbers.typed(numbers.single(1e-7)) == 1e-7 and numbers.typed(3.0) == 3 and numbers.typed(-0.25) == -0.25
    # 4e-05 has six decimals and is read; smaller numbers get a text of their own
    radius = rivulet.nodes.find("groom").parm("radius")
    assert numbers.decimals(radius) == 6 and numbers.readable(4e-5, 6) and not numbers.readable(5e-5, 4)
    assert not numbers.readable(2.5e-7, 6) and numbers.readable(0, 6) and numbers.readable(1e-6, 6)
    assert numbers.text([2.5e-7], "kg1m-1s-1") == "2.5e-07 kg/(m s)" and numbers.units("m-2") == "1/m2" and numbers.units("m1s-2") == "m/s2"
    # no default of the table is shown as zero
    for row in schema.types():
        for parm in row.parms:
            values = parm.get("default") if isinstance(parm.get("default"), list) else [parm.get("default")]
            if parm["type"] == "float":
                assert all(numbers.readable(value, numbers.decimals(parm)) or schema.readout(parm, value) for value in values), (
                    row.type, parm["token"], values)
                assert all(float("%.*f" % (numbers.decimals(parm), value)) or not value for value in values), (row.type, parm["token"])
    assert schema.readout(rivulet.nodes.find("wetsolver").parm("youngs"), 3.9e9) == "= 3.9e+09 kg/(m s2)"


#------------------------------------------------------------------------------------------------ keys

def value_at(made, frame):
    """The host's value of keys: those of a transform that moves a point."""
    scene = rivulet.Scene.parse({"rivulet": 1, "nodes": {
        "line": {"type": "curve", "parms": {"dir": [0, 1, 0], "dist": 1}},
        "move": {"type": "transform", "inputs": ["line"], "parms": {"tx": made}}}})
    return float(scene.cook("move", frame).points["P"][0][0])


def check_keys():
    stepped = keys.keys(keys.Curve([(1, 0.0, "CONSTANT"), (5, 2.0, "CONSTANT")], None), 1, 10)
    assert stepped == {"keys": [[1, 0], [5, 2]], "interp": "constant", "extend": "hold"}, stepped
    straight = keys.keys(keys.Curve([(1, 0.0, "LINEAR"), (5, 2.0, "BEZIER")], None, "LINEAR"), 1, 10)
    assert straight == {"keys": [[1, 0], [5, 2]], "interp": "linear", "extend": "linear"}, straight
    assert abs(value_at(straight, 7) - 3) < 1e-6 and abs(value_at(stepped, 4.5)) < 1e-6

    # an S-curve, which straight lines must follow between frames too
    def ease(frame):
        t = min(max((frame - 2) / 6, 0), 1)
        return 0.5 * t * t * (3 - 2 * t)
    curve = keys.keys(keys.Curve([(2, 0.0, "BEZIER"), (8, 0.5, "BEZIER")], ease), 1, 10)
    errors = [abs(value_at(curve, 1 + k * 0.13) - ease(1 + k * 0.13)) for k in range(70)]
    # one thousandth of the range for the chords, a quarter of that for left-out samples
    assert max(errors) < 1.25e-3 * 0.5, max(errors)
    assert len(curve["keys"]) < 60, len(curve["keys"])
    wave = keys.keys(keys.Curve([(1, 0.0, "LINEAR"), (3, 1.0, "LINEAR")], lambda frame: math.sin(frame), modified=True), 1, 6)
    assert abs(value_at(wave, 5.5) - math.sin(5.5)) < 3e-3
    print("keys: S-curve with %d keys, error %.1e of its range" % (len(curve["keys"]), max(errors) / 0.5))


#------------------------------------------------------------------------------------------------ the scene file

def graph(**changed):
    """Records of a small wet graph: object, groom, guides, solver, transfer and surface."""
    made = {
        "Head": Record("Head", INPUT, "mesh", moving=False),
        "Hair": Record("Hair", TABLE, "groom", [("Head", 0)], {"count": 40, "length": 0.05, "points": 6}),
        "Guides": Record("Guides", TABLE, "guides", [("Hair", 0)]),
        "Pool": Record("Pool", TABLE, "fill", [], {"size": [0.04, 0.04, 0.04], "t": [0, 0.07, 0], "particlesep": 0.01}),
        "Body": Record("Body", TABLE, "collider", [("Head", 0)]),
        "Wet Solver": Record("Wet Solver", TABLE, "wetsolver", [("Guides", 0), ("Pool", 0), ("Body", 0)], {"substeps": 2}),
        "Dot": Record("Dot", REROUTE, wires=[("Wet Solver", 0)]),
        "All": Record("All", TABLE, "transfer", [("Hair", 0), ("Guides", 0), ("Dot", 0)]),
        "Skin": Record("Skin", TABLE, "surface", [("Wet Solver", 2)]),
        "Unused": Record("Unused", TABLE, "transform"),
        "Output": Record("Output", OUTPUT, wires=[("All", 0), ("Skin", 0)]),
    }
    made.update(changed)
    return list(made.values())


BY_HAND = {
    "rivulet": 1, "fps": 24, "frames": [1, 3], "nodes": {
        "head": {"type": "file", "parms": {"file": "$HIP/in/Head.bgeo.sc"}},
        "hair": {"type": "groom", "inputs": ["head"], "parms": {"count": 40, "length": 0.05, "points": 6}},
        "guides": {"type": "guides", "inputs": ["hair"]},
        "pool": {"type": "fill", "parms": {"size": [0.04, 0.04, 0.04], "t": [0, 0.07, 0], "particlesep": 0.01}},
        "body": {"type": "collider", "inputs": ["head"]},
        "wet": {"type": "wetsolver", "inputs": ["guides", "pool", "body"], "parms": {"substeps": 2}},
        "all": {"type": "transfer", "inputs": ["hair", "guides", "wet"]},
        "skin": {"type": "surface", "inputs": ["wet:3"]},
        "a": {"type": "filecache", "inputs": ["all"], "parms": {"file": "$OUT/strands.$F4.bgeo.sc"}},
        "b": {"type": "filecache", "inputs": ["skin"], "parms": {"file": "$OUT/water.$F4.vdb"}}}}


def put(folder, data):
    """A folder with a scene file and its input; the path of the scene."""
    os.makedirs(os.path.join(folder, "in"), exist_ok=True)
    ball = rivulet.Scene()
    ball.add("sphere", "ball", radius=0.03)
    ball.cook("ball").save(os.path.join(folder, "in", "Head.bgeo.sc"))
    path = os.path.join(folder, cache.SCENE)
    cache.write(path, json.dumps(data).encode("utf-8"))
    return path


def hashes(folder, data):
    """Hash of the state at each frame, from the command line."""
    path, report = put(folder, data), os.path.join(folder, "report.jsonl")
    subprocess.run([os.environ["RIVULET"], "cook", path, "--out", folder, "--report", report, "--quiet"], check=True)
    with open(report, encoding="utf-8") as stream:
        return [json.loads(line)["hash"] for line in stream]


def check_scene(home):
    """A graph cooks to the bits of the same scene written by hand."""
    made = scenefile.build(graph(), (1, 3))
    assert made.inputs == {"Head": "in/Head.bgeo.sc"} and made.names["Wet_Solver"] == "Wet Solver", made.names
    assert "Unused" not in made.data["nodes"] and made.data["nodes"]["All"]["inputs"] == ["Hair", "Guides", "Wet_Solver"]
    assert made.data["nodes"]["Skin"]["inputs"] == ["Wet_Solver:3"], "another output is wired"
    mine, hand = hashes(os.path.join(home, "mine"), made.data), hashes(os.path.join(home, "hand"), BY_HAND)
    assert mine == hand and len(set(mine)) == 3, (mine, hand)
    # the hash is that of the solvers; the files are all that is baked
    for name in content(os.path.join(home, "hand")):
        assert content(os.path.join(home, "mine")).get(name) == content(os.path.join(home, "hand"))[name], name + " differs"
    assert len(content(os.path.join(home, "hand"))) == 6
    # a muted node passes its first input on
    quiet = scenefile.build(graph(Guides=Record("Guides", TABLE, "guides", [("Hair", 0)], muted=True)), (1, 3)).data["nodes"]
    assert quiet["Wet_Solver"]["inputs"][0] == "Hair" and "Guides" not in quiet
    print("scene: the hashes of 3 frames are those of the scene by hand")


def check_refusals():
    """What is wrong is refused with the node that has it."""
    def with_(**changed):
        return lambda: scenefile.build(graph(**changed), (1, 3))
    refused(with_(Head=Record("Head", INPUT, "mesh", missing="choose a mesh object")), "Head", "choose a mesh")
    refused(with_(All=Record("All", TABLE, "transfer", [("Hair", 0), ("Guides", 0)])), "All", "Simulated Guides is not connected")
    refused(with_(**{"Wet Solver": Record("Wet Solver", TABLE, "wetsolver", [("Head", 0), ("Pool", 0)])}), "Wet Solver", "takes curves")
    refused(with_(Output=Record("Output", OUTPUT, wires=[("All", 0), ("Wet Solver", 1)])), "Output", "Water takes vdbs")
    refused(with_(Output=Record("Output", OUTPUT)), "Output", "nothing is wired")
    refused(with_(Output=Record("Output", OUTPUT, muted=True)), None, "no Output")
    ring = with_(Guides=Record("Guides", TABLE, "guides", [("All", 0)]), Dot=Record("Dot", REROUTE, wires=[("Guides", 0)]))
    refused(ring, "All", "cycle: All -> Guides -> All")
    assert scenefile.safe_name("Wet Solver.001", {"Wet_Solver_001"}) == "Wet_Solver_001_2"


def check_hidden():
    """Results replace curves and liquid; a skin or a collider stays."""
    records = graph(Water=Record("Water", INPUT, "mesh"), Groom=Record("Groom", INPUT, "curves"),
                    Pool=Record("Pool", TABLE, "fill", [("Water", 0)]), Guides=Record("Guides", TABLE, "guides", [("Groom", 0)]))
    assert scenefile.replaced(records) == {"Water", "Groom"}, scenefile.replaced(records)
    # a body behind nodes that hand its geometry on is one too
    behind = [Record("Floor", INPUT, "mesh"), Record("Both", TABLE, "merge", [("Head", 0), ("Floor", 0)]),
              Record("Move", TABLE, "transform", [("Both", 0)]), Record("Body", TABLE, "collider", [("Move", 0)])]
    assert scenefile.replaced([one for one in records if one.name != "Body"] + behind) == {"Water", "Groom"}


#------------------------------------------------------------------------------------------------ messages

def check_faults():
    text = "rivulet: node 'wet' (wetsolver), frame 1: input 1 (Strands) takes curves, and the wire brings 288 faces; wire another node into it"
    assert faults.place(text) == ("wet", text.split("frame 1: ")[1])
    assert faults.place("rivulet: a/scene.json:4: node 'wet': parameter 'substeps' is -4; it must be at least 1") == (
        "wet", "parameter 'substeps' is -4; it must be at least 1")
    assert faults.place("rivulet: out of memory") == (None, "out of memory")
    assert faults.message("warning: wet: much (frame 2)") == ("warning", "wet", "much (frame 2)") and faults.message("cooked 3") is None
    assert faults.wrapped("one two three", 7) == ["one two", "three"]


#------------------------------------------------------------------------------------------------ bakes

def staged(folder, data, replace=False):
    """Stages a scene for a bake as Blender does: the plan and the key."""
    put(cache.stage(folder), data)
    key = cache.key(folder + cache.STAGE, ["in/Head.bgeo.sc"])
    plan = cache.plan(folder, key, replace)
    cache.take(folder, plan)
    return plan, key


def run(folder, data, replace=False, stop_at=None):
    """Bakes; stops when a frame is done. The job and whether it was finished."""
    plan, key = staged(folder, data, replace)
    assert plan in (cache.NEW, cache.RESUME), plan
    cache.write_note(cache.part(folder), key=key, frames=data["frames"], finished=False)
    job = cook.Job(folder, tuple(data["frames"]), cook.command(folder, plan == cache.RESUME))
    job.start()
    while stop_at and job.running():
        if os.path.exists(os.path.join(cache.part(folder), "strands.%04d.bgeo.sc" % stop_at)):
            job.stop()
            break
        time.sleep(0.005)
    job.wait()
    return job, cook.finish(job, key)


def content(folder):
    found = {}
    for name in os.listdir(folder):
        if name.endswith((".sc", ".vdb")):
            with open(os.path.join(folder, name), "rb") as stream:
                found[name] = stream.read()
    return found


def check_bakes(home):
    """A bake is published when it is whole; a finished one stays until its replacement is asked for and finished."""
    folder, data = os.path.join(home, "bake"), scenefile.build(graph(), (1, 3)).data
    job, done = run(folder, data)
    assert done and job.fraction == 1 and job.error is None and job.frame == 3, (job.error, job.frame)
    good = content(folder)
    assert len(good) == 6 and cache.finished(folder) and not os.path.exists(cache.part(folder)), sorted(good)
    assert staged(folder, data)[0] == cache.DONE

    other = json.loads(json.dumps(data))
    other["nodes"]["Wet_Solver"]["parms"]["gravity"] = [0, -5, 0]
    assert staged(folder, other)[0] == cache.REFUSED and content(folder) == good
    assert "keep it" in cache.refusal(folder) and cache.free_name(folder) == folder + ".002" and not os.path.exists(folder + cache.STAGE)
    # a replacement that fails or is cancelled leaves the finished bake as it was
    wrong = json.loads(json.dumps(data))
    wrong["nodes"]["Wet_Solver"]["parms"]["substeps"] = -4
    job, done = run(folder, wrong, replace=True)
    assert not done and faults.place(job.error)[0] == "Wet_Solver" and content(folder) == good, job.error
    long = json.loads(json.dumps(other))
    long["frames"] = [1, 40]
    job, done = run(folder, long, replace=True, stop_at=2)
    assert job.cancelled and not done and content(folder) == good and cache.shown(folder) == folder, (job.error, job.frame)
    first = len(content(cache.part(folder)))
    assert 3 <= first < 80, first  # strands of two frames, and water of the first at least
    long["frames"] = [1, 40]
    assert staged(folder, long, replace=True)[0] == cache.RESUME
    job, done = run(folder, other, replace=True)
    assert done and content(folder) != good and len(content(folder)) == 6

    # files of somebody else are never replaced by a bake
    foreign = os.path.join(home, "foreign")
    os.makedirs(foreign)
    cache.write(os.path.join(foreign, "notes.txt"), b"mine")
    assert staged(foreign, data)[0] == cache.REFUSED and "no bake" in cache.refusal(foreign)
    print("bakes: published, kept, refused, cancelled after %d files, continued and replaced" % first)


def check_missing_program(home):
    job = cook.Job(os.path.join(home, "none"), (1, 2), [None, "cook"])
    try:
        job.start()
        raise AssertionError("a bake without a program started")
    except OSError as reason:
        assert "rivulet is missing" in str(reason)


def main():
    with tempfile.TemporaryDirectory(prefix="rivulet_graph_") as home:
        check_sockets()
        check_conditions()
        check_numbers()
        check_keys()
        check_scene(home)
        check_refusals()
        check_hidden()
        check_faults()
        check_bakes(home)
        check_missing_program(home)


if __name__ == "__main__":
    main()
