"""Caches in Blender, rendered with Cycles: strands, particles, a level set, faces and a fog each show where they are.

Outside of Blender this starts it; inside, it brings one kind after the other and looks at the pixels that differ from
the empty picture. Skipped where there is no Blender.
"""
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.environ["RV_SOURCE_DIR"]
os.environ.setdefault("RIVULET_LIBRARY", os.path.join(os.environ["RV_BUILD_DIR"], "librivulet.so.0"))
SIZE = 120, 80
PLACE = (0.3, 0.2, -0.1)  # off the middle, and no axis like another: a turned or mirrored scene is noticed
RADIUS = 0.25


def outside():
    blender = shutil.which("blender")
    if not blender:
        print("blender is missing")
        return 77
    run = subprocess.run([blender, "-b", "--factory-startup", "--python-exit-code", "1", "-noaudio", "-P",
                          os.path.abspath(__file__)], capture_output=True, text=True, check=False, timeout=500)
    said = [line for line in run.stdout.splitlines() + run.stderr.splitlines() if line.startswith(("kind", "Trace", "  File",
                                                                                                 "Assert", "render"))]
    print("\n".join(said))
    if run.returncode:
        print(run.stdout[-3000:], run.stderr[-3000:])
    return run.returncode or (0 if any("all kinds" in line for line in said) else 1)


def inside():
    sys.path.insert(0, os.path.join(TOP, "python_shim"))
    import bpy
    import numpy
    from bpy_extras.object_utils import world_to_camera_view
    from mathutils import Vector

    import rivulet
    from rivulet_blender import bring, materials, render

    folder = tempfile.mkdtemp()
    scene = rivulet.Scene()
    ball = scene.add("sphere", "ball", radius=RADIUS, t=PLACE)
    collider = scene.add("collider", "solid", inputs=[ball], voxelsize=0.01)
    hair = scene.add("groom", "hair", inputs=[ball], count=6000, length=0.03, points=5, lift=1, bend=0, radius=2e-3)
    drops = scene.add("fill", "drops", inputs=[ball], particlesep=0.03)
    line = scene.add("curve", "line", origin=PLACE, dir=(0, 1, 0), dist=1e-3)
    tip = scene.add("attribute", "tip", inputs=[line], group="0", name="dropradius", value=(RADIUS, 0, 0, 0))
    view = scene.add("camera", "view", t=(0, 0.3, 2.5), target=(0, 0.1, 0), fov=40)

    fog = rivulet.Detail.load(_fog(rivulet, collider.cook(), folder))
    options = render.arguments(["--strands", "x", "-o", "y", "--size", "%dx%d" % SIZE, "--samples", "12"])
    render.set_up(options)
    materials.studio(1.0)
    bring.camera(view.cook())

    def picture():
        path = os.path.join(folder, "out.png")
        bpy.context.scene.render.filepath = path
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(path)
        pixels = numpy.array(image.pixels[:]).reshape(SIZE[1], SIZE[0], 4)[:, :, :3]
        bpy.data.images.remove(image)
        return pixels

    def look(kind, empty, solid):
        differs = numpy.abs(picture() - empty).max(2) > 0.06
        x, y, z = PLACE
        middle = world_to_camera_view(bpy.context.scene, bpy.context.scene.camera, Vector((x, -z, y)))
        rows, columns = numpy.nonzero(differs)
        assert len(rows), kind + " does not show at all"
        off = numpy.hypot(columns.mean() + 0.5 - middle.x * SIZE[0], rows.mean() + 0.5 - middle.y * SIZE[1])
        # a ball of RADIUS at its distance
        share = len(rows) / (numpy.pi * (RADIUS / (2 * middle.z * numpy.tan(numpy.radians(20))) * SIZE[1]) ** 2)
        print("kind %-10s %4d pixels, %.2f of the ball, %.1f pixels off its middle" % (kind, len(rows), share, off))
        assert off < 4, "%s is not where it belongs" % kind
        assert solid[0] < share < solid[1], "%s covers %.2f of the ball" % (kind, share)

    empty = picture()
    for kind, bring_it, solid in (
            ("strands", lambda: render.show_strands(hair.cook(), options), (0.5, 1.7)),
            ("particles", lambda: render.show_liquid(drops.cook(), options), (0.5, 1.3)),
            # a single clear drop does not show before an even background
            ("drops", lambda: bring.drops(tip.cook(), material=materials.skin()), (0.8, 1.3)),
            ("faces", lambda: render.show_faces(ball.cook(), options), (0.8, 1.15)),
            ("level set", lambda: bring.level_set(collider.cook(), grid="collision", material=materials.skin()), (0.8, 1.15)),
            ("water", lambda: bring.level_set(collider.cook(), grid="collision", material=materials.water()), (0.3, 1.15)),
            ("fog", lambda: bring.volume(fog_path(folder), material=materials.fog()), (0.5, 1.3))):
        before = set(bpy.data.objects.keys())
        bring_it()
        look(kind, empty, solid)
        for name in set(bpy.data.objects.keys()) - before:
            bpy.data.objects.remove(bpy.data.objects[name], do_unlink=True)
    # a frame after the other: the same object, moved, and with another count
    one = bring.strands(hair.cook())
    hair["count"] = 1500
    two = bring.strands(hair.cook())
    assert len(two.data.curves) == 1500 and len([t for t in bpy.data.objects if t.name.startswith("Strands")]) == 1
    del one
    shutil.rmtree(folder)
    print("kind: all kinds were seen")


def fog_path(folder):
    return os.path.join(folder, "fog.vdb")


def _fog(rivulet, detail, folder):
    """The level set as a fog in a file of its own, by the library itself."""
    import ctypes
    handle = ctypes.CDLL(os.environ["RIVULET_LIBRARY"])
    made, error = ctypes.c_void_p(), ctypes.create_string_buffer(1024)
    grid = detail.grids()["collision"]
    handle.rv_grid_to_fog.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
    assert handle.rv_grid_to_fog(grid.handle, b"density", ctypes.byref(made), error) == 0, error.raw
    handle.rv_grid_write_file.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_bool, ctypes.c_void_p]
    path = fog_path(folder)
    assert handle.rv_grid_write_file(path.encode(), ctypes.byref(made), 1, False, error) == 0, error.raw
    return path


if __name__ == "__main__":
    try:
        import bpy  # noqa: F401
    except ImportError:
        sys.exit(outside())
    inside()
