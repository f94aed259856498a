#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the include lines of include/, src/ and cli/: each points to the same folder or to a lower layer.

Folders of one layer do not include each other. A folder with an entry in ROOMS has subfolders that obey the same rules.
"." is the folder itself, without its subfolders, and then also its public headers; in other folders with rooms, a public
header belongs to the room that has its code. The limits of a folder, `limits.h`, are for all of its rooms. Third-party
headers belong in the .cc files that THIRD_PARTIES names; the only one in a public header is the library for Result<T>. Unit tests (*_test.cc, *_test.h) may
include higher layers, because they write their inputs in a notation and parse them; the rules for third parties hold
for them too. The tables below list no folder without files and no unused permission.

Only the files of TAKES_APART look at the operands of an expression; the others ask for its meaning.

tessera.h lists each public header once, with what it is for; there are few of them, and each is short enough to read.

    check_layers.py SOURCE_DIR      exits with 0 and prints a count, or with 1 and one line for each broken rule
    check_layers.py --self-test     checks on made-up files that each rule can fail
"""

import fnmatch
import pathlib
import re
import sys

LAYERS = [
    ["base"],
    ["algebra", "expr", "size"],
    ["map", "traced"],
    ["text"],
    ["placement"],
    ["notation"],
    ["access", "draw", "eval", "files", "relayout"],
    ["code", "hlo", "reshard", "ttgir"],
    ["tile", "transfer"],
    ["mpi", "report"],
    ["verbs"],
    ["cli"],
]
LAYER = {folder: layer for layer, folders in enumerate(LAYERS) for folder in folders}

# Rooms: the subfolders of a folder, as layers of their own.
ROOMS = {
    "expr": [["."], ["form"], ["spelling"], ["questions"]],
    "map": [["."], ["simplify"], ["values"], ["judge"], ["inverse"], ["image"]],
    "relayout": [["."], ["kernels", "registers"], ["bits", "plan"], ["proof"]],
    "hlo": [["module"], ["syntax"], ["check", "indexing"], ["ops"], ["verify"], ["parser"], ["walk"], ["analysis"], ["devices", "memory", "metadata", "operations"], ["time"], ["shares"]],
    "reshard": [["."], ["parts"], ["collectives", "notations", "pieces", "plan"], ["proof", "views"]],
}
ROOM = {(folder, room): layer for folder, layers in ROOMS.items() for layer, rooms in enumerate(layers) for room in rooms}

# The files that may include a third party: first part of the include path -> patterns of files.
THIRD_PARTIES = {
    "fmt": ["src/*", "cli/*.cc"],
    "tl": ["include/tessera/base/result.h"],
    "xxhash.h": ["src/base/xxh3.cc"],
    "nlohmann": ["src/base/json.h", "src/report/*", "src/verbs/*", "src/transfer/recipe*.cc", "src/transfer/axis_arithmetic.cc", "src/draw/render_json.cc",
                 "src/files/json_reader.cc", "src/files/safetensors.cc", "src/files/weight_map.cc", "cli/batch.cc", "cli/explore.cc", "cli/page_link.cc"],
    "zlib.h": ["src/hlo/parser/read_file*.cc", "cli/page_link.cc"],
    "isl": ["src/map/judge/isl_*"],
    "tbb": ["src/hlo/analysis/analyze.cc", "src/relayout/parallel.cc"],
    "CLI": ["cli/*"],
    "sanitizer": ["src/base/happens_before.h"],
    "hwy": ["src/relayout/kernels/*"],
    "cairo": ["src/draw/render_png.cc"],
    "histedit.h": ["cli/repl.cc"],
    "mpi.h": ["src/mpi/*", "include/tessera/mpi/reshard.h"],
    "gtest": ["*_test.cc", "*_test.h"],
    "gmock": ["*_test.cc", "*_test.h"],
}

# The files that may take expressions apart. Generated code follows their text.
TAKES_APART = ["include/tessera/expr/*", "src/expr/*", "src/text/*", "src/code/lower.cc"]
OPERAND = re.compile(r"[.>][lr]hs\(\)")

# The public headers are what a user reads: the headers outside detail/, and how many lines each may have.
MOST_HEADERS = 58
MOST_LINES = 300
PURPOSE = re.compile(r'^#include "(tessera/[^"]+)"  +// \S.*$')

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def folder_of(path):
    """The folder of LAYERS that a file or an include path belongs to, or None."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[:2] == ("include", "tessera"):
        parts = parts[2:]
    elif parts[0] in ("src", "tessera"):
        parts = parts[1:]
    if parts[0] in LAYER:
        return parts[0]
    return None


def room_of(path, own, exists):
    """Finds the room in ROOMS[own] of a file or an include path, or None."""
    path = path.removeprefix("include/").removeprefix("src/")
    parts = path.split("/")
    if parts[0] != "tessera":
        room = parts[1] if len(parts) > 2 else "."
        return room if (own, room) in ROOM else None
    if (own, ".") in ROOM:
        return "."
    code = parts[-1].removesuffix(".h") + ".cc"
    rooms = [room for folder, room in ROOM if folder == own and exists(f"src/{own}/{room}/{code}")]
    return rooms[0] if len(rooms) == 1 else None


def is_standard(header, public):
    """True for standard headers, and in .cc files also for system headers (<unistd.h>, <sys/mman.h>)."""
    if "/" not in header and "." not in header:
        return True
    return not public and (header.startswith("sys/") or re.fullmatch(r"[a-z]+\.h", header) is not None)


def check_file(path, text, exists, used):
    """The broken rules of one file, each as 'path:line: what'. `exists(p)` says whether the repository has a path.

    Adds the folder of the file and the permissions that it uses, as (third party, pattern), to `used`.
    """
    problems = []
    if path == "include/tessera/tessera.h":  # includes every folder
        return problems
    own = folder_of(path)
    public = path.startswith("include/")
    is_test = path.endswith(("_test.cc", "_test.h"))
    if own is None:
        problems.append(f"{path}:1: is in no folder of LAYERS")
        return problems
    used.add(own)
    room = room_of(path, own, exists) if own in ROOMS else None
    if own in ROOMS and room is None and path != f"src/{own}/limits.h":
        problems.append(f"{path}:1: is in no room of {own}")
    used.add((own, room))
    whole = is_test or any(fnmatch.fnmatch(path, pattern) for pattern in TAKES_APART)
    for number, line in enumerate(text.splitlines(), 1):
        if not whole and OPERAND.search(line):
            problems.append(f"{path}:{number}: takes an expression apart; see expr/questions/view.h and expr/questions/quick.h")
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(1) or match.group(2)
        where = f"{path}:{number}"
        third = header.split("/")[0]
        if third in THIRD_PARTIES:
            allowed = [pattern for pattern in THIRD_PARTIES[third] if fnmatch.fnmatch(path, pattern)]
            used.update((third, pattern) for pattern in allowed)
            if not allowed:
                problems.append(f"{where}: <{header}> belongs in {', '.join(THIRD_PARTIES[third])}")
            continue
        if match.group(2):
            if not is_standard(header, public):
                problems.append(f"{where}: <{header}> is a third party that no file may include")
            continue
        if header.startswith("tests/") or (is_test and exists("tests/" + header)):
            if not is_test:
                problems.append(f"{where}: only tests include tests ({header})")
            continue
        if header == "tessera/tessera.h":
            if own != "cli" and not is_test:
                problems.append(f"{where}: tessera.h is for users, not for the library")
            continue
        if not any(exists(root + header) for root in ("include/", "src/", "")):
            problems.append(f'{where}: "{header}" is not below include/, src/ or the root of the repository')
            continue
        target = folder_of(header)
        if target is None:
            problems.append(f"{where}: {header} is in no folder of LAYERS")
            continue
        if public and exists("src/" + header):
            problems.append(f"{where}: a public header includes the private {header}")
        if is_test:
            continue
        if target == own:
            other = room_of(header, own, exists) if room else None
            if other and other != room and ROOM[own, other] >= ROOM[own, room]:
                way = "sideways" if ROOM[own, other] == ROOM[own, room] else "upward"
                problems.append(f"{where}: {way}, from {own}/{room} to {own}/{other}")
            continue
        if LAYER[target] == LAYER[own]:
            problems.append(f"{where}: sideways, {own} and {target} share layer {LAYER[own]}")
        elif LAYER[target] > LAYER[own]:
            problems.append(f"{where}: upward, from {own} (layer {LAYER[own]}) to {target} (layer {LAYER[target]})")
    return problems


def unused_entries(used):
    """The entries of the tables that no file uses."""
    problems = [f"LAYERS: no file is in {folder}" for folder in LAYER if folder not in used]
    problems += [f"ROOMS: no file is in {folder}/{room}" for folder, room in ROOM if (folder, room) not in used]
    problems += [
        f"THIRD_PARTIES: no file of {pattern} includes {third}"
        for third, patterns in THIRD_PARTIES.items()
        for pattern in patterns
        if (third, pattern) not in used
    ]
    return problems


def check_umbrella(headers, umbrella):
    """The broken rules of the public headers: `headers` maps their include paths to their texts."""
    problems = [f"include/{h}: has more than {MOST_LINES} lines" for h, text in headers.items() if len(text.splitlines()) > MOST_LINES]
    if len(headers) > MOST_HEADERS:
        problems.append(f"there are {len(headers)} public headers; a user can read {MOST_HEADERS}")
    lines = [line for line in umbrella.splitlines() if line.startswith("#include")]
    problems += [f"include/tessera/tessera.h: no purpose: {line}" for line in lines if not PURPOSE.match(line)]
    listed = [line.split('"')[1] for line in lines]
    problems += [f"include/tessera/tessera.h: lists {h} twice" for h in sorted({h for h in listed if listed.count(h) > 1})]
    # The headers of tessera::mpi need MPI, which a program that includes tessera.h need not have.
    wanted = {h for h in headers if h != "tessera/tessera.h" and not h.startswith("tessera/mpi/")}
    problems += [f"include/tessera/tessera.h: does not list {h}" for h in sorted(wanted - set(listed))]
    return problems


def check_tree(root):
    files = sorted(
        p for top in ("include", "src", "cli") for p in (root / top).rglob("*") if p.suffix in (".h", ".cc")
    )
    problems, used = [], set()
    for file in files:
        path = file.relative_to(root).as_posix()
        problems += check_file(path, file.read_text(), lambda p: (root / p).is_file(), used)
    public = [file for file in files if (root / "include") in file.parents and "detail" not in file.parts]
    headers = {file.relative_to(root / "include").as_posix(): file.read_text() for file in public}
    problems += check_umbrella(headers, headers.get("tessera/tessera.h", ""))
    return files, problems + unused_entries(used)


def self_test():
    there = {
        "include/tessera/base/index.h",
        "include/tessera/expr/expr.h",
        "include/tessera/algebra/strided_layout.h",
        "include/tessera/map/judge.h",
        "src/text/lexer.h",
        "src/map/form.h",
        "tests/laws/map_laws.h",
        "src/expr/limits.h",
        "src/expr/form/sum.h",
        "src/expr/spelling/spell.h",
        "include/tessera/hlo/opcode.h",
        "include/tessera/hlo/parser.h",
        "src/hlo/module/opcode.cc",
        "src/hlo/parser/parser.cc",
        "src/hlo/syntax/lexer.h",
        "src/hlo/indexing/relation.h",
        "src/hlo/ops/rule.h",
        "src/hlo/walk/steps.h",
    }
    # path, include line, a word of the expected problem ("" if allowed)
    cases = [
        ("src/map/domain.cc", '#include "tessera/expr/expr.h"', ""),
        ("src/map/domain.cc", '#include "map/form.h"', ""),
        ("src/map/domain.cc", "#include <vector>", ""),
        ("src/map/domain.cc", "#include <fmt/core.h>", ""),
        ("src/map/judge/isl_sets.cc", "#include <isl/set.h>", ""),
        ("src/map/domain_test.cc", '#include "text/lexer.h"', ""),
        ("src/map/domain_test.cc", '#include "laws/map_laws.h"', ""),
        ("include/tessera/base/result.h", "#include <tl/expected.hpp>", ""),
        ("cli/main.cc", "#include <CLI/CLI.hpp>", ""),
        ("src/expr/expr.cc", '#include "tessera/map/judge.h"', "upward"),
        ("include/tessera/expr/expr.h", '  #  include "tessera/map/judge.h"', "upward"),
        ("src/expr/expr.cc", '#include "tessera/algebra/strided_layout.h"', "sideways"),
        ("src/expr/expr.cc", '#include "tessera/tessera.h"', "for users"),
        ("src/expr/expr.cc", '#include "tessera/expr/missing.h"', "not below"),
        ("src/expr/expr.cc", '#include "laws/map_laws.h"', "not below"),
        ("include/tessera/map/judge.h", '#include "map/form.h"', "private"),
        ("include/tessera/map/judge.h", "#include <fmt/core.h>", "belongs in"),
        ("include/tessera/map/judge.h", "#include <unistd.h>", "third party"),
        ("include/tessera/map/judge.h", "#include <tl/expected.hpp>", "belongs in"),
        ("src/map/domain.cc", "#include <isl/set.h>", "belongs in"),
        ("src/map/domain.cc", "#include <nlohmann/json.hpp>", "belongs in"),
        ("src/map/domain.cc", "#include <boost/any.hpp>", "third party"),
        ("src/attic/thing.cc", "#include <vector>", "in no folder"),
        ("src/hlo/ops/rule.cc", '#include "hlo/syntax/lexer.h"', ""),
        ("src/hlo/ops/rule.cc", '#include "hlo/ops/rule.h"', ""),
        ("src/hlo/ops/rule.cc", '#include "tessera/hlo/opcode.h"', ""),
        ("src/hlo/ops/rule_test.cc", '#include "tessera/hlo/parser.h"', ""),
        ("src/hlo/ops/rule.cc", '#include "hlo/walk/steps.h"', "upward"),
        ("src/hlo/ops/rule.cc", '#include "tessera/hlo/parser.h"', "upward"),
        ("src/hlo/check/types.cc", '#include "hlo/indexing/relation.h"', "sideways"),
        ("include/tessera/hlo/opcode.h", '#include "tessera/hlo/parser.h"', "upward"),
        ("src/hlo/rule.cc", "#include <vector>", "in no room"),
        ("src/hlo/limits.h", "#include <vector>", ""),
        ("src/expr/expr.cc", "return e.lhs();", ""),
        ("src/expr/form/sum.cc", '#include "expr/limits.h"', ""),
        ("src/expr/form/sum.cc", '#include "expr/spelling/spell.h"', "upward"),
        ("src/expr/expr.cc", '#include "expr/form/sum.h"', "upward"),
        ("src/expr/attic/sum.cc", '#include <vector>', "in no room"),
        ("src/map/values/pairs.cc", '#include "tessera/map/judge.h"', ""),
        ("src/map/domain_test.cc", "return e.lhs();", ""),
        ("src/map/domain.cc", "return e->rhs();", "apart"),
    ]
    failures = 0
    for path, line, word in cases:
        problems = check_file(path, "// first line\n" + line + "\n", lambda p: p in there, set())
        good = (problems == []) if not word else (len(problems) == 1 and word in problems[0])
        if not good:
            failures += 1
            print(f"self-test: {path}: {line}\n  expected {word or 'no complaint'!r}, got {problems}")
    used = set()
    check_file("src/expr/expr.cc", "#include <fmt/core.h>\n", lambda p: False, used)
    unused = unused_entries(used)
    for entry, expected in (
        ("LAYERS: no file is in expr", False),
        ("LAYERS: no file is in map", True),
        ("ROOMS: no file is in expr/.", False),
        ("ROOMS: no file is in expr/form", True),
        ("no file of src/* includes fmt", False),
        ("no file of cli/*.cc includes fmt", True),
    ):
        if any(entry in problem for problem in unused) != expected:
            failures += 1
            print(f"self-test: '{entry}' should {'' if expected else 'not '}be reported, got {unused}")
    purpose = '#include "tessera/expr/expr.h"  // Expr'
    for headers, umbrella, word in (
        ({"tessera/expr/expr.h": "", "tessera/mpi/reshard.h": ""}, purpose, ""),
        ({"tessera/expr/expr.h": ""}, "", "does not list"),
        ({"tessera/expr/expr.h": ""}, purpose + "\n" + purpose, "twice"),
        ({"tessera/expr/expr.h": ""}, '#include "tessera/expr/expr.h"', "no purpose"),
        ({"tessera/expr/expr.h": "\n" * (MOST_LINES + 1)}, purpose, "more than"),
        ({f"tessera/mpi/{i}.h": "" for i in range(MOST_HEADERS + 1)}, "", "public headers"),
    ):
        problems = check_umbrella(headers, umbrella)
        if problems != [] if not word else len(problems) != 1 or word not in problems[0]:
            failures += 1
            print(f"self-test: expected {word or 'no complaint'!r}, got {problems}")
    print(f"self-test: {len(cases) + 10 - failures} passed, {failures} failed")
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
