"""The judge of random scenes notices every broken promise: a program that breaks one on purpose is found out.

The broken program cooks a small scene with the real one and then tampers with what it wrote, or with how it ends."""
import os
import stat
import sys
import tempfile

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(top, "tests", "random"))
import judge  # noqa: E402
import scene_maker  # noqa: E402
import shrink  # noqa: E402

SCENE = {"rivulet": 1, "fps": 24, "frames": [1, 3], "metersperunit": 1, "nodes": {
    "hair": {"type": "curve", "parms": {"points": 6, "count": 2, "dist": 0.05, "dir": [1, 0, 0]}},
    "drop": {"type": "fill", "parms": {"size": [0.01, 0.01, 0.01], "particlesep": 0.003}},
    "skin": {"type": "surface", "inputs": ["drop"], "parms": {}},
    "unused": {"type": "sphere", "parms": {"radius": 0.1, "freq": 2}},
    "solve": {"type": "wetsolver", "inputs": ["hair", "drop"], "parms": {"substeps": 2, "maxsubsteps": 3}}}}

# What the broken program does after the real one is done; `out` is the folder, `report` the lines, `words` the command.
BREAKS = {
    "signal": "os.kill(os.getpid(), signal.SIGSEGV)",
    "code": "sys.exit(2)",
    "message": "print('rivulet: node \\'solve\\' (wetsolver), frame 2: something is wrong', file=sys.stderr); sys.exit(1)",
    "nan": "edit(glob.glob(out + '/check_solve_1.*')[0], 'tuples\",[', 'tuples\",[[nan,0,0],')",
    "ledger": "edit(report, '\"drift\": 0', '\"drift\": 2e-12'); edit(report, '\"drift\": ', '\"drift\": 2e-12, \"was\": ')",
    "speed": "swap(out + '/check_solve_2.0003.geo', 'v', '[1e7,0,0]')",
    "stretch": "swap(out + '/check_solve_1.0003.geo', 'P', '[1,2,3],[1,5,3]')",
    "bits": "edit(report, '\"hash\": \"', '\"hash\": \"' + words[words.index('--threads') + 1])",
    "time": "\nwhile True: pass",
    "signal later": "'3' == words[words.index('--threads') + 1] and os.kill(os.getpid(), signal.SIGSEGV)",
    "time later": "\nwhile '3' == words[words.index('--threads') + 1]: pass",
    "memory": "keep = bytearray(os.urandom(1 << 20)) * 1100",
}
PROGRAM = """#!/usr/bin/python3
import glob, os, re, signal, subprocess, sys
words = sys.argv[1:]
done = subprocess.run([%(real)r] + words)
if words[0] != 'cook': sys.exit(done.returncode)
out, report = words[words.index('--out') + 1], words[words.index('--report') + 1]
def edit(path, find, put):
    text = open(path).read()
    open(path, 'w').write(text.replace(find, put, 1))
def swap(path, name, first):
    text = open(path).read()
    at = text.index('"name","%%s"' %% name)
    at = text.index('"tuples",[', at) + len('"tuples",[')
    count = first.count('[')
    rest = re.match(r'\\s*(\\[[^]]*\\],?\\s*){%%d}' %% count, text[at:]).end()
    open(path, 'w').write(text[:at] + first + ',' + text[at + rest:])
%(tamper)s
"""


def broken_program(where, kind, tamper):
    path = os.path.join(where, kind)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(PROGRAM % {"real": REAL, "tamper": tamper})
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def main():
    global REAL
    REAL = judge.RIVULET
    table, wrong = scene_maker.node_table(REAL), []
    verdict = judge.judge(SCENE, table, 1, ((1, ""), (3, "base")), kills=2)
    if verdict.kind:
        wrong.append("the scene is right, and the judge says %s: %s" % (verdict.kind, verdict.text))
    judge.CPU_SECONDS = 3
    with tempfile.TemporaryDirectory() as where:
        for kind, tamper in BREAKS.items():
            # the memory of a sanitizer's shadow is not limited
            if kind == "memory" and judge.SANITIZED:
                continue
            judge.RIVULET = broken_program(where, kind, tamper)
            found = judge.judge(SCENE, table, 1, ((1, ""), (3, "base")))
            print("%-8s %s: %s" % (kind, found.kind, found.text.strip()[:100]))
            if found.kind != kind.split()[0]:
                wrong.append("%s was broken, and the judge says %s %s" % (kind, found.kind, found.text))
        # the minimiser keeps what breaks the promise and drops the rest
        judge.RIVULET = os.path.join(where, "nan")
        small = shrink.shrink(SCENE, table, "nan", 1)
        if "unused" in small["nodes"] or "skin" in small["nodes"] or "solve" not in small["nodes"]:
            wrong.append("the minimiser left %s" % sorted(small["nodes"]))
    print("\n".join(wrong) or "every broken promise was noticed")
    return 1 if wrong else 0


sys.exit(main())
