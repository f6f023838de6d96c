"""The state of solved air (HC-17): what the air does does not depend on where frames end.

Hair in a wind for a third of a second, in 16 steps: as eight frames of two steps, and as four frames of four. The air goes from
frame to frame in the state alone, so that places of the hair and speeds of the air are equal, to the rounding of the frames'
times. Air that began anew in each frame would be the wind there, which the hair has not slowed yet.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

LENGTH = 0.05


def blown(fps, frames, substeps):
    """Places of the points, m, and speeds of the air there, m/s, at the last frame."""
    run = scenes.cook({"rivulet": 1, "fps": fps, "frames": [1, frames], "nodes": {
        "hair": {"type": "groom", "parms": {"count": 60, "length": LENGTH, "points": 8, "size": 0.03, "style": "straight"}},
        "wet": {"type": "continuumsolver", "inputs": ["hair"], "parms": {
            "substeps": substeps, "maxsubsteps": substeps, "wind": [2, 0, 0], "hairsperguide": 100, "air": "solved",
            "airsize": 0.01, "airreach": 2}}}})
    hair = run.points(frames, "hair")
    return hair.P, hair.point("airspeed").ravel()


place, speed = blown(24, 9, 2)
other_place, other_speed = blown(12, 5, 4)
scenes.holds(f"the hair slows the air: {speed.min():.3f} of 2 m/s", speed.min() < 1.9)
scenes.holds(f"places differ by {abs(place - other_place).max():.1e} m, at most 1e-6 of the length",
             abs(place - other_place).max() <= 1e-6 * LENGTH)
scenes.holds(f"speeds differ by {abs(speed - other_speed).max():.1e} m/s, at most 1e-6 of the wind",
             abs(speed - other_speed).max() <= 2e-6)
scenes.end()
