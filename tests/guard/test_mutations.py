"""The list of seeded faults is fresh: every fault finds its place, names checks that exist, and every check has one."""
import os
import re
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")
sys.path.insert(0, os.path.join(top, "tests", "mutations"))
import mutate  # noqa: E402

# checks of the stages before the wet solver, whose faults were tried by hand when they were written
OLDER = set("""ldlt cantilever circle ring helix chain momentum damping global derivatives contact_derivatives roller
still_groom far paths energy incline head mass linear dense apic resample extrapolate multigrid projection hydrostatic
free_surface moving_solid archimedes closed viscosity tension column slosh dam blob liquid_volume openings obstacles
sources pour_volume bucket slide""".split())


def main():
    with open(os.path.join(top, "src", "check", "checks.def"), encoding="utf-8") as stream:
        checks = set(re.findall(r"^RV_CHECK\((\w+),", stream.read(), re.M))
    wrong, covered = [], set()
    for fault in mutate.read():
        found = mutate.places(top, fault)
        if found != 1:
            wrong.append("%s: its text occurs %d times in %s" % (fault["name"], found, fault["file"]))
        for check in fault["fails"].split():
            covered.add(check)
            if check not in checks:
                wrong.append("%s: there is no check %s" % (fault["name"], check))
    for check in sorted(checks - covered - OLDER):
        wrong.append("no seeded fault is known to fail the check %s" % check)
    print("\n".join(wrong) or "%d faults for %d checks" % (len(mutate.read()), len(covered)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
