"""The Python package mirrors the C headers: functions with as many arguments, structs of the same size and members."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["RV_SOURCE_DIR"], "tests", "support"))
from package import TOP  # noqa: E402

sys.modules["numpy"] = None  # not needed, and slow to load
from rivulet import _lib  # noqa: E402


def declared():
    """Name and number of arguments of every function of the headers."""
    found = {}
    folder = os.path.join(TOP, "include", "rivulet")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as stream:
            text = re.sub(r"//[^\n]*|/\*.*?\*/", "", stream.read(), flags=re.S)
        for match in re.finditer(r"RV_API\s+[^;{]*?(rv_\w+)\(", text):
            depth, at, count = 1, match.end(), 0
            inside = ""
            while depth:
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                count += text[at] == "," and depth == 1
                inside += text[at]
                at += 1
            found[match.group(1)] = 0 if inside.strip(" )\n") in ("", "void") else count + 1
    return found


def sizes():
    """Size and offsets of the mirrored structs, as the compiler sees them."""
    lines = []
    for struct in _lib.STRUCTS:
        name = struct.__name__
        fields = " ".join("%zu" for _ in struct._fields_)
        offsets = ", ".join("offsetof(%s, %s)" % (name, field[0]) for field in struct._fields_)
        lines.append('printf("%s %%zu %s\\n", sizeof(%s), %s);' % (name, fields, name, offsets))
    source = '#include <stddef.h>\n#include <stdio.h>\n#include "rivulet/rivulet.h"\nint main(void) { %s }\n' % "\n".join(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "layout.c")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(source)
        subprocess.run([os.environ["CC"], "-I", os.path.join(TOP, "include"), path, "-o", path + ".out"], check=True)
        return subprocess.run([path + ".out"], check=True, capture_output=True, text=True).stdout.splitlines()


bad = []
functions = declared()
assert len(functions) > 100, "the headers were not understood"
for name, (result, arguments) in _lib.FUNCTIONS.items():
    if name not in functions:
        bad.append("%s is in no header" % name)
    elif len(arguments) != functions[name]:
        bad.append("%s takes %d arguments, not %d" % (name, functions[name], len(arguments)))
for struct, line in zip(_lib.STRUCTS, sizes()):
    name, size, *offsets = line.split()
    import ctypes
    mine = [ctypes.sizeof(struct)] + [getattr(struct, field[0]).offset for field in struct._fields_]
    if mine != [int(size)] + [int(offset) for offset in offsets]:
        bad.append("%s has another layout in C: %s" % (name, line))
print("\n".join(bad) or "%d functions and %d structs agree" % (len(_lib.FUNCTIONS), len(_lib.STRUCTS)))
sys.exit(1 if bad else 0)
