"""Elasticity of a liquid that yields, in `liquidsolver` (SD-1, SD-31): shear waves go with sqrt(modulus / density).

A slab between two plates that it sticks to begins with the velocity V cos(pi x / width) along them, without gravity and far below
its yield stress. It then sways as cos(w t) with w = pi / width sqrt(modulus / density); backward Euler makes that atan(w dt) / dt
and takes a part of the amplitude in each step. Its ends, which are free, are too far away to be felt.

The presets that yield are then dropped as blocks with steps in which their shear waves go 1.24 cells: explicit steps fail there.

  test_shear_wave.py           12 cells from plate to plate
  test_shear_wave.py full      24 cells too
"""
import os
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import point_file  # noqa: E402
import scenes  # noqa: E402

WIDTH, DENSITY, MODULUS, SPEED, FPS = 0.02, 1000.0, 1000.0, 0.01, 1000
GRAVITY = 2.0  # m/s2, of the blocks: so little that no particle goes two cells in a step
# presets with a shear modulus: density, modulus, yield stress, consistency, index
PRESETS = {"mud": (1220, 100, 0.970699, 0.3839455, 0.5173), "paint": (950, 400, 0.5542563, 10.99871, 0.3162),
           "cream": (275, 1600, 69.28203, 3.219704, 0.27), "shaving cream": (200, 290, 18.41747, 17.82135, 0.22),
           "oyster sauce": (1207, 400, 1.529978, 0.9183148, 0.62), "chocolate": (950, 400, 17.32051, 1.409738, 0.98)}


def sway(cells, steps, frames):
    """Amplitude of the mode in each frame, over the first."""
    apart = WIDTH / cells / 2
    sizes = (WIDTH, 4 * WIDTH, 8 * apart)
    axes = [numpy.arange(apart / 2, size, apart) - size / 2 for size in sizes]
    places = numpy.stack(numpy.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    mode = numpy.cos(numpy.pi * places[:, 0] / WIDTH)
    velocity = numpy.zeros_like(places)
    velocity[:, 1] = SPEED * mode
    folder = tempfile.mkdtemp(prefix="rivulet_wave_")
    path = os.path.join(folder, "slab.geo")
    point_file.write(path, places, v=velocity)
    run = scenes.cook({"rivulet": 1, "fps": FPS, "frames": [1, frames], "nodes": {
        "slab": {"type": "file", "parms": {"file": path}},
        "wet": {"type": "liquidsolver", "inputs": ["slab"], "parms": {
            "particlesep": apart, "density": DENSITY, "gravity": [0, 0, 0], "shearmodulus": MODULUS, "yieldstress": 1e4,
            "viscosity": 1, "substeps": steps, "walls": True, "wallsmin": [-WIDTH / 2, -0.3, -sizes[2] / 2],
            "wallsmax": [WIDTH / 2, 0.3, sizes[2] / 2], "wallny": False, "wallnz": False, "wallpz": False}}}})
    os.remove(path)
    os.rmdir(folder)
    found = []
    for frame in range(1, frames + 1):
        points = run.points(frame)
        middle = numpy.abs(points.P[:, 1]) < WIDTH / 2
        mode = numpy.cos(numpy.pi * points.P[middle, 0] / WIDTH)
        found.append(float((points.point("v").reshape(-1, 3)[middle, 1] * mode).sum() / (mode ** 2).sum() / SPEED))
    return numpy.array(found)


def frequency(values, guess):
    """Of the damped cosine that fits the values best."""
    time = numpy.arange(len(values)) / FPS
    best = (numpy.inf, 0)
    for factor in numpy.arange(0.8, 1.2, 0.002):
        for damping in numpy.arange(0, 0.3, 0.01):
            wave = numpy.exp((-damping + 1j) * factor * guess * time)
            basis = numpy.stack([wave.real, wave.imag], axis=1)
            left = values - basis @ numpy.linalg.lstsq(basis, values, rcond=None)[0]
            best = min(best, (float(left @ left), factor))
    return best[1] * guess


def waves():
    exact = numpy.pi / WIDTH * numpy.sqrt(MODULUS / DENSITY)
    for cells, steps in ((12, 2), (24, 4)) if "full" in sys.argv else ((12, 2),):
        dt = 1 / (FPS * steps)
        found = frequency(sway(cells, steps, 29), exact)
        scenes.near(f"{cells} cells, {1000 * dt:g} ms: frequency of the shear wave, 1/s", found, float(numpy.arctan(exact * dt) / dt), 0.02,
                    "sqrt(modulus / density)")


def falls(name, density, modulus, stress, consistency, index):
    """A block of 4 cm in steps of 1.24 cells."""
    high, apart, cells = 0.04, 0.005, 1.24
    fps = numpy.sqrt(modulus / density) / (cells * 2 * apart)
    parms = {"density": density, "viscosity": consistency, "flowindex": index, "shearmodulus": modulus, "yieldstress": stress,
             "gravity": [0, -GRAVITY, 0], "walls": True, "wallsmin": [-0.3, 0, -0.3], "wallsmax": [0.3, 0.5, 0.3]}
    run = scenes.cook({"rivulet": 1, "fps": float(fps), "frames": [1, 16], "nodes": {
        "pool": {"type": "fill", "parms": {"size": [high] * 3, "t": [0, high / 2, 0], "particlesep": apart}},
        "wet": {"type": "liquidsolver", "inputs": ["pool"], "parms": parms}}})
    points = run.points(16)
    fastest = float(numpy.abs(points.point("v")).max())
    # from its height no part of it falls faster
    bound = float(numpy.sqrt(2 * GRAVITY * high))
    scenes.holds(f"{name}, 1.24 cells a step: {run.rows[-1]['substeps']} substep a frame, {fastest:.2g} m/s (below {bound:.2g})",
                 run.rows[-1]["substeps"] == 1 and fastest < bound)


waves()
for one, numbers in PRESETS.items():
    falls(one, *numbers)
scenes.end()
