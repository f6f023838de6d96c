"""The panels of the Blender add-on draw what the table says: hidden, greyed out, simple and advanced. A stand-in for bpy records
what is drawn; Blender itself is tested where it is installed (test_blender_addon)."""
import os
import sys
import types

sys.path.insert(0, os.path.join(os.environ["RV_SOURCE_DIR"], "tests", "support"))
from package import TOP  # noqa: E402


def stand_in():
    """A bpy with the few names that the two modules touch when they are loaded."""
    bpy = types.ModuleType("bpy")
    bpy.types = types.SimpleNamespace(Panel=object, PropertyGroup=object, Object=object, Collection=object, Scene=object)
    bpy.props = types.ModuleType("bpy.props")
    for name in ("Bool", "Enum", "Float", "FloatVector", "Int", "IntVector", "Pointer", "String"):
        setattr(bpy.props, name + "Property", lambda **words: words)
    sys.modules.update({"bpy": bpy, "bpy.props": bpy.props})
    package = types.ModuleType("rivulet_blender")
    package.__path__ = [os.path.join(TOP, "python_shim", "rivulet_blender")]
    sys.modules["rivulet_blender"] = package


stand_in()
from rivulet_blender import panels, props  # noqa: E402

import rivulet  # noqa: E402


class Layout:
    """Records what is drawn: token -> enabled, and all texts."""

    def __init__(self, drawn=None, texts=None):
        self.drawn, self.enabled = {} if drawn is None else drawn, True
        self.texts = [] if texts is None else texts

    def row(self, **_):
        return Layout(self.drawn, self.texts)

    def label(self, text):
        self.texts.append(text)

    def prop(self, _group, token, **_):
        self.drawn[token] = self.enabled


UNITS = types.SimpleNamespace(system="METRIC", scale_length=1.0)


def draw(solver, advanced, texts=None, **values):
    """What all panels draw for a solver with these values."""
    group = types.SimpleNamespace(__annotations__=props.GROUPS[solver].__annotations__)
    for row in rivulet.nodes.find(solver).parms:
        if row["token"] in group.__annotations__:
            setattr(group, row["token"], values.get(row["token"], row.get("default")))
    settings = types.SimpleNamespace(solver=solver, advanced=advanced, **{solver: group})
    layout = Layout(texts=texts)
    for panel in panels.PANELS[1:]:
        one = panel()
        one.layout = layout
        one.draw(types.SimpleNamespace(scene=types.SimpleNamespace(rivulet=settings, unit_settings=UNITS)))
    return layout.drawn


simple, everything = draw("wetsolver", False), draw("wetsolver", True)
assert "gravity" in simple and "particlesep" in simple and "integrator" not in simple and "gridscale" not in simple, simple
assert set(simple) < set(everything) and "integrator" in everything
# the walls are greyed out until they are asked for
assert everything["wallsmin"] is False and everything["wallnx"] is False and everything["walls"] is True
assert draw("wetsolver", True, walls=True)["wallsmin"] is True
# what belongs to another choice of a menu is not there
assert "restangle" in everything and "restangle" not in draw("wetsolver", True, restmode="natural")
moved = draw("wetsolver", True, hairmode="animated")
assert "niter" in everything and "niter" not in moved and "friction" not in moved and "gravity" in moved
assert "stick" in draw("liquidsolver", True) and draw("liquidsolver", True)["stick"] is False
assert draw("liquidsolver", True, viscosity=0.5)["stick"] is True
# conditions of inputs and several alternatives
source, groom = rivulet.nodes.find("source"), rivulet.nodes.find("groom")
assert source.view("vel", {"mode": "sink"}) == source.view("vel", {"velspace": "normal"}) == "hidden"
assert source.view("vel", {}) == "shown" and source.view("shape", {}, [True]) == "hidden" and source.view("shape", {}) == "shown"
assert groom.view("group", {}, [False]) == groom.view("group", {}) == "hidden" and groom.view("group", {}, [True]) == "shown"
assert rivulet.nodes.holds("{ a == 1 b != 2 }", {"a": 1, "b": 3}) and not rivulet.nodes.holds("{ a == 1 b != 2 }", {"a": 1, "b": 2})
assert rivulet.nodes.find("wetness").view("widthramp", {"widthattrib": ""}) == "disabled"
# a number that its field shows as zero has a text
said = []
draw("wetsolver", True, said, dragtangent=2.5e-7, dragnormal=5e-5)
assert "= 2.5e-07 kg/(m s)" in said and not any("5e-05" in text for text in said), said
print("%d simple and %d advanced parameters of the wet solver are drawn" % (len(simple), len(everything) - len(simple)))
