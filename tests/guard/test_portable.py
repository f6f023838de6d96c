"""The C of the library, of the program and of the plug-in compiles for Windows and for 64-bit ARM.

Only the syntax is checked (clang -fsyntax-only, warnings are errors): with the headers of Debian's mingw for Windows and
of its cross C library for ARM. docs/building.md says what was run there and what was only compiled. Exit code 77, a
skipped test, if no headers are installed.

  test_portable.py [windows|arm64] [FILE...]
"""
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

top = os.path.realpath(os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", ".."))
build = os.environ.get("RV_BUILD_DIR") or os.path.join(top, "build", "release")

# target of clang, folder of its C headers, options
SYSTEMS = {
    "windows": ("x86_64-w64-mingw32", "/usr/x86_64-w64-mingw32/include", ["-D__USE_MINGW_ANSI_STDIO=1"]),
    "arm64": ("aarch64-linux-gnu", "/usr/aarch64-linux-gnu/include", []),
}
# Headers of the libraries that the C code uses. They are linked into a folder of their own: /usr/include as a whole would
# hide the headers of the other system.
LIBRARIES = ("jansson.h jansson_config.h xxhash.h xxh3.h blosc.h blosc-export.h zlib.h zconf.h png.h pngconf.h pnglibconf.h "
             "libpng16 embree3 OpenEXR").split()
PLACES = ("/usr/include", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu")
# What must not compile, so that a test that checks nothing is noticed.
SEEDED = {
    "windows": "#include <unistd.h>\n#include <sys/mman.h>\nint f(void) { return munmap(0, 0) + (int)fork(); }\n",
    "arm64": "#include <immintrin.h>\n__m256d f(__m256d x) { return _mm256_add_pd(x, x); }\n",
}


def library_headers(folder):
    for name in LIBRARIES:
        found = [os.path.join(place, name) for place in PLACES if os.path.exists(os.path.join(place, name))]
        if found:
            os.symlink(found[0], os.path.join(folder, name))


def sources():
    """(path, definitions) of each C source of the product; a kernel in its base path, at 8 lanes and at 1."""
    seen = set()
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as stream:
        for entry in json.load(stream):
            path = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
            parts = os.path.relpath(path, top).split(os.sep)
            if parts[0] not in ("src", "plugin") or not path.endswith(".c"):
                continue
            words = shlex.split(entry["command"])
            defines = [word for word in words if word.startswith("-DRV_")]
            if "-DRV_ISA=avx2" in defines or "-DRV_ISA=avx512" in defines:
                continue
            seen.add((path, tuple(defines)))
    return sorted(seen)


def compile_one(system, headers, path, defines):
    target, folder, options = SYSTEMS[system]
    command = ["clang", "--target=" + target, "-fsyntax-only", "-std=c17", "-O1", "-Wall", "-Wextra", "-Werror",
               "-Wno-psabi", "-Wno-pass-failed", "-ffp-contract=off", "-DNDEBUG", "-isystem", folder,
               "-isystem", headers, "-I", os.path.join(top, "include"), "-I", os.path.join(top, "src")]
    run = subprocess.run(command + options + list(defines) + [path], capture_output=True, text=True, check=False)
    return path, run.returncode, run.stderr


def check(system, headers, files, executor):
    """Files that fail, with what the compiler said."""
    jobs = [executor.submit(compile_one, system, headers, path, defines) for path, defines in files]
    return [(path, text) for path, code, text in (job.result() for job in jobs) if code]


def main():
    wanted = [word for word in sys.argv[1:] if word in SYSTEMS] or list(SYSTEMS)
    chosen = [os.path.realpath(word) for word in sys.argv[1:] if word not in SYSTEMS]
    present = [system for system in wanted if os.path.exists(os.path.join(SYSTEMS[system][1], "stdio.h"))]
    if not present or not shutil.which("clang"):
        print("no headers of another system are installed: mingw-w64-x86-64-dev, libc6-dev-arm64-cross")
        return 77
    files = [(path, defines) for path, defines in sources() if not chosen or path in chosen]
    assert chosen or len(files) > 400, "sources are missing: configure first"
    status = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
        headers = os.path.join(scratch, "headers")
        os.mkdir(headers)
        library_headers(headers)
        for system in present:
            seeded = os.path.join(scratch, system + ".c")
            with open(seeded, "w", encoding="utf-8") as stream:
                stream.write(SEEDED[system])
            assert check(system, headers, [(seeded, ())], executor), "%s: the seeded fault compiles" % system
            wrong = check(system, headers, files, executor)
            for path, text in wrong:
                print(text)
            print("%s: %d of %d files compile" % (system, len(files) - len(wrong), len(files)))
            status |= bool(wrong)
    return status


if __name__ == "__main__":
    sys.exit(main())
