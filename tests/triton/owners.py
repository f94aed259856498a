#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares who holds an element, and where it lies in memory, with an evaluator that shares no code with Tessera.

Layouts of all kinds, larger and smaller than their tensors, so that elements repeat and have copies. The evaluator goes
through every register of every thread and writes down the element that it holds, by the arithmetic of each definition;
of memory it computes the offset. `tessera batch` answers `at` for random elements.

    owners.py --bin BUILD/bin [--count 2000] [--seed 1]      exits with 0 and prints a count, or with 1 and the first difference
"""

import itertools
import json
import math
import random
import subprocess
import sys

from random_layouts import arguments, power, spread, unit_bases

BATCH = 2000
MOST_PLACES = 64  # that `at` lists


def digits(n, extents):
    """n as digits, the first extent fastest."""
    out = []
    for e in extents:
        out.append(n % e)
        n //= e
    return out


class Registers:
    """A register layout: its text, its shape, how many registers, lanes and warps, and the element of each."""

    def __init__(self, text, shape, sizes, element):
        self.text, self.shape, self.sizes, self.element = text, shape, sizes, element

    def owners(self):
        registers, lanes, warps = self.sizes
        out = {}
        for w, l, r in itertools.product(range(warps), range(lanes), range(registers)):
            at = tuple(c % e for c, e in zip(self.element(r, l, w), self.shape, strict=True))
            out.setdefault(at, []).append([r, l, w, 0])
        return out


def repeats(extent, tile):
    return max(1, extent // tile)


def blocked_of(rng, rank, lanes, warps, most=3):
    order = list(range(rank))
    rng.shuffle(order)
    return [power(rng, most) for _ in range(rank)], spread(rng, lanes, rank), spread(rng, warps, rank), order


def blocked_text(parts):
    return "#ttg.blocked<{sizePerThread = %s, threadsPerWarp = %s, warpsPerCTA = %s, order = %s}>" % parts


def blocked_element(parts, shape):
    size, threads, warps, order = parts
    tile = [s * t * w for s, t, w in zip(size, threads, warps)]
    inner = [min(size[d], shape[d]) for d in order]
    outer = [repeats(shape[d], tile[d]) for d in order]

    def element(r, l, w):
        out = [0] * len(shape)
        for d, reg, rep, lane, warp in zip(order, digits(r, inner), digits(r // math.prod(inner), outer),
                                           digits(l, [threads[d] for d in order]), digits(w, [warps[d] for d in order])):
            out[d] = reg + size[d] * (lane + threads[d] * (warp + warps[d] * rep))
        return out

    return math.prod(inner) * math.prod(outer), element


def blocked(rng):
    rank = rng.choice([1, 2, 2, 3])
    lanes, warps = rng.choice([32, 32, 64]), power(rng, 2)
    parts = blocked_of(rng, rank, lanes, warps, 2)
    shape = [power(rng, 7 if rank == 1 else 5 if rank == 2 else 3) for _ in range(rank)]
    registers, element = blocked_element(parts, shape)
    return Registers(blocked_text(parts), shape, (registers, lanes, warps), element)


def slice_of_blocked(rng):
    warps = power(rng, 2)
    parts = blocked_of(rng, 2, 32, warps, 2)
    dim = rng.randint(0, 1)
    extent = power(rng, 7)
    whole = [extent, extent]
    whole[dim] = 1
    registers, element = blocked_element(parts, whole)
    text = "#ttg.slice<{dim = %d, parent = %s}>" % (dim, blocked_text(parts))
    return Registers(text, [extent], (registers, 32, warps), lambda r, l, w: [element(r, l, w)[1 - dim]])


def warps_of(w, counts):
    """The number of a warp along each dimension, the last dimension fastest."""
    return list(reversed(digits(w, list(reversed(counts)))))


def core_shape(rng):
    return [power(rng, 3) * 8, power(rng, 3) * 8]


def mma2_text(warps):
    return "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = %s, instrShape = [16, 8]}>" % warps


def mma2(rng):
    warps, shape = [power(rng, 1), power(rng, 2)], core_shape(rng)
    reps = [repeats(shape[0], 16 * warps[0]), repeats(shape[1], 8 * warps[1])]

    def element(r, l, w):
        low, high, rep_n, rep_m = digits(r, [2, 2, reps[1], reps[0]])
        wm, wn = warps_of(w, warps)
        return [l // 4 + 8 * high + 16 * (wm + warps[0] * rep_m), l % 4 * 2 + low + 8 * (wn + warps[1] * rep_n)]

    return Registers(mma2_text(warps), shape, (4 * math.prod(reps), 32, math.prod(warps)), element)


def mma2_operand(rng):
    warps, shape, side = [power(rng, 1), power(rng, 1)], core_shape(rng), rng.randint(0, 1)
    width = power(rng, 3)
    k, o = (1, 0) if side == 0 else (0, 1)
    high = 2 if side == 0 else 1  # rows of 8
    reps_k, reps_o = repeats(shape[k], 8 * width), repeats(shape[o], 8 * high * warps[o])

    def element(r, l, w):
        inside, row, half, rep_k, rep_o = digits(r, [width, high, 2, reps_k, reps_o])
        out = [0, 0]
        out[k] = inside + width * (l % 4 + 4 * half + 8 * rep_k)
        out[o] = l // 4 + 8 * (row + high * (warps_of(w, warps)[o] + warps[o] * rep_o))
        return out

    text = "#ttg.dot_op<{opIdx = %d, parent = %s, kWidth = %d}>" % (side, mma2_text(warps), width)
    return Registers(text, shape, (width * high * 2 * reps_k * reps_o, 32, math.prod(warps)), element)


def mma3(rng):
    warps, n = [4 * power(rng, 1), power(rng, 1)], 8 * power(rng, 3)
    shape = [64 * power(rng, 1), 8 * power(rng, 4)]
    reps = [repeats(shape[0], 16 * warps[0]), repeats(shape[1], n * warps[1])]
    text = ("#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = %s, instrShape = [16, %d, 16]}>" % (warps, n))

    def element(r, l, w):
        low, high, column, rep_n, rep_m = digits(r, [2, 2, n // 8, reps[1], reps[0]])
        wm, wn = digits(w, warps)  # the first dimension fastest
        return [l // 4 + 8 * high + 16 * (wm + warps[0] * rep_m), l % 4 * 2 + low + 8 * column + n * (wn + warps[1] * rep_n)]

    return Registers(text, shape, (4 * (n // 8) * math.prod(reps), 32, math.prod(warps)), element)


def mfma(rng):
    warps, side, transposed = [power(rng, 1), power(rng, 1)], rng.choice([16, 32]), rng.random() < 0.5
    shape = [16 * power(rng, 3), 16 * power(rng, 3)]
    reps = [repeats(shape[0], side * warps[0]), repeats(shape[1], side * warps[1])]
    groups = side * side // 256  # of four registers
    text = ("#ttg.amd_mfma<{version = 3, warpsPerCTA = %s, instrShape = [%d, %d, 8], isTransposed = %s}>"
            % (warps, side, side, "true" if transposed else "false"))

    def element(r, l, w):
        low, group, rep_n, rep_m = digits(r, [4, groups, reps[1], reps[0]])
        along, across = low + 4 * (l // side + 64 // side * group), l % side
        row, column = (across, along) if transposed else (along, across)
        wm, wn = warps_of(w, warps)
        return [row + side * (wm + warps[0] * rep_m), column + side * (wn + warps[1] * rep_n)]

    return Registers(text, shape, (4 * groups * math.prod(reps), 64, math.prod(warps)), element)


def wmma(rng):
    version, transposed = rng.choice([1, 2]), rng.random() < 0.5
    bases = rng.choice([[[0, 1], [1, 0]], [[1, 0], [0, 1]], [[0, 1]]])
    counts = [1 << sum(b[d] for b in bases) for d in (0, 1)]
    shape = [16 * power(rng, 2), 16 * power(rng, 2)]
    reps = [repeats(shape[d], 16 * counts[d]) for d in (0, 1)]
    text = ("#ttg.amd_wmma<{version = %d, isTranspose = %s, ctaLayout = {warp = %s}}>"
            % (version, "true" if transposed else "false", bases))

    def element(r, l, w):
        reg, rep_n, rep_m = digits(r, [8, reps[1], reps[0]])
        along = l // 16 + 2 * reg if version == 1 else reg + 8 * (l // 16)
        row, column = (l % 16, along) if transposed else (along, l % 16)
        tile = [0, 0]
        for bit, basis in enumerate(bases):
            if w >> bit & 1:
                tile = [t + b for t, b in zip(tile, basis)]
        return [row + 16 * (tile[0] + counts[0] * rep_m), column + 16 * (tile[1] + counts[1] * rep_n)]

    return Registers(text, shape, (8 * math.prod(reps), 32, 1 << len(bases)), element)


def linear(rng):
    rank = rng.choice([1, 2, 3])
    shape = [power(rng, 4) for _ in range(rank)]
    bases = unit_bases(rng, shape)
    warp_bits = rng.randint(0, 2)
    bases += [[0] * rank] * max(0, 6 + warp_bits - len(bases))
    if rng.random() < 0.5:
        rng.shuffle(bases)
    lane, warp, register = bases[:5], bases[5:5 + warp_bits], bases[5 + warp_bits:]
    text = "#ttg.linear<{register = %s, lane = %s, warp = %s, block = []}>" % (register, lane, warp)
    larger = [n << rng.choice([0, 0, 0, 1]) for n in shape]
    # Dimensions repeat in the order in which registers use them first, the others from the last one.
    order = []
    for basis in register:
        order += [d for d in range(rank) if basis[d] and d not in order]
    order += [d for d in reversed(range(rank)) if d not in order]
    more = [[shape[d] if e == d else 0 for e in range(rank)] for d in order if larger[d] > shape[d]]
    register = register + more

    def element(r, l, w):
        out = [0] * rank
        for n, own in ((r, register), (l, lane), (w, warp)):
            for bit, basis in enumerate(own):
                if n >> bit & 1:
                    out = [a + b for a, b in zip(out, basis)]
        return out

    return Registers(text, larger, (1 << len(register), 32, 1 << warp_bits), element)


class Memory:
    """A layout of memory: its text, its shape, and the offset and partition of an element."""

    def __init__(self, text, shape, offset):
        self.text, self.shape, self.offset = text, shape, offset


def swizzled(rng, kind="swizzled_shared"):
    rank = rng.choice([2, 2, 3]) if kind == "swizzled_shared" else 2
    vec, per, most = power(rng, 3), power(rng, 2), power(rng, 3)
    order = list(range(rank))
    rng.shuffle(order)
    shape = [power(rng, 5 if rank == 2 else 3) for _ in range(rank)]
    text = "#ttg.%s<{vec = %d, perPhase = %d, maxPhase = %d, order = %s}>" % (kind, vec, per, most, order)

    def offset(at):
        columns = shape[order[0]]
        column, row = at[order[0]], at[order[1]]
        phase = row // per % most
        if kind != "swizzled_shared":
            phase ^= row // per // most % most
        out, step = row * columns + (column ^ (vec * phase % columns)), columns * shape[order[1]]
        for d in order[2:]:
            out += at[d] * step
            step *= shape[d]
        return out, 0

    return Memory(text, shape, offset)


def nvmma(rng):
    width, bits, transposed = rng.choice([32, 64, 128]), rng.choice([8, 16, 32]), rng.random() < 0.5
    columns = 8 * width // bits
    c, r = (0, 1) if transposed else (1, 0)
    shape = [0, 0]
    shape[c], shape[r] = columns * power(rng, 1), 8 * power(rng, 6)
    text = ("#ttg.nvmma_shared<{swizzlingByteWidth = %d, transposed = %s, elementBitWidth = %d}>"
            % (width, "true" if transposed else "false", bits))
    box = {r: min(256, shape[r]), c: columns}
    per = box[r] * columns

    def offset(at):
        row, column = at[r] % box[r], at[c] % columns
        inside = row * columns + (column ^ (128 // bits * (row // (128 // width) % (width // 16))))
        boxes = [at[d] // box[d] for d in (0, 1)]
        return inside + per * (boxes[0] + shape[0] // box[0] * boxes[1]), 0

    return Memory(text, shape, offset)


def padded(rng):
    rank = rng.choice([1, 2, 2, 3])
    shape = [power(rng, 4) for _ in range(rank)]
    bases = unit_bases(rng, shape)
    if not bases:
        return padded(rng)
    pads = [[1 << k, power(rng, 4)] for k in sorted(rng.sample(range(1, 9), rng.randint(1, 2)))]
    text = "#ttg.padded_shared<[%s] {offset = %s, block = []}>" % (", ".join("%d:+%d" % tuple(p) for p in pads), bases)

    def offset(at):
        plain = sum(1 << k for k, basis in enumerate(bases) if any(a & b for a, b in zip(at, basis)))
        return plain + sum(plain // interval * more for interval, more in pads), 0

    return Memory(text, shape, offset)


def partitioned(rng):
    parts, groups, dim = 2 * power(rng, 1), power(rng, 2), rng.randint(0, 1)
    shape = [power(rng, 4) for _ in range(2)]
    shape[dim] = parts * groups * power(rng, 3)
    vec, most = power(rng, 2), power(rng, 2)
    order = rng.choice([[1, 0], [0, 1]])
    piece = list(shape)
    piece[dim] //= parts * groups
    inner = "#ttg.swizzled_shared<{vec = %d, perPhase = 1, maxPhase = %d, order = %s}>" % (vec, most, order)
    text = ("#ttg.partitioned_shared<{numPartitions = %d, numGroups = %d, partitionDim = %d, partitionLayout = %s}>"
            % (parts, groups, dim, inner))

    def offset(at):
        number, inside = divmod(at[dim], piece[dim])
        own = list(at)
        own[dim] = inside
        column, row, columns = own[order[0]], own[order[1]], piece[order[0]]
        plain = row * columns + (column ^ (vec * (row % most) % columns))
        return plain + math.prod(piece) * (number // parts), number % parts

    return Memory(text, shape, offset)


def tensor_memory(rng):
    width, step = 16 * power(rng, 4), power(rng, 1)
    shape = [128 * power(rng, 1), 16 * power(rng, 4)]
    text = "#ttng.tensor_memory_encoding<blockM = 128, blockN = %d, colStride = %d>" % (width, step)
    tile, tiles = min(width, shape[1]), shape[0] // 128

    def offset(at):
        column = at[1] % tile + tile * (at[0] // 128 + tiles * (at[1] // tile))
        return at[0] % 128 * (step * shape[1] * tiles) + step * column, 0

    return Memory(text, shape, offset)


KINDS = [blocked, blocked, slice_of_blocked, mma2, mma2_operand, mma3, mfma, wmma, linear, swizzled, nvmma, padded, partitioned,
         tensor_memory, lambda rng: swizzled(rng, "amd_rotating_shared")]


def case(rng):
    layout = rng.choice(KINDS)(rng)
    points = [[rng.randrange(n) for n in layout.shape] for _ in range(4)]
    return layout, points


def expected(layout, points):
    if isinstance(layout, Memory):
        return [(at, *layout.offset(at)) for at in points]
    owners = layout.owners()
    return [(at, owners[tuple(at)]) for at in points]


def told(layout, answer):
    if isinstance(layout, Memory):
        return answer["index"], answer["offset"], answer["partition"]
    # The thread is lane + lanes * warp.
    return answer["index"], answer["count"], answer["holders"]


def flaw(layout, wanted, answers):
    for want, answer in zip(wanted, answers, strict=True):
        if isinstance(layout, Memory):
            if told(layout, answer) != want:
                return want, told(layout, answer)
            continue
        at, owners = want
        owners = sorted(owners, key=lambda place: place[::-1])
        if answer["count"] != len(owners) or answer["holders"] != owners[:MOST_PLACES]:
            return (at, len(owners), owners[:4]), answer
    return None


def main():
    args = arguments(__doc__, 2000)
    rng = random.Random(args.seed)
    done = 0
    while done < args.count:
        cases = [case(rng) for _ in range(min(BATCH, args.count - done))]
        lines = "".join(json.dumps({"verb": "at", "request": {
            "layout": "x".join(map(str, layout.shape)) + ":" + layout.text,
            "index": [",".join(map(str, at)) for at in points]}}) + "\n" for layout, points in cases)
        run = subprocess.run([args.bin / "tessera", "batch"], input=lines, capture_output=True, text=True, check=False)
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        if len(answers) != len(cases):
            print(f"seed {args.seed}: {len(answers)} answers for {len(cases)} layouts\n{run.stderr[:2000]}")
            return 1
        for (layout, points), answer in zip(cases, answers, strict=True):
            name = "x".join(map(str, layout.shape)) + ":" + layout.text
            if "results" not in answer:
                print(f"seed {args.seed}: {name}\n  {answer}")
                return 1
            difference = flaw(layout, expected(layout, points), answer["results"])
            if difference:
                print(f"seed {args.seed}: {name}\n  expected {difference[0]}\n  tessera  {difference[1]}")
                return 1
        done += len(cases)
    print(f"{done} layouts agree at {4 * done} elements, seed {args.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
