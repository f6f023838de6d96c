"""Small Cycles renders of a scene in Blender, for checks of pixels."""
import contextlib
import os

import bpy
import numpy

SIZE = 96


@contextlib.contextmanager
def patched(thing, name, value):
    """Replaces an attribute for a while: a seeded fault, or a hidden object."""
    before = getattr(thing, name)
    setattr(thing, name, value)
    try:
        yield
    finally:
        setattr(thing, name, before)


class Picture:
    """Renders the scene in a world of greys, small and with few samples."""

    def __init__(self, scene, home):
        self.scene, self.home = scene, home
        camera = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
        camera.location, camera.rotation_euler = (0, -0.62, 0.12), (1.5708, 0, 0)
        scene.collection.objects.link(camera)
        scene.camera = camera
        scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 24, False
        scene.cycles.device, scene.cycles.seed = "CPU", 0
        scene.view_settings.view_transform = "Standard"
        scene.render.resolution_x = scene.render.resolution_y = SIZE
        scene.render.resolution_percentage = 100
        world = bpy.data.worlds.new("Grey")
        world.use_nodes = True
        # bright above and dark below, so that refraction shows; grey, so that any colour is the water's own
        nodes, link = world.node_tree.nodes, world.node_tree.links.new
        where, apart, level = (nodes.new("ShaderNode" + kind) for kind in ("TexCoord", "SeparateXYZ", "MapRange"))
        for name, value in (("From Min", -1), ("From Max", 1), ("To Min", 0.05), ("To Max", 0.95)):
            level.inputs[name].default_value = value
        link(where.outputs["Generated"], apart.inputs[0])
        link(apart.outputs["Z"], level.inputs["Value"])
        link(level.outputs["Result"], nodes["Background"].inputs["Strength"])
        nodes["Background"].inputs["Color"].default_value = (1, 1, 1, 1)
        scene.world = world

    def take(self):
        """Pixels, the top row first."""
        scene = self.scene
        scene.render.filepath = os.path.join(self.home, "out.png")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath, check_existing=False)
        pixels = numpy.array(image.pixels[:]).reshape(SIZE, SIZE, 4)[::-1, :, :3]
        bpy.data.images.remove(image)
        return pixels

    def without(self, name):
        """The picture without an object. A render sets its frame, which would show the object again."""
        from rivulet_blender import export
        thing = bpy.data.objects[name]
        with patched(export, "busy", True), patched(thing, "hide_render", True):
            return self.take()
