"""A tuft that is drawn out of a pool holds as much film and ends in as many clumps, and as much runs off it, whatever the size of
the particles, the number of substeps and of points (WH-28, WH-31, E74). With `full` as its argument it runs all of
docs/scenes/dip.json's sweep, ten minutes of CPU; without, two sizes.

Clumps are counted by the hairs in them (scenes.Strands.effective_clumps): a single hair beside the tuft is not a second
one.

What runs off is film along the hairs that goes to the tips from frame OUT on, when the tuft is out of the water; it is
continuous, where what falls is a few drops. It follows from which hairs stand where: two grooms differ by a third. So many tufts of
30 hairs of the same density are compared groom by groom, and the error of the difference is printed: 8 tufts know their mean to 13%,
28 to 7%."""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

# A picture does not show a change of film by less, nor of clumps.
FILM, CLUMPS, DRIP = 0.15, 0.2, 0.15
FRAMES, OUT = 36, 22
GROOMS = range(28 if sys.argv[1:] == ["full"] else 8)  # seeds of the small tufts


def measure(*sets):
    """mm3 of film and effective clumps at the end; prints also the count of clumps and what runs off."""
    run = scenes.cook("dip.json", sets=list(sets))
    film = 1e9 * run.rows[-1]["ledger"]["film"]
    clumps = run.strands(FRAMES).effective_clumps()
    print("        %s: film %.1f mm3, %.2f clumps by hairs, %d in number, %.1f mm3/s run off" % (
        " ".join(sets), film, clumps, run.rows[-1]["counts"]["clumps"], run_off(run)), flush=True)
    drift = run.rows[-1]["ledger"]["drift"]
    scenes.holds("%s: drift %.1e, at most 1e-12" % (" ".join(sets), drift), abs(drift) <= 1e-12)
    return film, clumps


def compare(what, figures):
    scenes.equal("film, mm3, " + what, [f[0] for f in figures], FILM)
    scenes.equal("clumps by hairs, " + what, [f[1] for f in figures], CLUMPS)


def run_off(run):
    """mm3/s that go from the hairs to their tips."""
    before, after = (1e9 * run.strands(frame).film_volume() for frame in (OUT, FRAMES))
    return (before - after) / ((FRAMES - OUT) / 24)


def small(*sets):
    """Of each groom of a tuft of 30 hairs in a pool of 24 mm: mm3 of film and effective clumps at the end, mm3/s that run off."""
    scene = scenes.load("dip.json")
    nodes, wide = scene["nodes"], 0.024
    nodes["tuft"]["parms"].update(count=30, size=0.0035)
    nodes["pool"]["parms"]["size"] = [wide, 0.05, wide]
    nodes["wet"]["parms"].update(wallsmin=[-wide / 2, -0.095, -wide / 2], wallsmax=[wide / 2, 1, wide / 2])
    figures = []
    for seed in GROOMS:
        run = scenes.cook(scene, sets=list(sets) + ["tuft.seed=%d" % seed])
        figures.append((1e9 * run.rows[-1]["ledger"]["film"], run.strands(FRAMES).effective_clumps(), run_off(run)))
    figures = numpy.array(figures)
    errors = figures.std(axis=0, ddof=1) / numpy.sqrt(len(figures))
    print("        30 hairs, %s: film %.2f +- %.2f mm3, %.2f +- %.2f clumps, %.2f +- %.2f mm3/s run off" % (
        " ".join(sets), *(x for pair in zip(figures.mean(axis=0), errors) for x in pair)), flush=True)
    return figures


def compare_small(what, runs):
    """Means of the grooms, the finest run last."""
    finest = runs[-1][:, 2]
    errors = [numpy.std(run[:, 2] - finest, ddof=1) / numpy.sqrt(len(GROOMS)) / finest.mean() for run in runs[:-1]]
    compare("30 hairs, " + what, [run.mean(axis=0) for run in runs])
    scenes.equal("runs off 30 hairs, mm3/s, %s (differences known to %s%%)" % (
        what, ", ".join("%.0f" % (100 * e) for e in errors)), [run[:, 2].mean() for run in runs], DRIP)


def main():
    if sys.argv[1:] == ["full"]:
        compare("particlesep 2.8, 2, 1.4 mm", [measure("pool.particlesep=%g" % sep) for sep in (0.0028, 0.002, 0.0014)])
        compare("substeps 2, 4, 8, 16, 32", [measure("wet.substeps=%d" % n) for n in (2, 4, 8, 16, 32)])
        compare("points 20, 40, 80", [measure("tuft.points=%d" % n) for n in (20, 40, 80)])
        compare_small("particlesep 2, 1 mm", [small("pool.particlesep=%g" % s) for s in (0.002, 0.001)])
        compare_small("substeps 4, 8, 16", [small("wet.substeps=%d" % n) for n in (4, 8, 16)])
        compare_small("points 20, 40, 80", [small("tuft.points=%d" % n) for n in (20, 40, 80)])
    else:
        compare("particlesep 2.8, 2 mm", [measure("pool.particlesep=%g" % sep) for sep in (0.0028, 0.002)])
        compare_small("substeps 4, 8", [small("wet.substeps=%d" % n) for n in (4, 8)])
    scenes.end()


if __name__ == "__main__":
    main()
