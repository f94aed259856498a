#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random questions about maps whose variables begin at a term of sizes: `map equal` and `map within` against every size and point.

`d0 in [K - 4, 3]` was once taken to begin at 1, and `yes` was wrong. A judge that shares no code with the program.
"""

import argparse
import itertools
import json
import random
import subprocess
import sys

from sized_maps import Map

LOWS = ("0", "1", "-2", "K", "K - 2", "-K", "K - 4", "K * N", "K / 2", "N - K", "(K mod 3) - 1", "3 - N", "K * K - 5", "(K + 1) ceildiv 2")
HIGHS = ("3", "K", "N + 3", "6")
TERMS = ("d0", "d0 * 2", "d0 / 2", "d0 mod 3", "d0 + K", "d0 * N", "d0 * d0", "(d0 + 4) / 3", "0", "1 / (d0 * d0 + 1)", "d0 * K - N")


def question(pick):
    """A request, the sizes that it is about, and what holds at an index."""
    (k0, k1), (n0, n1) = (sorted(pick.sample(range(least, 4), 2)) for least in (-2, 0))
    domain = f"domain: d0 in [{pick.choice(LOWS)}, {pick.choice(HIGHS)}]"
    a, b = (f"(d0) -> ({pick.choice(TERMS)}), {domain}" for _ in range(2))
    sizes = [{"K": k, "N": n} for k, n in itertools.product(range(k0, k1 + 1), range(n0, n1 + 1))]
    where = f"K in [{k0}, {k1}], N in [{n0}, {n1}]"
    if pick.random() < 0.5:
        return {"verb": "map equal", "request": {"a": a, "b": b, "where": where}}, sizes, lambda at: Map(a).points(at) == Map(b).points(at)
    low, high = pick.randrange(-4, 2), pick.randrange(0, 9)
    request = {"verb": "map within", "request": {"map": a, "box": f"[{low}, {high}]", "where": where}}
    return request, sizes, lambda at: all(low <= value <= high for (value,) in Map(a).points(at).values())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pick = random.Random(options.seed)
    asked = [question(pick) for _ in range(options.calls)]
    done = subprocess.run([f"{options.bin}/tessera", "batch"], input="".join(json.dumps(one[0]) + "\n" for one in asked),
                          capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    failures, undecided = [], 0
    for (request, sizes, holds), answer in zip(asked, answers, strict=True):
        kind = answer.get("answer", "no answer")
        undecided += kind == "undecided"
        true = all(holds(at) for at in sizes)
        wrong = kind not in ("yes", "iff", "no", "undecided") or (kind == "yes" and not true) or (kind in ("iff", "no") and true)
        if kind in ("iff", "no"):
            wrong = wrong or holds({"K": 0, "N": 0, **answer["at_sizes"]})
        if wrong:
            failures.append(f"{request}: {answer}")
    print(f"seed {options.seed}: {len(asked)} questions, {undecided} undecided")
    for failure in failures[:10]:
        print("WRONG", failure[:1500])
    if failures or undecided > len(asked) // 4:
        sys.exit(1)


if __name__ == "__main__":
    main()
