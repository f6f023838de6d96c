"""The examples of the Python package run as they are, and do what they say."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["RV_SOURCE_DIR"], "tests", "support"))
from package import TOP  # noqa: E402

EXAMPLES = os.path.join(TOP, "python_shim", "examples")
environment = dict(os.environ, PYTHONPATH=os.path.join(TOP, "python_shim"),
                   PYTHONDONTWRITEBYTECODE="1")


def run(name, *words):
    done = subprocess.run([sys.executable, os.path.join(EXAMPLES, name), *words], env=environment, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, (name, done.stderr)
    return done.stdout


folder = tempfile.mkdtemp()
ran = {"wet_tuft.py", "paint_cache.py", "handover.py", "list_nodes.py"}
there = {name for name in os.listdir(EXAMPLES) if name.endswith(".py")}
assert ran == there, "examples that no test runs: %s" % (ran ^ there)
said = run("wet_tuft.py", folder, "10", "20")
assert said.count("frame") == 10 and "drift" in said, said
# 20 hairs that stand apart, drawn out at 0.2 m/s: some hundredths of a millimetre cubed each
assert float(said.split("frame 10:")[1].split()[0]) > 0.05, "the tuft is dry"
said = run("paint_cache.py", folder + "/hair.0010.bgeo.sc", folder + "/brown.bgeo.sc")
assert "280 points" in said, said
info = subprocess.run([os.environ["RIVULET"], "info", folder + "/brown.bgeo.sc"], capture_output=True, text=True, check=True)
assert "Cd" in info.stdout, info.stdout
assert "wetsolver" in run("list_nodes.py") and "cohesion" in run("list_nodes.py", "wetsolver")
try:
    import numpy  # noqa: F401
    print(run("handover.py").strip())
except ImportError:
    print("numpy is missing: handover.py was not run")
shutil.rmtree(folder)
