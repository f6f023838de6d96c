"""Materials with densities of their own in one `liquidsolver` (SD-5): waves on the interface of two liquids.

Two liquids without viscosity lie on each other in a long tank; their interface is tilted, the surface is not. The light one then
sways with the frequency of the internal wave, for which two layers of the heights h and H with a free surface on top have

    w^4 (c C + r) - w^2 g k (c + C) + (1 - r) (g k)^2 = 0,   c = coth(k h), C = coth(k H), r = density ratio (Lamb 1932, 231),

the smaller root; the larger one is that of the surface. A solver that weighs both by the mean of their densities leaves the
interface as it is.

The front is two cells wide, which slows the wave by a part that falls with the size of the cells: for densities of 2 to 1 by 5.0,
4.0 and 2.5% at 16, 24 and 32 cells.

  test_densities.py            32 cells from end to end
  test_densities.py full       16 cells too
"""
import os
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import point_file  # noqa: E402
import scenes  # noqa: E402

FULL = "full" in sys.argv
LENGTH, HIGH, TILT, GRAVITY, FPS = 0.4, 0.1, 0.01, 9.81, 25
HEAVY = 1000.0


def roots(ratio):
    """Frequencies of internal and surface wave, 1/s."""
    k = numpy.pi / LENGTH
    c = 1 / numpy.tanh(k * HIGH)
    a, b, d = c * c + ratio, GRAVITY * k * 2 * c, (1 - ratio) * (GRAVITY * k) ** 2
    root = numpy.sqrt(b * b - 4 * a * d)
    return numpy.sqrt((b - root) / (2 * a)), numpy.sqrt((b + root) / (2 * a))


def sway(ratio, cells, frames):
    """Mean x of the light liquid in each frame, m."""
    apart = LENGTH / cells / 2
    wide = 8 * apart
    axis = [numpy.arange(apart / 2, size, apart) for size in (LENGTH, 2 * HIGH, wide)]
    places = numpy.stack(numpy.meshgrid(*axis, indexing="ij"), axis=-1).reshape(-1, 3)
    level = HIGH + TILT * numpy.cos(numpy.pi * places[:, 0] / LENGTH)
    light = places[:, 1] > level
    folder = tempfile.mkdtemp(prefix="rivulet_layers_")
    path = os.path.join(folder, "layers.geo")
    point_file.write(path, places, density=numpy.where(light, ratio * HEAVY, HEAVY), light=light)
    run = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, frames], "nodes": {
        "layers": {"type": "file", "parms": {"file": path}},
        "wet": {"type": "liquidsolver", "inputs": ["layers"], "parms": {
            "particlesep": apart, "substeps": 4, "walls": True, "wallsmin": [0, 0, 0], "wallsmax": [LENGTH, 1, wide]}}}})
    ledger = run.rows[-1]["ledger"]
    scenes.holds(f"ratio {ratio:g}: volume is kept", abs(ledger["bulk"] - ledger["initial"]) <= 1e-12 * ledger["initial"])
    os.remove(path)
    os.rmdir(folder)
    means = []
    for frame in range(1, frames + 1):
        points = run.points(frame)
        means.append(float(points.P[points.point("light").ravel() > 0.5, 0].mean()))
    return numpy.array(means)


def frequency(means, guess, surface):
    """The frequency whose cosine, with that of the surface wave, fits the sway best."""
    time = numpy.arange(len(means)) / FPS
    best = (numpy.inf, 0)
    for factor in numpy.arange(0.5, 1.5, 0.005):
        basis = numpy.stack([numpy.ones_like(time)] + [f(w * time) for w in (factor * guess, surface)
                                                       for f in (numpy.cos, numpy.sin)], axis=1)
        left = means - basis @ numpy.linalg.lstsq(basis, means, rcond=None)[0]
        best = min(best, (float(left @ left), factor))
    return best[1] * guess


for ratio in (0.5, 0.3):
    slow, fast = roots(ratio)
    for cells, tolerance in ((16, 0.08), (32, 0.04)) if FULL else ((32, 0.04),):
        means = sway(ratio, cells, 1 + round(0.75 * 2 * numpy.pi / slow * FPS))
        scenes.near(f"density ratio {ratio:g}, {cells} cells: frequency of the internal wave, 1/s", frequency(means, slow, fast), slow,
                    tolerance, "two layers")
scenes.end()
