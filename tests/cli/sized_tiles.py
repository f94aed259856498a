#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random tiles of maps with names for sizes: what is answered for all sizes is what each tile reads at some sizes, by every point.

A judge that shares no code with the program: its own reader of terms, and enumeration.
"""

import argparse
import itertools
import json
import random
import re
import subprocess
import sys

from sized_maps import NAMES, Choices, Map, Reader, truth

WHERES = ("", "", "N % 4 == 0", "M <= N", "N >= 2, M >= 3", "N % M == 0", "M in [1, 3]")
EVEN = ("ts_0 % 2 == 0", "ts_0 % 4 == 0")


class Tiles(Choices):
    def map(self):
        rank = self.pick(1, 1, 2, 2, 3)
        extents = [self.pick("M", "N", "K", "4", "6", "M * N", "N ceildiv 4", "2 * M") for _ in range(rank)]
        dims = [f"d{d}" for d in range(rank)]
        lows = [self.pick("0", "0", "0", "0", "0", "1", "2", "N") for _ in dims]
        domain = ", ".join(f"{d} in [{low}, {int(e) - 1 if e.isdigit() else e + ' - 1'}]" for d, low, e in zip(dims, lows, extents))
        if self.random.random() < 0.15:
            domain += f", d0 in [{self.pick('0', '1', 'M - 3')}, {self.pick('N', 'N + 2', '5')}]"
        results = []
        for d, e in zip(dims, extents):
            by = self.pick("2", "4", "N", "8", "8")
            results += self.pick(
                [d],
                [d],
                [],
                [f"{d} * {self.pick('2', 'N', '3')} + {self.pick('1', 'M', '0')}"],
                [f"{e} - 1 - {d}"],
                [f"{d} / {by}", f"{d} mod {by}"],
                [f"{d} / {by}"],
                [f"{d} mod {by}"],
            )
        if rank > 1 and self.random.random() < 0.3:
            a, b = self.random.sample(range(rank), 2)
            whole = f"{dims[a]} * ({extents[b]}) + {dims[b]}"
            results = self.pick([whole], [f"({whole}) / ({extents[b]})", f"({whole}) mod ({extents[b]})"], [f"{dims[a]} + {dims[b]}"])
        self.random.shuffle(results)
        return f"({', '.join(dims)}) -> ({', '.join(results)}), domain: {domain}"


def terms(text):
    """`(a, b)` or `()` as code."""
    r = Reader(text[1:-1]) if text != "()" else None
    out = []
    while r and r.peek():
        out.append(compile(r.sum(), "", "eval"))
        r.take(",")
    return out


def hulls(text):
    """`[a, b) x [c, d)` as code."""
    return [terms(f"({part.lstrip('[')[:-1]})") for part in text.split(" x [")] if text else []


def unless(text):
    """When a tile at an end of the domain reads all: the condition after `unless`, as code."""
    return compile(Reader(text.split("unless ")[1]).condition() if "unless" in text else "False", "", "eval")


HELPERS = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max}


def chosen(fact, here):
    cases = [c for c in fact["cases"] if not c["if"] or eval(compile(Reader(c["if"]).condition(), "", "eval"), HELPERS, here)]
    return cases[0] if len(cases) == 1 else {"wrong": f"{len(cases)} cases"}


def wrong_tile(given, sizes, numbers, lengths, facts):
    """Why the tile with these numbers is wrong; empty if it is right, `undecided` if a fact is."""
    here = {**sizes, **{f"tid_{i}": n for i, n in enumerate(numbers)}, **{f"ts_{i}": n for i, n in enumerate(lengths)}}
    said = {}
    for fact in facts:
        case = chosen(fact, here)
        if "wrong" in case:
            return f"{fact['name']}: {case['wrong']}"
        if "undecided" in case:
            return "undecided"
        if "value" not in case:
            return f"{fact['name']}: {case}"
        said[fact["name"]] = case["value"]
    spans = given.spans(sizes)
    own = [range(n * t, (n + 1) * t) for n, t in zip(numbers, lengths)]
    actual = {given.value(index, sizes) for index in itertools.product(*([i for i in o if i in s] for o, s in zip(own, spans)))}
    number = lambda code: eval(code, dict(HELPERS), here)  # noqa: E731
    offsets, counts = [number(c) for c in terms(said["offset"])], [number(c) for c in terms(said["size"])]
    strides = [number(c) for c in terms(said["stride"])] if "stride" in said else [1] * len(offsets)
    limits = [[number(c) for c in pair] for pair in hulls(said.get("within", ""))]
    parts = [[o + s * k for k in range(n) if low <= o + s * k < high] for o, n, s, (low, high) in zip(offsets, counts, strides, limits)]
    read = set(itertools.product(*parts))
    cut = any(o[-1] not in s or o[0] not in s for o, s in zip(own, spans))
    edge = said.get("edge", "none")
    # `d0 mod N` starts over within a tile, and once began below 0 there.
    if not cut and any(o < low for o, (low, _) in zip(offsets, limits)):
        return f"begins at {offsets}, before all that is read"
    if said.get("bound", "none") != "none" or (cut and edge != "none" and not number(unless(edge))):
        return "" if actual <= read else f"{sorted(actual - read)[0]} is missing"
    return "" if actual == read else f"reads {sorted(actual)[:6]}, not {sorted(read)[:6]}"


def value(self, index, sizes):
    here = {**sizes, **dict(zip(self.dims, index))}
    return tuple(eval(r, {**HELPERS}, here) for r in self.results)


def spans(self, sizes):
    """The numbers of each variable, with constraints on one variable."""
    out = [range(eval(low, {}, sizes), eval(high, {}, sizes) + 1) for _, low, high in self.domain[: len(self.dims)]]
    for name, low, high in self.domain[len(self.dims) :]:
        d = self.dims.index(name)
        out[d] = range(max(out[d].start, eval(low, {}, sizes)), min(out[d].stop, eval(high, {}, sizes) + 1))
    return out


Map.value, Map.spans = value, spans


def any_tile(given, where, even):
    """Whether some sizes give the map a point, and a tile that is not longer than the array."""
    for numbers in itertools.product(range(1, 9), repeat=len(NAMES)):
        sizes = dict(zip(NAMES, numbers))
        least = int(even.split("% ")[1].split()[0]) if even else 1
        if truth(where, sizes) and all(len(span) > 0 for span in given.spans(sizes)) and given.spans(sizes)[0].stop >= least:
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--seed", type=int, default=46)
    options = parser.parse_args()
    tiles = Tiles(options.seed)
    questions = []
    for _ in range(options.calls):
        text, where = tiles.map(), tiles.pick(*WHERES)
        rank = len(Map(text).dims)
        tile = [tiles.pick(1, 2, 4, 4, 8, 3, 0, 0) for _ in range(rank)]
        request = {"input": text, "tile": ",".join(map(str, tile)), "where": ", ".join(filter(None, ["M, N, K", where]))}
        even = tiles.pick(*EVEN) if tile[0] == 0 and tiles.pick(True, False) else ""
        if even:
            request["where"] += ", " + even
        questions.append((text, where, tile, even, request))
    lines = "".join(json.dumps({"id": i, "verb": "tile", "request": q[4]}) + "\n" for i, q in enumerate(questions))
    done = subprocess.run([f"{options.bin}/tessera", "batch"], input=lines, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(questions):
        sys.exit(f"{len(answers)} answers to {len(questions)} questions: {done.stderr[:500]}")
    pick = random.Random(options.seed + 1)
    checks = undecided = 0
    failures = []
    for (text, where, tile, even, request), answer in zip(questions, answers):
        asked = f"tile '{text}' --tile {request['tile']} --where '{request['where']}'"
        if "facts" not in answer:
            if answer.get("error", {}).get("code") == "empty_range" and not any_tile(Map(text), where, even):
                continue
            failures.append(f"{asked}: {answer.get('error')}")
            continue
        given = Map(text)
        for _ in range(4):
            sizes = {name: pick.randint(1, 6) for name in NAMES}
            if pick.random() < 0.4:
                sizes["N"] = 4 * pick.randint(1, 2)
            if not truth(where, sizes):
                continue
            extents = [span.stop for span in given.spans(sizes)]
            if any(len(span) == 0 for span in given.spans(sizes)):
                continue
            lengths = [t or pick.randint(1, e) for t, e in zip(tile, extents)]
            if even and lengths[0] % int(even.split("% ")[1].split()[0]):
                continue
            for numbers in itertools.product(*(range(-(-e // t)) for e, t in zip(extents, lengths))):
                if any(not set(range(n * t, (n + 1) * t)) & set(span) for n, t, span in zip(numbers, lengths, given.spans(sizes))):
                    continue
                wrong = wrong_tile(given, sizes, numbers, lengths, answer["facts"])
                if wrong == "undecided":
                    undecided += 1
                    break
                checks += 1
                if wrong:
                    failures.append(f"{asked} at {sizes}, tile {numbers} of {lengths}: {wrong}: {answer['facts']}")
                    break
    print(f"seed {options.seed}: {len(questions)} questions, {checks} tiles, {undecided} undecided at sizes")
    for failure in failures[:10]:
        print("WRONG", failure[:1500])
    if failures or checks < options.calls:
        sys.exit(1)


if __name__ == "__main__":
    main()
