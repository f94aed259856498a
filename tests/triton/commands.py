#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each command that the report of a TTGIR file prints, or its page, as a user pastes it into a shell, and compares what
the command counts with what the report says.

    commands.py --bin BUILD/bin [FILE...]    exits with 0 and prints a count, or with 1 and the first difference
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = [ROOT / "examples/ttgir", ROOT / "tests/vectors/triton/ttgir", ROOT / "../shared/vectors/triton/ttgir"]
PAGE = re.compile(r'<script[^>]*id="data"[^>]*>(.*?)</script>', re.S)
TOTAL = re.compile(r"^total +(\d+) wavefronts, floor (\d+)$", re.M)
LEVEL = re.compile(r"^(\w+): of (\d+) registers")


def told(tessera, path):
    """Each command of a report, with the operation of the page that has it."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        done = subprocess.run([tessera, "info", path, "--report", page], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None, done.stderr
        operations = json.loads(PAGE.search(page.read_text()).group(1))["operations"]
    return {one["command"]: one for one in operations if "command" in one}, ""


def flaw(tessera, command, operation):
    line = f"{tessera}{command.removeprefix('tessera')}"
    answer = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    # 1: there are conflicts.
    if answer.returncode not in (0, 1) or answer.stderr:
        return f"status {answer.returncode}\n{answer.stdout[-500:]}{answer.stderr[-500:]}"
    if operation["kind"] == "conversion":
        level = LEVEL.search(answer.stdout)
        points = sum(n for name, n in operation["counts"].items() if name != "points")
        if not level or level.groups() != (operation["level"], str(points)):
            return f"the report has {operation['level']} of {points}, the command {level and level.groups()}"
        return None
    total = TOTAL.search(answer.stdout)
    want = operation["wavefronts"], operation["ideal"]
    if not total or tuple(map(int, total.groups())) != want:
        return f"the report has {want}, the command {total and total.groups()}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    tessera = args.bin / "tessera"
    files = args.files or [path for folder in FOLDERS for path in sorted(folder.glob("*.ttgir"))]
    commands, tries = {}, set()
    for path in files:
        own, error = told(tessera, path)
        if own is None:
            if "error[" not in error:  # a file may be refused, but not without a word
                print(f"{path.name}: {error}")
                return 1
            continue
        commands |= own
        text = subprocess.run([tessera, "info", path], capture_output=True, text=True, check=True).stdout
        lines = [line.strip().removeprefix("try: ") for line in text.splitlines() if line.strip().startswith("try: ")]
        for line in lines:
            if line not in own:
                print(f"{path.name}: the page has no command\n  {line}")
                return 1
        tries |= set(lines)
    for command, operation in commands.items():
        difference = flaw(tessera, command, operation)
        if difference:
            print(f"{command}\n  {difference}")
            return 1
    print(f"{len(commands)} commands of {len(files)} reports run, {len(tries)} of them after `try:`")
    return 0 if commands and tries else 1


if __name__ == "__main__":
    sys.exit(main())
