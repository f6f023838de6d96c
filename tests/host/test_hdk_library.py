"""The plug-in, linked over the mock of the HDK with the options of the real one: it shows its hooks and nothing of the core or
of the libraries that are compiled in, and needs no library that Houdini has not. No Houdini is in it."""
import os
import re
import subprocess
import sys

PLUGIN = os.environ.get("RV_HOUDINI_MOCK", "")
# what Houdini's own process has; libImath is in its libraries under another name
HOUDINI_HAS = {"libopenvdb", "libtbb", "libImath-3_1", "libblosc", "libz"}
SYSTEM_HAS = {"libstdc++", "libm", "libgcc_s", "libc", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"}
HOOKS = {"newSopOperator", "initializeSIM"}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    if not os.path.exists(PLUGIN):
        print("there is no plug-in over the mock in this build")
        return 77
    needed = {re.sub(r"\.so.*", "", name) for name in re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", PLUGIN))}
    wrong = ["it needs " + name for name in sorted(needed - HOUDINI_HAS - SYSTEM_HAS)]
    wrong += ["it does not use Houdini's " + name for name in sorted({"libblosc", "libz", "libopenvdb", "libtbb"} - needed)]
    shown = [line.split() for line in run("nm", "-D", "--defined-only", PLUGIN).splitlines()]
    plain = {words[-1] for words in shown if not words[-1].startswith("_")}
    wrong += ["it shows " + name for name in sorted(plain - HOOKS)]
    wrong += ["it does not show " + name for name in sorted(HOOKS - plain)]
    # weak symbols of templates and inline functions are one with Houdini's; others would be ours
    strong = [words[-1] for words in shown if words[-2] not in "WVwvu" and words[-1].startswith("_")]
    strong = [name for name in strong if not re.match(r"_(init|fini|edata|end|_bss_start)$", name)]
    wrong += ["it shows " + name for name in strong]
    # what is looked for elsewhere is not of a library that Houdini has not
    for line in run("nm", "-D", "--undefined-only", PLUGIN).splitlines():
        if re.match(r"(json_|XXH|png_|rtc)", line.split()[-1]):
            wrong.append("it looks for " + line.split()[-1])
    print("\n".join(wrong[:40]) or "%d symbols, %d of them hooks; needs %s" % (len(shown), len(HOOKS), " ".join(sorted(needed))))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
