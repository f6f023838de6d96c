"""Details: points, vertices, primitives, their attributes and groups, and geometry files.

    geo = Detail.load("hair.0024.bgeo.sc")
    P = geo.points["P"]            # (n, 3), shares the detail's memory
    geo.points.set("Cd", colours)  # adds or replaces
    geo.save("coloured.bgeo.sc")

With numpy, attributes are arrays; without it, memoryviews of one dimension. Arrays are read-only; `edit` returns a
writable one.
"""
from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Optional, Tuple

from ._lib import InputError, MessageFn, RvLog, decode, encode, lib

try:
    import numpy
except ImportError:  # the package works without it
    numpy = None

OWNERS = ("point", "vertex", "prim", "global")
# By RvStorage: name of the type, letter of the struct module, ctypes type.
STORAGES = (("f2", "e", None), ("f4", "f", ctypes.c_float), ("f8", "d", ctypes.c_double), ("i1", "b", ctypes.c_int8),
            ("i4", "i", ctypes.c_int32), ("i8", "q", ctypes.c_int64), ("string", None, None))
STRING = 6
PRIM_TYPES = ("polygon", "curve", "vdb")


def view(address, storage, count, size, owner, writable):
    """`count` tuples of `size` numbers at an address, as an array that keeps `owner` alive."""
    word, letter, _ = STORAGES[storage]
    total = count * size * lib.storage_bytes(storage)
    if not total:
        return numpy.zeros((count, size) if size != 1 else (count,), word) if numpy else memoryview(b"")
    raw = (ctypes.c_char * total).from_address(address)
    raw.owner = owner  # the array keeps `raw` alive, and `raw` the owner of the memory
    if numpy:
        array = numpy.frombuffer(raw, numpy.dtype(word))
        array = array.reshape(count, size) if size != 1 else array
        array.flags.writeable = writable
        return array
    flat = memoryview(raw).cast("B").cast(letter)
    return flat if writable else flat.toreadonly()


def _as_numbers(values, storage):
    """Values as a flat array of a storage, and the number of components of an element."""
    word, letter, kind = STORAGES[storage]
    if numpy:
        array = numpy.asarray(values)
        size = int(array.shape[-1]) if array.ndim > 1 else 1
        return numpy.ascontiguousarray(array, numpy.dtype(word)).reshape(-1), size
    size = 1
    values = list(values)
    if values and isinstance(values[0], (list, tuple)):
        size = len(values[0])
        values = [number for element in values for number in element]
    return (kind * len(values))(*values), size


def _storage_of(values):
    """The storage that fits values best: their own type, else int32 for integers and float32 for all others."""
    if numpy:
        kind = numpy.asarray(values).dtype
        for index, (word, _, _) in enumerate(STORAGES[:STRING]):
            if kind == numpy.dtype(word):
                return index
        return 1 if kind.kind == "f" else 4
    if isinstance(values, memoryview):
        for index, (_, letter, _) in enumerate(STORAGES[:STRING]):
            if values.format == letter:
                return index
    flat = values[0] if len(values) and isinstance(values[0], (list, tuple)) else values
    return 4 if len(flat) and all(isinstance(number, int) for number in flat) else 1


class Elements:
    """The points, vertices or primitives of a detail, or the detail itself (`globals`): a mapping of attributes."""

    def __init__(self, detail, owner):
        self.detail = detail
        self.owner = owner

    def __len__(self) -> int:
        return lib.detail_count(self.detail.handle, self.owner)

    def names(self) -> List[str]:
        """Names of the attributes."""
        handle = self.detail.handle
        return [decode(lib.attrib_name(lib.detail_attrib(handle, self.owner, i)))
                for i in range(lib.detail_attrib_count(handle, self.owner))]

    def __contains__(self, name: str) -> bool:
        return bool(lib.detail_find(self.detail.handle, self.owner, encode(name)))

    def _find(self, name):
        at = lib.detail_find(self.detail.handle, self.owner, encode(name))
        if not at:
            raise KeyError("no %s attribute '%s'; there are: %s" % (OWNERS[self.owner], name, " ".join(self.names())))
        return at

    def __getitem__(self, name: str) -> Any:
        """The values: a read-only array, or a list of strings."""
        at = self._find(name)
        storage, size, count = lib.attrib_storage(at), lib.attrib_size(at), lib.attrib_count(at)
        if storage == STRING:
            rows = [[decode(lib.attrib_string(at, i, k)) for k in range(size)] for i in range(count)]
            return [row[0] for row in rows] if size == 1 else rows
        return view(lib.attrib_read(at), storage, count, size, self.detail, False)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def info(self, name: str) -> Dict[str, Any]:
        """Type, number of components and tag of an attribute, as a dict."""
        at = self._find(name)
        return {"type": STORAGES[lib.attrib_storage(at)][0], "size": lib.attrib_size(at),
                "tag": decode(lib.tag_name(lib.attrib_tag(at)))}

    def add(self, name: str, type: str = "f4", size: int = 1, tag: Optional[str] = None) -> None:
        """Adds an attribute of zeros if it does not exist. The default tag is the usual one of the name."""
        storage = [word for word, _, _ in STORAGES].index(type)
        number = lib.tag_well_known(encode(name), storage, size) if tag is None else lib.tag_from_name(encode(tag))
        lib.detail_add_attrib(self.detail.handle, self.owner, encode(name), storage, size, number,
                              ctypes.byref(ctypes.c_void_p()))

    def edit(self, name: str) -> Any:
        """The values as a writable array."""
        self._find(name)
        at = lib.detail_find_mutable(self.detail.handle, self.owner, encode(name))
        storage = lib.attrib_storage(at)
        if storage == STRING:
            raise InputError("BAD_INPUT", "'%s' is a string attribute: use set()" % name)
        address = lib.attrib_write(at)
        if not address:
            raise MemoryError("out of memory for the attribute '%s'" % name)
        return view(address, storage, lib.attrib_count(at), lib.attrib_size(at), self.detail, True)

    def set(self, name: str, values: Any, type: Optional[str] = None, tag: Optional[str] = None) -> None:
        """Adds an attribute or replaces its values: one number, string or tuple for each element."""
        texts = isinstance(values, (list, tuple)) and len(values) and isinstance(values[0], str)
        if texts:
            return self._set_texts(name, values)
        there = lib.detail_find(self.detail.handle, self.owner, encode(name))
        storage = ([word for word, _, _ in STORAGES].index(type) if type else
                   lib.attrib_storage(there) if there else _storage_of(values))
        numbers, size = _as_numbers(values, storage)
        if len(numbers) != len(self) * size:
            raise InputError("BAD_INPUT", "'%s' has %d values, but there are %d %ss" % (
                name, len(numbers) // max(size, 1), len(self), OWNERS[self.owner]))
        if not there:
            self.add(name, STORAGES[storage][0], size, tag)
        elif lib.attrib_size(there) != size:
            raise InputError("BAD_INPUT", "'%s' has %d components, not %d" % (name, lib.attrib_size(there), size))
        at = lib.detail_find_mutable(self.detail.handle, self.owner, encode(name))
        to = lib.attrib_write(at)
        source = numbers.ctypes.data if numpy else ctypes.addressof(numbers)
        if len(numbers):
            ctypes.memmove(to, source, len(numbers) * lib.storage_bytes(storage))

    def _set_texts(self, name, values):
        if len(values) != len(self):
            raise InputError("BAD_INPUT", "'%s' has %d texts, but there are %d %ss" % (
                name, len(values), len(self), OWNERS[self.owner]))
        self.add(name, "string")
        at = lib.detail_find_mutable(self.detail.handle, self.owner, encode(name))
        for i, text in enumerate(values):
            lib.attrib_set_string(at, i, 0, encode(text))

    def remove(self, name: str) -> None:
        lib.detail_remove_attrib(self.detail.handle, self.owner, encode(name))

    def groups(self) -> List[str]:
        """Names of the groups."""
        handle = self.detail.handle
        return [decode(lib.group_name(lib.detail_group(handle, self.owner, i)))
                for i in range(lib.detail_group_count(handle, self.owner))]

    def group(self, name: str) -> Any:
        """The members as an array of 0 and 1, one for each element."""
        at = lib.detail_find_group(self.detail.handle, self.owner, encode(name))
        if not at:
            raise KeyError("no %s group '%s'" % (OWNERS[self.owner], name))
        return view(lib.group_read(at), 3, len(self), 1, self.detail, False)

    def set_group(self, name: str, members: Any) -> None:
        """Adds a group or replaces its members: one true or false value for each element."""
        at = ctypes.c_void_p()
        lib.detail_add_group(self.detail.handle, self.owner, encode(name), ctypes.byref(at))
        flags = bytearray(1 if member else 0 for member in members)
        if len(flags) != len(self):
            raise InputError("BAD_INPUT", "group '%s' has %d flags, but there are %d elements" % (name, len(flags), len(self)))
        if flags:
            ctypes.memmove(lib.group_write(at), bytes(flags), len(flags))


class Grid:
    """A VDB grid of a detail."""

    def __init__(self, handle):
        self.handle = lib.grid_retain(handle)

    def __del__(self):
        lib.grid_release(self.handle)

    name = property(lambda self: decode(lib.grid_name(self.handle)))
    type = property(lambda self: ("float", "vec3", "points", "other")[lib.grid_type(self.handle)])
    kind = property(lambda self: ("unknown", "level set", "fog", "staggered")[lib.grid_class(self.handle)])
    voxel_size = property(lambda self: lib.grid_voxel_size(self.handle))

    @property
    def active(self) -> int:
        """Number of active voxels."""
        count = ctypes.c_uint64()
        lib.grid_active_count(self.handle, ctypes.byref(count))
        return count.value


    def mesh(self, iso: float = 0.0, adaptivity: float = 0.0) -> Tuple[Any, Any]:
        """The surface at `iso` as (points, triangles): arrays of three numbers each, flat without numpy."""
        npoint, ntriangle = ctypes.c_size_t(), ctypes.c_size_t()
        points, triangles = ctypes.c_void_p(), ctypes.c_void_p()
        lib.grid_to_mesh(self.handle, iso, adaptivity, ctypes.byref(npoint), ctypes.byref(points), ctypes.byref(ntriangle),
                         ctypes.byref(triangles))
        owners = _Freed(points.value), _Freed(triangles.value)
        return (view(points.value, 1, npoint.value, 3, owners[0], False),
                view(triangles.value, 4, ntriangle.value, 3, owners[1], False))


class _Freed:
    """Memory of the library that is freed with its last array."""

    def __init__(self, address):
        self.address = address

    def __del__(self):
        lib.free(self.address)


def _log(collected):
    """An RvLog that appends messages to a list."""
    @MessageFn
    def message(_user, _level, text):
        collected.append(decode(text))
    return RvLog(None, message)


class Detail:
    """A geometry. `warnings` lists the messages of the last load or save."""

    def __init__(self, handle=None):
        self.handle = handle or lib.detail_new()
        if not self.handle:
            raise MemoryError("out of memory for a detail")
        self.warnings = []

    def __del__(self):
        if getattr(self, "handle", None):
            lib.detail_free(self.handle)

    points = property(lambda self: Elements(self, 0))
    vertices = property(lambda self: Elements(self, 1))
    prims = property(lambda self: Elements(self, 2))
    globals = property(lambda self: Elements(self, 3))
    hash = property(lambda self: lib.detail_hash(self.handle))
    bytes = property(lambda self: lib.detail_bytes(self.handle))

    @classmethod
    def load(cls, path) -> Detail:
        """Reads a geometry file."""
        at, said = ctypes.c_void_p(), []
        log = _log(said)
        lib.detail_load(encode(path), ctypes.byref(at), ctypes.byref(log))
        made = cls(at.value)
        made.warnings = said
        return made

    def save(self, path) -> None:
        """Writes a file in the format of its ending; after a failure the old file is still there."""
        said = []
        log = _log(said)
        lib.detail_save(self.handle, encode(path), ctypes.byref(log))
        self.warnings = said

    def copy(self) -> Detail:
        """A copy that shares its arrays until one of the two is written."""
        return Detail(lib.detail_copy(self.handle))

    def merge(self, other: Detail) -> None:
        """Appends another detail."""
        lib.detail_merge(self.handle, other.handle)

    def add_points(self, positions: Any) -> int:
        """Appends points; returns the index of the first."""
        numbers, _ = _as_numbers(positions, 1)
        first, count = ctypes.c_size_t(), len(numbers) // 3
        before = len(self.points)
        lib.detail_add_points(self.handle, count, ctypes.byref(first))
        if count:
            to = lib.attrib_write(lib.detail_find_mutable(self.handle, 0, b"P"))
            ctypes.memmove(to + 12 * before, numbers.ctypes.data if numpy else ctypes.addressof(numbers), 12 * count)
        return first.value

    def add_curves(self, count: int, npoint: int, positions: Any) -> int:
        """Appends open curves of `npoint` points each, root first; returns the index of the first point."""
        numbers, _ = _as_numbers(positions, 1)
        if len(numbers) != 3 * count * npoint:
            raise InputError("BAD_INPUT", "%d curves of %d points need %d positions, not %d" % (
                count, npoint, count * npoint, len(numbers) // 3))
        first = ctypes.c_size_t()
        lib.detail_add_curves(self.handle, count, npoint, ctypes.byref(first), None)
        if len(numbers):
            to = lib.attrib_write(lib.detail_find_mutable(self.handle, 0, b"P"))
            ctypes.memmove(to + 12 * first.value, numbers.ctypes.data if numpy else ctypes.addressof(numbers),
                           4 * len(numbers))
        return first.value

    def add_polygons(self, sizes: Any, points: Any, curve: bool = False) -> None:
        """Appends polygons or open curves with `sizes` vertices; `points` lists the points of all of them in a row."""
        counts, _ = _as_numbers(sizes, 4)
        corners, _ = _as_numbers(points, 4)
        address = (lambda a: a.ctypes.data) if numpy else ctypes.addressof
        if sum(counts) != len(corners):
            raise InputError("BAD_INPUT", "the polygons have %d vertices, but %d points are given" % (sum(counts), len(corners)))
        lib.detail_add_polygons(self.handle, 1 if curve else 0, len(counts), address(counts), address(corners), None)

    def prim_type(self, index: int) -> str:
        if not 0 <= index < len(self.prims):
            raise IndexError("primitive %d of %d" % (index, len(self.prims)))
        return PRIM_TYPES[lib.detail_prim_type(self.handle, index)]

    @property
    def starts(self):
        """First vertex of every primitive, and the number of vertices at the end."""
        return view(lib.detail_prim_start(self.handle), 4, len(self.prims) + 1, 1, self, False)

    @property
    def corners(self):
        """Point of every vertex."""
        return view(lib.detail_vertex_point(self.handle), 4, len(self.vertices), 1, self, False)

    def grids(self) -> Dict[str, Grid]:
        """The VDBs by name."""
        found = {}
        for i in range(len(self.prims)):
            if lib.detail_prim_type(self.handle, i) == 2:
                grid = Grid(lib.detail_prim_grid(self.handle, i))
                found.setdefault(grid.name, grid)
        return found

    def bounds(self) -> Optional[Tuple[Tuple[float, ...], Tuple[float, ...]]]:
        """Lower and upper corner of the points, or None without points."""
        lo, hi = (ctypes.c_double * 3)(), (ctypes.c_double * 3)()
        return (tuple(lo), tuple(hi)) if lib.detail_bounds(self.handle, lo, hi) else None

    def check(self) -> None:
        """Raises an exception if an index or a count is wrong."""
        lib.detail_check(self.handle)
