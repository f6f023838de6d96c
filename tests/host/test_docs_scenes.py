"""Every scene of docs/scenes cooks its first frame without a warning; styles.json shows every style of the groom node."""
import glob
import json
import os
import subprocess
import tempfile

scenes = sorted(glob.glob(os.path.join(os.environ["RV_SOURCE_DIR"], "docs", "scenes", "*.json")))
assert scenes, "no scenes"
for path in scenes:
    with open(path, encoding="utf-8") as stream:
        scene = json.load(stream)
    first = str(scene["frames"][0])
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([os.environ["RIVULET"], "cook", path, "--out", folder, "--frames", first, "--quiet"],
                             capture_output=True, text=True)
        assert run.returncode == 0 and not run.stderr, (path, run.returncode, run.stderr)
        assert [name for name in os.listdir(folder) if name.endswith(".bgeo.sc")], (path, os.listdir(folder))
    if os.path.basename(path) == "styles.json":
        table = subprocess.run([os.environ["RIVULET"], "nodes", "groom", "--json"], capture_output=True, text=True,
                               check=True)
        menu = [parm["menu"] for parm in json.loads(table.stdout)["parms"] if parm.get("token") == "style"][0]
        shown = [node["parms"]["style"] for node in scene["nodes"].values() if node["type"] == "groom"]
        assert shown == [entry["token"] for entry in menu], shown
