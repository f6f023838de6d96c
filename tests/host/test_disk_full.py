"""A disk that takes no more: a real error, no half file, nothing older lost, and a resumed run ends as a straight one.
By a limit on the size of files, which everybody may set; and on a full file system, where one can be mounted."""
import os
import resource
import subprocess

import host_run as h


def kept(out, before):
    for name, data in before.items():
        if name.startswith(("state", "drops")):
            h.check(h.files(out).get(name) == data, f"{name} was lost")


def size_limit(where, scene, expected):
    # the states grow: the limit lets the first files pass and not the last
    sizes = [len(expected[f"state.{frame:04d}.bgeo.sc"]) for frame in range(1, 25)]
    limit = sorted(sizes)[len(sizes) // 2]
    h.check(max(sizes) > limit, "the states should grow")
    out = os.path.join(where, "limited")

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    def cook(*options):
        done = subprocess.run(h.command(scene, out, *options), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              text=True, preexec_fn=limited)
        return done.returncode, done.stderr

    code, text = cook()
    h.check(code == 1 and "File too large" in text and out in text, f"too large a file: {code} {text}")
    h.compare(out, expected, some=True)
    h.check(not h.temporaries(out), "a half file was left")
    before = h.files(out)
    code, text = cook("--resume")
    h.check(code == 1 and "File too large" in text, f"still too large: {code} {text}")
    kept(out, before)
    h.must_cook(scene, out, "--resume")
    h.compare(out, expected)


def full(where, scene, expected):
    """On a file system of a few pages; needs the right to mount one."""
    disk = os.path.join(where, "disk")
    os.mkdir(disk)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], stderr=subprocess.DEVNULL)
    if mounted.returncode != 0:
        print("no right to mount a tmpfs: the full file system was not tried")
        return
    try:
        code, text = h.cook(scene, disk)
        h.check(code == 1 and "No space left" in text, f"a full disk: {code} {text}")
        count = h.compare(disk, expected, some=True)
        h.check(count > 3, "some frames should have been written")
        h.check(not h.temporaries(disk), "a half file was left")
        before = h.files(disk)
        # still full: the same error, and all that was there is there
        code, text = h.cook(scene, disk, "--resume")
        h.check(code == 1 and "No space left" in text, f"still full: {code} {text}")
        kept(disk, before)
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        h.must_cook(scene, disk, "--resume")
        h.compare(disk, expected)
    finally:
        subprocess.run(["umount", disk], check=True)


def main():
    where = h.folder()
    try:
        scene = h.write_scene(where)
        straight = os.path.join(where, "straight")
        h.must_cook(scene, straight)
        expected = h.files(straight)
        size_limit(where, scene, expected)
        full(where, scene, expected)
    finally:
        h.clean(where)


main()
