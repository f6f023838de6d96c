"""The shim compiles with the libraries of Houdini 19.5 to 21: with the interface of TBB 2020 (tests/tbb2020), and with the
grids of OpenVDB 9 as well as 10. What later versions of OpenVDB took away is not used.

By the VFX reference platform of its year Houdini 19.5 has OpenVDB 9, 20.0 has 10, 20.5 has 11 and 21.0 has 12. Debian 12 has 10
alone; headers of 11 and 12 were not to be had, and those of 13.0 (Debian sid, libopenvdb-dev) were tried with all files.

    test_shim_versions.py --with FOLDER...     all files of the shim with the headers in these folders, such as those of another
                                               OpenVDB, TBB and Imath; the headers of 8.1, of 13.0 and of TBB 2020.3 were tried so
"""
import glob
import os
import re
import subprocess
import sys

TOP = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SHIM = os.path.join(TOP, "src", "shim")
STUB = os.path.join(TOP, "tests", "tbb2020")
# Of OpenVDB's release notes: replaced in 11 (boost::any), deprecated for years, or of boost, which later versions do without.
GONE = ["boost::any", "boost/", "StringIndexType", "copyUncompressed"]


def sources(folder):
    """The C++ files of a folder of the source."""
    found = sorted(glob.glob(os.path.join(TOP, folder, "*.[ch]pp")))
    assert found, folder
    return found


def compiles(path, *options):
    """What the compiler says of a file; empty if it compiles."""
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE",
               *options, "-I" + os.path.join(TOP, "include"), "-I" + os.path.join(TOP, "src"), path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr[-1500:] or "failed"


def with_folders(folders):
    """Compiles the whole shim with other headers; warnings in them are not ours."""
    wrong = []
    for path in sources("src/shim"):
        said = compiles(path, *["-isystem" + folder for folder in folders], "-Wno-cpp", "-Wno-deprecated-declarations")
        print("%-24s %s" % (os.path.basename(path), said or "compiles"), flush=True)
        wrong += [path] if said else []
    return 1 if wrong else 0


def main():
    if "--with" in sys.argv:
        return with_folders(sys.argv[sys.argv.index("--with") + 1:])
    wrong, users = [], []
    for path in sources("src/shim") + sources("plugin"):
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        name = os.path.relpath(path, TOP)
        includes = re.findall(r"#include [<\"](?:oneapi/)?(tbb/[^>\"]*|oneapi/[^>\"]*)", text)
        wrong += ["%s includes %s, which TBB 2020 has not" % (name, header) for header in includes
                  if not os.path.exists(os.path.join(STUB, header)) or header == "tbb/info.h"]
        wrong += ["%s uses %s, which later versions of OpenVDB have not" % (name, word) for word in GONE if word in text]
        if includes:
            users.append(path)
    assert users, "no file of the shim uses TBB"
    for path in users:
        said = compiles(path, "-I" + STUB)
        if said:
            wrong.append("with TBB 2020: " + said)
    # one file of each kind: the handle of a grid, and the archive classes; all of them with --all
    chosen = ["vdb_grid.cpp", "vdb_file.cpp"]
    if "--all" in sys.argv:
        chosen = [os.path.basename(path) for path in sources("src/shim") if os.path.basename(path).startswith("vdb_")]
    for name in chosen:
        said = compiles(os.path.join(SHIM, name), "-DOPENVDB_ABI_VERSION_NUMBER=9", "-Wno-cpp")
        if said:
            wrong.append("with the grids of OpenVDB 9: " + said)
    print("\n".join(wrong) or "%d files with TBB 2020, %d with the grids of OpenVDB 9" % (len(users), len(chosen)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
