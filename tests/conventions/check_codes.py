#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the codes of include/tessera/base/code.h with the pages docs/errors/<code>.md.

Each code has a page, each page a code; a page starts with '# `<code>`', shows an example in which the code appears
as error[<code>] or warning[<code>], and is listed in docs/errors/README.md.
"""

import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    header = (root / "include/tessera/base/code.h").read_text()
    codes = set(re.findall(r"^\s*X\((\w+)\)", header, re.M))
    pages = {p.stem: p.read_text() for p in (root / "docs/errors").glob("*.md") if p.stem != "README"}
    index = (root / "docs/errors/README.md").read_text()
    problems = [f"docs/errors/{code}.md is missing" for code in sorted(codes - set(pages))]
    problems += [f"docs/errors/{code}.md belongs to no code" for code in sorted(set(pages) - codes)]
    for code in sorted(codes & set(pages)):
        if not pages[code].startswith(f"# `{code}`\n"):
            problems.append(f"docs/errors/{code}.md: does not start with '# `{code}`'")
        if not re.search(rf"(error|warning)\[{code}\]|\"code\": ?\"{code}\"", pages[code]):
            problems.append(f"docs/errors/{code}.md: no example shows error[{code}]")
        if f"({code}.md)" not in index:
            problems.append(f"docs/errors/README.md does not list {code}")
    print("\n".join(problems) if problems else f"{len(codes)} codes, {len(pages)} pages")
    return 1 if problems or not codes else 0


if __name__ == "__main__":
    sys.exit(main())
