"""A bake in the background: runs `rivulet cook` as a process of its own, reads its progress, and can stop it.

Blender stays usable, and survives if the process does not.
"""
import os
import re
import shutil
import signal
import stat
import subprocess
import threading

from . import cache, faults

_PROGRESS = re.compile(r"frame ([-0-9.]+)/([-0-9.]+) +(\d+)%(?:  (\d+:\d\d) left)?")
INTERRUPTED = 130  # exit code of the program
LINES_KEPT = 40    # of its last words, for an error without a text


def program():
    """The path of `rivulet`: RIVULET, the add-on's own, that of a build of the source tree, or the one in PATH. None if missing."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    tree = os.path.dirname(os.path.dirname(here))
    for path in (os.environ.get("RIVULET"), os.path.join(here, "lib", "rivulet", "rivulet"),
                 os.path.join(tree, "build", "release", "rivulet"), shutil.which("rivulet")):
        if path and os.path.isfile(path):
            return _runnable(path)
    return None


def _runnable(path):
    """Blender unpacks an add-on without the permission to run its programs."""
    if not os.access(path, os.X_OK):
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return path


def command(folder, resume=False, preview=1.0):
    """The command line that bakes FOLDER.part."""
    work = cache.part(folder)
    words = [program(), "cook", os.path.join(work, cache.SCENE), "--out", work, "--report",
             os.path.join(work, cache.REPORT), "--progress"]
    if preview > 1:
        words += ["--preview", "%g" % preview]
    return words + (["--resume"] if resume else [])


class Job:
    """One run. Its fields are read by whoever shows them; no data of Blender is touched."""

    def __init__(self, folder, frames, words):
        self.folder, self.frames, self.words = folder, frames, words
        self.fraction, self.frame, self.left = 0.0, frames[0], ""
        self.error, self.cancelled, self.messages = None, False, []
        self._said, self._asked = [], False
        self._process = self._thread = None

    def start(self):
        """Starts the process and the thread that reads it."""
        if not self.words[0]:
            raise OSError("the program rivulet is missing: install the add-on again, or set RIVULET to its path")
        self._process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.PIPE, start_new_session=True)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def stop(self):
        """Asks the process to end; it finishes the file that it writes."""
        self._asked = True
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def running(self):
        return self._thread is not None and self._thread.is_alive()

    def wait(self):
        self._thread.join()
        return self

    def _read(self):
        with self._process.stderr as stream:
            for line in stream:
                self._take(line.decode("utf-8", "replace").rstrip())
        self._end(self._process.wait())

    def _take(self, line):
        """Reads one line: progress, a message of a node, or the error."""
        progress = _PROGRESS.match(line)
        if progress:
            self.frame = float(progress.group(1))
            self.fraction = int(progress.group(3)) / 100
            self.left = progress.group(4) or ""
            return
        said = faults.message(line)
        if said:
            self.messages.append(said)
        elif line:
            self._said = (self._said + [line])[-LINES_KEPT:]

    def _end(self, code):
        if code == 0:  # progress is told a few times a second, so the last frame may not have been
            self.fraction, self.frame = 1.0, self.frames[-1]
        elif code == INTERRUPTED or (self._asked and code == -signal.SIGINT):  # the latter: before it could listen
            self.cancelled = True
        else:
            errors = [line for line in self._said if line.startswith("rivulet: ")]
            end = "the system ended it (signal %d); it may have run out of memory" % -code if code < 0 else "exit code %d" % code
            self.error = errors[-1] if errors else "the bake stopped: " + (" ".join(self._said[-3:]) or end)


def finish(job, key):
    """Publishes the folder of a job that ended well; notes what there is of any other. True if the bake is complete."""
    work = cache.part(job.folder)
    done = job.error is None and not job.cancelled
    cache.write_note(work, key=key, frames=list(job.frames), finished=done)
    if done:
        cache.publish(job.folder)
    return done
