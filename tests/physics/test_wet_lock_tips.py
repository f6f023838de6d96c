"""Locks of wet hair that `transfer` makes are wavy up to their tips, also where hairs are longer than their guide.

A tuft of wavy hair, whose lengths differ by up to a quarter, hangs with a film on its guides. Measured is the curvature
of the last centimetre of the hairs that reach more than a centimetre beyond their guide, against that of the guides.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

STEP, TAIL = 2.5e-3, 0.01  # m: edges of the measured line, its length
FRAMES = 8


def scene(points):
    return {"rivulet": 1, "fps": 24, "nodes": {
        "tuft": {"type": "groom", "parms": {
            "layout": "disk", "size": 0.03, "count": 600, "length": 0.12, "lengthrandom": 0.25, "points": points, "lift": 1,
            "bend": 0, "style": "wavy", "curlradius": 0.003, "curlpitch": 0.03, "directionrandom": 0.03}},
        "hang": {"type": "transform", "inputs": ["tuft"], "parms": {"r": [180, 0, 0]}},
        "pick": {"type": "guides", "inputs": ["hang"], "parms": {"step": 30}},
        "paint": {"type": "attribute", "inputs": ["pick"], "parms": {"name": "filmheight", "value": [3e-5, 0, 0, 0]}},
        "wet": {"type": "wetsolver", "inputs": ["paint"], "parms": {
            "killbox": True, "killmin": [-1, -0.2, -1], "killmax": [1, 1, 1]}},
        "all": {"type": "transfer", "inputs": ["hang", "pick", "wet"], "parms": {"strayamount": 0}}}}


def lines(x, tail, step):
    """The last `tail` metres of strands in edges of `step`."""
    out = []
    for strand in x:
        s = numpy.concatenate([[0], numpy.cumsum(numpy.linalg.norm(numpy.diff(strand, axis=0), axis=1))])
        at = s[-1] - numpy.arange(0, tail + 1e-9, step)[::-1]
        out.append(numpy.stack([numpy.interp(at, s, strand[:, c]) for c in range(3)], 1))
    return numpy.array(out)


def curvature(x):
    """1/m, root of the mean square, of each strand's tail."""
    t = numpy.diff(lines(x, TAIL, STEP), axis=1)
    t /= numpy.linalg.norm(t, axis=2)[:, :, None]
    turn = numpy.arccos(numpy.clip((t[:, 1:] * t[:, :-1]).sum(2), -1, 1))
    return numpy.sqrt((turn ** 2).mean(1)) / STEP


def length(x):
    return numpy.linalg.norm(numpy.diff(x, axis=1), axis=2).sum(1)


def main():
    shares = []
    for points in (33, 65):
        run = scenes.cook(scene(points), frames=FRAMES, extra=["all"])
        guides, hairs = run.strands(FRAMES), run.strands(FRAMES, "all")
        # A hair of a lock is near its guide at the guide's tip: the nearest guide there is its own.
        tips = guides.x[:, -1]
        near = numpy.linalg.norm(hairs.x[:, :, None] - tips, axis=3)  # [hairs, points, guides]
        own = near.min(1).argmin(1)
        longer = length(hairs.x) - length(guides.x)[own] > TAIL
        bends, of_guides = curvature(hairs.x[longer]), curvature(guides.x).mean()
        scenes.holds(f"{points} points: {longer.sum()} of 600 hairs are longer than their guide by more than 1 cm, "
                     "at least 50", longer.sum() >= 50)
        # The tail repeats the wave of the guide before its tip in reverse order, so it has the same curvatures. Where the
        # pitch is not the Curl Window some of the wave counts as a bend of the whole guide, and is left out.
        share = bends.mean() / of_guides
        scenes.holds(f"{points} points: their last centimetre bends by {bends.mean():.1f} 1/m, {share:.2f} of the "
                     "guides', at least 0.6", share > 0.6)
        needles = (bends < 0.25 * of_guides).mean()
        scenes.holds(f"{points} points: {100 * needles:.1f}% of them are straighter than a quarter of that, at most 5%",
                     needles < 0.05)
        shares.append(share)
    # Edges of 1.9 and 3.8 mm of a pitch of 30 mm.
    scenes.equal("share of the guides' curvature", shares, 0.1)
    scenes.end()


main()
