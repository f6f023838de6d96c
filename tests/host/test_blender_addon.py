"""The Blender add-on, headless: installed from its .zip, its properties are the table's, it bakes a small wet scene, shows
the cache, is cancelled, exports what the command line cooks to the same bits, and a rendered frame shows the hair.

Outside of Blender this packs the add-on and starts Blender with a home of its own. Skipped where there is no Blender.
"""
import os
import shutil
import subprocess
import sys
import tempfile

TOP, BUILD = os.environ["RV_SOURCE_DIR"], os.environ["RV_BUILD_DIR"]


def outside():
    blender = shutil.which("blender")
    if not blender:
        print("blender is missing")
        return 77
    home = tempfile.mkdtemp()
    pack = os.path.join(home, "rivulet_blender.zip")
    subprocess.run([sys.executable, os.path.join(TOP, "python_shim", "make_addon.py"),
                    os.path.join(BUILD, "librivulet.so.0"), pack], check=True, stdout=subprocess.DEVNULL)
    environment = dict(os.environ, BLENDER_USER_SCRIPTS=os.path.join(home, "scripts"), RV_ADDON=pack, HOME=home,
                       BLENDER_USER_CONFIG=os.path.join(home, "config"))
    # the add-on must find its own library
    environment.pop("RIVULET_LIBRARY", None)
    run = subprocess.run([blender, "-b", "--factory-startup", "--python-exit-code", "1", "-noaudio", "-P",
                          os.path.abspath(__file__)], capture_output=True, text=True, check=False, timeout=550, env=environment)
    said = [line for line in run.stdout.splitlines() if line.startswith("addon")]
    print("\n".join(said))
    good = run.returncode == 0 and any("all is well" in line for line in said)
    if not good:
        print(run.stdout[-4000:], run.stderr[-4000:])
    shutil.rmtree(home)
    return 0 if good else 1


def inside():
    import bpy
    import numpy

    bpy.ops.preferences.addon_install(filepath=os.environ["RV_ADDON"])
    bpy.ops.preferences.addon_enable(module="rivulet_blender")
    import rivulet
    import rivulet_blender
    from rivulet_blender import bring, export, render, show
    home = os.path.dirname(os.environ["RV_ADDON"])
    assert rivulet_blender.__file__.startswith(home) and rivulet.__file__.startswith(home), rivulet.__file__
    print("addon: installed in", "its own folder")

    scene = bpy.context.scene
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing, do_unlink=True)
    scene.frame_start, scene.frame_end, scene.render.fps = 1, 6, 24
    settings = scene.rivulet
    check_properties(rivulet, settings)

    # hair that hangs along -Z, water about its tips, a moving slab
    count, points = 30, 8
    hair = bring._new_hair("Groom", [points] * count)
    place = numpy.zeros((count, points, 3), "f4")
    place[:, :, 0] = (numpy.arange(count) % 6 * 0.004 - 0.01)[:, None]
    place[:, :, 1] = (numpy.arange(count) // 6 * 0.004 - 0.008)[:, None]
    place[:, :, 2] = 0.1 - numpy.arange(points) * 0.006
    hair.data.attributes["position"].data.foreach_set("vector", place.reshape(-1))
    bring._give(hair.data, "POINT", "radius", numpy.full(count * points, 8e-4), "FLOAT")
    hair.data.update_tag()
    hair.location.x = 0.5
    bpy.context.view_layer.update()
    settings.strands = hair
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0.5, 0, 0.055))
    water = bpy.context.object
    water.scale = (0.05, 0.05, 0.03)
    settings.liquid, settings.separation = water, 0.006
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0.5, 0, 0.025))
    slab = bpy.context.object
    slab.scale = (0.6, 0.6, 0.02)
    solids = bpy.data.collections.new("Solids")
    scene.collection.children.link(solids)
    solids.objects.link(slab)
    settings.colliders = solids
    settings.folder = os.path.join(home, "cache")
    settings.wetsolver.substeps = 3
    settings.wetsolver.gravity = (0, -5, 0)

    assert bpy.ops.rivulet.bake() == {"FINISHED"}, settings.status
    print("addon:", settings.status)
    check_cache(rivulet, export, settings, place)
    check_command_line(rivulet, settings)
    check_scrubbing(show, scene, numpy)
    check_refusal(scene)
    check_cancel(rivulet, scene)
    check_render(render, scene, numpy)
    # what is wrong is said
    settings.strands = settings.liquid = None
    try:
        bpy.ops.rivulet.bake()
        raise AssertionError("a bake of nothing ran")
    except RuntimeError as reason:
        assert "choose an object" in str(reason), reason
    bpy.ops.preferences.addon_disable(module="rivulet_blender")
    assert not hasattr(bpy.types.Scene, "rivulet")
    print("addon: all is well")


def check_properties(rivulet, settings):
    """Every parameter of every solver is there with the table's default and hard limits."""
    seen = 0
    for type in (row for row in rivulet.nodes.all() if "solver" in row.flags):
        group = getattr(settings, type.type)
        for row in type.parms:
            if row["type"] == "button":
                continue
            value, want = getattr(group, row["token"]), row["default"]
            if isinstance(want, list):
                assert all(abs(a - b) <= 1e-6 * max(1, abs(b)) for a, b in zip(value, want)), (row, tuple(value))
            elif isinstance(want, (int, float)) and not isinstance(want, bool):
                assert abs(value - want) <= 1e-6 * max(1, abs(want)), (row, value)
            else:
                assert value == want or (want is None and value == ""), (row, value)
            seen += 1
    group = settings.wetsolver
    group.substeps = -5
    assert group.substeps == 1, "a hard limit does not hold"
    group.property_unset("substeps")
    print("addon: %d properties as in the tables" % seen)


def check_cache(rivulet, export, settings, place):
    import numpy
    names = sorted(os.listdir(settings.folder))
    for frame in range(1, 7):
        assert "strands.%04d.bgeo.sc" % frame in names and "liquid.%04d.bgeo.sc" % frame in names, names
    first = rivulet.Detail.load(os.path.join(settings.folder, "strands.0001.bgeo.sc"))
    world = place.reshape(-1, 3) + numpy.array([0.5, 0, 0])
    assert abs(first.points["P"] - export.y_up(world)).max() < 1e-6, "frame 1 is not the groom"
    last = rivulet.Detail.load(os.path.join(settings.folder, "strands.0006.bgeo.sc"))
    # `wetness` follows the film within Wet Time, longer than these frames; the liquid on the hair is there at once
    load = last.points["waterload"].max()
    liquid = rivulet.Detail.load(os.path.join(settings.folder, "liquid.0006.bgeo.sc"))
    lowest = liquid.points["P"][:, 1].min()
    print("addon: water weighs %.2f of the hair, %d particles, lowest at %.4f" % (load, len(liquid.points), lowest))
    assert load > 0.02 and last.points["wetness"].max() > 0.01, "the hair stays dry"
    assert lowest > 0.034, "liquid fell through the slab"  # its top is at 0.035


def check_command_line(rivulet, settings):
    """The exported scene, cooked elsewhere, has the same bits."""
    with open(os.path.join(settings.folder, "strands.0006.bgeo.sc"), "rb") as stream:
        mine = stream.read()
    again = settings.folder + "_again"
    subprocess.run([os.environ["RIVULET"], "cook", os.path.join(settings.folder, "scene.json"), "--out", again, "--quiet"], check=True)
    with open(os.path.join(again, "strands.0006.bgeo.sc"), "rb") as stream:
        assert stream.read() == mine, "the command line cooks other bits"
    print("addon: the command line cooks the same bits")


def check_scrubbing(show, scene, numpy):
    import bpy
    import rivulet
    for frame in (6, 2, 5):
        scene.frame_set(frame)
        thing = bpy.data.objects[show.STRANDS]
        shown = numpy.empty(3 * len(thing.data.points), "f4")
        thing.data.attributes["position"].data.foreach_get("vector", shown)
        want = rivulet.Detail.load(show.path_of(scene, "strands", frame)).points["P"]
        assert (shown.reshape(-1, 3) == want).all(), "frame %d is not shown" % frame
    scene.frame_set(40)
    assert bpy.data.objects[show.STRANDS].hide_render, "a frame that is not baked shows another"
    # the inputs give way to the results, and come back where there are none
    groom, water = scene.rivulet.strands, scene.rivulet.liquid
    assert not groom.hide_render and not water.hide_viewport
    scene.frame_set(6)
    assert groom.hide_render and water.hide_render and water.hide_viewport, "inputs are shown beside the results"
    liquid = bpy.data.objects[show.LIQUID]
    assert len(liquid.data.polygons) > 100 and not liquid.hide_render and not liquid.modifiers, "the liquid is not a surface"
    assert not any(thing.name.endswith("Drops") for thing in bpy.data.objects), "there are balls"


def check_refusal(scene):
    """A bake of other values does not replace a finished one unasked."""
    import bpy
    folder = scene.rivulet.folder

    def read():
        with open(os.path.join(folder, "strands.0006.bgeo.sc"), "rb") as stream:
            return stream.read()
    before = read()
    scene.rivulet.wetsolver.gravity = (0, -4, 0)
    try:
        bpy.ops.rivulet.bake()
        raise AssertionError("a finished bake was replaced unasked")
    except RuntimeError as reason:
        assert "holds a finished bake" in str(reason), reason
    assert read() == before
    scene.rivulet.wetsolver.gravity = (0, -5, 0)
    assert bpy.ops.rivulet.bake() == {"FINISHED"} and scene.rivulet.status == "The cache is up to date", scene.rivulet.status


def check_cancel(rivulet, scene):
    """A cancelled bake leaves whole files only, and no folder that looks finished."""
    from rivulet_blender import bake, baking
    from rivulet_blender.graph import cache
    before = scene.rivulet.folder
    scene.rivulet.folder = before + "_cancelled"
    made = baking.prepare(bake.PanelTarget(scene))
    made.job.start()
    made.job.stop()
    made.job.wait()
    level, text = baking.finish(made)
    assert level == "WARNING" and "Cancelled" in text and not os.path.exists(scene.rivulet.folder), (level, text)
    work = cache.part(scene.rivulet.folder)
    left = [name for name in os.listdir(work) if name.endswith(".bgeo.sc")]
    for name in left:
        rivulet.Detail.load(os.path.join(work, name)).check()
    assert len(left) < 12
    scene.rivulet.folder = before


def check_render(render, scene, numpy):
    """Hair and liquid against the same picture without them."""
    import bpy
    from rivulet_blender import materials
    scene.frame_set(6)
    camera = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
    camera.location, camera.rotation_euler = (0.5, -0.35, 0.08), (1.5708, 0, 0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    options = render.arguments(["--strands", "x", "-o", "y", "--size", "96x96", "--samples", "16"])
    width, height = 96, 96
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", options.samples, False
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    materials.studio(0.3)
    # the slab is a collider, which stays visible; it is in both pictures

    def picture():
        scene.render.filepath = os.path.join(os.path.dirname(os.environ["RV_ADDON"]), "out.png")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath, check_existing=False)
        return numpy.array(image.pixels[:]).reshape(height, width, 4)[:, :, :3]
    seen = picture()
    scene.frame_set(40)  # not baked: nothing of it is shown, and the inputs would be
    for thing in (scene.rivulet.strands, scene.rivulet.liquid):
        thing.hide_render = True
    differs = abs(seen - picture()).max(2) > 0.05
    # 2.6 mm a pixel: hair hangs within 1 cm of the middle, from 2 cm above the eye to as much below it
    hair, above = differs[42:54, 44:52].mean(), differs[60:].mean()
    print("addon: %d pixels of hair and water; %.2f of where hair hangs, %.3f of the air above" % (
        differs.sum(), hair, above))
    assert hair > 0.3, "there is no hair where it hangs"
    assert above < 0.01, "something is where nothing should be"


if __name__ == "__main__":
    try:
        import bpy  # noqa: F401
    except ImportError:
        sys.exit(outside())
    inside()
