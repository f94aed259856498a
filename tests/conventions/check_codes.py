#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the pages in docs/errors/ with the table of codes in include/tessera/base/code.h.

    check_codes.py ROOT             exits with 1 and prints what is missing or differs
    check_codes.py ROOT --update    copies the meanings of the table into the pages and rebuilds the index of codes

A code has a page of its own, docs/errors/<code>.md with the title '# `<code>`', or a section '## `<code>`' of a page that
joins related codes. Under this heading are the meaning of the code as a sentence, an example that runs and shows
error[<code>] or warning[<code>], and a part 'What to do instead'. docs/errors/README.md lists all codes in the order of
the table.
"""

import pathlib
import re
import sys

HEADING = re.compile(r"^##? `(\w+)`\n\n(.*)\n", re.M)


def sentence(meaning):
    return meaning[0].upper() + meaning[1:] + "."


def row(code, link, meaning):
    return f"| [`{code}`]({link}) | {meaning} |"


def sections(pages):
    """{code: (page, text under its heading)}"""
    found = {}
    for name, text in pages.items():
        headings = list(HEADING.finditer(text))
        for heading, end in zip(headings, [h.start() for h in headings[1:]] + [len(text)]):
            found[heading.group(1)] = (name, text[heading.start() : end])
    return found


def index_rows(meanings, found):
    return [row(code, f"{found[code][0]}.md" + ("" if found[code][0] == code else f"#{code}"), meaning)
            for code, meaning in meanings.items() if code in found]


def problems_of(meanings, found, index):
    problems = [f"{code} has no page and no section in docs/errors/" for code in meanings if code not in found]
    problems += [f"docs/errors/{page}.md: {code} is not a code" for code, (page, _) in found.items() if code not in meanings]
    for code in [code for code in meanings if code in found]:
        page, text = found[code]
        where = f"docs/errors/{page}.md, {code}"
        if HEADING.match(text).group(2) != sentence(meanings[code]):
            problems.append(f"{where}: the meaning differs from the table; run check_codes.py . --update")
        if not re.search(rf"(error|warning)\[{code}\]|\"code\": ?\"{code}\"", text):
            problems.append(f"{where}: no example shows error[{code}]")
        if not re.search(r"^```(console|cpp)$", text, re.M):
            problems.append(f"{where}: no example that runs")
        if not re.search(r"^###? What to do instead$", text, re.M):
            problems.append(f"{where}: no part 'What to do instead'")
    if re.findall(r"^\| \[.*$", index, re.M) != index_rows(meanings, found):
        problems.append("docs/errors/README.md: the list differs from the table; run check_codes.py . --update")
    return problems


def update(folder, meanings, pages):
    for name, text in pages.items():
        new = HEADING.sub(
            lambda m: m.group(0) if m.group(1) not in meanings else
            m.group(0)[: m.start(2) - m.start()] + sentence(meanings[m.group(1)]) + "\n", text)
        if new != text:
            (folder / f"{name}.md").write_text(new)
    index = folder / "README.md"
    head = re.split(r"^\| \[", index.read_text(), maxsplit=1, flags=re.M)[0]
    index.write_text(head + "\n".join(index_rows(meanings, sections(pages))) + "\n")


def self_test():
    page = "# `{0}`\n\nA {0}.\n\n## An example\n\n```console\n$ x\nerror[{0}]: no\n```\n\n## What to do instead\n\nWait.\n"
    joined = "# Both\n\nText.\n\n" + page.format("b").replace("# ", "## ") + "\n" + page.format("c").replace("# ", "## ")
    meanings = {"a": "a a", "b": "a b", "c": "a c"}
    found = sections({"a": page.format("a"), "both": joined})
    index = "| [`a`](a.md) | a a |\n| [`b`](both.md#b) | a b |\n| [`c`](both.md#c) | a c |\n"
    assert problems_of(meanings, found, index) == []
    assert problems_of({**meanings, "d": "a d"}, found, index) == ["d has no page and no section in docs/errors/"]
    assert len(problems_of({"a": "a a", "b": "a b"}, found, index)) == 2
    assert len(problems_of({**meanings, "b": "another"}, found, index)) == 2
    assert len(problems_of(meanings, found, index.replace("both.md#b", "b.md"))) == 1
    for part in ("error[b]", "```console", "What to do instead"):
        broken = sections({"a": page.format("a"), "both": joined.replace(part, "", 1)})
        assert len(problems_of(meanings, broken, index)) == 1, part
    print("each rule can fail")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1])
    header = (root / "include/tessera/base/code.h").read_text()
    meanings = dict(re.findall(r"^\s*X\((\w+), \d, \d, \w+\)\s*/\* (.*) \*/", header, re.M))
    folder = root / "docs/errors"
    pages = {p.stem: p.read_text() for p in sorted(folder.glob("*.md")) if p.stem != "README"}
    if "--update" in sys.argv:
        update(folder, meanings, pages)
        pages = {name: (folder / f"{name}.md").read_text() for name in pages}
    problems = problems_of(meanings, sections(pages), (folder / "README.md").read_text())
    print("\n".join(problems) if problems else f"{len(meanings)} codes, {len(pages)} pages")
    return 1 if problems or not meanings else 0


if __name__ == "__main__":
    sys.exit(main())
