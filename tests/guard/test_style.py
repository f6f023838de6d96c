"""Small and clear: one idea a file, no tabs, no trailing blanks, no weak symbols."""
import os
import re
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")
LIMIT = 700


def sources():
    for root in ("src", "include", "plugin", "tests", "python_shim"):
        for folder, _, names in os.walk(os.path.join(top, root)):
            if os.sep + "data" in folder or os.sep + "corpus" in folder or os.sep + "regressions" in folder:
                continue
            for name in names:
                if name.endswith((".c", ".h", ".cpp", ".def", ".py", ".sh")):
                    yield os.path.join(folder, name)


def main():
    wrong = []
    for path in sources():
        with open(path, encoding="utf-8") as stream:
            lines = stream.read().split("\n")
        if len(lines) > LIMIT:
            wrong.append(f"{path}: {len(lines)} lines, more than {LIMIT}: one idea a file")
        for number, line in enumerate(lines, 1):
            if "\t" in line:
                wrong.append(f"{path}:{number}: tab")
            # a file that drops out of the link must be an error there, not "not built in" at run time
            if path.endswith((".c", ".h", ".cpp")) and re.search(r"#\s*pragma\s+weak|_Pragma\s*\(\s*\"weak|__weak__", line):
                wrong.append(f"{path}:{number}: weak symbol")
            if line != line.rstrip():
                wrong.append(f"{path}:{number}: trailing blank")
    print("\n".join(wrong) or "clean")
    return 1 if wrong else 0


sys.exit(main())
