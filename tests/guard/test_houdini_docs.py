"""docs/houdini.md lists what a mock cannot prove, and houdini_smoke.py has a check for each item, in the same order. The
package, the presets and the build files know the same versions of Houdini."""
import ast
import json
import os
import re
import sys

TOP = os.environ["RV_SOURCE_DIR"]


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as stream:
        return stream.read()


def smoke_items():
    tree = ast.parse(read("plugin", "houdini_smoke.py"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)
            and any(isinstance(d, ast.Name) and d.id == "item" for d in node.decorator_list)]


def main():
    wrong = []
    page = read("docs", "houdini.md")
    listed = re.findall(r"^\| `(\w+)` \| ", page.split("What the mock cannot prove\n")[-1], re.M)
    if listed != smoke_items() or len(listed) < 15:
        wrong.append("the page lists %s, the smoke test has %s" % (listed, smoke_items()))
    releases = re.search(r"set\(RV_HOUDINI_VERSIONS ([\d. ]+)\)", read("plugin", "houdini.cmake")).group(1).split()
    package = json.loads(read("plugin", "packages", "rivulet.json"))
    bounds = [re.fullmatch(r"houdini_version >= '([\d.]+)' and houdini_version < '([\d.]+)'", condition).groups()
              + (path,) for row in package["hpath"] if isinstance(row, dict) for condition, path in row.items()]
    if [low for low, _, _ in bounds] != releases:
        wrong.append("the package knows %s, the build %s" % (bounds, releases))
    # each version has a folder of its own, and ends where the next begins
    for (low, high, path), after in zip(bounds, bounds[1:] + [None]):
        if not path.endswith("/" + low) or (after and after[0] != high):
            wrong.append("%s to %s: %s" % (low, high, path))
    if package["enable"] != "houdini_version >= '%s' and houdini_version < '%s'" % (bounds[0][0], bounds[-1][1]):
        wrong.append("the package is enabled by " + package["enable"])
    presets = {row["name"] for row in json.loads(read("CMakePresets.json"))["configurePresets"]}
    wrong += ["there is no preset houdini-" + release for release in releases if "houdini-" + release not in presets]
    print("\n".join(wrong) or "%d items, versions %s" % (len(listed), " ".join(releases)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
