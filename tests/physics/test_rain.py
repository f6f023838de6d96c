"""Rain wets hair by what the hairs' sections sweep, whatever the size of the particles, the number of substeps and of points
(WH-31, E74)."""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

RADIUS, TENSION, DENSITY, GRAVITY = 5e-5, 0.072, 1000, 9.81
FPS, FRAMES, LENGTH, COUNT = 50, 16, 0.03, 100
SIDE, RATE, SPEED = 0.04, 1e-6, 2.0  # of the rain: m, m3/s, m/s


def scene(sep, points, substeps, capture):
    """Stiff level hairs, 0.3 mm apart, under rain for 0.3 s."""
    return {
        "rivulet": 1, "fps": FPS, "frames": [1, FRAMES],
        "nodes": {
            "hair": {"type": "groom", "parms": {
                "layout": "row", "spacing": 3e-4, "count": COUNT, "length": LENGTH, "lengthrandom": 0, "points": points,
                "radius": RADIUS, "lift": 1, "bend": 0, "directionrandom": 0, "taper": "0 1 linear, 1 1 linear"}},
            "lie": {"type": "transform", "inputs": ["hair"], "parms": {"r": [90, 0, 0], "t": [-0.015, 0, -LENGTH / 2]}},
            "cloud": {"type": "grid", "parms": {"sizex": SIDE, "sizey": SIDE, "t": [0, 0.03, 0]}},
            "rain": {"type": "source", "inputs": ["cloud"], "parms": {"rate": RATE, "vel": [0, -SPEED, 0]}},
            "none": {"type": "merge"},
            "wet": {"type": "wetsolver", "inputs": ["lie", "none", None, "rain"], "parms": {
                "substeps": substeps, "particlesep": sep, "hairradius": RADIUS, "youngs": 1e12, "cohesion": 0,
                "absorption": 0, "capture": capture, "drip": 0, "killbox": True, "killmin": [-0.1, -0.05, -0.1], "killmax": [0.1, 0.1, 0.1]}}}}


def measure(sep=0.002, points=16, substeps=4, capture=1):
    """mm3 of film on all hairs."""
    return 1e9 * scenes.cook(scene(sep, points, substeps, capture)).rows[-1]["ledger"]["film"]


def theory(capture=1):
    """Liquid that falls with the speed u fills RATE / (area u) of the space; a hair sweeps 2 (r + h) (u + pull) of it."""
    fall = numpy.sqrt(SPEED ** 2 + 2 * GRAVITY * 0.03)
    wait = 0.03 / ((SPEED + fall) / 2)
    drop = (3 * RADIUS * TENSION / (DENSITY * GRAVITY)) ** (1 / 3)
    pull = numpy.sqrt(TENSION / (DENSITY * drop))
    area, film, step = 0.0, 0.0, 1e-4
    for _ in range(int(((FRAMES - 1) / FPS - wait) / step)):
        outer = numpy.sqrt(area / numpy.pi + RADIUS ** 2)
        area += capture * 2 * outer * (fall + pull) * RATE / (SIDE ** 2 * fall) * step
    return 1e9 * COUNT * LENGTH * area


def main():
    by_size = [measure(sep) for sep in (0.002, 0.001, 0.0005)]
    scenes.equal("film, mm3, particlesep 2, 1, 0.5 mm", by_size, 0.15)
    scenes.near("film, mm3", by_size[-1], theory(), 0.25, "swept")
    scenes.equal("film, mm3, substeps 2, 4, 16", [measure(0.001, substeps=n) for n in (2, 4, 16)], 0.15)
    scenes.equal("film, mm3, points 10, 20, 40", [measure(0.001, points=n) for n in (10, 20, 40)], 0.15)
    scenes.near("film, mm3, capture 0.5", measure(0.001, capture=0.5), theory(0.5), 0.25, "swept")
    scenes.holds("capture 0: no film", measure(0.001, capture=0) == 0)
    scenes.end()


if __name__ == "__main__":
    main()
