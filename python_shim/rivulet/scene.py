"""Scenes: nodes, parameters, connections and cooking.

    scene = Scene(frames=(1, 48))
    ball = scene.add("sphere", "ball", radius=0.1)
    hair = scene.add("groom", "hair", inputs=[ball], count=500)
    solve = scene.add("wetsolver", "wet", inputs=[hair])
    solve.parm("drying").key([(1, 0), (24, 1e-5)])
    strands = solve.cook(24)
    scene.run(out="out", progress=lambda at: print(at.frame, at.fraction))
"""
from __future__ import annotations

import ctypes
import json
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import nodes
from ._lib import (Cancelled, CancelledFn, Error, FrameDoneFn, InputError, RvKey, RvRun, RvSceneHooks, RvValue, RvWave,
                   SceneMessageFn, decode, encode, lib)
from .geo import Detail

Value = Union[bool, int, float, str, Sequence[float]]
INTERPS = ("constant", "linear", "smooth")
EXTENDS = ("hold", "cycle", "linear")


def _choice(words, word, what):
    """Index of a word among the allowed ones."""
    if word not in words:
        raise InputError("BAD_INPUT", "%s is '%s', not one of: %s" % (what, word, " ".join(words)))
    return words.index(word)


def _keys(pairs):
    """(frame, value) pairs as an array of RvKey, and their number."""
    pairs = list(pairs)
    return (RvKey * len(pairs))(*[RvKey(float(frame), float(value)) for frame, value in pairs]), len(pairs)


class Parm:
    """One parameter of a node."""

    def __init__(self, node: Node, token: str):
        self.node = node
        found = nodes.find(node.type).component(token)
        # `only`: index of the component if the token names one, such as "tx"; else None
        self.row, self.only = found if found else (nodes.find(node.type).parm(token), None)
        self.token = self.row["token"]

    def __repr__(self):
        return "<Parm %s.%s>" % (self.node.name, self.token)

    @property
    def _parms(self):
        at = lib.scene_parms(self.node.scene.handle, encode(self.node.name))
        if not at:
            raise InputError("NOT_FOUND", "the scene has no node '%s' any more" % self.node.name)
        return at

    def _touch(self):
        """Tells the scene that a value changed, so that cached frames are discarded."""
        lib.scene_touch(self.node.scene.handle, encode(self.node.name))

    def set(self, value: Value) -> None:
        """Sets a number, a tuple of numbers, the token of a menu item, a string, or a ramp ("0 1 linear, 1 0 linear")."""
        kind = self.row["type"]
        if self.only is not None:
            lib.parms_set(self._parms, encode(self.token), self.only, float(value))
        elif isinstance(value, str):
            if kind in ("string", "file", "menu"):
                lib.parms_set_string(self._parms, encode(self.token), encode(value))
            else:
                lib.parms_set_text(self._parms, encode(self.token), encode(value))
        elif hasattr(value, "__fspath__"):
            lib.parms_set_string(self._parms, encode(self.token), encode(value))
        elif hasattr(value, "__len__"):
            if len(value) != self.row["size"]:
                raise InputError("BAD_INPUT", "%s.%s has %d components, not %d" % (
                    self.node.name, self.token, self.row["size"], len(value)))
            for index, number in enumerate(value):
                lib.parms_set(self._parms, encode(self.token), index, float(number))
        else:
            lib.parms_set(self._parms, encode(self.token), 0, float(value))
        self._touch()

    def key(self, keys: Sequence[Tuple[float, float]], interp: str = "linear", extend: str = "hold",
            component: int = 0) -> None:
        """Animates the parameter by (frame, value) keys."""
        rows, count = _keys(keys)
        component = component if self.only is None else self.only
        lib.parms_set_keys(self._parms, encode(self.token), component, rows, count, _choice(INTERPS, interp, "interp"),
                           _choice(EXTENDS, extend, "extend"))
        self._touch()

    def wave(self, amplitude: float, frequency: float, phase: float = 0.0, offset: float = 0.0,
             envelope: Optional[Sequence[Tuple[float, float]]] = None, interp: str = "linear", extend: str = "hold",
             component: int = 0) -> None:
        """Animates by offset + envelope amplitude sin(2 pi (frequency T + phase / 360)), T in seconds, 0 at frame 1."""
        rows, count = _keys(envelope) if envelope else (None, 0)
        wave = RvWave(amplitude, frequency, phase, offset, rows, count, _choice(INTERPS, interp, "interp"),
                      _choice(EXTENDS, extend, "extend"))
        component = component if self.only is None else self.only
        lib.parms_set_wave(self._parms, encode(self.token), component, ctypes.byref(wave))
        self._touch()

    def reset(self) -> None:
        """Back to the default, without animation."""
        lib.parms_reset(self._parms, encode(self.token))
        self._touch()

    def _one(self, component):
        """The value of one component."""
        value = RvValue()
        if not lib.parms_get(self._parms, encode(self.token), component, ctypes.byref(value)):
            raise InputError("NOT_FOUND", "%s has no parameter %s" % (self.node.name, self.token))
        if value.kind == 4:  # RV_VALUE_KEYS
            return [(value.keys[i].frame, value.keys[i].value) for i in range(value.count)]
        if value.kind == 5:  # RV_VALUE_WAVE
            wave = value.wave
            return {"amplitude": wave.amplitude, "frequency": wave.frequency, "phase": wave.phase, "offset": wave.offset}
        kind = self.row["type"]
        if kind in ("string", "file"):
            return decode(value.text)
        if kind == "ramp":
            ramp = value.ramp.contents
            return [(ramp.keys[i].position, ramp.keys[i].value, INTERPS[ramp.keys[i].interp]) for i in range(ramp.count)]
        if kind == "toggle":
            return bool(value.number)
        if kind == "int":
            return int(value.number)
        if kind == "menu":
            return self.row["menu"][int(value.number)]["token"]
        return value.number

    def get(self) -> Any:
        """The value as it was set: a number, a string, a tuple, keys as a list, or a wave as a dict."""
        if self.only is not None:
            return self._one(self.only)
        if self.row["size"] == 1 or self.row["type"] in ("string", "file", "menu", "toggle", "ramp"):
            return self._one(0)
        return tuple(self._one(k) for k in range(self.row["size"]))


class Output:
    """One output of a node, for connecting and cooking."""

    def __init__(self, node: Node, port: Union[None, int, str]):
        self.node = node
        self.port = port

    @property
    def path(self) -> str:
        return self.node.name if self.port in (None, 0) else "%s:%s" % (
            self.node.name, self.port + 1 if isinstance(self.port, int) else self.port)

    def cook(self, frame: Optional[float] = None) -> Detail:
        """The geometry at a frame, a copy that shares its arrays with the scene's cache."""
        return self.node.scene.cook(self.path, frame)


class Node(Output):
    """A node of a scene. Its parameters are items: node["count"] = 500."""

    def __init__(self, scene: Scene, name: str, type: str):
        super().__init__(self, None)
        self.scene = scene
        self.name = name
        self.type = type

    def __repr__(self):
        return "<Node %s (%s)>" % (self.name, self.type)

    def parm(self, token: str) -> Parm:
        return Parm(self, token)

    def parms(self) -> List[Parm]:
        """All parameters of the node."""
        return [Parm(self, row["token"]) for row in nodes.find(self.type).parms]

    def set(self, **values: Value) -> Node:
        for token, value in values.items():
            self.parm(token).set(value)
        return self

    def preset(self, token: str) -> Node:
        """Sets the parameters of a preset of the node's type: wet.preset("honey"). The others stay as they are."""
        presets = {preset["token"]: preset["values"] for preset in nodes.find(self.type).presets}
        if token not in presets:
            raise InputError("NOT_FOUND", "%s has no preset '%s'; it has: %s" % (self.type, token, " ".join(presets) or "none"))
        return self.set(**presets[token])

    def __setitem__(self, token: str, value: Value) -> None:
        self.parm(token).set(value)

    def __getitem__(self, token: str) -> Any:
        return self.parm(token).get()

    def output(self, port: Union[int, str]) -> Output:
        """An output by number, counted from 0, or by name: wet.output("liquid")."""
        return Output(self, port)

    def wire(self, index: int, source: Union[None, str, Output]) -> Node:
        """Connects a node, an output or a name to an input, counted from 0; None disconnects it."""
        path = source.path if isinstance(source, Output) else source
        lib.scene_connect(self.scene.handle, encode(self.name), index, encode(path))
        return self

    def forget(self) -> None:
        """Discards the cached frames of this node and of all nodes that read it."""
        lib.scene_forget(self.scene.handle, encode(self.name))


class At:
    """Progress of a cook: node, frame, fraction (0 to 1) and stage."""

    def __init__(self, node: str, frame: float, fraction: float, stage: str):
        self.node, self.frame, self.fraction, self.stage = node, frame, fraction, stage


class Scene:
    """A graph of nodes. `messages` lists (level, node, frame, text) of the last call."""

    def __init__(self, frames: Tuple[float, float] = (1, 1), fps: float = 24.0, meters_per_unit: float = 1.0, _handle=None):
        self.handle = _handle or lib.scene_new()
        self._hooks = None
        self.messages = []
        if not _handle:
            self.frames, self.fps = frames, fps
            lib.scene_set_meters_per_unit(self.handle, meters_per_unit)

    def __del__(self):
        if getattr(self, "handle", None):
            lib.scene_free(self.handle)

    @classmethod
    def load(cls, path) -> Scene:
        """Reads a scene file."""
        at = ctypes.c_void_p()
        lib.scene_load(encode(path), ctypes.byref(at))
        return cls(_handle=at.value)

    @classmethod
    def parse(cls, text, name: str = "scene") -> Scene:
        """A scene from JSON: a string, or what json.loads returns."""
        data = encode(text if isinstance(text, (str, bytes)) else json.dumps(text))
        at = ctypes.c_void_p()
        lib.scene_parse(data, len(data), encode(name), ctypes.byref(at))
        return cls(_handle=at.value)

    def write(self) -> str:
        """The scene as JSON."""
        at = ctypes.c_void_p()
        lib.scene_write(self.handle, ctypes.byref(at))
        try:
            return decode(ctypes.string_at(at.value))
        finally:
            lib.free(at)

    def save(self, path) -> None:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(self.write())

    fps = property(lambda self: lib.scene_fps(self.handle), lambda self, fps: lib.scene_set_fps(self.handle, fps))

    @property
    def frames(self) -> Tuple[float, float]:
        first, last = ctypes.c_double(), ctypes.c_double()
        lib.scene_frames(self.handle, ctypes.byref(first), ctypes.byref(last))
        return first.value, last.value

    @frames.setter
    def frames(self, range_):
        lib.scene_set_frames(self.handle, float(range_[0]), float(range_[1]))

    def nodes(self) -> List[Node]:
        return [self.node(decode(lib.scene_node_name(self.handle, i))) for i in range(lib.scene_node_count(self.handle))]

    def node(self, name: str) -> Node:
        at = lib.scene_node_type(self.handle, encode(name))
        if not at:
            raise KeyError("there is no node '%s'" % name)
        return Node(self, name, nodes.of(at).type)

    def add(self, type: str, name: Optional[str] = None, /, inputs: Sequence[Union[None, str, Output]] = (),
            **parms: Value) -> Node:
        """Adds a node, connects it and sets its parameters. Type and name are positional only, as parameters may have these names."""
        taken = {node.name for node in self.nodes()}
        if name is None:
            name = next(type + n for n in [""] + [str(k) for k in range(1, len(taken) + 2)] if type + n not in taken)
        lib.scene_add(self.handle, encode(name), encode(type))
        node = Node(self, name, nodes.find(type).type)
        try:
            for index, source in enumerate(inputs):
                if source is not None:
                    node.wire(index, source)
            node.set(**parms)
        except Exception:
            self.remove(name)
            raise
        return node

    def remove(self, node: Union[str, Node]) -> None:
        lib.scene_remove(self.handle, encode(node.name if isinstance(node, Node) else node))

    def set(self, assignment: str) -> None:
        """Sets "node.parm=value", as --set does on the command line."""
        lib.scene_set(self.handle, encode(assignment))

    def confine(self, *folders) -> None:
        """Nodes read and write files in these folders only; without folders, anywhere."""
        lib.scene_confine(self.handle, encode(":".join(os.fspath(f) for f in folders)) if folders else None)

    def cook(self, output: str, frame: Optional[float] = None) -> Detail:
        """Geometry of "node", "node:2" or "node:liquid" at a frame; the default is the scene's first frame."""
        at = ctypes.c_void_p()
        self._listen(None, None)
        lib.scene_cook(self.handle, encode(output), float(self.frames[0] if frame is None else frame), ctypes.byref(at))
        return Detail(lib.detail_copy(at))

    def run(self, node: Union[None, str, Node] = None, frames: Optional[Tuple[float, float]] = None, out=None,
            checkpoints=None, resume: bool = False, progress: Optional[Callable[[At], Any]] = None,
            frame_done: Optional[Callable[[Dict[str, Any]], Any]] = None) -> None:
        """Cooks frames in order; nodes that write, write their files.

        `out` is $OUT. `progress` is called with an At between stages. If it returns False, the run ends with Cancelled, and
        no file is half written. If it raises, the run ends with that exception. `frame_done` is called with the report of
        each frame, a dict.
        """
        if out is not None:
            lib.scene_set_out(self.handle, encode(out))
        first, last = frames if frames else (1.0, 0.0)
        raised = self._listen(progress, frame_done)
        run = RvRun(encode(node.name if isinstance(node, Node) else node), float(first), float(last), encode(checkpoints),
                    resume, None, 0.0)
        try:
            lib.scene_run(self.handle, ctypes.byref(run))
        except Cancelled:
            if raised:
                raise raised[0] from None
            raise
        if raised:
            raise raised[0]

    def _listen(self, progress, frame_done):
        """Sets the hooks of the next call. Returns a list that receives the exception of a callback, if one raises."""
        raised = []
        self.messages = said = []

        def guarded(call):
            try:
                return call()
            except BaseException as reason:  # KeyboardInterrupt too: C code in between would lose it
                raised.append(reason)
                return None

        @CancelledFn
        def cancelled(_user, name, frame, fraction, stage):
            if raised:
                return True
            if progress is None:
                return False
            answer = guarded(lambda: progress(At(decode(name), frame, fraction, decode(stage))))
            return bool(raised) or answer is False

        @SceneMessageFn
        def message(_user, level, name, frame, text):
            said.append((("info", "warning")[level], decode(name), frame, decode(text)))

        @FrameDoneFn
        def done(_user, report):
            if frame_done is not None and not raised:
                guarded(lambda: frame_done(json.loads(decode(lib.frame_report_json(report)))))

        self._hooks = RvSceneHooks(None, cancelled, message, done)
        lib.scene_set_hooks(self.handle, ctypes.byref(self._hooks))
        return raised

    def warnings(self) -> List[str]:
        """The warnings of the last call."""
        return [text for level, _, _, text in self.messages if level == "warning"]


__all__ = ["Scene", "Node", "Output", "Parm", "At", "Error"]
