"""Films that leave solids when they dry, through `wetsolver` and `filmsolver` (film/solids.h).

One hair with a film of one height everywhere, held so that only the film moves. Without weight it dries for half a second; then
gravity pulls it down, and its speed is that of the law of Herschel and Bulkley with

    yield stress x (c / c0)^3 (m - c0) / (m - c),   consistency x ((m - c0) / (m - c))^(2.5 m),   m = 0.64,

c the share of solids, c0 that of the liquid. At c = m the crust is dry: it keeps c0 / m of the film's volume, and rests. Clear
water that is added softens it.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

LENGTH, POINTS, FPS = 0.1, 41, 100
RADIUS, HEIGHT, G, DENSITY = 5e-5, 1e-4, 9.81, 1000.0
PACKED, SOLIDS = 0.64, 0.2
YIELD, VISCOSITY, INDEX = 0.2, 0.02, 0.6
DRIES = 51  # the frame up to which it dries


def section(height):
    return numpy.pi * ((RADIUS + height) ** 2 - RADIUS ** 2)


def cook(kind, parms, frames, **attributes):
    nodes = {"hair": {"type": "curve", "parms": {"dir": [0, -1, 0], "dist": LENGTH, "points": POINTS}}}
    last = "hair"
    for k, (name, value) in enumerate(dict({"filmheight": HEIGHT}, **attributes).items()):
        nodes["attribute%d" % k] = {"type": "attribute", "inputs": [last], "parms": dict({"name": name}, **(
            value if isinstance(value, dict) else {"value": [value, 0, 0, 0]}))}
        last = "attribute%d" % k
    made = dict({"hairradius": RADIUS, "absorption": 0, "filmfriction": 0, "drip": 0, "particlesep": 0.002, "tension": 0,
                 "liquiddensity": DENSITY, "filmviscosity": VISCOSITY, "yieldstress": YIELD, "flowindex": INDEX, "solids": SOLIDS,
                 "wettime": 0.01, "gravity": [0, {"keys": [[1, 0], [DRIES, 0], [DRIES + 1, -G]], "interp": "constant"}, 0]}, **parms)
    if kind == "wetsolver":
        made.update({"hairmode": "animated", "shearmodulus": 500, "viscosity": VISCOSITY})
    nodes["wet"] = {"type": kind, "inputs": [last], "parms": made}
    run = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, frames], "nodes": nodes})
    ledger = run.rows[-1]["ledger"]
    total = ledger["film"] + ledger["absorbed"] + ledger["bulk"] + sum(ledger["sinks"].values()) - ledger["initial"] - ledger["sources"]
    scenes.holds(f"{kind}: ledger closes to {abs(total) / ledger['initial']:.0e}", abs(total) <= 1e-12 * ledger["initial"])
    return run


def drying(rate):
    return {"drying": {"keys": [[1, rate], [DRIES, rate], [DRIES + 1, 0]], "interp": "constant"}}


def law_speed(height, share):
    """Mean speed of the film: each layer moves what is above it."""
    stress = YIELD * (share / SOLIDS) ** 3 * (PACKED - SOLIDS) / (PACKED - share)
    viscosity = VISCOSITY * ((PACKED - SOLIDS) / (PACKED - share)) ** (2.5 * PACKED)
    outer = RADIUS + height
    s = RADIUS + (numpy.arange(20000) + 0.5) / 20000 * height
    rate = (numpy.maximum(DENSITY * G * (outer ** 2 - s ** 2) / (2 * s) - stress, 0) / viscosity) ** (1 / INDEX)
    return float((rate * (outer ** 2 - s ** 2)).mean() * height / (outer ** 2 - RADIUS ** 2))


def middle(run, frame, name):
    return float(run.strands(frame).point(name).ravel()[POINTS // 2])


def thickens(kind):
    for dried in (0, 1e-5, 2e-5):
        run = cook(kind, drying(2 * dried), DRIES + 5)
        height = HEIGHT - dried
        share = SOLIDS * section(HEIGHT) / section(height)
        # of first order in the step
        scenes.near(f"{kind}, {1e6 * dried:g} um dried: solids", middle(run, DRIES, "solids"), share, 3e-4, "what is left")
        scenes.near(f"{kind}, {1e6 * dried:g} um dried: speed, mm/s", 1e3 * middle(run, DRIES + 5, "filmv"), 1e3 * law_speed(height, share),
                    0.02, "law")


def crust(kind, rate=1e-3, **parms):
    run = cook(kind, dict(drying(rate), **parms), DRIES + 10)
    outer = numpy.sqrt(RADIUS ** 2 + section(HEIGHT) * SOLIDS / PACKED / numpy.pi)
    hair = run.strands(DRIES + 10)
    scenes.near(f"{kind}, dry: height of the crust, um", 1e6 * middle(run, DRIES, "filmheight"), 1e6 * (outer - RADIUS), 1e-4,
                "solids over 0.64")
    scenes.near(f"{kind}, dry: coating, um", 1e6 * middle(run, DRIES, "coating"), 1e6 * (outer - RADIUS), 1e-4, "all of it")
    scenes.near(f"{kind}, dry: solids", middle(run, DRIES, "solids"), PACKED, 1e-4, "packed")
    scenes.holds(f"{kind}, dry: wetness {middle(run, DRIES, 'wetness'):.1e}, speed {numpy.abs(hair.point('filmv')).max():.1e} m/s",
                 middle(run, DRIES, "wetness") < 1e-3 and numpy.abs(hair.point("filmv")).max() < 1e-9)


def softens(kind):
    """Liquid twice as thick as the crust is painted onto it, clear water or thick mud."""
    speeds = []
    for added in (0, 0.6):
        parms = drying(1e-2)
        parms["addedsolids"] = {"keys": [[1, 0], [DRIES, 0], [DRIES + 1, added]], "interp": "constant"}
        run = cook(kind, parms, DRIES + 10, wetadd=1e-3)
        speeds.append(middle(run, DRIES + 10, "filmv"))
    scenes.holds(f"{kind}: clear water softens the crust, {1e3 * speeds[0]:.3g} mm/s, thick mud does not, {1e3 * speeds[1]:.2g} mm/s",
                 speeds[0] > 1e-5 and abs(speeds[1]) < 1e-9)


def keeps(kind):
    """Half of the hair is wet and runs onto the other half while it dries: the solids' volume stays what it was."""
    film = {"mode": "ramp", "ramp": "0 1 constant, 0.5 0 constant", "value": [HEIGHT, 0, 0, 0]}
    run = cook(kind, {"drying": 2e-5, "yieldstress": 0.02, "gravity": [0, -G, 0]}, 41, filmheight=film)
    def solids(frame):
        hair = run.strands(frame)
        return float((hair.film().ravel() * hair.point("solids").ravel()).sum())
    first, last = run.strands(2), run.strands(41)
    down = [float((h.film().ravel() * h.x[0, :, 1]).sum() / h.film_volume()) for h in (first, last)]
    scenes.near(f"{kind}, film that runs down {1e3 * (down[0] - down[1]):.2g} mm and dries: solids, mm3", 1e9 * solids(41), 1e9 * solids(2), 1e-5,
                "frame 2")
    scenes.holds(f"{kind}: it ran and dried: film {last.film_volume() / first.film_volume():.2f} of frame 2",
                 down[0] - down[1] > 1e-3 and last.film_volume() < 0.95 * first.film_volume())


for solver in ("filmsolver", "wetsolver"):
    thickens(solver)
    crust(solver)
    # In one substep the fibre soaks an eighth of what it can, and the rest dries: the solids stay.
    crust(solver, rate=1, absorption=50, saturation=1)
    softens(solver)
    keeps(solver)
scenes.end()
