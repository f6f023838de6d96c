"""The force of a capillary bridge per length, over the surface tension, from the geometry of circular menisci (spec
1.2.2 with E44), and the pull-off force of the merged law that a contact is given (spec 1.2.3 with E45).

Written apart from the solver: the area is that of the polygon of contact lines, less the circular segments of menisci
and bodies, and the bridge is found by looking through all half-angles."""
import numpy


def _solve(angles, areas, curvatures, area):
    """The first half-angle at which the bridge has the area, and 1 / R there."""
    rises = (areas[:-1] < area) & (areas[1:] >= area) & (areas[1:] - areas[:-1] < area)
    k = numpy.flatnonzero(rises)[0]
    share = (area - areas[k]) / (areas[k + 1] - areas[k])
    return [a[k] + share * (a[k + 1] - a[k]) for a in (angles, curvatures)]


def _half_angles(contact_angle):
    return numpy.linspace(1e-3, numpy.pi - contact_angle - 1e-3, 100000)


def _segment(radius, angle):
    return 0.5 * radius ** 2 * (angle - numpy.sin(angle))


def plane_force(radius, gap, area, theta):
    """Of a hair and a plane, both of the contact angle theta."""
    a = _half_angles(theta)
    height = gap + radius * (1 - numpy.cos(a))
    curvature = (numpy.cos(theta + a) + numpy.cos(theta)) / height
    meniscus, up = 1 / curvature, radius * numpy.sin(a)
    foot = up + meniscus * (numpy.sin(theta + a) - numpy.sin(theta))
    half = 0.5 * (up + foot) * height - _segment(meniscus, numpy.pi - 2 * theta - a) - 0.5 * _segment(radius, 2 * a)
    alpha, k = _solve(a, 2 * half, curvature, area)
    return 2 * numpy.sin(theta + alpha) + 2 * radius * numpy.sin(alpha) * k


def pair_force(radius, gap, area, theta):
    """Of two equal hairs."""
    a = _half_angles(theta)
    height = 0.5 * gap + radius * (1 - numpy.cos(a))
    curvature = numpy.cos(theta + a) / height
    half = 2 * radius * numpy.sin(a) * height - _segment(1 / curvature, numpy.pi - 2 * (theta + a))
    alpha, k = _solve(a, 2 * (half - _segment(radius, 2 * a)), curvature, area)
    return 2 * numpy.sin(theta + alpha) + 2 * radius * numpy.sin(alpha) * k


def pull_off(force, radius, width, area, theta):
    """The force at B, where the surfaces of a contact part. `force` is one of the above; `width` is the gap of d0."""
    rupture = (1 + theta / 2) * numpy.sqrt(area)
    room = rupture - width
    if room <= 0:
        return 0.0
    fade = rupture - min(0.1 * rupture, 0.5 * room)
    rise = min(room / width, 1)
    thin = rise * rise * (3 - 2 * rise)
    return thin * force(radius, min(2 * width, width + 0.5 * (fade - width)), area, theta)


def film_area(radius, height):
    return numpy.pi * ((radius + height) ** 2 - radius ** 2)
