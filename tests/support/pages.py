"""Numbers that pages of the manual tell, for tests that measure them anew.

    value = pages.said("wet.md", r"its tip lags by up to ([\\d.]+) mm")     # the number there, or None: that is a failure
"""
import functools
import os
import re

import scenes

DOCS = os.path.dirname(scenes.SCENES)
WORDS = {"nothing": 0, "none": 0, "half": 0.5, "third": 1 / 3, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
         "seven": 7, "eight": 8, "ten": 10, "doubles": 2, "sixteen": 16, "minute": 60, "sixth": 1 / 6, "eighth": 1 / 8}


@functools.lru_cache(maxsize=None)
def text(name):
    with open(os.path.join(DOCS, name), encoding="utf-8") as stream:
        return stream.read()


def number(word):
    return WORDS[word] if word in WORDS else float(word.replace(",", ""))


def said(page, pattern):
    """The number that a page has at this place, or None."""
    found = re.findall(pattern, text(page))
    return number(found[0]) if scenes.holds(f"{page}: \"{pattern}\" is there once", len(found) == 1) else None
