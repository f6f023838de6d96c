"""houdini_smoke.py over a model of Houdini (tests/support/hou_model.py): every item passes there, and fails with its reason, and
no other reason, when the thing that it is about is broken. The real run needs Houdini (docs/houdini.md)."""
import contextlib
import io
import os
import sys
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


def load(clock):
    """The smoke test with the model as `hou`, the model's clock, and a process that sends no signals."""
    hou = hou_model.make(clock)
    sys.modules["hou"] = hou
    with open(os.path.join(TOP, "plugin", "houdini_smoke.py"), encoding="utf-8") as stream:
        source = stream.read()
    module = types.ModuleType("houdini_smoke")
    module.__dict__["open"] = lambda path, **words: maps() if path == "/proc/self/maps" else open(path, **words)
    exec(compile(source, "houdini_smoke.py", "exec"), module.__dict__)
    module.time = clock

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


def main():
    hou_model.FAULTS.clear()
    code, said, items = run(None)
    wrong = [] if code == 0 else ["over the unbroken model:\n" + said]
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
