"""Which node a message of the host is about."""
import re

_NODE = re.compile(r"node '([^']+)'")
_SAID = re.compile(r"(warning|note): ([A-Za-z0-9_-]+): (.*)$")
_TYPE = re.compile(r"^(?:[^:]*\.json:\d+: )?node '[^']+'(?: \([a-z]+\))?(?:, frame [-0-9.]+)?: ")


def place(text):
    """(name of the node in the scene or None, the text without its place) of an error."""
    text = text[len("rivulet: "):] if text.startswith("rivulet: ") else text
    found = _NODE.search(text)
    return (found.group(1) if found else None), _TYPE.sub("", text)


def message(line):
    """(level, node, text) of a line "warning: wet: ..."; None for any other line."""
    found = _SAID.match(line)
    return found.groups() if found else None


def wrapped(text, columns):
    """Lines of at most so many letters, cut between words; a longer word has a line of its own."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > columns:
            lines.append(word)
        else:
            lines[-1] = (lines[-1] + " " + word).strip()
    return lines
