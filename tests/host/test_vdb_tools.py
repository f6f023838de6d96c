"""Our .vdb files as others read them: pyopenvdb and vdb_print, programs that share no code of ours."""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy
    import pyopenvdb
except ImportError:
    print("pyopenvdb or numpy is missing")
    sys.exit(77)
if not shutil.which("vdb_print"):
    print("vdb_print is missing")
    sys.exit(77)

FLOAT, VEC3 = 0, 1
LEVEL_SET, FOG, STAGGERED = 1, 2, 3


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 1020)]


class Channel(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("size", ctypes.c_int), ("is_int", ctypes.c_bool), ("data", ctypes.c_void_p)]


lib = ctypes.CDLL(os.path.join(os.environ["RV_BUILD_DIR"], "librivulet.so"))
error = Error()


def ok(result):
    assert result == 0, error.text.decode()


def array(values, kind):
    return numpy.ascontiguousarray(values, dtype=kind)


def pointer(values):
    return values.ctypes.data_as(ctypes.c_void_p)


def sphere(name, voxel, radius):
    grid = ctypes.c_void_p()
    centre, radii = array([0, 0, 0], "f4"), array([radius], "f4")
    ok(lib.rv_grid_from_spheres(name, ctypes.c_double(voxel), ctypes.c_double(3), ctypes.c_size_t(1), pointer(centre),
                                pointer(radii), ctypes.byref(grid), ctypes.byref(error)))
    return grid


def velocity(voxel):
    """one block whose value at (x, y, z) is (x, 2 y, -z), staggered"""
    grid = ctypes.c_void_p()
    ok(lib.rv_grid_create(VEC3, b"vel", STAGGERED, ctypes.c_double(voxel), None, ctypes.byref(grid),
                          ctypes.byref(error)))
    x, y, z = numpy.meshgrid(range(8), range(8), range(8), indexing="ij")
    values = array(numpy.stack([x, 2 * y, -z], axis=-1), "f4")
    origin = array([0, 0, 0], "i4")
    ok(lib.rv_grid_set_leaves(grid, ctypes.c_size_t(1), pointer(origin), pointer(values), None, ctypes.byref(error)))
    return grid


def points(count):
    rng = numpy.random.default_rng(1)
    positions, ids = array(rng.random((count, 3)), "f4"), array(range(count), "i4")
    channels = (Channel * 2)(Channel(b"id", 1, True, pointer(ids)), Channel(b"v", 3, False, pointer(positions)))
    grid = ctypes.c_void_p()
    ok(lib.rv_grid_from_points(b"points", ctypes.c_double(0.1), ctypes.c_size_t(count), pointer(positions), channels,
                               ctypes.c_size_t(2), ctypes.byref(grid), ctypes.byref(error)))
    return grid, positions


def write(path, grids, half=False):
    handles = (ctypes.c_void_p * len(grids))(*grids)
    ok(lib.rv_grid_write_file(path.encode(), handles, ctypes.c_size_t(len(grids)), half, ctypes.byref(error)))


def check_float(path, voxel, radius, tolerance):
    grid = pyopenvdb.read(path, "surface")
    assert grid.gridClass == "level set", grid.gridClass
    assert abs(grid.background - 3 * voxel) < tolerance
    assert grid.transform.voxelSize() == (voxel,) * 3
    accessor = grid.getConstAccessor()
    for ijk in [(0, 0, 0), (10, 0, 0), (0, -11, 0), (6, 6, 6), (0, 0, 12), (40, 0, 0)]:
        distance = numpy.linalg.norm(numpy.array(ijk) * voxel) - radius
        expected = min(max(distance, -3 * voxel), 3 * voxel)
        assert abs(accessor.getValue(ijk) - expected) < tolerance, (ijk, accessor.getValue(ijk), expected)
    return grid


def main():
    with tempfile.TemporaryDirectory() as folder:
        full, half, cloud = (os.path.join(folder, n) for n in ("full.vdb", "half.vdb", "points.vdb"))
        surface, vel = sphere(b"surface", 0.05, 0.5), velocity(0.05)
        write(full, [surface, vel])
        write(half, [surface], True)
        cloud_grid, positions = points(1000)
        write(cloud, [cloud_grid])

        check_float(full, 0.05, 0.5, 1e-6)
        # 11 bits of values below 0.15
        grid = check_float(half, 0.05, 0.5, 0.15 * 2**-11)
        assert grid.saveFloatAsHalf and grid.metadata["is_saved_as_half_float"] is True
        vectors = pyopenvdb.read(full, "vel")
        assert vectors.gridClass == "staggered" and vectors.vectorType == "contravariant relative"
        assert vectors.getConstAccessor().getValue((3, 2, 5)) == (3, 4, -5)
        assert vectors.activeVoxelCount() == 512
        grids, metadata = pyopenvdb.readAll(full)
        assert [g.name for g in grids] == ["surface", "vel"]
        assert metadata["creator"].startswith("rivulet "), metadata
        print("pyopenvdb: ok")

        def vdb_print(path):
            return subprocess.run(["vdb_print", "-l", "-m", path], check=True, capture_output=True, text=True).stdout

        text = vdb_print(full)
        for part in ("level set", "staggered", "contravariant relative", "blosc + active values"):
            assert part in text, (part, text)
        text = vdb_print(cloud)
        # a voxel is active where a point is nearest to its centre
        occupied = len(numpy.unique(numpy.floor(positions.astype("f8") / 0.1 + 0.5), axis=0))
        for part in ("Name: points", "ptdataidx32", f"file_voxel_count: {occupied}"):
            assert part in text, (part, text)
        print("vdb_print: ok")
    # files that pyopenvdb writes are read by us
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "theirs.vdb")
        theirs = [pyopenvdb.FloatGrid(2.5), pyopenvdb.BoolGrid(), pyopenvdb.Vec3SGrid()]
        theirs[0].name, theirs[1].name, theirs[2].name = "f", "b", "v"
        theirs[0].fill((0, 0, 0), (20, 20, 20), 7.0)
        theirs[1].fill((0, 0, 0), (3, 3, 3), True)
        pyopenvdb.write(path, theirs)
        grids, count = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_size_t()
        ok(lib.rv_grid_read_file(path.encode(), ctypes.byref(grids), ctypes.byref(count), None, ctypes.byref(error)))
        handles = [ctypes.c_void_p(grids[i]) for i in range(count.value)]
        assert [lib.rv_grid_type(g) for g in handles] == [0, 3, 1]
        active = ctypes.c_uint64()
        ok(lib.rv_grid_active_count(handles[0], ctypes.byref(active), ctypes.byref(error)))
        assert active.value == 21**3
        value, ijk = (ctypes.c_float * 3)(), (ctypes.c_int32 * 3)(5, 20, 0)
        lib.rv_grid_get(handles[0], ijk, value)
        assert value[0] == 7.0
        # what we do not know we keep and write back
        again = os.path.join(folder, "again.vdb")
        write(again, handles)
        assert pyopenvdb.read(again, "b").activeVoxelCount() == 64
        print("theirs: ok")


main()
