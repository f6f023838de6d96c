"""The tools of the shelf that act on the selection: hair curves, meshes and particles become a simulation.

Select geometry objects, or nodes inside one. What a selected thing is follows from its geometry: open polygons are hair, closed ones a
mesh, points without primitives particles. Where several meshes are selected, the one that holds the roots of the hair is its skin, and
collides; the others are water.
"""
import hou
from rivulet_setups import add_node, show, wire

_LOOKED_AT = 500  # primitives that tell what a geometry is
_PARTICLES = 30000.0  # of the water at first: a preview; lower Particle Separation for the shot
_ABOVE = 2.0  # metres: height of the walls above the water


class Thing:
    """A selected geometry: its node and what it is."""

    def __init__(self, node):
        self.sop = node.displayNode() if node.type().category() == hou.objNodeTypeCategory() else node
        geometry = self.sop.geometry() if self.sop is not None else None
        prims = [prim for prim in (geometry.prims() if geometry is not None else [])[:_LOOKED_AT] if prim.type() == hou.primType.Polygon]
        open_ones = [prim for prim in prims if not prim.isClosed()]
        self.kind, self.roots, self.box = None, [], None
        if geometry is None:
            return
        if open_ones and 2 * len(open_ones) >= len(prims):
            self.kind = "hair"
            self.roots = [prim.vertex(0).point().position() for prim in open_ones]
        elif prims:
            self.kind = "mesh"
        elif geometry.intrinsicValue("pointcount") and not geometry.intrinsicValue("primitivecount"):
            self.kind = "particles"
        self.box = geometry.boundingBox()

    def low(self):
        return [self.box.minvec()[axis] for axis in range(3)]

    def high(self):
        return [self.box.maxvec()[axis] for axis in range(3)]

    def holds(self, roots):
        """Share of the roots in the box of the mesh, which is made a twentieth larger: roots are on the skin, or just above it."""
        low, high = self.low(), self.high()
        pad = 0.05 * max(b - a for a, b in zip(low, high))
        inside = [root for root in roots if all(a - pad <= root[k] <= b + pad for k, (a, b) in enumerate(zip(low, high)))]
        return len(inside) / float(len(roots)) if roots else 0.0


def _selection(needs, text):
    """The selected things by kind; None after a message where one of `needs` is missing."""
    found = {"hair": [], "mesh": [], "particles": []}
    for node in hou.selectedNodes():
        thing = Thing(node)
        if thing.kind:
            found[thing.kind].append(thing)
    missing = [kind for kind in needs if not found[kind]]
    if missing:
        hou.ui.displayMessage("Nothing was made. %s The selection has no %s." % (text, " and no ".join(missing)))
        return None
    return found


def _skin_and_water(meshes, roots):
    """The skin, or None, and the other meshes. A single mesh is water."""
    if len(meshes) < 2:
        return None, meshes
    skin = max(meshes, key=lambda mesh: mesh.holds(roots))
    if skin.holds(roots) < 0.5:
        return None, meshes
    return skin, [mesh for mesh in meshes if mesh is not skin]


def _fetch(parent, things, name):
    """Object merges of the things, moved to where they are in the scene; several are merged."""
    made = []
    for index, thing in enumerate(things):
        node = parent.createNode("object_merge", name if len(things) == 1 else "%s_%d" % (name, index + 1))
        node.parm("objpath1").set(thing.sop.path())
        node.parm("xformtype").set(1)  # into this object
        made.append(node)
    if len(made) == 1:
        return made[0]
    merge = parent.createNode("merge", name)
    wire(merge, made)
    return merge


def _finish(parent, node):
    show(parent, node)
    node.setSelected(True, clear_all_selected=True)
    return node


def _colliders(parent, meshes):
    return add_node(parent, "collider", "solids", [_fetch(parent, meshes, "meshes")]) if meshes else None


def wet_selected(kwargs):
    """Hair, and a mesh that is full of water; a skin collides."""
    found = _selection(("hair", "mesh"), "Select hair curves and a closed mesh, which is filled with water.")
    if found is None:
        return None
    roots = [root for thing in found["hair"] for root in thing.roots]
    skin, water = _skin_and_water(found["mesh"], roots)
    parent = hou.node("/obj").createNode("geo", "wet_hair")
    low = [min(mesh.low()[k] for mesh in water) for k in range(3)]
    high = [max(mesh.high()[k] for mesh in water) for k in range(3)]
    volume = 1.0
    for a, b in zip(low, high):
        volume *= max(b - a, 1e-4)
    hair = _fetch(parent, found["hair"], "hair")
    pool = add_node(parent, "fill", "pool", [_fetch(parent, water, "water")], particlesep=(volume / _PARTICLES) ** (1.0 / 3.0))
    solids = _colliders(parent, [skin] if skin else [])
    # The walls stand around the water and are open above, so that a pool stays a pool.
    return _finish(parent, add_node(parent, "wetsolver", "wet", [hair, pool, solids], walls=True, wallsmin=tuple(low),
                                 wallsmax=(high[0], high[1] + _ABOVE, high[2])))


def wet_by_particles(kwargs):
    """Hair, and particles of another simulation that wet it: a FLIP cache with P, v, pscale and id."""
    found = _selection(("hair", "particles"), "Select hair curves and the particles of a liquid.")
    if found is None:
        return None
    parent = hou.node("/obj").createNode("geo", "wet_by_particles")
    hair, liquid = _fetch(parent, found["hair"], "hair"), _fetch(parent, found["particles"], "liquid")
    return _finish(parent, add_node(parent, "wetsolver", "wet", [hair, liquid, _colliders(parent, found["mesh"])], liquidmode="cached"))


def simulate_selected(kwargs):
    """Dry hair; selected meshes collide."""
    found = _selection(("hair",), "Select hair curves, and the meshes that they collide with.")
    if found is None:
        return None
    parent = hou.node("/obj").createNode("geo", "hair_sim")
    return _finish(parent, add_node(parent, "strandsolver", "strands", [_fetch(parent, found["hair"], "hair"), _colliders(parent, found["mesh"])]))
