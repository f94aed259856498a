# SPDX-License-Identifier: Apache-2.0
"""Asks z3 and TVM's analyzer the questions about sizes of files of vectors, and compares their verdicts with those of the files.

    python3 tests/laws/size_peers.py tests/vectors/symbolic/facts.jsonl tests/vectors/symbolic/equal.jsonl

Limits of z3's own steps, and not of time, make the counts repeatable. z3 says yes, no or unknown; it has no conditions, so `yes iff`
counts as no. TVM says yes or unknown: alone, and with the z3 that it has built in. A verdict that contradicts the file fails; a package
that is not installed is skipped.
"""
from __future__ import annotations

import ast
import contextlib
import json
import re
import sys
from typing import Any

STEPS = 2_000_000


class Z3:
    """Verdicts of z3."""

    name = "z3"

    def __init__(self) -> None:
        import z3

        self.z3 = z3
        self.number, self.variable = z3.IntVal, z3.Int

    def quotient(self, a: Any, b: Any) -> Any:
        return a / b

    def remainder(self, a: Any, b: Any) -> Any:
        return a % b

    def smaller(self, a: Any, b: Any) -> Any:
        return self.z3.If(a <= b, a, b)

    def larger(self, a: Any, b: Any) -> Any:
        return self.z3.If(a >= b, a, b)

    def verdict(self, ranges: list[tuple[Any, Any, Any]], given: list[Any], asked: list[Any]) -> str:
        solver = self.z3.Solver()
        solver.set("rlimit", STEPS)
        for x, low, high in ranges:
            solver.add(x >= low, x <= high)
        solver.add(*given, self.z3.Not(self.z3.And(*asked)))
        return {"unsat": "yes", "sat": "no"}.get(str(solver.check()), "unknown")


class Tvm:
    """Verdicts of TVM's analyzer, with so many steps of its z3."""

    def __init__(self, name: str, steps: int) -> None:
        import tvm
        from tvm import sym, tirx

        self.name, self.steps, self.tvm, self.sym = name, steps, tvm, sym
        self.quotient, self.remainder, self.smaller, self.larger = tirx.floordiv, tirx.floormod, tirx.min, tirx.max
        self.number, self.variable = (lambda n: tirx.const(n, "int64")), (lambda n: tirx.Var(n, "int64"))

    def verdict(self, ranges: list[tuple[Any, Any, Any]], given: list[Any], asked: list[Any]) -> str:
        analyzer = self.sym.Analyzer()
        analyzer.set_z3_rlimit(self.steps)
        analyzer.set_z3_timeout_ms(600_000)
        for x, low, high in ranges:
            if hasattr(x, "name"):
                analyzer.bind(x, self.tvm.ir.Range(low, high + 1))
            else:
                given = [x >= low, x <= high, *given]
        strongest = self.sym.ProofStrength.SYMBOLIC_BOUND
        with contextlib.ExitStack() as stack:
            for condition in given:
                stack.enter_context(analyzer.constraint_scope(condition))
            return "yes" if all(analyzer.can_prove(a, strongest) for a in asked) else "unknown"


class Terms(ast.NodeVisitor):
    """A size term as a term of a prover; its divisors are at least 1 where it has a value."""

    def __init__(self, prover: Any, names: dict[str, Any]) -> None:
        self.prover, self.names, self.divisors = prover, names, []

    def of(self, text: str) -> Any:
        text = re.sub(r"\bfloordiv\b", "//", re.sub(r"\bmod\b", "%", text))
        text = re.sub(r"([\w.]+|\([^()]*\)) ceildiv ([\w.]+|\([^()]*\))", r"ceil_div(\1, \2)", text)
        return self.visit(ast.parse(text.strip(), mode="eval").body)

    def visit_Constant(self, node: ast.Constant) -> Any:
        return self.prover.number(node.value)

    def visit_Name(self, node: ast.Name) -> Any:
        return self.names.get(node.id) if node.id in self.names else self.names.setdefault(node.id, self.prover.variable(node.id))

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
        return (self.prover.remainder if isinstance(node.op, ast.Mod) else self.prover.quotient)(a, b)

    def visit_Call(self, node: ast.Call) -> Any:
        a, b = (self.visit(x) for x in node.args)
        name = node.func.id  # type: ignore[attr-defined]
        if name == "ceil_div":
            self.divisors.append(b >= 1)
            return self.prover.quotient(a + b - 1, b)
        return (self.prover.smaller if name == "min" else self.prover.larger)(a, b)


RELATIONS = {"==": lambda a, b: a == b, "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<=": lambda a, b: a <= b,
             "<": lambda a, b: a < b, ">=": lambda a, b: a >= b, ">": lambda a, b: a > b}


def assumed(text: str, terms: Terms) -> tuple[list[tuple[Any, Any, Any]], list[Any]]:
    """The intervals, and the other conditions."""
    ranges, out = [], []
    for part in re.split(r",(?![^\[]*\])(?![^(]*\))|\band\b", text):
        part = part.strip()
        interval = re.fullmatch(r"(.+?) in \[(.+?),(.+)\]", part)
        if interval:
            ranges.append(tuple(terms.of(t) for t in interval.groups()))
            continue
        pieces = re.split(r"(==|!=|<=|>=|<|>|=)", part)
        sides = [terms.of(t) for t in pieces[::2] if t.strip()]
        out += [RELATIONS[r](a, b) for a, r, b in zip(sides, pieces[1::2], sides[1:])]
    return ranges, out


def verdict(prover: Any, row: dict[str, Any]) -> str:
    names: dict[str, Any] = {}
    terms = Terms(prover, names)
    ranges, given = assumed(row["where"], terms) if row["where"] else ([], [])
    own: set[str] = set(re.findall(r"(\w+) in \[", row["where"]))
    if "left" in row:
        asked = [RELATIONS[row["op"]](terms.of(row["left"]), terms.of(row["right"]))]
    else:
        dims, results, domain = re.fullmatch(r"\((.*?)\) -> \((.*)\), domain: (.*)", row["a"]).groups()  # type: ignore[union-attr]
        _, others, _ = re.fullmatch(r"\((.*?)\) -> \((.*)\), domain: (.*)", row["b"]).groups()  # type: ignore[union-attr]
        box, conditions = assumed(domain, terms)
        ranges, given = ranges + box, given + conditions
        own |= set(d.strip() for d in dims.split(","))
        tops = [[terms.of(t) for t in re.split(r",(?![^(]*\))", side)] for side in (results, others)]
        if len(tops[0]) != len(tops[1]):
            return "no"
        asked = [a == b for a, b in zip(*tops)]
    positive = [v >= 1 for n, v in names.items() if n not in own]
    return prover.verdict(ranges, [*given, *terms.divisors, *positive], asked)


def main() -> int:
    provers: list[Any] = []
    for name, make in (("z3", Z3), ("TVM alone", lambda: Tvm("TVM alone", 1)), ("TVM with z3", lambda: Tvm("TVM with z3", STEPS))):
        try:
            provers.append(make())
        except ImportError as missing:
            print(f"skipped {name}: {missing}")
    bad = 0
    for path in sys.argv[1:]:
        for prover in provers:
            counts = {"true": 0, "proved": 0, "false": 0, "refuted": 0, "unread": 0}
            for line in open(path):
                row = json.loads(line)
                if row.get("kind") == "layouts" or row.get("answer") not in ("yes", "no", "iff"):
                    continue
                try:
                    said = verdict(prover, row)
                except (SyntaxError, AttributeError, ValueError, KeyError):
                    counts["unread"] += 1
                    continue
                truth = row["answer"] == "yes"
                counts["true" if truth else "false"] += 1
                counts["proved"] += truth and said == "yes"
                counts["refuted"] += not truth and said == "no"
                if said != "unknown" and (said == "yes") != truth:
                    print(row["id"], "is", row["answer"], "but", prover.name, "says", said)
                    bad += 1
            print(path, prover.name, counts, flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
