"""Every relative link and picture of the README and the manual leads somewhere."""
import os
import re
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")
pages = [os.path.join(top, "README.md")]
for folder, _, names in os.walk(os.path.join(top, "docs")):
    pages += [os.path.join(folder, name) for name in names if name.endswith(".md")]
broken, links = [], 0
for page in pages:
    with open(page, encoding="utf-8") as stream:
        text = re.sub(r"```.*?```", "", stream.read(), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if re.match(r"[a-z]+:", target):
            continue
        links += 1
        if not os.path.exists(os.path.join(os.path.dirname(page), target)):
            broken.append(f"{page}: {target}")
assert links > 20, "no links found"
print("\n".join(broken) or f"{links} links lead somewhere")
sys.exit(1 if broken else 0)
