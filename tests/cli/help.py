#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every verb has a help text, and every example in it runs.  help.py --bin DIR"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def help_of(binary, verb):
    done = subprocess.run([binary, *verb, "--help"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def section(text, title):
    match = re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.M)
    return match.group(1).splitlines() if match else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/bin")
    binaries = parser.parse_args().bin.resolve()
    env = dict(os.environ, PATH=f"{binaries}:{os.environ['PATH']}")
    problems, count, waiting = [], 0, [[]]
    while waiting:
        verb = waiting.pop()
        name = " ".join(["tessera", *verb])
        status, text = help_of(binaries / "tessera", verb)
        if status != 0 or not re.search(rf"^Usage: {name}\b", text, re.M):
            problems.append(f"{name} --help: status {status}, prints {text!r}")
        verbs = [line.split()[0] for line in section(text, "Verbs") if re.match(r"  \S", line)]
        waiting += [verb + [one] for one in verbs]
        examples = [line.strip() for line in section(text, "Examples")]
        if not verbs and not examples and verb[0] != "completion":
            problems.append(f"{name} --help has no examples")
        for example in examples:
            count += 1
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
                done = subprocess.run(["bash", "-c", example], cwd=folder, env=env, capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL, timeout=60, check=False)
            # 1 means "no", which is an answer.
            if done.returncode > 1 or done.stderr or "tessera" not in example:
                problems.append(f"{name} --help: $ {example}\n  status {done.returncode}: {done.stderr}")
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{count} examples, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
