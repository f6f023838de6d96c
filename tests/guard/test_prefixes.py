"""A function that other files can call says in its name which module it is of: rv_<module>_... or the plural.

Functions of the public headers have the names of their nouns. What is external is asked of the objects themselves.
"""
import json
import os
import re
import shlex
import subprocess
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")
build = os.environ.get("RV_BUILD_DIR") or os.path.join(top, "build", "release")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import c_source  # noqa: E402

MODULES = set("strand liquid contact couple film wet surface view scene rig cli".split())


def is_of(module, name):
    return re.match(r"rv_%ss?_" % module, name) is not None


def public_names():
    """Names followed by a ( in the public headers: functions, and macros, which do no harm."""
    names = set()
    for path in c_source.files(top, ("include",), (".h", ".def")):
        with open(path, encoding="utf-8") as stream:
            names.update(re.findall(r"\b(rv_\w+)\s*\(", stream.read()))
    return names


def objects():
    """Module and object file of each source of the modules that is compiled."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as stream:
        for entry in json.load(stream):
            words = shlex.split(entry["command"])
            parts = os.path.relpath(os.path.realpath(entry["file"]), os.path.realpath(top)).split(os.sep)
            path = os.path.join(entry["directory"], words[words.index("-o") + 1])
            if parts[0] == "src" and parts[1] in MODULES and os.path.exists(path):
                yield parts[1], path


def main():
    assert is_of("strand", "rv_strands_load") and is_of("film", "rv_film_step")
    assert not is_of("strand", "rv_strandy_load") and not is_of("film", "film_step") and not is_of("wet", "rv_film_step")
    public, wrong, count, seen = public_names(), set(), 0, set()
    module_of = {path: module for module, path in objects()}
    listed = subprocess.run(["nm", "-A", "--defined-only", "--extern-only", *module_of], capture_output=True, text=True,
                            check=True).stdout
    # T: code; the path of an instruction set at the end of a kernel's name does not matter
    for path, name in re.findall(r"^(.*?):\S* T (\w+)$", listed, re.M):
        module = module_of[path]
        seen.add(module)
        count += 1
        if not is_of(module, name) and name not in public and name != "main":
            wrong.add("src/%s: %s does not begin with rv_%s_" % (module, name, module))
    assert seen == MODULES and count > 500, "objects are missing: build first"
    print("\n".join(sorted(wrong)) or "%d functions name their modules" % count)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
