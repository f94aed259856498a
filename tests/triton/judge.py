#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares random layouts of Triton with an evaluator that shares no code with Tessera.

The evaluator goes from an element to its place by the arithmetic of each definition: quotients and remainders, and one
XOR for a swizzle. `tessera convert - --to linear` gives the bases, and both are compared at random points.

    judge.py --bin BUILD/bin [--count 2000] [--seed 1]      exits with 0 and prints a count, or with 1 and the first difference
"""

import math
import random
import subprocess
import sys

from random_layouts import arguments, power


def blocked_text(size, threads, warps, order):
    return ("#ttg.blocked<{sizePerThread = %s, threadsPerWarp = %s, warpsPerCTA = %s, order = %s}>"
            % (size, threads, warps, order))


def split(n, order, extents):
    """n as digits along the dimensions, the first of the order fastest."""
    out = [0] * len(extents)
    for d in order:
        out[d] = n % extents[d]
        n //= extents[d]
    return out


def blocked(rng):
    rank = rng.choice([1, 2, 2, 3])
    order = list(range(rank))
    rng.shuffle(order)
    size = [power(rng, 3) for _ in range(rank)]
    threads = [1] * rank
    for _ in range(5):
        threads[rng.randrange(rank)] *= 2
    warps = [power(rng, 1) for _ in range(rank)]
    tile = [s * t * w for s, t, w in zip(size, threads, warps)]
    # Shapes that the layout divides: no copies, so that every register counts.
    shape = [t * power(rng, 1) for t in tile]

    def element(reg, lane, warp):
        inner = split(reg % math.prod(size), order, size)
        outer = split(reg // math.prod(size), order, [s // t for s, t in zip(shape, tile)])
        ln = split(lane, order, threads)
        wp = split(warp, order, warps)
        return [((o * w + p) * t + l) * s + i
                for o, w, p, t, l, s, i in zip(outer, warps, wp, threads, ln, size, inner)]

    registers = math.prod(size) * math.prod(s // t for s, t in zip(shape, tile))
    return blocked_text(size, threads, warps, order), shape, (registers, 32, math.prod(warps)), element


def mma2(rng):
    warps = [power(rng, 1), power(rng, 1)]
    shape = [16 * warps[0] * power(rng, 1), 8 * warps[1] * power(rng, 1)]
    text = ("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = %s, instrShape = [16, 8]}>" % warps)
    tiles_n = shape[1] // (8 * warps[1])
    tiles_m = shape[0] // (16 * warps[0])

    def element(reg, lane, warp):
        row = lane // 4 + 8 * (reg // 2 % 2)
        column = lane % 4 * 2 + reg % 2
        tile = reg // 4
        wn, wm = warp % warps[1], warp // warps[1]
        tn, tm = tile % tiles_n, tile // tiles_n
        return [row + 16 * (wm + warps[0] * tm), column + 8 * (wn + warps[1] * tn)]

    return text, shape, (4 * tiles_n * tiles_m, 32, math.prod(warps)), element


def mfma(rng):
    warps = [power(rng, 1), power(rng, 1)]
    side = rng.choice([16, 32])
    transposed = rng.random() < 0.5
    shape = [side * warps[0], side * warps[1]]
    text = ("#ttg.amd_mfma<{version = 3, warpsPerCTA = %s, instrShape = [%d, %d, 8], isTransposed = %s}>"
            % (warps, side, side, "true" if transposed else "false"))

    def element(reg, lane, warp):
        along = reg % 4 + 4 * (lane // side) + 4 * (64 // side) * (reg // 4)
        across = lane % side
        row, column = (across, along) if transposed else (along, across)
        return [row + side * (warp // warps[1]), column + side * (warp % warps[1])]

    return text, shape, (side * side // 64, 64, math.prod(warps)), element


def swizzled(rng):
    vec, per, most = power(rng, 3), power(rng, 2), power(rng, 3)
    order = rng.choice([[1, 0], [0, 1]])
    shape = [power(rng, 4) * 4, power(rng, 4) * 4]
    text = "#ttg.swizzled_shared<{vec = %d, perPhase = %d, maxPhase = %d, order = %s}>" % (vec, per, most, order)
    columns = shape[order[0]]

    def offset(index):
        row, column = index[order[1]], index[order[0]]
        return row * columns + (column ^ (vec * (row // per % most) % columns))

    return text, shape, offset


def nvmma(rng):
    width, bits = rng.choice([32, 64, 128]), rng.choice([8, 16, 32])
    columns = 8 * width // bits
    shape = [8 * power(rng, 4), columns * power(rng, 2)]
    text = ("#ttg.nvmma_shared<{swizzlingByteWidth = %d, transposed = false, elementBitWidth = %d}>" % (width, bits))
    box = min(256, shape[0])

    def offset(index):
        row, column = index[0] % box, index[1] % columns
        inside = row * columns + (column ^ (128 // bits * (row // (128 // width) % (width // 16))))
        boxes = index[0] // box + (shape[0] // box) * (index[1] // columns)
        return boxes * box * columns + inside

    return text, shape, offset


def flat(index, shape):
    out, stride = 0, 1
    for i, n in zip(index, shape):
        out += i * stride
        stride *= n
    return out


def value(bases, index):
    out = 0
    for own, i in zip(bases, index):
        for k, basis in enumerate(own):
            if i >> k & 1:
                out ^= basis
    return out


def main():
    args = arguments(__doc__, 2000)
    rng = random.Random(args.seed)
    cases = []
    for _ in range(args.count):
        if rng.random() < 0.6:
            text, shape, sizes, element = rng.choice([blocked, mma2, mfma])(rng)
            registers, lanes, warps = sizes

            def function(index, element=element, lanes=lanes, shape=shape):
                thread, reg = index
                return flat(element(reg, thread % lanes, thread // lanes), shape)

            cases.append(("x".join(map(str, shape)) + ":" + text, [lanes * warps, registers], function))
        else:
            text, shape, offset = rng.choice([swizzled, nvmma])(rng)
            cases.append(("x".join(map(str, shape)) + ":" + text, shape, offset))
    lines = "".join(text + "\n" for text, _, _ in cases)
    run = subprocess.run([args.bin / "tessera", "convert", "-", "--to", "linear", "--quiet"], input=lines,
                         capture_output=True, text=True)
    answers = run.stdout.splitlines()
    if len(answers) != len(cases):
        print(f"seed {args.seed}: {len(answers)} answers for {len(cases)} layouts", run.stderr[:2000])
        return 1
    points = 0
    for (text, extents, function), answer in zip(cases, answers):
        try:
            bases = [[int(n) for n in part.split(":")[1].split(",") if n] for part in answer.split(" ")]
        except (IndexError, ValueError):
            print(f"seed {args.seed}: {text}\n  {answer}")
            return 1
        if [1 << len(own) for own in bases] != extents:
            print(f"seed {args.seed}: {text}\n  extents {[1 << len(own) for own in bases]}, expected {extents}")
            return 1
        for _ in range(16):
            index = [rng.randrange(n) for n in extents]
            points += 1
            if value(bases, index) != function(index):
                print(f"seed {args.seed}: {text}\n  at {index}: {value(bases, index)}, expected {function(index)}")
                return 1
    print(f"{len(cases)} layouts agree at {points} points, seed {args.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
