#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a private header declares the functions of the .cc file of its name, so that a reader finds the code.

If src/a/b.h declares a function and some .cc file defines one of that name and namespace, src/a/b.cc defines one, too.
Members, templates and inline functions do not count. ALLOWED lists the headers of several .cc files.

    check_headers.py ROOT           exits with 0 and prints a count, or with 1 and one line for each function elsewhere
    check_headers.py --self-test    checks on made-up files that the rule can fail
"""

import collections
import fnmatch
import pathlib
import re
import sys

# The headers of several .cc files: a pattern of these files, and why they share a header.
ALLOWED = {
    "src/eval/function.h": ("src/eval/*.cc", "a list: each file adds one group of functions to the table"),
    "src/eval/definitions_test.h": ("src/eval/definitions_*_test.cc", "a list: each file has the checks of one group"),
    "src/notation/from_digits.h": ("src/notation/*/*_digits.cc", "a list: each notation converts its layouts in its folder"),
    "src/notation/structure.h": ("src/notation/*/*.cc", "a list: each notation knows the structure of its layouts"),
    "src/notation/to_digits.h": ("src/notation/*/*.cc", "a list: each notation converts its layouts in its folder"),
    "src/relayout/kernels/families-inl.h": ("src/relayout/kernels/*s.cc", "compiled again for each instruction set"),
    "src/report/access_answer.h": ("src/report/access_*.cc", "to_text and to_json, as in the header of every answer"),
}

# Comments, strings, characters (but no digit separators), and preprocessor lines.
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|R\"\(.*?\)\"|\"(?:[^\"\\\n]|\\.)*\"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'|"
                   r"^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
SPACE = re.compile(r"(?:inline )?namespace\b\s*([\w:]*)$")
OTHER = re.compile(r"(?:template|using|typedef|struct|class|enum|union|static_assert|constexpr|inline|static|extern)\b")
# The name before the first parenthesis, after a type. Qualifiers in lower case are namespaces, others are classes.
NAME = re.compile(r"[^(=]*[\s&*]((?:[a-z]\w*::)*\w+)\s*\(")


def statements(text):
    """Yields (namespaces, text, end) of each statement at namespace level; `end` is ';', or '{' if it has a body."""
    text = NOISE.sub(" ", text)
    depth, begin, parentheses, spaces = 0, 0, 0, []
    for i, c in enumerate(text):
        if c in "()":
            parentheses += 1 if c == "(" else -1
        elif c == "{":
            head = text[begin:i].strip()
            if depth == len(spaces) and (space := SPACE.match(head)):
                spaces.append(space.group(1))
                begin = i + 1
            elif depth == len(spaces) and parentheses == 0:
                yield spaces, head, "{"
            depth += 1
        elif c == "}":
            depth -= 1
            del spaces[depth:]
            if depth == len(spaces) and parentheses == 0:
                begin = i + 1
        elif c == ";" and depth == len(spaces) and parentheses == 0:
            yield spaces, text[begin:i].strip(), ";"
            begin = i + 1


def functions(text, end):
    """The full names of the functions at namespace level that `text` declares (';') or defines ('{')."""
    names = []
    for spaces, head, at in statements(text):
        while (plain := re.sub(r"\[\[[^]]*\]\]\s*|<[^<>]*>", "", head)) != head:
            head = plain
        found = NAME.match(head)
        if at == end and found and not OTHER.match(head) and all(spaces):
            names.append("::".join([*spaces, found.group(1)]))
    return list(dict.fromkeys(names))


def complaints(files, allowed):
    """One line for each function of another file, and for each exception that nothing needs."""
    places = collections.defaultdict(list)
    for file, text in files.items():
        if file.endswith(".cc"):
            for name in functions(text, "{"):
                places[name].append(file)
    lines, used = [], set()
    for file, text in files.items():
        if not file.endswith(".h"):
            continue
        own = file.removesuffix(".h") + ".cc"
        for name in functions(text, ";"):
            if name not in places or own in places[name]:
                continue
            if file in allowed and fnmatch.filter(places[name], allowed[file][0]):
                used.add(file)
                continue
            there = " or ".join(place.removesuffix(".cc") + ".h" for place in places[name])
            lines.append(f"{file}: {name} belongs in {there}, next to its code")
    return lines + [f"ALLOWED: {file} declares no function of {allowed[file][0]}" for file in allowed if file not in used]


def self_test():
    def names(text, end=";"):
        return functions("namespace tessera::detail {\n" + text + "\n}\n", end)

    for text in ("int f(int a = g(), std::span<const int> b = {});", "[[nodiscard]] std::optional<A> f(\n    const B&);",
                 "/// As g(a), but faster.\nconst A* f();", "void f() noexcept;", "struct A {\n  int g();\n};\nA f(A);"):
        assert names(text) == ["tessera::detail::f"], (text, names(text))
        assert not names(text, "{"), text
    for text in ("inline int f();", "template <class T>\nint f(T);", "struct A {\n  int f();\n};", "using F = int (*)(int);",
                 "extern const A kA;", "constexpr A kA = f();", "enum class A { f };", "// int f();", "#define F(x) int f(x);"):
        assert not names(text), (text, names(text))
    for text in ("int f(int a) {\n  if (g(a)) return 1;\n  return '{';\n}", "A f() { return A{\"}\"}; }\nstatic int g() { return 0; }",
                 "namespace {\nint g() { return 0; }\n}\nint f() { return g(); }", "A A::g() const { return {}; }\nA f() { return {}; }",
                 "A::A() : a_(g()), b_{1} {}\nint f() { return 0; }", "const A kA = {[](int i) { return g(i); }};\nint f() { return 0; }",
                 "std::function<void(int)> f(std::span<const A> a) { return {}; }",
                 "int f() { return 0; }\nconst char* const kA = R\"(\"g() { \")\";\n"):
        assert names(text, "{") == ["tessera::detail::f"], (text, names(text, "{"))
    assert functions("namespace tessera {\nint detail::f() { return 0; }\n}", "{") == ["tessera::detail::f"]

    header = {"src/a/b.h": "namespace t {\nint f();\n}\n"}
    code = "namespace t {\nint f() { return 0; }\n}\n"
    allowed = {"src/a/b.h": ("src/a/c_*.cc", "a reason")}
    assert not complaints(header, {})
    assert not complaints({**header, "src/a/b.cc": code}, {})
    assert not complaints({**header, "src/a/b.cc": code, "src/a/c.cc": code}, {})
    assert not complaints({**header, "src/a/c.cc": code.replace("t", "other", 1)}, {})
    assert complaints({**header, "src/a/c.cc": code}, {}) == ["src/a/b.h: t::f belongs in src/a/c.h, next to its code"]
    assert len(complaints({**header, "src/c/b.cc": code}, {})) == 1
    assert not complaints({**header, "src/a/c_d.cc": code}, allowed)
    assert len(complaints({**header, "src/a/d.cc": code}, allowed)) == 2
    assert len(complaints({**header, "src/a/b.cc": code}, allowed)) == 1


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    files = {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8")
             for p in sorted((root / "src").rglob("*")) if p.suffix in (".h", ".cc")}
    found = complaints(files, ALLOWED)
    print(*found, sep="\n", end="\n" if found else "")
    count = sum(len(functions(text, ";")) for file, text in files.items() if file.endswith(".h"))
    print(f"{len(files)} files, {count} functions in headers, {len(found)} complaints")
    return 1 if found or count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
