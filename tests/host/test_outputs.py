"""--resume compares the files of finished frames with the journal of their checksums: what is missing, cut, longer or changed
by a byte is cooked again, with the bytes of a straight run; nothing else is."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

RIVULET = os.environ["RIVULET"]
FRAMES = 8
SCENE = {
    "rivulet": 1, "fps": 24, "frames": [1, FRAMES],
    "nodes": {
        "ball": {"type": "sphere", "parms": {"radius": 0.02}},
        "hair": {"type": "groom", "inputs": ["ball"], "parms": {"count": 8, "length": 0.02, "points": 7}},
        "move": {"type": "transform", "inputs": ["hair"], "parms": {"tx": {"keys": [[1, 0], [8, 0.1]]}}},
        "sim": {"type": "strandsolver", "inputs": ["move"]},
        "strands": {"type": "filecache", "inputs": ["sim"], "parms": {"file": "$OUT/strands.$F4.bgeo.sc"}},
        "skin": {"type": "filecache", "inputs": ["move"], "parms": {"file": "$OUT/a name/skin %.$F4.geo"}},
    },
}


def check(truth, what):
    if not truth:
        sys.exit("FAILED: " + what)


def cook(where, out, *options):
    """(frames cooked, standard error)"""
    words = [RIVULET, "cook", os.path.join(where, "scene.json"), "--out", out, "--threads", "1", *options]
    done = subprocess.run(words, capture_output=True, text=True)
    check(done.returncode == 0, f"{options} ended with {done.returncode}: {done.stderr}")
    return int(re.search(r"cooked (\d+) frame", done.stderr).group(1)), done.stderr


def files(out):
    found = {}
    for root, _, names in os.walk(out):
        for name in names:
            path = os.path.join(root, name)
            if "checkpoints" not in path:
                with open(path, "rb") as stream:
                    found[os.path.relpath(path, out)] = stream.read()
    return found


def change_byte(path):
    """Same size, same time: only the contents tell."""
    times = os.stat(path)
    with open(path, "r+b") as stream:
        stream.seek(times.st_size // 2)
        byte = stream.read(1)
        stream.seek(-1, 1)
        stream.write(bytes([byte[0] ^ 1]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def cut(path):
    os.truncate(path, os.path.getsize(path) - 1)


def grow(path):
    with open(path, "ab") as stream:
        stream.write(b" ")


def swap_frames(path):
    shutil.copy(path, path.replace("0005", "0004"))


def drop_journal(path):
    os.remove(path)


def cut_journal(path):
    os.truncate(path, os.path.getsize(path) - 5)


# what is done to a file, which, the frames that are cooked again, and the word of the warning
DAMAGES = [
    (os.remove, "strands.0003.bgeo.sc", 1, "1 missing"),
    (os.remove, f"strands.{FRAMES:04d}.bgeo.sc", 1, "1 missing"),
    (cut, "strands.0001.bgeo.sc", 1, "1 cut"),
    (grow, "a name/skin %.0006.geo", 1, "1 cut or longer"),
    (change_byte, "strands.0005.bgeo.sc", 1, "1 changed"),
    (change_byte, "a name/skin %.0002.geo", 1, "1 changed"),
    (swap_frames, "strands.0005.bgeo.sc", 1, "1 "),
    (drop_journal, "checkpoints/outputs.rvck", FRAMES, f"{2 * FRAMES} without a record"),
    (cut_journal, "checkpoints/outputs.rvck", 1, "1 without a record"),
    (change_byte, "checkpoints/outputs.rvck", 1, "1 without a record"),
]


def each_damage(where, expected):
    for harm, name, frames, words in DAMAGES:
        out = os.path.join(where, "harmed")
        shutil.copytree(os.path.join(where, "straight"), out, copy_function=shutil.copy2)
        harm(os.path.join(out, name))
        cooked, text = cook(where, out, "--resume")
        check(cooked == frames, f"{harm.__name__} {name}: {cooked} frames were cooked, not {frames}: {text}")
        check(text.count("not what was written") == 1 and words in text, f"{harm.__name__} {name}: told {text}")
        check(files(out) == expected, f"{harm.__name__} {name}: the files differ from those of a straight run")
        # it holds now
        cooked, text = cook(where, out, "--resume")
        check(cooked == 0 and "not what was written" not in text, f"{harm.__name__} {name}: not mended: {text}")
        shutil.rmtree(out)


def several_and_more_frames(where, expected):
    """Damage in finished frames of a run that goes on, and a report whose later lines agree with the earlier."""
    out, report = os.path.join(where, "more"), os.path.join(where, "more.jsonl")
    cook(where, out, "--frames", "1-5", "--report", report)
    for frame in (2, 3):
        os.remove(os.path.join(out, f"strands.{frame:04d}.bgeo.sc"))
    cut(os.path.join(out, "strands.0005.bgeo.sc"))
    cooked, text = cook(where, out, "--resume", "--report", report)
    check(cooked == 6 and "3 of 10 files" in text, f"mended and went on with {cooked} frames: {text}")
    check(files(out) == expected, "the files differ from those of a straight run")
    lines = [json.loads(line) for line in open(report)]
    check([line["frame"] for line in lines] == [1, 2, 3, 4, 5, 2, 3, 5, 6, 7, 8], "the frames of the report")
    hashes = {}
    for line in lines:
        check(hashes.setdefault(line["frame"], line["hash"]) == line["hash"], f"frame {line['frame']} has two hashes")


def moved_folder(where, expected):
    """Paths are kept relative to the output folder."""
    cook(where, os.path.join(where, "here"))
    os.rename(os.path.join(where, "here"), os.path.join(where, "there"))
    cooked, text = cook(where, os.path.join(where, "there"), "--resume")
    check(cooked == 0, f"{cooked} frames were cooked after a move: {text}")
    check(files(os.path.join(where, "there")) == expected, "the files of a moved folder differ")


def killed_while_mending(where, expected):
    out = os.path.join(where, "killed")
    cook(where, out)
    for trial in range(4):
        for frame in range(1, FRAMES + 1):
            change_byte(os.path.join(out, f"strands.{frame:04d}.bgeo.sc"))
        words = [RIVULET, "cook", os.path.join(where, "scene.json"), "--out", out, "--resume", "--quiet"]
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=0.02 * (trial + 1))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        cook(where, out, "--resume")
        check(files(out) == expected, f"trial {trial}: killed while it was mended, the files differ")


# A stage with VDBs, which stand in a file beside it, and one without.
STAGES = {
    "rivulet": 1, "fps": 24, "frames": [1, 3],
    "nodes": {
        "drops": {"type": "fill", "parms": {"size": [0.02, 0.02, 0.02], "particlesep": 0.005}},
        "go": {"type": "transform", "inputs": ["drops"], "parms": {"tx": {"keys": [[1, 0], [3, 0.1]]}}},
        "skin": {"type": "surface", "inputs": ["go"], "parms": {"particlesep": 0.005}},
        "stage": {"type": "filecache", "inputs": ["skin"], "parms": {"file": "$OUT/stage.$F4.usda"}},
        "plain": {"type": "filecache", "inputs": ["go"], "parms": {"file": "$OUT/plain.$F4.usda"}},
    },
}


def drop_volume_line(path):
    with open(path, encoding="utf-8") as stream:
        lines = stream.readlines()
    with open(path, "w", encoding="utf-8") as stream:
        stream.writelines(line for line in lines if "stage.0002.volume" not in line)


def stages(where):
    """The .vdb beside a USD stage is an output like the stage: it is verified, and has one writer."""
    with open(os.path.join(where, "scene.json"), "w", encoding="utf-8") as stream:
        json.dump(STAGES, stream)
    out, journal = os.path.join(where, "stages"), "checkpoints/outputs.rvck"
    cook(where, out)
    for harm, name, words in ((os.remove, "stage.0002.volume.vdb", "1 missing"), (cut, "stage.0001.volume.vdb", "1 cut"),
                              (change_byte, "stage.0003.volume.vdb", "1 changed"), (drop_volume_line, journal, "1 without a record")):
        harm(os.path.join(out, name))
        cooked, text = cook(where, out, "--resume")
        check(cooked == 1 and words in text, f"{harm.__name__} {name}: {cooked} frames were cooked: {text}")
        cooked, text = cook(where, out, "--resume")
        check(cooked == 0 and "their 9 files" in text, f"{harm.__name__} {name}: not mended: {text}")
    # A stage without VDBs has no file beside it: one of that name is somebody else's.
    with open(os.path.join(out, "plain.0002.volume.vdb"), "w", encoding="utf-8") as stream:
        stream.write("not ours")
    cooked, text = cook(where, out, "--resume")
    check(cooked == 0 and "their 9 files" in text, f"a file of somebody else: {text}")
    # Another node that writes the file beside the stage.
    twice = json.loads(json.dumps(STAGES))
    twice["nodes"]["grids"] = {"type": "filecache", "inputs": ["skin"], "parms": {"file": "$OUT/stage.$F4.volume.vdb"}}
    with open(os.path.join(where, "twice.json"), "w", encoding="utf-8") as stream:
        json.dump(twice, stream)
    done = subprocess.run([RIVULET, "cook", os.path.join(where, "twice.json"), "--out", out + "2"], capture_output=True, text=True)
    check(done.returncode == 1 and "'stage'" in done.stderr and "'grids'" in done.stderr and "volume.vdb'" in done.stderr,
          f"two writers: {done.returncode}, {done.stderr}")


def main():
    where = tempfile.mkdtemp(prefix="rivulet_outputs_", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        with open(os.path.join(where, "scene.json"), "w", encoding="utf-8") as stream:
            json.dump(SCENE, stream)
        cook(where, os.path.join(where, "straight"))
        expected = files(os.path.join(where, "straight"))
        check(len(expected) == 2 * FRAMES, f"{len(expected)} files were written")
        each_damage(where, expected)
        several_and_more_frames(where, expected)
        moved_folder(where, expected)
        killed_while_mending(where, expected)
        stages(where)
        print(f"{len(DAMAGES)} damages were found and mended")
    finally:
        shutil.rmtree(where, ignore_errors=True)


main()
