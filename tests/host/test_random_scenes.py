"""Fifty random scenes of all nodes keep the promises of tests/random/judge.py, and scenes that once did not keep them now do."""
import glob
import json
import os
import sys
import time

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(top, "tests", "random"))
import campaign  # noqa: E402
import judge  # noqa: E402
import scene_maker  # noqa: E402

# The scenes of ./test; --full continues after them. No seed is left out.
SEEDS = range(50)
KEPT = os.path.join(top, "tests", "data", "random_failures")
# Every fifth scene is killed and resumed.
EVERY = 5
JOBS = 2


def kept_scenes(table):
    """Scenes that broke a promise and were minimised: cooked for ever."""
    wrong = 0
    for path in sorted(glob.glob(os.path.join(KEPT, "*.json"))):
        with open(path, encoding="utf-8") as stream:
            scene = json.load(stream)
        verdict = judge.judge(scene, table, 0, ((1, ""), (3, "base")))
        if verdict.kind:
            print("%s: %s: %s" % (os.path.basename(path), verdict.kind, verdict.text))
        wrong += verdict.kind is not None
    return wrong


def reached(table):
    """Types of nodes that the seeds do not reach: some hundred seeds reach all."""
    found = set()
    for seed in range(300):
        found |= {node["type"] for node in scene_maker.make(table, seed)["nodes"].values()}
    return sorted(set(table) - found)


def main():
    table = scene_maker.node_table(judge.RIVULET)
    start = time.monotonic()
    wrong = kept_scenes(table)
    missing = reached(table)
    if missing:
        print("no random scene has a node of type " + " ".join(missing))
        wrong += 1
    found = campaign.campaign(table, SEEDS, 1, EVERY, None, JOBS, campaign.told)
    print(campaign.summary(found, time.monotonic() - start))
    wrong += sum(verdict.kind is not None for _, verdict in found)
    if wrong:
        print("cook one again: tests/random/campaign.py SEED --keep DIR; minimise it: --shrink DIR")
    return 1 if wrong else 0


sys.exit(main())
