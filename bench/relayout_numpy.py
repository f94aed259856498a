#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times NumPy on the cases of `tessera-bench relayout` and compares with the scores in its JSON.

    tessera-bench relayout --json scores.json --no-peers --max-mb 300
    relayout_numpy.py scores.json [--rounds 7] [--json FILE]

NumPy copies a transposed view into an existing array, alternating with a plain copy of the same bytes. Scores are medians;
1 is the speed of the plain copy, as in Tessera's column. Uses one thread. Tiles that divide the array become extra
axes. Prints a Markdown table, or writes JSON.
"""

import argparse
import json
import math
import re
import statistics
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit("relayout_numpy.py: NumPy is not installed; `apt-get install python3-numpy` or `pip install numpy`")

UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
# Rows have the axes a, b, c and columns d, e, outermost first. The value is the order of the axes in memory.
TILES = {None: "abcde", "T(8,128)": "adbce", "T(8,128)(2,1)": "adbec"}


def parse(layout):
    """The extents, the minor-to-major order and the tile of an XLA layout, or None for other notations."""
    match = re.fullmatch(r"\w+\[([\d,]+)\]\{([\d,]+)(?::(.*))?\}", layout)
    if not match:
        return None
    extents, order = ([int(n) for n in match[i].split(",")] for i in (1, 2))
    return extents, order, match[3]


def axes(src, dst):
    """The extents of the common axes and their order in both buffers, outermost first. None if NumPy has no such copy."""
    sides = parse(src), parse(dst)
    if None in sides or any(tile not in TILES for _, _, tile in sides):
        return None
    extents = sides[0][0]
    if all(tile is None for _, _, tile in sides):
        return extents, *(order[::-1] for _, order, _ in sides)
    rows, columns = extents
    if rows % 8 or columns % 128 or any(order != [1, 0] for _, order, _ in sides):
        return None
    return [rows // 8, 4, 2, columns // 128, 128], *(["abcde".index(a) for a in TILES[tile]] for _, _, tile in sides)


def view(buffer, extents, order):
    """The buffer as an array of the given extents whose axes are in the given order in memory."""
    return buffer.reshape([extents[a] for a in order]).transpose([order.index(a) for a in range(len(order))])


def seconds(repetitions, copy):
    start = time.perf_counter()
    for _ in range(repetitions):
        copy()
    return (time.perf_counter() - start) / repetitions


def measure(case, rounds):
    """GB/s of the plain copy, and the score of NumPy. None if NumPy cannot express the copy."""
    known = axes(case["src"], case["dst"])
    element = UNSIGNED.get(case["element_bytes"])
    if known is None or element is None:
        return None
    extents, src_order, dst_order = known
    count = math.prod(extents)
    src = np.arange(count, dtype=element)
    dst = np.zeros(count, dtype=element)
    source, destination = view(src, extents, src_order), view(dst, extents, dst_order)
    copies = [lambda: np.copyto(dst, src), lambda: np.copyto(destination, source)]
    times = [[], []]
    for kind, copy in enumerate(copies):
        copy()
        repetitions = max(1, int(2e-3 / max(1e-7, seconds(3, copy)))) if src.nbytes < 1 << 20 else 1
        copies[kind] = (repetitions, copy)
    for _ in range(rounds):
        for kind, (repetitions, copy) in enumerate(copies):
            times[kind].append(seconds(repetitions, copy))
    plain, ours = map(statistics.median, times)
    return {"copyto_gbps": src.nbytes / plain * 1e-9, "numpy": plain / ours}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scores", help="the file that tessera-bench relayout --json wrote")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", metavar="FILE", help="write JSON instead of the table")
    options = parser.parse_args()
    with open(options.scores, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    rows = []
    for case in cases:
        result = measure(case, options.rounds)
        if result is not None:
            rows.append({"id": case["id"], "megabytes": case["megabytes"], "tessera": case["score"], **result})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"numpy": np.__version__, "cases": rows}, file, indent=1)
        return
    print(f"| | MB | plain copy GB/s | NumPy {np.__version__} | Tessera | times as fast |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in rows:
        print(f"| {row['id']} | {row['megabytes']:.3g} | {row['copyto_gbps']:.1f} | {row['numpy']:.2f} |"
              f" {row['tessera']:.2f} | {row['tessera'] / row['numpy']:.1f} |")


if __name__ == "__main__":
    main()
