"""A reader of DialogScript, as far as the assets use it: blocks of words, quoted strings and nested blocks."""
import re

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([{}])|([^\s{}"]+))')
TYPES = {"toggle", "float", "string", "integer", "ordinal", "separator", "button", "label", "vector", "file", "ramp_flt", "color",
         "directory", "vector2", "vector4", "intvector", "intvector2", "intvector4", "log", "angle", "direction", "oppath"}
GROUPS = {"group", "groupsimple", "groupcollapsible", "multiparm"}
WORDS = {"name", "label", "type", "size", "default", "range", "menu", "help", "joinnext", "nolabel", "invisible", "disablewhen",
         "hidewhen", "export", "parmtag", "cppname"}


class Wrong(ValueError):
    """A syntax error; the message gives the line where it is known."""


def tokens(text):
    """(kind, value, line) of every token; the kind is text, brace or word."""
    at, found = 0, []
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        line = text.count("\n", 0, at) + 1
        if not match:
            raise Wrong("line %d: a string has no closing quote" % line)
        at = match.end()
        quoted, brace, word = match.groups()
        found.append(("text", re.sub(r"\\(.)", r"\1", quoted[1:-1]), line) if quoted is not None else
                     ("brace", brace, line) if brace else ("word", word, line))
    return found


def block(stream):
    """(kind, value, line) of everything up to the closing brace; the value of a nested block is such a list."""
    flat = []
    while True:
        if not stream:
            raise Wrong("a brace is not closed")
        kind, value, line = stream.pop(0)
        if kind == "brace" and value == "}":
            return flat
        flat.append((kind, block(stream) if kind == "brace" else value, line))


def parse(text):
    """The content of a dialog, as block() returns it."""
    stream = tokens(text)
    if not stream or stream[0][1] != "{":
        raise Wrong("line 1: a dialog must begin with a brace")
    stream.pop(0)
    rows = block(stream)
    if stream:
        raise Wrong("line %d: something follows the dialog" % stream[0][2])
    return rows


def _flat(rows):
    """The values of a block without kinds and lines."""
    return [value for _, value, _ in rows]


def _parm(rows):
    """One parameter as a dict of strings and lists of strings."""
    parm, at = {"tags": {}}, 0
    while at < len(rows):
        kind, word, line = rows[at]
        if kind != "word" or word not in WORDS:
            raise Wrong("line %d: a parameter has no keyword '%s'" % (line, word))
        if word in ("joinnext", "nolabel", "invisible"):
            parm[word] = True
            at += 1
            continue
        if at + 1 >= len(rows):
            raise Wrong("line %d: '%s' has no value" % (line, word))
        value = rows[at + 1][1]
        value = _flat(value) if isinstance(value, list) else value
        if word == "parmtag":
            parm["tags"][value[0]] = value[1]
        elif word in parm:
            raise Wrong("line %d: '%s' is given twice" % (line, word))
        else:
            parm[word] = value
        at += 2
    for word in ("name", "label", "type", "default"):
        if word not in parm:
            raise Wrong("line %d: a parameter has no %s" % (rows[0][2] if rows else 0, word))
    if parm["type"] not in TYPES:
        raise Wrong("parameter '%s' has the unknown type '%s'" % (parm["name"], parm["type"]))
    if "menu" in parm:
        parm["menu"] = list(zip(parm["menu"][0::2], parm["menu"][1::2]))
    return parm


def conditions(text):
    """The alternatives of a condition, each a list of (name, operator, value)."""
    found = []
    for block in re.findall(r"\{([^{}]*)\}", text):
        words = block.split()
        if not words or len(words) % 3 or any(word not in ("==", "!=", "<", ">", "<=", ">=") for word in words[1::3]):
            raise Wrong("'%s' is not a condition" % text)
        found.append(list(zip(words[0::3], words[1::3], words[2::3])))
    if not found or re.sub(r"\{[^{}]*\}", "", text).strip():
        raise Wrong("'%s' is not a condition" % text)
    return found


def parms(rows, folder=None, closed=False):
    """All parameters of a dialog, each with the label of its tab, and whether it is in a folder that opens closed."""
    found, at = [], 0
    while at < len(rows):
        kind, word, line = rows[at]
        if kind != "word":
            at += 1
        elif word == "parm":
            found.append(dict(_parm(rows[at + 1][1]), folder=folder, closed=closed))
            at += 2
        elif word in GROUPS:
            inside = rows[at + 1][1]
            label = next((inside[k + 1][1] for k in range(len(inside) - 1) if inside[k][1] == "label"), None)
            if label is None:
                raise Wrong("line %d: a folder has no label" % line)
            if word == "groupcollapsible":
                tags = [_flat(inside[k + 1][1]) for k in range(len(inside) - 1) if inside[k][1] in ("grouptag", "parmtag")]
                if ["group_type", "collapsible"] not in tags:
                    raise Wrong("line %d: a collapsible folder has no tag of its type" % line)
                found += parms(inside, folder, ["group_default", "0"] in tags)
            else:
                found += parms(inside, label, closed)
            at += 2
        else:
            at += 1
    return found
