"""Every capability WH-1 to WH-48 of the specification is named by a check of `rivulet check`."""
import os
import re
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")


def main():
    with open(os.path.join(top, "src", "check", "checks.def"), encoding="utf-8") as stream:
        rows = re.findall(r'^RV_CHECK\((\w+), "([^"]*)"', stream.read(), re.M)
    named = {word for _, spec in rows for word in spec.split()}
    missing = ["WH-%d" % k for k in range(1, 49) if "WH-%d" % k not in named]
    print("no check names " + " ".join(missing) if missing else "WH-1 to WH-48 by %d checks" % len(rows))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
