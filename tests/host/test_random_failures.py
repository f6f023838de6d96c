"""Random scenes that once broke a promise, minimised, keep it now. Each is cooked with 1 and 3 workers. A file that ends in
.pending breaks its promise still: it is renamed to .json by the commit that cures it."""
import glob
import json
import os
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(top, "tests", "random"))
import judge  # noqa: E402
import scene_maker  # noqa: E402


def main():
    table, wrong = scene_maker.node_table(judge.RIVULET), 0
    paths = sorted(glob.glob(os.path.join(top, "tests", "data", "random_failures", "*.json")))
    for path in paths:
        with open(path, encoding="utf-8") as stream:
            scene = json.load(stream)
        verdict = judge.judge(scene, table, 0, ((1, ""), (3, "base")))
        if verdict.kind:
            print("%s: %s: %s" % (os.path.basename(path), verdict.kind, verdict.text))
        wrong += verdict.kind is not None
    print("%d of %d scenes keep their promises" % (len(paths) - wrong, len(paths)))
    return 1 if wrong or not paths else 0


sys.exit(main())
