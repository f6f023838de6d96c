"""The node table: all node types with their inputs, outputs and parameters."""
from __future__ import annotations

import difflib
import json
import operator
import re
from typing import Sequence

from ._lib import InputError, decode, lib  # noqa: F401

_COMPARE = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}


def holds(condition: str, values: dict, wired: Sequence[bool] = ()) -> bool:
    """Whether a condition of the table ("{ walls == 0 } { mode == box }") holds for values by token. One pair of braces must hold
    whole. `wired` says which inputs have a wire; an input that it does not name has none."""
    for block in re.findall(r"\{([^{}]*)\}", condition):
        words = block.split()
        good = True
        for name, compare, text in zip(words[0::3], words[1::3], words[2::3]):
            if name.startswith("hasinput("):
                index = int(name[len("hasinput("):-1])
                value = index < len(wired) and wired[index]
            else:
                value = values[name]
            text = text.strip('"')
            meant = text if isinstance(value, str) else float(text)
            good = good and _COMPARE[compare](value if isinstance(value, str) else float(value), meant)
        if good and words:
            return True
    return False


class Type:
    """A node type, with the fields that `rivulet nodes TYPE --json` prints."""

    def __init__(self, row):
        self.row = row
        self.type = row["type"]
        self.label = row["label"]
        self.category = row["category"]
        self.summary = row["summary"]
        self.help = row["help"]
        self.flags = row["flags"]
        self.inputs = row["inputs"]
        self.outputs = row["outputs"]
        self.parms = row["parms"]
        self.presets = row["presets"]
        self._by_token = {parm["token"]: parm for parm in self.parms}

    def component(self, token: str):
        """(row, index) of the token of a single component: "tx" is component 0 of `t`. None for any other token."""
        row = self._by_token.get(token[:-1])
        if row is None or row["size"] < 2 or token in self._by_token:
            return None
        letters = "rgb" if row["type"] == "color" else "xyzw"
        index = (letters[:row["size"]] + " ").find(token[-1]) if not token[-1].isdigit() else int(token[-1]) - 1
        return (row, index) if 0 <= index < row["size"] else None

    def parm(self, token: str) -> dict:
        """The row of a parameter; raises InputError with the nearest token."""
        if token not in self._by_token:
            near = difflib.get_close_matches(token, list(self._by_token), 1)
            raise InputError("NOT_FOUND", "%s has no parameter '%s'%s" % (
                self.type, token, "; did you mean '%s'?" % near[0] if near else ""))
        return self._by_token[token]

    def view(self, token: str, values: dict, wired: Sequence[bool] = ()) -> str:
        """How a dialog shows a parameter: "shown", "disabled" or "hidden". `values` are those that differ from the defaults."""
        row = self.parm(token)
        known = dict({parm["token"]: parm.get("default") for parm in self.parms}, **values)
        if "hide_when" in row and holds(row["hide_when"], known, wired):
            return "hidden"
        return "disabled" if "disable_when" in row and holds(row["disable_when"], known, wired) else "shown"

    def __repr__(self):
        return "<Type %s>" % self.type


_known = {}  # types that were described already, by address


def of(address: int) -> Type:
    """The type at an address inside the library."""
    if address not in _known:
        _known[address] = Type(json.loads(lib.node_describe(address, b"json")))
    return _known[address]


def find(type: str) -> Type:
    """A type by name; raises InputError with the nearest name."""
    at = lib.node_find(type.encode("utf-8"))
    if not at:
        near = difflib.get_close_matches(type, [row.type for row in all()], 1)
        raise InputError("NOT_FOUND", "there is no node type '%s'%s" % (
            type, "; did you mean '%s'?" % near[0] if near else ""))
    return of(at)


def all() -> list:
    """All types, in the order of the TAB menu."""
    return [of(lib.node_type(i)) for i in range(lib.node_type_count())]
