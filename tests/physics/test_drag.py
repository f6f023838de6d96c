"""Drag on hair in liquid (WH-38, WH-39, E48, E75): hair that is towed through a pool lags as the drag law has it, at any
particlesep, and as one hair where a guide stands for many. The law and the shape of the rod are computed here anew.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import numpy

import scenes

FPS, FRAMES, SPEED = 48, 30, 0.12  # 1/s; frames; m/s
LENGTH, ABOVE, LEVEL = 0.047, 0.02, -0.004  # m: of the hair; its root; the pool's surface
RADIUS, YOUNGS, DENSITY = 5e-5, 5e9, 1320
STIFF = 4e10
LIQUID, VISCOSITY, GRAVITY = 1000, 8.9e-4, 9.81
CAPILLARY_LENGTH = 2.71e-3  # m, of water
CLAMPED = 0.5 / 31  # of the length: the first of the hair's edges is held, and bends from its middle on


def drag_law(phi):
    """(19) of the spec: drag along and across a fibre, over viscosity and speed."""
    base = -numpy.log(phi) - 1.476 + 2 * phi
    return (4 * numpy.pi / (base - 0.5 * phi ** 2),
            8 * numpy.pi / (base - 1.774 * phi ** 2 + 4.078 * phi ** 3))


def drag_a_length(speed, forchheimer):
    """Along and across a hair alone, N s/m2: its share of the cylinder that E75 gives it."""
    phi = (RADIUS / (3 * RADIUS * CAPILLARY_LENGTH ** 2) ** (1 / 3)) ** 2
    free = 1 - phi
    drag = []
    for d in drag_law(phi):
        root = numpy.sqrt(numpy.pi * d / phi if forchheimer else d)
        inertia = 1.75 / numpy.sqrt(150) * LIQUID * RADIUS * root * speed
        drag.append(free ** 2 * VISCOSITY * d + free ** 3 * inertia)
    return drag


def lag_by_law(forchheimer=False, youngs=YOUNGS, edges=1000):
    """m that the tip of a clamped elastic rod stays behind its root, by a relaxation of its edges' angles."""
    along, across = drag_a_length(SPEED, forchheimer)
    area, stiffness = numpy.pi * RADIUS ** 2, youngs * numpy.pi * RADIUS ** 4 / 4
    ds = LENGTH / edges
    angle = numpy.zeros(edges)  # from the vertical, against the motion
    for _ in range(5000):
        t = numpy.stack([-numpy.sin(angle), -numpy.cos(angle)])
        y = ABOVE + numpy.cumsum(t[1]) * ds - t[1] * ds / 2
        wet = y < LEVEL
        flow = numpy.stack([numpy.full(edges, -SPEED), numpy.zeros(edges)])
        with_t = (flow * t).sum(axis=0) * t
        force = wet * (along * with_t + across * (flow - with_t)) * ds
        force[1] -= (DENSITY - wet * LIQUID) * area * GRAVITY * ds
        beyond = numpy.cumsum(force[:, ::-1], axis=1)[:, ::-1] - force / 2
        moment = numpy.cumsum((t[0] * beyond[1] - t[1] * beyond[0])[::-1])[::-1] * ds
        bend = -moment / stiffness * ds
        bend[:int(edges * CLAMPED)] = 0
        bent = numpy.cumsum(bend) - bend / 2
        if numpy.abs(bent - angle).max() < 1e-8:
            break
        angle += 0.3 * (bent - angle)
    return numpy.sin(angle).sum() * ds


def scene(parms):
    made = scenes.load("wet/drag.json")
    made["nodes"]["pull"]["parms"]["tx"] = {"keys": [[1, 0], [1 + FRAMES, SPEED * FRAMES / FPS]], "interp": "linear"}
    made["nodes"]["hair"]["parms"]["origin"][0] = -0.04
    made["nodes"]["wet"]["parms"].update(dict({"youngs": YOUNGS, "shear": YOUNGS / 3, "capture": 0}, **parms))
    return made


def lag(sep, **parms):
    """m, the mean of the last frames; until then the hair has come to rest against the drag."""
    run = scenes.cook(scene(parms), [f"pool.particlesep={sep}"], FRAMES)
    lags = []
    for frame in range(FRAMES - 9, FRAMES + 1):
        hair = run.strands(frame).x[0]
        lags.append(hair[0, 0] - hair[-1, 0])
    return float(numpy.mean(lags))


def main():
    seps = (0.004, 0.002, 0.001)
    # The law is for liquid at rest. The drag is that of the liquid at the hair, which follows the hair by the momentum
    # that the hair gives a cell while it crosses it: drag / (density dx speed) = 1, 2, 4% of the speed at 4, 2, 1 mm.
    lags, law = [lag(sep) for sep in seps], lag_by_law()
    for sep, value in zip(seps, lags):
        scenes.near(f"lag at {sep * 1e3:g} mm, mm", value * 1e3, law * 1e3, 0.05, "drag law")
    scenes.equal("lag at any particlesep, m", lags, 0.05)
    # tip of a hair that nothing pulls; the pool's own motion moves it by less than 1 mm
    free = lag(0.002, drag=0)
    scenes.holds(f"without drag it hangs vertical: {free * 1e3:.2f} mm, at most 1", abs(free) < 1e-3)
    # A stiffer hair for quadratic drag, which is 15 times as strong. The liquid follows it by up to 8% of its speed, which
    # counts twice; without the pi of the law it would lag by 40% less.
    scenes.near("lag by Forchheimer, mm", lag(0.004, draglaw="forchheimer", youngs=STIFF) * 1e3,
                lag_by_law(True, STIFF) * 1e3, 0.12, "drag law")
    # a guide of four hairs is four times as stiff, as heavy and as much dragged as one
    scenes.near("lag of a guide of four hairs, mm", lag(0.004, hairsperguide=4) * 1e3, law * 1e3, 0.1,
                "one hair's")
    scenes.end()


main()
