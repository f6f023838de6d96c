"""A folder that cannot be written: a file in its place, no right to write, a file system that takes nothing."""
import os
import shutil
import subprocess
import tempfile

import host_run as h

NOBODY = 65534


def file_in_its_place(where, scene):
    out = os.path.join(where, "taken")
    with open(out, "w") as f:
        f.write("a file where the folder should be")
    code, text = h.cook(scene, out)
    h.check(code == 1 and out in text, f"a file in the place of the folder: {code} {text}")
    with open(out) as f:
        h.check(f.read() == "a file where the folder should be", "the file was touched")


def cook_as_nobody(command):
    """None where another user cannot be, or cannot run the host."""
    try:
        return subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, user=NOBODY,
                              group=NOBODY, extra_groups=[])
    except (PermissionError, OSError) as error:
        print(f"no run as another user: {error}")
        return None


def locked_folder(where, scene):
    locked = os.path.join(where, "locked")
    os.mkdir(locked, 0o555)
    out = os.path.join(locked, "out")
    if os.geteuid() != 0:
        code, text = h.cook(scene, out)
    else:
        # root may write everywhere, so somebody else must try; with a copy of the host, since its folder may be root's
        os.chmod(where, 0o755)
        os.chmod(scene, 0o644)
        place = tempfile.mkdtemp(prefix="rivulet_host_")
        try:
            os.chmod(place, 0o755)
            host = shutil.copy(h.HOST, place)
            os.chmod(host, 0o755)
            done = cook_as_nobody([host, *h.command(scene, out)[1:]])
        finally:
            h.clean(place)
        if not done:
            return False
        code, text = done.returncode, done.stderr
    h.check(code == 1 and "Permission denied" in text and locked in text, f"an unwritable folder: {code} {text}")
    h.check(not os.listdir(locked), "something was made in it")
    return True


def no_file_system_for_files(scene):
    """Not even root makes a folder in /proc."""
    out = "/proc/rivulet_out"
    code, text = h.cook(scene, out)
    h.check(code == 1 and out in text, f"a folder in /proc: {code} {text}")


def main():
    where = h.folder()
    try:
        scene = h.write_scene(where)
        file_in_its_place(where, scene)
        no_file_system_for_files(scene)
        if not locked_folder(where, scene):
            print("the folder without the right to write was not tried")
    finally:
        h.clean(where)


main()
