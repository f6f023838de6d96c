"""The plug-in is loaded as Houdini loads it, RTLD_NOW, into the tests of nodes and scenes, which have the functions of the mock
for it: every node registers and cooks, and all scenes are equal to the headless host's, bit for bit.

    test_hdk_loaded.py [LIBRARY]      another build of the plug-in than that of the tests (tests/full/houdini_build.sh)
"""
import os
import subprocess
import sys

PLUGIN = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("RV_HOUDINI_MOCK", "")
PROGRAMS = ("RV_test_hdk_nodes", "RV_test_hdk_scenes", "RV_test_hdk_groom")


def main():
    if not os.path.exists(PLUGIN):
        print("there is no plug-in over the mock in this build")
        return 77
    failed = 0
    for program in (os.environ[name] for name in PROGRAMS):
        done = subprocess.run([program], env={**os.environ, "RV_HOUDINI_PLUGIN": PLUGIN}, capture_output=True, text=True, check=False)
        said = [line for line in done.stderr.splitlines() if "PASSED" in line or "FAILED" in line or "ERROR" in line]
        print(os.path.basename(program), "exit", done.returncode, *said[-6:], sep="\n  ")
        failed += done.returncode != 0
    # a file that is no plug-in is refused, so that the loading is not skipped
    other = subprocess.run([os.environ[PROGRAMS[0]]], env={**os.environ, "RV_HOUDINI_PLUGIN": "/dev/null"}, capture_output=True, check=False)
    assert other.returncode != 0, "no plug-in was loaded"
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
