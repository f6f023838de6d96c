"""Packs the Blender add-on, the Python package, the library and the program into one .zip for Preferences > Add-ons > Install.

  /usr/bin/python3 python_shim/make_addon.py [LIBRARY] [OUT.zip]
"""
import os
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def modules(folder):
    """The Python files of a folder."""
    return sorted(name for name in os.listdir(os.path.join(HERE, folder)) if name.endswith(".py"))


def main(library, out):
    if not os.path.exists(library):
        raise SystemExit("the library %s does not exist: build it first (./run --build)" % library)
    temporary = out + ".part"
    program = os.path.join(os.path.dirname(library), "rivulet")
    if not os.path.exists(program):
        raise SystemExit("the program %s does not exist: build it first (./run --build)" % program)
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as pack:
        for folder in ("rivulet_blender", os.path.join("rivulet_blender", "graph")):
            for name in modules(folder):
                pack.write(os.path.join(HERE, folder, name), "%s/%s" % (folder, name))
        for name in modules("rivulet"):
            pack.write(os.path.join(HERE, "rivulet", name), "rivulet_blender/lib/rivulet/" + name)
        pack.write(os.path.realpath(library), "rivulet_blender/lib/rivulet/librivulet.so.0")
        # bakes run the program in the background
        pack.write(os.path.realpath(program), "rivulet_blender/lib/rivulet/rivulet")
    os.replace(temporary, out)
    print(out)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(given[0] if given else os.path.join(HERE, "..", "build", "release", "librivulet.so.0"),
         given[1] if len(given) > 1 else "rivulet_blender.zip")
