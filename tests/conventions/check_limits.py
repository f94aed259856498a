#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a limit is found in one guess: in `limits.h` of its folder, or next to the public function that has it.

1. A constant named kMost..., kMax..., k...Limit, or in a function most..., is a limit. In `src`, `cli` and `python/src`
   it is a field of the struct in `limits.h`; in `include` it is next to its function, and not named kMost...
2. Each field of such a struct has a comment with its unit and its reason, and something uses it.

usage: check_limits.py ROOT | check_limits.py --self-test
"""
import pathlib
import re
import sys

# `constexpr T kMostThings = 1;`, but not an array of kMaxClasses elements.
CONSTANT = re.compile(r"(?<!static )\bconstexpr\b[^;={(]*\b(most(?:_\w+)?)\s*[={]|"
                      r"\bconstexpr\b[^;={]*\b(k(?:Most|Max)(?:[A-Z]\w*)?|k\w*Limit)\s*[={]")
FIELD = re.compile(r"\s+(?:static constexpr )?[\w:]+(?: long)? (\w+) =")
COMMENT = re.compile(r"\s*//")


def fields(text):
    """The fields of the structs in a limits.h, each with whether a comment tells what it means."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        found = FIELD.match(line)
        if found and "= {}" not in line and "(" not in line.split("=")[0]:
            rest = number
            while ";" not in lines[rest] and rest + 1 < len(lines):
                rest += 1
            told = any("///<" in part for part in lines[number:rest + 2 if rest > number else number + 1])
            yield found.group(1), told or bool(COMMENT.match(lines[number - 1]))


def uses(name, file, files):
    """Whether code uses a field of a limits.h: by its constant if it has one, as other structs may have the same name."""
    constants = re.findall(r"inline constexpr \w+ (k\w+) =", files[file])
    if constants:
        return any(constant in text and re.search(rf"{constant}(?:\s*\.\s*\w+)*?\s*\.\s*{name}\b", text)
                   for constant in constants for text in files.values())
    return len(re.findall(rf"\b{name}\b", files[file])) > 1 or any(
        re.search(rf"\.{name}\b|::{name}\b", text) for where, text in files.items() if where != file)


def complaints(files):
    """One line for each broken rule in `files`, which maps file names to texts."""
    lines = []
    for file, text in files.items():
        is_public = file.startswith("include/")
        if file.endswith("limits.h"):
            for name, told in fields(text):
                if not told:
                    lines.append(f"{file}: {name}: say its unit and its reason")
                elif not uses(name, file, files):
                    lines.append(f"{file}: {name}: nothing uses it")
            continue
        for number, line in enumerate(text.splitlines(), 1):
            found = CONSTANT.search(line.split("//")[0])
            name = found and (found.group(1) or found.group(2))
            if name and not (is_public and not name.startswith("kMost")):
                where = "name it kMax..." if is_public else "a limit belongs to limits.h of its folder"
                lines.append(f"{file}:{number}: {name}: {where}")
    return lines


def self_test():
    planted = "constexpr Index kMostThings = 4;\n"
    header = "struct L {\n  int a = 1;  ///< of things\n"
    user = {"src/a/b.cc": "return kL.a;\n"}
    assert len(complaints({"src/a/b.cc": planted})) == 1
    assert len(complaints({"src/a/b.h": "  static constexpr int kMax{3};\n"})) == 1
    assert len(complaints({"src/a/b.cc": "  constexpr int most = 3;\n"})) == 1
    assert len(complaints({"src/a/b.cc": "constexpr Index kFillLimit = 3;\n"})) == 1
    assert len(complaints({"src/a/b.h": "  static constexpr Index kFillLimit = 3;\n"})) == 1
    assert len(complaints({"include/tessera/a.h": planted})) == 1
    assert not complaints({"include/tessera/a.h": planted.replace("kMost", "kMax")})
    assert not complaints({"src/a/b.cc": "constexpr std::array<int, kMaxClasses> kColors = {\n// constexpr int kMax = 1;\n"})
    assert not complaints({"src/a/limits.h": header} | user)
    assert len(complaints({"src/a/limits.h": header.replace("  ///< of things", "")} | user)) == 1
    assert len(complaints({"src/a/limits.h": header, "src/a/b.cc": "return 1;\n"})) == 1
    constant = header + "};\ninline constexpr L kL = {};\n"
    assert not complaints({"src/a/limits.h": constant} | user)
    assert len(complaints({"src/a/limits.h": constant, "src/a/b.cc": "return other.a;\n"})) == 1


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    files = {str(p.relative_to(root)): p.read_text(encoding="utf-8")
             for folder in ("include", "src", "cli", "python/src") for p in sorted((root / folder).rglob("*"))
             if p.suffix in (".h", ".cc", ".inc") and not p.stem.endswith("_test")}
    found = complaints(files)
    print(*found, sep="\n", end="\n" if found else "")
    count = sum(1 for file, text in files.items() if file.endswith("limits.h") for _ in fields(text))
    print(f"{len(files)} files, {count} limits, {len(found)} complaints")
    return 1 if found or count < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
