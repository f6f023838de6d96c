"""What moves and holds hair in `wetsolver`: the motion of its root, goals, its rest shape and solids (WH-3, WH-4, WH-12)."""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

LENGTH, POINTS, FPS = 0.03, 31, 500
RADIUS, YOUNGS, DENSITY, G = 5e-5, 3.9e9, 1320, 9.81
FREE = LENGTH * (1 - 0.5 / (POINTS - 1))  # the first edge is held, and bends from its middle on
WEIGHT = DENSITY * numpy.pi * RADIUS ** 2


def hair(parms, frames=101, direction=(1, 0, 0), lift=0.0, goal=0.0, solid=None):
    """Places of a hair in the last frame, relative to its root."""
    keys = [[1 + f, 0.5 * lift * (f / FPS) ** 2] for f in range(-1, frames + 2)]
    nodes = {
        "hair": {"type": "curve", "parms": {"dir": list(direction), "dist": LENGTH, "points": POINTS}},
        "goal": {"type": "attribute", "inputs": ["hair"], "parms": {"name": "targetweight", "value": [goal, 0, 0, 0]}},
        "lift": {"type": "transform", "inputs": ["goal"],
                 "parms": {"ty": {"keys": keys, "interp": "smooth", "extend": "linear"}}},
        "wet": {"type": "wetsolver", "inputs": ["lift"], "parms": dict({
            "substeps": 4, "restmode": "natural", "hairradius": RADIUS, "youngs": YOUNGS, "shear": YOUNGS / 3, "damping": 1e7,
            "dragnormal": 0, "dragtangent": 0}, **parms)}}
    if solid:
        nodes["box"] = {"type": "box", "parms": solid}
        nodes["solid"] = {"type": "collider", "inputs": ["box"], "parms": {"voxelsize": 0.001}}
        nodes["wet"]["inputs"] += [None, "solid"]
    run = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, frames], "nodes": nodes})
    x = run.strands(frames).x[0]
    return x - x[0]


def beam(acceleration):
    return WEIGHT * acceleration * FREE ** 4 / (8 * YOUNGS * numpy.pi * RADIUS ** 4 / 4)


def inertia():
    """A root that accelerates by a bends the hair as a weight of a does, by its share."""
    for share in (1, 0.5, 0):
        found = hair({"gravity": [0, 0, 0], "inertiascale": share}, lift=G)[-1, 1]
        # of the deflection at 1; the last steps of the keys are smooth within 1%
        scenes.near(f"inertiascale {share}: lag over a beam's", -found / beam(G) + 1, share + 1, 0.015, "share + 1 =")


def goals():
    """A critically damped spring of the period T holds a soft hair g (T / 2 pi)^2 below its goal."""
    for time, weight in ((0.05, 1), (0.1, 1), (0.1, 4)):
        soft = {"youngs": 1e6, "shear": 1e6, "damping": 10, "targettime": time}
        found = hair(soft, 301, goal=weight)[-1, 1]
        scenes.near(f"targettime {time:g}, targetweight {weight}: below its goal, mm", -1e3 * found,
                    1e3 * G * (time / (2 * numpy.pi)) ** 2 / weight, 0.02, "spring")


def rest():
    """In equilibrium a hair stays as it is; with a cap of 0 it is as without."""
    sag = beam(G)
    found = -hair({"restmode": "equilibrium"})[-1, 1]
    scenes.holds(f"equilibrium: sag {1e3 * found:.2g} mm, at most 1% of {1e3 * sag:.3g}", abs(found) < 0.01 * sag)
    for parms, truth in (({"restangle": 0, "reststiffen": 1}, 1), ({"restangle": 0, "reststiffen": 4}, 0.25)):
        found = -hair(dict(parms, restmode="equilibrium"))[-1, 1]
        # a stiffer hair sags the less
        scenes.near(f"equilibrium, {parms}: sag over a beam's", found / sag, truth, 0.01, "share")
    soft = {"youngs": 2e4, "shear": 2e4, "damping": 10, "restmode": "equilibrium", "reststiffen": 1}
    held = LENGTH / (POINTS - 1)
    longer = DENSITY * G * (LENGTH - held) ** 2 / (2 * soft["youngs"])
    for cap in (0, 0.5):
        found = -hair(dict(soft, reststretch=cap), 201, (0, -1, 0))[-1, 1] - LENGTH
        scenes.near(f"equilibrium, reststretch {cap}: longer by, over a rod's, + 1", found / longer + 1, 2 if cap == 0 else 1, 0.005,
                    "all or nothing")


def solids():
    """A hair that falls on a box lies `thickness` above it, and sinks into it within `rootfree` of its root."""
    box = {"size": [0.1, 0.02, 0.05], "t": [0.02, -0.013, 0]}
    soft = {"youngs": 1e6, "shear": 1e6, "damping": 1e3, "dragnormal": 1e-3}
    tips = [hair(dict(soft, thickness=t, rootfree=0.005), 201, solid=box)[-1, 1] for t in (0, 0.001)]
    # contact begins at the distance d0: a radius from the surface, and some tenths of it on a coarse level set
    scenes.near("tip above the box, mm", 1e3 * (tips[0] + 0.003), 0.15, 0.5, "two radii and a half")
    scenes.near("thickness 0.001: higher by, mm", 1e3 * (tips[1] - tips[0]), 1, 0.01, "thickness")
    # the root is 0.5 mm above the box; a soft hair hangs below its top where colliders do not touch it
    low = {"size": [0.1, 0.02, 0.05], "t": [0.02, -0.0105, 0]}
    for length in (0.001, 0.015):
        within = LENGTH * float((hair(dict(soft, rootfree=length), 201, solid=low)[1:, 1] < -0.0005).mean())
        # the first millimetres lie above the box, as the root does
        scenes.holds(f"rootfree {length:g}: {within:.4f} m are in the box, at most that and at least 3 mm less",
                     length - 0.003 < within < length)


inertia()
goals()
rest()
solids()
scenes.end()
