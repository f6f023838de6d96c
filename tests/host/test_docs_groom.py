"""The scene of docs/groom.md cooks, without a warning, to the strands it asks for."""
import json
import os
import re
import subprocess
import tempfile

with open(os.path.join(os.environ["RV_SOURCE_DIR"], "docs", "groom.md"), encoding="utf-8") as stream:
    scene = json.loads(re.search(r"```json\n(.*?)```", stream.read(), re.S).group(1))
scene["nodes"]["out"] = {"type": "filecache", "inputs": ["hair"], "parms": {"file": "$OUT/hair.geo"}}
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "groom.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(scene, stream)
    run = subprocess.run([os.environ["RIVULET"], "cook", path, "--out", folder, "--quiet"], capture_output=True, text=True)
    assert run.returncode == 0 and not run.stderr, (run.returncode, run.stderr)
    info = subprocess.run([os.environ["RIVULET"], "info", os.path.join(folder, "hair.geo"), "--json"], capture_output=True,
                          text=True, check=True)
    assert str(12000 * 48) in info.stdout and "skinprimuv" in info.stdout, info.stdout[:500]
