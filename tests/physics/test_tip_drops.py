"""Drops fall from the tips of hairs at Tate's volume, 2 pi r tension / (density a), whatever the size of the liquid's
particles (WH-28, WH-30). a is gravity less the acceleration of the tip. The momentum of the film that flows in at a mean
speed u counts with the weight: a drop is smaller than Tate's by A u^2 / a, A the film's section, which is at most that of
the film at the start.

A hanging hair drains its film. What leaves the strands within a frame is the sum of the drops of that frame; frames are
short against the time from drop to drop.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

G, DENSITY, VISCOSITY = 9.81, 1000.0, 8.9e-4
LENGTH, FPS = 0.05, 200


def tate(radius, tension, pull=G):
    return 2 * numpy.pi * radius * tension / (DENSITY * pull)


def inflow(radius, height, pull=G):
    """A u^2 / a of the film at the start, m3: the flow of a viscous annulus (test_tip_film)."""
    outer = radius + height
    s = numpy.linspace(radius, outer, 2001)
    w = pull * DENSITY / (4 * VISCOSITY) * (2 * outer ** 2 * numpy.log(s / radius) - s ** 2 + radius ** 2)
    return numpy.trapz(w * 2 * numpy.pi * s, s) ** 2 / (numpy.pi * (outer ** 2 - radius ** 2)) / pull


def scene(radius, tension, height, separation, lift, seconds, length):
    """A hanging hair with film. Unless `lift` is None it is animated, and accelerates upward by that, m/s2."""
    free = lift is None
    lift = lift or 0
    keys = [[1 + f, 0.5 * lift * (f / FPS) ** 2] for f in range(-1, int(FPS * seconds) + 2)]
    return {"rivulet": 1, "fps": FPS, "frames": [1, 1 + int(FPS * seconds)], "nodes": {
        "hair": {"type": "curve", "parms": {"dir": [0, -1, 0], "dist": length, "points": 21}},
        "paint": {"type": "attribute", "inputs": ["hair"], "parms": {"name": "filmheight", "value": [height, 0, 0, 0]}},
        "lift": {"type": "transform", "inputs": ["paint"],
                 "parms": {"ty": {"keys": keys, "interp": "smooth", "extend": "linear"}}},
        "wet": {"type": "wetsolver", "inputs": ["lift"], "parms": {
            "hairradius": radius, "tension": tension, "particlesep": separation, "hairmode": int(not free), "absorption": 0,
            "capture": 0, "substeps": 2, "killbox": True, "killmin": [-1, -0.02 - length, -1], "killmax": [1, 9, 1]}}}}


def drops(name, radius, tension, height, separation, lift=None, seconds=0.5, length=LENGTH):
    """m3 of the drops that fell, in order, and the run."""
    run = scenes.cook(scene(radius, tension, height, separation, lift, seconds, length))
    gone = [row["ledger"]["bulk"] + sum(row["ledger"]["sinks"].values()) for row in run.rows]
    drift = max(abs(row["ledger"]["drift"]) for row in run.rows)
    scenes.holds(f"{name}: the ledger's drift is {drift:.1e}, at most 1e-12", drift < 1e-12)
    fell = numpy.diff(gone)
    return run, fell[fell > 1e-14]


def judge(name, fell, most, height_effect):
    """Drops are Tate's, less at most the effect of the inflow; 2% for the bounce of a hair that has lost one."""
    scenes.holds(f"{name}: {len(fell)} drops fell, at least one", len(fell) > 0)
    for drop in fell:
        scenes.near(f"{name}: a drop, mm3", 1e9 * drop, 1e9 * most, 0.15, "Tate")
        scenes.holds(f"  at least {1e9 * (most - height_effect):.4g} with the inflow's momentum, and at most Tate's, within 2%",
                     0.98 * (most - height_effect) < drop < 1.02 * most)


def at_rest():
    """Three radii, two tensions; particles of 8, 1 and 0.13 mm3. The film is as thick as gives a drop in 0.2 s or so."""
    for radius, height in ((2e-5, 1e-4), (4e-5, 1.2e-4), (8e-5, 1.3e-4)):
        for tension in (0.072, 0.036):
            means = []
            for separation in (2e-3, 1e-3, 5e-4):
                name = f"radius {radius:g}, tension {tension:g}, particles {separation:g}"
                # the first hair is free to move, the others are held to save time
                _, fell = drops(name, radius, tension, height, separation, None if separation == 2e-3 else 0.0)
                judge(name, fell, tate(radius, tension), inflow(radius, height))
                means.append(1e9 * float(numpy.mean(fell)) if len(fell) else 0)
            scenes.equal(f"radius {radius:g}, tension {tension:g}: drops at three sizes of particles, mm3", means, 0.01)


def accelerated():
    """A hair that is pulled upward sheds smaller drops."""
    for lift, height in ((G, 9e-5), (3 * G, 7e-5)):
        name = f"accelerated by {lift:g} m/s2"
        _, fell = drops(name, 4e-5, 0.072, height, 1e-3, lift, 0.8, 0.1)
        # the first drop may fall before it has felt the whole acceleration (10 ms)
        judge(name, fell[1:], tate(4e-5, 0.072, G + lift), inflow(4e-5, height, G + lift))


def thrown():
    """Film that is faster than the tension can hold leaves as a jet: a hair turned once a second, without gravity."""
    shares = []
    for substeps in (4, 16):
        run = scenes.cook("wet/spin.json", sets=[f"wet.substeps={substeps}"])
        last = run.rows[-1]["ledger"]
        shares.append(last["bulk"] / last["initial"])
    # Tate holds 11 mm3 at the 2 m/s2 of the tip, all of what flows there; the front of it is too fast for that.
    scenes.holds(f"a turning hair has thrown off {shares[-1]:.3f} of its film, at least a tenth", shares[-1] > 0.1)
    scenes.equal("the same at 4 and 16 substeps", shares, 0.05)


def as_particles():
    """A drop is a ball of particles with one velocity, and its centre is its radius below the tip."""
    separation = 5e-4
    run, fell = drops("particles of a drop", 4e-5, 0.072, 1.2e-4, separation)
    rows = [row["ledger"]["bulk"] for row in run.rows]
    frame = next(k for k, bulk in enumerate(rows) if bulk > 0)
    liquid = run.points(run.rows[frame]["frame"])
    volume, velocity = 4 / 3 * numpy.pi * liquid.point("pscale").ravel() ** 3, liquid.point("v").reshape(-1, 3)
    truth = float(fell[0])
    scenes.near("particles of a drop", len(volume), round(truth / separation ** 3), 0, "its volume over that of one")
    scenes.near("their volumes, mm3", 1e9 * float(volume.sum()), 1e9 * truth, 1e-5, "the drop's")
    # a frame later: the velocities differ by what the grid gave them
    spread = numpy.abs(velocity - velocity.mean(0)).max() / numpy.abs(velocity).max()
    scenes.holds(f"their velocities differ by {spread:.1e}, at most 1e-3", spread < 1e-3)
    age = float(liquid.point("age").ravel().max())
    ball = (3 / (4 * numpy.pi) * truth) ** (1 / 3)
    fallen = -float(liquid.P[:, 1].mean()) - LENGTH - ball
    own = -float(velocity[:, 1].mean()) - G * age
    # half a millimetre a second: what the liquid's first step does to it
    scenes.near("way of its centre, m", fallen, own * age + 0.5 * G * age ** 2, 0.2, "free fall from its place at the tip")
    across = numpy.linalg.norm(liquid.P - liquid.P.mean(0), axis=1)
    own_radius = (3 / (4 * numpy.pi)) ** (1 / 3) * separation  # each particle is a ball itself
    square = float((across ** 2).mean()) + 0.6 * own_radius ** 2
    scenes.near("its mean square radius over the ball's", square / (0.6 * ball ** 2), 1, 0.05, "ball")


at_rest()
accelerated()
thrown()
as_particles()
scenes.end()
