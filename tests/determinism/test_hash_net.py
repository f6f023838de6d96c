"""The hash net: every scene of docs/scenes, made small, gives the hashes that the repository keeps.

Each scene is cooked for a few frames. What is kept of a frame is the hash of every solver's state (from the report) and
the SHA-1 of outputs 1 and 2 of each solver and of every cache that the scene writes itself (VDB files carry a random
identifier, so their voxels stand for them). The hashes must not depend on the number of workers or on the instruction set.

  test_hash_net.py                 one run of each scene, workers and instruction set chosen by the scene's turn
  test_hash_net.py --all           every scene with 1 and 3 workers and with each instruction set
  test_hash_net.py --renew         the same, and writes tests/determinism/net/hashes.json anew
  test_hash_net.py NAME...         only these scenes

Renew the hashes only in a commit that is meant to change results, and say so in it."""
import concurrent.futures
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
RIVULET = os.environ.get("RIVULET") or os.path.join(TOP, "build", "release", "rivulet")
NET = os.path.join(TOP, "tests", "determinism", "net")
HASHES = os.path.join(NET, "hashes.json")
SCENES = os.path.join(TOP, "docs", "scenes")
INSTRUCTION_SETS = ("base", "avx2", "avx512")
WORKERS = (1, 3)
SOLVERS = ("strandsolver", "liquidsolver", "filmsolver", "wetsolver", "lookdevsolver", "continuumsolver", "interfacesolver")

# What makes a scene small, and its last frame; the others are cooked as they are for FRAMES frames.
FRAMES = 4
SMALL = {
    "wet_head": (["hair.count=200", "pick.step=4", "bust.divisions=24", "skull.divisions=16", "torso.divisions=16", "brow1.count=4000", "brow2.count=4000",
                  "lashes.count=4000", "wet.particlesep=0.02", "wet.substeps=2"], 9),
    "bucket": (["honey.particlesep=0.012"], 4),
    "continuum/collapse": (["spread.count=60"], 4),
    "continuum/free_fall": (["hair.count=80", "person.divisions=16"], 4),
    "continuum/ponytail": (["band.count=80"], 4),
    "continuum/wet_shake": (["hair.count=80", "person.divisions=16"], 4),
    "continuum/wind": (["hair.count=80", "person.divisions=16"], 4),
    "curly_head": (["hair.count=200"], 3),
    "dam": (["water.particlesep=0.02"], 6),
    "dip": (["tuft.count=24", "pool.particlesep=0.004"], 9),
    "fur_ball": (["hair.count=300"], 8),
    "guides": (["hair.count=1200", "pick.step=20"], 5),
    "hair_flip": (["hair.count=600", "pool.particlesep=0.02"], 6),
    "lookdev/afro_pour": (["hair.count=120", "water.particlesep=0.01"], 6),
    "lookdev/afro_5287": (["hair.count=300", "water.particlesep=0.01", "bust.divisions=32"], 6),
    "lookdev/cream": (["hair.count=300", "dab.particlesep=0.01", "bust.divisions=32"], 3),
    "lookdev/curls_3a": (["hair.count=1200", "pick.step=20", "solve.particlesep=0.01", "bust.divisions=32"], 5),
    "lookdev/drying": (["hair.count=1200", "pick.step=20", "bust.divisions=32"], 5),
    "lookdev/match": (["hair.count=1200", "pick.step=20", "water.particlesep=0.01", "bust.divisions=32"], 6),
    "lookdev/shower": (["hair.count=1200", "pick.step=20", "solve.particlesep=0.01", "bust.divisions=32"], 6),
    "lookdev/straight": (["hair.count=1200", "pick.step=20", "solve.particlesep=0.01", "bust.divisions=32"], 5),
    "pour": ([], 6),
    "shoulder": (["hair.count=1200", "pick.step=20"], 4),
    "styles": ([], 1),
    "surface": (["tuft.count=24", "pool.particlesep=0.004", "skin.voxelsize=0.001"], 3),
    "transfer": (["hair.count=1200", "pick.step=20"], 4),
    "turn_and_stop": (["hair.count=300"], 5),
    "wet/capture": ([], 5),
    "wet/drag": (["pool.particlesep=0.004"], 4),
    "wet/fur_mat_2": (["grow.count=30", "wet.particlesep=0.004"], 5),
    "wet/fur_mat_3": (["grow.count=30", "wet.particlesep=0.004"], 3),
    "wet/fur_mat_4": (["grow.count=30", "wet.particlesep=0.004"], 3),
    "wet/fur_mat_5": (["grow.count=30", "wet.particlesep=0.004"], 3),
    "wet/roller": (["bristles.count=60", "pool.particlesep=0.03"], 4),
    "wet/shaking_dog": (["fur.count=60", "wet.particlesep=0.012"], 6),
    "wet/whip_ball": (["grow.count=24"], 6),
    "wet/whip_wall": (["grow.count=24"], 6),
    "wet/wringing": (["grow.count=32", "wet.particlesep=0.003"], 5),
}


def scenes():
    """Name and path of every scene. Those of wet/full are the same graphs at full size, checked by tests/full."""
    found = {}
    for folder in ("", "wet", "lookdev", "continuum"):
        for path in glob.glob(os.path.join(SCENES, folder, "*.json")):
            found[os.path.relpath(path, SCENES)[:-len(".json")]] = path
    # what no scene of the documentation reaches: other modes, keyed values, wind, several strand steps a substep
    for path in glob.glob(os.path.join(NET, "*.json")):
        if path != HASHES:
            found["net/" + os.path.basename(path)[:-len(".json")]] = path
    return dict(sorted(found.items()))


def with_caches(path, where):
    """The scene with a cache of outputs 1 and 2 of each solver."""
    with open(path, encoding="utf-8") as stream:
        scene = json.load(stream)
    for name, node in list(scene["nodes"].items()):
        if node["type"] in SOLVERS:
            for output in (1, 2):
                scene["nodes"][f"net_{name}_{output}"] = {
                    "type": "filecache", "inputs": [f"{name}:{output}"],
                    "parms": {"file": f"$OUT/net_{name}_{output}.$F4.bgeo"}}
    changed = os.path.join(where, "scene.json")
    with open(changed, "w", encoding="utf-8") as stream:
        json.dump(scene, stream)
    return changed


def content(path):
    """SHA-1 of a cache's content."""
    if path.endswith(".vdb"):
        run = subprocess.run([RIVULET, "info", "--json", path], capture_output=True, text=True, check=True)
        described = json.loads(run.stdout)
        described.pop("file", None)
        return hashlib.sha1(json.dumps(described, sort_keys=True).encode()).hexdigest()[:16]
    with open(path, "rb") as stream:
        return hashlib.sha1(stream.read()).hexdigest()[:16]


def cook(name, path, workers, isa):
    """{frame: {"state": hash, file: hash}} of a run."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    where = tempfile.mkdtemp(prefix="rivulet_net_", dir=base)
    try:
        out = os.path.join(where, "out")
        assignments, last = SMALL.get(name, ([], FRAMES))
        words = [RIVULET, "cook", with_caches(path, where), "--out", out, "--report", os.path.join(where, "report.jsonl"),
                 "--quiet", "--threads", str(workers), "--frames", f"1-{last}"]
        for assignment in assignments:
            words += ["--set", assignment]
        run = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "RIVULET_ISA": isa})
        if run.returncode:
            sys.exit(f"FAILED: {name}: exit {run.returncode}: {run.stderr}")
        frames = {}
        with open(os.path.join(where, "report.jsonl"), encoding="utf-8") as stream:
            for line in map(json.loads, stream):
                frames[str(line["frame"])] = {"state": line["hash"]}
        for file in sorted(glob.glob(os.path.join(out, "*.*"))):
            parts = os.path.basename(file).split(".")
            if os.path.isfile(file) and len(parts) > 2 and parts[1].isdigit():
                frames[str(int(parts[1]))][parts[0] + "." + ".".join(parts[2:])] = content(file)
        return frames
    finally:
        shutil.rmtree(where, ignore_errors=True)


def differences(name, kept, found):
    for frame in sorted(set(kept) | set(found), key=int):
        for what in sorted(set(kept.get(frame, {})) | set(found.get(frame, {}))):
            a, b = kept.get(frame, {}).get(what), found.get(frame, {}).get(what)
            if a != b:
                yield f"{name}, frame {frame}, {what}: kept {a}, now {b}"


def main():
    words = sys.argv[1:]
    renew = "--renew" in words
    every = renew or "--all" in words
    names = [word for word in words if not word.startswith("--")]
    found = scenes()
    kept = {}
    if os.path.exists(HASHES):
        with open(HASHES, encoding="utf-8") as stream:
            kept = json.load(stream)
    wrong, runs = [], []
    for turn, name in enumerate(found):
        if names and name not in names:
            continue
        pairs = [(w, i) for w in WORKERS for i in INSTRUCTION_SETS]
        runs += [(name, w, i) for w, i in (pairs if every else [pairs[turn % len(pairs)]])]
    # a scene that nobody has hashed, or a hash of a scene that is gone, is a hole in the net
    if not names and not renew and set(kept) != set(found):
        wrong.append(f"scenes and hashes differ: {sorted(set(kept) ^ set(found))}; renew them")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        cooked = list(pool.map(lambda run: cook(run[0], found[run[0]], run[1], run[2]), runs))
    fresh = {}
    for (name, workers, isa), frames in zip(runs, cooked):
        reference = fresh.setdefault(name, frames) if renew else kept.get(name, {})
        wrong += [f"{line} ({workers} workers, {isa})" for line in differences(name, reference, frames)]
    if wrong:
        print("\n".join(wrong[:40] + ([f"and {len(wrong) - 40} more"] if len(wrong) > 40 else [])))
        return 1
    if renew:
        kept = {**{k: v for k, v in kept.items() if k in found}, **fresh}
        with open(HASHES, "w", encoding="utf-8") as stream:
            json.dump(kept, stream, indent=0, sort_keys=True)
            stream.write("\n")
    print(f"{len(runs)} runs of {len(set(r[0] for r in runs))} scenes have the hashes that are kept")
    return 0


sys.exit(main())
