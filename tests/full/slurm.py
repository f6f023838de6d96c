"""Wedges on Slurm: munged, slurmctld and slurmd are started by hand on loopback; eight variations, one made to fail, is
run again, and the sheet comes by a dependent job.

  slurm.py RIVULET      needs the packages munge, slurmctld, slurmd, slurm-client, and root
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

CONF = """ClusterName=rivulet
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={work}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation={work}/state
SlurmdSpoolDir={work}/spool
SlurmctldPidFile={work}/slurmctld.pid
SlurmdPidFile={work}/slurmd.pid
SlurmctldLogFile={work}/slurmctld.log
SlurmdLogFile={work}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Cluster:
    """The three daemons, for as long as the test runs."""

    def __init__(self, work):
        host = socket.gethostname().split(".")[0]
        self.work, self.children = work, []
        for name in ("state", "spool"):
            os.makedirs(os.path.join(work, name), exist_ok=True)
        os.chmod(work, 0o755)
        with open(os.path.join(work, "munge.key"), "wb") as stream:
            stream.write(os.urandom(1024))
        os.chmod(stream.name, 0o400)
        conf = os.path.join(work, "slurm.conf")
        with open(conf, "w", encoding="utf-8") as stream:
            stream.write(CONF.format(host=host, work=work))
        self.environment = dict(os.environ, SLURM_CONF=conf)
        self.start("munged", "--foreground", "--force", "--key-file", work + "/munge.key", "--socket", work + "/munge.socket",
                   "--pid-file", work + "/munged.pid", "--log-file", work + "/munged.log", "--seed-file", work + "/munged.seed")
        self.wait(lambda: os.path.exists(work + "/munge.socket"), "munged")
        self.start("slurmctld", "-D", "-f", conf)
        self.start("slurmd", "-D", "-f", conf, "-N", host)
        self.wait(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), "a node")

    def start(self, *words):
        program = shutil.which(words[0], path=os.environ["PATH"] + ":/usr/sbin")
        with open(os.path.join(self.work, words[0] + ".out"), "w", encoding="utf-8") as log:
            self.children.append(subprocess.Popen([program, *words[1:]], env=self.environment, stdout=log, stderr=log))

    def ask(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False).stdout

    def wait(self, good, what, seconds=90):
        for _ in range(4 * seconds):
            if good():
                return
            time.sleep(0.25)
        for name in os.listdir(self.work):
            if name.endswith((".log", ".out")):
                with open(os.path.join(self.work, name), encoding="utf-8", errors="replace") as stream:
                    print("==", name, stream.read()[-2000:])
        raise SystemExit("%s did not come in %d s" % (what, seconds))

    def stop(self):
        for child in reversed(self.children):
            child.terminate()
        for child in self.children:
            child.wait()


def wedge(cluster, rivulet, *words):
    done = subprocess.run([rivulet, "wedge", *words, "--slurm"], env=cluster.environment, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    jobs = dict(line.split() for line in done.stdout.splitlines())
    cluster.wait(lambda: not cluster.ask("squeue", "-h", "-j", "%s,%s" % (jobs["array"], jobs["sheet"])).strip(),
                 "the end of the jobs", 300)
    return jobs


def main():
    rivulet = os.path.abspath(sys.argv[1])
    for name in ("munged", "slurmctld", "slurmd", "sbatch"):
        if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin"):
            print("%s is missing" % name)
            return 77
    work = tempfile.mkdtemp()
    out, scene = os.path.join(work, "wedges"), os.path.join(work, "scene.json")
    with open(scene, "w", encoding="utf-8") as stream:
        json.dump({"rivulet": 1, "frames": [1, 2], "nodes": {
            "skin": {"type": "file", "parms": {"file": "$HIP/skin1.geo"}},
            "hair": {"type": "groom", "inputs": ["skin"], "parms": {"count": 100, "length": 0.5, "points": 5, "radius": 0.01}},
            "out": {"type": "filecache", "inputs": ["hair"], "parms": {"file": "$OUT/hair.$F4.bgeo.sc"}}}}, stream)
    ball = os.path.join(work, "ball.json")
    with open(ball, "w", encoding="utf-8") as stream:
        json.dump({"rivulet": 1, "nodes": {"b": {"type": "sphere"}, "o": {
            "type": "filecache", "inputs": ["b"], "parms": {"file": "$HIP/skin1.geo"}}}}, stream)
    subprocess.run([rivulet, "cook", ball, "--out", work, "--quiet"], check=True)
    for k in range(2, 8):
        shutil.copy(work + "/skin1.geo", work + "/skin%d.geo" % k)
    cluster = Cluster(work)
    try:
        # the eighth skin is not there
        vary = "skin.file=" + ",".join("$HIP/skin%d.geo" % k for k in range(1, 9))
        wedge(cluster, rivulet, scene, "--vary", vary, "--out", out, "--size", "160x90")
        done = [os.path.exists(os.path.join(out, "w%04d" % k, "done")) for k in range(8)]
        assert done == [True] * 7 + [False], done
        sheet = os.path.join(out, "sheet.png")
        assert os.path.exists(sheet), "no sheet"
        with open(os.path.join(out, "slurm_7.txt"), encoding="utf-8") as stream:
            assert "skin8.geo" in stream.read()
        before, first = os.stat(sheet).st_mtime_ns, os.stat(os.path.join(out, "w0000", "done")).st_mtime_ns
        shutil.copy(work + "/skin1.geo", work + "/skin8.geo")
        wedge(cluster, rivulet, out, "--failed")
        assert os.path.exists(os.path.join(out, "w0007", "done")) and os.stat(sheet).st_mtime_ns > before
        assert os.stat(os.path.join(out, "w0000", "done")).st_mtime_ns == first, "what was done was done again"
        print("8 wedges on Slurm, one failed and was run again; sheet of %d bytes" % os.stat(sheet).st_size)
    finally:
        cluster.stop()
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
