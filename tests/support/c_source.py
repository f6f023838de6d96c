"""C and C++ sources as tokens, for the guards: comments, texts and directives are told apart from code."""
import functools
import os
import re

TOKEN = re.compile(r"""
    (?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/)
  | (?P<text>R"(?P<mark>[^(\s"]*)\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.|\\\n)*"|(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
  | (?P<operator>\.\.\.|<<=|>>=|->\*|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||::|[-+*/%&|^]=|\#\#|[^\s\w])
""", re.X | re.S)


class Token:
    __slots__ = ("kind", "text", "line")

    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line

    def __repr__(self):
        return self.text


CLOSING = {"(": ")", "[": "]", "{": "}"}


class Group:
    """What stands in brackets: its parts are tokens and groups."""

    def __init__(self, opening, before):
        self.text, self.line, self.kind, self.before, self.parts = opening.text, opening.line, "group", before, []

    def has(self, text):
        return any(part.text == text for part in self.parts)

    def commas(self):
        return [part for part in self.parts if part.text == ","]


def nest(tokens):
    """The tokens as a tree of groups; brackets that do not match end where they can."""
    whole = Group(Token("operator", "{", 0), None)
    stack = [whole]
    for token in tokens:
        if token.text in CLOSING:
            parts = stack[-1].parts
            group = Group(token, parts[-1] if parts else None)
            parts.append(group)
            stack.append(group)
        elif token.text in CLOSING.values():
            if len(stack) > 1:
                stack.pop()
        else:
            stack[-1].parts.append(token)
    return whole


def tokens(text, first_line=1):
    """The tokens of a text without its comments; a text of it stands as "" so that what is in it does not count."""
    found, line, at = [], first_line, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        kind = "text" if match.group("text") is not None else match.lastgroup
        if kind != "comment":
            found.append(Token(kind, '""' if kind == "text" else match.group(0), line))
    return found


@functools.lru_cache(maxsize=1)
def directives(text):
    """Line numbers (from 0) of the first and last line of each directive outside of comments, and what it says."""
    # comments are blanked first: a directive may stand in one, or a comment may begin on the line of one
    bare = TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)) if m.group("comment") else m.group(0), text)
    lines, found, k = bare.split("\n"), [], 0
    while k < len(lines):
        if re.match(r"\s*#", lines[k]):
            first = k
            while lines[k].rstrip(" ").endswith("\\") and k + 1 < len(lines):
                k += 1
            found.append((first, k, "\n".join(re.sub(r"\\$", " ", line.rstrip(" ")) for line in lines[first:k + 1])))
        k += 1
    return found


def code(text, last=False):
    """The text without directives, and of each #if only the first branch (the last, if asked for); lines stay."""
    lines, branch, of = text.split("\n"), [], []
    kinds, bounds = {}, directives(text)
    # how many branches each #if has
    for first, _, whole in bounds:
        word = re.match(r"\s*#\s*(\w*)", whole).group(1)
        kinds[first] = word
        if word in ("if", "ifdef", "ifndef"):
            branch.append(len(of))
            of.append(1)
        elif word in ("elif", "else") and branch:
            of[branch[-1]] += 1
        elif word == "endif" and branch:
            branch.pop()
    starts, dead, stack, number = {first: end for first, end, _ in bounds}, False, [], 0
    k = 0
    while k < len(lines):
        if k in starts:
            word = kinds[k]
            if word in ("if", "ifdef", "ifndef"):
                stack.append([0, of[number]])
                number += 1
            elif word in ("elif", "else") and stack:
                stack[-1][0] += 1
            elif word == "endif" and stack:
                stack.pop()
            for blank in range(k, starts[k] + 1):
                lines[blank] = ""
            k = starts[k]
            dead = any(at != (count - 1 if last else 0) for at, count in stack)
        elif dead:
            lines[k] = ""
        k += 1
    return "\n".join(lines)


def macro_bodies(text):
    """The bodies of the macros of a text: (line, body)."""
    for first, _, whole in directives(text):
        match = re.match(r"\s*#\s*define\s+\w+(\([^)]*\))?", whole)
        if match:
            yield first + 1, "\n" * whole.count("\n", 0, match.end()) + whole[match.end():]


def files(top, roots, endings):
    """Paths of the sources under the roots, in order, without data and corpora."""
    for root in roots:
        for folder, names, found in os.walk(os.path.join(top, root)):
            names[:] = sorted(name for name in names if name not in ("data", "corpus", "regressions", "__pycache__"))
            for name in sorted(found):
                if name.endswith(endings):
                    yield os.path.join(folder, name)
