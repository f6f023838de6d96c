"""The list of seeded faults is fresh: every fault finds its place, names checks or tests that exist, and every check has
one."""
import os
import re
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")
sys.path.insert(0, os.path.join(top, "tests", "mutations"))
import mutate  # noqa: E402

def main():
    with open(os.path.join(top, "src", "check", "checks.def"), encoding="utf-8") as stream:
        checks = set(re.findall(r"^RV_CHECK\((\w+),", stream.read(), re.M))
    physics = os.listdir(os.path.join(top, "tests", "physics"))
    checks |= {"physics/" + name[5:-3] for name in physics if name.startswith("test_") and name.endswith(".py")}
    checks |= {"physics/" + name[:-2] for name in physics if name.startswith("test_") and name.endswith(".c")}
    checks.add("host/test_random_failures")
    faults = mutate.read()
    wrong, covered, names = [], set(), [fault.get("name") for fault in faults]
    wrong += ["%s: the name stands twice" % name for name in sorted({n for n in names if names.count(n) > 1})]
    for fault in faults:
        flags = {fault.get(key, "yes") for key in mutate.OPTIONAL}
        if not mutate.KEYS - mutate.OPTIONAL <= set(fault) <= mutate.KEYS or flags != {"yes"}:
            wrong.append("%s: it has the keys %s" % (fault.get("name"), " ".join(sorted(fault))))
            continue
        product = ("src/", "plugin/", "otls/", "python_shim/", "CMakeLists.txt", "CMakePresets.json")
        if not fault["file"].startswith(product) or fault["file"].split("/")[1:2] in (["check"], ["rig"], ["bench"]):
            wrong.append("%s: a fault is seeded in the product, not in %s" % (fault["name"], fault["file"]))
        found = mutate.places(top, fault)
        if found != 1:
            wrong.append("%s: its text occurs %d times in %s" % (fault["name"], found, fault["file"]))
        for check in fault["fails"].split():
            if "/" in check and check not in checks:
                name, _, part = check.partition(":")
                found = [path for path in (os.path.join(top, "tests", name + end) for end in (".c", ".cpp"))
                         if os.path.exists(path)]
                if mutate.script_of(check):
                    continue
                if not found:
                    wrong.append("%s: there is no test %s" % (fault["name"], check))
                elif part and not any("cmocka_unit_test(%s)" % part in open(path, encoding="utf-8").read() for path in found):
                    wrong.append("%s: there is no test %s in %s" % (fault["name"], part, name))
                continue
            covered.add(check)
            if check not in checks:
                wrong.append("%s: there is no check %s" % (fault["name"], check))
    for check in sorted(checks - covered):
        wrong.append("no seeded fault is known to fail the check %s" % check)
    quick = sum("quick" in fault for fault in faults)
    if not 8 <= quick <= 16:
        wrong.append("%d faults are marked quick; ./test tries a dozen" % quick)
    print("\n".join(wrong) or "%d faults for %d checks, %d of them quick" % (len(faults), len(covered), quick))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
