"""The material of hair in `wetsolver`: a hair that is clamped at its root bends, twists and stretches as beams do, by the
node's parameters, and its vibration decays by the fibre's viscosity (WH-1, WH-2, WH-3, SD-28).

    sag of a beam under a load q a length      q L^4 / (8 E I),  I = pi r^4 / 4
    twist under a moment M                     M / (G J) a length,  J = pi r^4 / 2
    vibration about it                         w = 3.516 sqrt(E I / (density A)) / L^2, decays as exp(-w^2 3 damping t / 2 E)

3 damping is the viscosity of a thread in extension (Trouton). The first edge is held, and bends from its middle on. Sags are
2 to 4% of the length, at which a beam is linear within 0.3%.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

LENGTH, POINTS, FPS = 0.03, 31, 500
RADIUS, YOUNGS, DENSITY, G = 5e-5, 3.9e9, 1320, 9.81
# Pa s: so viscous that the hair has come to rest within 0.2 s
CALM = 1e7
LINE = {"dir": [1, 0, 0], "dist": LENGTH, "points": POINTS}


def scene(parms, curve=None, attributes=()):
    nodes = {"hair": {"type": "curve", "parms": curve or LINE}}
    last = "hair"
    for k, value in enumerate(attributes):
        nodes["attribute%d" % k] = {"type": "attribute", "inputs": [last], "parms": value}
        last = "attribute%d" % k
    made = dict({"substeps": 4, "restmode": "natural", "hairradius": RADIUS, "youngs": YOUNGS, "shear": YOUNGS / 3,
                 "damping": CALM, "dragnormal": 0, "dragtangent": 0, "keepstate": True}, **parms)
    nodes["wet"] = {"type": "wetsolver", "inputs": [last], "parms": made}
    return {"rivulet": 1, "fps": FPS, "frames": [1, 2], "nodes": nodes}


def places(parms, frames=101, curve=None, attributes=()):
    """Points of the hair in the last frame, [points, 3]."""
    return scenes.cook(scene(parms, curve, attributes), frames=frames).strands(frames).x[0]


def sag(parms, **options):
    x = places(parms, **options)
    return float(x[0, 1] - x[-1, 1])


def free(points=POINTS):
    return LENGTH * (1 - 0.5 / (points - 1))


def beam(load, youngs=YOUNGS, radius=RADIUS):
    return load * free() ** 4 / (8 * youngs * numpy.pi * radius ** 4 / 4)


def weight(gravity=G, density=DENSITY, radius=RADIUS):
    return density * numpy.pi * radius ** 2 * gravity


def bending():
    half_width = [{"name": "width", "value": [1.4e-4, 0, 0, 0]}]
    cases = [("a hair", {}, beam(weight()), ()),
             ("youngs / 2", {"youngs": YOUNGS / 2}, beam(weight(), YOUNGS / 2), ()),
             ("stiffness 2", {"stiffness": 2}, beam(weight()) / 2, ()),
             ("density x 2", {"density": 2 * DENSITY}, beam(weight(density=2 * DENSITY)), ()),
             ("hairradius 7e-5", {"hairradius": 7e-5}, beam(weight(radius=7e-5), radius=7e-5), ()),
             ("usewidth, of 1.4e-4", {"usewidth": True}, beam(weight(radius=7e-5), radius=7e-5), half_width),
             ("gravity x 0.5", {"gravity": [0, -G / 2, 0]}, beam(weight(G / 2)), ())]
    for name, parms, truth, attributes in cases:
        scenes.near(f"{name}: sag, mm", 1e3 * sag(parms, attributes=attributes), 1e3 * truth, 0.01, "beam")
    # four hairs of a guide are as stiff as they are heavy
    scenes.near("hairsperguide 4: sag, mm", 1e3 * sag({"hairsperguide": 4}), 1e3 * beam(weight()), 0.01, "one hair's")


def twisting():
    """An arm along x carries one along z, whose weight twists it: the tip falls by q b^3 a / (2 G J) more."""
    a = b = LENGTH / 2
    n = 30
    along = ["%g 0 0" % (a * k / n) for k in range(n + 1)] + ["%g 0 %g" % (a, b * k / n) for k in range(1, n + 1)]
    curve = {"method": "coords", "coords": ", ".join(along)}
    moduli = (YOUNGS / 3, YOUNGS / 6)
    falls = [sag({"shear": g}, curve=curve) for g in moduli]
    polar = numpy.pi * RADIUS ** 4 / 2
    # the arm twists from the middle of its first edge on
    part = weight() * b ** 3 * (a - a / (2 * n)) / (2 * polar)
    # 3%: at the corner half an edge, 1.7% of the arm, does not twist
    scenes.near("sag by a lower shear, mm", 1e3 * (falls[1] - falls[0]), 1e3 * part * (1 / moduli[1] - 1 / moduli[0]), 0.03,
                "torsion")


def decays(damping, substeps, points):
    """1/s, of the vibration of a hair that its own weight sets in motion, along both axes of its section."""
    frames = 101
    parms = {"damping": damping, "substeps": substeps, "gravity": [0, -G, -G]}
    run = scenes.cook(scene(parms, dict(LINE, points=points)), frames=frames)
    tip = numpy.array([run.strands(f).x[0, -1] for f in range(1, frames + 1)])
    return [decay(tip[:, axis]) for axis in (1, 2)]


def decay(y):
    """Extrema, each from the parabola through three frames. The first swing has higher modes."""
    times, swings = [], []
    for k in range(1, len(y) - 1):
        if (y[k] - y[k - 1]) * (y[k + 1] - y[k]) < 0:
            slope, bend = (y[k + 1] - y[k - 1]) / 2, y[k + 1] - 2 * y[k] + y[k - 1]
            times.append((k - slope / bend) / FPS)
            swings.append(y[k] - slope ** 2 / (2 * bend))
    widths = numpy.abs(numpy.diff(swings))[1:]
    middles = (numpy.array(times)[1:] + numpy.array(times)[:-1])[1:] / 2
    return -numpy.polyfit(middles, numpy.log(widths), 1)[0]


def damping():
    for viscosity in (1e6, 2e6):
        for substeps, points in ((2, 31), (4, 31), (4, 61)):
            section = RADIUS / 2 * numpy.sqrt(YOUNGS / DENSITY)
            square = (3.516 * section / free(points) ** 2) ** 2
            for rate in decays(viscosity, substeps, points):
                # BDF2 adds w (w dt)^3 / 4: 0.1/s at 1 ms; extrema are found to 1% of the decay between them
                scenes.near(f"damping {viscosity:g}, {substeps} substeps, {points} points: decay, 1/s", rate,
                            square * 3 * viscosity / (2 * YOUNGS), 0.05, "viscous beam")


def air():
    """Wind across the hair bends it, wind along it stretches it: by dragnormal and dragtangent times the speed."""
    calm = {"gravity": [0, 0, 0], "dragnormal": 2e-4, "dragtangent": 1e-4}
    for normal, speed in ((2e-4, 1.0), (1e-4, 3.0)):
        found = sag(dict(calm, dragnormal=normal, wind=[0, -speed, 0]))
        scenes.near(f"dragnormal {normal:g}, wind {speed:g} m/s: sag, mm", 1e3 * found, 1e3 * beam(normal * speed), 0.02, "beam")
    soft = dict(calm, youngs=1e6, shear=3e5, damping=1e3)
    for tangent, speed in ((1e-3, 5.0), (5e-4, 20.0)):
        x = places(dict(soft, dragtangent=tangent, wind=[speed, 0, 0]))
        held = LENGTH / (POINTS - 1)
        truth = tangent * speed * (LENGTH - held) ** 2 / (2 * soft["youngs"] * numpy.pi * RADIUS ** 2)
        scenes.near(f"dragtangent {tangent:g}, wind {speed:g} m/s: longer by, um", 1e6 * (x[-1, 0] - LENGTH), 1e6 * truth, 0.02,
                    "rod")


bending()
twisting()
damping()
air()
scenes.end()
