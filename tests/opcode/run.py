#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what docs/understand/add-an-opcode.md says: adds its row and its family file to a copy of the sources,
compiles src/hlo/ without the analysis as one file, and compares what it prints with the page.

    tests/opcode/run.py SOURCE_DIR BUILD_DIR COMPILER [FLAG...] --link LIBRARY...
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = "docs/understand/add-an-opcode.md"
LIBRARIES = ["notation", "traced", "size", "placement", "text", "map", "expr", "algebra", "base"]


def blocks(page: str) -> list[str]:
    """The fenced blocks of the page: row, family file, program, maps, error."""
    found = re.findall(r"^```(?:text|c\+\+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    if len(found) != 5:
        sys.exit(f"{PAGE} has {len(found)} blocks, not 5")
    return found


def add_row(table: str, row: str) -> str:
    """The table with a row where its text belongs: the rows are in the order of their texts."""
    identifier = row[row.index("(") + 1 : row.index(",")]
    rows = [*re.finditer(r"^  X\((\w+), ", table, re.MULTILINE)]
    after = next(m.start() for m in rows if m[1] > identifier)
    return table[:after] + row.rstrip("\n") + "\n" + table[after:]


def main() -> None:
    source, build, compiler = (pathlib.Path(p) for p in sys.argv[1:4])
    split = sys.argv.index("--link")
    flags, libraries = sys.argv[4:split], [name for name in sys.argv[split + 1 :] if name]
    row, family, program, maps, error = blocks((source / PAGE).read_text())
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for part in ("src", "include"):
            shutil.copytree(source / part, copy / part)
        table = copy / "include/tessera/hlo/opcode.h"
        table.write_text(add_row(table.read_text(), row))
        (copy / "src/hlo/ops/interleave.cc").write_text(family)
        files = sorted((copy / "src/hlo").rglob("*.cc"))
        skipped = re.compile(r"_test\.cc$|_wasi\.cc$|/read_file\.cc$|/(analysis|devices|memory|metadata|shares|time|operations)/")
        whole = copy / "whole.cc"
        whole.write_text("".join(f'#include "{f}"\n' for f in files if not skipped.search(str(f))))
        objects = []
        for file in (whole, source / "tests/opcode/interleave_main.cc"):
            objects.append(copy / (file.stem + ".o"))
            subprocess.run(
                [compiler, "-std=c++20", "-O0", "-w", "-fno-exceptions", f"-I{copy}/src", f"-I{copy}/include",
                 *flags, "-c", file, "-o", objects[-1]], check=True)
        program_file = copy / "interleave"
        subprocess.run(
            [compiler, *objects, *(build / f"libtessera_{name}.a" for name in LIBRARIES), *libraries,
             "-pthread", "-o", program_file], check=True)

        def answer(text: str) -> str:
            return subprocess.run([program_file, text], capture_output=True, text=True).stdout

        for text, wanted in ((program, maps), (program.replace("{1}", "{2}"), error)):
            if answer(text) != wanted:
                sys.exit(f"{PAGE} shows\n{wanted}\nbut the copy prints\n{answer(text)}")


if __name__ == "__main__":
    main()
