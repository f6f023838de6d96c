"""kill -9 at random moments, then --resume: twenty times, and the end is that of a straight run, byte for byte."""
import os
import signal
import subprocess

import host_run as h

TRIALS = 20


def kill_at(frame, numbers, scene, out, *options):
    """True if the run was still going when it was killed."""
    process = subprocess.Popen(h.command(scene, out, *options), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    h.wait_for_frame(process, out, frame, numbers)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def main():
    where = h.folder()
    try:
        scene, _, expected = h.straight_run(where)
        h.check(len([n for n in expected if n.startswith("state.")]) == 24, "24 states should be there")
        hits = 0
        seed = 2026
        print(f"seed {seed}")
        numbers = h.random(seed)
        for trial in range(TRIALS):
            out = os.path.join(where, f"trial{trial}")
            frames = []
            # some trials are killed again while they resume
            for again in range(1 + trial % 3):
                frames.append(int(next(numbers) * 24))
                hits += kill_at(frames[-1], numbers, scene, out, *(["--resume"] if again else []))
                if os.path.isdir(out):
                    h.compare(out, expected, some=True)
            print(f"trial {trial}: killed after frames {frames}", flush=True)
            h.must_cook(scene, out, "--resume")
            h.compare(out, expected)
            left = h.temporaries(out)
            h.check(not left, f"temporaries were not swept: {left}")
            h.clean(out)
        print(f"{hits} kills hit a run")
        h.check(hits >= TRIALS // 2, f"only {hits} kills hit")
    finally:
        h.clean(where)


main()
