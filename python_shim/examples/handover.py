"""Measures how long a million points take between Python and the library. It needs numpy.

  PYTHONPATH=python_shim /usr/bin/python3 python_shim/examples/handover.py
"""
import time

import numpy

import rivulet as rv


def best(call, times=7):
    """Milliseconds of the fastest of several calls, as other processes may slow some of them."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        call()
        found.append(1e3 * (time.perf_counter() - begun))
    return min(found)


def main(count=1000000):
    positions = numpy.random.default_rng(0).random((count, 3), dtype="f4")
    detail = rv.Detail()
    detail.add_points(positions)
    print("%d points: read %.3f ms (shared), write %.1f ms (copied), add %.1f ms" % (
        count, best(lambda: detail.points["P"]), best(lambda: detail.points.set("P", positions)),
        best(lambda: rv.Detail().add_points(positions))))
    assert numpy.shares_memory(detail.points["P"], detail.points["P"])


if __name__ == "__main__":
    main()
