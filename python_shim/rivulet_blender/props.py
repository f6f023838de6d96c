"""The settings of the sidebar: objects, frames, and the parameters of the solvers as Blender properties, from the node table."""
import bpy
from bpy.props import (BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, IntVectorProperty,
                       PointerProperty, StringProperty)

import rivulet

from .graph import numbers, schema

SOLVERS = [row for row in rivulet.nodes.all() if "solver" in row.flags]
BIG = 3.0e38  # below the largest float: Blender stores limits as floats


def _limits(row, kind):
    """The range of a parameter as Blender's min and max (enforced) or soft_min and soft_max (slider only)."""
    found = {}
    for end, hard in (("min", "hard_min"), ("max", "hard_max")):
        value = row.get(end)
        if value is None:
            continue
        value = int(max(min(value, 2**31 - 1), -2**31)) if kind == "int" else max(min(float(value), BIG), -BIG)
        found[end if row.get(hard) else "soft_" + end] = value
    return found


def _default(row):
    value = row.get("default")
    return tuple(value) if isinstance(value, list) else value


def _float(row, words):
    """A number field. Lengths have Blender's unit, which shows 5e-05 as 50 micrometres."""
    words = dict(words, precision=numbers.decimals(row), **_limits(row, "float"))
    if row["unit"] == "m":
        words["unit"] = "LENGTH"
    if row["size"] == 1:
        return FloatProperty(default=_default(row), **words)
    return FloatVectorProperty(size=row["size"], default=_default(row), **words)


def _int(row, words):
    words = dict(words, **_limits(row, "int"))
    default = _default(row)
    if row["size"] == 1:
        return IntProperty(default=int(default), **words)
    return IntVectorProperty(size=row["size"], default=tuple(int(number) for number in default), **words)


def property_of(row):
    """The Blender property of a row of the table, or None for a button."""
    kind, default = row["type"], _default(row)
    words = {"name": row["label"], "description": schema.tooltip(row)}
    if kind == "toggle":
        return BoolProperty(default=bool(default), **words)
    if kind == "menu":
        return EnumProperty(items=[(item["token"], item["label"], "") for item in row["menu"]], default=default, **words)
    if kind == "color":
        return FloatVectorProperty(size=3, subtype="COLOR", default=default, **words)
    if kind == "float":
        return _float(row, words)
    if kind == "int":
        return _int(row, words)
    if kind in ("string", "ramp"):
        return StringProperty(default=default or "", **words)
    if kind == "file":
        return StringProperty(default=default or "", subtype="FILE_PATH", **words)
    return None


def _group(solver):
    """A PropertyGroup class with a property for every parameter of a solver."""
    made = {row["token"]: property_of(row) for row in solver.parms}
    return type("Rivulet_" + solver.type, (bpy.types.PropertyGroup,),
                {"__annotations__": {token: prop for token, prop in made.items() if prop is not None}})


GROUPS = {row.type: _group(row) for row in SOLVERS}


def _is_strands(_self, thing):
    return thing.type == "CURVES"


def _is_mesh(_self, thing):
    return thing.type == "MESH"


class RivuletSettings(bpy.types.PropertyGroup):
    """The settings of the add-on in a Blender scene."""
    __annotations__ = dict({
        "solver": EnumProperty(name="Solver", items=[(row.type, row.label, row.summary) for row in SOLVERS], default="wetsolver"),
        "advanced": BoolProperty(name="Advanced", default=False, description="Show the parameters that few shots need"),
        "strands": PointerProperty(name="Strands", type=bpy.types.Object, poll=_is_strands, description="Hair curves, root first"),
        "liquid": PointerProperty(name="Liquid", type=bpy.types.Object, poll=_is_mesh,
                                  description="A closed mesh that is full of liquid at the start frame"),
        "separation": FloatProperty(name="Particle Separation", default=0.01, min=1e-5, soft_max=0.1, precision=4,
                                    description="Spacing of the liquid's particles; smaller gives more detail and takes longer"),
        "colliders": PointerProperty(name="Colliders", type=bpy.types.Collection,
                                     description="Meshes that strands and liquid collide with; they may move"),
        "folder": StringProperty(name="Cache", default="//rivulet", subtype="DIR_PATH", description="Folder of the baked frames"),
        "status": StringProperty(name="Status", default="", options={"SKIP_SAVE"}),
        "running": BoolProperty(default=False, options={"SKIP_SAVE"}),
        "progress": FloatProperty(name="Baking", min=0, max=1, subtype="FACTOR", options={"SKIP_SAVE"}),
    }, **{name: PointerProperty(type=group) for name, group in GROUPS.items()})

    def values(self):
        """The parameters that the artist set, by token."""
        group = getattr(self, self.solver)
        found = {}
        for row in rivulet.nodes.find(self.solver).parms:
            token = row["token"]
            if token not in group.__annotations__ or not group.is_property_set(token):
                continue
            value = getattr(group, token)
            several = hasattr(value, "__len__") and not isinstance(value, str)
            parts = [numbers.typed(part) if isinstance(part, float) else part for part in (value if several else [value])]
            found[token] = tuple(parts) if several else parts[0]
        return found


def register():
    for group in GROUPS.values():
        bpy.utils.register_class(group)
    bpy.utils.register_class(RivuletSettings)
    bpy.types.Scene.rivulet = PointerProperty(type=RivuletSettings)


def unregister():
    del bpy.types.Scene.rivulet
    bpy.utils.unregister_class(RivuletSettings)
    for group in GROUPS.values():
        bpy.utils.unregister_class(group)
