#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every verb has a help text, every example in it runs, and its manual page has the same arguments, options and examples.

    help.py --bin DIR
"""

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


def plain(page):
    """The text that a terminal shows for a manual page, joined into one line."""
    for sequence, character in {"\\-": "-", "\\&": "", "\\(aq": "'", "\\(ga": "`", "\\(ha": "^", "\\(ti": "~", "\\e": "\\"}.items():
        page = page.replace(sequence, character)
    return " ".join(page.split())


def missing_in_page(binary, verb, text):
    """The parts of a verb's help text that its manual page lacks. A page also describes the verb's subverbs."""
    done = subprocess.run([binary, "help", "--man", *verb[:1]], capture_output=True, text=True, check=False)
    page = plain(done.stdout)
    if not done.stdout.startswith(".TH TESSERA"):
        return [f"--man prints {done.stdout[:40]!r}"]
    said = [line.strip() for line in section(text, "Examples")]
    said += [re.split(r"  +", line.strip())[0] for line in text.split("\n\n", 2)[-1].splitlines()
             if re.match(r"  (-|[A-Z])", line) and line not in section(text, "Examples")]
    return [f"the manual page lacks {part!r}" for part in said if " ".join(part.split()) not in page]


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
        problems += [f"{name}: {one}" for one in missing_in_page(binaries / "tessera", verb, text)]
        verbs = [line.split()[0] for line in section(text, "Verbs") if re.match(r"  \S", line)]
        waiting += [verb + [one] for one in verbs]
        examples = [line.strip() for line in section(text, "Examples")]
        if not verbs and not examples and verb[0] != "completion":
            problems.append(f"{name} --help has no examples")
        for example in examples:
            count += 1
            if example.startswith("mpirun"):
                continue  # tests/mpi starts such jobs, with as many processes as the machine allows
            if example.startswith("tessera explore"):
                example = f"echo '<title>Tessera explorer</title><div id=\"page\"></div>' > page.html; TESSERA_EXPLORER=page.html {example} --no-open --save shown.html"
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
                done = subprocess.run(["bash", "-c", example], cwd=folder, env=env, capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL, timeout=60, check=False)
            # 1 means "no", which is an answer; a note says what the answer assumes.
            errors = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
            if done.returncode > 1 or errors or "tessera" not in example:
                problems.append(f"{name} --help: $ {example}\n  status {done.returncode}: {done.stderr}")
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{count} examples, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
