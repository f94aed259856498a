#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of README.md and docs/, and follows their links.

    check_docs.py --bin DIR [--compile COMMAND] [--update] [FILE...]
    check_docs.py --self-test

Blocks by the word behind the fence:

    console   lines '$ COMMAND' (continued by '> ') and what they print, stdout and stderr together. A block is one
              shell session. Output lines must be equal; '...' alone stands for any lines, inside a line for any text.
              Commands that build or install something are not run: their make targets, presets and scripts must exist.
    sh        the same commands without output; run, and must succeed.
    cpp       compiled and run; a block without main() is the body of one. With a block 'output' right behind it, that
              is what the program prints.
    others    (text, hlo, json, ...) are shown, not run.

Blocks run in a folder of their own that has examples/ in it; 'tessera' is the one in --bin. --compile is a command
with {source} and {program}; without it cpp blocks are not compiled and the count says so. --update writes what was
printed into the page instead of comparing it.
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
    """[(command, [expected lines])] of a console block; sh blocks have commands alone."""
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
    """Lines equal, where '...' in `expected` stands for any lines (alone) or any text (inside a line)."""
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
    """Commands that readers run to build: what they name must exist."""
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
    """What each command prints, and the last status. One bash for all, so that '$?' and variables carry on."""
    script = "rc=0\n"
    for command in commands:
        script += f"printf '\\n%s\\n' {MARK}; (exit $rc)\n{command}\nrc=$?\n"
    script += f"printf '\\n%s\\n%s\\n' {MARK} $rc\n"
    env = dict(os.environ, PATH=f"{binaries}:{os.environ['PATH']}", LC_ALL="C.UTF-8", NO_COLOR="1")
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=120, check=False)
    parts = [part.strip("\n") for part in done.stdout.decode(errors="replace").split(f"\n{MARK}\n")[1:]]
    if len(parts) != len(commands) + 1:
        return [[] for _ in commands], f"{done.returncode} in the middle of the block"
    return [part.split("\n") if part else [] for part in parts[:-1]], int(parts[-1])


class Page:
    def __init__(self, path, options):
        self.path, self.options = path, options
        self.text = path.read_text()
        self.problems, self.ran, self.left, self.edits = [], 0, 0, []

    def complain(self, line, message):
        name = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        self.problems.append(f"{name}:{line}: {message}")

    def check(self):
        try:
            blocks = blocks_of(self.text)
            for block, following in zip(blocks, blocks[1:] + [None]):
                if block.kind in ("console", "sh"):
                    self.check_session(block)
                elif block.kind == "cpp":
                    self.check_program(block, following if following and following.kind == "output" else None)
        except ValueError as error:
            self.complain(1, str(error))
        self.check_links()
        if self.options.update and self.edits:
            lines = self.text.splitlines()
            for block, new in reversed(self.edits):
                lines[block.line : block.line + len(block.text)] = [(block.indent + line).rstrip() for line in new]
            self.path.write_text("\n".join(lines) + "\n")

    def check_session(self, block):
        commands = commands_of(block)
        builds = [command for command, _ in commands if is_build_command(command)]
        for command in builds:
            for problem in check_build_command(command):
                self.complain(block.line, problem)
        if not commands or builds:
            return
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
            outputs, status = run_session([command for command, _ in commands], folder, self.options.bin)
        self.ran += 1
        if block.kind == "sh":
            if status != 0:
                self.complain(block.line, f"ended with status {status}: {outputs}")
            return
        new = []
        for (command, expected), printed in zip(commands, outputs):
            while expected and not expected[-1].strip():
                expected = expected[:-1]
            good = matches(expected, printed)
            if not good and not self.options.update:
                shown = "\n    ".join(printed) or "(nothing)"
                self.complain(block.line, f"$ {command}\n  prints\n    {shown}")
            new += ("$ " + command.replace("\n", "\n> ")).split("\n") + (expected if good else printed)
        if new != block.text:
            self.edits.append((block, new))

    def check_program(self, block, output):
        if not self.options.compile:
            self.left += 1
            return
        source = "\n".join(block.text) + "\n"
        if not re.search(r"\bint main\(", source):
            source = BODY.format(source)
        with tempfile.TemporaryDirectory() as folder:
            file, program = pathlib.Path(folder) / "block.cc", pathlib.Path(folder) / "block"
            file.write_text(source)
            command = self.options.compile.replace("{source}", str(file)).replace("{program}", str(program))
            done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
            if done.returncode:
                self.complain(block.line, "does not compile:\n" + done.stderr)
                return
            os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
            done = subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        self.ran += 1
        printed = (done.stdout + done.stderr).rstrip("\n").split("\n")
        if done.returncode:
            self.complain(block.line, f"ended with status {done.returncode}:\n" + "\n".join(printed))
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
                    self.complain(number, f"the link {target} leads nowhere")
                elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
                    self.complain(number, f"{file or 'this page'} has no heading #{anchor}")


def anchors(text):
    """The names that headings get on GitHub."""
    result = set()
    for heading in re.findall(r"^#+\s+(.*)$", text, re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        while name in result:
            name += "-1"
        result.add(name)
    return result


def self_test():
    """Each kind of mistake must be found in a made-up page."""
    options = argparse.Namespace(bin="/nonexistent", compile="", update=False)
    cases = [
        ("```console\n$ echo one\none\n```\n", 0),
        ("```console\n$ printf 'a\\nb\\nc\\n'\na\n...\nc\n$ echo t 17 ms\nt ... ms\n```\n", 0),
        ("```console\n$ false\n$ echo $?\n1\n```\n", 0),
        ("```console\n$ echo one\ntwo\n```\n", 1),
        ("```console\n$ echo one\n```\n", 1),
        ("```console\n$ true\nsomething\n```\n", 1),
        ("```console\n$ printf 'a\\nb\\n'\na\n```\n", 1),
        ("```console\n$ exit 3\n```\n$ echo", 0),
        ("```console\n$ exit 3\n$ echo one\none\n```\n", 1),
        ("```console\nno command\n```\n", 1),
        ("```sh\nfalse\n```\n", 1),
        ("```sh\nmake no-such-target\n```\n", 1),
        ("```sh\ncmake --preset no-such-preset\n```\n", 1),
        ("```text\n$ not run\n```\n", 0),
        ("```console\n$ echo never closed\n", 1),
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
    print(f"self-test: {len(cases) - failed} passed, {failed} failed")
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
    files = [f.resolve() for f in options.files] or sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    pages = [Page(file, options) for file in files]
    for page in pages:
        page.check()
    problems = [problem for page in pages for problem in page.problems]
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{len(pages)} pages, {sum(page.ran for page in pages)} blocks ran, "
          f"{sum(page.left for page in pages)} cpp blocks not compiled, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
