"""docs/hello.md is true: its scene is cooked by its commands, its program compiled and run."""
import os
import re
import subprocess
import sys
import tempfile

source = os.environ["RV_SOURCE_DIR"]
build = os.environ["RV_BUILD_DIR"]
with open(os.path.join(source, "docs", "hello.md"), encoding="utf-8") as stream:
    page = stream.read()


def block(kind):
    blocks = re.findall(r"```" + kind + r"\n(.*?)```", page, re.S)
    assert len(blocks) == 1, f"one {kind} block expected, found {len(blocks)}"
    return blocks[0]


with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "hello.json"), "w", encoding="utf-8") as stream:
        stream.write(block("json"))
    path = {**os.environ, "PATH": build + os.pathsep + os.environ["PATH"]}
    for i, command in enumerate(block("sh").strip().split("\n")):
        print("$", command, flush=True)
        subprocess.run(command.split(), cwd=folder, env=path, check=True)
        # The page begins with a small draft: 1.4 s of CPU where this was written.
        assert i > 0 or ("--quality draft" in command and "--size 480x270" in command), command
    made = sorted(os.listdir(os.path.join(folder, "hello")))
    assert [n for n in made if n.endswith(".bgeo.sc")] == [f"head.{i:04d}.bgeo.sc" for i in range(1, 25)], made
    assert "draft.png" in made, made
    # the head is in it: the faces of the bust beside the strands
    told = subprocess.run(["rivulet", "info", "hello/head.0012.bgeo.sc"], cwd=folder, env=path, check=True, capture_output=True,
                          text=True).stdout
    assert re.search(r"curves +500", told) and re.search(r"polygons +[0-9]{4}", told), told

    with open(os.path.join(folder, "hello.c"), "w", encoding="utf-8") as stream:
        stream.write(block("c"))
    subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-Wall", "-Wextra", "-Werror", "hello.c",
                    "-I" + os.path.join(source, "include"), "-L" + build, "-lrivulet", "-Wl,-rpath," + build,
                    "-o", "hello_program"], cwd=folder, check=True)
    out = subprocess.run(["./hello_program"], cwd=folder, check=True, capture_output=True, text=True).stdout
    expected = re.search(r"It prints `([^`]*)`", page).group(1)
    assert out.strip() == expected, (out, expected)
    assert os.path.exists(os.path.join(folder, "hair.bgeo.sc"))
print("hello works")
sys.exit(0)
