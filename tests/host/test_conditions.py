"""A parameter that a dialog greys out or hides has no effect, and one that it shows may have one: no control lies.

For every condition of the node table (`rivulet nodes TYPE --json`, disable_when and hide_when) and every alternative in it, the
node's example network (docs/scenes/nodes) is cooked with the condition true: with the parameter as it is, and changed. All outputs
must be the same, byte by byte. With the condition false the change must show somewhere, except where a network that is this small
cannot show it (UNSEEN, each with its reason). The reader of conditions is the test's own.
"""
import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP, RIVULET = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", ".."), os.environ["RIVULET"]
FRAMES = 2  # one step of a solver: a parameter that is read changes bits in it
# types whose parameters are also tried while they are shown; those of solvers have tests of their own (tests/data/parameters.txt)
SHOWN = {"attribute", "camera", "curve", "fill", "groom", "group", "material", "source", "sphere", "wetness"}
# what the network of a type cannot show, and why
UNSEEN = {"groom.group": "the skin has no groups", "groom.densityattrib": "the skin has no attribute",
          "groom.lengthattrib": "the skin has no attribute", "groom.skinattribs": "the skin has no attribute", "groom.combattrib": "the skin has no attribute",
          "groom.avoidskin": "no strand meets the skin", "fill.vdbname": "the shape is a mesh", "fill.fogisovalue": "the shape is a mesh",
          "attribute.valuemax": "see seed", "source.inheritvel": "the shape stands still", "source.life": "longer than the run",
          "material.hairradius": "an attribute of strands that have it already", "wetness.seed": "hair without clumps",
          "wetness.clumpvary": "hair without clumps", "wetness.clumpsizeramp": "hair without clumps", "wetness.basecolor": "the hair has a colour"}
# Attributes that are there and not read: the flipbook draws a lens without blur where fstop is 0; a sink adds the names of
# attributes to the liquid, and no value.
CARRIED = {"camera.focus", "source.life", "source.material", "source.sourceid", "source.bubble"}
# values for texts that a node reads, and for boxes that must have an inside
OTHER = {"fill.size": [0.04, 0.06, 0.05], "attribute.boxmin": [-1, 0.005, -1], "attribute.boxmax": [1, 1, 1], "list": "0.25 0.5", "coords": "0 0 0, 0 1 0", "ids": "2-5", "wallsmin": [-0.02, -0.02, -0.02], "wallsmax": [0.02, 0.02, 0.02],
         "surfacetension": 0.05, "material.solids": 0.3, "killmin": [-0.02, -0.02, -0.02], "killmax": [0.02, 0.02, 0.02]}
BASE = {"fill": {"size": [0.05, 0.05, 0.05]}, "attribute": {"list": "0.5 0.75", "class": "point", "boxmin": [-1, -1, -1], "boxmax": [0.01, 0.01, 0.01]}, "filecache": {"missingframe": "empty"}, "curve": {"coords": "0 0 0, 1 0 0, 1 1 0"}, "group": {"ids": "0-2"}}
# nodes that a type's network gets besides, and what reads its output where the output itself only carries parameters
BESIDES = {"any_curve": {"type": "curve", "parms": {"points": 5, "dist": 0.05}},
           "any_shape": {"type": "box", "parms": {"size": [0.05, 0.05, 0.05]}},
           "any_pool": {"type": "fill", "parms": {"size": [0.04, 0.02, 0.04], "t": [0, 0.09, 0], "particlesep": 0.008}}}
# what is wired to an input, by type and number from 0; else any_shape
WIRED = {"groom": {1: "any_curve", 2: "any_curve"}}
READER = {"source": {"type": "liquidsolver", "inputs": ["any_pool", None, "READ"], "parms": {"particlesep": 0.008}}}


def tables():
    done = subprocess.run([RIVULET, "nodes", "--json"], capture_output=True, text=True, check=True)
    return {row["type"]: row for row in json.loads(done.stdout)}


def alternatives(condition):
    """[[(name, operator, value), ...], ...]: one of the lists must hold whole."""
    blocks = re.findall(r"\{ (.*?) \}(?= \{|$)", condition)
    assert "".join("{ %s } " % block for block in blocks).strip() == condition, condition
    found = []
    for block in blocks:
        words = block.split(" ")
        found.append([(words[i], words[i + 1], words[i + 2].strip('"')) for i in range(0, len(words), 3)])
    return found


def other(row, value):
    """A value of a parameter that is not `value`."""
    kind = row["type"]
    if kind == "toggle":
        return not value
    if kind == "menu":
        return next(item["token"] for item in row["menu"] if item["token"] != value)
    if kind in ("string", "file"):
        return "other" if value != "other" else ""
    if kind == "ramp":
        return "0 0.7 linear, 1 0.3 linear"
    numbers = value if isinstance(value, list) else [value]
    low, high = row.get("min", 0), row.get("max", 1)
    # between the value and the farther end of its range, so that it stays within
    moved = [n + 0.5 * ((high if high - n >= n - low else low) - n) for n in numbers]
    if kind == "int":
        moved = [int(m) if int(m) != n else int(n) + 1 for m, n in zip(moved, numbers)]
    return moved if isinstance(value, list) else moved[0]


class Case:
    """A node with parameters and wires set so that a condition holds or does not."""

    def __init__(self, table, node):
        self.table, self.node = table, copy.deepcopy(node)
        self.rows = {row["token"]: row for row in table["parms"]}

    def get(self, token):
        return self.node.get("parms", {}).get(token, self.rows[token].get("default"))

    def put(self, token, value):
        self.node.setdefault("parms", {})[token] = value

    def hold(self, clause, true):
        """Makes one comparison true or false."""
        name, operator, value = clause
        equal = true == (operator == "==")
        assert operator in ("==", "!="), clause
        if name.startswith("hasinput("):
            index = int(name[len("hasinput("):-1])
            wired = equal == (value == "1")
            inputs = self.node.get("inputs", [])
            if not wired and len(inputs) > index:
                inputs[index] = None
            if wired and not (len(inputs) > index and inputs[index]):
                self.node["inputs"] = inputs + [None] * (index + 1 - len(inputs))
                self.node["inputs"][index] = WIRED.get(self.table["type"], {}).get(index, "any_shape")
            return
        row = self.rows[name]
        meant = {"toggle": lambda: value == "1", "float": lambda: float(value), "int": lambda: int(value)}.get(row["type"], lambda: value)()
        now = self.get(name)
        if equal:
            self.put(name, meant)
        elif now == meant:
            self.put(name, other(row, now))


def cases(table, node):
    """(parameter, name, true, base node, changed node) of every condition."""
    for row in table["parms"]:
        blocks = [block for key in ("disable_when", "hide_when") if key in row for block in alternatives(row[key])]
        for k, block in enumerate(blocks):
            # this alternative alone, so that no other one hides its fault
            case, named = Case(table, node), {clause[0] for clause in block}
            for clause in [clause for other_block in blocks for clause in other_block if clause[0] not in named]:
                case.hold(clause, False)
            for clause in block:
                case.hold(clause, True)
            yield row["token"], "%s_off%d" % (row["token"], k), True, case
        if blocks and table["type"] in SHOWN and "%s.%s" % (table["type"], row["token"]) not in UNSEEN:
            case = Case(table, node)
            for block in blocks:
                for clause in block:
                    case.hold(clause, False)
            yield row["token"], row["token"] + "_on", False, case


def scene_of(type, table):
    """The example of a type, with a pair of nodes for each case, and files of all their outputs; and the list of pairs."""
    with open(os.path.join(TOP, "docs", "scenes", "nodes", type + ".json"), encoding="utf-8") as stream:
        scene = json.load(stream)
    name = next(key for key, node in scene["nodes"].items() if node["type"] == type)
    nodes = {key: node for key, node in scene["nodes"].items() if node["type"] != "filecache" or key == name}
    node, pairs = nodes.pop(name), []
    dead = True
    while dead:  # nodes below the one that is tried
        dead = [key for key, below in nodes.items() if any((wire or "").split(":")[0] not in nodes for wire in below.get("inputs", []) if wire)]
        for key in dead:
            del nodes[key]
    nodes.update(BESIDES)
    if type == "wetness":  # the attribute that its second driver reads
        nodes["driven"] = {"type": "attribute", "inputs": node["inputs"], "parms": {"name": "wetness", "value": [0.5, 0, 0, 0]}}
        node["inputs"] = ["driven"]
    node["parms"] = dict(node.get("parms", {}), **BASE.get(type, {}))
    for grown in [node] + list(nodes.values()):
        if grown["type"] == "groom":  # a few strands show as much as many
            grown["parms"]["count"] = min(grown["parms"]["count"], 20)
        if grown["type"] == "fill" and type != "fill":
            grown["parms"]["particlesep"] *= 2
    for token, case_name, true, case in cases(table, node):
        changed = copy.deepcopy(case)
        known = next((OTHER[key] for key in ("%s.%s" % (type, token), token) if key in OTHER), None)
        changed.put(token, other(case.rows[token], case.get(token)) if known is None else known)
        for what, one in (("a", case), ("b", changed)):
            nodes["%s_%s" % (case_name, what)] = one.node
            if "writes" in table["flags"]:
                one.put("file", "$OUT/own/%s_%s.$F4.geo" % (case_name, what))
            read = "%s_%s" % (case_name, what)
            if type in READER:
                nodes["read_" + read] = dict(READER[type], inputs=[read if wire == "READ" else wire for wire in READER[type]["inputs"]])
                read = "read_" + read
            for port in ((1, 2) if type in READER or "solver" in table["flags"] else range(1, len(table["outputs"]) + 1)):
                nodes["%s_%s_%d" % (case_name, what, port)] = {
                    "type": "filecache", "inputs": ["%s:%d" % (read, port)], "parms": {"file": "$OUT/$OS.$F4.geo"}}
        pairs.append((token, case_name, true))
    scene["nodes"] = nodes
    scene["frames"] = [1, FRAMES if "solver" in table["flags"] or type in READER else 1]
    return scene, pairs


def contents(folder, prefix):
    """What the files of one node hold, without its name."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.startswith(prefix + "_"):
            with open(os.path.join(folder, name), "rb") as stream:
                found[name[len(prefix):]] = stream.read()
    return found


def try_type(type, table, folder, wrong):
    scene, pairs = scene_of(type, table)
    if not pairs:
        return 0
    path, out = os.path.join(folder, type + ".json"), os.path.join(folder, type)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene, stream)
    done = subprocess.run([RIVULET, "cook", path, "--out", out, "--quiet", "--threads", "1"], capture_output=True, text=True, check=False)
    if done.returncode:
        wrong.append("%s does not cook: %s" % (type, done.stderr.strip()[-300:]))
        return 0
    for token, name, true in pairs:
        first, second = contents(out, name + "_a"), contents(out, name + "_b")
        if not first or set(first) != set(second):
            wrong.append("%s.%s: nothing was written" % (type, name))
        elif true and first != second and "%s.%s" % (type, token) not in CARRIED:
            wrong.append("%s.%s has an effect although its dialog says that it has none (%s)" % (type, token, name))
        elif not true and first == second:
            wrong.append("%s.%s has no effect although its dialog shows it" % (type, token))
    return len(pairs)


def main():
    wrong, count, folder = [], 0, tempfile.mkdtemp(prefix="rivulet_conditions_", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    known = tables()
    chosen = sys.argv[1:] or sorted(known)
    for type in chosen:
        tried = try_type(type, known[type], folder, wrong)
        print("%-14s %d cases" % (type, tried), flush=True)
        count += tried
    shutil.rmtree(folder)
    print("\n".join(wrong) or "%d cases of conditions hold" % count)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
