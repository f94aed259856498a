#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of README.md and docs/ as a reader would, and follows their links.

    check_docs.py --bin DIR [--compile COMMAND] [--update] [FILE...]
    check_docs.py --self-test

Each page gets an empty folder with a link to examples/ in it, and its blocks run there from top to bottom, so a block
may use the files of an earlier one. 'tessera' is the program in --bin. The word after the fence says what a block is:

    console   lines '$ COMMAND' (continued by '> ') and their output, stdout and stderr together. A block is one
              shell session. The output must be equal; a line '...' matches any lines, and '...' inside a line any text.
    sh        commands without output; one a line.
    cpp       compiled and run; a block without main() becomes the body of main(). If a block 'output' follows, the
              program must print exactly that.
    others    (text, hlo, json, ...) are shown, not run.

A command must exit with 0 and print no error, unless a line '# exit 2' (or another status) after its output announces
the failure to readers and to this program. So no page shows a failure by accident, and --update never adds one.

Blocks with commands that build or install something do not run, but their make targets, presets and scripts must exist.
--compile is a command with {source} and {program}; without it, cpp blocks are not compiled and the summary counts them.
--update writes the output into the page instead of comparing it.

Every page of docs/ must be linked from docs/README.md or, if it describes an error code, from docs/errors/README.md.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*([\w+-]*)\s*(.*)$")
MARK = "@@tessera-docs@@"
EXIT = re.compile(r"# exit ([0-9]+)\s*")
ERROR = re.compile(r"\berror\[\w+\]|\"error\": ?\{")
BUILDS = re.compile(r"^(sudo|make|cmake|git|apt-get|apt|cd|ctest|bash|scripts/\w+|\./scripts/\w+|export)\b")
BODY = '#include "tessera/tessera.h"\n#include <cassert>\n#include <iostream>\nusing namespace tessera;\nint main() {{\n{}}}\n'


class Block:
    def __init__(self, kind, line, indent):
        self.kind, self.line, self.indent, self.text = kind, line, indent, []


def blocks_of(text):
    """The fenced blocks of a page; `line` is the number of the opening fence, counted from 1."""
    blocks, current, fence = [], None, ""
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if current is None:
            if match:
                current, fence = Block(match.group(3), number, match.group(1)), match.group(2)
        elif match and match.group(2).startswith(fence) and not match.group(3):
            blocks.append(current)
            current = None
        else:
            current.text.append(line.removeprefix(current.indent))
    if current is not None:
        raise ValueError(f"line {current.line}: the block is not closed")
    return blocks


def commands_of(block):
    """Returns [(command, [expected lines])] for a console block. sh blocks have only commands."""
    result = []
    for line in block.text:
        if block.kind == "sh":
            if line.strip() and not line.lstrip().startswith("#"):
                result.append((line, []))
        elif line.startswith("$ "):
            result.append((line[2:], []))
        elif line.startswith("> ") and result and not result[-1][1]:
            result[-1] = (result[-1][0] + "\n" + line[2:], [])
        elif result:
            result[-1][1].append(line)
        elif line.strip():
            raise ValueError(f"line {block.line}: output without a '$ ' line before it")
    return result


def matches(expected, printed):
    """True if the lines are equal. In `expected`, a line '...' matches any lines; inside a line, '...' matches any text."""
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ ]*\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def is_build_command(command):
    return BUILDS.match(command.strip()) is not None


def check_build_command(command):
    """Checks the commands that readers run to build: the targets, presets and scripts in them must exist."""
    words = command.split()
    problems = []
    makefile = (ROOT / "Makefile").read_text()
    if words[0] == "make":
        problems += [f"make has no target {word}" for word in words[1:]
                     if not word.startswith("-") and "=" not in word and not re.search(rf"^{word}:", makefile, re.M)]
    presets = {p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    for flag, name in zip(words, words[1:]):
        if flag == "--preset" and name not in presets:
            problems.append(f"there is no preset {name}")
    for word in words:
        if re.match(r"(\./)?(scripts|\.ci)/", word) and not (ROOT / word).exists():
            problems.append(f"{word} does not exist")
    return problems


def run_session(commands, folder, binaries):
    """Returns [(lines, status)] for each command that ran. One bash runs all, so that '$?' and variables persist."""
    script = "rc=0\n"
    for command in commands:
        script += f"(exit $rc)\n{command}\nrc=$?\nprintf '\\n%s %s\\n' {MARK} $rc\n"
    env = dict(os.environ, PATH=f"{binaries}:{os.environ['PATH']}", LC_ALL="C.UTF-8", NO_COLOR="1")
    env.pop("COLUMNS", None)  # the width of pictures
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=120, check=False)
    parts = re.split(rf"\n{MARK} (\d+)\n", done.stdout.decode(errors="replace"))
    result = []
    for text, status in zip(parts[0::2], parts[1::2]):
        text = text.strip("\n")
        result.append((text.split("\n") if text else [], int(status)))
    return result


class Page:
    def __init__(self, path, options):
        self.path, self.options = path, options
        self.text = path.read_text()
        self.problems, self.ran, self.left, self.edits = [], 0, 0, []

    def complain(self, line, message):
        name = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        self.problems.append(f"{name}:{line}: {message}")

    def check(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
            try:
                blocks = blocks_of(self.text)
                for block, following in zip(blocks, blocks[1:] + [None]):
                    if block.kind in ("console", "sh"):
                        self.check_session(block, folder)
                    elif block.kind == "cpp":
                        output = following if following and following.kind == "output" else None
                        self.check_program(block, output, folder)
            except ValueError as error:
                self.complain(1, str(error))
        self.check_links()
        if self.options.update and self.edits:
            lines = self.text.splitlines()
            for block, new in reversed(self.edits):
                lines[block.line : block.line + len(block.text)] = [(block.indent + line).rstrip() for line in new]
            self.path.write_text("\n".join(lines) + "\n")

    def check_session(self, block, folder):
        commands = commands_of(block)
        builds = [command for command, _ in commands if is_build_command(command)]
        for command in builds:
            for problem in check_build_command(command):
                self.complain(block.line, problem)
        if not commands or builds:
            return
        results = run_session([command for command, _ in commands], folder, self.options.bin)
        self.ran += 1
        if len(results) < len(commands):
            self.complain(block.line, f"$ {commands[len(results)][0]}\n  ended the shell of the block")
            return
        new = []
        for (command, expected), (printed, status) in zip(commands, results):
            while expected and not expected[-1].strip():
                expected = expected[:-1]
            announced = EXIT.fullmatch(expected[-1]) if expected else None
            end = expected[-1:] if announced else []
            expected = expected[: len(expected) - len(end)]
            good = block.kind == "sh" or matches(expected, printed)
            if self.check_status(block, command, printed, status, announced):
                if not good and not self.options.update:
                    shown = "\n    ".join(printed) or "(nothing)"
                    self.complain(block.line, f"$ {command}\n  prints\n    {shown}")
            else:
                good = True  # in the sense that --update must not touch it
            new += ("$ " + command.replace("\n", "\n> ")).split("\n") + (expected if good else printed) + end
        if block.kind == "console" and new != block.text:
            self.edits.append((block, new))

    def check_status(self, block, command, printed, status, announced):
        """True if the command ends as the page says. Otherwise complains."""
        what = ""
        if status != (int(announced.group(1)) if announced else 0):
            what = f"exits with {status}"
        elif announced is None and any(ERROR.search(line) for line in printed):
            what = "prints an error"
        if what:
            shown = "\n    ".join(printed) or "(nothing)"
            self.complain(block.line, f"$ {command}\n  {what}; if that is meant, end its output with the line "
                                      f"'# exit {status}'. It prints\n    {shown}")
        return not what

    def check_program(self, block, output, folder):
        if not self.options.compile:
            self.left += 1
            return
        source = "\n".join(block.text) + "\n"
        if not re.search(r"\bint main\(", source):
            source = BODY.format(source)
        with tempfile.TemporaryDirectory() as built:
            file, program = pathlib.Path(built) / "block.cc", pathlib.Path(built) / "block"
            file.write_text(source)
            command = self.options.compile.replace("{source}", str(file)).replace("{program}", str(program))
            done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
            if done.returncode:
                self.complain(block.line, "does not compile:\n" + done.stderr)
                return
            done = subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        self.ran += 1
        printed = (done.stdout + done.stderr).rstrip("\n").split("\n")
        if done.returncode:
            self.complain(block.line, f"exits with {done.returncode}:\n" + "\n".join(printed))
        elif output and not matches(output.text, printed):
            if self.options.update:
                self.edits.append((output, printed))
            else:
                self.complain(output.line, "the program prints\n    " + "\n    ".join(printed))

    def check_links(self):
        inside = False
        for number, line in enumerate(self.text.splitlines(), 1):
            if FENCE.match(line):
                inside = not inside
            if inside:
                continue
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "code", line)):
                if re.match(r"(https?|mailto):", target):
                    continue
                file, _, anchor = target.partition("#")
                path = (self.path.parent / file) if file else self.path
                if not path.exists():
                    self.complain(number, f"the link {target} points to nothing")
                elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
                    self.complain(number, f"{file or 'this page'} has no heading #{anchor}")


def anchors(text):
    """The anchors that GitHub generates for headings."""
    result = set()
    for heading in re.findall(r"^#+\s+(.*)$", text, re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        while name in result:
            name += "-1"
        result.add(name)
    return result


def unlinked(pages, indexes):
    """The pages that no index links to. Pages are paths; `indexes` maps a path to its text."""
    linked = set()
    for index, text in indexes.items():
        linked |= {(index.parent / target.split("#")[0]).resolve() for target in re.findall(r"\]\(([^)\s]+)\)", text)}
    return [page for page in pages if page.resolve() not in linked and page not in indexes]


def self_test():
    """Each kind of mistake must be found in a page made for this test."""
    options = argparse.Namespace(bin="/nonexistent", compile="", update=False)
    cases = [
        ("```console\n$ echo one\none\n```\n", 0),
        ("```console\n$ printf 'a\\nb\\nc\\n'\na\n...\nc\n$ echo t 17 ms\nt ... ms\n```\n", 0),
        ("```console\n$ false\n# exit 1\n$ echo $?\n1\n```\n", 0),
        ("```console\n$ echo one\ntwo\n```\n", 1),
        ("```console\n$ echo one\n```\n", 1),
        ("```console\n$ true\nsomething\n```\n", 1),
        ("```console\n$ printf 'a\\nb\\n'\na\n```\n", 1),
        ("```console\n$ exit 3\n```\n", 1),
        ("```console\n$ exit 3\n$ echo one\none\n```\n", 1),
        ("```console\nno command\n```\n", 1),
        # A failure that the page does not announce, and an announced failure that does not happen.
        ("```console\n$ false\n```\n", 1),
        ("```console\n$ false\n# exit 2\n```\n", 1),
        ("```console\n$ true\n# exit 1\n```\n", 1),
        ("```console\n$ (exit 2)\n# exit 2\n```\n", 0),
        ("```console\n$ echo 'error[syntax]: here'; false\nerror[syntax]: here\n# exit 1\n```\n", 0),
        ("```console\n$ echo 'error[syntax]: here'\nerror[syntax]: here\n```\n", 1),
        ("```console\n$ echo 'error[syntax]: here'\n...\n```\n", 1),
        ("```console\n$ echo '{\"error\":{}}'\n...\n```\n", 1),
        ("```console\n$ echo 'error[syntax]: here'\nerror[syntax]: here\n# exit 0\n```\n", 0),
        ("```console\n$ echo 'warning[syntax]: here'\nwarning[syntax]: here\n```\n", 0),
        ("```sh\nfalse\n```\n", 1),
        ("```sh\nfalse\ntrue\n```\n", 1),
        ("```sh\nmake no-such-target\n```\n", 1),
        ("```sh\ncmake --preset no-such-preset\n```\n", 1),
        ("```text\n$ not run\n```\n", 0),
        ("```console\n$ echo never closed\n", 1),
        # The blocks of a page share a folder, in order. Each page starts with an empty folder.
        ("```sh\necho one > a\n```\n\n```console\n$ cat a\none\n```\n", 0),
        ("```console\n$ cat a\n```\n\n```sh\necho one > a\n```\n", 1),
        ("```console\n$ ls\nexamples\n```\n", 0),
        ("[here](README.md#head)\n\n# Head\n", 0),
        ("[gone](missing.md)\n", 1),
        ("[gone](#no-heading)\n\n# Head\n", 1),
    ]
    failed = 0
    for text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "README.md"
            path.write_text(text)
            page = Page(path, options)
            page.check()
            if len(page.problems) != expected:
                failed += 1
                print(f"self-test: {text!r}\n  expected {expected} problems, got {page.problems}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "README.md"
        page_of = "```console\n$ false\nsomething\n$ echo one\ntwo\n```\n".replace
        path.write_text(page_of("", ""))
        page = Page(path, argparse.Namespace(bin="/nonexistent", compile="", update=True))
        page.check()
        if len(page.problems) != 1 or path.read_text() != page_of("two", "one"):
            failed += 1
            print(f"self-test: --update must complain about the failure and leave it, got {page.problems}, {path.read_text()!r}")
        index, other = pathlib.Path(folder) / "index.md", pathlib.Path(folder) / "other.md"
        for text, expected in (("[one](README.md#a) [two](other.md)", []), ("[one](README.md)", [other])):
            if unlinked([path, other, index], {index: text}) != expected:
                failed += 1
                print(f"self-test: {text}: the unlinked pages should be {expected}")
    total = len(cases) + 3
    print(f"self-test: {total - failed} passed, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--compile", default="")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return 1 if self_test() else 0
    options.bin = options.bin.resolve()
    docs = sorted((ROOT / "docs").rglob("*.md"))
    files = [f.resolve() for f in options.files] or sorted([*ROOT.glob("*.md"), *docs])
    pages = [Page(file, options) for file in files]
    for page in pages:
        page.check()
    problems = [problem for page in pages for problem in page.problems]
    if not options.files:
        indexes = {path: path.read_text() for path in (ROOT / "docs/README.md", ROOT / "docs/errors/README.md")}
        problems += [f"{page.relative_to(ROOT)}:1: neither docs/README.md nor docs/errors/README.md links this page"
                     for page in unlinked(docs, indexes)]
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{len(pages)} pages, {sum(page.ran for page in pages)} blocks ran, "
          f"{sum(page.left for page in pages)} cpp blocks not compiled, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
