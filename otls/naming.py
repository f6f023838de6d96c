"""How names of assets become names of files in an expanded HDA, and back."""

NAMESPACE, VERSION = "rivulet", "1.0"
_CODES = {"_": "__", ":": "_8", "/": "_1"}


def encode(name):
    """Only what is known of the encoding: letters, digits, dots, and the three characters of _CODES."""
    for letter in name:
        if not (letter.isascii() and (letter.isalnum() or letter == "." or letter in _CODES)):
            raise ValueError("'%s' in '%s' has no known encoding" % (letter, name))
    return "".join(_CODES.get(letter, letter) for letter in name)


def decode(name):
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
    """With its table: rivulet::Sop/groom::1.0."""
    return "%s::%s/%s::%s" % (NAMESPACE, table, type, VERSION)


def asset_folder(type):
    return "%s_%s.%s.hda" % (NAMESPACE, type, VERSION)
