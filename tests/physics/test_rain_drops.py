"""The same rain falls and wets hair as much whatever the size of the particles: with `dropsize` a source makes drops of one size at the
same places and times, each as one small particle or as several, and hair knows them as drops in every frame (WH-31, WH-43, E74).
tests/physics/test_rain.py measures rain whose drops are the particles."""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

RADIUS, TENSION, DENSITY, GRAVITY = 5e-5, 0.072, 1000, 9.81
FPS, FRAMES, LENGTH, COUNT, HIGH = 50, 11, 0.02, 40, 0.03  # frames; m; hairs; m from the cloud to the hairs
SIDE, RATE, SPEED, DROP = 0.02, 4e-7, 2.0, 0.0015  # of the rain: m, m3/s, m/s, m
SIZES = (0.002, 0.0005)  # m: a drop is one particle of a quarter of their volume, and 14
# 45 drops fall on the hairs: 2 mm spread each of them over hairs that are 0.3 mm apart, 0.5 mm do not.
SAME = 0.1
# The law of the swept section is a mean over many drops; capacity and tips take some.
SWEPT = 0.25


def scene(sep):
    """Stiff level hairs, 0.3 mm apart, under rain for 0.2 s."""
    return {
        "rivulet": 1, "fps": FPS, "frames": [1, FRAMES],
        "nodes": {
            "hair": {"type": "groom", "parms": {
                "layout": "row", "spacing": 3e-4, "count": COUNT, "length": LENGTH, "lengthrandom": 0, "points": 12,
                "radius": RADIUS, "lift": 1, "bend": 0, "directionrandom": 0, "taper": "0 1 linear, 1 1 linear"}},
            "lie": {"type": "transform", "inputs": ["hair"], "parms": {"r": [90, 0, 0], "t": [-0.006, 0, -LENGTH / 2]}},
            "cloud": {"type": "grid", "parms": {"sizex": SIDE, "sizey": SIDE, "t": [0, HIGH, 0]}},
            "rain": {"type": "source", "inputs": ["cloud"], "parms": {"rate": RATE, "dropsize": DROP, "vel": [0, -SPEED, 0]}},
            "none": {"type": "merge"},
            "wet": {"type": "wetsolver", "inputs": ["lie", "none", None, "rain"], "parms": {
                "substeps": 4, "particlesep": sep, "hairradius": RADIUS, "youngs": 1e12, "cohesion": 0, "absorption": 0,
                "drip": 0, "killbox": True, "killmin": [-0.1, -0.05, -0.1], "killmax": [0.1, 0.1, 0.1]}}}}


def drops_in_air(run, each):
    """Places of the drops high above the hairs, m, by frame and number of birth, and their volumes, m3; `each`: particles of a drop."""
    found, volumes = {}, []
    for frame in range(2, FRAMES + 1):
        liquid = run.points(frame)
        volume = liquid.point("volume").ravel()
        number = liquid.point("id").ravel().astype(int) // each
        for drop in numpy.unique(number):
            own = volume[number == drop]
            place = (own[:, None] * liquid.P[number == drop]).sum(axis=0) / own.sum()
            if place[1] > HIGH / 3:
                found[frame, drop] = place
                volumes.append(own.sum())
    scenes.near("least volume of a drop, mm3", 1e9 * min(volumes), 1e9 * numpy.pi / 6 * DROP ** 3, 1e-6, "a ball of")
    scenes.near("largest volume of a drop, mm3", 1e9 * max(volumes), 1e9 * numpy.pi / 6 * DROP ** 3, 1e-6, "a ball of")
    return found


def theory():
    """Liquid that falls with the speed u fills RATE / (area u) of the space; a hair sweeps 2 (r + h) (u + pull) of it."""
    fall = numpy.sqrt(SPEED ** 2 + 2 * GRAVITY * HIGH)
    wait = HIGH / ((SPEED + fall) / 2)
    pull = numpy.sqrt(TENSION / (DENSITY * (3 * RADIUS * TENSION / (DENSITY * GRAVITY)) ** (1 / 3)))
    area, step = 0.0, 1e-4
    for _ in range(int(((FRAMES - 1) / FPS - wait) / step)):
        area += 2 * numpy.sqrt(area / numpy.pi + RADIUS ** 2) * (fall + pull) * RATE / (SIDE ** 2 * fall) * step
    return 1e9 * COUNT * LENGTH * area


def main():
    runs = [scenes.cook(scene(sep)) for sep in SIZES]
    coarse, fine = (drops_in_air(run, each) for run, each in zip(runs, (1, 14)))
    both = sorted(set(coarse) & set(fine))
    scenes.holds(f"drops in the air: {len(coarse)}, {len(fine)}, {len(both)} of them the same", len(both) > 10)
    apart = numpy.array([numpy.abs(coarse[drop] - fine[drop]) for drop in both])
    scenes.holds("they are %.3f mm apart across, at most 0.05" % (1e3 * apart[:, ::2].max()), apart[:, ::2].max() <= 5e-5)
    # what a source emits in a substep is in the scene from its start on, so that a drop may be ahead by one of 5 ms
    scenes.holds("and %.1f mm along, at most 12" % (1e3 * apart[:, 1].max()), apart[:, 1].max() <= 0.012)
    film = [1e9 * run.rows[-1]["ledger"]["film"] for run in runs]
    scenes.equal("film, mm3, particlesep 2, 0.5 mm", film, SAME)
    scenes.near("film, mm3", film[-1], theory(), SWEPT, "swept")
    scenes.end()


if __name__ == "__main__":
    main()
