"""Every check of the program has a test of its own, which notices a line that is wrong or has vanished."""
import json
import os
import re
import subprocess
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")
sys.path.insert(0, os.path.join(top, "tests", "check"))
import run_check  # noqa: E402

# the capabilities of the hair stage, each proved by at least one check
HAIR_STAGE = {"WH-1", "WH-2", "WH-3", "WH-4", "WH-5", "WH-10", "WH-12", "WH-44", "WH-45"}


def line(**changes):
    row = {"check": "ring.twist", "spec": "WH-1", "measured": 1.5, "expected": 1, "tolerance": 0.5, "pass": True}
    row.update(changes)
    return json.dumps(row)


def judgement_bites():
    """The judgement of a check's lines accepts what is right and rejects each way of being wrong."""
    assert not run_check.judge(line(), "ring", 1)
    assert not run_check.judge(line() + "\n" + line(check="ring.more"), "ring", 2)
    bad = [line(measured=1.6), line(measured=1.6, **{"pass": False}), line(**{"pass": False}), line(tolerance=None),
           line(measured=None, **{"pass": False}), line(tolerance=float("inf")), line(tolerance=float("nan")),
           line(tolerance=-1), line(tolerance=True), line(measured="1"), line(spec=""), line(spec="WH1"), line(more=1),
           line(check="rings.twist"), '{"check": "ring"}', "3", "no JSON"]
    for row in bad:
        assert run_check.judge(row, "ring", 1), row
    assert run_check.judge("", "ring", 0), "no line at all"
    assert run_check.judge(line(), "ring", 2), "a line vanished"
    assert run_check.judge(line(), "ring", None), "a check without a number"
    assert run_check.judge(line() + "\n" + line(check="ring.more"), "ring", 1), "a line more"


def main():
    judgement_bites()
    names, kept = run_check.names(), run_check.kept()
    assert len(names) >= 100 and len(set(names)) == len(names), names
    assert list(kept) == names, "tests/data/check_lines.json has other checks than the table: %s" % (
        set(kept) ^ set(names) or "their order")
    assert all(set(entry) == {"lines", "seconds"} and entry["lines"] >= 1 for entry in kept.values())
    with open(os.path.join(top, "src", "check", "checks.def"), encoding="utf-8") as stream:
        specs = re.findall(r'^RV_CHECK\(\w+, "([^"]*)"', stream.read(), re.M)
    assert len(specs) == len(names)
    proved = {word for spec in specs for word in spec.split()}
    assert HAIR_STAGE <= proved, HAIR_STAGE - proved
    listed = subprocess.run(["ctest", "--test-dir", os.environ["RV_BUILD_DIR"], "-N", "-L", "^check$"],
                            capture_output=True, text=True, check=True).stdout
    tests = re.findall(r"Test +#\d+: check/(\w+)", listed)
    assert sorted(tests) == sorted(names), "checks without a test: %s" % (set(names) ^ set(tests))
    print("%d checks have their tests, %d lines" % (len(names), sum(entry["lines"] for entry in kept.values())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
