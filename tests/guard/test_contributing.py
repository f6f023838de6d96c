"""The code samples of docs/contributing.md still find their places, and each addition touches two files at most.

tests/full/additions.py builds and uses what they add.
"""
import os
import sys
import tempfile

top = os.path.abspath(os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", ".."))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(top, "tests", "full"))
import additions  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    additions.copy(top, folder, {additions.PAGE} | {sample[1] for sample in additions.samples_of(top)})
    additions.add_all(folder)
