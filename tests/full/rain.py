"""A tuft in the rain holds as much film when it has dripped off, in as many clumps, and as much runs off it, whatever the size of the
particles, the number of substeps and of points (WH-28, WH-31, E74). tests/physics/test_rain.py compares the film that rain leaves on
stiff hairs with theory.

The rain has drops of 1.5 mm, the same at every size of the particles: 905 of them fall on the tuft's surroundings. If the particles were the
drops, particles of 2, 1 and 0.5 mm would be three kinds of rain, of 200, 1,600 and 12,800 drops. Means over the same grooms are compared; the
error of the difference of two means is printed with them.
With `full` as its argument it runs the whole sweep, else two sizes and two substeps."""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

RADIUS, FPS, FRAMES, RAINED = 5e-5, 25, 26, 0.4  # m; frames, 1 s; s of the rain
DROP = 0.0015  # m: one particle of 2 mm is 4.5 of them, 14 of 0.5 mm are one
PASSED = 13  # frame at which the last of the rain has passed
GROOMS = (0, 1, 2, 3)  # seeds
# A picture does not show a change of film by less, nor of clumps.
FILM, CLUMPS, DRIP = 0.15, 0.2, 0.15


def scene(sep, substeps, points, seed):
    """50 hairs that stand out of a wall and point down by 30 degrees, under rain of 5 mm/s for 0.4 s."""
    on = {"keys": [[1, 1], [1 + RAINED * FPS, 0]], "interp": "constant"}
    return {
        "rivulet": 1, "fps": FPS, "frames": [1, FRAMES],
        "nodes": {
            "tuft": {"type": "groom", "parms": {
                "layout": "disk", "size": 0.008, "count": 50, "length": 0.03, "points": points, "lift": 1, "bend": 0,
                "radius": RADIUS, "directionrandom": 0.06, "seed": seed}},
            "lie": {"type": "transform", "inputs": ["tuft"], "parms": {"r": [120, 0, 0], "t": [0, 0, -0.013]}},
            "cloud": {"type": "grid", "parms": {"sizex": 0.02, "sizey": 0.04, "t": [0, 0.015, 0]}},
            "rain": {"type": "source", "inputs": ["cloud"], "parms": {
                "rate": 4e-6, "dropsize": DROP, "vel": [0, -2, 0], "active": on}},
            "none": {"type": "merge"},
            "wet": {"type": "wetsolver", "inputs": ["lie", "none", None, "rain"], "parms": {
                "substeps": substeps, "particlesep": sep, "hairradius": RADIUS, "youngs": 3e9, "shear": 1e9, "absorption": 0,
                "killbox": True, "killmin": [-0.05, -0.05, -0.05], "killmax": [0.05, 0.05, 0.05]}}}}


def error_of_mean(values):
    return numpy.std(values, ddof=1) / numpy.sqrt(len(values))


def measure(sep=0.001, substeps=4, points=20):
    """Of each groom: mm3 of film in the end, effective clumps, mm3/s that run off to the tips."""
    figures = []
    seconds = (FRAMES - PASSED) / FPS
    for seed in GROOMS:
        run = scenes.cook(scene(sep, substeps, points, seed))
        along = [1e9 * run.strands(frame).film_volume() for frame in (PASSED, FRAMES)]
        figures.append((1e9 * run.rows[-1]["ledger"]["film"], run.strands(FRAMES).effective_clumps(),
                        (along[0] - along[1]) / seconds))
    figures = numpy.array(figures)
    errors = [error_of_mean(figures[:, k]) for k in range(3)]
    print("        particlesep %g mm, %d substeps, %d points: film %.1f +- %.1f mm3, clumps %.1f +- %.1f, %.1f +- %.1f mm3/s run off" % (
        1e3 * sep, substeps, points, *(x for pair in zip(figures.mean(axis=0), errors) for x in pair)), flush=True)
    return figures


def compare(what, runs):
    names = ("film held, mm3, ", "clumps by hairs, ", "runs off to the tips, mm3/s, ")
    for k, (name, most) in enumerate(zip(names, (FILM, CLUMPS, DRIP))):
        finest = runs[-1][:, k]
        errors = [error_of_mean(run[:, k] - finest) / finest.mean() for run in runs[:-1]]
        text = name + what + " (differences known to %s%%)" % ", ".join("%.0f" % (100 * e) for e in errors)
        scenes.equal(text, [run[:, k].mean() for run in runs], most)


def main():
    fine = measure()
    if sys.argv[1:] == ["full"]:
        compare("particlesep 2, 1, 0.5 mm", [measure(sep=0.002), fine, measure(sep=0.0005)])
        compare("substeps 2, 4, 8, 16, 32", [measure(substeps=2), fine] + [measure(substeps=n) for n in (8, 16, 32)])
        compare("points 20, 40, 80", [fine] + [measure(points=n) for n in (40, 80)])
    else:
        compare("particlesep 1, 0.5 mm", [fine, measure(sep=0.0005)])
        compare("substeps 4, 16", [fine, measure(substeps=16)])
    scenes.end()


if __name__ == "__main__":
    main()
