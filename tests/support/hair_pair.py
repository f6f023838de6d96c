"""Two wet hairs, clamped at their roots and joined at their tips, without gravity (E47, after Bico et al. 2004): the
scene for the node, the front that it comes to, and the front of two beams with the same law of force.

The beams are written apart from the solver: the law of bridge_law, in closed form, on a fine grid of deflections, is
relaxed to equilibrium by implicit steps.
"""
import numpy

import bridge_law

TENSION, THETA = 0.072, numpy.radians(60)


def use(radius, spacing, youngs):
    """Sets the hairs of all that follows: m, m, Pa."""
    global RADIUS, SPACING, YOUNGS, D0, AREA, FILM, BENDING
    RADIUS, SPACING, YOUNGS = radius, spacing, youngs
    D0 = 3 * radius
    AREA = 4 * radius ** 2  # m2 of a bridge: both films
    FILM = radius * (numpy.sqrt(1 + AREA / 2 / (numpy.pi * radius ** 2)) - 1)
    BENDING = youngs * numpy.pi * radius ** 4 / 4


use(5e-5, 2e-3, 1.4e10)
STRAIGHT = 1 / 30  # of the length: the first edge of the coarsest hair is clamped
JOINED = 1.05      # d0: as in E47


def _cubic(t, width, left, left_slope, right, right_slope):
    return (left * (2 * t ** 3 - 3 * t * t + 1) + left_slope * width * (t ** 3 - 2 * t * t + t) +
            right * (3 * t * t - 2 * t ** 3) + right_slope * width * (t ** 3 - t * t))


def law():
    """Distances and forces per length of the merged law (spec 1.2.3 with E45) from d0 to rupture."""
    rupture = 2 * RADIUS + (1 + THETA / 2) * numpy.sqrt(AREA)
    fade = rupture - 0.1 * (rupture - 2 * RADIUS)
    turn = min(2 * D0 - 2 * RADIUS, D0 + 0.5 * (fade - D0))

    def force(distance):
        return TENSION * bridge_law.pair_force(RADIUS, distance - 2 * RADIUS, AREA, THETA)

    def slope(distance, small=1e-7):
        return (force(distance + small) - force(distance - small)) / (2 * small)

    rise, table, fall = numpy.linspace(D0, turn, 100), numpy.linspace(turn, fade, 60), numpy.linspace(fade, rupture, 100)
    top, end = force(turn), force(fade)
    first = _cubic((rise - D0) / (turn - D0), turn - D0, 0, top / (turn - D0), top, slope(turn))
    last = _cubic((fall - fade) / (rupture - fade), rupture - fade, end, slope(fade), 0, 0)
    return (numpy.concatenate([rise[:-1], table, fall[1:]]),
            numpy.concatenate([first[:-1], [force(d) for d in table], last[1:]]))


def elastocapillary():
    """L_2 of E47, m."""
    distance, force = law()
    energy = numpy.trapz(force, distance)
    return (9 / 8 * 2 ** 3 * BENDING * (SPACING - D0) ** 2 / energy) ** 0.25


def _pose(arclength, length, joined):
    """Deflection of one hair towards the other at the start, m."""
    t = numpy.clip((arclength - STRAIGHT * length) / joined, 0, 1)
    return 0.5 * (SPACING - D0) * t * t * (3 - 2 * t)


def front(distance, length):
    """m from the roots to where the hairs are joined."""
    edge, limit = length / (len(distance) - 1), JOINED * D0
    near = numpy.flatnonzero(distance <= limit)
    if not len(near):
        return length
    i = near[0]
    return edge * (i - (limit - distance[i]) / (distance[i - 1] - distance[i]))


def beams(length, points=301):
    """The front of two beams in equilibrium, m."""
    distance_of, force_of = law()
    stiffness = 1e3 + (force_of[1] - force_of[0]) / (distance_of[1] - distance_of[0])  # N/m2 below d0, with the contact's

    def force(d):
        return numpy.where(d < D0, stiffness * (d - D0), numpy.interp(d, distance_of, force_of, right=0))

    s = numpy.linspace(0, length, points)
    cell = s[1]
    w = _pose(s, length, elastocapillary())
    second = numpy.diff(numpy.eye(points), 2, axis=0)
    bending = (BENDING / cell ** 3 * second.T @ second)[2:, 2:]
    share = numpy.full(points - 2, cell)
    share[-1] /= 2
    damping = 10.0  # N s/m2, over the step
    for _ in range(2000):
        d = SPACING - 2 * w[2:]
        rate = (force(d + 1e-8) - force(d - 1e-8)) / 2e-8
        gradient = bending @ w[2:] - share * force(d)
        step = numpy.linalg.solve(bending + numpy.diag(share * (damping + numpy.maximum(2 * rate, 0))), -gradient)
        w[2:] += step
        most = abs(step).max()
        damping = damping / 1.05 if most < 2e-6 else damping * 1.4
        if most < 1e-12:
            break
    return front(SPACING - 2 * w, length)


def scene(points, substeps, length, joined, frames, damping):
    """`joined`: m from the roots to where the hairs are joined at the start."""
    nodes, rest = {}, []
    fine = numpy.linspace(0, length, 20001)
    for k, sign in enumerate((-1, 1)):
        x = sign * (0.5 * SPACING - _pose(fine, length, joined))
        # the pose has the arc length of the rest shape
        y = -numpy.concatenate([[0], numpy.cumsum(numpy.sqrt(numpy.diff(fine) ** 2 - numpy.diff(x) ** 2))])
        at = numpy.linspace(0, 20000, points).round().astype(int)
        nodes[f"hair{k}"] = {"type": "curve", "parms": {
            "method": "coords", "coords": ", ".join("%.9g %.9g 0" % (x[i], y[i]) for i in at)}}
        rest += ["%.9g %.9g 0" % (sign * 0.5 * SPACING, -s) for s in fine[at]]
    nodes["both"] = {"type": "merge", "inputs": ["hair0", "hair1"]}
    nodes["rest"] = {"type": "attribute", "inputs": ["both"], "parms": {
        "name": "rest", "size": 3, "typeinfo": "point", "mode": "list", "list": " ".join(rest)}}
    nodes["film"] = {"type": "attribute", "inputs": ["rest"],
                     "parms": {"name": "filmheight", "value": [FILM, 0, 0, 0]}}
    nodes["wet"] = {"type": "wetsolver", "inputs": ["film"], "parms": {
        "substeps": substeps, "maxsubsteps": substeps, "gravity": [0, 0, 0], "restmode": "natural",
        "hairradius": RADIUS, "density": 1300, "youngs": YOUNGS, "shear": YOUNGS / 3, "damping": damping,
        "tension": TENSION, "contactangle": numpy.degrees(THETA), "drip": 0, "filmfriction": 1e7, "absorption": 0,
        "friction": 0}}
    return {"rivulet": 1, "fps": 24, "frames": [1, frames], "nodes": nodes}


def distances(strands):
    return numpy.linalg.norm(strands.x[0] - strands.x[1], axis=1)
