"""Drag of liquids that yield and thin on hair (SD-19, SD-20, E56), through `wetsolver`: a level hair that is carried down
through a block of them bends as a clamped beam under the drag of its speed, whatever the length of its edges, the
particles and the steps; and a hair that is too light for the yield stress stays where it is. The law is computed here
anew.
"""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import numpy

import scenes

LENGTH, RADIUS, LIQUID, GRAVITY = 0.036, 5e-5, 1000, 9.81
YIELD, CONSISTENCY, INDEX = 5, 2, 0.5  # Pa, Pa s^index: a thin mud
SPEED, FPS, FRAMES = 0.01, 24, 18  # m/s
SHARE = (RADIUS / (3 * RADIUS * 2.71e-3 ** 2) ** (1 / 3)) ** 2  # of the space, of a hair alone (E75)
BENT = 0.02  # of its length that the hair bends: the beam is linear within 0.1%


def drag_a_length(speed):
    """N/m of a hair that moves across: (13.78) to (13.82) for pieces of four diameters."""
    n, d = INDEX, 2 * RADIUS
    alpha = 3 / (n * n + n + 1)
    power = (3 - alpha) / (2 * alpha)
    x, b = 6 ** ((n - 1) / 2) * alpha ** (n + 1), math.exp(3 * (alpha - math.log(6)))
    k = (3 - alpha) / (6 * alpha) * math.exp(power * math.log(3))
    beta = 11 * math.sqrt(6) / 48 * (1 - math.exp(power ** 2 * math.log((math.sqrt(6) - 1) / math.sqrt(6))))
    size = 2 * math.sqrt(4 / math.pi) * d
    stress = 11.94 / (12 * x) * YIELD + CONSISTENCY * (speed / size) ** n
    reynolds = (1 - SHARE) * LIQUID * speed ** 2 / stress
    slow, turn = 24 * x / reynolds, 6 * x * b
    coefficient = (slow + math.pi * 0.44 * slow ** (2 * beta) * k * (turn / (turn + slow)) ** beta
                   + 0.44 * turn / (turn + 128 * slow))
    chi = 3.7 - 0.65 * math.exp(-0.5 * (1.5 - math.log10(reynolds)) ** 2)
    return 0.5 * LIQUID * coefficient * d * speed ** 2 * (1 - SHARE) ** -chi


def scene(sep, points, substeps, parms, motion=0.0):
    keys = {"keys": [[1, 0], [FRAMES, -motion * (FRAMES - 1) / FPS]], "interp": "linear"}
    return {"rivulet": 1, "fps": FPS, "frames": [1, FRAMES], "nodes": {
        "level": {"type": "curve", "parms": {"origin": [-0.018, 0.006, 0], "dir": [1, 0, 0], "dist": LENGTH,
                                             "points": points}},
        "hair": {"type": "transform", "inputs": ["level"], "parms": {"ty": keys}},
        "mud": {"type": "fill", "parms": {"size": [0.048, 0.032, 0.032], "t": [0, 0, 0], "particlesep": sep}},
        "wet": {"type": "wetsolver", "inputs": ["hair", "mud"],
                "parms": dict({"substeps": substeps, "hairradius": RADIUS, "liquidmode": "cached", "capture": 0,
                               "restmode": "natural", "liquiddensity": LIQUID, "yieldstress": YIELD,
                               "filmviscosity": CONSISTENCY, "flowindex": INDEX}, **parms)}}}


def bent(sep, points, substeps, **parms):
    """m that the tip of a hair without weight in the liquid stays behind its root, over that of the beam."""
    load = drag_a_length(SPEED)
    free = LENGTH - 0.5 * LENGTH / (points - 1)  # the first edge is held, and bends from its middle on
    youngs = load * LENGTH ** 3 / (8 * BENT) / (math.pi * RADIUS ** 4 / 4)
    run = scenes.cook(scene(sep, points, substeps, dict({"youngs": youngs, "shear": youngs / 3, "density": LIQUID}, **parms),
                            SPEED))
    hair = run.strands(FRAMES).x[0]
    return float(hair[-1, 1] - hair[0, 1]) / (BENT * LENGTH * (free / LENGTH) ** 4)


def sinks(sep, points, loads):
    """m that the tip of a limp hair sinks under a net weight of `loads` times the drag of plasticity."""
    weight = loads * 11.94 * YIELD * 2 * RADIUS  # N/m
    density = LIQUID + weight / (GRAVITY * math.pi * RADIUS ** 2)
    run = scenes.cook(scene(sep, points, 8, {"youngs": 1e6, "shear": 3e5, "density": density,
                                           "filmviscosity": 0.05}))
    hair = run.strands(FRAMES).x[0]
    return float(hair[0, 1] - hair[-1, 1])


def main():
    for points in (10, 19, 37, 73):
        scenes.near(f"drag with edges of {1e3 * LENGTH / (points - 1):g} mm over the law", bent(0.004, points, 4), 1, 0.03,
                    "by the beam")
    for sep, substeps in ((0.002, 4), (0.004, 16)):
        scenes.near(f"drag with particles of {1e3 * sep:g} mm and {substeps} substeps over the law", bent(sep, 19, substeps),
                    1, 0.03, "by the beam")
    # The liquid is thin beyond its yield stress, so that the onset is sharp. Below it hair creeps at 1e-5 m/s; twice that
    # is allowed, as cells between coarse particles are not quite full.
    for points in (10, 37):
        held, falls = (sinks(0.004, points, loads) for loads in (0.9, 1.15))
        allowed = 2e-5 * (FRAMES - 1) / FPS
        scenes.holds(f"{points} points: at 0.9 of the yield drag the tip sinks {1e6 * held:.2g} um, at most {1e6 * allowed:.2g}",
                     0 <= held <= allowed)
        scenes.holds(f"{points} points: at 1.15 of it {1e6 * falls:.3g} um, at least ten times as much", falls > 10 * allowed)
    scenes.end()


main()
