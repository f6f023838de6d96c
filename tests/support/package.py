"""The Python package of this build, for tests: finds the shared library and puts python_shim on the path. A test that imports this
is skipped where the library is not built, and is left out under sanitizers, whose runtime Python has not."""
import os
import sys

TOP, BUILD = os.environ["RV_SOURCE_DIR"], os.environ["RV_BUILD_DIR"]
os.environ.setdefault("RIVULET_LIBRARY", os.path.join(BUILD, "librivulet.so.0"))
if not os.path.exists(os.environ["RIVULET_LIBRARY"]):
    print("the shared library is not built")
    sys.exit(77)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "python_shim"))
