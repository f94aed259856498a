#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every picture of the documentation is drawn by the command on its page.

    check_pictures.py --bin DIR [--update]
    check_pictures.py --self-test

A page that shows `![...](.../pictures/NAME.svg)` has a line `$ tessera show ... -o NAME.svg`, which must write the
same bytes as docs/pictures/NAME.svg. --update writes the files.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHOWN = re.compile(r"!\[[^\]]+\]\([^)]*pictures/([\w-]+\.svg)\)")


def check(pages, draw, drawn):
    """Returns the problems. `draw(command, name)` gives a picture's bytes; `drawn` has the committed ones by name."""
    problems, seen = [], set()
    for path, text in pages.items():
        commands = re.findall(r"^\$ (tessera show .*-o ([\w-]+\.svg))$", text, re.M)
        for name in SHOWN.findall(text):
            seen.add(name)
            command = next((c for c, n in commands if n == name), None)
            if command is None:
                problems.append(f"{path}: no command draws {name}")
            elif draw(command, name) != drawn.get(name):
                problems.append(f"{path}: docs/pictures/{name} is not what '{command}' draws")
    return problems + [f"docs/pictures/{name}: no page shows it" for name in sorted(set(drawn) - seen)]


def self_test():
    page = "![a](../pictures/a.svg)\n```console\n$ tessera show '2:1' -o a.svg\n```\n"
    assert check({"p": page}, lambda c, n: b"x", {"a.svg": b"x"}) == []
    assert check({"p": page}, lambda c, n: b"y", {"a.svg": b"x"}) != []
    assert check({"p": page}, lambda c, n: b"x", {"a.svg": b"x", "b.svg": b""}) != []
    assert check({"p": "![a](../pictures/a.svg)\n"}, lambda c, n: b"x", {"a.svg": b"x"}) != []
    print("each rule can fail")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/bin")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    binary = options.bin.resolve() / "tessera"
    folder = ROOT / "docs/pictures"
    drawn = {path.name: path.read_bytes() for path in folder.glob("*.svg")}

    def draw(command, name):
        with tempfile.TemporaryDirectory() as here:
            subprocess.run(["bash", "-c", command.replace("tessera", str(binary), 1)], cwd=here, check=True, timeout=60)
            picture = (pathlib.Path(here) / name).read_bytes()
        if options.update:
            (folder / name).write_bytes(picture)
        return picture

    pages = {str(p.relative_to(ROOT)): p.read_text() for p in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]}
    if options.update:
        check(pages, draw, drawn)
        drawn = {path.name: path.read_bytes() for path in folder.glob("*.svg")}
    problems = check(pages, draw, drawn)
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{len(drawn)} pictures, {len(problems)} problems")
    return 1 if problems or not drawn else 0


if __name__ == "__main__":
    sys.exit(main())
