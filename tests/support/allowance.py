"""Lists of known exceptions to a guard, which may only shrink.

A list is a text file: one name a line, # begins a comment. A guard passes if it finds exactly what is listed: what is
new is wrong, and so is an entry that is no longer needed. `test_x.py --shrink` takes those out; nothing adds any.
"""
import os
import sys


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as stream:
        return [line.strip() for line in stream if line.strip() and not line.startswith("#")]


def judge(found, path, most):
    """found: name -> what is wrong. What is wrong beyond the list, and with the list itself, which had `most` entries
    when it was made."""
    listed = read(path)
    wrong = [found[name] for name in found if name not in listed]
    stale = [name for name in listed if name not in found]
    if stale and "--shrink" in sys.argv:
        with open(path, encoding="utf-8") as stream:
            lines = stream.readlines()
        with open(path, "w", encoding="utf-8") as stream:
            stream.writelines(line for line in lines if line.strip() not in stale)
        stale = []
    wrong += ["%s: '%s' is listed and no longer needs to be; take it out, or run this guard with --shrink" % (path, name)
              for name in stale]
    if len(listed) > most:
        wrong.append("%s: it has %d entries and began with %d; it may only shrink" % (path, len(listed), most))
    wrong += ["%s: '%s' is listed twice" % (path, name) for name in sorted(set(listed)) if listed.count(name) > 1]
    return wrong
