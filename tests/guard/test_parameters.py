"""Every parameter of wetsolver and filmsolver has a line in tests/data/parameters.txt: tests of tests/physics that set it, or
why it needs none. So a parameter that is added needs a check through the node."""
import os
import re
import subprocess
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def table():
    rows = {}
    with open(os.path.join(top, "tests", "data", "parameters.txt"), encoding="utf-8") as stream:
        for line in stream:
            line = line.split("#")[0].strip() if line.startswith("#") else line.strip()
            if not line:
                continue
            name, _, tests = line.partition(": ")
            assert name not in rows, "parameters.txt has two lines for " + name
            rows[name] = tests.strip()
    return rows


def of_node(node):
    """Names of a node's parameters, as the program tells them."""
    done = subprocess.run([os.environ["RIVULET"], "nodes", node], capture_output=True, text=True, check=True)
    listed = done.stdout.split("\nOutputs\n")[1]
    return re.findall(r"^  ([a-z][a-z0-9]*) +(?:button|int|float|toggle|menu|string|ramp)\b", listed, re.M)


def problems(rows, names):
    """What is wrong with the lines, for a set of parameters."""
    found = [name + " has no line in tests/data/parameters.txt" for name in sorted(names - set(rows))]
    found += [name + " is no parameter" for name in sorted(set(rows) - names)]
    for name in sorted(names & set(rows)):
        if rows[name].startswith("- "):
            continue
        if not rows[name]:
            found.append(name + " has neither a test nor a reason")
        for test in rows[name].split():
            path = os.path.join(top, "tests", "physics", "test_%s.py" % test)
            if not os.path.exists(path):
                found.append("%s: there is no %s" % (name, path))
                continue
            with open(path, encoding="utf-8") as stream:
                if not re.search(r"\b%s\b" % name, stream.read()):
                    found.append("%s: test_%s.py does not set it" % (name, test))
    return found


def main():
    names = set(of_node("wetsolver")) | set(of_node("filmsolver"))
    assert len(names) > 70, names
    rows = table()
    # the judgement bites
    assert problems(rows, names | {"newparm"}) and problems(dict(rows, damping="tip_film"), names)
    assert problems(dict(rows, damping="no_such_test"), names) and problems(dict(rows, damping=""), names)
    wrong = problems(rows, names)
    if wrong:
        sys.exit("FAILED: " + "; ".join(wrong))


main()
