"""--max-memory: what asks for more ends with one error that names the node, below the limit, with nothing half written;
what fits gives the same bits as without a limit."""
import json
import os
import resource
import subprocess
import sys

import host_run as h

RIVULET = os.environ["RIVULET"]
LIMIT = 256 << 20
# Bytes of the program itself and of libraries, which may come on top between two looks at resident memory.
SLACK = 64 << 20
# Addresses for the program and its libraries, but not for the stacks of 64 threads.
NO_ROOM = 500 << 20


def run(*words, env=None, before=None):
    """(exit code, standard error, largest resident memory in bytes)"""
    with subprocess.Popen([RIVULET, *words], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                          env=dict(os.environ, **(env or {})), preexec_fn=before) as process:
        text = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, text, usage.ru_maxrss * 1024


def cache(source, ending="bgeo.sc"):
    return {"type": "filecache", "inputs": [source], "parms": {"file": "$OUT/out.$F4." + ending}}


def doubling(times):
    nodes, last = {"grid": {"type": "grid"}}, "grid"
    for i in range(times):
        nodes[f"twice{i}"] = {"type": "merge", "inputs": [last, last]}
        last = f"twice{i}"
    nodes["out"] = cache(last)
    return nodes


LIQUID = {"type": "fill", "parms": {"size": [0.4, 0.4, 0.4], "particlesep": 0.02}}
# scene, the node that must be named, and a word of the reason
TOO_LARGE = {
    "a billion particles": ({"pool": {"type": "fill", "parms": {"size": [1, 1, 1], "particlesep": 0.00101,
                                                                 "maxparticles": 1000000000}},
                             "out": cache("pool")}, "pool", "particles"),
    "a tiny voxel": ({"pool": LIQUID, "skin": {"type": "surface", "inputs": ["pool"],
                                               "parms": {"voxelsize": 0.00005, "memorylimit": 1000}},
                      "out": cache("skin", "vdb")}, "skin", "voxelsize"),
    "a tiny voxel of a solid": ({"ball": {"type": "sphere", "parms": {"radius": 1}},
                                 "body": {"type": "collider", "inputs": ["ball"], "parms": {"voxelsize": 0.001}},
                                 "out": cache("body", "vdb")}, "body", "voxels of"),
    "a large sheet, which only the allocator stops": ({"sheet": {"type": "grid", "parms": {"rows": 8192, "cols": 8192}},
                                                       "out": cache("sheet")}, "sheet", "limit"),
    "many strands": ({"hair": {"type": "groom", "parms": {"count": 2000000, "points": 64}}, "out": cache("hair")},
                     "hair", "strands"),
    "merge doubles forty times": (doubling(40), "twice", "points"),
    "a solver's start": ({"pool": {"type": "fill", "parms": {"size": [1, 1, 1], "particlesep": 0.0095}},
                          "flow": {"type": "liquidsolver", "inputs": ["pool"]}, "out": cache("flow:liquid")},
                         "flow", "particles"),
}


def refused(where, name, nodes, node, reason):
    folder = os.path.join(where, name.replace(" ", "_"))
    os.mkdir(folder)
    scene = h.write_scene(folder, {"rivulet": 1, "frames": [1, 2], "nodes": nodes})
    out = os.path.join(folder, "out")
    code, text, memory = run("cook", scene, "--out", out, "--quiet", "--threads", "2", "--max-memory", str(LIMIT))
    print(f"{name}: {memory / 2**20:.0f} MiB: {text.strip()}")
    h.check(code == 1, f"{name}: exit code {code}: {text}")
    h.check(text.count("\n") == 1 and f"node '{node}" in text and reason in text, f"{name}: the message is: {text}")
    h.check("--max-memory" in text or "fit" in text, f"{name}: the message does not say what to do: {text}")
    h.check(memory < LIMIT + SLACK, f"{name}: {memory} bytes were used, and {LIMIT} allowed")
    written = [n for _, _, names in os.walk(out) for n in names if n not in (".lock", "outputs.rvck")]
    h.check(not written, f"{name}: {written} was written")


def grows(where):
    """A solver that grows over the limit in the middle of a run: the frames before it are whole."""
    nodes = {"ball": {"type": "sphere", "parms": {"radius": 0.1}},
             "jet": {"type": "source", "inputs": ["ball"], "parms": {"mode": "emit", "rate": 0.05}},
             "flow": {"type": "liquidsolver", "inputs": [None, None, "jet"],
                      "parms": {"particlesep": 0.006, "gravity": [0, 0, 0]}},
             "out": cache("flow:liquid")}
    scene = h.write_scene(where, {"rivulet": 1, "frames": [1, 60], "nodes": nodes})
    out = os.path.join(where, "grows")
    code, text, memory = run("cook", scene, "--out", out, "--quiet", "--max-memory", "128M")
    names = sorted(n for n in os.listdir(out) if n.startswith("out."))
    print(f"grows: {len(names)} frames, {memory / 2**20:.0f} MiB: {text.strip()}")
    h.check(code == 1 and "node 'flow'" in text and "--max-memory" in text, f"grows: {code} {text}")
    h.check(memory < (128 << 20) + SLACK, f"grows: {memory} bytes were used")
    h.check(0 < len(names) < 60 and not any(n.startswith(".") for n in os.listdir(out)), f"grows: {names}")
    for name in names:
        h.check(run("info", os.path.join(out, name))[0] == 0, f"{name} is damaged")


def soon(where):
    """Voxels whose hundred thousands of blocks fit, but not what is in them, are refused after a look at some of them."""
    scene = h.write_scene(where, {"rivulet": 1, "frames": [1, 1], "nodes": {
        "pool": {"type": "fill", "parms": {"size": [0.3, 0.3, 0.3], "particlesep": 0.1}}, "out": cache("skin", "vdb"),
        "skin": {"type": "surface", "inputs": ["pool"], "parms": {"voxelsize": 0.00015, "memorylimit": 1000}}}})
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    code, text, _ = run("cook", scene, "--out", os.path.join(where, "soon"), "--quiet", "--max-memory", str(LIMIT))
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start
    print(f"small voxels: {seconds:.1f} s of CPU: {text.strip()}")
    h.check(code == 1 and "node 'skin'" in text and "voxelsize" in text, f"small voxels: {code} {text}")
    # 0.6 s; all blocks take more than 28 s. A sanitizer takes about ten times as long
    h.check(seconds < (40 if os.environ.get("RV_SANITIZED") else 5), f"small voxels: {seconds} s")


def flood(where):
    """A source of 10,000 cubic metres a second is refused before its particles are made, with what to change."""
    scene = h.write_scene(where, {"rivulet": 1, "frames": [1, 2], "nodes": {
        "can": {"type": "box"}, "tap": {"type": "source", "inputs": ["can"], "parms": {"rate": 10000}},
        "flow": {"type": "liquidsolver", "inputs": [None, None, "tap"], "parms": {"particlesep": 0.02, "maxmemory": 1000}},
        "out": cache("flow:liquid")}})
    code, text, memory = run("cook", scene, "--out", os.path.join(where, "flood"), "--quiet", "--max-memory", str(LIMIT))
    print(f"a flood: {memory / 2**20:.0f} MiB: {text.strip()}")
    h.check(code == 1 and "node 'flow'" in text and "lower its rate" in text and "--max-memory" in text, f"a flood: {code} {text}")
    h.check(memory < LIMIT, f"a flood: {memory} bytes")


def same_bits(where):
    """A limit that suffices changes nothing."""
    nodes = {"pool": {"type": "fill", "parms": {"size": [0.1, 0.1, 0.1], "particlesep": 0.01}},
             "flow": {"type": "liquidsolver", "inputs": ["pool"]}, "out": cache("flow:liquid")}
    scene = h.write_scene(where, {"rivulet": 1, "frames": [1, 3], "nodes": nodes})
    hashes = []
    for limit in ("none", "300M"):
        report = os.path.join(where, limit + ".jsonl")
        code, text, _ = run("cook", scene, "--out", os.path.join(where, limit), "--quiet", "--report", report,
                            "--max-memory", limit)
        h.check(code == 0, f"limit {limit}: {code} {text}")
        with open(report, encoding="utf-8") as stream:
            hashes.append([json.loads(line)["hash"] for line in stream])
    h.check(hashes[0] == hashes[1] and len(hashes[0]) == 3, f"{hashes}")


def options(where):
    """Sizes that are none, the environment, ulimit -v, and flipbook."""
    scene = h.write_scene(where, {"rivulet": 1, "frames": [1, 1], "nodes": {
        "hair": {"type": "groom", "parms": {"count": 2000000, "points": 64}}}})
    out = os.path.join(where, "options")
    for bad in ("", "4X", "-1G", "1", "4Gx", "nan"):
        code, text, _ = run("cook", scene, "--out", out, "--max-memory", bad)
        h.check(code == 1 and "--max-memory" in text, f"--max-memory '{bad}': {code} {text}")
    code, text, _ = run("cook", scene, "--out", out, "--quiet", env={"RIVULET_MAX_MEMORY": "200MiB"})
    h.check(code == 1 and "0.195 GiB" in text, f"environment: {code} {text}")
    # Without an option the limit is nine tenths of what the machine allows, here by ulimit -v. A sanitizer reserves terabytes.
    if not os.environ.get("RV_SANITIZED"):
        code, text, _ = run("cook", scene, "--out", out, "--quiet", "--threads", "1",
                            before=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
        h.check(code == 1 and "node 'hair'" in text and "1.8 GiB" in text, f"ulimit -v: {code} {text}")
        # Threads are started before anything else: where they have no room, the error says how many were asked for.
        code, text, _ = run("cook", scene, "--out", out, "--quiet", "--threads", "64",
                            before=lambda: resource.setrlimit(resource.RLIMIT_AS, (NO_ROOM, NO_ROOM)))
        h.check(code == 2 and "cannot start 64 threads" in text and "--threads" in text, f"--threads 64: {code} {text}")
    picture = os.path.join(where, "picture.png")
    code, text, memory = run("flipbook", scene, "-o", picture, "--quiet", "--max-memory", "200M")
    h.check(code == 1 and "node 'hair'" in text and not os.path.exists(picture), f"flipbook: {code} {text}")
    h.check(memory < (200 << 20) + SLACK, f"flipbook: {memory}")


def main():
    where = h.folder()
    try:
        for name, (nodes, node, reason) in TOO_LARGE.items():
            refused(where, name, nodes, node, reason)
        grows(where)
        flood(where)
        soon(where)
        same_bits(where)
        options(where)
    finally:
        h.clean(where)
    print(f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime:.1f} s of CPU")
    return 0


sys.exit(main())
