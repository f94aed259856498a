#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where `tessera hlo --summary` says that one pass could compute two fusions, nothing is computed twice.

    fusions.py --bin DIR [--count N] [--seed N]
    fusions.py --self-test    checks on hand-made fusions that the judge can tell

Random fusions read an array of another one. The judge shares no code with the program: it follows every element that is
needed, with each value inside computed once, and counts where the array is read."""

import argparse
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEED = 20261129


def box(dims):
    return itertools.product(*(range(d) for d in dims))


class Value:
    """An array inside the fusion: its extents, its line, and `reads(index)`, pairs of a value and an index of it."""

    def __init__(self, dims, line, reads):
        self.dims, self.line, self.reads = dims, line, reads


def text(dims):
    return f"f32[{','.join(map(str, dims))}]"


def grow(values, chance, number):
    """Adds an operation on earlier values."""
    x = chance.choice(values[-3:])
    name, of = f"v{number}", f"v{values.index(x)}"
    kind = chance.choice(["negate", "transpose", "reverse", "slice", "concatenate", "reduce", "broadcast", "add"])
    rank = len(x.dims)
    if kind == "transpose" and rank == 2:
        dims = x.dims[::-1]
        return Value(dims, f"{name} = {text(dims)} transpose({of}), dimensions={{1,0}}", lambda i: [(x, i[::-1])])
    if kind == "reverse" and rank:
        return Value(x.dims, f"{name} = {text(x.dims)} reverse({of}), dimensions={{0}}",
                     lambda i: [(x, (x.dims[0] - 1 - i[0], *i[1:]))])
    if kind == "slice" and rank and x.dims[0] > 1:
        dims = (x.dims[0] - 1, *x.dims[1:])
        cuts = ", ".join(f"[{1 if k == 0 else 0}:{d}]" for k, d in enumerate(x.dims))
        return Value(dims, f"{name} = {text(dims)} slice({of}), slice={{{cuts}}}", lambda i: [(x, (i[0] + 1, *i[1:]))])
    if kind == "concatenate" and rank:
        dims = (2 * x.dims[0], *x.dims[1:])
        return Value(dims, f"{name} = {text(dims)} concatenate({of}, {of}), dimensions={{0}}",
                     lambda i: [(x, (i[0] % x.dims[0], *i[1:]))])
    if kind == "reduce" and rank:
        dims = x.dims[1:]
        return Value(dims, f"{name} = {text(dims)} reduce({of}, zero), dimensions={{0}}, to_apply=sum",
                     lambda i: [(x, (k, *i)) for k in range(x.dims[0])])
    if kind == "broadcast" and rank < 2:
        dims = (3, *x.dims)
        return Value(dims, f"{name} = {text(dims)} broadcast({of}), dimensions={{{','.join(str(k + 1) for k in range(rank))}}}",
                     lambda i: [(x, i[1:])])
    others = [v for v in values if v.dims == x.dims]
    if kind == "add" and others:
        y = chance.choice(others)
        return Value(x.dims, f"{name} = {text(x.dims)} add({of}, v{values.index(y)})", lambda i: [(x, i), (y, i)])
    return Value(x.dims, f"{name} = {text(x.dims)} negate({of})", lambda i: [(x, i)])


def computed_once(values):
    """Whether each element of the first value is read at exactly one index, and every element is."""
    needed = {id(v): set() for v in values}
    needed[id(values[-1])] = set(box(values[-1].dims))
    places = {}
    for value in reversed(values[1:]):
        for index in needed[id(value)]:
            for operand, at in value.reads(index):
                needed[id(operand)].add(at)
                if operand is values[0]:
                    places.setdefault(at, set()).add(index)
    return all(len(places.get(at, ())) == 1 for at in box(values[0].dims))


def module(values, number):
    body = "\n".join("  " + ("ROOT " if v is values[-1] else "") + v.line for v in values)
    first, last = text(values[0].dims), text(values[-1].dims)
    return f"""HloModule m{number}
sum {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }}
f {{ p = {first} parameter(0) ROOT e = {first} exponential(p) }}
g {{
  zero = f32[] constant(0)
{body}
}}
ENTRY main {{
  a = {first} parameter(0)
  x = {first} fusion(a), kind=kLoop, calls=f
  y = {last} fusion(x), kind=kLoop, calls=g
  ROOT t = ({last}) tuple(y)
}}
"""


def random_values(chance):
    dims = (chance.randint(2, 4), chance.randint(2, 5))
    values = [Value(dims, f"v0 = {text(dims)} parameter(0)", lambda i: [])]
    for number in range(1, chance.randint(2, 6)):
        values.append(grow(values, chance, number))
    return values


def self_test():
    p = Value((2, 3), "", lambda i: [])
    turned = Value((3, 2), "", lambda i: [(p, i[::-1])])
    sums = Value((3,), "", lambda i: [(p, (0, *i)), (p, (1, *i))])
    spread = Value((2, 3), "", lambda i: [(sums, i[1:])])
    cut = Value((1, 3), "", lambda i: [(p, i)])
    both = Value((2, 3), "", lambda i: [(p, i), (spread, i)])
    twice = Value((2, 3), "", lambda i: [(p, i), (p, i)])
    cases = [([p, turned], True), ([p, sums, spread], True), ([p, cut], False), ([p, sums, spread, both], False), ([p, twice], True)]
    wrong = [k for k, (values, once) in enumerate(cases) if computed_once(values) != once]
    print(f"{len(cases)} cases, {len(wrong)} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    chance = random.Random(arguments.seed)
    programs = [random_values(chance) for _ in range(arguments.count)]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "fusions.hlo"
        file.write_text("\n".join(module(values, k) for k, values in enumerate(programs)))
        done = subprocess.run([arguments.bin.resolve() / "tessera", "hlo", file, "--summary", "--json"], capture_output=True,
                              text=True, check=False)
    if done.returncode:
        print(done.stderr[:2000])
        return 1
    report = json.loads(done.stdout)
    said = {w["module"] for w in report["wastes"] if w["kind"] == "fusions"}
    wrong = [k for k in said if not computed_once(programs[k])]
    unsaid = [k for k in range(len(programs)) if k not in said and computed_once(programs[k])]
    for k in wrong[:3]:
        print("computed twice in one pass:\n" + module(programs[k], k))
    print(f"seed {arguments.seed}: {len(programs)} programs, one pass for {len(said)}, wrong {len(wrong)}; not said {len(unsaid)}")
    return 1 if wrong or len(said) < arguments.count // 20 else 0


if __name__ == "__main__":
    sys.exit(main())
