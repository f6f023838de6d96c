"""Random scenes: a seed gives a valid scene of any nodes of the table, with values over soft and hard ranges.

The nodes, their inputs and their parameters come from `rivulet nodes --json`, so that a new node or parameter takes part by
itself. Tables below say only what the node table does not: what an input of a name wants, and which numbers decide the work.
Every value has a generator of its own, seeded by the scene's seed, the node and the token: a new parameter leaves all other
values of all scenes as they are.
"""
import json
import math
import random
import re
import subprocess

# What an output of this name is. `geometry` is what came in, and a mesh where nothing did.
OUTPUT_KINDS = {"strands": "strands", "guides": "strands", "hairs": "strands", "curves": "strands", "particles": "particles",
                "liquid": "particles", "points": "particles", "source": "source", "collider": "collider",
                "surface": "vdb", "mesh": "mesh", "state": "state", "camera": "camera",
                "light": "light"}
# What an input of this name takes, the first most often. Inputs of other names take anything.
INPUT_KINDS = {"skin": ["mesh"], "rest": ["mesh"], "strands": ["strands"], "hairs": ["strands"], "guides": ["strands"],
               "partings": ["strands"], "liquid": ["particles"], "colliders": ["collider", "mesh", "vdb"], "sources": ["source"], "wind": ["vdb"],
               "shape": ["mesh", "mesh", "vdb"]}
# Nodes whose shape must have an inside; generators of meshes that have none.
NEEDS_INSIDE, OPEN_MESHES = ("fill",), ("grid", "file")
ANY = ["strands", "mesh", "particles", "strands", "mesh", "collider", "vdb", "source", "camera", "light"]

# Numbers that decide the work: the most that a scene takes. Other parameters are free.
MOST = {"count": 24, "points": 14, "rows": 9, "cols": 12, "freq": 3, "divrate": 3, "step": 6, "substeps": 5,
        "maxsubsteps": 16, "niter": 30, "collisionsiter": 200, "strandsubsteps": 3, "resx": 64, "resy": 64, "band": 10,
        "divisions": 32, "radiusscale": 3}
# Particles of one fill or source, by estimate.
PARTICLES = 900
# Tokens that are a spacing of particles or voxels: a part of the scene's length, never a free number.
SPACINGS = ("particlesep", "voxelsize", "clumpsize")
# Metres: sizes and places scale with the scene where their slider reaches at least this far.
SHAPE_LENGTH = 0.1

# Attributes that nodes read: name, numbers, storage, lowest and highest value.
ATTRIBUTES = [("hairradius", 1, "float", 1e-6, 2e-4), ("density", 1, "float", 100, 2000), ("youngs", 1, "float", 1e6, 6e9),
              ("shear", 1, "float", 1e6, 3e9), ("damping", 1, "float", 0, 1e7), ("stiffness", 1, "float", 0.01, 10),
              ("pintoanimation", 1, "float", 0, 1), ("targetweight", 1, "float", 0, 1),
              ("hairsperguide", 1, "float", 1, 100), ("filmheight", 1, "float", 0, 2e-4), ("wetadd", 1, "float", 0, 1e-3),
              ("force", 3, "float", -1e-6, 1e-6), ("wind", 3, "float", -20, 20), ("v", 3, "float", -3, 3),
              ("width", 1, "float", 0, 1e-3), ("pscale", 1, "float", 1e-3, 0.02), ("viscosity", 1, "float", 0, 10),
              ("id", 1, "int", 0, 10), ("rest", 3, "float", -0.2, 0.2), ("clumpid", 1, "int", -1, 4), ("wetness", 1, "float", 0, 1),
              ("capacity", 1, "float", 0, 4), ("absorbed", 1, "float", 0, 1), ("Cd", 3, "float", 0, 1),
              ("attrib1", 1, "double", -1, 1)]
# Attributes of the particles at the start that say what they are, for solvers whose input tells of them: type, and values.
LABELS = {"phase": ("int", [0, 1]), "bubbleid": ("int", [0, 1, 2]), "bodyid": ("int", [0, 1, 2]),
          "material": ("string", ["", "water", "honey", "cream", "paint"])}
LABELLED = 0.3
# Files of the tests that the node `file` may read, beside the scene, and what they are.
FILES = [("bgeo/cube_multi_groups_15.bgeo", "mesh"), ("bgeo/grid_16_5.bgeo", "mesh"),
         ("bgeo/points_noprim_16_5.bgeo", "particles"), ("bgeo/simple_partanim_16_5.bgeo", "particles"),
         ("bgeo/vol_16.bgeo", "vdb"), ("bgeo/cubes_connectivity.geo", "mesh")]
# Files without faces, or with none that a node takes: they are read in the place of others now and then.
ODD_FILES = ["bgeo/sphere_16.bgeo", "bgeo/pack1_16.bgeo", "bgeo/empty_15.bgeo"]
# m: the largest of these files is a grid of this size.
FILE_EXTENT = 10.0
ENDINGS = {"vdb": ["vdb"], "strands": ["bgeo.sc", "bgeo", "geo", "usda", "vtp"], "mesh": ["bgeo.sc", "usda", "vtp", "geo"]}
# Solvers of one scene: each multiplies the work.
MOST_SOLVERS = 3
DEPTH = 4


def node_table(rivulet):
    """The nodes of the program by type."""
    done = subprocess.run([rivulet, "nodes", "--json"], capture_output=True, text=True, check=True)
    return {node["type"]: node for node in json.loads(done.stdout)}


class Dice:
    """Random numbers that depend on a text alone, the same on every machine and for every version of Python."""

    def __init__(self, *words):
        self.random = random.Random("/".join(map(str, words))).random

    def chance(self, share):
        return self.random() < share

    def between(self, low, high):
        return low + (high - low) * self.random()

    def log(self, low, high):
        return math.exp(self.between(math.log(low), math.log(high)))

    def whole(self, low, high):
        return low + int((high - low + 1) * self.random())

    def one(self, items):
        return items[int(len(items) * self.random())]


def tidy(value):
    """A number of five digits, so that scenes are short to read."""
    return float("%.5g" % value)


class Values:
    """Values of parameters of one scene."""

    def __init__(self, seed, length, frames):
        self.seed, self.length, self.frames = seed, length, frames
        # half of the scenes are what an artist sets, the others leave the sliders more and more often
        self.wild = Dice(seed, "wild").one([0.01, 0.01, 0.01, 0.05, 0.05, 0.2])

    def number(self, parm, dice):
        """A number of the parameter's range: within the slider mostly, at its ends or beyond them sometimes."""
        low, high, default = parm["min"], parm["max"], parm["default"]
        default = default if isinstance(default, (int, float)) else default[0]
        if parm["unit"] == "m" and high >= SHAPE_LENGTH:
            low, high = (0 if low >= 0 else -self.length), self.length
        if parm["token"] in ("s", "scale"):
            low, high = 0.5, 1.5
        turn = dice.random() / self.wild
        if turn < 0.5:
            value = dice.one([low, high])
        elif turn < 0.8 and not parm["hard_max"]:
            value = high * dice.one([3, 10, 1000])
        elif turn < 1 and not parm["hard_min"] and low:
            value = low * dice.one([3, 10, 1000])
        elif low > 0 and high / low > 100:
            value = dice.log(low, high)
        elif low == 0 and default and default < 0.02 * high:
            value = dice.log(default * 1e-2, high)
        else:
            value = dice.between(low, high)
        value = max(value, parm["min"]) if parm["hard_min"] else value
        value = min(value, parm["max"]) if parm["hard_max"] else value
        return tidy(min(value, MOST.get(parm["token"], value)))

    def whole(self, parm, dice):
        low, high = parm["min"], parm["max"]
        most = MOST.get(parm["token"], max(low + 20, 2 * parm["default"] if isinstance(parm["default"], int) else 0))
        if parm["token"] == "startframe":
            return dice.whole(self.frames[0] - 1, self.frames[1])
        return dice.whole(low, int(min(high, most)))

    def ramp(self, dice):
        places = sorted({tidy(dice.random()) for _ in range(dice.whole(1, 4))})
        wild = dice.chance(0.1)
        return ", ".join("%g %g %s" % (p, tidy(dice.between(-2, 5) if wild else dice.random()),
                                       dice.one(["linear", "smooth", "constant"])) for p in places)

    def constant(self, parm, dice):
        """One number of the parameter, or one value of another type."""
        kind = parm["type"]
        if kind == "float" and parm["token"] in SPACINGS:
            return tidy(self.length / dice.between(5, 20))
        if kind == "float":
            return self.number(parm, dice)
        if kind == "int":
            return self.whole(parm, dice)
        if kind == "toggle":
            return dice.chance(0.5)
        if kind == "menu":
            return dice.one(parm["menu"])["token"]
        if kind == "ramp":
            return self.ramp(dice)
        return tidy(dice.random())

    def animated(self, parm, dice):
        """Keys or a wave of one number."""
        first, last = self.frames
        if dice.chance(0.6) or parm["type"] != "float":
            frames = sorted({dice.whole(first - 1, last + 1) for _ in range(dice.whole(2, 3))})
            keys = [[frame, self.constant(parm, dice)] for frame in frames]
            # a line that goes on leaves the range sooner or later
            bounded = (parm["hard_min"] or parm["hard_max"]) and not dice.chance(self.wild)
            return {"keys": keys, "interp": dice.one(["constant", "linear", "smooth"]),
                    "extend": dice.one(["hold"] * 6 + ["cycle", "cycle", "hold" if bounded else "linear"])}
        a, b = self.constant(parm, dice), self.constant(parm, dice)
        return {"wave": {"amplitude": tidy(abs(a - b) / 2), "offset": tidy((a + b) / 2),
                         "frequency": tidy(dice.log(0.2, 8)), "phase": dice.whole(0, 360)}}

    def value(self, parm, dice, moving):
        """A value of the parameter, constant or animated."""
        may_move = parm["type"] in ("float", "int") and parm["token"] not in SPACINGS and parm["token"] not in MOST
        if parm["size"] <= 1:
            return self.animated(parm, dice) if may_move and dice.chance(moving) else self.constant(parm, dice)
        values = [self.constant(parm, dice) for _ in range(parm["size"])]
        if may_move and dice.chance(moving):
            values[dice.whole(0, parm["size"] - 1)] = self.animated(parm, dice)
        return values


class Thing:
    """An output that others may read: its reference, its kind, about how far it reaches, the spacing of its particles, and
    the mesh that it grew on."""

    def __init__(self, ref, kind, extent, spacing=0.0, skin=None):
        self.ref, self.kind, self.extent, self.spacing, self.skin = ref, kind, extent, spacing, skin


class Scene:
    """Composes one scene."""

    def __init__(self, table, seed):
        dice = Dice(seed, "scene")
        self.table, self.seed, self.dice = table, seed, dice
        first = dice.one([1, 1, 1, 2, 10])
        self.frames = [first, first + dice.whole(1, 4)]
        self.fps = dice.one([24, 24, 24, 25, 30, 60, 12, 120])
        self.metersperunit = dice.one([1] * 8 + [0.01, 0.1, 10])
        metres = dice.log(0.01, 0.5)
        self.length = tidy(metres / self.metersperunit)
        self.values = Values(seed, self.length, self.frames)
        self.nodes, self.things, self.solvers = {}, [], 0

    # - values

    def parms(self, name, kind, given):
        """Values of a node: most parameters at their default, a few of them anything."""
        busy = Dice(self.seed, name, kind).one([0.1, 0.25, 0.5])
        # a level set whose values move is made anew at every substep, so they do not
        level_set = {OUTPUT_KINDS.get(port["name"]) for port in self.table[kind]["outputs"]} & {"vdb", "collider"}
        # and a mesh whose size moves makes one of its collider, so they do so rarely
        mesh = "generator" in self.table[kind]["flags"] and self.table[kind]["outputs"][0]["name"] == "geometry"
        moving = 0.5 if kind == "transform" else 0 if level_set else 0.01 if mesh else 0.06
        found = {}
        for parm in self.table[kind]["parms"]:
            token = parm["token"]
            dice = Dice(self.seed, name, token)
            if token in given:
                found[token] = given[token]
            elif parm["type"] in ("button", "string", "file"):
                continue
            elif token in MOST or (parm["unit"] == "m" and parm["max"] >= SHAPE_LENGTH and token not in SPACINGS) \
                    or kind in ("transform",) and parm["type"] == "float" or dice.chance(busy):
                # a scale that moves makes a new level set of a collider at every substep, so it is rare
                found[token] = self.values.value(parm, dice, self.values.wild if token in ("s", "scale") else moving)
        return found

    def sound(self, name, kind):
        """Values without which a node refuses its work, mostly: the table has them among others that are as good."""
        dice = Dice(self.seed, name, "sound")
        if dice.chance(self.values.wild):
            return {}
        if "solver" in self.table[kind]["flags"] and dice.chance(0.8):
            # frames before the first are cooked as well, and cost as much
            return {"startframe": self.frames[0]}
        if kind == "curve":
            # a closed curve is a face, and no strand
            return {"close": False}
        if kind == "surface":
            # below this the surface takes more than it may, however small it is
            return {"memorylimit": tidy(dice.log(0.2, 4))}
        return {}

    def strings(self, name, kind):
        """Texts that are not at their default, rarely: names of groups and of materials, right and wrong ones."""
        found = {}
        for parm in self.table[kind]["parms"]:
            dice = Dice(self.seed, name, parm["token"])
            # a name of an attribute that is not there is refused, mostly
            rare = 16 if parm["token"].endswith("attrib") else 4
            if parm["type"] != "string" or not dice.chance(self.values.wild / rare):
                continue
            if parm["token"].endswith("group"):
                found[parm["token"]] = dice.one(["group1", "0-3", "0-3", "*", "*", "*", "nothing"])
            elif parm["token"] == "material":
                found[parm["token"]] = dice.one(["water", "mud", "no such liquid"])
            elif parm["token"].endswith("attrib"):
                found[parm["token"]] = dice.one(["attrib1", "Cd", "v", ""])
        return found

    # - composition

    def add(self, kind, inputs, given, out_kind, extent, **more):
        """Adds a node; its first output."""
        name = "%s%d" % (kind, len(self.nodes) + 1)
        while inputs and inputs[-1] is None:
            inputs.pop()
        node = {"type": kind}
        if inputs:
            node["inputs"] = [thing.ref if thing else None for thing in inputs]
        parms = self.parms(name, kind, {**self.strings(name, kind), **self.sound(name, kind), **given})
        node["parms"] = self.bounded(kind, parms, inputs)
        self.nodes[name] = node
        extent = self.reach(node["parms"], extent)
        made = None
        spacing = more.get("spacing") or node["parms"].get("particlesep", 0) or max((t.spacing for t in inputs if t), default=0)
        for index, port in enumerate(self.table[kind]["outputs"]):
            kind_of = out_kind if port["name"] == "geometry" else OUTPUT_KINDS.get(port["name"], out_kind)
            if self.empty(kind, port["name"], inputs):
                kind_of = "nothing"
            thing = Thing(name + (":%d" % (index + 1) if index else ""), kind_of, extent, spacing, more.get("skin"))
            self.things.append(thing)
            made = made or thing
        return made

    def empty(self, kind, output, inputs):
        """Whether an output of a solver has nothing in it: it has no input of this name, or none is wired to it."""
        names = [port["name"] for port in self.table[kind]["inputs"]]
        if "solver" not in self.table[kind]["flags"] or output not in ("strands", "liquid"):
            return False
        at = names.index(output) if output in names else len(inputs)
        wired = at < len(inputs) and inputs[at]
        # liquid comes from sources and drips too
        return not wired if output == "strands" else output not in names

    def reach(self, parms, extent):
        """How far a node's geometry may reach: its sizes and scales, whatever they are called."""
        for token, value in parms.items():
            values = value if isinstance(value, list) else [value]
            for one in values:
                top = max([abs(k[1]) for k in one["keys"]]) if isinstance(one, dict) and "keys" in one else \
                    abs(one["wave"]["amplitude"]) + abs(one["wave"]["offset"]) if isinstance(one, dict) else one
                if isinstance(top, bool) or not isinstance(top, (int, float)):
                    continue
                if token in ("s", "scale"):
                    extent *= max(1, abs(top))
                elif token in ("size", "rad", "radius", "height", "length", "dist"):
                    extent = max(extent, abs(top))
        return extent

    def bounded(self, kind, parms, inputs):
        """The values with their work bounded: spacings and rates by the size of what is filled."""
        reach = max([self.length / 4] + [t.extent for t in inputs if t])
        finest = tidy(2 * reach / PARTICLES ** (1 / 3))
        if kind in ("fill", "source") and not inputs:
            reach = self.reach(parms, 0)
            sides = [one for one in parms.get("size", []) if isinstance(one, (int, float)) and one > 0] + [reach] * 3
            finest = tidy(max(1e-12, sides[0] * sides[1] * sides[2] / PARTICLES) ** (1 / 3))
        tokens = {p["token"] for p in self.table[kind]["parms"]}
        sources = [t for t in inputs if t and t.kind == "source"]
        unspaced = any(t and t.kind == "particles" and not t.spacing for t in inputs)
        if "particlesep" in tokens and (kind == "fill" or sources or unspaced):
            least = tidy(max([finest] + [t.spacing for t in inputs if t]))
            parms["particlesep"] = max(least, parms.get("particlesep", 0))
        elif "particlesep" in parms:
            parms["particlesep"] = max(finest / 2, parms["particlesep"])
        for token in ("voxelsize", "clumpsize"):
            if token in parms:
                parms[token] = max(tidy(reach / 40), parms[token])
        if "rate" in tokens:
            # The solver's spacing is at least as coarse as the region needs, so no more particles come in a scene. The rate is
            # in cubic metres a second, whatever the unit of the scene.
            seconds = (self.frames[1] - self.frames[0] + 1) / self.fps
            most = PARTICLES * (finest * self.metersperunit) ** 3 / seconds
            parms["rate"] = tidy(most * Dice(self.seed, "rate").random())
        if "dropsize" in parms:
            # each drop is a particle
            size = parms["dropsize"]
            parms["dropsize"] = max(finest, size) if isinstance(size, (int, float)) else finest
        # a yield stress needs a shear modulus and that a viscosity: one of them alone is refused
        dice = Dice(self.seed, len(self.nodes), "yields")
        if "shearmodulus" in tokens and not dice.chance(0.05):
            if parms.get("yieldstress") and not parms.get("shearmodulus"):
                parms["shearmodulus"] = tidy(dice.log(100, 2000))
            if parms.get("shearmodulus") and not parms.get("viscosity"):
                parms["viscosity"] = tidy(dice.log(0.1, 20))
        if "density" in tokens and "method" in tokens:
            parms["density"] = tidy(MOST["count"] / reach ** 2)
            parms["method"] = "density" if self.dice.chance(0.05) else "count"
        if kind == "source" and inputs and inputs[0] and inputs[0].kind == "vdb":
            parms["mode"] = "sink" if self.dice.chance(0.3) else "fill"
        elif kind == "source" and parms.get("mode") == "sink" and not self.closed(inputs) and not self.dice.chance(self.values.wild):
            # a sink needs an inside
            del parms["mode"]
        if "isovalue" in parms and not self.dice.chance(self.values.wild):
            del parms["isovalue"]
        self.ordered(kind, parms)
        return parms

    def closed(self, inputs):
        """Whether the first input is a mesh that has an inside, by the node that made it."""
        made = self.nodes[inputs[0].ref.split(":")[0]] if inputs and inputs[0] else {"type": "grid"}
        return inputs and inputs[0] and inputs[0].kind == "mesh" and made["type"] not in OPEN_MESHES and made["parms"].get("cap", True)

    def ordered(self, kind, parms):
        """Puts the two corners of a box in order, mostly: the lower numbers into the lower corner."""
        for parm in self.table[kind]["parms"]:
            token = parm["token"]
            other = token[:-3] + ("max" if token.endswith("min") else "min")
            if token.endswith(("min", "max")) and parm["size"] > 1 and other in parms and token not in parms:
                parms[token] = list(parm["default"])
        for token in [t for t in parms if t.endswith("min") and t[:-3] + "max" in parms]:
            low, high = parms[token], parms[token[:-3] + "max"]
            numbers = isinstance(low, list) and all(isinstance(v, (int, float)) for v in low + high)
            if numbers and not self.dice.chance(self.values.wild):
                parms[token] = [min(pair) for pair in zip(low, high)]
                parms[token[:-3] + "max"] = [max(pair) + 0.1 * self.length for pair in zip(low, high)]

    def wanted(self, kinds, depth):
        """A thing of one of the kinds: one that is there, or a new one."""
        kind = self.dice.one(kinds)
        there = [t for t in self.things if t.kind == kind]
        if there and self.dice.chance(0.35):
            return self.dice.one(there)
        thing = self.make(kind, depth)
        if thing and depth < DEPTH and self.dice.chance(0.35):
            thing = self.wrapped(thing)
        return thing

    def makers(self, kind, depth):
        """Types of nodes of which an output is of this kind; deep in the graph only those that need nothing."""
        found = []
        for type_name, node in self.table.items():
            # an output of strands or liquid that a solver has no input for is empty
            fitting = [p["name"] for p in node["outputs"] if OUTPUT_KINDS.get(p["name"]) == kind and
                       ("solver" not in node["flags"] or p["name"] == "state" or p["name"] in [i["name"] for i in node["inputs"]])]
            if fitting or kind == "mesh" and \
                    "generator" in node["flags"] and not node["inputs"] and node["outputs"][0]["name"] == "geometry":
                solver = "solver" in node["flags"]
                if solver and (self.solvers >= MOST_SOLVERS or depth > 2) or depth >= DEPTH and "generator" not in node["flags"]:
                    continue
                found += [type_name] * (1 if solver else 3 if "generator" in node["flags"] else 1)
        return found

    def inside(self):
        """A new mesh that has an inside."""
        makers = [t for t in self.makers("mesh", DEPTH) if t not in OPEN_MESHES]
        kind = self.dice.one(makers)
        given = {"cap": True} if any(p["token"] == "cap" for p in self.table[kind]["parms"]) else {}
        return self.add(kind, [], given, "mesh", self.length / 4)

    def make(self, kind, depth):
        makers = self.makers(kind, depth)
        if kind in ("mesh", "particles") and self.dice.chance(0.06) and "file" in self.table:
            makers = ["file"]
        if not makers:
            # a level set is made of a shape, a collider of a mesh
            makers = [t for t, n in self.table.items() if any(OUTPUT_KINDS.get(p["name"]) == kind for p in n["outputs"])]
            makers = [t for t in makers if "solver" not in self.table[t]["flags"]]
        if not makers:
            return None
        before = len(self.things)
        self.node(self.dice.one(makers), depth + 1, kind)
        fitting = [t for t in self.things[before:] if t.kind == kind]
        if not fitting and kind == "strands":
            return self.add("curve", [], {}, "strands", self.length)
        return fitting[-1] if fitting else None

    def wrapped(self, thing):
        """The thing through a node that passes geometry on."""
        passing = [t for t, n in self.table.items() if n["inputs"] and n["inputs"][0]["name"] in ("geometry", "input1")
                   and n["outputs"][0]["name"] == "geometry"]
        kind = self.dice.one(passing + ["transform"] * 4 + ["attribute"] * 3)
        return self.passing(kind, [thing])

    def passing(self, kind, inputs):
        """A node that passes its first input on, with what such nodes want."""
        thing, given, name = inputs[0], {}, "%s%d" % (kind, len(self.nodes) + 1)
        dice = Dice(self.seed, name, "given")
        if kind == "attribute":
            given = self.attribute(dice)
        elif kind == "filecache":
            ending = dice.one(ENDINGS.get(thing.kind, ["bgeo.sc", "bgeo"]))
            given = {"file": "$OUT/$OS.$F4." + ending, "loadfromdisk": dice.chance(0.01)}
        elif kind == "blast":
            given = {"group": dice.one(["0", "0", "1", "0-2", "1 3"])}
        elif kind == "group":
            given = {"ids": dice.one(["", "0", "0-3", "1 3 5"])}
        elif kind == "merge":
            while len(inputs) < 3 and dice.chance(0.6):
                inputs.append(dice.one(self.things))
        elif kind == "material":
            given = {"kind": "liquid" if thing.kind == "particles" else "hair"}
        elif kind == "lookmaterial" and not dice.chance(self.values.wild):
            given = {"kind": {"strands": "hair", "particles": "water", "vdb": "water"}.get(thing.kind) or dice.one(["skin", "solid"])}
        elif kind == "transform" and thing.kind != "mesh" and dice.chance(0.5):
            given = {"s": [1, 1, 1], "scale": 1}
        return self.add(kind, inputs, given, thing.kind, max(t.extent for t in inputs if t), skin=thing.skin)

    def attribute(self, dice):
        """Values of a node `attribute`: an attribute that other nodes read, in its range mostly."""
        name, size, storage, low, high = dice.one(ATTRIBUTES)
        if dice.chance(self.values.wild):
            low, high = dice.one([(-abs(high), high), (low, 1e3 * high), (0, 0), (1e38, 1e60)])
        values = [[tidy(dice.between(low, high)) for _ in range(size)] + [0] * (4 - size) for _ in range(2)]
        given = {"name": name, "size": size, "type": storage, "class": dice.one(["point"] * 6 + ["prim", "detail", "vertex"]),
                 "mode": dice.one(["constant", "constant", "random", "ramp"]), "value": values[0], "valuemax": values[1],
                 "typeinfo": "none"}
        if dice.chance(0.05):
            given["type"], given["size"] = dice.one(["int", "string", "int64", "double"]), dice.whole(1, 4)
        if given["mode"] == "ramp" and (given["class"] != "point" or given["type"] == "string"):
            given["mode"] = "constant"
        if given["mode"] == "ramp":
            given["ramp"] = ", ".join("%g %g linear" % (p, tidy(dice.between(low, high))) for p in (0, 0.5, 1))
        return given

    def companions(self, kind, depth):
        """Inputs that belong together: strands with the skin that they grew on. None where any inputs will do."""
        if kind not in ("deform", "transfer") or self.dice.chance(self.values.wild) or "groom" not in self.table:
            return None
        mesh = self.make("mesh", DEPTH)
        hair = self.add("groom", [mesh], {}, "strands", mesh.extent, skin=mesh)
        if kind == "deform":
            return [hair, mesh, self.passing("transform", [mesh])]
        guides = self.add("guides", [hair], {"step": self.dice.whole(1, 4)}, "strands", hair.extent, skin=mesh)
        moved = self.passing("transform", [guides])
        if self.solvers < MOST_SOLVERS and self.dice.chance(0.5):
            self.solvers += 1
            moved = self.add("strandsolver", [moved], {}, "strands", hair.extent)
        return [hair, guides if self.dice.chance(0.8) else None, moved, None]

    def node(self, kind, depth, wanted=None):
        """Adds a node of a type, with its inputs; its first output. A file is chosen for the kind that is wanted."""
        entry = self.table[kind]
        if "solver" in entry["flags"]:
            self.solvers += 1
        if kind == "file":
            path, what = self.dice.one([f for f in FILES if f[1] == wanted] or FILES)
            path = self.dice.one(ODD_FILES) if self.dice.chance(self.values.wild) else path
            return self.add(kind, [], {"file": "$HIP/" + path}, what, FILE_EXTENT)
        inputs = self.companions(kind, depth)
        if inputs is None:
            inputs = []
            for index, port in enumerate(entry["inputs"]):
                share = 1 if port["required"] else 0.75 if index < 2 else 0.4 if depth < 2 else 0.2
                wired = self.dice.chance(0.5 if "generator" in entry["flags"] and not port["required"] else share)
                thing = self.wanted(self.taken(entry, index), depth) if wired else None
                if thing and kind in NEEDS_INSIDE and thing.kind == "mesh" and not self.dice.chance(self.values.wild):
                    thing = self.inside()
                inputs.append(thing)
        if inputs and inputs[0] and entry["outputs"][0]["name"] == "geometry":
            return self.passing(kind, [t for t in inputs if t])
        extent = max([self.length / 4] + [t.extent for t in inputs if t])
        skin = inputs[0] if kind == "groom" and inputs else None
        # an output of several that is made only where a toggle of its name asks for it
        given = {wanted: True} if any(p["token"] == wanted and p["type"] == "toggle" for p in entry["parms"]) else {}
        return self.add(kind, inputs, given, "mesh", extent, skin=skin)

    def taken(self, entry, index):
        """Kinds of things for an input."""
        name = entry["inputs"][index]["name"]
        if entry["type"] == "surface":
            return ["state", "particles", "particles", "strands"]
        return INPUT_KINDS.get(name, ANY)

    def labelled(self):
        """Gives particles that go into solvers attributes that tell what they are: mixed, or parted by a plane. It comes last,
        so that all other values stay as they are."""
        for name, node in list(self.nodes.items()):
            ports = zip(self.table[node["type"]]["inputs"], node.get("inputs", []))
            liquid = next((at for at, (port, ref) in enumerate(ports) if port["name"] == "liquid" and ref), None)
            if "solver" not in self.table[node["type"]]["flags"] or liquid is None:
                continue
            told = set(re.findall(r"\w+", self.table[node["type"]]["inputs"][liquid]["help"]))
            for label in sorted(told & set(LABELS)):
                dice = Dice(self.seed, name, label)
                if dice.chance(LABELLED):
                    node["inputs"][liquid] = self.label(name, node["inputs"][liquid], label, dice)

    def label(self, solver, ref, label, dice):
        """A node that puts a label on what goes into a solver; its reference."""
        kind, values = LABELS[label]
        name = "%s_of_%s" % (label, solver)
        parms = {"name": label, "type": kind, "size": 1}
        if kind == "string":
            parms.update(mode="list", list=" ".join(dice.one(values) or "water" for _ in range(dice.whole(1, 5))))
        elif dice.chance(0.5):
            parms.update(mode="random", value=[values[0], 0, 0, 0], valuemax=[values[-1] + 1, 0, 0, 0])
        else:
            axis = [tidy(dice.between(-1, 1)) for _ in range(3)]
            parms.update(mode="axis", axis=axis, value=[1, 0, 0, 0],
                         ramp=", ".join("%g %d constant" % (tidy(at), dice.one(values)) for at in (0, dice.random())))
        self.nodes[name] = {"type": "attribute", "inputs": [ref], "parms": parms}
        return name

    def scene(self):
        """The whole scene, as a JSON object. The seed's turn chooses the node that the scene is about, so that some hundred
        seeds reach every type; solvers have two of three turns."""
        types = sorted(self.table)
        solvers = [t for t in types if "solver" in self.table[t]["flags"]]
        about = solvers[self.seed // 3 % len(solvers)] if self.seed % 3 else types[self.seed // 3 % len(types)]
        self.node(about, 0)
        if self.dice.chance(0.3):
            self.wrapped(self.things[-1])
        self.labelled()
        return {"rivulet": 1, "fps": self.fps, "frames": self.frames, "metersperunit": self.metersperunit, "nodes": self.nodes}


def make(table, seed):
    """The scene of a seed."""
    return Scene(table, seed).scene()
