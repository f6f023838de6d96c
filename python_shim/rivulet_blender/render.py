"""Renders a cache with Cycles, frame by frame, or saves a .blend of one frame.

  blender -b --factory-startup -P python_shim/rivulet_blender/render.py -- \\
      --strands out/hair.$F4.bgeo.sc --liquid out/liquid.$F4.bgeo.sc --faces out/body.$F4.bgeo.sc \\
      --scene docs/scenes/hair_flip.json --frames 20-30 --size 960x540 --samples 64 -o out/still.$F4.png

A liquid file with a level set `surface` is drawn as water, one with points as drops. --scene uses the camera of that scene;
without it the camera frames the whole cache. --blend FILE saves the last frame.
"""
import argparse
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import bpy  # noqa: E402
import numpy  # noqa: E402

import rivulet  # noqa: E402
from rivulet_blender import bring, materials  # noqa: E402

DROPS = "Drops"  # object of the drops at the tips of strands


def arguments(given):
    parser = argparse.ArgumentParser(prog="render.py", description="Renders a cache with Cycles.")
    parser.add_argument("--strands", help="strands, with $F4 for the frame")
    parser.add_argument("--liquid", help="particles, or a level set (.vdb)")
    parser.add_argument("--faces", help="meshes")
    parser.add_argument("--fog", help="a .vdb with density")
    parser.add_argument("--scene", help="a Rivulet scene with a camera node")
    parser.add_argument("--frames", default="1", help="A or A-B")
    parser.add_argument("--size", default="960x540")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--width-scale", type=float, default=1.0, help="multiplies the width of strands")
    parser.add_argument("--blend", help="saves a .blend of the last frame")
    parser.add_argument("-o", "--output", help="pictures, with $F4 for the frame")
    options = parser.parse_args(given)
    if not (options.strands or options.liquid or options.faces or options.fog):
        parser.error("nothing to render: give --strands, --liquid, --faces or --fog")
    if not (options.output or options.blend):
        parser.error("give -o FILE.png or --blend FILE.blend")
    return options


def at_frame(pattern, frame):
    path = pattern
    for digits in range(9, 0, -1):
        path = path.replace("$F%d" % digits, "%0*d" % (digits, frame))
    return path.replace("$F", str(frame))


def bring_frame(options, frame):
    """Imports one frame; returns its details, for framing."""
    seen = []
    for pattern, show in ((options.strands, show_strands), (options.faces, show_faces), (options.liquid, show_liquid)):
        if pattern:
            detail = bring.load(at_frame(pattern, frame))
            show(detail, options)
            seen.append(detail)
    if options.fog:
        path = os.path.abspath(at_frame(options.fog, frame))
        bring.volume(path, material=materials.fog())
        seen.append(bring.load(path))
    return seen


def show_strands(detail, options):
    thing = bring.strands(detail, width_scale=options.width_scale)
    if thing is not None and not thing.data.materials:
        thing.data.materials.append(materials.hair())
    bring.drops(detail, DROPS, materials.drops())


def show_faces(detail, options):
    bring.faces(detail, material=materials.skin())


def show_liquid(detail, options):
    if bring.level_set(detail, material=materials.water()) is None:
        bring.particles(detail, material=materials.drops())
    else:
        bring.remove(DROPS)  # the surface of a solver has them


def box(details):
    bounds = [bound for bound in (detail.bounds() for detail in details) if bound]
    if not bounds:
        return numpy.zeros(3), numpy.ones(3)
    return numpy.min([lo for lo, _ in bounds], 0), numpy.max([hi for _, hi in bounds], 0)


def frame_camera(details):
    """Places the camera in front, slightly to the right and above, so that the bounds of all details are visible."""
    lo, hi = box(details)
    middle, reach = (lo + hi) / 2, max(numpy.linalg.norm(hi - lo) / 2, 1e-3)
    away = numpy.array([0.45, 0.35, 0.85])
    fov = math.radians(35)
    made = rivulet.Detail()
    made.globals.set("rv_cam_eye", [tuple(middle + away / numpy.linalg.norm(away) * reach / math.sin(fov / 2))])
    made.globals.set("rv_cam_target", [tuple(middle)])
    made.globals.set("rv_cam_up", [(0.0, 1.0, 0.0)])
    made.globals.set("rv_cam_fov", [math.degrees(fov)])
    bring.camera(made)


def scene_camera(path, frame):
    scene = rivulet.Scene.load(path)
    cameras = [node for node in scene.nodes() if node.type == "camera"]
    if not cameras:
        raise SystemExit("%s has no camera node: add one, or leave out --scene" % path)
    return bring.camera(cameras[0].cook(frame))


def set_up(options):
    scene = bpy.context.scene
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing, do_unlink=True)
    width, height = (int(number) for number in options.size.split("x"))
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = options.samples
    scene.cycles.use_denoising = False
    scene.cycles.seed = 0
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.render.image_settings.file_format = "PNG"
    scene.view_settings.view_transform = "Filmic"
    scene.render.use_persistent_data = True


def main(given):
    options = arguments(given)
    first, _, last = options.frames.partition("-")
    set_up(options)
    for frame in range(int(first), int(last or first) + 1):
        bpy.context.scene.frame_set(frame)
        details = bring_frame(options, frame)
        lo, hi = box(details)
        materials.studio(max(float(numpy.max(hi - lo)), 1e-2), float(lo[1]) - 1e-3)
        if options.scene:
            scene_camera(options.scene, frame)
        elif frame == int(first):
            frame_camera(details)
        if options.output:
            bpy.context.scene.render.filepath = os.path.abspath(at_frame(options.output, frame))
            bpy.ops.render.render(write_still=True)
    if options.blend:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(options.blend))


if __name__ == "__main__":
    try:
        main(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])
    except rivulet.Error as reason:
        # Blender ignores an exception of a script and exits with 0
        sys.stderr.write("render.py: %s\n" % reason)
        sys.exit(1)
