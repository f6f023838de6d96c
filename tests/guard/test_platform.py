"""What is not C17 stands in src/base/platform*: no other file includes a header of the system, asks which system it is,
or calls a function that C17 does not have.

Headers and macros are read from the sources, calls from the objects, where no macro hides them.
"""
import json
import os
import re
import shlex
import subprocess
import sys

top = os.path.realpath(os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", ".."))
build = os.environ.get("RV_BUILD_DIR") or os.path.join(top, "build", "release")

C_HEADERS = set("""assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
  stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath time uchar wchar wctype""".split())
# C17 has them, but not every system: <threads.h> of macOS and Windows is missing
LIBRARY_HEADERS = {"jansson.h", "xxhash.h", "blosc.h", "zlib.h", "png.h", "OpenEXR/openexr.h", "embree3/rtcore.h", "immintrin.h"}
# C++ stands on its standard library, OpenVDB, TBB and Houdini
CPP_HEADERS = re.compile(r"(c?[a-z_]+|(openvdb|tbb)/\S+|(CH|GA|GEO|GU|OP|PRM|SIM|SOP|UT)/\S+)$")
SYSTEM_MACROS = re.compile(r"\b(_GNU_SOURCE|_POSIX_C_SOURCE|_XOPEN_SOURCE|_DEFAULT_SOURCE|__linux__|__APPLE__|_WIN32|__unix__|"
                           r"__GLIBC__|__MINGW32__|_MSC_VER)\b|\bextern\s+char\s*\*\*\s*environ\b")
# functions of C17's library that its objects may ask for
C_FUNCTIONS = set("""
  isalnum isalpha isdigit isspace isxdigit islower isupper tolower toupper
  acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p log2
  logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round
  lround llround trunc fmod remainder remquo copysign nan nextafter fdim fmax fmin fma
  setlocale localeconv setjmp longjmp signal raise
  atomic_flag_test_and_set atomic_flag_clear
  remove rename tmpfile tmpnam fclose fflush fopen freopen setbuf setvbuf fprintf fscanf printf scanf snprintf sprintf sscanf
  vfprintf vprintf vscanf vsnprintf vsprintf vsscanf fgetc fgets fputc fputs getc getchar putc putchar puts ungetc fread
  fwrite fgetpos fseek fsetpos ftell rewind clearerr feof ferror perror stdin stdout stderr
  atof atoi atol atoll strtod strtof strtold strtol strtoll strtoul strtoull rand srand aligned_alloc calloc free malloc
  realloc abort atexit at_quick_exit exit _Exit getenv quick_exit system bsearch qsort abs labs llabs div ldiv lldiv
  memcpy memmove strcpy strncpy strcat strncat memcmp strcmp strcoll strncmp strxfrm memchr strchr strcspn strpbrk strrchr
  strspn strstr strtok memset strerror strlen clock difftime mktime time asctime ctime gmtime localtime strftime""".split())
# functions of our libraries, and of compilers: gcc makes sincos of sin and cos, stpcpy of sprintf
OTHER_FUNCTIONS = re.compile(r"(rv_\w+|json_\w+|jansson_\w+|XXH\w+|blosc_\w+|(in|de)flate\w*|crc32|png_\w+|exr_\w+|rtc\w+|sincosf?|stpcpy|"
                             r"__(errno_location|ctype_\w+|isoc99_\w+|stack_chk_fail|popcountdi2|tls_get_addr|cpu_\w+|"
                             r"\w+_chk|assert_fail|asan\w*|tsan\w*|ubsan\w*|sanitizer\w*|sancov\w*)|_setjmp|_GLOBAL_OFFSET_TABLE_)$")


def is_platform(path):
    return os.path.basename(path).startswith("platform") and os.path.basename(os.path.dirname(path)) == "base"


def header_allowed(name, is_cpp):
    if name in LIBRARY_HEADERS or (name.endswith(".h") and name[:-2] in C_HEADERS):
        return True
    return is_cpp and CPP_HEADERS.match(name) is not None


def read_source(text, is_cpp):
    """What is wrong with a source, a line each."""
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(r"\s*#\s*include\s*<([^>]+)>", line)
        if header and not header_allowed(header.group(1), is_cpp):
            yield number, "<%s> is no header of C17; base/platform.h has what it is for" % header.group(1)
        macro = SYSTEM_MACROS.search(line)
        if macro:
            yield number, "%s stands in src/base/platform* only" % macro.group(0)


def call_allowed(name):
    plain = name[:-1] if name.endswith("f") and name[:-1] in C_FUNCTIONS else name
    return plain in C_FUNCTIONS or OTHER_FUNCTIONS.match(name) is not None


def objects():
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as stream:
        for entry in json.load(stream):
            words = shlex.split(entry["command"])
            source = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
            path = os.path.join(entry["directory"], words[words.index("-o") + 1])
            parts = os.path.relpath(source, top).split(os.sep)
            if parts[0] == "src" and source.endswith(".c") and not is_platform(source) and os.path.exists(path):
                yield path, os.path.relpath(source, top)


def check_sources():
    wrong, count = [], 0
    for root in ("src", "include", "plugin"):
        for folder, _, names in os.walk(os.path.join(top, root)):
            for name in names:
                path = os.path.join(folder, name)
                if not name.endswith((".c", ".h", ".cpp", ".hpp", ".def")) or is_platform(path):
                    continue
                count += 1
                with open(path, encoding="utf-8") as stream:
                    is_cpp = name.endswith((".cpp", ".hpp")) or root == "plugin" or name == "shim.h"
                    wrong += ["%s:%d: %s" % (os.path.relpath(path, top), number, text)
                              for number, text in read_source(stream.read(), is_cpp)]
    return wrong, count


def check_objects():
    source_of = dict(objects())
    listed = subprocess.run(["nm", "-A", "-u", *source_of], capture_output=True, text=True, check=True).stdout
    wrong = {"%s: %s is no function of C17; base/platform.h has one for it" % (source_of[path], name)
             for path, name in re.findall(r"^(.*?):\s+[Uw] (\w+)", listed, re.M) if not call_allowed(name)}
    return sorted(wrong), len(source_of)


def main():
    # the rules bite
    faults = ("#include <unistd.h>", "#include <threads.h>", "#define _GNU_SOURCE", "#if defined(__linux__)", "extern char** environ;")
    assert all(list(read_source(text, False)) for text in faults) and list(read_source("#include <sys/stat.h>", True))
    assert not list(read_source("#include <string.h>", False)) and not list(read_source("#include <cstring>", True))
    assert not any(call_allowed(name) for name in ("strsep", "qsort_r", "open", "fileno", "pthread_mutex_lock", "fsync", "fseeko"))
    assert call_allowed("fmaxf") and call_allowed("qsort") and call_allowed("rv_alloc")
    wrong, files = check_sources()
    calls, compiled = check_objects()
    assert files > 500 and compiled > 400, "sources or objects are missing: build first"
    print("\n".join(wrong + calls) or "%d sources and %d objects have what C17 has" % (files, compiled))
    return 1 if wrong or calls else 0


if __name__ == "__main__":
    sys.exit(main())
