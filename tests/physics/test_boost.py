"""A wet scene looks the same from a frame that moves evenly (WH-26, WH-33, WH-35): a block of water falls along a tuft of stiff hair,
at rest and with a common velocity of 2 m/s. Film, places of the hair and the liquid's centre are compared through `wetsolver`.

The grid stands still in all frames. What the hair holds depends on where in a cell the scene begins: at rest it varies by 0.7%
(standard deviation of ten places), and a scene that moves aslant takes the mean over the cells that it crosses. So a frame is
judged by the mean over PLACES places of the grid, whose error is 0.3%.

By whole cells a substep nothing differs but the rounding of floats. Hairs that touch amplify it tenfold in some substeps, whatever
the film does, so film of a vertex is compared as the liquid leaves the hair, and to the end with hair that is led by its input.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

FPS, FRAMES, SUBSTEPS = 100, 9, 10
LEFT = 6  # frame at which the liquid has left the hair
LENGTH, SEP = 0.02, 0.001
APART, DENSE = 0.008, 0.005  # m, width of the tuft: 1.1 and 0.7 mm between its hairs; a bundle holds liquid at 0.7 mm
LED = {"hairmode": "animated"}
WHOLE = (2, 0, 0)  # m/s: one cell of 2 mm a substep
BETWEEN = (1.2, 0.4, -1.55)  # 2 m/s, by parts of cells
ASIDE = (-0.7, 1.1, 1.52)  # the same elsewhere
PLACES = 6  # of the grid
STEPS = (0.8191725133961645, 0.6710436067037893, 0.5497004779019703)  # of a low-discrepancy sequence, in cells
TANK = 0.5  # m, from its middle to its walls, which nothing reaches


def grid_at(place):
    """Parameters that put the grid at one of its places in a cell: it begins at the corner of the tank."""
    corner = [2 * SEP * ((0.5 + place * step) % 1) - TANK for step in STEPS]
    return {"walls": True, "wallsmin": corner, "wallsmax": [c + 2 * TANK for c in corner]}


def cook(boost, parms=None, width=APART, frame=FRAMES):
    """Places of the hair, film of its vertices and centre of the liquid in a frame, seen from the moving frame."""
    moved = numpy.array(boost) * (frame - 1) / FPS
    moving = {k: {"keys": [[1, 0], [frame, m]], "interp": "linear"} for k, m in zip(("tx", "ty", "tz"), moved)}
    velocity = {"name": "v", "size": 3, "typeinfo": "vector"}
    run = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, frame], "nodes": {
        "tuft": {"type": "groom", "parms": {"layout": "disk", "size": width, "count": 40, "length": LENGTH, "points": 16,
                                            "lift": 1, "bend": 0, "directionrandom": 0.05}},
        "start": {"type": "attribute", "inputs": ["tuft"], "parms": dict(velocity, value=list(boost) + [0])},
        "hair": {"type": "transform", "inputs": ["start"], "parms": moving},
        "water": {"type": "fill", "parms": {"size": [0.016] * 3, "t": [0, 0.012, 0], "particlesep": SEP}},
        "falls": {"type": "attribute", "inputs": ["water"],
                  "parms": dict(velocity, value=[boost[0], boost[1] - 0.5, boost[2], 0])},
        # without the drag of the air, which would rest in all frames
        "wet": {"type": "wetsolver", "inputs": ["hair", "falls"], "parms": dict(parms or {}, **{
            "substeps": SUBSTEPS, "maxsubsteps": SUBSTEPS, "dragnormal": 0, "dragtangent": 0, "youngs": 1e11,
            "shear": 3e10})}}})
    hair, liquid = run.strands(frame), run.points(frame)
    volume = liquid.point("volume").reshape(-1, 1)
    return hair.x - moved, hair.film(), (volume * liquid.P).sum(axis=0) / volume.sum() - moved


def mean_film(boost):
    """mm3 of film, the mean over the places of the grid."""
    return 1e9 * numpy.mean([cook(boost, grid_at(place))[1].sum() for place in range(PLACES)])


def compare(boost, still, vertex_share, cells, **where):
    """Compares the hair, the film of its vertices and the liquid's centre of a moving scene with those of the one at rest."""
    moving = cook(boost, **where)
    name = "%g %g %g m/s: " % boost
    vertex = numpy.abs(moving[1] - still[1]).max() / still[1].max()
    scenes.holds(f"{name}film of a vertex {100 * vertex:.3g}% off, at most {100 * vertex_share:g}%", vertex < vertex_share)
    place = numpy.linalg.norm(moving[0] - still[0], axis=2).max() / LENGTH
    scenes.holds(f"{name}hair {100 * place:.3f}% of its length off, at most 0.1%", place < 1e-3)
    centre = numpy.linalg.norm(moving[2] - still[2]) / (2 * SEP)
    scenes.holds(f"{name}liquid's centre {centre:.5f} cells off, at most {cells:g}", centre < cells)
    return moving[1].sum() * 1e9


def by_whole_cells(width, least):
    """Nothing but rounding differs by whole cells a substep; the hair holds at least so many mm3 then."""
    print("        by whole cells, a tuft of %g mm" % (1e3 * width), flush=True)
    for vertex_share, where in ((0.01, {"frame": LEFT}), (1e-3, {"parms": LED})):
        still = cook((0, 0, 0), width=width, **where)
        film = still[1].sum() * 1e9
        scenes.holds(f"the hair holds {film:.1f} mm3, at least {least:g}", film > least)
        moving = compare(WHOLE, still, vertex_share, 1e-3, width=width, **where)
        scenes.near("film by whole cells, mm3", moving, film, 1e-3, "at rest")


def main():
    by_whole_cells(APART, 1)
    by_whole_cells(DENSE, 3)
    # By parts of cells film differs from vertex to vertex, and the means over the places of the grid agree.
    still = cook((0, 0, 0))
    for boost in (BETWEEN, ASIDE):
        compare(boost, still, 0.075, 0.01)
    film = mean_film((0, 0, 0))
    for boost in (BETWEEN, ASIDE):
        scenes.near("%g %g %g m/s: film, mm3" % boost, mean_film(boost), film, 0.01, "at rest")
    scenes.end()


main()
