"""Reads a cache of strands, colours them by wetness, and writes another file.

  PYTHONPATH=python_shim /usr/bin/python3 python_shim/examples/paint_cache.py IN.bgeo.sc OUT.bgeo.sc
"""
import sys

import rivulet as rv

DRY, WET = (0.35, 0.22, 0.12), (0.1, 0.05, 0.03)


def main(source, target):
    hair = rv.Detail.load(source)
    wetness = hair.points.get("wetness")
    if wetness is None:
        raise SystemExit("%s has no point attribute wetness: use a cache of a wetsolver or filmsolver" % source)
    hair.points.set("Cd", [tuple(d + (w - d) * float(x) for d, w in zip(DRY, WET)) for x in wetness])
    hair.save(target)
    print("%d points, highest wetness %.2f" % (len(hair.points), max(float(x) for x in wetness)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: paint_cache.py IN.bgeo.sc OUT.bgeo.sc")
    main(*sys.argv[1:3])
