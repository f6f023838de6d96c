"""The pull of liquid between hairs follows `cohesion`, `tension` and `contactangle` (WH-6, WH-9, WH-10): two wet hairs that
are drawn along each other drag by friction times cohesion times the pull-off force of their bridge, from its closed form
(bridge_law.py; test_friction_pair has the same scene at three resolutions). `strandcollisions` off: nothing drags.

Tolerance 5%: the contact at each end is found to a third of the shorter edges, 0.5 mm of 15 mm.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import bridge_law  # noqa: E402
import scenes  # noqa: E402

RADIUS, YOUNGS, LENGTH, SHIFT, POINTS = 4e-5, 1e7, 0.04, 0.02, 41
WIDTH = RADIUS  # m, gap of d0 between hairs: half of the sum of their radii
SPEED, STOP, FILM = 0.01, 13, 1e-5


def scene(parms, attributes):
    drawn = -SPEED * (STOP - 1) / 24
    nodes = {
        "one": {"type": "curve", "parms": {"origin": [0, 0, 0], "dir": [1, 0, 0], "dist": LENGTH, "points": POINTS}},
        "drawn": {"type": "transform", "inputs": ["one"], "parms": {"tx": {"keys": [[1, 0], [STOP, drawn]],
                                                                           "interp": "linear"}}},
        "other": {"type": "curve", "parms": {"origin": [LENGTH + SHIFT, 3 * RADIUS, 0], "dir": [-1, 0, 0],
                                             "dist": LENGTH, "points": POINTS}},
        "both": {"type": "merge", "inputs": ["drawn", "other"]},
        "film": {"type": "attribute", "inputs": ["both"], "parms": {"name": "filmheight", "value": [FILM, 0, 0, 0]}}}
    last = "film"
    for name, value in attributes.items():
        nodes[name] = {"type": "attribute", "inputs": [last], "parms": {"name": name, "value": [value, 0, 0, 0]}}
        last = name
    nodes["wet"] = {"type": "wetsolver", "inputs": [last], "parms": dict({
        "substeps": 4, "maxsubsteps": 4, "gravity": [0, 0, 0], "restmode": "natural", "hairradius": RADIUS, "drip": 0,
        "filmfriction": 1e7, "absorption": 0, "youngs": YOUNGS, "shear": YOUNGS / 2.6, "damping": 1e3, "dragnormal": 2e-3,
        "dragtangent": 2e-3, "keepstate": True}, **parms)}
    return {"rivulet": 1, "fps": 24, "frames": [1, STOP], "nodes": nodes}


def drag(parms, **attributes):
    """N/m: tension of the other hair over the length that lies together."""
    hair = scenes.cook(scene(parms, attributes)).strands(STOP)
    x = hair.point("rv_x").reshape(2, -1, 3)
    edge = numpy.linalg.norm(x[1, 3] - x[1, 2])
    stretching = YOUNGS * numpy.pi * RADIUS ** 2
    return stretching * (edge * (POINTS - 1) / LENGTH - 1) / (hair.x[0, :, 0].max() - hair.x[1, :, 0].min())


def law(friction=0.3, tension=0.072, angle=60, cohesion=1):
    area = 2 * bridge_law.film_area(RADIUS, FILM)
    force = bridge_law.pull_off(bridge_law.pair_force, RADIUS, WIDTH, area, numpy.radians(angle))
    return friction * cohesion * tension * force


for case, attribute, truth in (
        ({}, {}, law()), ({"cohesion": 2}, {}, law(cohesion=2)), ({"cohesion": 2}, {"cohesion": 0.25}, law(cohesion=0.5)),
        ({"contactangle": 30}, {}, law(angle=30)), ({"contactangle": 75}, {}, law(angle=75)),
        ({}, {"contactangle": 30}, law(angle=30)), ({"tension": 0.03}, {}, law(tension=0.03)),
        ({"friction": 0.15}, {}, law(0.15))):
    scenes.near(f"{case} {attribute or ''}: drag, mN/m", 1e3 * drag(case, **attribute), 1e3 * truth, 0.05, "pull-off")
for case in ({"cohesion": 0}, {"strandcollisions": False}):
    scenes.holds(f"{case}: drag {1e3 * drag(case):.2g} mN/m, at most 1% of {1e3 * law():.3g}", abs(drag(case)) < 0.01 * law())
scenes.end()
