#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the compile time of static layouts, and compares it with the budget.

    compile_time.py --compiler CXX --include DIR [--margin 3]

Compiles, without optimization, the header alone, the header with 50 different compositions and 50 divides, and with 200
compositions; each line parses its literals, checks the size of the result and instantiates its evaluation. Prints user
seconds and peak memory (the best of three runs), and fails above margin times the budget.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

# The limits: compile time in seconds on top of that of the header (for the header, in total), and megabytes for the
# mixed file.
BUDGET = {"gcc": {"header": 0.4, "mixed": 0.3, "compositions": 0.5}, "clang": {"header": 0.4, "mixed": 0.5, "compositions": 0.8}}
MEGABYTES = 120


def layout(source, rank):
    extents = [source.choice([2, 4, 8]) for _ in range(rank)]
    order = list(range(rank))
    source.shuffle(order)
    strides, cursor = [0] * rank, source.choice([1, 2, 3, 5, 7])
    for i in order:
        strides[i] = cursor
        cursor *= extents[i]
    nested = lambda v: f"({v[0]},({','.join(map(str, v[1:]))}))" if rank > 2 else f"({','.join(map(str, v))})"
    size = 1
    for e in extents:
        size *= e
    return f"{nested(extents)}:{nested(strides)}", size


def program(compositions, divides):
    source = random.Random(5)
    lines, seen = ['#include "tessera/algebra/static_layout.h"', "using namespace tessera;"], set()

    def add(call, size):
        n = len(seen)
        lines.append(f"constexpr auto r{n} = {call};")
        lines.append(f"static_assert(r{n}.size() == {size}); long at{n}(long i) {{ return r{n}(i); }}")
        seen.add(call)

    while len(seen) < compositions:
        a, _ = layout(source, source.choice([2, 3, 4]))
        m, d, n = source.choice([2, 4]), source.choice([1, 2, 4]), source.choice([2, 4])
        call = f'composition("{a}"_layout, "({m},{n}):({d},{d * m})"_layout)'
        if call not in seen:
            add(call, m * n)
    while len(seen) < compositions + divides:
        a, size = layout(source, 2)
        call = f'zipped_divide("{a}"_layout, "<{source.choice([1, 2])},{source.choice([1, 2])}>"_tiler)'
        if call not in seen:
            add(call, size)
    return "\n".join(lines) + "\n"


def measure(arguments, text, folder):
    path = pathlib.Path(folder) / "unit.cc"
    path.write_text(text)
    best = None
    for _ in range(3):
        command = [arguments.compiler, "-std=c++20", "-O0", "-I", arguments.include, "-c", str(path), "-o", "/dev/null"]
        process = subprocess.Popen(command)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"{' '.join(command)} failed")
        if best is None or usage.ru_utime < best[0]:
            best = (usage.ru_utime, usage.ru_maxrss / 1024)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--margin", type=float, default=3)
    arguments = parser.parse_args()
    version = subprocess.run([arguments.compiler, "--version"], capture_output=True, text=True).stdout
    budget = BUDGET["clang" if "clang" in version else "gcc"]
    units = {"header": program(0, 0), "mixed": program(50, 50), "compositions": program(200, 0)}
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        base = 0.0
        for name, text in units.items():
            seconds, megabytes = measure(arguments, text, folder)
            above = seconds - base
            print(f"{name:13} {above:5.2f} s{' above the header' if base else ''} (budget {budget[name]} s), {megabytes:.0f} MB")
            failed = failed or above > arguments.margin * budget[name]
            failed = failed or (name == "mixed" and megabytes > arguments.margin * MEGABYTES)
            base = base or seconds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
