"""Makes a scene that breaks a promise as small as it can be while it breaks the same promise."""
import json

import judge

# Cooks that one scene may cost.
TRIALS = 250


def write(scene, path):
    """Writes a scene with a node a line."""
    nodes = ",\n".join("    %s: %s" % (json.dumps(name), json.dumps(node)) for name, node in scene["nodes"].items())
    head = ", ".join("%s: %s" % (json.dumps(k), json.dumps(v)) for k, v in scene.items() if k != "nodes")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write('{ %s,\n  "nodes": {\n%s } }\n' % (head, nodes))


def without_node(scene, gone):
    """The scene without a node: those that read it read what it read, or nothing."""
    smaller = json.loads(json.dumps(scene))
    node = smaller["nodes"].pop(gone)
    above = (node.get("inputs") or [None])[0]
    for other in smaller["nodes"].values():
        inputs = [above if (ref or "").split(":")[0] == gone else ref for ref in other.get("inputs", [])]
        while inputs and inputs[-1] is None:
            inputs.pop()
        if inputs:
            other["inputs"] = inputs
        else:
            other.pop("inputs", None)
    return smaller


def with_change(scene, change):
    smaller = json.loads(json.dumps(scene))
    change(smaller)
    return smaller


def still(value):
    """A constant in place of keys or a wave: the first key, or the offset."""
    if isinstance(value, list):
        return [still(one) for one in value]
    if isinstance(value, dict):
        return value["keys"][0][1] if "keys" in value else value["wave"].get("offset", 0)
    return value


def smaller_scenes(scene):
    """Scenes that are one step smaller, the largest steps first."""
    for name in reversed(list(scene["nodes"])):
        if len(scene["nodes"]) > 1:
            yield without_node(scene, name)
    first, last = scene["frames"]
    for end in sorted({first, first + 1, last - 1}):
        if first <= end < last:
            yield with_change(scene, lambda s, end=end: s.update(frames=[first, end]))
    for key, usual in (("metersperunit", 1), ("fps", 24)):
        if scene.get(key) != usual:
            yield with_change(scene, lambda s, key=key, usual=usual: s.update({key: usual}))
    for name, node in scene["nodes"].items():
        for index, ref in enumerate(node.get("inputs", [])):
            if ref is not None:
                yield with_change(scene, lambda s, n=name, i=index: s["nodes"][n]["inputs"].__setitem__(i, None))
        parms = node.get("parms", {})
        if len(parms) > 3:
            yield with_change(scene, lambda s, n=name: s["nodes"][n].update(parms={}))
            half = list(parms)[: len(parms) // 2]
            yield with_change(scene, lambda s, n=name, h=half: [s["nodes"][n]["parms"].pop(t) for t in h])
            rest = list(parms)[len(parms) // 2:]
            yield with_change(scene, lambda s, n=name, h=rest: [s["nodes"][n]["parms"].pop(t) for t in h])
        for token, value in parms.items():
            yield with_change(scene, lambda s, n=name, t=token: s["nodes"][n]["parms"].pop(t))
            if still(value) != value:
                yield with_change(scene, lambda s, n=name, t=token, v=value: s["nodes"][n]["parms"].update({t: still(v)}))


def shrink(scene, table, kind, seed, kills=0):
    """The smallest scene found that breaks the promise `kind`."""
    tried, progress = 0, True
    plan = ((1, ""), (3, judge.INSTRUCTION_SETS[seed % 3])) if kind == "bits" else ((1, ""),)
    while progress and tried < TRIALS:
        progress = False
        for smaller in smaller_scenes(scene):
            tried += 1
            if judge.judge(smaller, table, seed, plan, kills).kind == kind:
                scene, progress = smaller, True
                break
            if tried >= TRIALS:
                break
    return scene
