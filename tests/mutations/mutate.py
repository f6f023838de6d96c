"""Seeded faults: each entry of the list changes one place of the source, after which the named checks must fail.

  mutate.py --list                           the faults, and whether each still finds its place
  mutate.py [--quick] SOURCE BUILD [NAME...] tries all faults, those marked quick, or those named

BUILD is a finished build of SOURCE (Ninja). A fault does not touch either of them: the changed file is written into a
scratch folder, the objects that depend on it are compiled there with their own command lines, and the program is linked
with these objects in front of the libraries, so that the linker never looks for the originals.

A check that fails anyway would prove nothing. So each check must pass with the program as it is, and a fault that
changes nothing, built in the same way, must not be noticed.

A fault is a block of the file mutations.txt:
  name: what is broken
  file: src/...
  find: text that occurs once in the file
  put: what stands there instead
  fails: checks of `rivulet check`, and tests such as node/test_solver_scaffold, that must then fail, each of them;
         physics/NAME is tests/physics/test_NAME.py, and host/test_NAME may be a script too; host/test_NAME:TEST is one
         test of a compiled file alone, or a script with the arguments TEST, which commas part
  quick: yes      its checks take less than two seconds and its file compiles fast: ./test tries it every time
  tree: yes       its tests read the source when they run (build files, assets, the plug-in): they are run as they are on a
                  copy of the source with the fault in it, named by RV_SOURCE_DIR
"""
import argparse
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = {"name", "file", "find", "put", "fails", "quick", "tree"}
OPTIONAL = {"quick", "tree"}
# the longest check takes less than a minute without a fault; one that never ends has not noticed anything
CHECK_SECONDS = 600


def read(path=os.path.join(HERE, "mutations.txt")):
    """The faults of the list, in its order."""
    faults, one = [], {}
    with open(path, encoding="utf-8") as stream:
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
            if key in one:
                raise SystemExit("%s: %s stands twice in a fault; is the blank line after it missing?" % (one.get("name"), key))
            one[key] = value.replace("\\n", "\n")
    return faults


def places(top, fault):
    """How often the text of a fault occurs in its file: 1 is right. A file that is not there has it not at all."""
    if not os.path.exists(os.path.join(top, fault["file"])):
        return 0
    with open(os.path.join(top, fault["file"]), encoding="utf-8") as stream:
        return stream.read().count(fault["find"])


def run(command, folder, **options):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          **options)


def script_of(check):
    """The script of a test that is one; None for checks and for tests in C."""
    folder, _, name = check.partition(":")[0].partition("/")
    path = os.path.join(HERE, "..", folder, name if name.startswith("test_") else "test_" + name)
    endings = [end for end in (".py", ".sh") if os.path.exists(path + end)]
    return path + endings[0] if folder in ("physics", "host", "guard") and endings else None


def command_of(check):
    """How the script of a test is run, with its arguments."""
    script, arguments = script_of(check), check.partition(":")[2]
    return ["/usr/bin/python3" if script.endswith(".py") else "bash", script, *arguments.split("," if arguments else None)]


def program_of(check):
    """The target that a check or a test runs: checks and scripts run the program, other tests have names of folder and file."""
    name = check.partition(":")[0]
    return "tests/" + name.replace("/", "_") if "/" in check and not script_of(check) else "rivulet"


class Program:
    """How a program is linked, and the objects that it is made of: its own, and those of its libraries."""

    def __init__(self, build, target):
        link = build.ninja("commands", target).splitlines()[-1]
        self.link = [word for word in shlex.split(link) if word not in (":", "&&")]
        self.archives = {word for word in self.link if word.endswith(".a")}
        self.members = {word for word in self.link if word.endswith(".o")}
        for archive in self.archives:
            command = build.ninja("commands", archive).splitlines()[-1]
            self.members.update(word for word in shlex.split(command) if word.endswith(".o"))


class Build:
    """A finished build: which objects depend on a file, how each is compiled, how its programs are linked."""

    def __init__(self, top, folder):
        self.top, self.folder = os.path.realpath(top), os.path.realpath(folder)
        # what CTest gives the tests of the host
        os.environ.setdefault("RV_FAIL_NTH", os.path.join(self.folder, "tests", "libfail_nth.so"))
        self.commands = {}
        with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as stream:
            for entry in json.load(stream):
                words = shlex.split(entry["command"])
                self.commands[words[words.index("-o") + 1]] = words
        self.depends = self.read_depends()

    def ninja(self, tool, *words):
        done = run(["ninja", "-t", tool, *words], self.folder)
        if done.returncode:
            raise SystemExit("ninja -t %s: %s" % (tool, done.stdout[-1000:]))
        return done.stdout

    def read_depends(self):
        """Object -> the files it was compiled from, as the compiler told them to Ninja."""
        depends, current = {}, None
        for line in self.ninja("deps").splitlines():
            if line.startswith("    ") and current:
                depends[current].add(os.path.realpath(os.path.join(self.folder, line.strip())))
            elif ":" in line:
                current = line.split(":")[0]
                depends[current] = set()
        return depends

    def objects(self, program, file):
        """The objects of a program that are compiled from a file or include it."""
        path = os.path.join(self.top, file)
        return sorted(name for name in program.members if path in self.depends.get(name, ()))

    def compile(self, name, file, overlay, out):
        """Compiles an object with the changed file in place of the original; None, or what the compiler said."""
        words, original = list(self.commands[name]), os.path.join(self.top, file)
        words[words.index("-o") + 1] = out
        words = [os.path.join(overlay, file) if word == original else word for word in words]
        # includes name the module, so a changed header is found before the original by the order of the folders
        at = next(k for k, word in enumerate(words) if word.startswith("-I"))
        words[at:at] = ["-I" + os.path.join(overlay, folder) for folder in ("include", "src", "plugin")]
        done = run(words + ["-w"], self.folder)
        return done.stdout[-2000:] if done.returncode else None

    def make(self, fault, target, folder):
        """Builds a program with a fault into a folder; its path and None, or None and what went wrong."""
        program = Program(self, target)
        overlay = os.path.join(folder, "overlay")
        path = os.path.join(overlay, fault["file"])
        os.makedirs(os.path.dirname(path))
        with open(os.path.join(self.top, fault["file"]), encoding="utf-8") as stream:
            text = stream.read()
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text.replace(fault["find"], fault["put"]))
        changed = {}
        for name in self.objects(program, fault["file"]):
            changed[name] = os.path.join(folder, "%d.o" % len(changed))
            said = self.compile(name, fault["file"], overlay, changed[name])
            if said:
                return None, "does not build:\n" + said
        if not changed:
            return None, "no object of the program is compiled from " + fault["file"]
        out = os.path.join(folder, "program")
        words = [changed.pop(word, word) for word in program.link]
        words[words.index("-o") + 1] = out
        first = next(k for k, word in enumerate(words) if word in program.archives)
        words[first:first] = changed.values()
        done = run(words, self.folder)
        return (None, "does not link:\n" + done.stdout[-2000:]) if done.returncode else (out, None)


def fails(program, check, folder):
    """Whether a check fails, which takes that it ends; and why it would not count."""
    command, environment = [program] if "/" in check else [program, "check", check], dict(os.environ)
    if script_of(check):
        command = command_of(check)
        environment["RIVULET"] = program
        environment.setdefault("RIVULET_TESTHOST", program)
    elif ":" in check:
        environment["RV_TEST_FILTER"] = check.partition(":")[2]
    try:
        done = run(command, folder, timeout=CHECK_SECONDS, env=environment)
    except subprocess.TimeoutExpired:
        return False, "%s did not end in %d s" % (check, CHECK_SECONDS)
    # 77: a test that was skipped has noticed nothing
    return done.returncode not in (0, 77), "not noticed by " + check


def copy_tree(top, fault, folder):
    """A copy of the source with a fault in it; files are hard links where the file system allows it."""
    def link(source, target):
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)

    def made(where, names):
        """What is not source: builds and output at the top, and Python's caches."""
        top_only = {name for name in names if name in (".git", "out") or name.startswith("build")}
        return (top_only if where == top else set()) | ({"__pycache__"} & set(names))

    out = os.path.join(folder, "source")
    shutil.copytree(top, out, copy_function=link, ignore=made)
    path = os.path.join(out, fault["file"])
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    os.unlink(path)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text.replace(fault["find"], fault["put"]))
    return out


def run_script(build, check, top):
    """Whether a test that reads the source fails, and the last of what it says."""
    command = command_of(check) if script_of(check) else [os.path.join(build.folder, program_of(check))]
    environment = dict(os.environ, RV_SOURCE_DIR=top, RV_BUILD_DIR=build.folder, RV_TEST_FILTER=check.partition(":")[2] or "*")
    try:
        done = run(command, build.folder, timeout=CHECK_SECONDS, env=environment)
    except subprocess.TimeoutExpired:
        return False, "%s did not end in %d s" % (check, CHECK_SECONDS)
    return done.returncode != 0, done.stdout[-300:]


def attempt_tree(build, fault):
    """None if each of its scripts notices the fault, and none complains of the source as it is; else what is wrong."""
    wrong = []
    with tempfile.TemporaryDirectory(prefix="rivulet_fault_") as folder:
        copy = copy_tree(build.top, fault, folder)
        for check in fault["fails"].split():
            failed, _ = run_script(build, check, copy)
            if not failed:
                wrong.append("not noticed by " + check)
    return "; ".join(wrong) or None


def attempt(build, fault):
    """None if each of its checks notices the fault, else what is wrong."""
    if places(build.top, fault) != 1:
        return "its text does not occur once in " + fault["file"]
    if "tree" in fault:
        return attempt_tree(build, fault)
    checks, missed = fault["fails"].split(), []
    for target in sorted({program_of(check) for check in checks}):
        with tempfile.TemporaryDirectory(prefix="rivulet_fault_") as folder:
            program, said = build.make(fault, target, folder)
            if said:
                return said
            tried = (fails(program, check, folder) for check in checks if program_of(check) == target)
            missed += [why for noticed, why in tried if not noticed]
    return "; ".join(missed) or None


class Baseline:
    """Checks that passed with the program as it is, each tried once."""

    def __init__(self, build):
        self.build, self.lock, self.known, self.seconds = build, threading.Lock(), {}, {}

    def broken(self, checks, tree=False):
        """The first of the checks that fails without a fault."""
        for check in checks:
            with self.lock:
                mine = self.known.setdefault(check, threading.Lock())
            with mine:
                if check not in self.seconds:
                    start = time.monotonic()
                    if tree:
                        bad, _ = run_script(self.build, check, self.build.top)
                    else:
                        bad, _ = fails(os.path.join(self.build.folder, program_of(check)), check, self.build.folder)
                    self.seconds[check] = None if bad else time.monotonic() - start
            if self.seconds[check] is None:
                return check
        return None


def control(build, fault):
    """Builds the program with a fault that changes nothing. None if no check notices it, else what is wrong."""
    said = attempt(build, dict(fault, put=fault["find"]))
    expected = "; ".join("not noticed by " + check for check in fault["fails"].split())
    return None if said == expected else "a fault that changes nothing: " + (said or "its checks fail")


def try_all(build, faults, jobs):
    """Tries the faults, as many at a time as there are jobs; the number that went unnoticed."""
    baseline, failed, start = Baseline(build), 0, time.monotonic()
    said = control(build, next((fault for fault in faults if "quick" in fault), faults[0]))
    if said:
        print("FAIL " + said)
        return 1

    def one(fault):
        began = time.monotonic()
        broken = baseline.broken(fault["fails"].split(), "tree" in fault)
        said = "%s fails without a fault" % broken if broken else attempt(build, fault)
        return fault, said, time.monotonic() - began

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for fault, said, seconds in pool.map(one, faults):
            failed += said is not None
            print("%-4s %-28s %5.1f s  %s" % ("FAIL" if said else "ok", fault["name"], seconds,
                                              said or "noticed by " + fault["fails"]), flush=True)
    print("%d of %d faults noticed, %.0f s" % (len(faults) - failed, len(faults), time.monotonic() - start))
    return failed


def list_faults(faults):
    """Prints whether each fault finds its place; the number that do not."""
    top = os.environ.get("RV_SOURCE_DIR") or os.path.join(HERE, "..", "..")
    wrong = 0
    for fault in faults:
        found = places(top, fault)
        wrong += found != 1
        print("%-4s %-28s %s (%s)" % ("ok" if found == 1 else found, fault["name"], fault["file"], fault["fails"]))
    return wrong


def main():
    parser = argparse.ArgumentParser(description="seeded faults, each of which must fail its checks")
    parser.add_argument("--list", action="store_true", help="only say whether each fault finds its place")
    parser.add_argument("--quick", action="store_true", help="only the faults marked quick")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("source", nargs="?")
    parser.add_argument("build", nargs="?")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    faults = read()
    if options.list:
        return 1 if list_faults(faults) else 0
    unknown = set(options.names) - {fault["name"] for fault in faults}
    if not options.build or unknown:
        parser.error("no fault is called " + " ".join(sorted(unknown)) if unknown else "SOURCE and BUILD are needed")
    chosen = [fault for fault in faults if not options.names or fault["name"] in options.names]
    if options.quick:
        chosen = [fault for fault in chosen if fault.get("quick") == "yes"]
    if not chosen:
        parser.error("there is no such fault")
    return 1 if try_all(Build(options.source, options.build), chosen, options.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
