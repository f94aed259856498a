#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks rules that hold for every verb: JSON errors, --quiet, exit codes, help, documentation.  every_verb.py --bin DIR

A verb that --help lists must have a row in VERBS and a section in docs/lookup/command-line.md."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAP = "(d0) -> (d0 / 4, d0 mod 4), domain: d0 in [0, 11]"
BIJECTION = "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"
TENSOR = ["--from", "u8[2,3]{1,0}", "--to", "u8[2,3]{0,1}"]
FILES = {"a.raw": "abcdef", "a.hlo": "ENTRY e {\n  ROOT p = f32[4] parameter(0)\n}\n", "there.json": "old\n",
         "w.safetensors": "8" + 7 * "\0" + '{"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}'.ljust(56) + "abcd",
         "page.html": '<title>Tessera explorer</title><div id="page"></div>', "empty": "", "wrong.hlo": "ENTRY e {\n  a = f32[4] parameter(0)\n  ROOT b = f32[4] what(a)\n}\n"}


class Verb:
    """`good`: valid arguments; `bad`: invalid arguments, with the code of the error and the exit status; `needs`: whether it needs
    arguments; `most`: the maximum number of arguments."""

    def __init__(self, good, bad=(), needs=True, most=True, stdin="", output=True):
        self.good, self.bad, self.needs, self.most = good, list(bad), needs, most
        self.stdin, self.output = stdin, output


VERBS = {
    "map simplify": Verb([MAP], [(["x"], "syntax", 2)]),
    "map compose": Verb([MAP, "(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 3]"],
                        [([MAP, MAP], "rank_mismatch", 2), ([MAP, "x"], "syntax", 2)]),
    "map inverse": Verb([BIJECTION], [(["(d0) -> (d0 / 2), domain: d0 in [0, 9]"], "not_invertible", 1)]),
    "map eval": Verb([MAP, "5"], [([MAP, "99"], "undefined_value", 1), ([MAP, "x"], "syntax", 2)]),
    "map equal": Verb([MAP, MAP], [([MAP, "x"], "syntax", 2)]),
    "map within": Verb([MAP, "--box", "[0, 2], [0, 3]"], [(["x", "--box", "[0, 9]"], "syntax", 2), ([MAP, "--box", "["], "syntax", 2)]),
    "map image": Verb([MAP], [(["x"], "syntax", 2)]),
    "map count": Verb([MAP], [(["x"], "syntax", 2)]),
    "hlo": Verb(["a.hlo"], [(["missing.hlo"], "file_not_found", 2), (["."], "file_read", 2),
                            (["empty"], "syntax", 2), (["a.hlo", "--op", "none"], "unknown_name", 2),
                            (["wrong.hlo"], "unknown_opcode", 2)], most=False),
    "eval": Verb(["size((4,8))"], [(["size("], "syntax", 2), (["nothing(4)"], "unknown_function", 2)], most=False),
    "show": Verb(["(4,8):(8,1)"], [(["(4,8):("], "syntax", 2), (["(4,8):(8,1)", "--picture", "--window", "9:10,0:1"],
                                                               "index_out_of_range", 2)]),
    "copy": Verb(["a.raw", "b.raw", *TENSOR],
                 [(["missing.raw", "b.raw", *TENSOR], "file_not_found", 2), ([".", "b.raw", *TENSOR], "file_read", 2),
                  (["empty", "b.raw", *TENSOR], "buffer_too_small", 2), (["a.raw", ".", *TENSOR], "file_write", 2),
                  (["a.raw", "nowhere/b.raw", *TENSOR], "file_write", 2), (["a.raw", "a.raw", *TENSOR], "file_exists", 2),
                  (["a.raw", "b.raw", "--from", "u8[2,3]", "--to", "u8[3,2]"], "different_shape", 2)]),
    "plan": Verb(TENSOR, [(["--from", "u8[2,3]", "--to", "u8[3,2]"], "different_shape", 2),
                          (["--from", "(4611686018427387904,4)", "--to", "u8[4]"], "overflow", 2)]),
    "reshard plan": Verb(["--shape", "u8[4]", "--from", "{devices=[2]<=[2]}", "--to", "{devices=[2]1,0}"],
                         [(["--shape", "u8[4]", "--from", "{devices=[2]", "--to", "{replicated}"], "syntax", 2),
                          (["--shape", "u8[4]", "--from", "{devices=[2,1]<=[2]}", "--to", "{replicated}"], "rank_mismatch", 2)]),
    "reshard at": Verb(["{replicated}", "--shape", "4", "--places", "1", "1"], [(["{replicated}", "--shape", "4", "--places", "1", "9"], "index_out_of_range", 2),
                                                              (["{replicat", "--shape", "4", "1"], "syntax", 2)], most=False),
    "reshard convert": Verb(["{devices=[2]<=[2]}", "--shape", "4"],
                            [(["mesh[p=2] [p(cyclic 1)]", "--shape", "4", "--to", "xla"], "not_representable", 1)]),
    "reshard places": Verb(["{replicated}", "--shape", "4", "--places", "1"],
                           [(["{replicated}", "--shape", "4", "--places", "1", "--place", "1"], "index_out_of_range", 2)]),
    "reshard recipes": Verb(["qkv-fuse"], [(["nosuch"], "file_not_found", 2)], needs=False),
    "reshard map": Verb(["tp", "lm_head.weight", "--set", "from=4", "--set", "to=2", "--shape", "16,8"],
                        [(["tp", "lm_head.weight", "--set", "form=4", "--shape", "16,8"], "bad_option", 2)]),
    "reshard show": Verb(["--shape", "u8[4]", "--from", "{devices=[2]<=[2]}", "--to", "{devices=[2]1,0}"],
                         [(["--shape", "u8[4]", "--from", "{devices=[2]", "--to", "{replicated}"], "syntax", 2)]),
    "reshard equal": Verb(["{replicated}", "{replicated}", "--shape", "4"], [(["{replicated}", "x", "--shape", "4"], "syntax", 2)]),
    "reshard files": Verb(["w.safetensors", "n.safetensors"],
                          [(["missing", "n"], "file_not_found", 2), (["w.safetensors", "there.json"], "file_exists", 2),
                           (["w.safetensors", "nowhere/n"], "file_write", 2),
                           (["w.safetensors", "n", "--to", "{devices=[2,2]<=[4]}"], "rank_mismatch", 2),
                           (["w.safetensors", "n", "--recipe", "a.raw"], "syntax", 2)]),
    "info": Verb(["a.hlo"], [(["missing.npy"], "file_not_found", 2), (["."], "file_read", 2)], most=False),
    "at": Verb(["(4,8):(8,1)", "1,2"], [(["(4,8):(8,1)", "9,9"], "index_out_of_range", 2), (["(4,8", "0"], "syntax", 2)],
               most=False),
    "convert": Verb(["(4,8):(8,1)", "--to", "linear"], [(["(3,8):(8,1)", "--to", "linear"], "not_representable", 1),
                                                       (["(4", "--to", "xla"], "syntax", 2)]),
    "access": Verb(["32:1", "--bytes", "4"], [(["32:1"], "unknown_type", 2), (["32:1", "--bytes", "4", "--target", "x"], "unknown_name", 2),
                                              (["(4", "--bytes", "4"], "syntax", 2)]),
    "atoms": Verb(["ldmatrix"], needs=False, most=False),
    "code": Verb(["(4,8):(8,1)"], [(["(4,8"], "syntax", 2), (["(d0) -> ("], "syntax", 2), ([MAP, "--name", "for"], "bad_option", 2),
                                   (["missing.hlo", "--op", "x"], "file_not_found", 2), (["--from", "u8[4]"], "bad_option", 2),
                                   (["(4,8):(0,1)", "--inverse"], "not_invertible", 1)], needs=False),
    "tile": Verb([MAP], [(["(d0) -> ("], "syntax", 2), (["missing.hlo"], "file_not_found", 2), ([MAP, "--tile", "x"], "bad_option", 2)]),
    "equal": Verb(["(4,8):(8,1)", "np:(4,8):(8,1)"], [(["(4,8):(8,1)", "("], "syntax", 2)]),
    "explore": Verb(["4:1", "--no-open", "--page", "page.html"],
                    [(["4:1", "--no-open", "--page", "missing.html"], "file_not_found", 2),
                     (["4:1", "--no-open", "--page", "a.raw"], "syntax", 2),
                     (["https://example.org/", "--no-open", "--page", "page.html"], "syntax", 2)], needs=False),
    "link": Verb(["4:1", "--page", "https://example.org/"], [(["", "--page", "https://example.org/"], "syntax", 2)]),
    "schema": Verb(["tile"], [(["nothing"], "unknown_name", 2)]),
    "batch": Verb([], needs=False, stdin='{"verb": "map", "args": ["simplify", "() -> (1)"]}\n'),
    "completion bash": Verb([], needs=False),
    "completion zsh": Verb([], needs=False),
    "completion fish": Verb([], needs=False),
    "help": Verb(["show"], [(["shwo"], "bad_option", 2), (["map", "simplfy"], "bad_option", 2)], needs=False, most=False),
}


class Run:
    def __init__(self, binary, arguments, stdin=""):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                (pathlib.Path(folder) / name).write_text(text)
            (pathlib.Path(folder) / "folder.json").mkdir()
            env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
            done = subprocess.run([binary, *arguments], cwd=folder, env=env, input=stdin, capture_output=True, text=True,
                                  timeout=60, check=False)
            self.left = sorted(p.name for p in pathlib.Path(folder).iterdir() if p.name not in {*FILES, "folder.json"})
        self.arguments, self.status, self.out, self.err = arguments, done.returncode, done.stdout, done.stderr

    def __str__(self):
        return f"$ tessera {' '.join(map(repr, self.arguments))}\n  status {self.status}\n  {self.out!r}\n  {self.err!r}"


class Tests:
    def __init__(self, binary):
        self.binary, self.problems, self.count = binary, [], 0

    def run(self, arguments, stdin=""):
        return Run(self.binary, arguments, stdin)

    def check(self, good, what, run):
        self.count += 1
        if not good:
            self.problems.append(f"{what}\n  {run}")

    def objects(self, run):
        """The JSON objects on stdout, or None if a line is not one."""
        try:
            return [json.loads(line) for line in run.out.splitlines()]
        except json.JSONDecodeError:
            return None

    def failure(self, verb, arguments, code, status, stdin=""):
        """The error is on stderr, even with --quiet. With --json, it is also an object on stdout."""
        words = verb.split()
        plain = self.run(words + arguments, stdin)
        self.check(plain.status == status and f"error[{code}]" in plain.err, f"expected {code}, status {status}", plain)
        quiet = self.run(words + ["--quiet"] + arguments, stdin)
        self.check(quiet.status == status and f"error[{code}]" in quiet.err, "--quiet keeps errors", quiet)
        for place in (["--json", *words, *arguments], [*words, "--json", *arguments], [*words, *arguments, "--json"]):
            run = self.run(place, stdin)
            objects = self.objects(run)
            errors = [one["error"]["code"] for one in objects or [] if "error" in one]
            good = (run.status == status and errors == [code] and objects[-1]["status"] == status
                    and objects[-1]["schema"] in (f"tessera.{words[0]}/1", "tessera.error/1"))
            self.check(good, f"--json prints one error object, {code}, status {status}", run)
            self.check(f"error[{code}]" in run.err, "with --json the error still goes to stderr", run)

    def verb(self, name, verb):
        words, schema = name.split(), f"tessera.{name.split()[0]}/1"
        good = self.run(words + verb.good, verb.stdin)
        self.check(good.status == 0 and good.err == "", "runs", good)
        for place in (["--json", *words, *verb.good], [*words, *verb.good, "--json"]):
            run = self.run(place, verb.stdin)
            objects = self.objects(run)
            wanted = schema if name != "batch" else "tessera.map/1"
            self.check(run.status == 0 and run.err == "" and objects and all(o["schema"] == wanted for o in objects),
                       f"--json prints {wanted}", run)
        quiet = self.run(words + verb.good + ["--quiet"], verb.stdin)
        self.check(quiet.status == 0 and quiet.err == "" and "note:" not in quiet.out, "--quiet", quiet)
        written = self.run(words + verb.good + ["-o", "new.json"], verb.stdin)
        self.check(written.status == 0 and written.out == "" and "new.json" in written.left, "-o writes the file", written)

        rest = verb.good
        self.failure(name, rest + ["--no-such-option"], "bad_option", 2, verb.stdin)
        self.failure(name, rest + ["--color", "sometimes"], "bad_option", 2, verb.stdin)
        self.failure(name, rest + ["--force", "--color"], "bad_option", 2, verb.stdin)
        self.failure(name, rest + ["-o", "folder.json"], "file_write", 2, verb.stdin)
        self.failure(name, rest + ["-o", "nowhere/new.json"], "file_write", 2, verb.stdin)
        self.failure(name, rest + ["-o", "a.raw/new.json"], "file_write", 2, verb.stdin)
        self.failure(name, rest + ["-o", "there.json"], "file_exists", 2, verb.stdin)
        self.failure(name, rest + ["-o", "new.xyz"], "bad_option", 2, verb.stdin)
        both = self.run(words + rest + ["--json", "-o", "new.txt"], verb.stdin)
        self.check(both.status == 2 and '"bad_option"' in both.out, "--json and a text file contradict", both)
        if verb.needs:
            self.failure(name, [], "bad_option", 2)
        if verb.most:
            self.failure(name, rest + ["one", "two"], "bad_option", 2, verb.stdin)
        for arguments, code, status in verb.bad:
            self.failure(name, arguments, code, status)
            failed = self.run(words + arguments + ["-o", "new.json"])
            # These verbs answer several questions. An error replaces one answer, so they may leave a file.
            self.check("new.json" not in failed.left or name in ("eval", "hlo", "info"), "a failed verb leaves no file",
                       failed)

        text = self.run(words + ["--help"])
        for help_run in (self.run(["help", *words]), self.run([*words, "-h"])):
            self.check(help_run.status == 0 and help_run.out == text.out, "help VERB is VERB --help", help_run)
        for help_run in (self.run(["help", *words, "--json"]), self.run([*words, "--help", "--json"])):
            objects = self.objects(help_run)
            self.check(objects and objects[0]["schema"] == "tessera.help/1" and objects[0]["text"] == text.out,
                       "help as JSON", help_run)


def verbs_of(binary, words=()):
    """Every verb that --help lists, without the verbs that have subverbs."""
    text = subprocess.run([binary, *words, "--help"], capture_output=True, text=True, check=True).stdout
    section = re.search(r"^Verbs:\n((?:  .*\n)+)", text, re.M)
    if not section:
        return [" ".join(words)]
    names = re.findall(r"^  (\w+)", section.group(1), re.M)
    return [verb for name in names for verb in verbs_of(binary, (*words, name))]


def check_documented(tests, verbs):
    """In the page on the command line, each verb has a line at the top and a section."""
    page = (ROOT / "docs/lookup/command-line.md").read_text()
    for verb in verbs:
        top, inner = verb.split()[0], verb.split()[-1]
        tests.check(re.search(rf"^tessera {top}\b.* {{2,}}\S", page, re.M) is not None,
                    f"command-line.md has no line for {top}", "")
        section = re.search(rf"^## `tessera {top}\b.*\n((?:(?!## ).*\n)*)", page, re.M)
        tests.check(section is not None and inner in section.group(0), f"command-line.md has no section for {verb}", "")


def check_threads(tests, verbs):
    """--threads has the same help text in every verb that has it."""
    texts = {}
    for verb in verbs:
        text = tests.run(verb.split() + ["--help"]).out
        found = re.search(r"^  --threads N\s+(.*(?:\n {10,}.*)*)", text, re.M)
        if found:
            texts.setdefault(" ".join(found.group(1).split()), []).append(verb)
    tests.check(len(texts) == 1 and {"hlo", "copy", "plan"} <= set(*texts.values()), f"--threads: {texts}", "")


def check_program(tests):
    """The program itself, without a verb."""
    version = tests.run(["--version", "--json"])
    tests.check(json.loads(version.out) == {"schema": "tessera.version/1", "status": 0,
                                            "version": tests.run(["--version"]).out.split()[1]}, "--version", version)
    tests.check(tests.run(["help"]).out == tests.run(["--help"]).out, "help is --help", "")
    for arguments in (["shwo"], ["--no-such-option"], ["--json"], ["map"], ["map", "simplfy"], ["--output"]):
        tests.failure(arguments[0], arguments[1:], "bad_option", 2)
    unknown = tests.run(["help", "shwo"])
    tests.check("did you mean 'show'?" in unknown.err, "a suggestion", unknown)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    tests = Tests(parser.parse_args().bin.resolve() / "tessera")
    # `reshard mpi` starts another program, which tests/mpi/run.py tests.
    verbs = [verb for verb in verbs_of(tests.binary) if verb != "reshard mpi"]
    for verb in sorted(set(verbs) ^ set(VERBS)):
        tests.problems.append(f"{verb}: in only one of VERBS and --help")
    for name, verb in VERBS.items():
        tests.verb(name, verb)
    check_documented(tests, verbs)
    check_threads(tests, verbs)
    check_program(tests)
    print("\n".join(tests.problems), end="\n" if tests.problems else "")
    print(f"{len(verbs)} verbs, {tests.count} checks, {len(tests.problems)} problems")
    return 1 if tests.problems else 0


if __name__ == "__main__":
    sys.exit(main())
