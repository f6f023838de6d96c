"""Random scenes at length: random_scenes.py RIVULET [SCENES]

1,000 scenes keep the promises of tests/random/judge.py; 40 more scenes that cook to their end have the same bits for 1, 2, 3
and 7 workers, for three instruction sets, and after five kills each."""
import os
import sys
import time

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(top, "tests", "random"))
if len(sys.argv) > 1:
    os.environ["RIVULET"] = sys.argv[1]
import campaign  # noqa: E402
import judge  # noqa: E402
import scene_maker  # noqa: E402

SCENES = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
# Scenes whose bits are compared at length: solvers are the turn of seeds that 3 does not divide.
SAME_BITS, KILLS = 40, 5
PLAN = [(1, "avx512"), (2, "avx2"), (3, "base"), (7, "avx512"), (1, "base"), (2, "avx512"), (7, "avx2")]


def same_bits(table, first):
    """The verdicts of the first SAME_BITS scenes from a seed on that have a solver and cook to their end."""
    found, seed = [], first
    while len(found) < SAME_BITS:
        seed += 1
        if seed % 3 == 0:
            continue
        verdict = judge.judge(scene_maker.make(table, seed), table, seed, PLAN, KILLS)
        if verdict.code == 0 or verdict.kind:
            found.append((seed, verdict))
            campaign.told(seed, verdict)
    return found


def main():
    table, start = scene_maker.node_table(judge.RIVULET), time.monotonic()
    found = campaign.campaign(table, range(SCENES), 1, 5, None, os.cpu_count(), campaign.told)
    print(campaign.summary(found, time.monotonic() - start), flush=True)
    start = time.monotonic()
    bits = same_bits(table, SCENES)
    print("same bits: " + campaign.summary(bits, time.monotonic() - start))
    return 1 if any(verdict.kind for _, verdict in found + bits) else 0


if __name__ == "__main__":
    sys.exit(main())
