#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the Python package: moving arrays against NumPy and JAX, algebra against tensor-layouts, and single calls.

    python_bench.py [--rounds N] [--json FILE] [--small]

Prints a line for each case: medians, the ratio (how many times faster than the peer), and the goal. Peers that are not
installed are left out. Needs NumPy and a `tessera` that can be imported.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tessera
from tessera import cute


def median_seconds(call: Callable[[], Any], rounds: int, inner: int = 1) -> float:
    """The median time of a call. The first call is not counted."""
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(inner):
            call()
        times.append((time.perf_counter() - start) / inner)
    return statistics.median(times)


class Report:
    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, group: str, name: str, seconds: float, peer: str = "", peer_seconds: float | None = None) -> None:
        ratio = peer_seconds / seconds if peer_seconds else None
        self.rows.append({"group": group, "case": name, "seconds": seconds, "peer": peer, "peer_seconds": peer_seconds,
                          "ratio": ratio})
        peer_text = f"{peer:>22} {peer_seconds * 1e6:12.2f} us   {ratio:8.2f} x" if peer_seconds else ""
        print(f"{group:10} {name:34} {seconds * 1e6:12.2f} us {peer_text}", flush=True)

    def median(self, group: str, goal: str) -> None:
        ratios = [row["ratio"] for row in self.rows if row["group"] == group and row["ratio"]]
        if ratios:
            print(f"{group:10} median of {len(ratios)}: {statistics.median(ratios):.2f} x   goal: {goal}\n", flush=True)


def moves(report: Report, rounds: int, small: bool) -> None:
    """Copies that NumPy can write as one statement: transposes, permutations, slices, tiles."""
    n = 512 if small else 4096
    m = 64 if small else 256
    cases: list[tuple[str, np.ndarray, str, Callable[[np.ndarray], np.ndarray]]] = []
    for dtype, name in [(np.float32, "f32"), (np.float64, "f64"), (np.uint8, "u8"), (np.float16, "f16")]:
        a = np.ones((n, n), dtype)
        cases.append((f"{name} transpose {n}x{n}", a.T, f"{name}[{n},{n}]", np.ascontiguousarray))
    b = np.ones((m, m, m), np.float32)
    for axes in [(1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1)]:
        cases.append((f"f32 axes {axes} of {m}^3", b.transpose(axes), f"f32[{m},{m},{m}]", np.ascontiguousarray))
    c = np.ones((8, n // 64, n // 64, 64), np.float32)
    cases.append(("f32 NHWC to NCHW", c.transpose(0, 3, 1, 2), f"f32[8,64,{n // 64},{n // 64}]", np.ascontiguousarray))
    a = np.ones((n, n), np.float32)
    cases.append((f"f32 every second of {n}x{n}", a[:, ::2], f"f32[{n},{n // 2}]", np.ascontiguousarray))
    cases.append((f"f32 reversed {n}x{n}", a[:, ::-1], f"f32[{n},{n}]", np.ascontiguousarray))
    tiled = f"f32[{n},{n}]{{1,0:T(8,128)}}"
    cases.append((f"f32 into tiles of 8x128 {n}x{n}", a, tiled,
                  lambda x: np.ascontiguousarray(x.reshape(n // 8, 8, n // 128, 128).transpose(0, 2, 1, 3))))
    half = np.ones((n, n), np.float16)
    cases.append((f"f16 into T(8,128)(2,1) {n}x{n}", half, f"f16[{n},{n}]{{1,0:T(8,128)(2,1)}}",
                  lambda x: np.ascontiguousarray(x.reshape(n // 8, 4, 2, n // 128, 128).transpose(0, 3, 1, 4, 2))))
    for name, array, target, numpy_way in cases:
        layout = tessera.parse(target)
        same = np.array_equal(tessera.relayout(array, layout).ravel(), numpy_way(array).ravel())
        if not same:
            sys.exit(f"wrong copy: {name}")
        out = np.empty(layout.buffer_size, array.dtype)
        for threads in (1, None):
            ours = median_seconds(lambda: tessera.relayout(array, layout, out=out, threads=threads), rounds)
            if numpy_way is np.ascontiguousarray:
                target_array = np.empty(array.shape, array.dtype)
                peer = median_seconds(lambda: np.copyto(target_array, array), rounds)
                report.add("copy" if threads else "copy, all", name, ours, "np.copyto", peer)
            else:
                peer = median_seconds(lambda: numpy_way(array), rounds)
                report.add("copy" if threads else "copy, all", name, ours, "np.ascontiguousarray", peer)
    report.median("copy", "5")
    report.median("copy, all", "5")
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return
    x = jnp.ones((n, n), jnp.float32)
    transpose = jax.jit(jnp.transpose)
    view = np.asarray(x)
    out = np.empty((n, n), np.float32)
    report.add("jax", f"f32 transpose {n}x{n}", median_seconds(lambda: tessera.relayout(view.T, out=out), rounds),
               "jax.numpy.transpose", median_seconds(lambda: transpose(x).block_until_ready(), rounds))


def algebra(report: Report, rounds: int) -> None:
    """Compares the algebra with tensor-layouts on the same operands."""
    try:
        import tensor_layouts as peer
    except ImportError:
        print("tensor-layouts is not installed: pip install tensor-layouts\n")
        peer = None
    pairs = [(((4, 8), (8, 1)), ((4, 2), (1, 16))), (((6, 2), (8, 2)), ((4, 3), (3, 1))),
             ((((2, 4), (4, 8)), ((1, 2), (8, 32))), ((8, 4), (1, 8))), (((8, 8), (1, 8)), ((2, 4), (4, 8)))]
    functions = [("composition", "compose"), ("logical_divide", "logical_divide"), ("zipped_divide", "zipped_divide"),
                 ("logical_product", "logical_product"), ("blocked_product", "blocked_product"),
                 ("coalesce", "coalesce"), ("complement", "complement")]
    for ours, theirs in functions:
        own, other = [], []
        for a, b in pairs:
            count = 1 if ours in ("coalesce", "complement") else 2
            mine = [cute.Layout(*x) for x in (a, b)][:count]
            function = getattr(cute, ours)
            try:
                function(*mine)
            except tessera.Error:
                continue
            seconds = median_seconds(lambda: function(*mine), rounds, 2000)
            if peer is None:
                own.append(seconds)
                continue
            foreign = [peer.Layout(*x) for x in (a, b)][:count]
            call = getattr(peer, theirs)
            try:
                call(*foreign)
            except Exception:  # the peer refuses some operands
                continue
            own.append(seconds)
            other.append(median_seconds(lambda: call(*foreign), rounds, 200))
        if own:
            report.add("algebra", ours, statistics.median(own), "tensor-layouts", statistics.median(other) if other else None)
    report.median("algebra", "50")


def calls(report: Report, rounds: int) -> None:
    """Measures single calls, whose cost is mostly the transition to C++, and the computation of all offsets in one call."""
    layout = tessera.parse("f32[64,96]{1,0:T(8,32)}")
    small = cute.Layout((4, 8), (8, 1))
    empty = (lambda i, j: 0)
    base = median_seconds(lambda: empty(1, 2), rounds, 20000)
    for name, call in [("layout(i, j)", lambda: layout(1, 2)), ("layout[i, j]", lambda: layout[1, 2]),
                       ("layout.size", lambda: layout.size), ("cute.size(L)", lambda: cute.size(small)),
                       ("cute.Layout(i, j)", lambda: small(1, 2)), ("cute.coalesce(L)", lambda: cute.coalesce(small)),
                       ("tessera.parse(text)", lambda: tessera.parse("(4,8):(8,1)"))]:
        report.add("call", name, median_seconds(call, rounds, 20000))
    print(f"{'call':10} {'a Python lambda, for comparison':34} {base * 1e6:12.2f} us\n")
    big = tessera.parse("f32[2048,2048]{1,0:T(8,128)}")
    seconds = median_seconds(big.offsets, rounds)
    i, j = np.arange(2048)[:, None], np.arange(2048)
    peer = median_seconds(lambda: (i // 8 * 2048 + j // 128 * 128) * 8 + i % 8 * 128 + j % 128, rounds)
    if not np.array_equal(big.offsets(), (i // 8 * 2048 + j // 128 * 128) * 8 + i % 8 * 128 + j % 128):
        sys.exit("wrong offsets")
    report.add("offsets", "f32[2048,2048]{1,0:T(8,128)}", seconds, "NumPy arithmetic", peer)
    print(f"{'offsets':10} {big.size / seconds / 1e6:.0f} M offsets/s   goal: 200\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", help="write the measurements to this file")
    parser.add_argument("--small", action="store_true", help="small arrays, for a quick look")
    options = parser.parse_args()
    report = Report()
    calls(report, options.rounds)
    algebra(report, options.rounds)
    moves(report, options.rounds, options.small)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"tessera": tessera.build_info(), "numpy": np.__version__, "rows": report.rows}, file, indent=1)


if __name__ == "__main__":
    main()
