#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a type name has one meaning.

1. A name has one definition in a namespace: two types of one name in one namespace are one type for the linker. Two
   `detail::Progression` of 16 and 24 bytes once shared the code of std::vector, which read beyond the end of the smaller.
2. A name at namespace level, of a type or an alias, is defined in one header, whatever the namespaces: a reader of
   `Lexer` or `Slice` should not have to find out which of two is meant. ALLOWED lists the exceptions.
3. A function of `tessera::detail`, which all folders share, belongs to one folder. SAME_WORD lists the names that two
   folders give to one operation on types of their own.

usage: check_types.py ROOT | check_types.py --self-test
"""
import collections
import pathlib
import re
import sys

# The names that two headers may define in different namespaces, and why both keep theirs. None does today.
ALLOWED = {}

# Functions of tessera::detail in two folders: one operation, on types that only these folders have.
SAME_WORD = {
    "to_string": "the text of a value",
}

NAMESPACE = re.compile(r"\s*(?:inline )?namespace\s*([\w:]*)\s*\{")
# Matches a type at namespace level with its body or base on the same line. Members are indented; specializations have
# <.
TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:struct|class|enum class|enum|union)\s+(?:\[\[\w+\]\]\s*)?(\w+)(?:\s+final)?"
                  r"\s*(?::(?!:)[^;{]*)?(?:\{|$)")
# `using namespace` and `using detail::Name` define nothing.
ALIAS = re.compile(r"(?:template\s*<.*>\s*)?(?:__extension__ )?using (\w+) =")
# A declaration that is not indented: its type, its name and a parenthesis.
FUNCTION = re.compile(r"(?!using |template|struct |class |enum |friend |return |extern |static_assert|#|\})"
                      r"[\w:<>,&* ]*[\w>&*] ?[&*]?\b(\w+)\(")


def definitions(text, aliases=False):
    """The qualified names of the types that `text` defines outside unnamed namespaces, with aliases if wanted."""
    depth, spaces = 0, []
    for line in text.splitlines():
        line = re.sub(r"//.*|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)'", "", line)
        if space := NAMESPACE.match(line):
            spaces.append((depth, space.group(1)))
        elif depth == len(spaces) and all(name for _, name in spaces):
            if found := TYPE.match(line) or (aliases and ALIAS.match(line)):
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


def shared(files):
    """The names without namespace that two headers of `files` define, and those headers."""
    places = collections.defaultdict(list)
    for file, text in files.items():
        if file.endswith(".h"):
            for name in dict.fromkeys(full.split("::")[-1] for full in definitions(text, aliases=True)):
                places[name].append(file)
    return {name: where for name, where in places.items() if len(where) > 1}


def functions(text):
    """The names of the functions that `text` declares in tessera::detail."""
    depth, spaces = 0, []
    for line in text.splitlines():
        line = re.sub(r"//.*|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)'", "", line)
        if space := NAMESPACE.match(line):
            spaces.append((depth, space.group(1)))
        elif depth == len(spaces) and [name for _, name in spaces] in (["tessera::detail"], ["tessera", "detail"]):
            found = FUNCTION.match(line)
            if found and found.group(1) != "operator" and "operator" not in line.split("(")[0]:
                yield found.group(1)
        depth += line.count("{") - line.count("}")
        while spaces and depth <= spaces[-1][0]:
            spaces.pop()


def homes(files):
    """The functions of tessera::detail that headers of two folders declare, and those folders."""
    folders = collections.defaultdict(set)
    for file, text in files.items():
        if file.endswith(".h"):
            folder = file.removeprefix("include/tessera/").removeprefix("src/").split("/")[0]
            for name in functions(text):
                folders[name].add(folder)
    return {name: sorted(where) for name, where in folders.items() if len(where) > 1}


def complaints(files, allowed, same_word=()):
    """One line for each broken rule, and for each exception that nothing needs."""
    twice, homonyms = repeated(files), shared(files)
    lines = [f"{name}: defined in {' and '.join(where)}; give one of them another name"
             for name, where in sorted(twice.items())]
    already = {name.split("::")[-1] for name in twice}
    lines += [f"{name}: two meanings, in {' and '.join(where)}; give the internal one another name"
              for name, where in sorted(homonyms.items()) if name not in allowed and name not in already]
    two_homes = homes(files)
    lines += [f"{name}(): of {' and '.join(where)}; give one of them another name, or add it to SAME_WORD"
              for name, where in sorted(two_homes.items()) if name not in same_word]
    lines += [f"SAME_WORD: {name}() is not declared in two folders" for name in same_word if name not in two_homes]
    return lines + [f"ALLOWED: {name} is not defined in two headers" for name in allowed if name not in homonyms]


def self_test():
    one = "namespace tessera::detail {\nstruct A {\n  int a;\n};\nnamespace {\nstruct B {};\n}\n}\n"
    other = one.replace("detail", "other")
    assert list(definitions(one)) == ["tessera::detail::A"]
    assert repeated({"1.h": one, "2.h": one}) == {"tessera::detail::A": ["1.h", "2.h"]}
    assert not repeated({"1.h": one, "2.h": other})
    assert not repeated({"1.h": one, "2.h": "namespace tessera::detail {\nstruct A;\nstruct A<int> {};\n}\n"})

    assert shared({"1.h": one, "2.h": other}) == {"A": ["1.h", "2.h"]}
    assert not shared({"1.h": one, "2.cc": other})
    for text in ("enum class A : std::uint8_t { no };", "class A final : public detail::Base {", "template <class T>\nstruct A\n{",
                 "using A = std::optional<int>;", "template <class T> using A = T;"):
        assert shared({"1.h": one, "2.h": f"namespace tessera {{\n{text}\n"}), text
    for text in ("struct A;", "using detail::A;", "struct B {\n  struct A {\n  };\n};", "struct A<int> {", "namespace {\nstruct A {"):
        assert not shared({"1.h": one, "2.h": f"namespace tessera {{\n{text}\n"}), text

    assert len(complaints({"1.h": one, "2.h": one}, {})) == 1
    assert len(complaints({"1.h": one, "2.h": other}, {})) == 1
    assert not complaints({"1.h": one, "2.h": other}, {"A": "a reason"})
    assert len(complaints({"1.h": one}, {"A": "a reason"})) == 1

    here = "namespace tessera::detail {\nstd::vector<Index>& f(int a,\n   int b);\ninline int g() { return h(1); }\n}\n"
    there = "namespace tessera {\nnamespace detail {\nclass C {\n  int g();\n};\nvoid f();\n}\nint g();\n}\n"
    assert list(functions(here)) == ["f", "g"] and list(functions(there)) == ["f"]
    both = {"src/a/1.h": here, "include/tessera/b/2.h": there}
    assert homes(both) == {"f": ["a", "b"]} and not homes({"src/a/1.h": here, "src/a/c/2.h": there})
    assert len(complaints(both, {})) == 1 and not complaints(both, {}, {"f": "a reason"})
    assert len(complaints({"src/a/1.h": here}, {}, {"f": "a reason"})) == 1


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    files = {str(p.relative_to(root)): p.read_text(encoding="utf-8")
             for folder in ("include", "src", "cli") for p in sorted((root / folder).rglob("*"))
             if p.suffix in (".h", ".cc") and "shadow" not in p.parts}  # these replace headers of the same path
    found = complaints(files, ALLOWED, SAME_WORD)
    print(*found, sep="\n", end="\n" if found else "")
    count = len({name for text in files.values() for name in definitions(text)})
    print(f"{len(files)} files, {count} types, {len(found)} complaints")
    return 1 if found or count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
