"""The C library behind the package: finding it, the signatures of its functions, and its errors as exceptions.

The environment variable RIVULET_LIBRARY names the library. Without it the library is searched beside this package, in an
installation, and in the builds of the source tree. The tables mirror include/rivulet/*.h; a test compares the two.
"""
import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int32, c_size_t,
                    c_uint8, c_uint64, c_void_p)

NAME = "librivulet.so.0"  # the soname: its number changes with the binary interface


class Error(Exception):
    """An error of the library, with its message. `code` is the name of the RvResult, such as BAD_INPUT."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class InputError(Error, ValueError):
    """A value, a name or a connection is wrong."""


class FileError(Error, OSError):
    """A file is damaged or missing, or cannot be written."""

    # OSError would format code and text as errno and strerror
    def __str__(self):
        return self.args[0]


class Cancelled(Error):
    """The caller stopped the work; no file is half written."""


class MemoryLimit(Error, MemoryError):
    """A limit was reached, or memory ran out."""


# Exception for each name of an RvResult; all others are Error.
_KINDS = {"BAD_INPUT": InputError, "NOT_FOUND": InputError, "BAD_FILE": FileError, "IO": FileError, "CANCELLED": Cancelled,
          "LIMIT": MemoryLimit, "NO_MEMORY": MemoryLimit}


class RvError(Structure):
    _fields_ = [("code", c_int), ("text", c_char * 1020)]


MessageFn = CFUNCTYPE(None, c_void_p, c_int, c_char_p)


class RvLog(Structure):
    _fields_ = [("user", c_void_p), ("message", MessageFn)]


class RvKey(Structure):
    _fields_ = [("frame", c_double), ("value", c_double)]


class RvWave(Structure):
    _fields_ = [("amplitude", c_double), ("frequency", c_double), ("phase", c_double), ("offset", c_double),
                ("envelope", POINTER(RvKey)), ("envelope_count", c_size_t), ("envelope_interp", c_int),
                ("envelope_extend", c_int)]


class RvRampKey(Structure):
    _fields_ = [("position", c_double), ("value", c_double), ("interp", c_int)]


class RvRamp(Structure):
    _fields_ = [("count", c_int), ("keys", RvRampKey * 32)]


class RvValue(Structure):
    _fields_ = [("kind", c_int), ("number", c_double), ("text", c_char_p), ("ramp", POINTER(RvRamp)),
                ("keys", POINTER(RvKey)), ("count", c_size_t), ("interp", c_int), ("extend", c_int), ("wave", RvWave)]


CancelledFn = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_double, c_double, c_char_p)
SceneMessageFn = CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_double, c_char_p)
FrameDoneFn = CFUNCTYPE(None, c_void_p, c_void_p)
BegunFn = CFUNCTYPE(c_int, c_void_p, c_void_p)


class RvSceneHooks(Structure):
    _fields_ = [("user", c_void_p), ("cancelled", CancelledFn), ("message", SceneMessageFn), ("frame_done", FrameDoneFn),
                ("begun", BegunFn)]


class RvRun(Structure):
    _fields_ = [("node", c_char_p), ("first", c_double), ("last", c_double), ("checkpoint_dir", c_char_p),
                ("resume", c_bool), ("from_state", c_char_p), ("from_start", c_double)]


STRUCTS = (RvError, RvLog, RvKey, RvWave, RvRampKey, RvRamp, RvValue, RvSceneHooks, RvRun)

# Kinds of results that need a wrapper.
_RESULT = object()  # an RvResult: failures become exceptions
_TEXT = object()    # a char* that the caller frees: becomes a str
_E = POINTER(RvError)
_P = c_void_p
_S = c_char_p

# Name: (result, arguments). The last argument RvError* of functions with _RESULT is added by the wrapper.
FUNCTIONS = {
    "rv_version": (_S, []),
    "rv_result_name": (_S, [c_int]),
    "rv_result_text": (_S, [c_int]),
    "rv_threads_set": (None, [c_int]),
    "rv_threads": (c_int, []),
    "rv_free": (None, [_P]),
    # details
    "rv_detail_new": (_P, []),
    "rv_detail_copy": (_P, [_P]),
    "rv_detail_free": (None, [_P]),
    "rv_detail_bytes": (c_size_t, [_P]),
    "rv_detail_hash": (c_uint64, [_P]),
    "rv_detail_count": (c_size_t, [_P, c_int]),
    "rv_detail_add_points": (_RESULT, [_P, c_size_t, POINTER(c_size_t), _E]),
    "rv_detail_add_polygons": (_RESULT, [_P, c_int, c_size_t, _P, _P, POINTER(c_size_t), _E]),
    "rv_detail_add_curves": (_RESULT, [_P, c_size_t, c_size_t, POINTER(c_size_t), POINTER(c_size_t), _E]),
    "rv_detail_add_vdb": (_RESULT, [_P, _P, _E]),
    "rv_detail_prim_type": (c_int, [_P, c_size_t]),
    "rv_detail_prim_start": (_P, [_P]),
    "rv_detail_vertex_point": (_P, [_P]),
    "rv_detail_prim_grid": (_P, [_P, c_size_t]),
    "rv_detail_add_attrib": (_RESULT, [_P, c_int, _S, c_int, c_int, c_int, POINTER(_P), _E]),
    "rv_detail_remove_attrib": (None, [_P, c_int, _S]),
    "rv_detail_find": (_P, [_P, c_int, _S]),
    "rv_detail_find_mutable": (_P, [_P, c_int, _S]),
    "rv_detail_attrib_count": (c_size_t, [_P, c_int]),
    "rv_detail_attrib": (_P, [_P, c_int, c_size_t]),
    "rv_attrib_name": (_S, [_P]),
    "rv_attrib_storage": (c_int, [_P]),
    "rv_attrib_size": (c_int, [_P]),
    "rv_attrib_tag": (c_int, [_P]),
    "rv_attrib_count": (c_size_t, [_P]),
    "rv_attrib_read": (_P, [_P]),
    "rv_attrib_write": (_P, [_P]),
    "rv_attrib_string": (_S, [_P, c_size_t, c_int]),
    "rv_attrib_set_string": (_RESULT, [_P, c_size_t, c_int, _S, _E]),
    "rv_storage_name": (_S, [c_int]),
    "rv_storage_bytes": (c_size_t, [c_int]),
    "rv_tag_name": (_S, [c_int]),
    "rv_tag_from_name": (c_int, [_S]),
    "rv_tag_well_known": (c_int, [_S, c_int, c_int]),
    "rv_detail_add_group": (_RESULT, [_P, c_int, _S, POINTER(_P), _E]),
    "rv_detail_find_group": (_P, [_P, c_int, _S]),
    "rv_detail_group_count": (c_size_t, [_P, c_int]),
    "rv_detail_group": (_P, [_P, c_int, c_size_t]),
    "rv_group_name": (_S, [_P]),
    "rv_group_read": (_P, [_P]),
    "rv_group_write": (_P, [_P]),
    "rv_detail_merge": (_RESULT, [_P, _P, _E]),
    "rv_detail_check": (_RESULT, [_P, _E]),
    "rv_detail_bounds": (c_bool, [_P, POINTER(c_double), POINTER(c_double)]),
    "rv_detail_load": (_RESULT, [_S, POINTER(_P), POINTER(RvLog), _E]),
    "rv_detail_save": (_RESULT, [_P, _S, POINTER(RvLog), _E]),
    # grids
    "rv_grid_retain": (_P, [_P]),
    "rv_grid_release": (None, [_P]),
    "rv_grid_name": (_S, [_P]),
    "rv_grid_type": (c_int, [_P]),
    "rv_grid_class": (c_int, [_P]),
    "rv_grid_voxel_size": (c_double, [_P]),
    "rv_grid_active_count": (_RESULT, [_P, POINTER(c_uint64), _E]),
    "rv_grid_bounds": (c_bool, [_P, POINTER(c_int32), POINTER(c_int32), POINTER(c_double), POINTER(c_double)]),
    "rv_grid_sample": (_RESULT, [_P, c_size_t, POINTER(c_double), POINTER(c_float), _E]),
    "rv_grid_to_mesh": (_RESULT, [_P, c_double, c_double, POINTER(c_size_t), POINTER(_P), POINTER(c_size_t), POINTER(_P),
                                  _E]),
    # nodes
    "rv_node_type_count": (c_size_t, []),
    "rv_node_type": (_P, [c_size_t]),
    "rv_node_find": (_P, [_S]),
    "rv_node_describe": (_TEXT, [_P, _S]),
    # parameters
    "rv_parms_reset": (_RESULT, [_P, _S, _E]),
    "rv_parms_set": (_RESULT, [_P, _S, c_int, c_double, _E]),
    "rv_parms_set_string": (_RESULT, [_P, _S, _S, _E]),
    "rv_parms_set_text": (_RESULT, [_P, _S, _S, _E]),
    "rv_parms_set_keys": (_RESULT, [_P, _S, c_int, POINTER(RvKey), c_size_t, c_int, c_int, _E]),
    "rv_parms_set_wave": (_RESULT, [_P, _S, c_int, POINTER(RvWave), _E]),
    "rv_parms_get": (c_bool, [_P, _S, c_int, POINTER(RvValue)]),
    # scenes
    "rv_scene_new": (_P, []),
    "rv_scene_free": (None, [_P]),
    "rv_scene_load": (_RESULT, [_S, POINTER(_P), _E]),
    "rv_scene_parse": (_RESULT, [_S, c_size_t, _S, POINTER(_P), _E]),
    "rv_scene_write": (_RESULT, [_P, POINTER(_P), _E]),
    "rv_scene_add": (_RESULT, [_P, _S, _S, _E]),
    "rv_scene_remove": (_RESULT, [_P, _S, _E]),
    "rv_scene_connect": (_RESULT, [_P, _S, c_size_t, _S, _E]),
    "rv_scene_parms": (_P, [_P, _S]),
    "rv_scene_touch": (None, [_P, _S]),
    "rv_scene_set": (_RESULT, [_P, _S, _E]),
    "rv_scene_set_fps": (None, [_P, c_double]),
    "rv_scene_set_frames": (None, [_P, c_double, c_double]),
    "rv_scene_set_meters_per_unit": (None, [_P, c_double]),
    "rv_scene_set_out": (_RESULT, [_P, _S, _E]),
    "rv_scene_confine": (_RESULT, [_P, _S, _E]),
    "rv_scene_set_cache_limit": (None, [_P, c_size_t]),
    "rv_scene_set_hooks": (None, [_P, POINTER(RvSceneHooks)]),
    "rv_scene_fps": (c_double, [_P]),
    "rv_scene_frames": (None, [_P, POINTER(c_double), POINTER(c_double)]),
    "rv_scene_node_count": (c_size_t, [_P]),
    "rv_scene_node_name": (_S, [_P, c_size_t]),
    "rv_scene_node_type": (_P, [_P, _S]),
    "rv_scene_cook": (_RESULT, [_P, _S, c_double, POINTER(_P), _E]),
    "rv_scene_forget": (None, [_P, _S]),
    "rv_scene_run": (_RESULT, [_P, POINTER(RvRun), _E]),
    "rv_frame_report_json": (_S, [_P]),
}


def _places():
    """Paths at which the library may be, in the order of preference."""
    here = os.path.dirname(os.path.abspath(__file__))
    named = os.environ.get("RIVULET_LIBRARY")
    if named:
        yield named
        return
    top = os.path.dirname(os.path.dirname(here))
    yield os.path.join(here, NAME)
    # lib/python3/dist-packages/rivulet or lib/rivulet/python/rivulet of an installation
    for up in (2, 3, 4):
        folder = here
        for _ in range(up):
            folder = os.path.dirname(folder)
        yield os.path.join(folder, NAME)
        yield os.path.join(folder, "lib", NAME)
    for build in ("release", "clang", "asan"):
        yield os.path.join(top, "build", build, NAME)
    yield NAME


def _open():
    """Loads the library from the first place that has it."""
    tried = []
    for place in _places():
        if os.path.sep in place and not os.path.exists(place):
            continue
        try:
            return ctypes.CDLL(place)
        except OSError as reason:
            tried.append(str(reason))
    raise ImportError("the library %s was not found%s; build Rivulet (./run --build), or set RIVULET_LIBRARY to its path" % (
        NAME, ": " + "; ".join(tried) if tried else ""))


def encode(text):
    """A str, bytes or path as UTF-8 bytes; None stays None."""
    return None if text is None else os.fsencode(text) if isinstance(text, os.PathLike) else (
        text if isinstance(text, bytes) else str(text).encode("utf-8"))


def decode(data):
    return None if data is None else data.decode("utf-8", "replace")


def _checked(raw, name_of, of_files):
    """Wraps a function that returns an RvResult: adds the RvError and raises an exception for a failure."""
    def call(*args):
        error = RvError()
        code = raw(*args, ctypes.byref(error))
        if code:
            name = decode(name_of(code))
            kind = FileError if of_files and name == "NOT_FOUND" else _KINDS.get(name, Error)
            raise kind(name, decode(error.text) or name)
    return call


def _freed(raw, free):
    """Wraps a function that returns a new char*: returns a str and frees the memory."""
    def call(*args):
        at = raw(*args)
        if not at:
            return None
        try:
            return ctypes.string_at(at).decode("utf-8")
        finally:
            free(at)
    return call


class Library:
    """The functions of the library as methods, without the prefix rv_ and without the argument for errors."""

    def __init__(self):
        self.handle = _open()
        for name, (result, arguments) in FUNCTIONS.items():
            raw = getattr(self.handle, name)
            raw.argtypes = arguments
            raw.restype = c_int if result is _RESULT else _P if result is _TEXT else result
            if result is _RESULT:
                raw = _checked(raw, self.handle.rv_result_name, name.endswith("_load"))
            elif result is _TEXT:
                raw = _freed(raw, self.handle.rv_free)
            setattr(self, name[3:], raw)


lib = Library()
