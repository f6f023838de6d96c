"""The liquid's parameters in `wetsolver` (WH-36, WH-43): viscosity slows a flow between walls that it sticks to, surface
tension swings a drop, walls hold the liquid, and the kill box takes it. No hair is near: the solver of the liquid has checks
of its own, and this shows that the node hands its parameters over.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

FPS, DENSITY = 100, 1000.0


def cook(fill, parms, frames, velocity=(0, 0, 0)):
    """Liquid far from a hair. `fill`: nodes that end in "pool"."""
    nodes = dict(fill)
    nodes["hair"] = {"type": "curve", "parms": {"origin": [1, 0, 0], "dir": [0, -1, 0], "dist": 0.01, "points": 4}}
    nodes["moves"] = {"type": "attribute", "inputs": ["pool"],
                      "parms": {"name": "v", "size": 3, "typeinfo": "vector", "value": list(velocity) + [0]}}
    nodes["wet"] = {"type": "wetsolver", "inputs": ["hair", "moves"], "parms": dict({"substeps": 2, "gravity": [0, 0, 0]}, **parms)}
    return scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, frames], "nodes": nodes})


def box(size, sep):
    return {"pool": {"type": "fill", "parms": {"size": list(size), "t": [0, 0, 0], "particlesep": sep}}}


def speed(points):
    return points.point("v").reshape(-1, 3)


def viscous():
    """Between walls at z = +-H/2 a flow along x decays as exp(-pi^2 viscosity t / (density H^2)), once it is a half sine."""
    wide = 0.02
    fill = box((0.08, 0.02, wide), 0.002)
    walls = {"walls": True, "wallsmin": [-1, -1, -wide / 2], "wallsmax": [1, 1, wide / 2], "wallnx": False, "wallpx": False,
             "wallny": False, "wallpy": False}
    rates = []
    for viscosity in (0.5, 1.0):
        run = cook(fill, dict(walls, viscosity=viscosity), 13, (0.05, 0, 0))
        # in the middle of the length, away from the free ends
        mean = []
        for frame in (7, 13):
            p = run.points(frame)
            inner = numpy.abs(p.P[:, 0] - p.P[:, 0].mean()) < 0.02
            mean.append(float(speed(p)[inner, 0].mean()))
        rates.append(numpy.log(mean[0] / mean[1]) / (6 / FPS))
        truth = numpy.pi ** 2 * viscosity / (DENSITY * wide ** 2)
        # cells of 4 mm, five from wall to wall
        scenes.near(f"viscosity {viscosity:g}: decay, 1/s", rates[-1], truth, 0.15, "between walls")
    run = cook(fill, dict(walls, viscosity=1.0, stick=False), 13, (0.05, 0, 0))
    scenes.near("stick off: speed, m/s", float(speed(run.points(13))[:, 0].mean()), 0.05, 0.02, "as at first")


def walls():
    """Water in a tank stays in it; where a side is open it leaves; the kill box counts what it takes."""
    tank = {"walls": True, "wallsmin": [-0.02, -0.02, -0.02], "wallsmax": [0.02, 0.1, 0.02], "gravity": [0, -9.81, 0]}
    run = cook(box((0.04, 0.04, 0.04), 0.004), tank, 21)
    p = run.points(21).P
    scenes.holds(f"walls: all of it is within, {numpy.abs(p).max() * 1e3:.2f} mm of 20", numpy.abs(p).max() <= 0.0201)
    for side in ("wallnx", "wallpx", "wallny", "wallnz", "wallpz"):
        ledger = cook(box((0.04, 0.04, 0.04), 0.004), dict(tank, **{side: False}), 21).rows[-1]["ledger"]
        share = ledger["sinks"]["outflow"] / ledger["initial"]
        # a column as high as wide falls out within 0.2 s but for what lies behind
        scenes.holds(f"{side} open: {share:.2f} of it left there, at least half", share > 0.5)
    shut = dict(tank, gravity=[0, 9.81, 0], wallsmax=[0.02, 0.02, 0.02])
    for closed in (True, False):
        ledger = cook(box((0.04, 0.04, 0.04), 0.004), dict(shut, wallpy=closed), 21).rows[-1]["ledger"]
        share = ledger["sinks"]["outflow"] / ledger["initial"]
        # it leaves slowly, as no air comes in beneath it
        scenes.holds(f"wallpy {closed}: {share:.3f} of it fell up and out", share == 0 if closed else share > 0.2)
    for floor, all_of_it in ((-0.05, 1), (-0.5, 0)):
        parms = {"killbox": True, "killmin": [-1, floor, -1], "killmax": [1, 1, 1], "gravity": [0, -9.81, 0]}
        ledger = cook(box((0.04, 0.04, 0.04), 0.004), parms, 21).rows[-1]["ledger"]
        scenes.near(f"killmin {floor}: killed after a fall of 0.2 m, + 1", ledger["sinks"]["killed"] / ledger["initial"] + 1,
                    all_of_it + 1, 1e-6, "all or none")


def crowd():
    """Liquid that was put twice into one place takes twice the room after some of its volumetime; with 0 it does not."""
    fill = box((0.04, 0.02, 0.04), 0.004)
    fill["again"] = {"type": "fill", "parms": {"size": [0.04, 0.02, 0.04], "t": [0, 0, 0], "particlesep": 0.004}}
    fill["one"] = fill.pop("pool")
    fill["pool"] = {"type": "merge", "inputs": ["one", "again"]}
    tank = {"walls": True, "wallsmin": [-0.02, -0.01, -0.02], "wallsmax": [0.02, 0.1, 0.02], "gravity": [0, -9.81, 0],
            "reseeding": False}
    for time, truth in ((0.05, 0.04), (0, 0.02)):
        y = cook(fill, dict(tank, volumetime=time), 51).points(51).P[:, 1]
        # a uniform column is sqrt(12) deviations high; particles of a fill lie on a lattice
        scenes.near(f"volumetime {time}: height, mm", 1e3 * y.std() * 12 ** 0.5, 1e3 * truth, 0.06, "the room of it")


def tension():
    """A drop swings about the ball with Rayleigh's w^2 = 8 tension / (density R^3)."""
    fill = {"ball": {"type": "sphere", "parms": {"radius": 0.006, "rows": 25, "cols": 48}},
            "long": {"type": "transform", "inputs": ["ball"], "parms": {"s": [1.3, 0.877, 0.877]}},
            "pool": {"type": "fill", "inputs": ["long"], "parms": {"particlesep": 0.001}}}
    for value in (0.072, 0.288):
        frames = int(FPS * 2.2 * numpy.pi / numpy.sqrt(8 * value / (DENSITY * 0.006 ** 3))) + 2
        run = cook(fill, {"surfacetension": value}, frames)
        wide = [run.points(f).P.std(axis=0) for f in range(1, frames + 1)]
        ratio = numpy.array([w[0] / (w[1] + w[2]) * 2 for w in wide])
        # the time at which it is widest across: half a period, from the parabola through three frames
        k = int(numpy.argmin(ratio))
        slope, bend = (ratio[k + 1] - ratio[k - 1]) / 2, ratio[k + 1] - 2 * ratio[k] + ratio[k - 1]
        truth = numpy.pi / numpy.sqrt(8 * value / (DENSITY * 0.006 ** 3))
        # an amplitude of a third lengthens the period by some 5%, and a cell is a third of the radius
        scenes.near(f"surfacetension {value:g}: half a period, s", (k - slope / bend) / FPS, truth, 0.12, "Rayleigh")


viscous()
walls()
crowd()
tension()
scenes.end()
