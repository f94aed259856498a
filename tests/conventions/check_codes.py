#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the codes of include/tessera/base/code.h with the pages docs/errors/<code>.md.

Each code has a page, each page a code. A page starts with '# `<code>`' and one sentence, which docs/errors/README.md
and the header repeat; it has an example that runs, in which the code appears as error[<code>] or warning[<code>], and a way out.
"""

import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    header = (root / "include/tessera/base/code.h").read_text()
    meanings = dict(re.findall(r"^\s*X\((\w+)\)\s*/\* (.*) \*/", header, re.M))
    codes = set(meanings)
    pages = {p.stem: p.read_text() for p in (root / "docs/errors").glob("*.md") if p.stem != "README"}
    index = (root / "docs/errors/README.md").read_text()
    problems = [f"docs/errors/{code}.md is missing" for code in sorted(codes - set(pages))]
    problems += [f"docs/errors/{code}.md belongs to no code" for code in sorted(set(pages) - codes)]
    for code in sorted(codes & set(pages)):
        if not pages[code].startswith(f"# `{code}`\n"):
            problems.append(f"docs/errors/{code}.md: does not start with '# `{code}`'")
        if not re.search(rf"(error|warning)\[{code}\]|\"code\": ?\"{code}\"", pages[code]):
            problems.append(f"docs/errors/{code}.md: no example shows error[{code}]")
        sentence = re.match(r"# `\w+`\n\n(.*)\.\n\n", pages[code])
        row = re.search(rf"^\| \[`{code}`\]\({code}\.md\) \| (.*) \|$", index, re.M)
        if not sentence:
            problems.append(f"docs/errors/{code}.md: does not say in one line what the code means")
        elif not row or row.group(1).lower() != sentence.group(1).lower():
            problems.append(f"docs/errors/README.md does not list {code} as {sentence.group(1)!r}")
        elif sentence.group(1).replace("`", "").lower() != meanings[code].lower():
            problems.append(f"include/tessera/base/code.h does not describe {code} as its page does")
        if not re.search(r"^```(console|cpp)$", pages[code], re.M):
            problems.append(f"docs/errors/{code}.md: no example that runs")
        if "\n## What to do instead\n" not in pages[code]:
            problems.append(f"docs/errors/{code}.md: no way out")
    print("\n".join(problems) if problems else f"{len(codes)} codes, {len(pages)} pages")
    return 1 if problems or not codes else 0


if __name__ == "__main__":
    sys.exit(main())
