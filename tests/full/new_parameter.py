"""A parameter that is added to a solver's table appears everywhere with no other edit: in the command line, the help and
manual pages, the scene file, Python, the asset's dialog and Blender.

  new_parameter.py SOURCE FOLDER    copies SOURCE into FOLDER, adds one row, builds and looks
"""
import json
import os
import shutil
import subprocess
import sys

ROW = '''  X(FLOAT, newborn, "Newborn", 0.25, HARD(0), SOFT(2), "m1s-1", "Added by a test.") \\
'''
BEFORE = '  X(MENU, draglaw, "Drag Law"'


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def build(source, folder):
    """The tree with one row more, and its program and library."""
    shutil.copytree(source, folder, dirs_exist_ok=True,
                    ignore=lambda where, names: {"build", ".git", "out"} & set(names) if where == source else set())
    path = os.path.join(folder, "src", "node", "wetsolver_parms.h")
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    assert text.count(BEFORE) == 1
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text.replace(BEFORE, ROW + BEFORE))
    made = os.path.join(folder, "build", "release")
    run("cmake", "-S", folder, "-B", made, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DRV_TESTS=OFF")
    run("cmake", "--build", made, "--target", "rivulet", "rivulet_shared", "docs")
    return made


def main():
    source, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    made = build(source, folder)
    rivulet, library = os.path.join(made, "rivulet"), os.path.join(made, "librivulet.so.0")
    environment = dict(os.environ, RIVULET_LIBRARY=library, PYTHONPATH=os.path.join(folder, "python_shim"),
                       PYTHONDONTWRITEBYTECODE="1")
    seen = []

    assert "newborn" in run(rivulet, "nodes", "wetsolver")
    row = next(p for p in json.loads(run(rivulet, "nodes", "wetsolver", "--json"))["parms"] if p["token"] == "newborn")
    assert (row["default"], row["min"], row["hard_min"], row["unit"]) == (0.25, 0, True, "m1s-1"), row
    seen.append("command line")

    scene = os.path.join(folder, "new.json")
    with open(scene, "w", encoding="utf-8") as stream:
        json.dump({"rivulet": 1, "nodes": {"h": {"type": "groom", "parms": {"count": 3}}, "w": {
            "type": "wetsolver", "inputs": ["h"], "parms": {"newborn": {"keys": [[1, 0], [2, 1]]}}}}}, stream)
    run(rivulet, "cook", scene, "--set", "w.newborn=0.5", "--out", os.path.join(folder, "out"), "--quiet")
    bad = subprocess.run([rivulet, "cook", scene, "--set", "w.newborn=-1", "--out", folder], capture_output=True, text=True,
                         check=False)
    assert bad.returncode == 1 and "newborn" in bad.stderr, bad.stderr
    seen.append("scene")

    said = run("/usr/bin/python3", "-c", "import rivulet as rv; s = rv.Scene(); w = s.add('wetsolver', 'w', newborn=0.5); "
               "print(w['newborn'], rv.nodes.find('wetsolver').parm('newborn')['label'])", env=environment)
    assert said.strip() == "0.5 Newborn", said
    seen.append("Python")

    # the target docs has made them anew
    pages = {"manual": "docs/nodes/wetsolver.md", "help card": "otls/help/nodes/sop/rivulet--wetsolver-1.0.txt",
             "asset": "otls/rivulet_wetsolver.1.0.hda/rivulet_8_8Sop_1wetsolver_8_81.0/DialogScript"}
    for name, path in pages.items():
        with open(os.path.join(folder, path), encoding="utf-8") as stream:
            assert "newborn" in stream.read(), path
        seen.append(name)
    run("/usr/bin/python3", os.path.join(folder, "otls", "check.py"), env=environment)
    seen.append("checker")

    if shutil.which("blender"):
        script = os.path.join(folder, "look.py")
        with open(script, "w", encoding="utf-8") as stream:
            stream.write("import sys; sys.path.insert(0, %r)\nimport bpy, rivulet_blender\nrivulet_blender.register()\n"
                         "group = bpy.context.scene.rivulet.wetsolver\nassert abs(group.newborn - 0.25) < 1e-6\n"
                         "group.newborn = -1\nassert group.newborn == 0\nprint('newborn is there')\n"
                         % os.path.join(folder, "python_shim"))
        said = run("blender", "-b", "--factory-startup", "--python-exit-code", "1", "-P", script, env=environment)
        assert "newborn is there" in said
        seen.append("Blender")
    print("a new parameter is in: " + ", ".join(seen))


if __name__ == "__main__":
    main()
