"""Friction of a hair on a solid, dry and wet: Coulomb's limit is mu (weight + adhesion) (WH-9, E76, SD-28).

A hair lies on a plane that is drawn from under it sideways, and bends as a cantilever under the friction, a line load
q = mu (w + f): w is the weight of hair and film a length, f the pull-off force of its bridge to the plane a length,
from the closed form of the bridge. The tip goes by q L^4 / (8 EI) along with the plane. The clamped first edge counts
for half: L is the length less half an edge.

Tolerance 5%: the line of thrust of a deflected hair is shorter than linear theory has it, by 1% at a deflection of a
tenth of the length.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import bridge_law  # noqa: E402
import scenes  # noqa: E402

RADIUS, DENSITY, YOUNGS, G, THETA, MU = 4e-5, 1320.0, 3.9e9, 9.81, numpy.radians(60), 0.3
SOLID_WIDTH = 1e-4  # m above the hair's surface at which a solid begins to push (RvContactDef.solid_width)
BENDING = YOUNGS * numpy.pi / 4 * RADIUS ** 4
FRAMES, SPEED = 15, 0.02  # the plane goes 12 mm, several times the deflection


def scene(length, points, film, tension, cohesion, substeps):
    keys = [[1, 0], [FRAMES, SPEED * (FRAMES - 1) / 24]]
    return {"rivulet": 1, "fps": 24, "frames": [1, FRAMES], "nodes": {
        "line": {"type": "curve", "parms": {"origin": [0, RADIUS + SOLID_WIDTH, 0], "dir": [1, 0, 0], "dist": length,
                                            "points": points}},
        "film": {"type": "attribute", "inputs": ["line"], "parms": {"name": "filmheight", "value": [film, 0, 0, 0]}},
        "box": {"type": "box", "parms": {"size": [0.08, 0.02, 0.06], "t": [0.02, -0.01, 0]}},
        "solid": {"type": "collider", "inputs": ["box"], "parms": {"voxelsize": 0.001, "friction": MU}},
        "move": {"type": "transform", "inputs": ["solid"], "parms": {"tz": {"keys": keys, "interp": "linear"}}},
        # drag of still air damps the hair and does not act on it at rest; the film stays where it is
        "wet": {"type": "wetsolver", "inputs": ["film", None, "move"], "parms": {
            "substeps": substeps, "maxsubsteps": substeps, "rootfree": 0, "restmode": "natural", "tension": tension,
            "cohesion": cohesion, "drip": 0, "filmfriction": 1e7, "absorption": 0, "dragnormal": 1e-3,
            "dragtangent": 1e-3}}}}


def drawn_along(name, length, film, tension, cohesion):
    area = bridge_law.film_area(RADIUS, film)
    weight = (DENSITY * numpy.pi * RADIUS ** 2 + 1000 * area) * G
    adhesion = tension * cohesion and tension * cohesion * bridge_law.pull_off(bridge_law.plane_force, RADIUS,
                                                                               SOLID_WIDTH, area, THETA)
    for points, substeps in ((18, 4), (35, 8), (35, 32)):
        tip = scenes.cook(scene(length, points, film, tension, cohesion, substeps)).strands(FRAMES).x[0, -1]
        bent = length * (1 - 0.5 / (points - 1))
        scenes.near(f"{name}, {points} points, {substeps} substeps: drawn along by mm", 1e3 * tip[2],
                    1e3 * MU * (weight + adhesion) * bent ** 4 / (8 * BENDING), 0.05, "mu (w + f) L^4 / (8 EI) =")


drawn_along("dry", 0.035, 0, 0.072, 1)
drawn_along("film without cohesion", 0.035, 6e-5, 1e-4, 0)
# a weak tension, so that weight and adhesion count alike; then water's, of which adhesion is all
drawn_along("film and a weak tension", 0.035, 6e-5, 1e-4, 1)
drawn_along("film of water", 0.005, 6e-5, 0.072, 1)
scenes.end()
