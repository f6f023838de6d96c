"""Reads the network of an expanded asset back, as a parser that knows only the form of the archive (Contents.mime) and
nothing of its writer: parts, types, wires, flags, values, expressions.
"""
import re


class Wrong(ValueError):
    """The archive cannot be read; the message names the part."""


class Node:
    """A node as read."""

    def __init__(self, path):
        self.path, self.type, self.matches = path, None, False
        self.wires = {}      # input index: (source, connector) as text of inputsNamed3
        self.plain = {}      # input index: source as text of inputs
        self.outputs = {}    # connector: name
        self.next = 0
        self.flags, self.values, self.channels, self.order = {}, {}, {}, None

    @property
    def parent(self):
        return self.path.rpartition("/")[0]


def parts(text):
    """(name, body) of each part of a multipart text."""
    head = re.match(r'MIME-Version: 1\.0\nContent-Type: multipart/mixed; boundary="([^"]+)"\n\n', text)
    if not head:
        raise Wrong("the archive has no header of a multipart text")
    mark = "--" + head.group(1)
    if not text.endswith(mark + "--\n"):
        raise Wrong("the archive does not end with its closing boundary")
    found = []
    for piece in text[head.end():-len(mark + "--\n")].split(mark + "\n")[1:]:
        match = re.match(r'Content-Disposition: attachment; filename="([^"]+)"\nContent-Type: text/plain\n\n(.*)\n\Z', piece, re.S)
        if not match:
            raise Wrong("a part has no name or does not end with an empty line: %r" % piece[:80])
        found.append((match.group(1), match.group(2)))
    return found


def _blocks(body, name):
    """The lines of each block `word { ... }` of a .def, and the other lines by their first word."""
    blocks, lines, inside = {}, {}, None
    rows = body.split("\n")
    for at, row in enumerate(rows):
        if inside is not None:
            if row == "}":
                inside = None
            else:
                blocks[inside].append(row)
        elif row == "{":
            inside = rows[at - 1]
            blocks[inside] = []
        elif row:
            lines[row.split(" ")[0]] = row
    if inside is not None or "end" not in lines:
        raise Wrong("%s: a block is not closed, or there is no end" % name)
    return blocks, lines


def _read_def(node, body, name):
    blocks, lines = _blocks(body, name)
    words = lines.get("flags", "").split("=")[-1].split()
    node.flags = {words[i]: words[i + 1] == "on" for i in range(0, len(words) - 1, 2)}
    node.next = int(lines["connectornextid"].split()[1])
    for row in blocks.get("outputsNamed3", []):
        number, text = row.split(" ", 1)
        node.outputs[int(number)] = text.strip('"')
    for row in blocks.get("inputsNamed3", []):
        match = re.match(r'(\d+) \t(\S+) ("?\d*"?) 1 "input(\d+)"$', row)
        if not match:
            raise Wrong("%s: a wire cannot be read: %r" % (name, row))
        node.wires[int(match.group(4)) - 1] = (match.group(2), match.group(3))
    for row in blocks.get("inputs", []):
        match = re.match(r"(\d+) \t(\S+) 0 1$", row)
        if not match:
            raise Wrong("%s: a wire cannot be read: %r" % (name, row))
        node.plain[int(match.group(1))] = match.group(2)


def _read_parm(node, body, name):
    rows = body.strip("\n").split("\n")
    if rows[0] != "{" or rows[1] != "version 0.8" or rows[-1] != "}":
        raise Wrong("%s: not a block of values of version 0.8" % name)
    for row in rows[2:-1]:
        match = re.match(r"(\w+)\t\[ \d+\tlocks=0 \]\t\(\t(.*)\t\)$", row)
        if not match:
            raise Wrong("%s: a value cannot be read: %r" % (name, row))
        node.values[match.group(1)] = match.group(2)


def _read_chn(node, body, name):
    if body.count("{") != body.count("}"):
        raise Wrong("%s: braces do not match" % name)
    for match in re.finditer(r"channel (\w+) \{(.*?)segment \{ length = 0 (?:value = (\S+) (\S+) )?expr = (.*?) \}\n\s*\}", body, re.S):
        node.channels[match.group(1)] = match.group(5).replace('\\"', '"')
    if len(node.channels) != body.count("channel "):
        raise Wrong("%s: a channel cannot be read" % name)


def read(text):
    """Nodes by path, and the texts that belong to no node."""
    nodes, rest = {}, {}
    seen = set()
    for name, body in parts(text):
        if name in seen:
            raise Wrong("the part %s is there twice" % name)
        seen.add(name)
        path, dot, kind = name.rpartition(".")
        if not dot:
            rest[name] = body
            continue
        node = nodes.setdefault(path, Node(path))
        if kind == "init":
            match = re.match(r"type = (\S+)\nmatchesdef = ([01])\n$", body)
            if not match:
                raise Wrong("%s cannot be read" % name)
            node.type, node.matches = match.group(1), match.group(2) == "1"
        elif kind == "def":
            _read_def(node, body, name)
        elif kind == "parm":
            _read_parm(node, body, name)
        elif kind == "chn":
            _read_chn(node, body, name)
        elif kind == "order":
            rows = body.strip("\n").split("\n")
            node.order = rows[1:]
            if int(rows[0]) != len(node.order):
                raise Wrong("%s counts %s nodes and lists %d" % (name, rows[0], len(node.order)))
        elif kind in ("userdata", "net", "inp"):
            rest[name] = body
        else:
            raise Wrong("%s is a part of an unknown kind" % name)
    return nodes, rest


def source(nodes, node, index):
    """What an input is wired to: the path of a node, a number (input of the asset), or None. Both lists of wires must
    agree, and the connector must be one that the source has."""
    if index not in node.wires and index not in node.plain:
        return None
    name, connector = node.wires.get(index, (None, None))
    if name != node.plain.get(index):
        raise Wrong("%s: input %d is wired to %s and to %s" % (node.path, index + 1, name, node.plain.get(index)))
    number = re.match(r"\((\d+)\)$", name)
    if number:
        return int(number.group(1))
    path = node.parent + "/" + name
    if path not in nodes:
        raise Wrong("%s: input %d is wired to %s, which does not exist" % (node.path, index + 1, name))
    if int(connector) not in nodes[path].outputs:
        raise Wrong("%s: input %d is wired to connector %s of %s, which has %s" % (node.path, index + 1, connector, name,
                                                                                  sorted(nodes[path].outputs)))
    return path


def resolve(path, relative):
    """The absolute path of a relative one."""
    at = path.split("/")
    for word in relative.split("/"):
        if word == "..":
            at = at[:-1]
        elif word != ".":
            at.append(word)
    return "/".join(at)
