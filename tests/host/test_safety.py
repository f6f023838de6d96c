"""Safe by default: one run a folder and a report, reports write over reports only, one writer a file, scenes stay in the
folders that they are confined to, their text cannot steer a terminal, and a closed terminal stops a run in order."""
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RIVULET = os.environ["RIVULET"]
BASE = {
    "ball": {"type": "sphere", "parms": {"radius": 0.02}},
    "move": {"type": "transform", "inputs": ["ball"], "parms": {"tx": {"keys": [[1, 0], [8, 0.1]]}}},
}


def check(truth, what):
    if not truth:
        sys.exit("FAILED: " + what)


def writer(file, source="move", **parms):
    return {"type": "filecache", "inputs": [source], "parms": {"file": file, **parms}}


def scene(where, nodes, name="scene.json", frames=(1, 3)):
    path = os.path.join(where, name)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"rivulet": 1, "frames": list(frames), "nodes": {**BASE, **nodes}}, stream)
    return path


def cook(*words, **options):
    """(exit code, standard error as bytes)"""
    done = subprocess.run([RIVULET, "cook", *words, "--threads", "1"], capture_output=True, check=False, **options)
    return done.returncode, done.stderr


def refused(what, words, *texts):
    """The run must fail as wrong input, with these texts in its one message."""
    code, text = cook(*words)
    check(code == 1, f"{what}: exit code {code}: {text}")
    for part in texts:
        check(part.encode() in text, f"{what}: '{part}' is not in: {text}")


def accepted(what, words):
    code, text = cook(*words)
    check(code == 0, f"{what}: exit code {code}: {text}")
    return text


def content(path):
    with open(path, "rb") as stream:
        return stream.read()


def put(path, data):
    with open(path, "wb") as stream:
        stream.write(data)


#-------------------------------------------------------------------------------------------------- one run at a time


def locks(where):
    """A locked folder or report is refused before anything is touched; a lock that a crash left is not believed."""
    path, out = scene(where, {"o": writer("$OUT/a.$F4.geo")}), os.path.join(where, "locked")
    report = os.path.join(where, "locked.jsonl")
    accepted("first run", [path, "--out", out, "--report", report])
    before, files = content(report), sorted(os.listdir(out))
    progress = content(os.path.join(out, "checkpoints", "progress.rvck"))
    with open(os.path.join(out, "checkpoints", ".lock"), "r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for more in ([], ["--resume"]):
            refused("locked folder", [path, "--out", out, "--report", report, *more], "another run", out)
    with open(report, "r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused("locked report", [path, "--out", out, "--report", report], "another run writes", report)
        refused("locked report, other folder", [path, "--out", out + "2", "--report", report], "another run writes")
    check(content(report) == before, "a refused run changed the report")
    check(sorted(os.listdir(out)) == files, "a refused run changed the folder")
    check(content(os.path.join(out, "checkpoints", "progress.rvck")) == progress, "a refused run changed the progress")
    put(os.path.join(out, "checkpoints", ".lock"), b"999999999 somewhere\n")
    accepted("stale lock", [path, "--out", out, "--report", report])


def two_runs(where):
    """The first run is stopped in the middle, the second refused, and the first completes its report."""
    path, out = scene(where, {"o": writer("$OUT/a.$F4.geo")}, frames=(1, 40)), os.path.join(where, "two")
    report = os.path.join(where, "two.jsonl")
    first = subprocess.Popen([RIVULET, "cook", path, "--out", out, "--report", report, "--quiet"])
    while not os.path.exists(os.path.join(out, "a.0001.geo")) and first.poll() is None:
        time.sleep(0.001)
    first.send_signal(signal.SIGSTOP)
    if first.poll() is None:
        refused("second run", [path, "--out", out, "--report", report], f"process {first.pid}", out)
    first.send_signal(signal.SIGCONT)
    check(first.wait() == 0, "the first run failed")
    lines = [json.loads(line)["frame"] for line in open(report)]
    check(lines == list(range(1, 41)), f"the report of the first run has the frames {lines}")


#-------------------------------------------------------------------------------------------------- reports


def reports(where):
    path, out = scene(where, {"o": writer("$OUT/a.$F4.geo")}), os.path.join(where, "reports")
    own = content(path)
    refused("report over the scene", [path, "--out", out, "--report", path], "is the scene itself", path)
    link = os.path.join(where, "link.json")
    os.symlink(path, link)
    refused("report over a link to the scene", [path, "--out", out, "--report", link], "is the scene itself")
    check(content(path) == own, "the scene was overwritten")
    for data in (b"# notes\n", b"{\"rivulet\": 1}\n", b"\n", b"\0\1\2"):
        other = os.path.join(where, "other.txt")
        put(other, data)
        for more in ([], ["--resume"]):
            refused("report over another file", [path, "--out", out, "--report", other, *more], "is no report", other)
        check(content(other) == data, "a file that is no report was overwritten")
    nowhere = os.path.join(where, "nowhere")
    os.symlink(os.path.join(where, "victim"), nowhere)
    code, _ = cook(path, "--out", out, "--report", nowhere)
    check(code == 1 and not os.path.exists(os.path.join(where, "victim")), "a dangling link was followed")
    # those that are fine: none, an empty one, an old one, one that was cut in its first line, a pipe, a device
    good = os.path.join(where, "new", "report.jsonl")
    for data in (None, b"", b'{"frame": 9}\n' * 50, b'{"fra'):
        if data is not None:
            put(good, data)
        accepted("report", [path, "--out", out, "--report", good])
        check([json.loads(line)["frame"] for line in open(good)] == [1, 2, 3], f"the report after {data}")
    accepted("report to a device", [path, "--out", out, "--report", "/dev/null"])
    piped = subprocess.run([RIVULET, "cook", path, "--out", out, "--report", "/dev/stdout", "--quiet"],
                           stdout=subprocess.PIPE, check=True).stdout
    check(piped.count(b"\n") == 3, "the report did not come through a pipe")


#-------------------------------------------------------------------------------------------------- writers


def writers(where):
    out = os.path.join(where, "writers")
    os.makedirs(os.path.join(out, "real"))
    os.symlink("real", os.path.join(out, "link"))
    both = {"one": writer("$OUT/real/a.$F4.geo"), "two": writer("$OUT/real/a.$F4.geo", "ball")}
    for name in ("$OUT/real/a.$F4.geo", "$OUT/link/a.$F4.geo", "$OUT/new/../real/./a.$F4.geo", "$OUT//real/a.000$F.geo"):
        both["two"]["parms"]["file"] = name
        refused("two writers", [scene(where, both), "--out", out], "nodes 'one' and 'two'", "a.0001.geo")
        refused("two writers, one asked", [scene(where, both), "--out", out, "--node", "one"], "nodes 'one' and 'two'")
    # they meet at one frame only
    both["two"]["parms"]["file"] = "$OUT/real/a.0003.geo"
    refused("two writers at a frame", [scene(where, both), "--out", out], "nodes 'one' and 'two'", "a.0003.geo")
    check(not os.listdir(os.path.join(out, "real")), "a refused run wrote files")
    both["two"]["parms"]["loadfromdisk"] = 1
    both["two"]["parms"]["missingframe"] = "empty"
    accepted("a writer and a reader", [scene(where, both), "--out", out + "2", "--frames", "1-2"])
    # a sequence needs a frame number, unless it is one frame or nothing moves
    lone = scene(where, {"one": writer("$OUT/a.geo")})
    refused("sequence", [lone, "--out", out], "node 'one'", "a.geo", "$F4")
    accepted("one frame", [lone, "--out", out, "--frames", "2"])
    accepted("nothing moves", [scene(where, {"one": writer("$OUT/a.geo", "ball")}), "--out", out])
    # fractions of frames are not written, so a run that has only them would write nothing
    refused("fractions", [scene(where, {"one": writer("$OUT/b.$F4.geo")}), "--out", out, "--frames", "1.5-3.5"],
            "node 'one'", "whole")


def links_as_targets(where):
    """A link in the place of an output is replaced, never written through."""
    out, victim = os.path.join(where, "links"), os.path.join(where, "victim.geo")
    os.makedirs(out)
    put(victim, b"precious")
    os.symlink(victim, os.path.join(out, "a.0001.geo"))
    accepted("link as target", [scene(where, {"o": writer("$OUT/a.$F4.geo")}), "--out", out])
    check(content(victim) == b"precious", "a run wrote through a link")
    check(not os.path.islink(os.path.join(out, "a.0001.geo")), "the link was not replaced")


#-------------------------------------------------------------------------------------------------- confinement


def confined(where):
    inside, outside = os.path.join(where, "inside"), os.path.join(where, "outside")
    os.makedirs(os.path.join(inside, "sub"))
    os.makedirs(outside)
    source = scene(where, {"o": writer("$OUT/a.$F4.geo")}, "make.json")
    for folder in (inside, outside):
        accepted("files to read", [source, "--out", folder])
    os.symlink(outside, os.path.join(inside, "way_out"))
    os.symlink(os.path.join(outside, "a.0001.geo"), os.path.join(inside, "link.geo"))
    os.symlink(os.path.join(outside, "a.0001.geo"), os.path.join(inside, "held.0000.geo"))
    os.makedirs(inside + "_not")
    shutil.copy(os.path.join(outside, "a.0001.geo"), inside + "_not")

    def reads(name, **parms):
        nodes = {"in": {"type": "file", "parms": {"file": name, **parms}}, "o": writer("$OUT/b.$F4.geo", "in")}
        return [scene(where, nodes, frames=(1, 1)), "--out", os.path.join(inside, "out")]

    for name in (os.path.join(outside, "a.0001.geo"), f"{inside}/../outside/a.0001.geo", f"{inside}/way_out/a.0001.geo",
                 f"{inside}/link.geo", f"{inside}_not/a.0001.geo", "$HIP/outside/a.0001.geo", "/etc/passwd"):
        refused("read " + name, reads(name) + ["--confine", inside], "node 'in'", "outside of the folders", "--confine")
    refused("read of a held frame", reads(f"{inside}/held.$F4.geo", missingframe="hold") + ["--confine", inside],
            "node 'in'", "outside of the folders")
    accepted("read within", reads(f"{inside}/a.0001.geo") + ["--confine", inside])
    accepted("read within two", reads(f"{outside}/a.0001.geo") + ["--confine", f"{inside}:{outside}"])
    accepted("link within two", reads(f"{inside}/link.geo") + [f"--confine={outside}:{inside}"])
    accepted("dots within", reads(f"{inside}/sub/../a.0001.geo") + ["--confine", f"{inside}/sub/.."])
    refused("no folder", reads("x") + ["--confine", ":"], "--confine", "empty")

    count = len(os.listdir(outside))
    for name in (f"{outside}/w.$F4.geo", "$OUT/../../outside/w.$F4.geo", f"{inside}/way_out/w.$F4.geo",
                 f"{inside}/way_out/deep/er/w.$F4.geo", "/tmp/rivulet_confined.$F4.geo"):
        path = scene(where, {"o": writer(name)})
        refused("write " + name, [path, "--out", os.path.join(inside, "out"), "--confine", inside], "node 'o'",
                "outside of the folders")
    check(len(os.listdir(outside)) == count, "a confined scene wrote outside")
    path = scene(where, {"o": writer("$OUT/deep/w.$F4.geo")})
    accepted("write within", [path, "--out", os.path.join(inside, "out"), "--confine", inside])
    # checkpoints through a link, which the scene may have come with
    linked = os.path.join(inside, "linked")
    os.makedirs(linked)
    os.symlink(outside, os.path.join(linked, "checkpoints"))
    refused("checkpoints by a link", [path, "--out", linked, "--confine", inside], "checkpoints", "outside of the folders")
    check(len(os.listdir(outside)) == count, "checkpoints were written outside")
    accepted("checkpoints by a link within two", [path, "--out", linked, "--confine", f"{inside}:{outside}"])
    # flipbook reads too
    nodes = {"in": {"type": "file", "parms": {"file": os.path.join(outside, "a.0001.geo")}}}
    done = subprocess.run([RIVULET, "flipbook", scene(where, nodes, frames=(1, 1)), "--confine", inside, "-o",
                           os.path.join(where, "x.png")], capture_output=True, check=False)
    check(done.returncode == 1 and b"outside of the folders" in done.stderr, f"flipbook: {done.stderr}")
    confined_domes(where, inside, outside)
    confined_wedge(where, inside, outside)


def confined_domes(where, inside, outside):
    """The image of a dome is read within the folders only, also where a file of geometry has its path."""
    def draw(nodes, *words):
        done = subprocess.run([RIVULET, "flipbook", scene(where, nodes, frames=(1, 1)), "--size", "16x16", "--quality", "draft", "--quiet",
                               "-o", os.path.join(inside, "dome.png"), *words], capture_output=True, check=False)
        return done.returncode, done.stderr

    picture = os.path.join(outside, "sky.png")
    check(draw({}, "--threads", "1")[0] == 0, "a picture to read")
    shutil.copy(os.path.join(inside, "dome.png"), picture)
    light = {"lamp": {"type": "light", "parms": {"lighttype": "dome", "dome": "image", "envmap": picture}}}
    path = scene(where, {**light, "o": writer("$OUT/lamp.geo", "lamp")}, frames=(1, 1))
    accepted("a file with the path of an image", [path, "--out", inside])
    foreign = {"lamp": {"type": "file", "parms": {"file": os.path.join(inside, "lamp.geo")}}}
    for name, nodes in (("light", light), ("file", foreign), ("merge", {**foreign, "all": {"type": "merge", "inputs": ["lamp", "move"]}})):
        code, text = draw(nodes, "--confine", inside)
        check(code == 1 and b"outside of the folders" in text and b"node '" in text, f"dome by {name}: exit code {code}: {text}")
        code, text = draw(nodes, "--confine", f"{inside}:{outside}")
        check(code == 0, f"dome by {name} within the folders: exit code {code}: {text}")


def confined_wedge(where, inside, outside):
    """The folders of a wedge bind each of its tasks, wherever and whenever it runs."""
    wedge = os.path.join(inside, "wedge")

    def run(words, cwd):
        return subprocess.run([RIVULET, "wedge", *words], capture_output=True, check=False, cwd=cwd)

    nodes = {"in": {"type": "file", "parms": {"file": f"{inside}/a.0001.geo"}}, "o": writer("$OUT/b.$F4.geo", "in")}
    path = scene(where, nodes, frames=(1, 1))
    values = f"in.file={inside}/a.0001.geo,{outside}/a.0001.geo"
    begin = [path, "--vary", values, "--picture", "none", "--out", wedge, "--confine"]
    done = run([*begin, "inside"], where)
    check(done.returncode == 1 and b"1 of 2 variations failed" in done.stderr, f"wedge: {done.stderr}")
    check(os.path.exists(f"{wedge}/w0000/b.0001.geo") and not os.path.exists(f"{wedge}/w0001/b.0001.geo"), "wedge: files")
    # the folder was given relative to another one than that of the second run
    for words in ([wedge, "--failed"], [wedge, "--task", "1"]):
        done = run(words, outside)
        text = done.stderr + open(f"{wedge}/w0001/log.txt", "rb").read()
        check(done.returncode == 1 and b"outside of the folders" in text, f"wedge {words}: {text}")
    # other folders are another wedge, which needs a folder of its own
    done = run([*begin, f"inside:{outside}"], where)
    check(done.returncode == 1 and b"holds another wedge" in done.stderr, f"wedge in a used folder: {done.stderr}")
    second = wedge + "_two"
    done = run([*begin[:-2], second, "--confine", f"inside:{outside}"], where)
    check(done.returncode == 0 and os.path.exists(f"{second}/w0001/b.0001.geo"), f"wedge within two: {done.stderr}")
    for words, part in (([wedge, "--failed", "--confine", inside], b"--vary"), ([*begin, ":"], b"empty")):
        done = run(words, where)
        check(done.returncode == 1 and b"--confine" in done.stderr and part in done.stderr, f"wedge {words}: {done.stderr}")


#-------------------------------------------------------------------------------------------------- terminal

EVIL = "a\x1b]0;owned\x07\x1b[2J\r\x9b31m‮\x7f\nrivulet: all is well"


def is_plain(data):
    text = data.decode("utf-8")
    return all(c == "\n" or (ord(c) >= 32 and ord(c) != 127 and not 0x80 <= ord(c) < 0xa0 and c not in "‪‫‬‭‮⁦⁧⁨⁩")
               for c in text)


def terminal(where):
    """Names and values of scenes and files reach the terminal without control characters, in one line."""
    out = os.path.join(where, "terminal")
    good = {"in": {"type": "file", "parms": {"file": "x.geo"}}}
    for nodes in ({EVIL: {"type": "sphere"}}, {"n": {"type": EVIL}}, {"n": {"type": "sphere", "parms": {EVIL: 1}}},
                  {"n": {"type": "sphere", "parms": {"radius": EVIL}}}, {"n": {"type": "sphere", EVIL: 1}},
                  {"n": {"type": "transform", "inputs": [EVIL]}}, {"n": {"type": "file", "parms": {"file": EVIL}}},
                  {**good, "n": {"type": "blast", "inputs": ["ball"], "parms": {"group": EVIL}}}):
        code, text = cook(scene(where, nodes, frames=(1, 1)), "--out", out)
        check(code in (0, 1), f"exit code {code}: {text}")
        check(is_plain(text), f"control characters reach the terminal: {text}")
        check(b"\nrivulet: all is well" not in text, f"a forged line: {text}")
    # a file name that a node reports, and an attribute that info shows
    path = scene(where, {"o": {"type": "attribute", "inputs": ["ball"], "parms": {"name": "Cd", "type": "string"}},
                         "w": writer("$OUT/evil.geo", "o")}, frames=(1, 1))
    accepted("a file", [path, "--out", out])
    file = os.path.join(out, "evil.geo")
    data = content(file).replace(b'"Cd"', b'"C\\u001b[2Jd"').replace(b"\"P\"", b"\"P\"")
    put(file, data)
    for words in (["info", file], ["info", "--json", file], ["info", os.path.join(out, EVIL + ".geo")]):
        done = subprocess.run([RIVULET, *words], capture_output=True, check=False)
        check(is_plain(done.stdout) and is_plain(done.stderr), f"{words[:2]}: {done.stdout} {done.stderr}")
    # invalid UTF-8
    done = subprocess.run([RIVULET, "info", b"\xff\xfe\x1b[2J.geo"], capture_output=True, check=False)
    check(done.returncode == 1 and is_plain(done.stderr) and b"\\xff" in done.stderr, f"bytes: {done.stderr}")


#-------------------------------------------------------------------------------------------------- signals


def hang_up(where):
    path, out = scene(where, {"o": writer("$OUT/a.$F4.geo")}, frames=(1, 400)), os.path.join(where, "hangup")

    def begin(*more, **options):
        shutil.rmtree(out, ignore_errors=True)
        process = subprocess.Popen([RIVULET, "cook", path, "--out", out, *more], stderr=subprocess.PIPE, **options)
        while not os.path.exists(os.path.join(out, "a.0002.geo")) and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGHUP)
        return process, process.communicate()[1]

    process, text = begin()
    check(process.returncode == 130 and b"continue with --resume" in text, f"SIGHUP: {process.returncode}: {text}")
    check(not [n for n in os.listdir(out) if n.endswith(".tmp")], "temporaries were left")
    accepted("resume after SIGHUP", [path, "--out", out, "--resume"])
    check(len([n for n in os.listdir(out) if n.endswith(".geo")]) == 400, "frames are missing")
    # nohup ignores the signal, and the run goes on
    process, text = begin(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    check(process.returncode == 0, f"SIGHUP under nohup: {process.returncode}: {text}")


def convert_names(where):
    """All frames of a sequence would go to one file."""
    out = os.path.join(where, "convert")
    accepted("a sequence", [scene(where, {"o": writer("$OUT/a.$F4.geo")}), "--out", out])
    done = subprocess.run([RIVULET, "convert", os.path.join(out, "a.$F4.geo"), os.path.join(out, "$FPS.bgeo"), "--frames",
                           "1-3"], capture_output=True, check=False)
    check(done.returncode == 1 and b"frame number" in done.stderr, f"convert: {done.returncode} {done.stderr}")


def flipbook_names(where):
    """All frames of a folder would go to one picture."""
    out = os.path.join(where, "flipbook")
    accepted("a sequence", [scene(where, {"o": writer("$OUT/a.$F4.geo")}), "--out", out])
    picture = os.path.join(where, "p.png")
    for name in (picture, os.path.join(where, "$FPS.png")):
        for source in (out, os.path.join(where, "scene.json")):
            done = subprocess.run([RIVULET, "flipbook", source, "--frames", "1-3", "--size", "32x18", "--quality", "draft",
                                   "-o", name], capture_output=True, check=False)
            check(done.returncode == 1 and b"$F4" in done.stderr, f"flipbook: {done.returncode} {done.stderr}")
    check(not os.path.exists(picture), "a picture was written")
    done = subprocess.run([RIVULET, "flipbook", out, "--frames", "2-2", "--size", "32x18", "--quality", "draft", "-o",
                           picture], capture_output=True, check=False)
    check(done.returncode == 0 and os.path.exists(picture), f"one frame: {done.returncode} {done.stderr}")


def main():
    where = tempfile.mkdtemp(prefix="rivulet_safety_", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    parts = (locks, two_runs, reports, writers, links_as_targets, confined, terminal, hang_up, convert_names, flipbook_names)
    try:
        for part in parts:
            if len(sys.argv) > 1 and part.__name__ not in sys.argv[1:]:
                continue
            folder = os.path.join(where, part.__name__)
            os.makedirs(folder)
            part(folder)
            print("ok", part.__name__, flush=True)
    finally:
        shutil.rmtree(where, ignore_errors=True)


main()
