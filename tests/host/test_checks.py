"""Every physics check of the program passes, and says in JSON what it measured."""
import json
import os
import re
import subprocess
import sys

done = subprocess.run([os.environ["RIVULET"], "check", "--json"], capture_output=True, text=True, timeout=580)
lines = [json.loads(line) for line in done.stdout.splitlines()]
assert len(lines) >= 14, done.stdout
for line in lines:
    assert set(line) == {"check", "spec", "measured", "expected", "tolerance", "pass"}, line
    assert all(re.fullmatch(r"(WH|SD|WF|HC|VI|AH)-\d+", word) for word in line["spec"].split()), line
    # the verdict is that of the numbers, and a check without room to fail would be none
    assert line["pass"] == (abs(line["measured"] - line["expected"]) <= line["tolerance"]), line
# the capabilities of the hair stage, each by at least one check
proved = {word for line in lines for word in line["spec"].split()}
assert {"WH-1", "WH-2", "WH-3", "WH-4", "WH-5", "WH-10", "WH-12", "WH-44", "WH-45"} <= proved, proved
failed = [line for line in lines if not line["pass"]]
assert not failed and done.returncode == 0, failed
print(f"{len(lines)} lines pass")
sys.exit(0)
