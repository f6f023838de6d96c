"""Ctrl-C: exit code 130, whole files only, and --resume goes on to the end of a straight run."""
import json
import os
import signal
import subprocess

import host_run as h


def main():
    where = h.folder()
    try:
        scene, straight, expected = h.straight_run(where)
        # a checkpoint tells what it holds
        newest = os.path.join(straight, "checkpoints", "wet.0024.rvck")
        told = json.loads(subprocess.run([h.HOST, "info", "--json", newest], stdout=subprocess.PIPE, check=True).stdout)
        h.check((told["kind"], told["node"], told["frame"]) == ("checkpoint", "wet", 24), f"info tells {told}")
        hits = 0
        numbers = h.random(7)
        for trial in range(6):
            out = os.path.join(where, f"trial{trial}")
            report = os.path.join(out, "report.jsonl")
            process = subprocess.Popen(h.command(scene, out, "--report", report), stderr=subprocess.PIPE, text=True)
            # not before the run has begun: until then a signal ends the process as it ends any
            h.wait_for_frame(process, out, int(next(numbers) * 20), numbers)
            process.send_signal(signal.SIGINT)
            process.communicate()
            h.check(process.returncode in (0, 130), f"interrupted run ended with {process.returncode}")
            hits += process.returncode == 130
            h.compare(out, expected, some=True)
            h.check(not h.temporaries(out), f"temporaries were left: {h.temporaries(out)}")
            h.must_cook(scene, out, "--resume", "--report", report)
            h.compare(out, expected)
            # one line a frame, with the hashes of the straight run
            lines = [json.loads(line) for line in open(report)]
            wanted = [json.loads(line) for line in open(os.path.join(straight, "report.jsonl"))]
            h.check([(l["frame"], l["hash"]) for l in lines] == [(l["frame"], l["hash"]) for l in wanted],
                    "the reports differ")
        h.check(hits >= 3, f"only {hits} interrupts hit")
    finally:
        h.clean(where)


main()
