#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file of the project that can hold a comment names its license in one of its first two lines."""

import pathlib
import subprocess
import sys

LINE = "SPDX-License-Identifier: Apache-2.0"
NAMES = {"CMakeLists.txt", "Makefile", "bootstrap", "run", "tidy", ".clang-tidy", ".clang-format"}
SUFFIXES = {".h", ".cc", ".cpp", ".py", ".sh", ".cmake", ".in", ".hlo", ".js", ".css", ".html"}


def files(root):
    """The files that git tracks. In a tree without git (a release archive), all files outside build folders."""
    git = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if git.returncode == 0 and git.stdout:
        return [p for p in git.stdout.split("\0") if p]
    return [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and not {"build", ".venv"} & set(p.parts)]


def main():
    root = pathlib.Path(sys.argv[1])
    checked, missing = 0, []
    for name in files(root):
        path = root / name
        # Tests read seeds and golden inputs byte by byte; a comment would change what they test.
        if name.startswith(("tests/golden/", "tests/vectors/", "fuzz/corpus/")) and path.suffix != ".cc":
            continue
        if not path.is_file() or not (path.suffix in SUFFIXES or path.name in NAMES):
            continue
        checked += 1
        with path.open(errors="replace") as text:
            if LINE not in text.readline() + text.readline():
                missing.append(name)
    print("\n".join(f"{name}: no '{LINE}' in the first two lines" for name in missing) or f"{checked} files")
    return 1 if missing or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
