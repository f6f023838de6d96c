"""F-curves as keys of a scene file.

Stepped and straight curves keep their keys. Any other curve (Bezier, easing, modifiers, drivers) is sampled, and between
the samples the host draws straight lines: a sample is added until the line is close enough.
"""
from . import numbers

CLOSENESS = 1e-3      # largest error of a sampled curve, relative to its range of values
SHORTEST = 1.0 / 16   # frames between two samples
WORDS = {"CONSTANT": "constant", "LINEAR": "linear"}


class Curve:
    """An animated number: `points` are (frame, value, interpolation word of Blender), `at` evaluates it."""

    def __init__(self, points, at, extrapolation="CONSTANT", modified=False):
        self.points, self.at = sorted(points), at
        self.extrapolation, self.modified = extrapolation, modified

    def plain(self):
        """The host's word if the keys alone describe the curve, else None."""
        words = {word for _, _, word in self.points[:-1]} or {"CONSTANT"}
        if self.modified or len(words) != 1:
            return None
        return WORDS.get(words.pop())


def _samples(at, first, last, closeness):
    """Frames from first to last at which straight lines through the values stay close to the curve."""
    found = [first]

    def divide(a, b):
        middle = (a + b) / 2
        # two inner points: an S-shaped curve meets its chord in the middle
        errors = [abs(at(a + share * (b - a)) - (at(a) + share * (at(b) - at(a)))) for share in (0.25, 0.5, 0.75)]
        if b - a > SHORTEST and max(errors) > closeness:
            divide(a, middle)
            divide(middle, b)
        else:
            found.append(b)
    frame = first
    while frame < last:
        step = min(frame + 1, last)
        divide(frame, step)
        frame = step
    return found


def _thin(pairs, closeness):
    """Leaves out samples that lie on the line between the kept ones."""
    kept = [0]
    for k in range(1, len(pairs) - 1):
        (a, x), (b, y) = pairs[kept[-1]], pairs[k + 1]
        between = pairs[kept[-1] + 1:k + 1]
        if any(abs(value - (x + (frame - a) / (b - a) * (y - x))) > closeness for frame, value in between):
            kept.append(k)
    if len(pairs) > 1:
        kept.append(len(pairs) - 1)
    return [pairs[k] for k in kept]


def keys(curve, first, last):
    """The curve as the value of a parameter, for the frames of a scene."""
    word = curve.plain()
    if word:
        extend = "linear" if curve.extrapolation == "LINEAR" and word == "linear" else "hold"
        pairs = [[numbers.typed(frame), numbers.typed(value)] for frame, value, _ in curve.points]
        return {"keys": pairs, "interp": word, "extend": extend}
    # one frame more at each end, for velocities
    ends = [frame for frame, _, _ in curve.points] or [first]
    begin, end = min([first - 1] + ends), max([last + 1] + ends)
    values = [curve.at(begin + k * (end - begin) / 64) for k in range(65)]
    closeness = CLOSENESS * (max(values) - min(values))
    pairs = [(frame, curve.at(frame)) for frame in _samples(curve.at, begin, end, closeness)]
    pairs = [[numbers.typed(frame), numbers.typed(value)] for frame, value in _thin(pairs, closeness / 4)]
    return {"keys": pairs, "interp": "linear", "extend": "hold"}
