#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random accesses to layouts with names for sizes: what `access` says for all sizes is what it says for numbers, at some sizes.

`access '(M,2*M):(M,K)' --bytes 1 --threads '(16,2):(1,16)'` once took a minute: each question has a limit of CPU time, too.
Terms, conditions and sizes are read here, without the program's own code.
"""

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

from sized_maps import Choices, Reader

NAMES = ("M", "N", "K")
HELPERS = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max}
THREADS = ("32:1", "(16,2):(1,16)", "(8,4):(4,1)", "32:2", "(32,2):(1,32)", "(4,8):(8,1)", "((4,8),2):((2,8),1),vector=2", "(32,4):(4,1),vector=4",
           "64:1", "16:1", "32:0", "(8,2):(1,8),write", "map:(d0) -> (d0 mod 8, d0 / 8), domain: d0 in [0, 31]", "map:(d0) -> (d0, 0), domain: d0 in [0, 31]")
BY_EXTENTS = ("rows", "columns", "ldmatrix.x4", "ldmatrix.x1", "stmatrix.x2", "rows,vector=4", "")
WHERES = ("", "", "", "N % 8 == 0", "M <= N", "N >= 32", "K % 16 == 0, N % 4 == 0", "M <= 40", "K == 2*N", "N % 2 == 1")


class Questions(Choices):
    def extent(self):
        return self.pick("M", "N", "8", "32", "2*M", "16", "4", "N + 1", "ceil_div(N,8)", "M*N")

    def stride(self):
        return self.pick("1", "M", "N", "K", "K", "N + 1", "2*N", "8*K", "M*K", "4", "32", "1", "K + 8", "ceil_div(N,8)", "0", "N*N", "33")

    def ask(self):
        """A template with a term in each brace, threads, bytes and assumptions."""
        threads = self.pick(*THREADS)
        if self.random.random() < 0.3:
            threads = self.pick(*BY_EXTENTS)
            shape = self.pick("({8},{32})", "({32},{16})", "({8},{8})", "({32},{4})", "({32},{1})")
        else:
            shape = self.pick("({%s},{%s})", "({%s})", "({%s},({%s},{%s}))", "({%s},{%s},{%s})")
            shape %= tuple(self.extent() for _ in range(shape.count("%s")))
        template = shape + ":" + re.sub(r"\{[^}]*\}", lambda _: "{%s}" % self.stride(), shape)
        if self.random.random() < 0.2 and threads not in BY_EXTENTS:
            template = self.pick("f32[{M},{N}]{{1,0}}", "f32[{M},{N}]{{1,0:T(8,128)}}", "{M}x{N}:[0, 1]", "f32[{8},{N}]{{0,1}}", "np:({M},{N}):({K},{1})", "f32[{N},{K}]{{1,0:T(4,8)}}")
        return template, threads, self.pick(1, 2, 4, 4, 8, 16), self.pick(*WHERES)


def written(template, sizes=None):
    """The layout with its terms, or with their numbers at some sizes."""
    return re.sub(r"\{([^{}]+)\}", lambda m: m[1] if sizes is None else str(eval(m[1], dict(HELPERS), dict(sizes))), template.replace("{{", "\x01").replace("}}", "\x02")).replace("\x01", "{").replace("\x02", "}")


def request_of(layout, threads, size, where=""):
    out = {"layout": layout, "space": "shared", "bytes": size}
    if threads:
        out["threads"] = [threads]
    if where:
        out["where"] = where
    return out


def holds(condition, sizes):
    return not condition or bool(eval(Reader(condition).condition(), dict(HELPERS), dict(sizes)))


def satisfies(where, sizes):
    return all(holds(one, sizes) for one in where.split(", "))


def said_by_numbers(answer):
    """`4`, `4, misaligned`, or an error; None if the operand is not a layout."""
    if "error" in answer:
        code = answer["error"]["code"]
        return None if code in ("bad_extent", "number_range") else f"error {code}"
    one = answer["accesses"][0]
    if one["shared"] is None:
        return f"error {answer.get('code', 'none')}"
    return f"{one['shared']['wavefronts']}{', misaligned' if one['misaligned'] else ''}"


def said_by_case(case):
    return f"error {case['error']}" if "error" in case else case.get("value", "undecided")


def batch(program, lines, seconds):
    """The answers to one batch, and the CPU seconds that it took."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
        given.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        given.seek(0)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        limit = (lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))) if seconds else None
        subprocess.run([program, "batch"], stdin=given, stdout=out, stderr=subprocess.DEVNULL, check=False, preexec_fn=limit)
        out.seek(0)
        return [json.loads(line) for line in out.read().decode().splitlines()], resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--seed", type=int, default=46)
    parser.add_argument("--limit", type=int, default=20, help="CPU seconds of a question")
    options = parser.parse_args()
    program = os.path.join(options.bin, "tessera")
    asked = Questions(options.seed)
    pick = random.Random(options.seed + 1)
    failures, reasons, at_sizes, times = [], {}, [], []
    for _ in range(options.calls):
        template, threads, size, where = asked.ask()
        request = request_of(written(template), threads, size, where)
        answers, seconds = batch(program, [{"verb": "access", "request": request}], options.limit)
        name = json.dumps(request)
        times.append((seconds, name))
        if not answers:
            failures.append(f"{name}: no answer in {options.limit} s")
            continue
        answer = answers[0]
        if "error" in answer:
            reasons[answer["error"]["message"]] = reasons.get(answer["error"]["message"], 0) + 1
        if "parameters" not in answer:
            continue
        cases = answer["accesses"][0]["cases"]
        for case in cases:
            if "undecided" in case:
                reasons[case["undecided"]] = reasons.get(case["undecided"], 0) + 1
        tries = [{n: pick.choice((1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, 40, 64, 100, 127, 128, 130, 256)) for n in NAMES} for _ in range(12)]
        for sizes in tries:
            if where == "K == 2*N":
                sizes["K"] = 2 * sizes["N"]
            if satisfies(where, sizes):
                at_sizes.append((name, cases, sizes, {"verb": "access", "request": request_of(written(template, sizes), threads, size)}))
    numbers, _ = batch(program, [one[3] for one in at_sizes], 0)
    checks = undecided = 0
    for (name, cases, sizes, _), answer in zip(at_sizes, numbers, strict=True):
        right = said_by_numbers(answer)
        chosen = [case for case in cases if holds(case["if"], sizes)]
        if right is None:
            continue
        checks += 1
        if len(chosen) != 1:
            failures.append(f"{name} at {sizes}: {len(chosen)} cases hold; numbers say {right}")
            continue
        said = said_by_case(chosen[0])
        undecided += said == "undecided"
        if said not in ("undecided", right):
            failures.append(f"{name} at {sizes}: {said}, numbers say {right}")
    print(f"seed {options.seed}: {options.calls} questions, {checks} sizes, {undecided} undecided; the slowest took {max(times)[0]:.2f} s")
    if options.calls > 500:
        print("\n".join(f"{count:5} {reason}" for reason, count in sorted(reasons.items(), key=lambda one: -one[1])))
        print("\n".join(f"{seconds:.2f} s {name}" for seconds, name in sorted(times)[-8:]))
    for failure in failures[:10]:
        print("WRONG", failure[:1500])
    if failures or checks < options.calls or undecided > checks // 2:
        sys.exit(1)


if __name__ == "__main__":
    main()
