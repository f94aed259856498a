#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random maps with names for sizes: what is answered for all sizes is right at each of some sizes, by every point.

A judge that shares no code with the program: its own reader of terms, and enumeration.
"""

import argparse
import itertools
import json
import random
import re
import subprocess
import sys

TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*|//|==|!=|>=|<=|[-+*/%(),<>\[\]:])")


class Reader:
    """Terms and conditions as Python expressions."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        assert "".join(self.tokens) == re.sub(r"\s", "", text), text
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *symbols):
        if self.peek() in symbols and self.peek():
            self.at += 1
            return self.tokens[self.at - 1]
        return ""

    def sum(self):
        out = self.product()
        while operator := self.take("+", "-"):
            out = f"({out}{operator}{self.product()})"
        return out

    def product(self):
        out = self.factor()
        while operator := self.take("*", "/", "//", "%", "mod", "floordiv", "ceildiv"):
            right = self.factor()
            if operator == "ceildiv":
                out = f"(-((-{out})//{right}))"
            else:
                out = f"({out}{'*' if operator == '*' else '%' if operator in ('%', 'mod') else '//'}{right})"
        return out

    def factor(self):
        if self.take("-"):
            return f"(-{self.factor()})"
        if self.take("("):
            out = self.sum()
            assert self.take(")"), self.tokens
            return out
        word = self.peek()
        self.at += 1
        if word in ("min", "max", "ceil_div"):
            assert self.take("(")
            a = self.sum()
            assert self.take(",")
            b = self.sum()
            assert self.take(")")
            return f"(-((-{a})//{b}))" if word == "ceil_div" else f"{word}({a},{b})"
        assert re.fullmatch(r"\w+", word), self.tokens
        return word

    def condition(self):
        out = ""
        while True:
            left = self.sum()
            out += left + self.take("==", "!=", ">=", "<=", ">", "<") + self.sum()
            word = self.take("and", "or")
            if not word:
                break
            out += f" {word} "
        assert not self.peek(), self.tokens
        return out

    def intervals(self):
        """`d0 in [0, N - 1], ...` as triples."""
        out = []
        while True:
            value = self.sum()
            assert self.take("in") and self.take("["), self.tokens
            low = self.sum()
            assert self.take(",")
            out.append((value, low, self.sum()))
            assert self.take("]")
            if not self.take(","):
                return out


class Map:
    def __init__(self, text):
        r = Reader(text.replace("->", ":"))
        assert r.take("(")
        self.dims, self.results, self.domain = [], [], []
        while not r.take(")"):
            self.dims.append(r.peek())
            r.at += 1
            r.take(",")
        assert r.take(":") and r.take("(")
        while not r.take(")"):
            self.results.append(r.sum())
            r.take(",")
        if r.take(","):
            assert r.take("domain") and r.take(":")
            self.domain = r.intervals()
        assert not r.peek(), text

    def points(self, sizes):
        """The results of each index of the domain."""
        spans = []
        for _, low, high in self.domain[: len(self.dims)]:
            spans.append(range(eval(low, {}, sizes), eval(high, {}, sizes) + 1))
        checks = [compile(f"{low} <= {value} <= {high}", "", "eval") for value, low, high in self.domain[len(self.dims) :]]
        results = compile("(" + "".join(r + "," for r in self.results) + ")", "", "eval")
        out = {}
        for index in itertools.product(*spans):
            here = {**sizes, **dict(zip(self.dims, index))}
            if all(eval(check, {}, here) for check in checks):
                out[index] = eval(results, {}, here)
        return out


class Choices:
    """Random choices, of which questions are made."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)


class Maps(Choices):
    def map(self):
        rank = self.pick(1, 1, 2, 2, 2, 3)
        extents = [self.pick("M", "N", "K", "4", "6", "M * N", "N ceildiv 4", "2 * M", "N + 1") for _ in range(rank)]
        dims = [f"d{d}" for d in range(rank)]
        lows = [self.pick(*["0"] * 12, "K", "K - 2", "N - K", "2 - M", "M / 2") for _ in dims]
        domain = [f"{d} in [{a}, {int(e) - 1 if e.isdigit() else e + ' - 1'}]" for d, a, e in zip(dims, lows, extents)]
        if self.random.random() < 0.15:
            a = self.pick(*dims)
            domain.append(
                self.pick(
                    f"{a} in [0, K]",
                    f"{a} mod 3 in [0, 1]",
                    f"{' + '.join(dims)} in [0, {extents[0]}]",
                    f"{a} * 2 in [1, M]",
                    f"{a} mod N in [0, N - 1]",
                )
            )
        results = [self.result(dims, extents) for _ in range(self.pick(1, 1, 2, rank))]
        return f"({', '.join(dims)}) -> ({', '.join(results)}), domain: {', '.join(domain)}"

    def atom(self, dims, extents):
        d = self.random.randrange(len(dims))
        by = self.pick("2", "4", "N", "M", "8")
        return self.pick(
            dims[d], dims[d], dims[d], f"({dims[d]} / {by})", f"({dims[d]} mod {by})", f"({dims[d]} / 2 / {by})"
        )

    def row_major(self, dims, extents):
        out = dims[0]
        for d, e in zip(dims[1:], extents[1:]):
            out = f"({out}) * ({e}) + {d}"
        return out

    def result(self, dims, extents):
        shuffled = list(zip(dims, extents))
        if self.random.random() < 0.4:
            self.random.shuffle(shuffled)
        whole = self.row_major([d for d, _ in shuffled], [e for _, e in shuffled])
        by = self.pick("N", "M", "4", "K", "M * N", "2 * N")
        return self.pick(
            whole,
            whole,
            f"({whole}) / ({by})",
            f"({whole}) mod ({by})",
            f"({whole}) / ({by}) * ({by}) + ({whole}) mod ({by})",
            self.atom(dims, extents),
            self.atom(dims, extents),
            f"{self.atom(dims, extents)} * {self.pick('N', '2', 'K', '8', 'M')} + {self.atom(dims, extents)}",
            f"{self.atom(dims, extents)} + {self.atom(dims, extents)} + {self.pick('1', 'N', '0')}",
            f"{self.pick('N', 'M * N', '7')} - {self.atom(dims, extents)}",
            f"min({whole}, {self.pick('N', 'M * N * 8', '3')})",
        )

    def where(self):
        return self.pick("", "", "", "N % 4 == 0", "M <= N", "N >= 2, M >= 3", "K == 2*M", "N % M == 0", "M in [1, 3]")


NAMES = ("M", "N", "K")


def truth(where, sizes):
    if where == "M in [1, 3]":
        return sizes["M"] <= 3
    return all(eval(part, {}, sizes) for part in where.split(",")) if where else True


def image_of(text):
    """Whether a tuple is in the set."""
    if text == "KNOWN EMPTY":
        return lambda sizes, value: False
    if text == "()":
        return lambda sizes, value: True
    intervals = Reader(text).intervals()
    source = " and ".join(f"({low}) <= ({value}) <= ({high})" for value, low, high in intervals)
    code = compile(source, "", "eval")
    return lambda sizes, value: eval(code, {}, {**sizes, **{f"r{i}": x for i, x in enumerate(value)}})


def wrong_at(action, given, case, sizes, second):
    """Why the value of a case is wrong at sizes; empty if it is right."""
    points = given.points(sizes)
    if "error" in case:
        return "" if case["error"] == "not_invertible" and len(set(points.values())) < len(points) else "no error"
    text = case["value"]
    if action == "count values":
        got = eval(Reader(text).sum(), {}, sizes)
        return "" if got == len(set(points.values())) else f"{got}, not {len(set(points.values()))}"
    if action == "count points":
        got = eval(Reader(text).sum(), {}, sizes)
        return "" if got == len(points) else f"{got}, not {len(points)}"
    if action == "image":
        inside, values = image_of(text), set(points.values())
        missing = [v for v in values if not inside(sizes, v)]
        if missing:
            return f"{missing[0]} is missing"
        if not values or len(next(iter(values))) > 2:
            return ""
        spans = [range(min(v[i] for v in values) - 2, max(v[i] for v in values) + 3) for i in range(len(next(iter(values))))]
        if len(list(itertools.islice(itertools.product(*spans), 20001))) > 20000:
            return ""
        extra = [v for v in itertools.product(*spans) if v not in values and inside(sizes, v)]
        return f"{extra[0]} is too much" if extra else ""
    got = Map(text).points(sizes)
    if action == "inverse":
        if len(set(points.values())) < len(points):
            return "it has no inverse"
        expected = {value: index for index, value in points.items()}
    elif action == "compose":
        after = second.points(sizes)
        expected = {index: after[value] for index, value in points.items() if value in after}
    else:
        expected = points
    if got == expected:
        return ""
    differ = [k for k in {**got, **expected} if got.get(k) != expected.get(k)]
    return f"at {differ[0]}: {got.get(differ[0])}, not {expected.get(differ[0])}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--seed", type=int, default=46)
    options = parser.parse_args()
    maps = Maps(options.seed)
    questions = []
    for n in range(options.calls):
        action = ("simplify", "inverse", "count values", "count points", "image", "compose")[n % 6]
        text, where = maps.map(), maps.where()
        request = {"map": text}
        second = None
        if action == "compose":
            rank = len(Map(text).results)
            while second is None or len(Map(second).dims) != rank:
                second = maps.map()
            request = {"first": text, "second": second}
        verb = "map " + action.split()[0]
        if verb == "map count":
            request["of"] = action.split()[1]
        questions.append((action, text, second, where, {"verb": verb, "request": {**request, "where": ", ".join(filter(None, ["M, N, K", where]))}}))
    lines = "".join(json.dumps({"id": i, **q[4]}) + "\n" for i, q in enumerate(questions))
    done = subprocess.run([f"{options.bin}/tessera", "batch"], input=lines, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(questions):
        sys.exit(f"{len(answers)} answers to {len(questions)} questions: {done.stderr[:500]}")
    pick = random.Random(options.seed + 1)
    checks = undecided = refused = 0
    single = 0
    failures = []
    for (action, text, second, where, _), answer in zip(questions, answers):
        asked = f"{action} '{text}'" + (f" '{second}'" if second else "") + f" where {where}"
        if "cases" not in answer:
            refused += 1
            if answer.get("error", {}).get("code") not in ("undefined_value",):
                failures.append(f"{asked}: {answer.get('error')}")
            continue
        cases = [(c, compile(Reader(c["if"]).condition(), "", "eval") if c["if"] else None) for c in answer["cases"]]
        single += len(cases) == 1
        if any("undecided" in c for c in answer["cases"]):
            undecided += 1
        given = Map(text)
        after = Map(second) if second else None
        outside = bool(answer.get("notes"))
        for _ in range(4):
            sizes = {name: pick.randint(1, 5) for name in NAMES}
            if pick.random() < 0.3:
                sizes["N"] = 4 * pick.randint(1, 2)
            if pick.random() < 0.3:
                sizes["K"] = 2 * sizes["M"]
            if not truth(where, sizes):
                continue
            here = [c for c, code in cases if code is None or eval(code, {"ceil_div": lambda a, b: -(-a // b)}, sizes)]
            if len(here) != 1:
                if not (outside and not here):
                    failures.append(f"{asked}: {len(here)} cases at {sizes}: {answer['cases']}")
                continue
            if "undecided" in here[0]:
                continue
            if outside and not given.points(sizes):
                continue
            checks += 1
            wrong = wrong_at(action, given, here[0], sizes, after)
            if wrong:
                failures.append(f"{asked} at {sizes}: {here[0]}: {wrong}")
    print(f"{len(questions)} questions, {checks} answers at sizes, {undecided} with an undecided case, {refused} refused, {single} with one case")
    for failure in failures[:10]:
        print("WRONG", failure)
    if failures or checks < options.calls:
        sys.exit(1)


if __name__ == "__main__":
    main()
