# SPDX-License-Identifier: Apache-2.0
"""Parts of random layouts that the tests of Triton share, and their options."""

import argparse
import pathlib


def arguments(description, count):
    """Where the program is, how many cases, and the seed."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def power(rng, most):
    return 1 << rng.randint(0, most)


def spread(rng, n, rank):
    """Powers of two whose product is n, one for each dimension."""
    out = [1] * rank
    while n > 1:
        out[rng.randrange(rank)] *= 2
        n //= 2
    return out


def unit_bases(rng, shape):
    """The bases of a tensor in a random order."""
    out = []
    for d, extent in enumerate(shape):
        step = 1
        while step < extent:
            out.append([step if i == d else 0 for i in range(len(shape))])
            step *= 2
    rng.shuffle(out)
    return out
