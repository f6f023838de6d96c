"""A bundle of hairs that is drawn out of a pool holds the column of the energy balance (bundles.py), and a dry one whose
tips stand in a pool draws it up from below, for three distances of hairs and two sizes of particles (WH-20, WH-31, E74)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import bundles  # noqa: E402
import scenes  # noqa: E402

# As for columns of painted film (test_bundle_column.py): 3% by the pressure law, 8% by the tips' drops, a vertex is 4%.
COLUMN = 0.15
# The pool's surface, which a column drawn up is measured from, is known to half a particle: 9% of the lowest column.
RESOLUTION = 0.15
FPS, DEPTH, WIDE = 24, 0.024, 0.02


def scene(d, angle, viscosity, sep, substeps, dip, lift):
    """Animated hair above a pool whose surface is at y = 0. The tips stand at -dip and rise by `lift` within 8 frames."""
    length = 2.4 * bundles.column(d, angle)
    made = bundles.scene(d, length, 49, angle, viscosity, substeps)
    nodes = made["nodes"]
    off = 2.5 * d
    nodes["place"] = {"type": "transform", "inputs": ["all"], "parms": {
        "tx": -off, "tz": -off, "ty": {"keys": [[1, length - dip], [3, length - dip], [11, length - dip + lift]],
                                       "interp": "smooth"}}}
    nodes["pool"] = {"type": "fill", "parms": {"size": [WIDE, DEPTH, WIDE], "t": [0, -DEPTH / 2, 0], "particlesep": sep}}
    parms = nodes["wet"]["parms"]
    for name in ("killbox", "killmin", "killmax", "particlesep"):
        del parms[name]
    parms.update({"hairmode": "animated", "viscosity": 0, "walls": True, "wallsmin": [-WIDE / 2, -DEPTH, -WIDE / 2],
                  "wallsmax": [WIDE / 2, 1, WIDE / 2]})
    nodes["wet"] = {"type": "wetsolver", "inputs": ["place", "pool"], "parms": parms}
    return made


def drawn_out(d, angle, viscosity, sep, substeps=8, frames=44):
    """Height of the column that a bundle holds in the air, over that of the energy balance."""
    column = bundles.column(d, angle)
    dip = min(1.6 * column, 0.9 * DEPTH)
    hair = scenes.cook(scene(d, angle, viscosity, sep, substeps, dip, dip + 0.01), frames=frames).strands(frames)
    return bundles.height(hair, d) / column


def drawn_up(d, angle, viscosity, sep, substeps=8, frames=44):
    """Height above the pool of the column that a dry bundle draws up, over that of the energy balance."""
    column = bundles.column(d, angle)
    hair = scenes.cook(scene(d, angle, viscosity, sep, substeps, 0.006, 0), frames=frames).strands(frames)
    full = bundles.saturation(hair, d) > 0.5
    return float((hair.cell * (full & (hair.x[..., 1] > 0))).sum(axis=1).mean()) / column


def main():
    # angles and viscosities by which all columns are 8 to 14 mm high and stand within a second
    cases = ((0.5e-3, 30, 1e-3), (0.25e-3, 75, 1e-4), (0.15e-3, 85, 1e-5))
    for d, angle, viscosity in cases:
        name = f"d {d * 1e3:g} mm, column of {bundles.column(d, angle) * 1e3:.1f} mm"
        for what, way in (("drawn out", drawn_out), ("drawn up", drawn_up)):
            found = [way(d, angle, viscosity, sep) for sep in (0.0015, 0.001)]
            for height in found:
                scenes.near(f"{name}: {what}, over h", height, 1, COLUMN, "energy balance")
            scenes.equal(f"{name}: {what}, particlesep 1.5, 1 mm", found, RESOLUTION)
    scenes.end()


if __name__ == "__main__":
    main()
