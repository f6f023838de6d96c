"""What ships holds no check, benchmark or rig, and shows nothing but the functions of include/rivulet."""
import glob
import os
import re
import subprocess
import sys

TOP = os.environ["RV_SOURCE_DIR"]
LIBRARY = os.path.join(os.environ["RV_BUILD_DIR"], "librivulet.so")


def symbols(*options):
    run = subprocess.run(["nm", *options, LIBRARY], capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in run.stdout.splitlines() if line.split()]


def main():
    declared = set()
    for path in glob.glob(os.path.join(TOP, "include", "rivulet", "*.h")):
        with open(path, encoding="utf-8") as stream:
            declared |= set(re.findall(r"\b(rv_\w+)\s*\(", stream.read()))
    wrong = [name for name in symbols() if re.match(r"rv_(check|bench|rig|cli)_", name)]
    wrong += [name for name in symbols("-D", "--defined-only") if name.split("@")[0] not in declared]
    assert len(symbols("-D", "--defined-only")) > 100, "the library shows nothing"
    print("\n".join("should not be in librivulet.so: " + name for name in wrong[:40]) or "clean")
    return 1 if wrong else 0


sys.exit(main())
