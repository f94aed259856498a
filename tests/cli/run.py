#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the command line and compares what it prints with files of golden cases.

    run.py --bin DIR [--without LIBRARY]... [--update] FILE...
    run.py --self-test

A file holds cases:

    ## the name of a case is a sentence
    ? isl                           an optional library that its answers need; skipped with --without isl
    $ tessera map eval - 3          a command of bash, run in an empty folder (with examples/ in it)
    <(d0) -> (d0)                   a line of its stdin
    >error[syntax]: ...             a line of its stdout, in order
    !<stdin>:1:11: error...         a line of its stderr, in order
    =2                              its exit status; 0 if left out

'...' inside a line matches any text, alone on a line any lines. The commands of a case run in one folder. Other lines
that start with '#' are comments. --update rewrites the expectations that fail.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Command:
    def __init__(self, text, line):
        self.text, self.line = text, line
        self.stdin, self.stdout, self.stderr, self.status = [], [], [], 0


class Case:
    def __init__(self, name):
        self.name, self.needs, self.commands, self.comments = name, [], [], []


def read_cases(text):
    cases, preface = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            cases.append(Case(line[3:]))
        elif line.startswith("? "):
            cases[-1].needs.append(line[2:])
        elif line.startswith("$ "):
            cases[-1].commands.append(Command(line[2:], number))
        elif line.startswith("#"):
            (cases[-1].comments if cases else preface).append(line)
        elif line.strip():
            command = cases[-1].commands[-1]
            mark, rest = line[0], line[1:]
            if mark == "=":
                command.status = int(rest)
            elif mark in "<>!":
                {"<": command.stdin, ">": command.stdout, "!": command.stderr}[mark].append(rest)
            else:
                raise ValueError(f"line {number}: no line of a case: {line}")
    for case in cases:
        if not case.commands:
            raise ValueError(f"case '{case.name}' has no command")
    return preface, cases


def write_cases(preface, cases):
    lines = list(preface)
    for case in cases:
        lines += ["", "## " + case.name, *("? " + library for library in case.needs), *case.comments]
        for command in case.commands:
            lines.append("$ " + command.text)
            lines += ["<" + line for line in command.stdin]
            lines += [">" + line for line in command.stdout]
            lines += ["!" + line for line in command.stderr]
            if command.status:
                lines.append(f"={command.status}")
    return "\n".join(lines).lstrip("\n") + "\n"


def matches(expected, printed):
    pattern = ""
    for line in expected:
        pattern += r"(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def lines_of(data):
    text = data.decode(errors="replace")
    return text[:-1].split("\n") if text.endswith("\n") else text.split("\n") if text else []


def run_case(case, binaries, update):
    """The problems of a case, as texts."""
    problems = []
    env = {k: v for k, v in os.environ.items() if k not in ("COLORFGBG", "COLORTERM", "COLUMNS", "NO_COLOR", "TERM")}
    env.update(PATH=f"{binaries}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    with tempfile.TemporaryDirectory() as folder:
        if (ROOT / "examples").exists():
            os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
        for command in case.commands:
            stdin = "".join(line + "\n" for line in command.stdin).encode()
            done = subprocess.run(["bash", "-c", command.text], cwd=folder, env=env, input=stdin,
                                  capture_output=True, timeout=60, check=False)
            stdout, stderr = lines_of(done.stdout), lines_of(done.stderr)
            for name, want, got in (("stdout", command.stdout, stdout), ("stderr", command.stderr, stderr)):
                if not matches(want, got):
                    problems.append(f"line {command.line}: {name} of '{case.name}'\n  expected\n    " +
                                    "\n    ".join(want) + "\n  got\n    " + "\n    ".join(got))
                    if update:
                        want[:] = got
            if done.returncode != command.status:
                problems.append(f"line {command.line}: status of '{case.name}': expected {command.status}, "
                                f"got {done.returncode}")
                command.status = done.returncode
    return problems


def self_test():
    good = "## c\n$ cat; echo two >&2; exit 3\n<one 17 ms\n>one ... ms\n!two\n=3\n"
    cases = [(good, 0), (good.replace("=3", "=2"), 1), (good.replace("!two", "!three"), 1),
             (good.replace(">one ...", ">two ..."), 1), (good.replace("!two\n", ""), 1),
             ("## c\n$ printf 'a\\nb\\nc\\n'\n>a\n>...\n>c\n", 0), ("## c\n$ printf 'a\\nb\\n'\n>a\n", 1)]
    failed = 0
    for text, expected in cases:
        problems = run_case(read_cases(text)[1][0], "/nonexistent", False)
        if len(problems) != expected:
            failed += 1
            print(f"self-test: expected {expected} problems of\n{text}got {problems}")
    print(f"self-test: {len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/bin")
    parser.add_argument("--without", action="append", default=[], metavar="LIBRARY")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if not (options.bin / "tessera").exists():
        parser.error(f"there is no tessera in {options.bin}")
    count, skipped, problems = 0, 0, []
    for file in options.files:
        preface, cases = read_cases(file.read_text())
        found = []
        for case in cases:
            if set(case.needs) & set(options.without):
                skipped += 1
            else:
                found += run_case(case, options.bin.resolve(), options.update)
        if found and options.update:
            file.write_text(write_cases(preface, cases))
        count += len(cases)
        problems += [f"{file.name}: {problem}" for problem in found]
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{count} cases, {len(problems)} problems" + (f", {skipped} skipped" if skipped else ""))
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
