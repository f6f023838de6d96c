"""Cooks random scenes and minimises those that break a promise.

  campaign.py SEEDS...                       a range such as 0-49, or single seeds
      [--kills N] [--every N]                kill and resume each N-th scene that many times
      [--plan 1,:3,base:7,avx2]              workers and instruction sets
      [--shrink DIR]                         writes a minimised scene of every failure into DIR
      [--keep DIR] [--print]                 keeps the runs of the first seed in DIR; prints its scene
"""
import argparse
import collections
import concurrent.futures
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import judge  # noqa: E402
import scene_maker  # noqa: E402
import shrink  # noqa: E402


def seeds_of(words):
    for word in words:
        low, _, high = word.partition("-")
        yield from range(int(low), int(high or low) + 1)


def plan_of(text):
    return [(int(one.split(",")[0]), one.split(",")[1]) for one in text.split(":")]


def usual_plan(seed):
    """One worker with the best instruction set, and three with another, which the seed chooses."""
    return ((1, ""), (3, judge.INSTRUCTION_SETS[seed % len(judge.INSTRUCTION_SETS)]))


def campaign(table, seeds, kills, every, plan, jobs, show=None):
    """Judges the scenes of the seeds; a list of (seed, verdict) in their order."""
    def one(seed):
        scene = scene_maker.make(table, seed)
        verdict = judge.judge(scene, table, seed, plan or usual_plan(seed), kills if seed % every == 0 else 0)
        if show:
            show(seed, verdict)
        return seed, verdict

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, seeds))


def told(seed, verdict):
    if verdict.kind:
        print("seed %d: %s: %s" % (seed, verdict.kind, verdict.text[:400].replace("\n", " | ")), flush=True)


def summary(found, seconds):
    kinds = collections.Counter(verdict.kind or "right" for _, verdict in found)
    refused = sum(verdict.code == 1 for _, verdict in found)
    return "%d scenes, %d refused with an error, %.0f s: %s; longest %.1f s CPU, most %d MB, %d kills hit" % (
        len(found), refused, seconds, ", ".join("%s %d" % pair for pair in sorted(kinds.items())),
        max((v.cpu for _, v in found), default=0), max((v.memory for _, v in found), default=0) >> 20,
        sum(v.kills for _, v in found))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="+")
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--plan", type=plan_of)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--shrink")
    parser.add_argument("--keep")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    table = scene_maker.node_table(judge.RIVULET)
    seeds, start = list(seeds_of(options.seeds)), time.monotonic()
    if options.print:
        print(json.dumps(scene_maker.make(table, seeds[0]), indent=1))
    if options.keep:
        judge.judge(scene_maker.make(table, seeds[0]), table, seeds[0], ((1, ""),), keep=options.keep)

    def show(seed, verdict):
        told(seed, verdict)
        if options.verbose:
            said = verdict.error.strip().splitlines()[-1:] if verdict.code else []
            print("seed %d: exit %s, %.1f s, %d MB %s" % (seed, verdict.code, verdict.cpu, verdict.memory >> 20, "".join(said)),
                  flush=True)

    found = campaign(table, seeds, options.kills, options.every, options.plan, options.jobs, show)
    print(summary(found, time.monotonic() - start))
    bad = [(seed, verdict) for seed, verdict in found if verdict.kind]
    for seed, verdict in bad if options.shrink else ():
        small = shrink.shrink(scene_maker.make(table, seed), table, verdict.kind, seed)
        path = os.path.join(options.shrink, "%s_%d.json" % (verdict.kind, seed))
        os.makedirs(options.shrink, exist_ok=True)
        shrink.write(small, path)
        print("%s: %d nodes" % (path, len(small["nodes"])), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
