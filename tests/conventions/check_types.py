#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a type has one definition: two types of one name in one namespace are one type for the linker.

Two `detail::Progression` of 16 and 24 bytes once shared the code of std::vector, which read beyond the end of the smaller.

usage: check_types.py ROOT | check_types.py --self-test
"""
import collections
import pathlib
import re
import sys

NAMESPACE = re.compile(r"\s*(?:inline )?namespace\s*([\w:]*)\s*\{")
# Matches a type at namespace level with its body or base on the same line. Members are indented; specializations have
# <.
TYPE = re.compile(r"(?:struct|class|enum class|enum|union)\s+(?:\[\[\w+\]\]\s*)?(\w+)(?:\s+final)?\s*(?::[^:;]*)?\{")


def definitions(text):
    """The qualified names of the types that `text` defines outside unnamed namespaces."""
    depth, spaces = 0, []
    for line in text.splitlines():
        line = re.sub(r"//.*|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)'", "", line)
        if space := NAMESPACE.match(line):
            spaces.append((depth, space.group(1)))
        elif (found := TYPE.match(line)) and depth == len(spaces) and all(name for _, name in spaces):
            yield "::".join([name for _, name in spaces] + [found.group(1)])
        depth += line.count("{") - line.count("}")
        while spaces and depth <= spaces[-1][0]:
            spaces.pop()


def repeated(files):
    """The type names defined in more than one of `files`, which maps file names to texts."""
    places = collections.defaultdict(list)
    for file, text in files.items():
        for name in dict.fromkeys(definitions(text)):
            places[name].append(file)
    return {name: where for name, where in places.items() if len(where) > 1}


def self_test():
    one = "namespace tessera::detail {\nstruct A {\n  int a;\n};\nnamespace {\nstruct B {};\n}\n}\n"
    assert list(definitions(one)) == ["tessera::detail::A"]
    assert repeated({"1.h": one, "2.h": one}) == {"tessera::detail::A": ["1.h", "2.h"]}
    assert not repeated({"1.h": one, "2.h": one.replace("detail", "other")})
    assert not repeated({"1.h": one, "2.h": "namespace tessera::detail {\nstruct A;\nstruct A<int> {};\n}\n"})


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    files = {str(p.relative_to(root)): p.read_text(encoding="utf-8")
             for folder in ("include", "src") for p in sorted((root / folder).rglob("*")) if p.suffix in (".h", ".cc")}
    found = repeated(files)
    for name, where in sorted(found.items()):
        print(f"{name}: defined in {' and '.join(where)}; give one of them another name")
    count = len({name for text in files.values() for name in definitions(text)})
    print(f"{len(files)} files, {count} types, {len(found)} defined twice")
    return 1 if found or count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
