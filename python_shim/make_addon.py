"""Packs the Blender add-on, the Python package and the library into one .zip for Preferences > Add-ons > Install.

  /usr/bin/python3 python_shim/make_addon.py [LIBRARY] [OUT.zip]
"""
import os
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main(library, out):
    if not os.path.exists(library):
        raise SystemExit("the library %s does not exist: build it first (./run --build)" % library)
    temporary = out + ".part"
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as pack:
        for name in sorted(os.listdir(os.path.join(HERE, "rivulet_blender"))):
            if name.endswith(".py"):
                pack.write(os.path.join(HERE, "rivulet_blender", name), "rivulet_blender/" + name)
        for name in sorted(os.listdir(os.path.join(HERE, "rivulet"))):
            if name.endswith(".py"):
                pack.write(os.path.join(HERE, "rivulet", name), "rivulet_blender/lib/rivulet/" + name)
        pack.write(os.path.realpath(library), "rivulet_blender/lib/rivulet/librivulet.so.0")
    os.replace(temporary, out)
    print(out)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(given[0] if given else os.path.join(HERE, "..", "build", "release", "librivulet.so.0"),
         given[1] if len(given) > 1 else "rivulet_blender.zip")
