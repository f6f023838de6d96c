"""Folders of baked frames. A finished bake stays until the artist asks for its replacement.

A bake works in FOLDER.part. When all its frames are there, the folder gets its own name; a bake that was there before is
removed then, and only if that was asked for. A cancelled bake stays in FOLDER.part and goes on from there, until a bake of
other values takes its place. Scene and inputs are written to FOLDER.new first, to see whether they are those of a bake.
"""
import hashlib
import json
import os
import shutil

NOTE = "bake.json"    # says of which values a folder is a bake, and whether it is finished
PART = ".part"        # of the name of a folder in which a bake works
STAGE = ".new"        # of a folder with a scene and its inputs, before it is known what to do with them
OLD = ".replaced"     # of a bake that is being replaced
SCENE, REPORT = "scene.json", "report.jsonl"

NEW, RESUME, DONE, REFUSED = "new", "resume", "done", "refused"


def _beside(folder, ending):
    return folder.rstrip("/\\") + ending


def part(folder):
    return _beside(folder, PART)


def write(path, data):
    """Writes bytes under a temporary name, so that no reader sees half a file."""
    temporary = path + ".tmp"
    with open(temporary, "wb") as stream:
        stream.write(data)
    os.replace(temporary, path)


def stage(folder):
    """An empty folder for a scene and its inputs."""
    new = _beside(folder, STAGE)
    if os.path.isdir(new):
        shutil.rmtree(new)
    os.makedirs(new)
    return new


def key(folder, files, preview=1.0):
    """A hash of the scene file, its inputs and the preview factor, which decide what a bake contains."""
    made = hashlib.sha256(("preview %g" % preview).encode("ascii"))
    for name in [SCENE] + sorted(files):
        made.update(name.encode("utf-8") + b"\0")
        with open(os.path.join(folder, name), "rb") as stream:
            made.update(hashlib.sha256(stream.read()).digest())
    return made.hexdigest()[:24]


def read_note(folder):
    """The note of a folder; an empty one if there is none that can be read."""
    try:
        with open(os.path.join(folder, NOTE), encoding="utf-8") as stream:
            note = json.load(stream)
        return note if isinstance(note, dict) else {}
    except (OSError, ValueError):
        return {}


def write_note(folder, **note):
    write(os.path.join(folder, NOTE), json.dumps(note, indent=1).encode("utf-8"))


def finished(folder):
    return bool(read_note(folder).get("finished"))


def shown(folder):
    """The folder whose frames are shown: the finished bake, else the one that is at work or was cancelled."""
    return folder if finished(folder) or not os.path.isdir(part(folder)) else part(folder)


def holds_foreign(folder):
    """Whether a folder has files and none of them says that it is a bake."""
    return os.path.isdir(folder) and bool(os.listdir(folder)) and not read_note(folder)


def plan(folder, new_key, replace=False):
    """What a bake with that key must do: NEW, RESUME, DONE (it is there already) or REFUSED (another one is there)."""
    note = read_note(folder)
    if note.get("finished") and note.get("key") == new_key and not replace:
        return DONE
    if (note.get("finished") or holds_foreign(folder)) and not replace:
        return REFUSED
    before = read_note(part(folder))
    again = os.path.exists(os.path.join(part(folder), "checkpoints", "progress.rvck"))
    return RESUME if before.get("key") == new_key and again else NEW


def take(folder, plan_word):
    """Does with the staged scene what a plan says: NEW begins a bake with it, any other plan does not need it."""
    new = _beside(folder, STAGE)
    if plan_word == NEW:
        if os.path.isdir(part(folder)):
            shutil.rmtree(part(folder))
        os.rename(new, part(folder))
    elif os.path.isdir(new):
        shutil.rmtree(new)


def publish(folder):
    """Gives a finished bake its own name. The one before stays under another name until the new one is in place."""
    old = _beside(folder, OLD)
    if os.path.isdir(old):
        shutil.rmtree(old)
    if os.path.isdir(folder):
        os.rename(folder, old)
    os.rename(part(folder), folder)
    if os.path.isdir(old):
        shutil.rmtree(old)


def free_name(folder):
    """A folder beside this one that has no bake: FOLDER.002 and so on."""
    base = folder.rstrip("/\\")
    stem, dot, number = base.rpartition(".")
    if dot and number.isdigit():
        base = stem
    count = 2
    while os.path.exists("%s.%03d" % (base, count)) or os.path.exists(part("%s.%03d" % (base, count))):
        count += 1
    return "%s.%03d" % (base, count)


def refusal(folder):
    """What the artist is told when a bake is refused."""
    if holds_foreign(folder):
        return "%s has files that are no bake of this add-on: choose another cache folder" % folder
    return "%s holds a finished bake of other values: keep it and bake to a new folder, or replace it" % folder
