"""No control lies: every parameter of every node is changed on a scene that uses it, and must alter the output or the picture.

The list of parameters comes from the node table, so new nodes and parameters are swept by themselves: on the node's example network
(docs/scenes/nodes), or on a scene of SCENES where the example does not use all of it. Conditions of the dialog (disable_when,
hide_when) are made false first. A parameter whose changes alter nothing is named, and the test fails. USES says what has to be there for
a parameter to matter; TOLD lists the few that alter nothing by design, each with its reason.

Compared are, by type: all bytes of all outputs; or, of nodes that only describe something to another (source, collider, material), what the
reader makes of it; or the picture (camera); or the files (filecache, file)."""
import copy
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(TOP, "python_shim"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
if "RV_BUILD_DIR" in os.environ:  # else the package looks in the builds of the source tree
    os.environ.setdefault("RIVULET_LIBRARY", os.path.join(os.environ["RV_BUILD_DIR"], "librivulet.so"))
from test_conditions import RIVULET, Case, alternatives, other, tables  # noqa: E402
import rivulet  # noqa: E402
from rivulet._lib import lib  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="rivulet_sweep_", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)

# -------------------------------------------------------------------------------------------------------------------------- scenes

BALL = {"type": "sphere", "parms": {"radius": 0.01, "t": [0.004, 0.008, 0], "rows": 9, "cols": 12}}
SOLID = {"type": "collider", "inputs": ["ball"], "parms": {"voxelsize": 0.002}}
# hanging hairs that touch each other, with film, drawn sideways: contacts, bridges and drops at the tips
HAIR = {"tuft": {"type": "groom", "parms": {"layout": "row", "count": 8, "spacing": 0.0004, "length": 0.03, "points": 7, "lift": 1, "bend": 0,
                                            "directionrandom": 0.02, "style": "wavy"}},
        "hang": {"type": "transform", "inputs": ["tuft"], "parms": {"r": [180, 0, 0], "tx": {"keys": [[1, 0], [3, 0.01]]},
                                                                    "ty": 0.02}},
        "bare": {"type": "attribute", "inputs": ["hang"], "parms": {"name": "targetweight", "value": [0.1, 0, 0, 0]}},
        "film": {"type": "attribute", "inputs": ["bare"], "parms": {"name": "filmheight", "value": [6e-5, 0, 0, 0]}}}
POOL = {"pool": {"type": "fill", "parms": {"size": [0.02, 0.008, 0.02], "t": [0.002, -0.008, 0], "particlesep": 0.0025, "v": [1.2, 0, 0]}}}
WALLS = {"walls": True, "wallsmin": [-0.008, -0.013, -0.01], "wallsmax": [0.014, 0.05, 0.01]}
SOURCE = {"tap": {"type": "source", "parms": {"mode": "emit", "size": [0.006, 0.006, 0.006], "t": [0.002, 0.02, 0], "rate": 2e-5, "vel": [0, -0.5, 0]}}}
SOLVED = {"ball": BALL, "solid": SOLID, **HAIR, **POOL, **SOURCE}

# type: nodes beside the one that is tried, which is "x"; the node; frame; what is compared
SCENES = {
    "strandsolver": (SOLVED, {"inputs": ["bare", "solid"], "parms": {"strandcollisions": True, "maxsubsteps": 8}}, 3, ["x"]),
    "liquidsolver": (SOLVED, {"inputs": ["pool", "solid", "tap"], "parms": {**WALLS}}, 3, ["x"]),
    "interfacesolver": (SOLVED, {"inputs": ["pool", "solid", "tap"], "parms": {**WALLS}}, 3, ["x"]),
    "filmsolver": (SOLVED, {"inputs": ["film", "pool", "solid", "tap"], "parms": {"particlesep": 0.0025}}, 3, ["x", "x:2"]),
    "wetsolver": (SOLVED, {"inputs": ["film", "pool", "solid", "tap"], "parms": {**WALLS, "substeps": 2, "maxsubsteps": 8}}, 3, ["x", "x:2"]),
    "lookdevsolver": (SOLVED, {"inputs": ["film", "pool", "solid", "tap"], "parms": {**WALLS, "substeps": 2, "maxsubsteps": 8, "rootfree": 0.001, "volumecell": 0.002}}, 3, ["x", "x:2"]),
    "continuumsolver": (SOLVED, {"inputs": ["film", "solid"], "parms": {"maxsubsteps": 8, "rootfree": 0.001, "smoothing": 0.002, "restdensity": 0.5}}, 3, ["x"]),
}


def example(kind):
    """The example network of a type, with fewer strands and particles: (nodes, node, frame, what is compared)."""
    path = os.path.join(TOP, "docs", "scenes", "nodes", kind + ".json")
    assert os.path.exists(path), "node %s has no example network docs/scenes/nodes/%s.json: add one" % (kind, kind)
    with open(path, encoding="utf-8") as stream:
        scene = json.load(stream)
    name = next(key for key, node in scene["nodes"].items() if node["type"] == kind)
    nodes = {"x" if key == name else key: node for key, node in scene["nodes"].items()}
    for node in nodes.values():
        node.setdefault("parms", {})
        node["inputs"] = ["x" + wire[len(name):] if wire and wire.split(":")[0] == name else wire for wire in node.get("inputs", [])]
    for node in nodes.values():
        if node["type"] == "groom":
            node["parms"]["count"] = min(node["parms"].get("count", 1000), 40)
        if node["type"] == "fill" and kind != "fill":
            node["parms"]["particlesep"] = 2 * node["parms"].get("particlesep", 0.01)
        if node["type"] == "sphere" and kind != "sphere":
            node["parms"].update({"rows": 9, "cols": 12})
    tried = nodes.pop("x")
    # nodes below the one that is tried are left out
    dead = True
    while dead:
        dead = [key for key, node in nodes.items() if any((w or "").split(":")[0] not in nodes for w in node.get("inputs", []) if w)]
        for key in dead:
            del nodes[key]
    return nodes, tried, min(scene["frames"][1], 3), None


# readers of nodes that only describe something
READERS = {
    "source": {"type": "liquidsolver", "inputs": [None, None, "x"], "parms": {"particlesep": 0.004}},
    "collider": {"type": "liquidsolver", "inputs": ["drop", "x"]},
    "material": {"type": "strandsolver", "inputs": ["x"], "parms": {"restmode": "natural"}},
    "material.liquid": {"type": "liquidsolver", "inputs": ["x"]},
}

# ----------------------------------------------------------------------------------------------------------------------- contexts

# Strands without the attribute hairradius, so that the solver's own radius holds.
NAKED = {"thread": {"type": "curve", "parms": {"origin": [0, 0.02, 0], "dir": [0.3, -1, 0], "dist": 0.03, "points": 6, "count": 4, "spacing": [0.0005, 0, 0]}},
         "drawn": {"type": "transform", "inputs": ["thread"], "parms": {"tx": {"keys": [[1, 0], [3, 0.01]]}}},
         "naked": {"type": "attribute", "inputs": ["drawn"], "parms": {"name": "filmheight", "value": [6e-5, 0, 0, 0]}},
         "wide": {"type": "attribute", "inputs": ["naked"], "parms": {"name": "width", "value": [3e-4, 0, 0, 0]}}}
# Long hair that stands up cannot hold its pose by its material alone.
UPRIGHT = {"mane": {"type": "groom", "parms": {"layout": "row", "count": 4, "spacing": 0.01, "length": 0.3, "points": 12, "lift": 1, "bend": 0,
                                               "directionrandom": 0.3}}}
PATCHES = {"heavy": {"type": "attribute", "inputs": ["bare"], "parms": {"name": "filmheight", "value": [5e-4, 0, 0, 0]}}}
# a brush of parallel hairs, which hold liquid between them
DENSE = {"bristles": {"type": "groom", "parms": {"layout": "disk", "size": 0.003, "count": 60, "length": 0.03, "points": 7, "lift": 1, "bend": 0}},
         "down": {"type": "transform", "inputs": ["bristles"], "parms": {"r": [180, 0, 0], "ty": 0.018}},
         "brush": {"type": "attribute", "inputs": ["down"], "parms": {"name": "filmheight", "value": [1e-4, 0, 0, 0]}}}
# a brush whose goals squeeze it to less than half its width
SQUEEZED = {"tufted": {"type": "groom", "parms": {"layout": "disk", "size": 0.006, "count": 80, "length": 0.03, "points": 7, "lift": 1, "bend": 0}},
            "pulled": {"type": "attribute", "inputs": ["tufted"], "parms": {"name": "targetweight", "value": [1, 0, 0, 0]}},
            "squeezed": {"type": "transform", "inputs": ["pulled"], "parms": {"s": [{"keys": [[1, 1], [2, 0.4]]}, 1, {"keys": [[1, 1], [2, 0.4]]}]}}}
LIQUID = {"stuff": {"type": "fill", "parms": {"size": [0.02, 0.02, 0.02], "particlesep": 0.004}}}
WET = {"wet": {"type": "attribute", "inputs": ["solve"], "parms": {"name": "wetness", "value": [0.8, 0, 0, 0]}},
       "locks": {"type": "attribute", "inputs": ["wet"], "parms": {"name": "clumpid", "type": "int", "value": [3, 0, 0, 0]}}}
CLUMPS = {"clumped": {"type": "attribute", "inputs": ["film"], "parms": {"name": "clumpid", "type": "int", "mode": "random", "value": [0, 0, 0, 0],
                                                                         "valuemax": [9, 0, 0, 0]}},
          "plain": {"type": "attribute", "inputs": ["hair"], "parms": {"name": "filmheight", "value": [4e-5, 0, 0, 0]}}}
STRANDS = {"near": {"type": "groom", "parms": {"layout": "row", "count": 6, "spacing": 0.0008, "length": 0.02, "points": 6, "lift": 1, "bend": 0}},
           "damp": {"type": "attribute", "inputs": ["near"], "parms": {"name": "filmheight", "value": [3e-4, 0, 0, 0]}},
           "soaked": {"type": "merge", "inputs": ["damp", "water"]}}
FOG = {"mist": {"type": "surface", "inputs": ["puddle"], "parms": {"density": True, "voxelsize": 0.004}},
       "puddle": {"type": "fill", "parms": {"size": [0.04, 0.04, 0.04], "particlesep": 0.006}}}
FRINGE = {"painted": {"type": "attribute", "inputs": ["skin"], "parms": {"name": "some", "mode": "random"}}}
COPY = {"copy": {"type": "filecache", "inputs": ["x"], "parms": {"file": "$OUT/copy.$F4.geo"}}}
BARE = {"line": {"type": "curve", "parms": {"origin": [0, 0, 0], "dist": 0.02, "points": 6, "count": 6, "spacing": [0.0008, 0, 0]}},
        "lined": {"type": "attribute", "inputs": ["line"], "parms": {"name": "filmheight", "value": [3e-4, 0, 0, 0]}}}

# a drop that runs down the side of a box
RUNS = {"ball": {"type": "box", "parms": {"size": [0.02, 0.08, 0.03], "t": [-0.01, 0, 0]}},
        "pearl": {"type": "fill", "parms": {"size": [0.004, 0.004, 0.004], "t": [0.002, 0.01, 0], "particlesep": 0.002, "v": [0, -0.5, 0]}}}
# a pool of two liquids
TWO = {"mixed": {"type": "attribute", "inputs": ["pool"], "parms": {"name": "phase", "type": "int", "mode": "random", "value": [0, 0, 0, 0],
                                                                    "valuemax": [1, 0, 0, 0]}}}
# the pool as gas of a bubble
BUBBLE = {"gas": {"type": "attribute", "inputs": ["pool"], "parms": {"name": "bubbleid", "type": "int", "value": [1, 0, 0, 0]}}}
# a part of the pool as a free body
AFLOAT = {"raft": {"type": "attribute", "inputs": ["pool"], "parms": {"name": "bodyid", "type": "int", "mode": "box", "boxmin": [-0.004, -0.01, -0.005],
                                                                     "boxmax": [0.004, -0.004, 0.005], "value": [1, 0, 0, 0]}}}
# What a parameter needs to matter: parameters of the node, other nodes (which replace those of the scene), inputs, a later frame.
USES = {
    **{"interfacesolver." + name: {"nodes": TWO, "inputs": ["mixed", "solid", "tap"]}
       for name in ("density2", "viscosity2", "surfacetension2", "interfacetension", "contactangle2")},
    **{"interfacesolver." + name: {"nodes": AFLOAT, "inputs": ["raft", "solid", "tap"]} for name in ("bodydensity", "bodyangle")},
    **{"interfacesolver." + name: {"nodes": BUBBLE, "inputs": ["gas", "solid", "tap"]}
       for name in ("film", "gascohesion", "popbubble", "poplife", "popthin")},
    **{"lookdevsolver." + name: {"nodes": SQUEEZED, "inputs": ["squeezed"], "parms": {"volumecell": 0.002}}
       for name in ("strandcollisions", "volumespeed", "volumecell")},
    "continuumsolver.maxsubsteps": {"parms": {"cfl": 0.05}},
    **{"continuumsolver." + name: {"parms": {"turbulence": 1}} for name in ("turbulencescale", "turbulenceseed")},
    **{"continuumsolver." + name: {"nodes": SQUEEZED, "inputs": ["squeezed"], "parms": {"smoothing": 0.002, "restdensity": 1, "hairsperguide": 20}}
       for name in ("interaction", "restdensity", "packingdensity", "volumepressure", "volumepower", "hairfriction", "niter", "tolerance")},
    "lookdevsolver.drip": {"nodes": PATCHES, "inputs": ["heavy", "pool", "solid", "tap"], "parms": {"capacity": 0}},
    "transform.grouptype": {"parms": {"group": "1-3"}},
    "transform.attribs": {"nodes": {"dyed": {"type": "attribute", "inputs": ["box"], "parms": {"name": "N", "size": 3, "typeinfo": "normal",
                                                                                             "value": [1, 2, 3, 0]}}}, "inputs": ["dyed"]},
    "attribute.string": {"parms": {"name": "word", "type": "string", "mode": "constant", "typeinfo": "none"}},
    "attribute.ramp": {"parms": {"name": "a", "mode": "ramp", "class": "point", "value": [1, 1, 1, 1]}},
    "attribute.list": {"parms": {"mode": "list", "list": "0.5 0.75"}},
    "groom.densityattrib": {"nodes": FRINGE, "inputs": ["painted"], "parms": {"densityattrib": "some"}},
    "groom.avoidskin": {"parms": {"lift": 0.05, "bend": 1, "length": 0.15, "style": "straight"}},
    "fill.fogisovalue": {"nodes": FOG, "inputs": ["mist"], "parms": {"vdbname": "density"}},
    "source.inheritvel": {"nodes": {"swing": {"type": "transform", "inputs": ["ring"], "parms": {"tx": {"keys": [[1, 0], [3, 0.1]]}}},
                                    "hot": {"type": "collider", "inputs": ["swing"]}}, "inputs": ["hot"]},
    "source.life": {"parms": {"life": 0.01}},
    "source.material": {"parms": {"material": "water"}},
    "collider.vmode": {"nodes": {"egg": {"type": "sphere", "parms": {"radius": 0.03, "rows": 9, "cols": 12}},
                                 "ball": {"type": "transform", "inputs": ["egg"], "parms": {"ty": {"keys": [[1, 0], [3, 0.02]]}}}}, "reader": None, "outs": ["x"]},
    "surface.memorylimit": {"parms": {"voxelsize": 0.0004}},
    "blast.grouptype": {"parms": {"group": "0-3", "grouptype": "points"}},
    "collider.thickness": {"nodes": {"ball": {"type": "grid", "parms": {"size": [0.08, 0.08], "t": [0, 0.01, 0]}}}},
    "collider.contactangle": {"outs": ["x"], "reader": None},
    "surface.half": {"disk": True, "nodes": {"copy": {"type": "filecache", "inputs": ["x"], "parms": {"file": "$OUT/a.$F4.vdb"}}}},
    "surface.onlimit": {"parms": {"memorylimit": 0.1, "voxelsize": 0.0004}},
    "material.hairradius": {"parms": {}, "keep": True},
    "strandsolver.maxsubsteps": {"parms": {"cfl": 0.02, "substeps": 1}},
    "filmsolver.maxsubsteps": {"parms": {"rootcfl": 0.02, "substeps": 1}},
    "wetness.driver": {"nodes": {"driven": {"type": "attribute", "inputs": ["film"], "parms": {"name": "wetness", "value": [0.5, 0, 0, 0]}}},
                       "inputs": ["driven"]},
    # a file of frame 1 is there, one of frame 2 is not; `copy` writes what was read
    "file.file": {"nodes": COPY}, "file.missingframe": {"nodes": COPY, "parms": {"file": "$OUT/seed.$F4.bgeo.sc", "missingframe": "empty"}},
    "filecache.loadfromdisk": {"nodes": COPY, "parms": {"file": "$OUT/seed.$F4.bgeo.sc", "missingframe": "empty"}},
    "filecache.missingframe": {"nodes": COPY, "parms": {"file": "$OUT/seed.$F4.bgeo.sc", "missingframe": "empty", "loadfromdisk": True}},
    "filecache.half": {"nodes": {"drops": {"type": "fill", "parms": {"size": [0.02, 0.02, 0.02], "particlesep": 0.004}},
                                 "level": {"type": "surface", "inputs": ["drops"]}}, "inputs": ["level"], "parms": {"file": "$OUT/a.$F4.vdb"}},
    "filecache.usdcurves": {"nodes": {"hair": {"type": "groom", "parms": {"count": 3, "points": 5}}}, "inputs": ["hair"], "parms": {"file": "$OUT/a.$F4.usda"}},
    "filecache.usdmesh": {"parms": {"file": "$OUT/a.$F4.usda"}},
    "filecache.keepstate": {"nodes": {"hair": {"type": "groom", "parms": {"count": 3, "points": 5}},
                                      "sim": {"type": "strandsolver", "inputs": ["hair"], "parms": {"keepstate": True}}}, "inputs": ["sim"]},
    "camera.*": {"parms": {"resx": 48, "resy": 27}},
    "*.hairradius": {"nodes": NAKED, "inputs": ["naked"]},
    "*.usewidth": {"nodes": NAKED, "inputs": ["wide"]},
    "*.reststiffen": {"nodes": UPRIGHT, "inputs": ["mane"], "parms": {"restangle": 150}, "outs": ["x:3"]},
    "filmsolver.yieldstress": {"parms": {"filmviscosity": 0.1}}, "filmsolver.flowindex": {"parms": {"filmviscosity": 0.1}},
    "*.yieldstress": {"parms": {**WALLS, "viscosity": 1, "shearmodulus": 100}},
    "*.flowindex": {"parms": {**WALLS, "viscosity": 1}}, "*.shearmodulus": {"parms": {**WALLS, "viscosity": 1}},
    "*.shearsolve": {"parms": {**WALLS, "viscosity": 1}},
    **{"%s.%s" % (node, name): {"nodes": RUNS, "inputs": inputs, "parms": {"walls": False, "droptension": 0.072}}
       for node, inputs in (("liquidsolver", ["pearl", "solid"]), ("wetsolver", ["film", "pearl", "solid"]))
       for name in ("droptension", "dropadvancing", "dropreceding", "dropviscosity", "droptrail")},
    "*.killbox": {"parms": {"killmin": [-0.02, -0.006, -0.02], "killmax": [0.02, 0.1, 0.02]}},
    "*.wallpy": {"parms": {"walls": True, "wallsmin": [-0.008, -0.013, -0.01], "wallsmax": [0.014, -0.003, 0.01]}},
    "*.reseeding": {"nodes": {"pool": {"type": "fill", "parms": {"size": [0.02, 0.02, 0.02], "particlesep": 0.0025}}},
                    "parms": {"particlesep": 0.005, "walls": False}, "inputs": [None, "pool"]},
    "liquidsolver.reseeding": {"parms": {"particlesep": 0.005}},
    "*.drip": {"nodes": PATCHES, "inputs": ["heavy"]},
    "filmsolver.contactangle": {"nodes": DENSE, "inputs": ["brush", "pool"]},
}
for token in ("minfilm", "bridges", "contactangle", "blend", "hairradius"):
    USES["surface." + token] = {"nodes": STRANDS, "inputs": ["soaked"], "parms": {"voxelsize": 0.0004}}
for token in ("walls", "wallsmin", "wallsmax"):
    USES["surface." + token] = {"parms": {"walls": True, "wallsmin": [-0.04, 0, -0.04], "wallsmax": [0.04, 1, 0.04]}}
USES["surface.hairradius"] = {"nodes": BARE, "inputs": ["lined"], "parms": {"voxelsize": 0.0003}}
for token in ("liquid", "viscosity", "surfacetension", "contactangle", "consistency", "flowindex"):
    USES["material." + token] = {"nodes": LIQUID, "inputs": ["stuff"], "parms": {"kind": "liquid"}}
for token in ("yieldstress", "shearmodulus"):
    USES["material." + token] = {"nodes": LIQUID, "inputs": ["stuff"], "parms": {"kind": "liquid", "liquid": "mud"}}
# solids show on strands, not in the motion that readers are compared by
USES["material.solids"] = {"nodes": {**HAIR, **LIQUID, "wetted": {"type": "filmsolver", "inputs": ["film", "x"], "parms": {"particlesep": 0.004}}},
                           "inputs": ["stuff"], "parms": {"kind": "liquid", "liquid": "mud"}, "reader": None, "outs": ["wetted"]}
# the solvers leave it out: it is an attribute for other programs
USES["material.bulkmodulus"] = {"nodes": LIQUID, "inputs": ["stuff"], "parms": {"kind": "liquid"}, "reader": None, "outs": ["x"]}
CURVE = {"any_curve": {"type": "curve", "parms": {"points": 5, "dist": 0.05}}}
for token in ("combweight", "combreach"):
    USES["groom." + token] = {"nodes": CURVE, "inputs": ["skin", "any_curve"]}
for token in ("partingstrength", "partingwidth"):
    USES["groom." + token] = {"nodes": CURVE, "inputs": ["skin", None, "any_curve"]}
USES["groom.combattrib"] = {"nodes": {"painted": {"type": "attribute", "inputs": ["skin"], "parms": {
    "name": "some", "size": 3, "value": [1, 0, 0, 0]}}}, "inputs": ["painted"], "parms": {"combattrib": "some"}}
USES["attribute.axis"] = {"parms": {"name": "a", "size": 1, "typeinfo": "none", "mode": "axis", "class": "point", "value": [1, 0, 0, 0]}}
for token in ("boxmin", "boxmax", "falloff"):
    USES["attribute." + token] = {"parms": {"name": "a", "size": 1, "typeinfo": "none", "mode": "box", "class": "point", "value": [1, 0, 0, 0],
                                            "boxmin": [-0.02, -0.02, -0.02], "boxmax": [0.02, 0.02, 0.02]}}
USES["filecache.compact"] = {"nodes": {"hair": {"type": "groom", "parms": {"count": 3, "points": 5}}}, "inputs": ["hair"]}
for token in ("rotate", "dome", "key", "rim", "fill", "background"):
    USES["light." + token] = {"parms": {"lighttype": "dome", "dome": "studio"}}
USES["light.envmap"] = {"parms": {"lighttype": "dome", "dome": "image", "envmap": "sky.png"}}
for token in ("melanin", "melaninredness"):
    USES["lookmaterial." + token] = {"parms": {"kind": "hair", "haircolor": "melanin"}}
for token in ("tint", "tintdepth"):
    USES["lookmaterial." + token] = {"parms": {"kind": "water"}}
for token in ("wetness", "beads", "beadradius"):
    USES["lookmaterial." + token] = {"inputs": ["skin"], "parms": {"kind": "skin", "beads": 0.5}}
for token in ("topcolor", "bottomcolor", "ground", "groundat", "groundheight"):
    USES["lookmaterial." + token] = {"parms": {"kind": "backdrop", "ground": True, "groundat": "height" if token == "groundheight" else "lowest"}}
USES["material.contactangle"].update({"reader": None, "outs": ["x"]})
for token in ("maxguides", "blend", "wetramp", "clumpprofile", "spacing", "strayamount", "wetnessattrib"):
    USES["transfer." + token] = {"nodes": {**WET, "pick": {"type": "guides", "inputs": ["hair"], "parms": {"step": 5}}}, "inputs": ["hair", "pick", "locks", "turn"]}
for token in ("clumpvary", "seed", "clumpidattrib"):
    USES["wetness." + token] = {"nodes": CLUMPS, "inputs": ["clumped"], "parms": {"clumpvary": 0.5}}
BLOWN = {"type": "interfacesolver", "inputs": [None, None, "x"], "parms": {"particlesep": 0.004}}
USES["source.bubble"] = {"reader": BLOWN}
USES["source.bubblefilm"] = {"parms": {"bubble": 1}, "reader": BLOWN}
USES["wetness.basecolor"] = {"nodes": CLUMPS, "inputs": ["plain"]}
# values that show an effect where those of `values` do not
VALUES = {"interfacesolver.popbubble": [1], "interfacesolver.poplife": [0.01], "merge.exclude": ["1"], "transform.attribs": ["N"], "transform.grouptype": ["prims"], "source.material": ["paint"], "source.life": [5],
          "attribute.list": ["0.25 0.5"], "groom.densityattrib": [""], "camera.near": [1.0], "camera.far": [0.02], "surface.memorylimit": [0.1], "strandsolver.maxsubsteps": [2], "filmsolver.maxsubsteps": [2], "file.file": ["$OUT/seed.0001.bgeo.sc"]}
# no effect by design
TOLD = {"fill.maxparticles": "a bound: more particles are refused, node/test_node_fill", "*.maxmemory": "a bound: the unit test of the liquid reaches it", "filecache.verify": "reads back what was written; host/test_outputs damages it"}


def values(row, now):
    """Values to try, the likeliest first."""
    kind = row["type"]
    found = [other(row, now)]
    if kind == "menu":
        found = [item["token"] for item in row["menu"] if item["token"] != now]
    if kind in ("float", "int", "color"):
        numbers = now if isinstance(now, list) else [now]
        low, high = row.get("min", 0), row.get("max", 1)
        for share in (0.9, 0.1, 1.0, 0.0):
            moved = [low + share * (high - low) for _ in numbers]
            if kind == "int":
                moved = [int(round(m)) for m in moved]
            found.append(moved if isinstance(now, list) else moved[0])
    return [value for value in found if value != now]


# ----------------------------------------------------------------------------------------------------------------------- cooking

def digest(scene, outs, frame, motion):
    """What a scene makes: hashes, or P, v and volume alone; an error is an effect too."""
    try:
        opened = rivulet.Scene.parse(json.dumps(scene))
        made = []
        for out in outs:
            detail = opened.cook(out, frame)
            if motion:
                made.append(tuple(bytes(detail.points[name]) for name in ("P", "v", "volume") if name in detail.points))
            else:
                made.append(lib.detail_hash(detail.handle))
        return tuple(made)
    except rivulet.Error as error:
        return "error: %s" % error


def pictures(scene, frame):
    """The picture of a scene through its camera."""
    path, out = os.path.join(FOLDER, "scene.json"), os.path.join(FOLDER, "p.png")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene, stream)
    done = subprocess.run([RIVULET, "flipbook", path, "--frames", str(frame), "--quality", "draft", "--quiet", "--threads", "1", "-o", out],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return "error: " + done.stderr
    with open(out, "rb") as stream:
        return stream.read()


def files(scene, frame):
    """Names and bytes of all files that a scene writes, and what it reads."""
    path, out = os.path.join(FOLDER, "scene.json"), os.path.join(FOLDER, "out")
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(os.path.join(FOLDER, "seed"), out)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene, stream)
    done = subprocess.run([RIVULET, "cook", path, "--out", out, "--quiet", "--threads", "1", "--frames", "1-%d" % frame],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return "error: " + done.stderr
    found = {}
    for base, _, names in os.walk(out):
        for name in names:
            if base.endswith("checkpoints"):
                continue
            with open(os.path.join(base, name), "rb") as stream:
                found[os.path.relpath(os.path.join(base, name), out)] = stream.read()
    return found


class Sweep:
    """The sweep of one type."""

    def __init__(self, table):
        self.table, self.kind = table, table["type"]
        self.nodes, self.node, self.frame, self.outs = copy.deepcopy(SCENES[self.kind]) if self.kind in SCENES else example(self.kind)
        self.node["type"] = self.kind
        self.cooked = {}

    def scene(self, case, uses):
        """(scene, outputs, motion only)"""
        nodes = copy.deepcopy(self.nodes)
        nodes.update(copy.deepcopy(uses.get("nodes", {})))
        nodes["x"] = case.node
        outs = uses.get("outs") or self.outs or ["x" if k == 0 else "x:%d" % (k + 1) for k in range(len(self.table["outputs"]))]
        key = self.kind
        if self.kind == "material" and case.get("kind") == "liquid":
            key = "material.liquid"
        reader = uses["reader"] if "reader" in uses else READERS.get(key)
        if reader:
            nodes["r"] = reader
            outs = ["r"]
        if "drop" not in nodes and self.kind == "collider":
            nodes["drop"] = {"type": "fill", "parms": {"size": [0.03, 0.02, 0.03], "t": [0, 0.03, 0], "particlesep": 0.006, "v": [0.2, -1, 0]}}
        if self.kind == "camera":
            nodes = {"x": case.node, "ball": {"type": "sphere", "parms": {"radius": 0.3}}}
        return {"rivulet": 1, "fps": 24, "frames": [1, self.frame], "metersperunit": 1, "nodes": nodes}, outs, reader is not None

    def look(self, case, uses, frame):
        scene, outs, motion = self.scene(case, uses)
        key = json.dumps([scene, outs, motion, frame], sort_keys=True)
        if key not in self.cooked:
            if self.kind == "camera":
                self.cooked[key] = pictures(scene, 1)
            elif self.kind in ("file", "filecache") or uses.get("disk"):
                self.cooked[key] = files(scene, 2)
            else:
                self.cooked[key] = digest(scene, outs, frame, motion)
        return self.cooked[key]

    def base(self, row, uses):
        """The node with all conditions of the parameter false, and what it needs."""
        case = Case(self.table, self.node)
        for token, value in uses.get("parms", {}).items():
            case.put(token, value)
        if "inputs" in uses:
            case.node["inputs"] = uses["inputs"]
        for key in ("disable_when", "hide_when"):
            for block in alternatives(row[key]) if key in row else []:
                if all(self.holds(case, clause) for clause in block):
                    case.hold(block[0], False)
        return case

    @staticmethod
    def holds(case, clause):
        name, operator, value = clause
        if name.startswith("hasinput("):
            index, inputs = int(name[len("hasinput("):-1]), case.node.get("inputs", [])
            equal = (len(inputs) > index and inputs[index] is not None) == (value == "1")
        else:
            now = case.get(name)
            now = "1" if now is True else "0" if now is False else now
            try:
                equal = float(now) == float(value)
            except (TypeError, ValueError):
                equal = str(now) == value
        return equal == (operator == "==")

    def dead(self, row):
        """None if the parameter has an effect; else what was tried. One step of a solver shows most, two the others."""
        name = "%s.%s" % (self.kind, row["token"])
        uses = USES.get(name) or USES.get("*.%s" % row["token"]) or USES.get("%s.*" % self.kind) or {}
        case, tried, refused = self.base(row, uses), [], None
        for frame in sorted({min(self.frame, 2), self.frame}):
            before = self.look(case, uses, frame)
            if isinstance(before, str) and before.startswith("error"):
                return "the scene that should use it does not cook: %s" % before[:200]
            for value in VALUES.get(name, []) + values(row, case.get(row["token"])):
                changed = copy.deepcopy(case)
                changed.put(row["token"], value)
                after = self.look(changed, uses, frame)
                # A refused value is no effect while another one cooks: it may be out of the table's range, or meet a check alone.
                if isinstance(after, str) and after.startswith("error"):
                    refused = after
                    continue
                if after != before:
                    return None
                tried.append(value)
        if refused and not tried:
            return None  # every other value is refused with a reason
        return "tried %s" % tried

    def run(self):
        """[(name, what was tried)] of the parameters without effect, and the number of parameters."""
        found, count = [], 0
        for row in self.table["parms"]:
            name = "%s.%s" % (self.kind, row["token"])
            if row["type"] in ("button", "folder") or name in TOLD or "*.%s" % row["token"] in TOLD:
                continue
            count += 1
            what = self.dead(row)
            if what:
                found.append((name, what))
        return found, count


def main():
    known, found, count = tables(), [], 0
    chosen = [word for word in sys.argv[1:] if not word.startswith("--")] or list(known)
    lib.threads_set(1)
    os.makedirs(os.path.join(FOLDER, "seed"))
    rivulet.Scene.parse(json.dumps({"rivulet": 1, "nodes": {"b": {"type": "box"}}})).cook("b").save(os.path.join(FOLDER, "seed", "seed.0001.bgeo.sc"))
    shutil.copy(os.path.join(TOP, "docs", "scenes", "nodes", "file.geo"), FOLDER)
    shutil.copy(os.path.join(FOLDER, "seed", "seed.0001.bgeo.sc"), os.path.join(FOLDER, "other"))
    for kind in chosen:
        before = os.times()
        dead, tried = Sweep(known[kind]).run()
        after = os.times()
        spent = after.user + after.children_user - before.user - before.children_user
        print("%-14s %3d parameters, %d without effect, %.1f s" % (kind, tried, len(dead), spent), flush=True)
        found += dead
        count += tried
    shutil.rmtree(FOLDER)
    for name, what in found:
        print("%s alters neither output nor picture (%s)" % (name, what))
    if not found:
        print("all %d parameters have an effect" % count)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
