#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds words that the prose of this repository avoids: British spellings, and words that read as translated.

    check_words.py ROOT             exits with 1 and prints each place with what to write instead
    check_words.py ROOT --report    the same, with a count for each folder, but exits with 0
    check_words.py --self-test      checks that each rule finds its example, and nothing in plain text

It reads Markdown outside code blocks, the comments and messages of C++ (string literals with a space in them),
and Python and shell scripts. ALLOWED lists the places where a word is right.
"""

import collections
import pathlib
import re
import subprocess
import sys

# pattern, what to write instead, an example that it must find
RULES = [
    # British spellings
    (r"\w*(?:colour|behaviour|neighbour|favour|honour|flavour)\w*", "-or", "neighbouring"),
    (r"\w*(?:optimi|recogni|normali|organi|initiali|serializi|seriali|vectori|paralleli|minimi|maximi|summari|materiali"
     r"|factori|speciali|generali|randomi|utili|synchroni|linea?ri|canonicali|categori|emphasi|reali)s(?:e[ds]?|ing|ations?|"
     r"ers?|able)", "-iz-", "optimised"),
    (r"\w*analys(?:e[dr]?|ing)", "analyze", "analysed"),
    (r"\w*(?:licen|defen|offen)ce\w*", "-se", "licence"),
    (r"centre[ds]?|grey|artefacts?|judgement|fulfils?|whilst|amongst|mis-?spelt|spelt|learnt|programmes", "American spelling",
     "centre"),
    (r"(?:cancel|label|model|travel|signal|total)l(?:ed|ing)", "one l", "labelled"),
    # Words that read as translated
    (r"(?<!left )(?<!leave )(?<!leaves )(?<!stays )behind", "after", "the rest is behind it"),
    (r"in\s+front(?:\s+of)?", "before, first", "put it in front of the list"),
    (r"stands?(?! (?:alone|in for)\b)", "is, means", "as it stands"),
    (r"(?:is|are|was|were|be|been)\s+(?:told|said)", "the active voice", "this is said by the note"),
    (r"mend(?:s|ed|ing)?", "fix", "mended"),
    (r"(?:turn|turns|turned|turning|way) round", "reverse, transpose, around", "turned round"),
    (r"(?<!here )(?<!there )(?<!it )(?:is|are) no(?= (?!longer|more|less|reason|need|place|way|use|different|better|worse|help|wider|larger|smaller"
     r"|shorter|faster|slower)[a-z])", "is not a", "this is no layout"),
    (r"(?:has|have|had) not(?=[.,;:)]|$)", "does not have", "a mode that the shape has not"),
    (r"slip of the pen", "typo", "a slip of the pen"),
    (r"hand(?:s|ed|ing)? on", "pass on", "what the body hands on"),
    (r"(?:in|of) the house|(?:a|the) room of", "repository, folder", "the rules of the house"),
    (r"less than the least", "below the minimum", "less than the least bound"),
    (r"in its middle", "if interrupted", "ended in its middle"),
    (r"(?:is|are|be|was|were|been) looked at", "checked, enumerated", "each point is looked at"),
    (r"one after the other", "one after another", "done one after the other"),
    (r"(?:nothing|null|false|none|empty|undecided) where", "if", "nothing where there is none"),
    (r"held against", "compared with", "held against the layout"),
    (r"(?:turned|turns) into a circle|go(?:es)? on behind", "after", "it goes on behind"),
    (r"lets? one \w+", "the active voice", "which lets one see"),
    (r"(?<!the )(?:in|out)side\s+of", "inside, outside", "a point outside of the domain"),
    (r"beside", "besides, next to", "the operators beside this one"),
    (r"fits?\s+6[34]\s+bits", "fit in", "a size that does not fit 64 bits"),
    (r"(?:speaks?|spoke)\s+of", "mean, constrain, describe", "the constraint speaks of n"),
    (r"as\s+it\s+came", "unchanged", "kept as it came"),
    (r"(?:what|which|that)\s+(?:is|was|are|were)\s+asked", "the question, the requested", "the part that is asked for"),
    (r"(?:leaves?|leaving|left)\s+64\s+bits", "overflow", "a sum that leaves 64 bits"),
    (r"no 64-bit number", "exceeds 64 bits", "the box has no 64-bit number of points"),
]
PATTERNS = [(re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.I | re.M), instead) for pattern, instead, _ in RULES]

# path pattern, pattern of the line: places where a word is right.
ALLOWED = [
    # Names in notations and formats that others define, and in our own interfaces.
    (r".*", r"recognise(?:_\w+)?(?:\(|`|,|\"|'| of | from )"),
]

COMMENT_OR_STRING = re.compile(
    r"//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|R\"(?P<tag>\w*)\((?P<raw>.*?)\)(?P=tag)\"|\"(?P<string>(?:\\.|[^\"\\\n])*)\"|'(?:\\.|[^'\\\n])+'",
    re.S,
)


def prose_of_cpp(text):
    """[(line number, prose)] of comments and of literals that look like messages. A run of // lines is one piece."""
    pieces, end = [], -1
    for match in COMMENT_OR_STRING.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        if match.group("line") is not None:
            line = match.group("line").lstrip("/!<").strip()
            if pieces and end == number - 1 and pieces[-1][2]:
                pieces[-1][1] += "\n" + line
            else:
                pieces.append([number, line, True])
            end = number
        else:
            piece = match.group("block") or match.group("raw") or match.group("string") or ""
            if " " in piece.strip():
                pieces.append([number, piece, False])
    return [(number, prose) for number, prose, _ in pieces]


def prose_of_markdown(text):
    pieces, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            inside = not inside
        elif not inside:
            pieces.append((number, re.sub(r"`[^`]*`|\]\([^)]*\)", "`…`", line)))
    return pieces


def prose_of(path, text):
    if path.endswith((".h", ".cc")):
        return prose_of_cpp(text)
    if path.endswith(".md"):
        return prose_of_markdown(text)
    return list(enumerate(text.splitlines(), 1))


def check_text(path, text):
    """[(line number, word, what to write instead)]"""
    found = []
    allowed = [re.compile(line) for pattern, line in ALLOWED if re.fullmatch(pattern, path)]
    for number, prose in prose_of(path, text):
        for pattern, instead in PATTERNS:
            for match in pattern.finditer(prose):
                begin = prose.rfind("\n", 0, match.start()) + 1
                end = prose.find("\n", match.start())
                line = prose[begin : end if end >= 0 else len(prose)]
                if not any(rule.search(line) for rule in allowed):
                    found.append((number + prose.count("\n", 0, match.start()), match.group(0), instead))
    return found


def files(root):
    git = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False)
    names = git.stdout.split("\0") if git.returncode == 0 and git.stdout else [
        p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and not {"build", ".venv"} & set(p.parts)]
    for name in names:
        if name.endswith("check_words.py") or name.startswith(("tests/vectors/", "fuzz/corpus/", "tests/golden/diagnostics/")):
            continue
        if name.endswith((".md", ".h", ".cc", ".py", ".cmake", "CMakeLists.txt", "Makefile")) or name.startswith((".ci/", "scripts/")):
            yield name


def self_test():
    failed = 0
    for pattern, instead, example in RULES:
        for path, text in (("a.md", example), ("a.cc", f"// {example}\n"), ("a.cc", f'f("{example}, so");'), ("a.py", f"# {example}")):
            if not check_text(path, text):
                failed += 1
                print(f"self-test: {path}: nothing found in {text!r}")
    for path, text in (
        ("a.md", "The plan is after the list.\n\n```text\nbehind\n```\n\n`behind` and [x](behind.md)\n"),
        ("a.cc", 'int behind = stand("behind");  // fine\n'),
        ("a.cc", "// It stands alone, is left behind, and that is no reason.\n"),
        ("a.cc", "// There is no other way, it is no longer here, and a standard one.\n"),
        ("a.md", "`recognise(v)` finds a layout\n"),
    ):
        if check_text(path, text):
            failed += 1
            print(f"self-test: {path}: {check_text(path, text)} found in {text!r}")
    if [line for line, _, _ in check_text("a.cc", "int a;  // one\n// two in\n// front of it\n")] != [2]:
        failed += 1
        print("self-test: a match must have the line where it begins, also in a run of // lines")
    print(f"self-test: {failed} failed")
    return failed


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    root, report = pathlib.Path(sys.argv[1]), "--report" in sys.argv
    checked, total, folders = 0, 0, collections.Counter()
    for name in files(root):
        path = root / name
        if not path.is_file():
            continue
        checked += 1
        for line, word, instead in check_text(name, path.read_text(errors="replace")):
            total += 1
            folders["/".join(name.split("/")[:2])] += 1
            print(f"{name}:{line}: '{' '.join(word.split())}'; write: {instead}")
    if report:
        print("\n".join(f"{count:5} {folder}" for folder, count in folders.most_common()))
    print(f"{checked} files, {total} places")
    return 1 if (total and not report) or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
