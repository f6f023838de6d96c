"""The node editor of the Blender add-on in a window, under Xvfb with software OpenGL: every node type draws without an error, an
error is seen on its node, a bake runs in the background, is cancelled, and asks before it replaces a finished one.

RV_SCREENSHOT=FILE.png keeps the picture of the editor. Skipped without Blender or Xvfb.
"""
import os
import shutil
import subprocess
import sys
import time
import traceback

sys.path.insert(0, os.path.join(os.environ["RV_SOURCE_DIR"], "tests", "support"))
import blender_run  # noqa: E402

DONE = "graph: the editor works"
SIZE = 1920, 1080
FRAMES = 24  # so many that a bake on an idle machine takes longer than its progress is asked for
PATIENCE = 60  # seconds that a bake of a few frames may take


def outside():
    if not shutil.which("Xvfb") or not shutil.which("blender"):
        print("blender or Xvfb is missing")
        return 77
    number, write = os.pipe()
    screen = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "%dx%dx24" % SIZE], pass_fds=[write],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(number) as stream:
            display = ":" + stream.readline().strip()
        return blender_run.start(os.path.abspath(__file__), DONE, ("--window-geometry", "0", "0", str(SIZE[0]), str(SIZE[1])),
                                 {"DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "WAYLAND_DISPLAY": ""})
    finally:
        screen.terminate()
        screen.wait()


class Editor:
    """Runs the steps one after the other; each is a generator that yields seconds to wait for Blender to draw."""

    def __init__(self, home):
        import bpy

        import blender_graph
        self.bpy, self.home = bpy, home
        self.tree, self.nodes = blender_graph.wet_ball((1, FRAMES))
        self.tree.rivulet.folder = os.path.join(home, "cache")
        self.steps, self.panels = self.run(), []

    def step(self):
        """The timer of Blender."""
        try:
            return next(self.steps)
        except StopIteration:
            print(DONE)
            sys.stdout.flush()
            self.bpy.ops.wm.quit_blender()
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        return None

    def area(self):
        window = self.bpy.context.window_manager.windows[0]
        area = max(window.screen.areas, key=lambda one: one.width * one.height)
        region = next(one for one in area.regions if one.type == "WINDOW")
        return self.bpy.context.temp_override(window=window, area=area, region=region), area

    def open(self, tree):
        """Shows a graph in the largest area."""
        _, area = self.area()
        area.type = "NODE_EDITOR"
        area.ui_type = "RivuletTree"
        area.spaces.active.node_tree = tree
        area.spaces.active.show_region_ui = True
        yield 0.5
        place, area = self.area()
        with place:
            self.bpy.ops.node.view_all()
        yield 0.7

    def sidebar(self, tree):
        """Draws what the tabs Item and Rivulet have, which a script cannot open, in the tab that is open. The names of the nodes."""
        from rivulet_blender.graph import node_types, panels
        drawn, menu = set(), node_types.RIVULET_MT_presets
        draw_menu = menu.draw

        def count_presets(self, context):
            draw_menu(self, context)
            drawn.add("presets of " + context.rivulet_node.name)
        menu.draw = count_presets

        def draw(self, context):
            panels.RIVULET_PT_graph.draw(self, context)
            for node in tree.nodes:
                node.draw_buttons_ext(context, self.layout)
                self.layout.context_pointer_set("rivulet_node", node)
                self.layout.menu_contents("RIVULET_MT_presets")
                panels.draw_help(self.layout, context, node)
                drawn.add(node.name)
        # the tab Node is open if a node is active, else Tool
        for tab in ("Node", "Tool"):
            self.panels.append(type("TEST_PT_" + tab, (self.bpy.types.Panel,), {
                "bl_idname": "TEST_PT_" + tab, "bl_label": "All", "bl_category": tab, "bl_space_type": "NODE_EDITOR",
                "bl_region_type": "UI", "bl_order": 0, "draw": draw}))
            self.bpy.utils.register_class(self.panels[-1])
        return drawn

    def picture(self, name):
        """Pixels of the window, the top row first."""
        import numpy
        path = os.path.join(self.home, name)
        place, _ = self.area()
        with place:
            self.bpy.ops.screen.screenshot(filepath=path)
        image = self.bpy.data.images.load(path)
        pixels = numpy.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)[::-1, :, :3]
        self.bpy.data.images.remove(image)
        if os.environ.get("RV_SCREENSHOT"):
            shutil.copy(path, os.environ["RV_SCREENSHOT"])
        return pixels

    def bake(self):
        place, _ = self.area()
        with place:
            return self.bpy.ops.rivulet.graph_bake("INVOKE_DEFAULT", tree=self.tree.name)

    def wait(self):
        """Until the bake ends; yields whether some progress was seen."""
        start, settings = time.monotonic(), self.tree.rivulet
        while settings.running:
            assert time.monotonic() - start < PATIENCE, "the bake does not end"
            self.seen = max(self.seen, settings.progress)
            yield 0.05

    def run(self):
        from rivulet_blender.graph import cache, schema
        # every node type, with all its folders, advanced
        every = self.bpy.data.node_groups.new("Every Type", "RivuletTree")
        for index, row in enumerate(schema.types()):
            node = every.nodes.new("RivuletNode_" + row.type)
            node.location, node.advanced = (290 * (index % 9), -450 * (index // 9)), True
            every.nodes.active = node
        yield from self.open(every)
        drawn = self.sidebar(every)
        yield from self.open(every)
        for node in every.nodes:
            assert {node.name, "presets of " + node.name} <= drawn, "the sidebar did not draw " + node.name
        for panel in self.panels:
            self.bpy.utils.unregister_class(panel)
        yield from self.open(self.tree)

        # an error is red on its node
        self.nodes["Transfer"].set_fault("Simulated Guides is not connected: wire a node into it")
        yield 0.5
        pixels = self.picture("fault.png")
        fault = ((pixels[:, :, 0] > 0.4) & (pixels[:, :, 1] < 0.2) & (pixels[:, :, 2] < 0.2)).sum()
        print("graph: %d pixels of the node with an error are red" % fault)
        assert fault > 1000, "no node is red"
        self.nodes["Transfer"].set_fault("")

        # a bake in the background, with progress
        self.seen = 0.0
        assert self.bake() == {"RUNNING_MODAL"} and self.tree.rivulet.running
        yield from self.wait()
        folder = self.tree.rivulet.folder
        assert self.tree.rivulet.status == "Baked frames 1 to %d" % FRAMES and cache.finished(folder), self.tree.rivulet.status
        assert self.seen > 0, "no progress was shown"
        self.picture("baked.png")

        # a timer has no selection of its own: results appear all the same, and the artist's selection stays
        things, layer = self.bpy.data.objects, self.bpy.context.scene.view_layers[0]
        for thing in layer.objects:
            thing.select_set(thing.name == "Ball", view_layer=layer)
        layer.objects.active = things["Ball"]
        things.remove(things["Wet Ball Strands"])
        self.bpy.context.scene.frame_set(3)
        assert not things["Wet Ball Strands"].hide_render
        chosen = [thing.name for thing in layer.objects if thing.select_get(view_layer=layer)]
        assert chosen == ["Ball"] and layer.objects.active == things["Ball"], chosen

        # a longer one is cancelled, and leaves the finished one as it is
        self.bpy.context.scene.frame_end = 80
        self.nodes["Groom"].p_length = 0.04
        note = cache.read_note(folder)
        assert self.bake() == {"RUNNING_MODAL"}  # the question
        yield 0.5
        assert not self.tree.rivulet.running and "keep it" in self.tree.rivulet.status and cache.read_note(folder) == note
        self.picture("question.png")
        self.tree.rivulet.folder = folder + ".002"
        assert self.bake() == {"RUNNING_MODAL"} and self.tree.rivulet.running
        yield 0.6
        assert self.bpy.ops.rivulet.graph_cancel(tree=self.tree.name) == {"FINISHED"}
        yield from self.wait()
        assert "Cancelled" in self.tree.rivulet.status and cache.read_note(folder) == note, self.tree.rivulet.status
        assert not cache.finished(folder + ".002")
        print("graph: baked with progress, asked, cancelled")


def inside():
    import bpy
    editor = Editor(blender_run.install())
    bpy.context.preferences.view.show_splash = False
    bpy.app.timers.register(editor.step, first_interval=1.0, persistent=True)


if __name__ == "__main__":
    try:
        import bpy  # noqa: F401
    except ImportError:
        sys.exit(outside())
    inside()
