# SPDX-License-Identifier: Apache-2.0
"""Asks z3 the questions about sizes of a file of vectors, and compares its verdicts with those of the file.

    python3 tests/laws/z3_peer.py tests/vectors/symbolic/facts.jsonl tests/vectors/symbolic/equal.jsonl

A limit of z3's own steps, and not of time, makes the counts repeatable. z3 says yes, no or unknown; it has no conditions, so `yes iff`
counts as no. A verdict that contradicts the file fails.
"""
from __future__ import annotations

import ast
import json
import re
import sys
from typing import Any

import z3

STEPS = 2_000_000


class Terms(ast.NodeVisitor):
    """A size term as a term of z3; its divisors are at least 1 where it has a value."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names, self.divisors = names, []

    def of(self, text: str) -> Any:
        text = re.sub(r"\bfloordiv\b", "//", re.sub(r"\bmod\b", "%", text))
        text = re.sub(r"([\w.]+|\([^()]*\)) ceildiv ([\w.]+|\([^()]*\))", r"ceil_div(\1, \2)", text)
        return self.visit(ast.parse(text.strip(), mode="eval").body)

    def visit_Constant(self, node: ast.Constant) -> Any:
        return z3.IntVal(node.value)

    def visit_Name(self, node: ast.Name) -> Any:
        return self.names.setdefault(node.id, z3.Int(node.id))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        return -self.visit(node.operand)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        a, b = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Add):
            return a + b
        if isinstance(node.op, ast.Sub):
            return a - b
        if isinstance(node.op, ast.Mult):
            return a * b
        self.divisors.append(b >= 1)
        return a % b if isinstance(node.op, ast.Mod) else a / b

    def visit_Call(self, node: ast.Call) -> Any:
        a, b = (self.visit(x) for x in node.args)
        name = node.func.id  # type: ignore[attr-defined]
        if name == "ceil_div":
            self.divisors.append(b >= 1)
            return (a + b - 1) / b
        return z3.If((a <= b) if name == "min" else (a >= b), a, b)


RELATIONS = {"==": lambda a, b: a == b, "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<=": lambda a, b: a <= b,
             "<": lambda a, b: a < b, ">=": lambda a, b: a >= b, ">": lambda a, b: a > b}


def assumed(text: str, terms: Terms) -> list[Any]:
    out = []
    for part in re.split(r",(?![^\[]*\])(?![^(]*\))|\band\b", text):
        part = part.strip()
        interval = re.fullmatch(r"(.+?) in \[(.+?),(.+)\]", part)
        if interval:
            x, low, high = (terms.of(t) for t in interval.groups())
            out += [x >= low, x <= high]
            continue
        pieces = re.split(r"(==|!=|<=|>=|<|>|=)", part)
        sides = [terms.of(t) for t in pieces[::2] if t.strip()]
        out += [RELATIONS[r](a, b) for a, r, b in zip(sides, pieces[1::2], sides[1:])]
    return out


def verdict(row: dict[str, Any]) -> str:
    names: dict[str, Any] = {}
    terms = Terms(names)
    given = assumed(row["where"], terms) if row["where"] else []
    own: set[str] = set(re.findall(r"(\w+) in \[", row["where"]))
    if "left" in row:
        wrong = z3.Not(RELATIONS[row["op"]](terms.of(row["left"]), terms.of(row["right"])))
    else:
        dims, results, domain = re.fullmatch(r"\((.*?)\) -> \((.*)\), domain: (.*)", row["a"]).groups()  # type: ignore[union-attr]
        _, others, _ = re.fullmatch(r"\((.*?)\) -> \((.*)\), domain: (.*)", row["b"]).groups()  # type: ignore[union-attr]
        given += assumed(domain, terms)
        own |= set(d.strip() for d in dims.split(","))
        tops = [[terms.of(t) for t in re.split(r",(?![^(]*\))", side)] for side in (results, others)]
        wrong = z3.Or(*[a != b for a, b in zip(*tops)]) if len(tops[0]) == len(tops[1]) else z3.BoolVal(True)
    solver = z3.Solver()
    solver.set("rlimit", STEPS)
    solver.add(*given, *terms.divisors, *[v >= 1 for n, v in names.items() if n not in own], wrong)
    return {"unsat": "yes", "sat": "no"}.get(str(solver.check()), "unknown")


def main() -> int:
    bad = 0
    for path in sys.argv[1:]:
        counts = {"true": 0, "proved": 0, "false": 0, "refuted": 0, "unread": 0}
        for line in open(path):
            row = json.loads(line)
            if row.get("kind") == "layouts" or row.get("answer") not in ("yes", "no", "iff"):
                continue
            try:
                said = verdict(row)
            except (SyntaxError, AttributeError, ValueError, KeyError):
                counts["unread"] += 1
                continue
            truth = row["answer"] == "yes"
            counts["true" if truth else "false"] += 1
            counts["proved"] += truth and said == "yes"
            counts["refuted"] += not truth and said == "no"
            if said != "unknown" and (said == "yes") != truth:
                print(row["id"], "is", row["answer"], "but z3 says", said)
                bad += 1
        print(path, counts, flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
