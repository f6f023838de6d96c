"""The film's parameters, through `wetsolver` and `filmsolver`: how fast it falls, soaks, dries and shows (WH-19, WH-20, SD-9),
each against its law. The drainage of a viscous film is test_tip_film's, its spreading across hairs test_transverse_flow's.

One hair with film of one height everywhere, which is held so that only the film moves. Laws are exact in time where the
solver is (drying, soaking, wetness), or of its first order (friction).
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

LENGTH, POINTS, FPS = 0.1, 41, 100
RADIUS, HEIGHT, G = 5e-5, 5e-5, 9.81
DENSITY, HAIR = 1000.0, 1320.0


def scene(kind, parms, down, attributes):
    nodes = {"hair": {"type": "curve", "parms": {"dir": [0, -1, 0] if down else [1, 0, 0], "dist": LENGTH, "points": POINTS}}}
    last = "hair"
    for k, (name, value) in enumerate(attributes.items()):
        nodes["attribute%d" % k] = {"type": "attribute", "inputs": [last], "parms": {"name": name, "value": [value, 0, 0, 0]}}
        last = "attribute%d" % k
    made = dict({"hairradius": RADIUS, "absorption": 0, "filmfriction": 0, "drip": 0, "particlesep": 0.002}, **parms)
    if kind == "wetsolver":
        made = dict({"hairmode": "animated"}, **made)
    nodes["wet"] = {"type": kind, "inputs": [last], "parms": made}
    return {"rivulet": 1, "fps": FPS, "frames": [1, 2], "nodes": nodes}


def middle(kind, parms, frame, name="filmheight", down=False, **attributes):
    """An attribute in the middle of the hair after a frame."""
    run = scenes.cook(scene(kind, parms, down, dict({"filmheight": HEIGHT}, **attributes)), frames=frame)
    return float(run.strands(frame).point(name).ravel()[POINTS // 2])


def falling(kind):
    """Speed under gravity against friction k: g / k (1 - exp(-k t)), with that of viscosity or without."""
    frame, seconds = 11, 0.1
    for name, parms, attributes, rate in (
            ("filmfriction 5", {"filmfriction": 5}, {}, 5), ("filmfriction 20", {"filmfriction": 20}, {}, 20),
            ("filmfriction 20 x 0.25", {"filmfriction": 20}, {"filmfriction": 0.25}, 5)):
        for substeps in (4, 16):
            found = middle(kind, dict(parms, viscousfilm=False, substeps=substeps), frame, "filmv", True, **attributes)
            # implicit Euler: k dt / 2, 2.5% at most
            scenes.near(f"{kind}, {name}, {substeps} substeps: speed, m/s", found,
                        G / rate * (1 - numpy.exp(-rate * seconds)), 0.03, "friction")
    # gravity and the scale of time: without friction it falls freely
    for parms, truth in (({"gravity": [0, -G / 4, 0]}, G / 4 * seconds), ({"timescale": 0.5}, 0.5 * G * seconds)):
        found = middle(kind, dict(parms, viscousfilm=False), frame, "filmv", True)
        scenes.near(f"{kind}, {parms}: speed, m/s", found, truth, 0.01, "free fall")


def viscous_speed(viscosity, slip, density):
    """Mean speed of a steady annulus, with slip on the fibre."""
    outer = RADIUS + HEIGHT
    s = numpy.linspace(RADIUS, outer, 4001)
    w = G * density / (4 * viscosity) * (2 * outer ** 2 * numpy.log(s / RADIUS) - s ** 2 + RADIUS ** 2)
    # at the fibre the shear stress carries the weight of all of the film
    w += slip * density * G * (outer ** 2 - RADIUS ** 2) / (2 * RADIUS * viscosity)
    return numpy.trapz(w * 2 * numpy.pi * s, s) / (numpy.pi * (outer ** 2 - RADIUS ** 2))


def viscous(kind):
    # slow enough that the middle has not felt the ends: a wave of 3 times the speed goes 1 cm
    for viscosity, slip, density in ((2e-3, 0, 1000), (4e-3, 0, 1000), (2e-3, 3e-5, 1000), (2e-3, 0, 2000)):
        parms = {"filmviscosity": viscosity, "sliplength": slip, "liquiddensity": density, "substeps": 8}
        # 2%: the solver's quotient fits the annulus within 1%
        scenes.near(f"{kind}, viscosity {viscosity:g}, slip {slip:g}, density {density}: speed, mm/s",
                    1e3 * middle(kind, parms, 6, "filmv", True), 1e3 * viscous_speed(viscosity, slip, density), 0.02, "annulus")


def law_speed(stress, viscosity, index, slip):
    """Mean speed of a film of the law stress + viscosity rate^index: each layer moves what is above it (E55)."""
    outer = RADIUS + HEIGHT
    s = RADIUS + (numpy.arange(20000) + 0.5) / 20000 * HEIGHT
    force = DENSITY * G
    def rate(at):
        return (numpy.maximum(force * (outer ** 2 - at ** 2) / (2 * at) - stress, 0) / viscosity) ** (1 / index)
    return float((rate(s) * (outer ** 2 - s ** 2)).mean() * HEIGHT / (outer ** 2 - RADIUS ** 2) + slip * rate(RADIUS))


def law(kind):
    """Films that yield and thin: the stress at the fibre is 0.736 Pa, and nothing flows below the yield stress."""
    for stress, viscosity, index, slip in ((0.4, 0.02, 0.6, 0), (0, 0.05, 0.5, 0), (0.4, 0.02, 0.6, 3e-5), (0.7, 0.002, 1, 0)):
        parms = {"filmviscosity": viscosity, "yieldstress": stress, "flowindex": index, "sliplength": slip}
        if kind == "wetsolver":
            parms.update({"shearmodulus": 500, "viscosity": viscosity})
        for steps in (2, 8):
            scenes.near(f"{kind}, yield {stress:g} Pa, viscosity {viscosity:g}, index {index:g}, slip {slip:g}, {steps} substeps: "
                        "speed, mm/s", 1e3 * middle(kind, dict(parms, substeps=steps), 6, "filmv", True),
                        1e3 * law_speed(stress, viscosity, index, slip), 0.01, "law")
    parms.update({"yieldstress": 0.75})
    still = middle(kind, parms, 6, "filmv", True)
    scenes.holds(f"{kind}, below the yield stress: {still:.1e} m/s", abs(still) < 1e-9)


def drying(kind):
    """A surface recedes by `drying` a second."""
    for rate, times in ((5e-5, 1), (2e-5, 2)):
        found = middle(kind, {"drying": rate}, 51, drying=times)
        scenes.near(f"{kind}, drying {rate:g} x {times}: height, um", 1e6 * found, 1e6 * (HEIGHT - rate * times * 0.5), 0.005,
                    "drying")


def soaking(kind):
    """The free room of the fibre falls as exp(-absorption t); `absorbed` is the full part of it."""
    fibre = numpy.pi * RADIUS ** 2
    for rate, room in ((1, 0.3), (3, 0.3), (1, 0.6)):
        parms = {"absorption": rate, "saturation": room}
        full = 1 - numpy.exp(-rate * 0.5)
        scenes.near(f"{kind}, {parms}: absorbed", middle(kind, parms, 51, "absorbed"), full, 1e-4, "exponential")
        section = numpy.pi * ((RADIUS + HEIGHT) ** 2 - RADIUS ** 2) - room * fibre * full
        truth = numpy.sqrt(section / numpy.pi + RADIUS ** 2) - RADIUS
        scenes.near("  height, um", 1e6 * middle(kind, parms, 51), 1e6 * truth, 1e-3, "what is left")


def looks(kind):
    """wetness goes to 1 - r / (r + h) as exp(-t / wettime); waterload is the mass of the film over that of the hair."""
    for time in (0.1, 0.4):
        found = middle(kind, {"wettime": time}, 11, "wetness")
        # of the first frame too, which is the start: nothing has passed
        scenes.near(f"{kind}, wettime {time:g}: wetness", found, 0.5 * (1 - numpy.exp(-0.1 / time)), 0.01, "exponential")
    for liquid, hair in ((1000, HAIR), (2000, HAIR), (1000, 2 * HAIR)):
        found = middle(kind, {"liquiddensity": liquid, "density": hair}, 2, "waterload")
        scenes.near(f"{kind}, liquiddensity {liquid}, density {hair:g}: waterload", found, 3 * liquid / hair, 1e-3, "ratio of masses")


def painting(kind):
    """wetadd: metres of height a second."""
    for rate in (1e-4, 3e-5):
        found = middle(kind, {}, 51, filmheight=0, wetadd=rate)
        scenes.near(f"{kind}, wetadd {rate:g}: height after 0.5 s, um", 1e6 * found, 1e6 * rate * 0.5, 1e-4, "painted")


def guides(kind):
    """A guide's film is that of all of its hairs: as high on each of them."""
    run = scenes.cook(scene(kind, {"hairsperguide": 7}, False, {"filmheight": HEIGHT}), frames=2)
    truth = 7 * numpy.pi * ((RADIUS + HEIGHT) ** 2 - RADIUS ** 2) * LENGTH
    scenes.near(f"{kind}, hairsperguide 7: film, mm3", 1e9 * run.rows[-1]["ledger"]["film"], 1e9 * truth, 1e-5, "seven hairs'")


for solver in ("wetsolver", "filmsolver"):
    falling(solver)
    viscous(solver)
    law(solver)
    drying(solver)
    soaking(solver)
    looks(solver)
    painting(solver)
    guides(solver)
scenes.end()
