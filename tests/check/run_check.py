"""Runs one check of `rivulet check` and judges its lines; RIVULET names the program.

  run_check.py NAME               the check must pass, with as many lines as are kept for it
  run_check.py --renew [NAME...]  counts the lines of the named or of all checks anew, with the seconds that each took

The numbers are kept in tests/data/check_lines.json: a line that vanishes from a check is a failure here, and shows in
the difference of that file. The seconds only tell CTest which checks to start first.
"""
import json
import math
import os
import re
import subprocess
import sys
import time

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KEPT = os.path.join(TOP, "tests", "data", "check_lines.json")
KEYS = {"check", "spec", "measured", "expected", "tolerance", "pass"}


def names():
    """The checks of the program's table, in its order."""
    with open(os.path.join(TOP, "src", "check", "checks.def"), encoding="utf-8") as stream:
        return re.findall(r"^RV_CHECK\((\w+),", stream.read(), re.M)


def kept():
    with open(KEPT, encoding="utf-8") as stream:
        return json.load(stream)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def faults_of_line(line, name):
    """What is wrong with a line of the check: its form, or its verdict."""
    if set(line) != KEYS:
        return ["its keys are " + " ".join(sorted(line))]
    wrong = []
    if line["check"] != name and not line["check"].startswith(name + "."):
        wrong.append("it is not a line of " + name)
    if not line["spec"] or not all(re.fullmatch(r"(WH|SD|WF|HC|VI|AH)-\d+", word) for word in line["spec"].split()):
        wrong.append("'%s' are no capabilities of the specification" % line["spec"])
    wrong += ["%s is not a finite number" % key for key in ("measured", "expected", "tolerance")
              if not is_number(line[key])]
    if not wrong:
        if line["tolerance"] < 0:
            wrong.append("a tolerance below 0 cannot be met")
        if line["pass"] is not (abs(line["measured"] - line["expected"]) <= line["tolerance"]):
            wrong.append("its verdict is not that of its numbers")
    if line["pass"] is not True:
        wrong.append("it does not pass")
    return wrong


def judge(text, name, number):
    """All that is wrong with what a check printed, `number` being how many lines it is to have."""
    wrong, rows, seen = [], text.splitlines(), set()
    for row in rows:
        try:
            line = json.loads(row)
        except ValueError:
            line = None
        if not isinstance(line, dict):
            wrong.append("%s: it is no JSON object" % row)
            continue
        wrong += ["%s: %s" % (row, said) for said in faults_of_line(line, name)]
        if line.get("check") in seen:
            wrong.append("%s: another line has the same name" % row)
        seen.add(line.get("check"))
    if not rows:
        wrong.append("it printed no line")
    if len(rows) != number:
        wrong.append("it printed %d lines and %s are kept in tests/data/check_lines.json; if that is meant, renew them: "
                     "RIVULET=build/release/rivulet python3 tests/check/run_check.py --renew %s"
                     % (len(rows), number, name))
    return wrong


def run(name):
    return subprocess.run([os.environ["RIVULET"], "check", "--json", name], capture_output=True, text=True, check=False)


def check(name):
    done = run(name)
    wrong = judge(done.stdout, name, kept().get(name, {}).get("lines"))
    if done.returncode:
        wrong.append("exit code %d: %s" % (done.returncode, done.stderr.strip()))
    print(done.stdout + "\n".join(wrong) if wrong else "%d lines pass" % len(done.stdout.splitlines()))
    return 1 if wrong else 0


def renew(chosen):
    numbers, every = kept() if os.path.exists(KEPT) else {}, names()
    for name in chosen or every:
        start = time.monotonic()
        done = run(name)
        if done.returncode:
            print("%s fails and keeps its number: %s" % (name, done.stderr.strip()))
            return 1
        numbers[name] = {"lines": len(done.stdout.splitlines()), "seconds": round(time.monotonic() - start)}
        print("%-20s %3d lines, %d s" % (name, numbers[name]["lines"], numbers[name]["seconds"]), flush=True)
    rows = ['  "%s": %s' % (name, json.dumps(numbers[name])) for name in every if name in numbers]
    with open(KEPT, "w", encoding="utf-8") as stream:
        stream.write("{\n" + ",\n".join(rows) + "\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(renew(sys.argv[2:]) if sys.argv[1] == "--renew" else check(sys.argv[1]))
