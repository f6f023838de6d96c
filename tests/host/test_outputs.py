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
        print(f"{len(DAMAGES)} damages were found and mended")
    finally:
        shutil.rmtree(where, ignore_errors=True)


main()
