"""Out of memory is a result, never a value that looks like an answer (docs/reliability.md).

- A function of the shim's headers returns RvResult, unless it is listed here with the reason why it cannot fail or how
  its value tells the failure.
- `catch (...)` in the shim stands only where it is listed.
- The result of an allocation is used: no statement is a bare call, and no function returns nothing because an
  allocation failed.
"""
import glob
import os
import re
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")

# Functions without RvResult: why they cannot fail, or what tells the failure.
WITHOUT_RESULT = {
    "rv_grid_retain": "counts", "rv_grid_release": "frees", "rv_grid_native": "an address",
    "rv_grid_type": "kept in the handle", "rv_grid_class": "kept in the handle", "rv_grid_name": "kept in the handle",
    "rv_grid_voxel_size": "reads a number", "rv_grid_background": "reads a number", "rv_grid_get": "reads a number",
    "rv_grid_bytes": "an estimate where it cannot be counted; decides what is evicted, never a result",
    "rv_grid_bounds": "walks the tree without memory", "rv_grid_leaf_count": "walks the tree without memory",
    "rv_grid_each_leaf": "walks the tree without memory", "rv_grid_hash": "0 is no hash: out of memory",
    "rv_tbb_run": "the caller does what threads did not", "rv_tbb_cores": "1 is always right",
    "rv_reserve_renew": "false: out of memory",
    # steps of the walk over a VDB file: false or NULL, and the walk has the result and the error
    **{"rv_vdb_" + step: "the walk has the result" for step in (
        "damaged", "no_memory", "memory", "take", "number", "text", "metadata", "blosc", "block", "points")},
    "rv_vdb_text_is": "compares texts", "rv_vdb_walks_type": "compares texts",
    "rv_number_parse_f32": "does not allocate", "rv_number_parse_f64": "does not allocate",
    "rv_number_print_f32": "does not allocate", "rv_number_print_f64": "does not allocate",
}
# Number of `catch (...)` in the files of the shim that have some.
CATCHES = {
    "vdb.hpp": 1,          # the macro that ends a body: an exception becomes a result
    "shim.h": 1,           # the same
    "tbb.cpp": 2,          # the loop is done by the caller; one core
    "vdb_grid.cpp": 1,     # rv_grid_bytes
    "vdb_scan.cpp": 2,     # sizes of types: a value that the walk turns into an error
    "vdb_voxels.cpp": 1,   # rv_grid_hash
    "vdb_spheres.cpp": 1,  # a flag of the block, which the caller turns into an error
}
ALLOCATION = r"(?:rv_alloc|rv_alloc_zero|rv_realloc|rv_strdup|rv_strf|RV_TAKE|rv_arena_take|rv_detail_copy|rv_detail_new)"
BARE = re.compile(r"(?<=[;{}]\n)\s*(?:rv_array_push|rv_array_resize|rv_array_reserve|rv_renew)\(", re.M)
SILENT = re.compile(r"(\w+(?:->\w+|\.\w+)*) = " + ALLOCATION + r"\([^;]*;\n\s*if \(!\1(?: \|\| [^;]*)?\) return;")


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def check_headers(wrong):
    seen = set()
    for path in [os.path.join(top, "include", "rivulet", "vdb.h"), *glob.glob(os.path.join(top, "src", "shim", "*.h"))]:
        for kind, name in re.findall(r"^(?:RV_API )?(\w[\w ]*?[\s*]+)(rv_\w+)\(", read(path), re.M):
            if kind.strip() != "RvResult":
                seen.add(name)
                if name not in WITHOUT_RESULT:
                    wrong.append(f"{path}: {name} can fail and returns '{kind.strip()}': return RvResult, or say in this "
                                 "test why it cannot fail")
    for name in sorted(set(WITHOUT_RESULT) - seen):
        wrong.append(f"{name} is listed in this test and is not in the headers of the shim")


def check_catches(wrong):
    for path in sorted(glob.glob(os.path.join(top, "src", "shim", "*"))):
        name = os.path.basename(path)
        found = read(path).count("catch (...)")
        if found != CATCHES.get(name, 0):
            wrong.append(f"{path}: {found} `catch (...)` instead of {CATCHES.get(name, 0)}: an exception must become a result")


def check_allocations(wrong):
    for path in sorted(glob.glob(os.path.join(top, "src", "*", "**", "*.c"), recursive=True)):
        text = read(path)
        for pattern, what in ((BARE, "the result of an allocation is not used"),
                              (SILENT, "a failed allocation is not reported")):
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                wrong.append(f"{path}:{line}: {what}")


def main():
    wrong = []
    check_headers(wrong)
    check_catches(wrong)
    check_allocations(wrong)
    print("\n".join(wrong) or "every allocation reports")
    return 1 if wrong else 0


sys.exit(main())
