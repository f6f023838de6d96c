"""The glossary has its terms once and in order, and every name in its last column exists in the sources or the manual."""
import os
import re
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")


def all_words():
    """Every word of the sources, the public headers, and the generated manual."""
    words = set()
    for root in ("src", "include", os.path.join("docs", "nodes")):
        for folder, _, names in os.walk(os.path.join(top, root)):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as stream:
                    words.update(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", stream.read()))
    return words


def main():
    with open(os.path.join(top, "docs", "glossary.md"), encoding="utf-8") as stream:
        rows = [line.strip().strip("|").split(" | ") for line in stream if line.startswith("| **")]
    terms = [row[0].strip().strip("*").lower() for row in rows]
    wrong = ["%s: three columns expected" % row[0] for row in rows if len(row) != 3]
    wrong += ["%s: twice" % term for term in set(terms) if terms.count(term) > 1]
    if terms != sorted(terms):
        wrong.append("the terms are not in alphabetical order")
    words = all_words()
    for row in rows:
        for name in re.findall(r"`([^`]+)`", row[-1]):
            # a file, a command of the program, or identifiers joined by dots
            if os.path.exists(os.path.join(top, name)) or os.path.exists(os.path.join(top, "include", name)):
                continue
            missing = [part for part in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", name) if part not in words and part != "TYPE"]
            wrong += ["%s: '%s' of `%s` is not in src, include or docs/nodes" % (row[0], part, name) for part in missing]
    assert len(rows) > 100, "no terms found"
    print("\n".join(wrong) or "%d terms" % len(rows))
    return 1 if wrong else 0


sys.exit(main())
