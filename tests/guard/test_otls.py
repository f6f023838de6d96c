"""What otls/ holds is what its generator makes of the node table, passes the checker, and the checker sees faults."""
import filecmp
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["RV_SOURCE_DIR"], "tests", "support"))
from package import TOP  # noqa: E402

sys.modules["numpy"] = None  # not needed, and slow to load
OTLS = os.path.join(TOP, "otls")
sys.path.insert(0, OTLS)
import check  # noqa: E402
import generate  # noqa: E402
import naming  # noqa: E402

folder = tempfile.mkdtemp()
failed = []


def files(top):
    return {os.path.relpath(os.path.join(where, name), top) for where, _, names in os.walk(top) for name in names}


def expect(good, text):
    print(("ok: " if good else "FAILED: ") + text)
    if not good:
        failed.append(text)


generate.write(folder)
made = files(folder)
here = {path for path in files(OTLS) if path.split(os.sep)[0] in generate.MADE or ".hda" in path}
stale = sorted(path for path in made & here
               if not filecmp.cmp(os.path.join(folder, path), os.path.join(OTLS, path), shallow=False))
expect(made == here, "no file is missing or left over: %s" % sorted(made ^ here)[:5])
expect(not stale, "no file is stale (run otls/generate.py): %s" % stale[:5])
bad = check.check(OTLS)
expect(not bad, "the checker is content: %s" % bad[:5])
for name in ("rivulet::Sop/wet_solver::1.0", "a_b", "a:b/c_d.1"):
    expect(naming.decode(naming.encode(name)) == name, "the encoding of %s comes back" % name)
expect(naming.encode("rivulet::Sop/solver::1.0") == "rivulet_8_8Sop_1solver_8_81.0", "the encoding is Houdini's")

# faults that must be seen
asset = os.path.join(folder, naming.asset_folder("wetsolver"))
inner = os.path.join(asset, naming.encode(naming.table_name("wetsolver")))
FAULTS = (("a missing section", lambda: os.remove(os.path.join(inner, "Help"))),
          ("an unlisted file", lambda: open(os.path.join(inner, "Extra"), "w").close()),
          ("another default", lambda: replace("DialogScript", 'default { "4" }', 'default { "5" }')),
          ("a parameter less", lambda: replace("DialogScript", 'name    "substeps"', 'name    "substep"')),
          ("an open brace", lambda: replace("DialogScript", "}\n}", "}\n")),
          ("another menu", lambda: replace("DialogScript", '"bdf2"', '"bdf3"')),
          ("a unit without its exponent", lambda: replace("DialogScript", '"units" "m1"', '"units" "m"')),
          ("a unit of degrees, which Houdini has not", lambda: replace("DialogScript", 'name    "restangle"\n', 'name    "restangle"\n                parmtag { "units" "deg1" }\n')),
          ("a condition of an unknown parameter", lambda: replace("DialogScript", "{ walls == 0 }", "{ wall == 0 }")),
          ("a condition that is left out", lambda: replace("DialogScript", '                hidewhen "{ restmode == natural } { hairmode == animated }"\n', "")),
          ("a condition without a value", lambda: replace("DialogScript", '"{ killbox == 0 }"', '"{ killbox == }"')),
          ("an advanced parameter among the simple ones", lambda: replace("DialogScript", '"group_default" "0"', '"group_default" "1"')),
          ("a cache outside of $HIP/geo", lambda: replace("../../dialogs/filecache.ds", "$HIP/geo/$OS", "$OUT/$OS")),
          ("a preset that is not in the menu", lambda: replace("DialogScript", '            "honey" "Honey"\n', "")),
          ("a preset of another value", lambda: replace("PythonModule", "'tension': 0.055", "'tension': 0.5")),
          ("a preset without an end", lambda: replace("PythonModule", "node.parm('preset').set('none')", "pass")),
          ("an icon that another node has", lambda: shutil.copy(os.path.join(folder, ICONS % "box"), os.path.join(folder, ICONS % "grid"))),
          ("an icon that is missing", lambda: os.remove(os.path.join(folder, ICONS % "groom"))),
          ("an asset without its icon", lambda: replace("IconSVG", "#ffffff", "#fffffe")),
          ("a picture that is missing", lambda: os.remove(os.path.join(folder, "help", "images", "rivulet", "groom.png"))),
          ("a card of another network", lambda: replace("../../help/rivulet/wetsolver.json", '"walls": true', '"walls": false')),
          ("broken XML", lambda: replace("IconSVG", "</svg>", "</sgv>")),
          ("another name", lambda: replace("Sections.list", "DialogScript\t", "Dialog\t")),
          ("one output", lambda: replace("../INDEX__SECTION", "Outputs:      3", "Outputs:      1")),
          ("no network", lambda: shutil.rmtree(os.path.join(inner, "Contents.dir"))),
          ("an archive that is cut", lambda: replace(MIME, "HOUDINIMIMEBOUNDARY--\n", "")),
          ("a seed that is not wired", lambda: replace(MIME, '0 \tseed 6 1 "input1"\n', "")),
          ("a connector that does not exist", lambda: replace(MIME, "\tseed 6 1", "\tseed 2 1")),
          ("two lists of wires that differ", lambda: replace(MIME, "\n0 \tPrev_Frame 0 1\n", "\n0 \tget_1 0 1\n")),
          ("a step without the state before", lambda: replace(MIME, "\tPrev_Frame ", "\tget_2 ")),
          ("inputs exchanged", lambda: replace(MIME, "../../../../in_2", "../../../../in_3")),
          ("an output with another number", lambda: replace(MIME, "outputidx\t[ 0\tlocks=0 ]\t(\t2\t)",
                                                            "outputidx\t[ 0\tlocks=0 ]\t(\t1\t)")),
          ("an unknown type", lambda: replace(MIME, "wetsolver_step::1.0", "wetsolver_stop::1.0")),
          ("a parameter that is not linked", lambda: replace(MIME, 'expr = ch(\\"../../../../substeps\\")', "expr = 4")),
          ("a link to the wrong level", lambda: replace(MIME, '\\"../../../../gravityy\\"', '\\"../../../gravityy\\"')),
          ("a link to another parameter", lambda: replace(MIME, 'ch(\\"../gravityy\\")', 'ch(\\"../gravityx\\")')),
          ("a start frame that is not linked", lambda: replace(MIME, "startframe\t[ 0\tlocks=0 ]\t(\t[ startframe\t1 ] \t)\nsubstep\t",
                                                               "startframe\t[ 0\tlocks=0 ]\t(\t1\t)\nsubstep\t")),
          ("a display flag elsewhere", lambda: replace(MIME, "display on render on", "display off render on")),
          ("a node that is not listed", lambda: replace(MIME, "\nget_5\nstep\n", "\nstep\n")),
          ("an asset that does not match its definition", lambda: replace(MIME, "type = solver\nmatchesdef = 1",
                                                                          "type = solver\nmatchesdef = 0")),
          ("messages of an unknown node", lambda: replace("MessageNodes", "solve/d/s/step", "solve/step")))
MIME = "Contents.dir/Contents.mime"
ICONS = os.path.join("config", "Icons", "SOP_rivulet-%s-1.0.svg")


def replace(name, old, new):
    path = os.path.join(inner, name)
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    assert old in text, (name, old)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text.replace(old, new))


for what, spoil in FAULTS:
    generate.write(folder)
    spoil()
    try:
        seen = bool(check.check(folder))
    except OSError:
        seen = True
    expect(seen, "the checker sees %s" % what)
shutil.rmtree(folder)
sys.exit(1 if failed else 0)
