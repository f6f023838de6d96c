"""Seeded faults: each line of the list changes one place of the source, after which the named checks must fail.

  mutate.py --list             the faults, and whether each still finds its place
  mutate.py SOURCE BUILD [NAME...]   copies SOURCE to BUILD/mutated, builds there, and tries the faults

A fault is a block of the file mutations.txt:
  name: what is broken
  file: src/...
  find: text that occurs once in the file
  put: what stands there instead
  fails: checks of `rivulet check` that must then fail, each of them
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def read():
    faults, one = [], {}
    with open(os.path.join(HERE, "mutations.txt"), encoding="utf-8") as stream:
        for line in list(stream) + ["\n"]:
            line = line.rstrip("\n")
            if line.startswith("#"):
                continue
            if not line.strip():
                if one:
                    faults.append(one)
                one = {}
                continue
            key, _, value = line.partition(": ")
            one[key] = value.replace("\\n", "\n")
    return faults


def places(top, fault):
    with open(os.path.join(top, fault["file"]), encoding="utf-8") as stream:
        return stream.read().count(fault["find"])


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def build(tree):
    return run(["cmake", "--build", os.path.join(tree, "build"), "--target", "rivulet"], tree)


def prepare(top, tree):
    if os.path.exists(tree):
        shutil.rmtree(tree)
    os.makedirs(tree)
    for name in ("CMakeLists.txt", "src", "include", "tests", "plugin"):
        source = os.path.join(top, name)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, os.path.join(tree, name))
    done = run(["cmake", "-S", tree, "-B", os.path.join(tree, "build"), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                "-DRV_TESTS=OFF", "-DRV_WERROR=OFF"], tree)
    return done if done.returncode else build(tree)


def attempt(tree, fault):
    """None if the checks notice the fault, else what is wrong."""
    path = os.path.join(tree, fault["file"])
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text.replace(fault["find"], fault["put"]))
    try:
        done = build(tree)
        if done.returncode:
            return "does not build:\n" + done.stdout[-2000:]
        missed = []
        for check in fault["fails"].split():
            if run([os.path.join(tree, "build", "rivulet"), "check", check], tree).returncode == 0:
                missed.append(check)
        return "not noticed by " + " ".join(missed) if missed else None
    finally:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)


def main():
    faults = read()
    if sys.argv[1:2] == ["--list"]:
        top = os.environ.get("RV_SOURCE_DIR") or os.path.join(HERE, "..", "..")
        wrong = 0
        for fault in faults:
            found = places(top, fault)
            wrong += found != 1
            print("%-4s %-28s %s (%s)" % ("ok" if found == 1 else found, fault["name"], fault["file"], fault["fails"]))
        return 1 if wrong else 0
    top, tree, names = sys.argv[1], os.path.join(sys.argv[2], "mutated"), sys.argv[3:]
    done = prepare(top, tree)
    if done.returncode:
        print(done.stdout[-4000:])
        return 1
    failed = 0
    for fault in faults:
        if names and fault["name"] not in names:
            continue
        said = attempt(tree, fault)
        failed += said is not None
        print("%-4s %-28s %s" % ("FAIL" if said else "ok", fault["name"], said or "noticed by " + fault["fails"]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
