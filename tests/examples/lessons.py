#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of examples/lessons: NAME.sh, NAME.cc and NAME.py must print NAME.txt.

    lessons.py --bin DIR [--compile COMMAND] [--python] [NAME...]

--compile is a command with {source} and {program}; --python runs the Python programs, for which `import tessera` must work.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LESSONS = ROOT / "examples" / "lessons"


def output_of(command, options):
    """The output of a program that runs in an empty folder with a link to examples/."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
        env = dict(os.environ, PATH=f"{options.bin.resolve()}:{os.environ['PATH']}", LC_ALL="C.UTF-8", NO_COLOR="1")
        done = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              stdin=subprocess.DEVNULL, timeout=120, check=False)
    return done.stdout if done.returncode == 0 else f"{done.stdout}exit status {done.returncode}\n"


def compiled(source, options):
    """The output of a C++ program, or the compiler's errors."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "lesson"
        command = options.compile.replace("{source}", str(source)).replace("{program}", str(program))
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        return output_of([program], options) if done.returncode == 0 else done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--compile", default="")
    parser.add_argument("--python", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    problems, count = [], 0
    for expected in sorted(LESSONS.glob("*.txt")):
        if options.names and expected.stem not in options.names:
            continue
        programs = {".sh": lambda path: output_of(["bash", path], options)}
        if options.compile:
            programs[".cc"] = lambda path: compiled(path, options)
        if options.python:
            programs = {".py": lambda path: output_of([sys.executable, path], options)}
        for suffix, run in programs.items():
            path = expected.with_suffix(suffix)
            if not path.exists():
                problems.append(f"{path.name} is missing")
                continue
            count += 1
            printed = run(path)
            if printed != expected.read_text():
                problems.append(f"{path.name} prints\n{printed}instead of\n{expected.read_text()}")
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{count} programs, {len(problems)} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
