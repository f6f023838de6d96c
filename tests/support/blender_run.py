"""Starts Blender with the add-on packed and installed in a home of its own, for the tests that need it. Exit code 77 where
Blender is missing."""
import os
import shutil
import subprocess
import sys
import tempfile

TOP, BUILD = os.environ["RV_SOURCE_DIR"], os.environ["RV_BUILD_DIR"]
SECONDS = 550


def start(script, done, options=("-b",), environment=None):
    """Runs a script in Blender. It must print the line `done`; lines that begin with "graph" are shown. Returns an exit code."""
    blender = shutil.which("blender")
    if not blender:
        print("blender is missing")
        return 77
    home = tempfile.mkdtemp(prefix="rivulet_blender_")
    pack = os.path.join(home, "rivulet_blender.zip")
    subprocess.run([sys.executable, os.path.join(TOP, "python_shim", "make_addon.py"),
                    os.path.join(BUILD, "librivulet.so.0"), pack], check=True, stdout=subprocess.DEVNULL)
    words = dict(os.environ, BLENDER_USER_SCRIPTS=os.path.join(home, "scripts"), RV_ADDON=pack, HOME=home,
                 BLENDER_USER_CONFIG=os.path.join(home, "config"), **(environment or {}))
    # the add-on must find its own library and its own program
    for name in ("RIVULET_LIBRARY", "RIVULET"):
        words.pop(name, None)
    words["RV_PROGRAM"] = os.path.join(BUILD, "rivulet")
    run = subprocess.run([blender, *options, "--factory-startup", "--python-exit-code", "1", "-noaudio", "-P", script],
                         capture_output=True, text=True, check=False, timeout=SECONDS, env=words)
    said = [line for line in run.stdout.splitlines() if line.startswith("graph")]
    print("\n".join(said))
    # Blender goes on after an error in a draw function, and only prints it
    good = run.returncode == 0 and done in said and "Traceback" not in run.stdout + run.stderr
    if not good:
        print(run.stdout[-5000:], run.stderr[-5000:])
    shutil.rmtree(home, ignore_errors=True)
    return 0 if good else 1


def install():
    """Inside Blender: installs and enables the packed add-on; returns its home."""
    import bpy
    bpy.ops.preferences.addon_install(filepath=os.environ["RV_ADDON"])
    bpy.ops.preferences.addon_enable(module="rivulet_blender")
    import rivulet_blender
    home = os.path.dirname(os.environ["RV_ADDON"])
    assert rivulet_blender.__file__.startswith(home), rivulet_blender.__file__
    return home
