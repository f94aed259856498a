#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the include lines of include/, src/ and cli/ and reports every arrow that does not point down.

A file may include its own folder and folders of lower floors; folders of one floor do not know each other. Third
parties live in the .cc files that the table below names; the only one in a public header is the library behind
Result<T>. Unit tests (*_test.cc, *_test.h) may look up, because they write their inputs in a notation and read it with the
parsers of a higher floor; third parties of the code are as closed to them as to the code.

    check_floors.py SOURCE_DIR      exit 0 and a count, or exit 1 and one line per broken rule
    check_floors.py --self-test     proves on made-up files that each rule can fail
"""

import fnmatch
import pathlib
import re
import sys

FLOORS = [
    ["base"],
    ["algebra", "expr"],
    ["map"],
    ["notation"],
    ["text"],
    ["draw", "eval", "files", "relayout"],
    ["hlo", "transfer"],
    ["report"],
    ["cli", "python", "explorer"],
]
FLOOR = {folder: floor for floor, folders in enumerate(FLOORS) for folder in folders}

# Who may see a third party: first part of the include path -> patterns of files.
THIRD_PARTIES = {
    "fmt": ["src/*", "cli/*.cc", "cli/*.h", "include/tessera/fmt.h"],
    "tl": ["include/tessera/base/result.h"],
    "nlohmann": ["src/report/*", "src/draw/render_json.cc", "src/files/safetensors.cc", "cli/batch.cc"],
    "zlib.h": ["src/hlo/read_file*.cc"],
    "isl": ["src/map/isl_*"],
    "tbb": ["src/hlo/analyze.cc", "src/relayout/parallel.cc"],
    "CLI": ["cli/*"],
    "sanitizer": ["src/base/happens_before.h"],
    "hwy": ["src/relayout/kernels/*"],
    "cairo": ["src/draw/render_png.cc"],
    "histedit.h": ["cli/repl.cc"],
    "gtest": ["*_test.cc", "*_test.h"],
    "gmock": ["*_test.cc", "*_test.h"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def folder_of(path):
    """The folder (room of the house) of a file or of an include path; None for what belongs to no room."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[:2] == ("include", "tessera"):
        parts = parts[2:]
    elif parts[0] in ("src", "tessera"):
        parts = parts[1:]
    if parts[0] in FLOOR:
        return parts[0]
    return None


def is_standard(header, public):
    """Headers of the language; in .cc files also those of the system (<unistd.h>, <sys/mman.h>)."""
    if "/" not in header and "." not in header:
        return True
    return not public and (header.startswith("sys/") or re.fullmatch(r"[a-z]+\.h", header) is not None)


def check_file(path, text, exists):
    """The broken rules of one file, each as 'path:line: what'. `exists(p)` tells whether a repository path is there."""
    problems = []
    own = folder_of(path)
    public = path.startswith("include/")
    is_test = path.endswith(("_test.cc", "_test.h"))
    adaptor = path == "include/tessera/fmt.h"
    if own is None and not adaptor:
        problems.append(f"{path}:1: stands in no folder of the house")
        return problems
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(1) or match.group(2)
        where = f"{path}:{number}"
        third = header.split("/")[0]
        if third in THIRD_PARTIES:
            if not any(fnmatch.fnmatch(path, pattern) for pattern in THIRD_PARTIES[third]):
                problems.append(f"{where}: <{header}> belongs in {', '.join(THIRD_PARTIES[third])}")
            continue
        if match.group(2):
            if not is_standard(header, public):
                problems.append(f"{where}: <{header}> is a third party that no file may see")
            continue
        if header.startswith("tests/") or (is_test and exists("tests/" + header)):
            if not is_test:
                problems.append(f"{where}: only tests include tests ({header})")
            continue
        if header == "tessera/tessera.h":  # written by the build
            if own != "cli" and not is_test:
                problems.append(f"{where}: the umbrella is for users, not for the library")
            continue
        if not any(exists(root + header) for root in ("include/", "src/", "")):
            problems.append(f'{where}: "{header}" is not below include/, src/ or the root of the repository')
            continue
        target = folder_of(header)
        if target is None:
            if not (header == "tessera/fmt.h" and not public):
                problems.append(f"{where}: {header} stands in no folder of the house")
            continue
        if public and exists("src/" + header):
            problems.append(f"{where}: a public header includes the private {header}")
        if adaptor or is_test or target == own:
            continue
        if FLOOR[target] == FLOOR[own]:
            problems.append(f"{where}: sideways, {own} and {target} share floor {FLOOR[own]}")
        elif FLOOR[target] > FLOOR[own]:
            problems.append(f"{where}: upward, from {own} (floor {FLOOR[own]}) to {target} (floor {FLOOR[target]})")
    return problems


def check_tree(root):
    files = sorted(
        p for top in ("include", "src", "cli") for p in (root / top).rglob("*") if p.suffix in (".h", ".cc")
    )
    problems = []
    for file in files:
        path = file.relative_to(root).as_posix()
        problems += check_file(path, file.read_text(), lambda p: (root / p).is_file())
    return files, problems


def self_test():
    there = {
        "include/tessera/base/index.h",
        "include/tessera/expr/expr.h",
        "include/tessera/algebra/swizzle.h",
        "include/tessera/map/domain.h",
        "include/tessera/text/lexer.h",
        "src/map/form.h",
        "tests/laws/map_laws.h",
    }
    # path, include line, a word of the complaint ("" = allowed)
    cases = [
        ("src/map/domain.cc", '#include "tessera/expr/expr.h"', ""),
        ("src/map/domain.cc", '#include "map/form.h"', ""),
        ("src/map/domain.cc", "#include <vector>", ""),
        ("src/map/domain.cc", "#include <fmt/core.h>", ""),
        ("src/map/isl_sets.cc", "#include <isl/set.h>", ""),
        ("src/map/domain_test.cc", '#include "tessera/text/lexer.h"', ""),
        ("src/map/domain_test.cc", '#include "laws/map_laws.h"', ""),
        ("include/tessera/base/result.h", "#include <tl/expected.hpp>", ""),
        ("cli/main.cc", "#include <CLI/CLI.hpp>", ""),
        ("src/expr/expr.cc", '#include "tessera/map/domain.h"', "upward"),
        ("include/tessera/expr/expr.h", '  #  include "tessera/map/domain.h"', "upward"),
        ("src/expr/expr.cc", '#include "tessera/algebra/swizzle.h"', "sideways"),
        ("src/expr/expr.cc", '#include "tessera/tessera.h"', "umbrella"),
        ("src/expr/expr.cc", '#include "tessera/expr/missing.h"', "not below"),
        ("src/expr/expr.cc", '#include "laws/map_laws.h"', "not below"),
        ("include/tessera/map/domain.h", '#include "map/form.h"', "private"),
        ("include/tessera/map/domain.h", "#include <fmt/core.h>", "belongs in"),
        ("include/tessera/map/domain.h", "#include <unistd.h>", "third party"),
        ("include/tessera/map/domain.h", "#include <tl/expected.hpp>", "belongs in"),
        ("src/map/domain.cc", "#include <isl/set.h>", "belongs in"),
        ("src/map/domain.cc", "#include <nlohmann/json.hpp>", "belongs in"),
        ("src/map/domain.cc", "#include <boost/any.hpp>", "third party"),
        ("src/attic/thing.cc", "#include <vector>", "no folder"),
    ]
    failures = 0
    for path, line, word in cases:
        problems = check_file(path, "// first line\n" + line + "\n", lambda p: p in there)
        good = (problems == []) if not word else (len(problems) == 1 and word in problems[0])
        if not good:
            failures += 1
            print(f"self-test: {path}: {line}\n  expected {word or 'no complaint'!r}, got {problems}")
    print(f"self-test: {len(cases) - failures} passed, {failures} failed")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    files, problems = check_tree(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) if problems else f"{len(files)} files: every include points down")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
