"""Reads a node tree of Blender as records for the scene file, with the values and keys that the artist set."""
from rivulet import nodes

from . import keys, numbers, schema, scenefile
from .blender_nodes import InputNode, RivuletNodeOutput
from .node_types import TableNode


def fcurves_of(data):
    """F-curves of a data-block, by (data path, index). From Blender 4.4 on an action has layers."""
    animation = data.animation_data
    action = animation.action if animation else None
    if action is None:
        return {}
    found = getattr(action, "fcurves", None)
    if found is None or (not len(found) and getattr(action, "layers", None)):
        found = [curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags
                 if getattr(animation, "action_slot", None) is None or bag.slot == animation.action_slot
                 for curve in bag.fcurves]
    return {(curve.data_path, curve.array_index): curve for curve in found if not curve.mute}


def drivers_of(data):
    """(data path, index) of all drivers."""
    animation = data.animation_data
    return {(curve.data_path, curve.array_index) for curve in animation.drivers} if animation else set()


def _curve(fcurve):
    points = [(point.co[0], point.co[1], point.interpolation) for point in fcurve.keyframe_points]
    return keys.Curve(points, fcurve.evaluate, fcurve.extrapolation, bool(fcurve.modifiers) or not points)


def path_of(node, token):
    """Data path of a parameter, as animation has it."""
    name = node.name.replace("\\", "\\\\").replace('"', '\\"')
    return 'nodes["%s"].%s%s' % (name, schema.PREFIX, token)


def _plain(value, parm):
    """A value without animation, as a scene file has it."""
    if isinstance(value, list):
        return [_plain(part, dict(parm, size=1)) for part in value]
    return numbers.typed(value) if isinstance(value, float) else value


def _values(node, curves, frames, meters_per_unit):
    """Values and keys of a node's parameters that differ from the table's defaults."""
    found = {}
    for parm in nodes.find(node.rivulet_type).parms:
        token = parm["token"]
        if parm["type"] == "button":
            continue
        value, path = node.parameter(token), path_of(node, token)
        size = len(value) if isinstance(value, list) else 1
        animated = {index: curves[path, index] for index in range(size) if (path, index) in curves}
        if animated:
            parts = [keys.keys(_curve(animated[index]), *frames) if index in animated
                     else _plain(value[index] if size > 1 else value, parm) for index in range(size)]
            found[token] = parts if size > 1 else parts[0]
        elif not schema.is_default(parm, value, meters_per_unit):
            found[token] = _plain(value, parm)
    return found


def _wires(node):
    """(name, output) behind each input, or None."""
    found = []
    for socket in node.inputs:
        link = socket.links[0] if socket.links else None
        if link is None:
            found.append(None)
            continue
        outputs = [one.identifier for one in link.from_node.outputs]
        found.append((link.from_node.name, outputs.index(link.from_socket.identifier)))
    return found


def _record(node, curves, frames, meters_per_unit):
    if isinstance(node, TableNode):
        return scenefile.Record(node.name, scenefile.TABLE, node.rivulet_type, _wires(node),
                                _values(node, curves, frames, meters_per_unit), muted=node.mute)
    if isinstance(node, InputNode):
        return scenefile.Record(node.name, scenefile.INPUT, node.geometry, muted=node.mute, missing=node.missing(),
                                moving=node.motion == "ANIMATED")
    if isinstance(node, RivuletNodeOutput):
        return scenefile.Record(node.name, scenefile.OUTPUT, wires=_wires(node), muted=node.mute)
    if node.bl_idname == "NodeReroute":
        return scenefile.Record(node.name, scenefile.REROUTE, wires=_wires(node))
    return None


def _refuse_drivers(tree):
    """Blender evaluates the drivers of its own node trees only, so a driven value would silently stand still."""
    for path, _ in drivers_of(tree):
        for node in tree.nodes:
            if path.startswith(path_of(node, "")):
                raise scenefile.Fault(node.name, "the driver of %s has no effect in this editor: remove it and set keyframes" % (
                    path[len(path_of(node, "")):]))


def records_of(tree, scene):
    """All nodes of a tree as records."""
    _refuse_drivers(tree)
    frames, curves = (scene.frame_start, scene.frame_end), fcurves_of(tree)
    found = [_record(node, curves, frames, numbers.typed(scene.unit_settings.scale_length)) for node in tree.nodes]
    return [record for record in found if record is not None]


def build(records, scene):
    """The scene file of records; raises scenefile.Fault with the node that is wrong."""
    return scenefile.build(records, (scene.frame_start, scene.frame_end),
                           numbers.typed(scene.render.fps / scene.render.fps_base),
                           numbers.typed(scene.unit_settings.scale_length))


def scene_of(tree, scene):
    """The scene file of a tree."""
    return build(records_of(tree, scene), scene)
