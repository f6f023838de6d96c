"""Includes go only to the left: a module may include its own files and those of the modules before it."""
import os
import re
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")

# one set a layer; modules of one layer do not know each other
LAYERS = [
    {"base"}, {"math"}, {"geo", "space", "parm"}, {"mesh"}, {"strand", "liquid", "film", "sph", "fabric"}, {"contact", "couple"},
    {"wet", "lookdev", "interface", "continuum"}, {"surface"}, {"node"}, {"scene"}, {"view"}, {"rig"}, {"check", "bench"}, {"cli"},
]
RANK = {module: rank for rank, layer in enumerate(LAYERS) for module in layer}
# the shim's headers are C and serve all; its bodies use only the base
EVERYWHERE = {"shim", "rivulet"}


def allowed(module, other):
    if other == module or other in EVERYWHERE:
        return True
    if module == "shim":
        return other == "base"
    return other in RANK and RANK[other] < RANK[module]


def includes(path):
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            match = re.match(r'\s*#\s*include\s+"([^"/]+)/', line)
            if match:
                yield number, match.group(1)


def main():
    wrong, files = [], 0
    for folder, _, names in os.walk(os.path.join(top, "src")):
        module = os.path.relpath(folder, os.path.join(top, "src")).split(os.sep)[0]
        for name in names:
            path = os.path.join(folder, name)
            if not name.endswith((".c", ".h", ".cpp", ".def")):
                continue
            files += 1
            if module not in RANK and module != "shim":
                wrong.append(f"{path}: '{module}' is no module of the design")
                continue
            if name.endswith(".cpp") and module != "shim":
                wrong.append(f"{path}: C++ under src only in src/shim")
            wrong += [f"{path}:{number}: {module} may not include {other}"
                      for number, other in includes(path) if not allowed(module, other)]
    # the rule itself must bite
    assert allowed("wet", "strand") and not allowed("strand", "film") and not allowed("base", "math")
    assert files > 20, "no sources found"
    print("\n".join(wrong) or f"{files} files keep to the layers")
    return 1 if wrong else 0


sys.exit(main())
