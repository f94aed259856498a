#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles files that must not compile, and checks the first error line.

    check.py --compiler CXX --include DIR [--flags FLAGS] FILE...
    check.py --self-test --compiler CXX --include DIR FILE...

Comments in a file say what to expect: each `// first error: TEXT` must be in the first line with 'error:', and
`// at most N lines` bounds what the compiler prints. With --self-test the file must compile without its last line of
code, so that the refusal comes from that line.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile


def compile_file(arguments, path):
    command = [arguments.compiler, "-std=c++20", "-fsyntax-only", "-I", arguments.include, *arguments.flags.split()]
    run = subprocess.run([*command, str(path)], capture_output=True, text=True)
    return run.returncode, run.stderr


def judge(arguments, path):
    text = path.read_text()
    expected = re.findall(r"^// first error: (.+)$", text, re.M)
    limit = re.search(r"^// at most (\d+) lines$", text, re.M)
    if not expected:
        return [f"{path.name}: no expectation"]
    if arguments.self_test:
        lines = text.rstrip("\n").split("\n")
        with tempfile.TemporaryDirectory() as folder:
            part = pathlib.Path(folder) / path.name
            part.write_text("\n".join(lines[:-1]) + "\n")
            code, output = compile_file(arguments, part)
        return [] if code == 0 else [f"{path.name}: fails without its last line:\n{output}"]
    code, output = compile_file(arguments, path)
    if code == 0:
        return [f"{path.name}: compiles"]
    lines = output.rstrip("\n").split("\n")
    first = next((line for line in lines if "error:" in line), "")
    problems = [f"{path.name}: {want!r} is not in the first error line:\n{first}" for want in expected if want not in first]
    if limit and len(lines) > int(limit.group(1)):
        problems.append(f"{path.name}: {len(lines)} lines, at most {limit.group(1)} expected:\n{output}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--flags", default="")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    problems = [problem for path in arguments.files for problem in judge(arguments, path)]
    print("\n".join(problems) if problems else f"{len(arguments.files)} files behave as they say")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
