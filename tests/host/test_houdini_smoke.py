"""houdini_smoke.py over a model of Houdini (tests/support/hou_model.py): every item passes there, and fails with its reason, and
no other reason, when the thing that it is about is broken. What the items `headless` and `flip` ask of Rivulet itself is tried with the
real program. The real run needs Houdini (docs/houdini.md)."""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import types

TOP = os.environ["RV_SOURCE_DIR"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
import hou_model  # noqa: E402

# item: the fault of the model that it must see, where it has not the item's name, and a part of the reason
REASONS = {
    "loads": "there is no operator", "libraries": "libopenvdb", "verb": "verb and node differ", "values": "does not animate",
    "within_frames": "whole frames only", "start_frame": "frame 1 is not the groom", "scrub": "scrubbing changes a frame",
    "escape": "an incomplete frame was kept", "dop_time": "is frame", "dop_options": "the message is", "data_ids": "same data id",
    "vdb": "no mesh", "packed": "a packed groom is not the groom", "assets": "has no network", "errors": "the message is",
    "files": "P of the file differs", "hip": "the loaded scene differs", "speed": " s",
    "dialogs": "hidden by the method", "shelf": "does not move", "flip": "has no film", "headless": "differ",
}


class Clock:
    """Seconds that stand still, but where the model says that a cook was slow."""
    late = 0

    def monotonic(self):
        return self.late


def maps():
    """The libraries of a process, as Linux lists them."""
    return io.StringIO("".join("7f0 r-xp 0 0 0 /opt/hfs/dsolib/%s.so.1\n" % name
                               for name in ("libopenvdb_sesi", "libtbb", "libblosc", "libz")))


def cook_from(words, **_):
    """The program in the model: it goes on from the state of frame 4, which is a text there, to frame 6."""
    state = words[words.index("--from") + 1]
    with open(state, encoding="utf-8") as stream:
        made = stream.read()
    for _ in range(1 if "headless" in hou_model.FAULTS else 2):
        made = hou_model.stepped(made, "groom count=20")
    with open(os.path.join(os.path.dirname(state), "state.0006.bgeo.sc"), "w", encoding="utf-8") as stream:
        stream.write(made)
    return types.SimpleNamespace(returncode=0, stderr="")


def load(clock):
    """The smoke test with the model as `hou`, the model's clock, and a process that sends no signals."""
    hou = hou_model.make(clock)
    sys.modules["hou"] = hou
    with open(os.path.join(TOP, "plugin", "houdini_smoke.py"), encoding="utf-8") as stream:
        source = stream.read()
    module = types.ModuleType("houdini_smoke")
    module.__dict__["open"] = lambda path, *more, **words: maps() if path == "/proc/self/maps" else open(path, *more, **words)
    exec(compile(source, "houdini_smoke.py", "exec"), module.__dict__)
    module.time = clock
    sys.modules.update(hou_model.shelf(hou))
    os.environ["RIVULET_PROGRAM"] = "rivulet"
    module.subprocess = types.SimpleNamespace(run=cook_from, PIPE=None)

    class Timer:
        """Its signal reaches the next cook of the Solver SOP."""
        def __init__(self, _, call, arguments):
            hou.interruptible = True
            hou.signals.append(lambda: None)

        def start(self):
            pass

        def join(self):
            hou.interruptible = False

    module.threading = types.SimpleNamespace(Timer=Timer)
    return module


def run(name):
    """Runs one item, or all: exit code and what was printed."""
    module = load(Clock())
    sys.argv = ["houdini_smoke.py"] + ([name] if name else [])
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = module.main()
    return code, said.getvalue(), [check.__name__ for check in module.ITEMS]


def cook(scene, folder, *words):
    """Cooks a scene with the real program; what it says of a failure."""
    path = os.path.join(folder, "scene.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene, stream)
    done = subprocess.run([*(words or [os.environ["RIVULET"], "cook", path, "--out", folder, "--quiet"])], capture_output=True, text=True,
                          check=False)
    return done.stderr if done.returncode else ""


def headless_is_right(smoke):
    """The command of the item `headless`, with a state of our own in the place of Houdini's, gives the frame of a straight run."""
    with tempfile.TemporaryDirectory() as folder:
        straight, second = os.path.join(folder, "straight"), os.path.join(folder, "second")
        os.mkdir(straight)
        os.mkdir(second)
        said = cook(smoke.headless_scene(), straight)
        state, end = ("state.%04d.bgeo.sc" % frame for frame in (smoke.HANDED_OVER, smoke.HEADLESS_END))
        os.rename(os.path.join(straight, state), os.path.join(second, "houdini.bgeo.sc"))
        said += cook(smoke.headless_scene(), second, *smoke.headless_words(os.environ["RIVULET"], second))
        frames = [open(os.path.join(where, end), "rb").read() for where in (straight, second) if not said]
        return [] if frames and frames[0] == frames[1] else ["headless, with the real program: " + (said or "frames differ")]


def flip_is_wet(smoke):
    """Hair as in the item `flip`, in a level set alone, gets film within its frames."""
    nodes = {"ball": {"type": "sphere", "parms": {"radius": 0.1}}, "head": {"type": "sphere", "parms": {"radius": 0.08}},
             "liquid": {"type": "collider", "inputs": ["ball"], "parms": {"voxelsize": 0.005}},
             "hair": {"type": "groom", "inputs": ["head"], "parms": {"count": 20, "length": 0.05}},
             "wet": {"type": "wetsolver", "inputs": ["hair", "liquid"], "parms": smoke.FLIP_PARMS},
             "out": {"type": "filecache", "inputs": ["wet"], "parms": {"file": "$OUT/wet.$F4.geo"}}}
    with tempfile.TemporaryDirectory() as folder:
        said = cook({"rivulet": 1, "fps": 24, "frames": [1, 4], "nodes": nodes}, folder)
        done = subprocess.run([os.environ["RIVULET"], "info", "--json", os.path.join(folder, "wet.0004.geo")], capture_output=True, text=True,
                              check=False)
        film = [row for row in json.loads(done.stdout)["attributes"] if row["name"] == "filmheight"] if not said else []
        return [] if film and film[0]["max"][0] > 0 else ["flip, with the real program: " + (said or "no film: %s" % film)]


def main():
    hou_model.FAULTS.clear()
    code, said, items = run(None)
    wrong = [] if code == 0 else ["over the unbroken model:\n" + said]
    smoke = load(Clock())
    wrong += headless_is_right(smoke) + flip_is_wet(smoke)
    if sorted(items) != sorted(REASONS):
        wrong.append("items without a fault: %s" % sorted(set(items) ^ set(REASONS)))
    for name in items:
        hou_model.FAULTS.clear()
        hou_model.FAULTS.add(name)
        code, said, _ = run(name)
        line = next(line for line in said.splitlines() if line.startswith(name))
        if code != 1 or "FAILED" not in line or REASONS[name] not in line:
            wrong.append("broken, and the smoke test says: " + line)
    print("\n".join(wrong) or "%d items pass, and each fails with its reason when what it checks is broken" % len(items))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
