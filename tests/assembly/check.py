#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the offset of a constant layout compiles to the same code as a handwritten formula.

    check.py --compiler CXX --include DIR [--show]
    check.py --self-test

Compiles offsets.cc with -O2 and compares each NAME_layout with its NAME_by_hand: the layout may have no more
instructions, no call and no division. --show prints both.
"""

import argparse
import pathlib
import re
import subprocess
import sys

SLOW = re.compile(r"\b(call|bl|i?div\w*|udiv|sdiv)\b")


def functions_of(assembly):
    """The instructions of each function by name, without labels and directives."""
    functions, name = {}, None
    for line in assembly.splitlines():
        label = re.match(r"_?(\w+):", line)
        if label and not label.group(1).startswith(("L", "F")):
            name = label.group(1)
            functions[name] = []
        elif name and re.match(r"\s+[a-z]", line):
            functions[name].append(re.sub(r"\s+", " ", line.split("#")[0]).strip())
    return functions


def problems_of(functions):
    pairs = [name.removesuffix("_layout") for name in functions if name.endswith("_layout")]
    problems = [] if pairs else ["no functions to compare"]
    for pair in pairs:
        layout, hand = functions[pair + "_layout"], functions.get(pair + "_by_hand", [])
        slow = [line for line in layout if SLOW.search(line)]
        if len(layout) > len(hand) or slow or not hand:
            problems.append("\n    ".join([f"{pair}: {len(layout)} instructions, by hand {len(hand)}", *layout, "by hand", *hand]))
    return len(pairs), problems


def self_test():
    good = "a_by_hand:\n\t.cfi\n\tleaq (%rsi,%rdi,8), %rax\n\tret\na_layout:\n.LFB1:\n\tleaq (%rsi,%rdi,8), %rax\n\tret\n"
    cases = [(good, 0), (good + "\tnop\n", 1), (good.replace("leaq (%rsi,%rdi,8), %rax\n\tret\n", "idivq %rax\n\tret\n"), 1),
             (good.replace("a_by_hand", "b_by_hand"), 1), ("", 1)]
    failed = [text for text, count in cases if len(problems_of(functions_of(text))[1]) != count]
    print(f"self-test: {len(cases) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler")
    parser.add_argument("--include")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    source = pathlib.Path(__file__).with_name("offsets.cc")
    done = subprocess.run([options.compiler, "-std=c++20", "-O2", "-S", "-o", "-", "-I", options.include, str(source)],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr)
        return 1
    functions = functions_of(done.stdout)
    if options.show:
        for name, lines in functions.items():
            print(name, *lines, sep="\n    ")
    count, problems = problems_of(functions)
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{count} pairs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
