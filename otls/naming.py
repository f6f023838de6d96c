"""Names of assets as file names in an expanded HDA, and back."""

NAMESPACE, VERSION = "rivulet", "1.0"
# How Houdini encodes characters of names in file names.
_CODES = {"_": "__", ":": "_8", "/": "_1"}


def encode(name):
    """A name as a file name. Only letters, digits, dots and the characters of _CODES have a known encoding."""
    for letter in name:
        if not (letter.isascii() and (letter.isalnum() or letter == "." or letter in _CODES)):
            raise ValueError("'%s' in '%s' has no known encoding" % (letter, name))
    return "".join(_CODES.get(letter, letter) for letter in name)


def decode(name):
    """The name of an encoded file name."""
    out, at = "", 0
    back = {code[1]: letter for letter, code in _CODES.items()}
    while at < len(name):
        if name[at] == "_":
            if at + 1 >= len(name) or name[at + 1] not in back:
                raise ValueError("'%s' is not an encoded name" % name)
            out += back[name[at + 1]]
            at += 2
        else:
            out += name[at]
            at += 1
    return out


def operator(type):
    """The internal name of a node: rivulet::groom::1.0."""
    return "%s::%s::%s" % (NAMESPACE, type, VERSION)


def table_name(type, table="Sop"):
    """The name with its operator table: rivulet::Sop/groom::1.0."""
    return "%s::%s/%s::%s" % (NAMESPACE, table, type, VERSION)


def asset_folder(type):
    """The folder of an expanded asset: rivulet_wetsolver.1.0.hda."""
    return "%s_%s.%s.hda" % (NAMESPACE, type, VERSION)
