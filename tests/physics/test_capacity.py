"""What a level hair carries before it drips, and how fast the rest leaves (WH-29, WH-30, spec 1.2.8 (17) with E50):

    2/3 pi r_max^2 a length,  r_max^3 = 3 r tension / (density a)

a is gravity less the acceleration of the hair. Hairs stand 4 cm apart, so that each is alone. Film above the capacity
falls as exp(-drip t) in the mean. Drops have the volume that 2 r_max of the hair carry, so that a hair of 40 r_max holds
the capacity within a twentieth, and the mean of 48 hairs within 2%.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

RADIUS, TENSION, DENSITY, G = 5e-5, 0.072, 1000.0, 9.81
COUNT, FPS = 48, 50


def section(pull=G, tension=TENSION, density=DENSITY):
    """m2 that a hair carries."""
    return 2 / 3 * numpy.pi * (3 * RADIUS * tension / (density * pull)) ** (2 / 3)


def scene(kind, height, lift, parms, points, length, attributes, frames):
    keys = [[1 + f, 0.5 * lift * (f / FPS) ** 2] for f in range(-1, frames + 2)]
    nodes = {"hair": {"type": "curve", "parms": {"dir": [1, 0, 0], "dist": length, "points": points, "count": COUNT,
                                                 "spacing": [0, 0, 0.04]}},
             "film": {"type": "attribute", "inputs": ["hair"], "parms": {"name": "filmheight", "value": [height, 0, 0, 0]}}}
    last = "film"
    for name, value in attributes.items():
        nodes[name] = {"type": "attribute", "inputs": [last], "parms": {"name": name, "value": [value, 0, 0, 0]}}
        last = name
    nodes["lift"] = {"type": "transform", "inputs": [last],
                     "parms": {"ty": {"keys": keys, "interp": "smooth", "extend": "linear"}}}
    # friction keeps the film where it is: none runs to the ends
    made = dict({"hairradius": RADIUS, "absorption": 0, "capture": 0, "filmfriction": 1e4, "particlesep": 0.002, "substeps": 2,
                 "killbox": True, "killmin": [-1, -0.05, -1], "killmax": [9, 9, 9]}, **parms)
    if kind == "wetsolver":
        made["hairmode"] = "animated"
    nodes["wet"] = {"type": kind, "inputs": ["lift"], "parms": made}
    return {"rivulet": 1, "fps": FPS, "frames": [1, frames], "nodes": nodes}


def held(kind="wetsolver", area=3 * section(), lift=0.0, parms=None, points=41, frames=26, **attributes):
    """m2 of film, the mean of all hairs, after frames."""
    length = 0.088
    height = numpy.sqrt(area / numpy.pi + RADIUS ** 2) - RADIUS
    run = scenes.cook(scene(kind, height, lift, parms or {}, points, length, attributes, frames))
    return run.rows[-1]["ledger"]["film"] / (COUNT * length)


def carried():
    one = section()
    for name, kind, parms, attributes, truth in (
            ("a hair", "wetsolver", {}, {}, one), ("a hair of filmsolver", "filmsolver", {}, {}, one),
            ("capacity 2", "wetsolver", {"capacity": 2}, {}, 2 * one),
            ("capacity 2 x 0.25", "filmsolver", {"capacity": 2}, {"capacity": 0.25}, one / 2),
            ("tension / 2", "wetsolver", {"tension": TENSION / 2}, {}, section(tension=TENSION / 2)),
            ("liquiddensity 2000", "filmsolver", {"liquiddensity": 2000}, {}, section(density=2000)),
            ("gravity x 2", "filmsolver", {"gravity": [0, -2 * G, 0]}, {}, section(2 * G))):
        scenes.near(f"{name}: film held, mm2", 1e6 * held(kind, parms=parms, **attributes), 1e6 * truth, 0.06, "capacity")
    # at any number of points
    scenes.equal("film held at 21, 41, 81 points, mm2", [1e6 * held(points=n) for n in (21, 41, 81)], 0.04)


def accelerated():
    for lift in (G, 3 * G):
        scenes.near(f"accelerated by {lift:g} m/s2: film held, mm2", 1e6 * held(lift=lift), 1e6 * section(G + lift), 0.06,
                    "capacity")


def rate():
    """After 0.1 s of the rate."""
    one = section()
    for drip, times in ((10, 1), (5, 1), (20, 0.5)):
        for substeps in (2, 8):
            found = held(area=3 * one, frames=6, parms={"drip": drip, "substeps": substeps}, drip=times)
            # 3 capacities at first
            truth = one * (1 + 2 * numpy.exp(-drip * times * 0.1))
            scenes.near(f"drip {drip} x {times:g}, {substeps} substeps: film after 0.1 s, mm2", 1e6 * found, 1e6 * truth, 0.06,
                        "exponential")
    scenes.near("drip 0: film, mm2", 1e6 * held(parms={"drip": 0}), 1e6 * 3 * one, 1e-5, "all of it")


carried()
accelerated()
rate()
scenes.end()
