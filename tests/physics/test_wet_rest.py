"""Painted wet hair comes to rest, and its locks do not depend on the substeps (WH-10, WH-15).

Two hairs that liquid holds together stand still when their film no longer moves: what liquid does between strands
is a tension along the line from one to the other, which does no work on hair at rest. A force along a line of the step's
start or of its predicted end drives them around each other: pairs 0.3 mm apart went on at 2.5 mm/s with 8 substeps.

A tuft of 50 hairs gathers in locks where hairs reach each other. Hair that sways meets ever more of its neighbours: a tuft
fell into 15, 20, 29 and 33 locks with 4, 8, 12 and 24 substeps. One tuft scatters by a third, so means of six are compared
(`--full`), each known to 8%; four of them otherwise.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

RESTS = 5e-4    # m/s across the hair, root mean square: the film still creeps, and its bridges with it
PAIRS = (3, 5)  # seeds of pairs of which liquid presses the hairs on each other near the roots
LOCKS = 0.2     # a picture does not show less than a fifth


def painted(seed, hairs, size, substeps, drip, frames, kept):
    """A painted tuft of the cookbook's scene in the frames `kept`."""
    sets = [f"tuft.seed={seed}", f"tuft.count={hairs}", f"tuft.size={size}", f"wet.substeps={substeps}", f"wet.drip={drip}"]
    run = scenes.cook("cookbook.json", sets=sets, frames=frames)
    return [run.strands(frame) for frame in kept]


def sway(seed, substeps):
    """m/s across the hair in the second half second, root mean square."""
    late = painted(seed, 2, 0.0003, substeps, 0, 24, range(13, 25, 2))
    v = numpy.array([hair.point("v").reshape(-1, 3)[:, [0, 2]] for hair in late])
    return float(numpy.sqrt((v ** 2).sum(2).mean()))


def locks(substeps, grooms):
    return float(numpy.mean([painted(seed, 50, 0.004, substeps, 30, 24, [24])[0].effective_clumps() for seed in grooms]))


def main():
    full = "--full" in sys.argv
    for seed in PAIRS:
        for substeps in (4, 8, 24) if full else (4, 8):
            speed = sway(seed, substeps)
            scenes.holds(f"pair {seed}, {substeps} substeps: {1e3 * speed:.3f} mm/s across, at rest below {1e3 * RESTS}", speed < RESTS)
    steps, grooms = ((4, 8, 12, 24), range(6)) if full else ((4, 24), range(4))
    scenes.equal("locks of a painted tuft, %s substeps, mean of %d grooms" % (", ".join(map(str, steps)), len(grooms)),
                 [locks(n, grooms) for n in steps], LOCKS)
    scenes.end()


if __name__ == "__main__":
    main()
