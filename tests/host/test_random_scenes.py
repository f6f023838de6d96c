"""Fifty random scenes of all nodes keep the promises of tests/random/judge.py."""
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
# Every fifth scene is killed and resumed.
EVERY = 5
JOBS = 2


def reached(table):
    """Types of nodes that the seeds do not reach: some hundred seeds reach all."""
    found = set()
    for seed in range(300):
        found |= {node["type"] for node in scene_maker.make(table, seed)["nodes"].values()}
    return sorted(set(table) - found)


def main():
    table = scene_maker.node_table(judge.RIVULET)
    start = time.monotonic()
    wrong = 0
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
