"""The unit tests of base, math, geo and parm run as Windows programs: compiled by mingw-w64, run by wine.

Usage: windows.py SOURCE SCRATCH [NAME...]     exit code 77 without gcc-mingw-w64-x86-64, libz-mingw-w64-dev or wine64

OpenVDB, TBB, blosc and LAPACK have no packages for mingw in Debian. The tests link with stand-ins (tests/support/windows);
those that need OpenVDB, or Linux itself, are left out.
"""
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys

GCC = "x86_64-w64-mingw32-gcc"
ZLIB = "/usr/x86_64-w64-mingw32/include/zlib.h"
MODULES = ("base", "math", "geo", "parm")
# test: why it does not run on Windows
LEFT_OUT = {
    "base_file_linux": "links, pipes and mounts of Linux",
    "base_platform_linux": "compares with the functions of Linux",
    "geo_vdb": "OpenVDB",
}
# sources that need OpenVDB
SKIPPED_SOURCES = {"src/geo/io_vdb.c"}


def wine():
    for name in ("wine64", "wine", "/usr/lib/wine/wine64"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def compile_one(job):
    command, output = job
    done = subprocess.run([*command, "-c", "-o", output], capture_output=True, text=True, check=False)
    return output, done.returncode, done.stderr


def jobs(top, scratch):
    """Command line and object of each source; kernels in their base path at 8 and 1 lanes."""
    headers = os.path.join(scratch, "headers")
    os.makedirs(headers, exist_ok=True)
    for name in ("xxhash.h", "xxh3.h", "blosc.h", "blosc-export.h"):
        if os.path.exists("/usr/include/" + name) and not os.path.exists(os.path.join(headers, name)):
            os.symlink("/usr/include/" + name, os.path.join(headers, name))
    shared = ["-O1", "-ffp-contract=off", "-fno-math-errno", "-Wno-psabi", "-D__USE_MINGW_ANSI_STDIO=1", "-DRV_STATIC", "-DXXH_INLINE_ALL",
              '-DRV_TEST_DATA="Z:%s/tests/data"' % top, '-DRV_SOURCE_DIR="Z:%s"' % top,
              "-I", os.path.join(top, "include"), "-I", os.path.join(top, "src"), "-I", os.path.join(top, "tests"),
              "-I", os.path.join(top, "tests/support/windows"), "-isystem", headers]
    sources = [path for module in MODULES for path in glob.glob(os.path.join(top, "src", module, "*.c"))]
    sources += [os.path.join(top, "tests/support", name) for name in ("test_main.c", "detail_compare.c", "hash_inline.c", "windows/stubs.c")]
    for path in sources:
        relative = os.path.relpath(path, top)
        if relative in SKIPPED_SOURCES:
            continue
        name = relative.replace("/", "_")
        widths = (8, 1) if path.endswith("_kernel.c") else (0,)
        for width in widths:
            kernel = ["-DRV_ISA=base", "-DRV_W=%d" % width] if width else []
            yield [GCC, "-std=c17", *shared, *kernel, path], os.path.join(scratch, "%s.%d.o" % (name, width))
    for path in glob.glob(os.path.join(top, "tests/unit/test_*.c")):
        test = os.path.basename(path)[5:-2]
        if test.split("_")[0] in MODULES and test not in LEFT_OUT:
            yield [GCC, "-std=gnu17", *shared, path], os.path.join(scratch, "test." + test + ".o")


def build(top, scratch):
    objects, wrong = [], []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
        for output, code, text in executor.map(compile_one, jobs(top, scratch)):
            objects.append(output)
            if code:
                wrong.append(output + "\n" + text)
    assert not wrong, "\n".join(wrong)[:4000]
    library = [path for path in objects if not os.path.basename(path).startswith("test.")]
    programs = []
    for path in objects:
        if path in library:
            continue
        program = path[:-2] + ".exe"
        done = subprocess.run([GCC, "-static", "-o", program, path, *library, "-lpsapi", "-lz"], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, os.path.basename(program) + "\n" + done.stderr[:4000]
        programs.append(program)
    return sorted(programs)


def main():
    top, scratch = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    if not shutil.which(GCC) or not wine() or not os.path.exists(ZLIB):
        print("mingw-w64, its zlib or wine64 is not installed: skipped")
        return 77
    os.makedirs(scratch, exist_ok=True)
    environment = {**os.environ, "WINEPREFIX": os.path.join(scratch, "wine"), "WINEDEBUG": "-all", "TMPDIR": scratch,
                   "WINEDLLOVERRIDES": "mscoree,mshtml="}
    failed, passed = [], 0
    for program in build(top, scratch):
        name = os.path.basename(program)[5:-4]
        if sys.argv[3:] and name not in sys.argv[3:]:
            continue
        done = subprocess.run([wine(), program], env=environment, cwd=scratch, capture_output=True, text=True, timeout=1200,
                              check=False, errors="replace")
        lines = done.stdout.split("\n")
        passed += sum(line.startswith("ok ") for line in lines)
        print("%s: %s" % (name, [line.strip() for line in lines if "tests pass" in line] or "died, code %d" % done.returncode))
        if done.returncode:
            failed.append(name)
            print(done.stdout[-2000:], done.stderr[-2000:])
    print("%d tests pass on Windows (wine); failed programs: %s" % (passed, failed or "none"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
