"""Bundles of parallel hairs that hang from their roots, and what capillarity holds in them (WH-20, E74).

Liquid that fills the free area s = d^2 - pi r^2 of a hair in a square bundle wets 2 pi r of circumference, which gains
tension cos(angle) an area. So it has the suction 2 pi r tension cos(angle) / s, and holds a column of

    h = 2 pi r tension cos(angle) / (density g s)
"""
import math

import numpy

RADIUS, TENSION, DENSITY, G = 5e-5, 0.072, 1000.0, 9.81


def free_area(d):
    return d * d - math.pi * RADIUS ** 2


def volume(angle):
    """m3 a hair that a column holds, whatever the distance of the hairs."""
    return 2 * math.pi * RADIUS * TENSION * math.cos(math.radians(angle)) / (DENSITY * G)


def column(d, angle):
    """m, the height of the column."""
    return volume(angle) / free_area(d)


def film_height(d, saturation):
    """m, of a film that fills a share of the free area."""
    return math.sqrt(free_area(d) * saturation / math.pi + RADIUS ** 2) - RADIUS


def scene(d, length, points, angle, viscosity, substeps, attributes=(), side=6):
    """side x side hairs at distance d that hang from y = 0. `attributes`: parameters of attribute nodes."""
    rows = ["row%d" % k for k in range(side)]
    nodes = {name: {"type": "curve", "parms": {"origin": [0, 0, k * d], "dir": [0, -1, 0], "dist": length,
                                               "points": points, "count": side, "spacing": [d, 0, 0]}}
             for k, name in enumerate(rows)}
    nodes["all"] = {"type": "merge", "inputs": rows}
    last = "all"
    for k, parms in enumerate(attributes):
        nodes["attribute%d" % k] = {"type": "attribute", "inputs": [last], "parms": parms}
        last = "attribute%d" % k
    nodes["wet"] = {"type": "filmsolver", "inputs": [last], "parms": {
        "hairradius": RADIUS, "substeps": substeps, "contactangle": angle, "tension": TENSION, "liquiddensity": DENSITY,
        "gravity": [0, -G, 0], "filmviscosity": viscosity, "absorption": 0, "filmfriction": 0, "particlesep": 0.002,
        "killbox": True, "killmin": [-1, -length - 0.02, -1], "killmax": [1, 1, 1]}}
    return {"rivulet": 1, "fps": 24, "frames": [1, 2], "nodes": nodes}


def saturation(hair, d):
    """Share of the free area that is full, [strands, points]."""
    return hair.film() / hair.cell / free_area(d)


def height(hair, d):
    """m of a hair that are at least half full, the mean of all hairs. A column stands on the tips."""
    full = saturation(hair, d) > 0.5
    return float((hair.cell * full).sum(axis=1).mean())


def held(hair, d, above):
    """m3 a hair between the hairs, up to `above` the tips: drops that hang at the tips do not count, nor what still runs
    down above."""
    low = hair.x[..., 1] < hair.x[..., 1].min() + above
    return float((numpy.minimum(saturation(hair, d), 1) * hair.cell * low).sum(axis=1).mean() * free_area(d))
