"""A tuft under a thin jet holds as much film when it has dripped off, and in as many clumps, whatever the size of the
particles, the number of substeps and of points (WH-28, WH-31, E74). A jet of 6 mm is 1.5 cells wide for particles of 2 mm.

Which hairs stick together decides how much a single tuft holds: grooms scatter by 15%, and what runs off them by 30%. So means over
the same grooms are compared; the error of the difference of two means is printed with them, 5 to 10% of the run-off for four
grooms. What drips is measured where it leaves the hairs: film along them that runs off to the tips from frame 15 on. The last of
the jet leaves the tuft at frame 13. What falls in that time, about five drops a groom, is known no
better than to a third, and is printed only.

Film runs the faster the thicker it is, by about its square, and what runs off is a tenth of what is held. So run-off is compared
from 3 cells on, film at every size. tests/physics/test_jet_bundle.py compares what a jet leaves in a bundle with theory.
With `full` as its argument it runs the whole sweep. tests/physics/test_pour.py compares single hairs with theory,
test_jet_drag.py the speed of the jet in the tuft, and test_bundle_column.py how bundles drain."""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

RADIUS, FPS, FRAMES, POURED = 5e-5, 25, 26, 0.3  # m; frames, 1 s; s of the jet
GROOMS = (0, 1, 2, 3)  # seeds
# A picture does not show a change of film by less.
FILM, CLUMPS, DRIP = 0.15, 0.2, 0.15
PASSED = 15  # frame at which the jet has passed


def scene(sep, substeps, points=20, seed=0):
    """A jet of 6 mm falls for 0.3 s on the upper end of 100 hairs that hang, and they drip for 0.7 s."""
    on = {"keys": [[1, 1], [1 + POURED * FPS, 0]], "interp": "constant"}
    return {
        "rivulet": 1, "fps": FPS, "frames": [1, FRAMES],
        "nodes": {
            "tuft": {"type": "groom", "parms": {
                "layout": "disk", "size": 0.008, "count": 100, "length": 0.04, "points": points, "lift": 1, "bend": 0,
                "radius": RADIUS, "directionrandom": 0.06, "seed": seed}},
            "hang": {"type": "transform", "inputs": ["tuft"], "parms": {"r": [180, 0, 0]}},
            "jet": {"type": "source", "parms": {"shape": "disc", "size": [0.006, 0.006, 0.006], "t": [0, 0.012, 0],
                                                "rate": 1.4e-5, "vel": [0, -0.5, 0], "active": on}},
            "none": {"type": "merge"},
            "wet": {"type": "wetsolver", "inputs": ["hang", "none", None, "jet"], "parms": {
                "substeps": substeps, "particlesep": sep, "hairradius": RADIUS, "youngs": 3e9, "shear": 1e9,
                "absorption": 0, "killbox": True, "killmin": [-0.04, -0.06, -0.04], "killmax": [0.04, 0.05, 0.04]}}}}


def error_of_mean(values):
    return numpy.std(values, ddof=1) / numpy.sqrt(len(values)) if len(values) > 1 else float("nan")


def measure(sep=0.001, substeps=4, points=20, grooms=GROOMS):
    """Of each groom: mm3 of film in the end, clumps, mm3/s that run off to the tips, and mm3/s that fall off the hair: film that
    is lost is liquid that falls."""
    figures = []
    seconds = (FRAMES - PASSED) / FPS
    for seed in grooms:
        run = scenes.cook(scene(sep, substeps, points, seed))
        film = [1e9 * row["ledger"]["film"] for row in run.rows]
        along = [1e9 * run.strands(frame).film_volume() for frame in (PASSED, FRAMES)]
        figures.append((film[-1], run.rows[-1]["counts"]["clumps"], (along[0] - along[1]) / seconds,
                        (film[PASSED - 1] - film[-1]) / seconds))
        drift = run.rows[-1]["ledger"]["drift"]
        if not abs(drift) <= 1e-12:
            scenes.holds("particlesep %g mm, %d substeps: drift %.1e, at most 1e-12" % (1e3 * sep, substeps, drift), False)
    figures = numpy.array(figures)
    mean = figures.mean(axis=0)
    print("        particlesep %g mm, %d substeps, %d points: film %s, mean %.1f mm3, %.0f clumps; %s, mean %.1f +- %.1f mm3/s "
          "run off; %.1f +- %.1f mm3/s fall" % (
              1e3 * sep, substeps, points, " ".join("%.1f" % f for f in figures[:, 0]), mean[0], mean[1],
              " ".join("%.1f" % f for f in figures[:, 2]), mean[2], error_of_mean(figures[:, 2]), mean[3],
              error_of_mean(figures[:, 3])), flush=True)
    return figures


def compare(what, runs, run_off=True):
    """Means of the runs' grooms, the finest last; prints how well the differences to the finest are known."""
    names = ("film held, mm3, ", "clumps, ", "runs off to the tips, mm3/s, ")
    for k, (name, most) in enumerate(zip(names, (FILM, CLUMPS, DRIP))):
        finest = runs[-1][:, k]
        errors = [error_of_mean(run[:, k] - finest) / finest.mean() for run in runs[:-1]]
        text = name + what + " (differences known to %s%%)" % ", ".join("%.0f" % (100 * e) for e in errors)
        means = [run[:, k].mean() for run in runs]
        if k < 2 or run_off:
            scenes.equal(text, means, most)
        else:
            print("        " + text + ": " + ", ".join("%.1f" % m for m in means), flush=True)


def main():
    fine = measure()
    compare("particlesep 2, 1 mm", [measure(sep=0.002), fine], run_off=False)
    if sys.argv[1:] == ["full"]:
        compare("particlesep 1, 0.5 mm", [fine, measure(sep=0.0005)])
        compare("substeps 2, 4, 8, 16, 32", [measure(substeps=2), fine] + [measure(substeps=n) for n in (8, 16, 32)])
        compare("points 20, 40, 80", [fine] + [measure(points=n) for n in (40, 80)])
    scenes.end()


if __name__ == "__main__":
    main()
