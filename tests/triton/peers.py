#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares random layouts with Triton's own to_linear_layout. Needs the package triton, but no GPU.

Triton 3.9 gives padded layouts no linear layout: their bases come from the Python class, which makes them for a shape and
an order, and the padding is added by its definition. Of partitioned layouts it drops the partition and of tensor memory the
blocks, which are added, too. Gluon cannot make amd_rotating_shared: owners.py and judge.py have it.

    peers.py --bin BUILD/bin [--count 10000] [--seed 1]     exits with 0 and prints a count, with 1 and the first difference,
                                                            or with 77 if Triton cannot be imported
"""

import json
import math
import random
import subprocess
import sys

from random_layouts import arguments, power, spread, unit_bases


def blocks(rng, rank):
    """Bases of blocks: most layouts have one block."""
    out, next_step = [], [1] * rank
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        dim = rng.randrange(rank + 1)
        out.append([next_step[dim] if d == dim else 0 for d in range(rank)])
        if dim < rank:
            next_step[dim] *= 2
    return out


def counts(cga, rank):
    """The number of blocks along each dimension."""
    out = [1] * rank
    for basis in cga:
        for d in range(rank):
            out[d] = max(out[d], 2 * basis[d])
    return out


def times(shape, cga):
    """The shape of all blocks, if each has this one."""
    return [n * c for n, c in zip(shape, counts(cga, len(shape)))]


def blocked(rng, gl, rank):
    order = list(range(rank))
    rng.shuffle(order)
    lanes = rng.choice([32, 32, 64])
    return gl.BlockedLayout([power(rng, 3) for _ in range(rank)], spread(rng, lanes, rank),
                            spread(rng, power(rng, 3), rank), order, blocks(rng, rank))


def linear(rng, gl):
    rank = rng.choice([1, 2, 2, 3])
    shape = [power(rng, 4) for _ in range(rank)]
    bases = unit_bases(rng, shape)
    lanes = rng.choice([5, 5, 6])
    warps = rng.randint(0, 3)
    parts = rng.choice([0, 0, 1, 2])
    bases += [[0] * rank] * max(0, lanes + warps + parts + 1 - len(bases))
    if rng.random() < 0.5:
        rng.shuffle(bases)
    threads = lanes + warps + parts
    layout = gl.DistributedLinearLayout(bases[threads:], bases[:lanes], bases[lanes:lanes + warps],
                                        bases[lanes + warps:threads], shape)
    return layout, [n << rng.choice([0, 0, 1, 2]) for n in shape]


def core(rng, gl):
    kind = rng.choice(["mma2", "mma3", "mfma", "wmma"])
    warps, cga = [power(rng, 2), power(rng, 2)], blocks(rng, 2)
    if kind == "mma2":
        return gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta=warps, instr_shape=[16, 8], cga_layout=cga)
    if kind == "mma3":
        return gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, power(rng, 1)],
                                         instr_shape=[16, 8 * power(rng, 5), 16], cga_layout=cga)
    if kind == "mfma":
        side = rng.choice([[32, 32, 8], [16, 16, 16], [64, 4, 4], [4, 64, 4]])
        transposed = side == [64, 4, 4] or (side != [4, 64, 4] and rng.random() < 0.5)
        return gl.amd.AMDMFMALayout(version=rng.choice([2, 3, 4]), instr_shape=side, transposed=transposed,
                                    warps_per_cta=warps, element_bitwidth=rng.choice([32, 32, 64]),
                                    tiles_per_warp=rng.choice([None, [2, 1], [1, 2], [2, 2]]), cga_layout=cga)
    version = rng.choice([1, 2, 3])
    instruction = {1: [[16, 16, 16]], 2: [[16, 16, 16], [16, 16, 32]],
                   3: [[16, 16, 4], [16, 16, 32], [16, 16, 64], [16, 16, 128]]}[version]
    return gl.amd.AMDWMMALayout(version=version, transposed=rng.random() < 0.5,
                                warp_bases=[[0, 1], [1, 0]][: rng.randint(1, 2)], instr_shape=rng.choice(instruction),
                                cga_layout=cga)


def operand(rng, gl):
    parent = core(rng, gl)
    side = rng.randint(0, 1)
    name = type(parent).__name__
    width = rng.choice([1, 2, 4, 8])
    if name == "NVMMADistributedLayout" and parent.version[0] == 3:
        side = 0
    if name == "AMDWMMALayout":
        width = 8 if parent.version == 1 else rng.choice([4, 8])
    return gl.DotOperandLayout(side, parent, width)


def memory(rng, gl):
    kind = rng.choice(["swizzled", "nvmma", "linear"])
    shape = [128 << rng.randint(0, 1), 128 << rng.randint(0, 1)]
    if kind == "swizzled":
        rank = rng.choice([1, 2, 2, 3])
        order = list(range(rank))
        rng.shuffle(order)
        shape = [2 * power(rng, 5) for _ in range(rank)]  # Triton refuses a tile of one element
        cga = blocks(rng, rank)
        return gl.SwizzledSharedLayout(power(rng, 3), power(rng, 3), power(rng, 3), order, cga), times(shape, cga)
    if kind == "linear":
        rank = rng.choice([1, 2, 3])
        shape = [2 * power(rng, 3) for _ in range(rank)]
        bases = unit_bases(rng, shape)
        parts = rng.choice([0, 0, min(2, len(bases) - 1)])
        return gl.SharedLinearLayout(bases[parts:], bases[:parts]), shape
    cga = blocks(rng, 2)
    if rng.random() < 0.3:
        return (gl.NVMMASharedLayout(rng.choice([0, 32, 64, 128]), rng.choice([8, 16, 32]), 3,
                                     cga_layout=[[0, *basis] for basis in cga]), [2, *times(shape, cga)])
    return gl.NVMMASharedLayout(rng.choice([0, 32, 64, 128]), rng.choice([8, 16, 32]), 2,
                                transposed=rng.random() < 0.5, cga_layout=cga), times(shape, cga)


def case(rng, gl):
    which = rng.random()
    if which < 0.35:
        rank = rng.choice([1, 2, 2, 3])
        return blocked(rng, gl, rank), [power(rng, 6) for _ in range(rank)]
    shape = [8 << rng.randint(0, 4), 8 << rng.randint(0, 4)]
    if which < 0.5:
        parent = blocked(rng, gl, 2) if rng.random() < 0.5 else core(rng, gl)
        return gl.SliceLayout(rng.randint(0, 1), parent), [shape[0]]
    if which < 0.55:
        return gl.SliceLayout(rng.randint(0, 2), blocked(rng, gl, 3)), shape
    if which < 0.62:
        return linear(rng, gl)
    if which < 0.74:
        return core(rng, gl), shape
    if which < 0.86:
        return operand(rng, gl), shape
    return memory(rng, gl)


def tensor_memory(rng, blackwell):
    """A layout, its shape, and the element of each block that does not only repeat."""
    if rng.random() < 0.2:
        return blackwell.TensorMemoryScalesLayout(), [32 << rng.randint(0, 3), 4 << rng.randint(0, 3)], []
    block = [rng.choice([64, 128]), 16 << rng.randint(0, 4)]
    own = [block[0] << rng.randint(0, 1), block[1] << rng.randint(0, 1)]
    two = rng.random() < 0.3
    cga = blocks(rng, 2)
    if two:
        cga = [[1, 0]] + [[2 * m, n] for m, n in cga]
    layout = blackwell.TensorMemoryLayout(block, col_stride=power(rng, 1), cga_layout=cga, two_ctas=two)
    return layout, times(own, cga), [[m * own[0], n * own[1]] for m, n in cga if m or n]


def partitioned(rng, gl, Partitioned):
    """A layout, its shape, and the element of each bit of the partition."""
    parts, groups, dim = 2 << rng.randint(0, 1), power(rng, 2), rng.randint(0, 1)
    shape = [2 << rng.randint(0, 3), 2 << rng.randint(0, 3)]
    piece = 2 * power(rng, 3)
    shape[dim] = parts * groups * piece
    inner = gl.SwizzledSharedLayout(power(rng, 2), power(rng, 1), power(rng, 2), rng.choice([[1, 0], [0, 1]]))
    bits = [[piece << k if d == dim else 0 for d in (0, 1)] for k in range(parts.bit_length() - 1)]
    return Partitioned(parts, groups, dim, inner), shape, bits


def padded(rng, gl):
    """A text for Tessera, and the layout that Triton makes of the same arguments."""
    rank = rng.choice([1, 2, 2, 3])
    shape = [2 << rng.randint(0, 3) for _ in range(rank)]
    order = list(range(rank))
    rng.shuffle(order)
    pads = [[1 << k, power(rng, 4)] for k in sorted(rng.sample(range(1, 9), rng.randint(1, 2)))]
    cga = blocks(rng, rank)
    whole = times(shape, cga)
    text = f"PaddedSharedLayout.with_identity_for({pads}, {whole}, {order}, {cga})"
    return text, gl.PaddedSharedLayout.with_identity_for(pads, whole, order, cga), whole, pads, shape


def padded_flaw(args, rng, gl, count):
    """Random offsets: the element there by the bases, and where Tessera says that it lies."""
    lines, wanted = [], []
    for _ in range(count):
        text, layout, shape, pads, tile = padded(rng, gl)
        for one in (text, repr(layout)):
            offsets = [rng.randrange(math.prod(tile)) for _ in range(4)]
            numbers = [rng.randrange(1 << len(layout.cga_layout)) for _ in offsets]
            points = []
            for offset, number in zip(offsets, numbers):
                at = [0] * len(shape)
                for k, basis in enumerate(layout.offset_bases):
                    if offset >> k & 1:
                        at = [a ^ b for a, b in zip(at, basis)]
                for k, basis in enumerate(layout.cga_layout):
                    if number >> k & 1:
                        at = [a ^ b * n for a, b, n in zip(at, basis, tile)]
                points.append(at)
            lines.append(json.dumps({"verb": "at", "request": {"layout": "x".join(map(str, shape)) + ":" + one,
                                                              "index": [",".join(map(str, at)) for at in points]}}))
            padded_offsets = [o + sum(o // interval * more for interval, more in pads) for o in offsets]
            wanted.append((lines[-1], list(zip(padded_offsets, numbers))))
    run = subprocess.run([args.bin / "tessera", "batch"], input="\n".join(lines) + "\n", capture_output=True, text=True)
    for (line, want), answer in zip(wanted, run.stdout.splitlines(), strict=True):
        got = [(one.get("offset"), one.get("blocks", [0])) for one in json.loads(answer).get("results", [])]
        if len(got) != len(want) or any(o != p or n not in all_blocks for (o, n), (p, all_blocks) in zip(want, got)):
            return f"{line}\n  tessera {got or answer}\n  triton  {want}"
    return None


def flat(basis, shape):
    out, stride = 0, 1
    for b, n in zip(basis, shape):
        out += b * stride
        stride *= n
    return out


def main():
    args = arguments(__doc__, 10000)
    try:
        from triton._C.libtriton import gluon_ir, ir, nvidia
        from triton.experimental.gluon import language as gl
        from triton.experimental.gluon.language.amd.cdna5 import PartitionedSharedLayout
        from triton.experimental.gluon.language.nvidia import blackwell
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 77
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    rng = random.Random(args.seed)
    texts, expected = [], []
    while len(texts) < args.count:
        which, more = rng.random(), []
        if which < 0.05:
            layout, shape, more = tensor_memory(rng, blackwell)
        elif which < 0.1:
            layout, shape, more = partitioned(rng, gl, PartitionedSharedLayout)
        else:
            layout, shape = case(rng, gl)
        linear = builder.to_linear_layout(layout._to_ir(builder), shape)
        text = "x".join(map(str, shape)) + ":" + repr(layout)
        if hasattr(linear, "reg_bases"):
            threads = linear.lane_bases + linear.warp_bases + linear.block_bases
            bases = [[flat(b, shape) for b in threads], [flat(b, shape) for b in linear.reg_bases]]
            texts.append(text)
            expected.append(" ".join(f"d{i}:" + ",".join(map(str, own)) for i, own in enumerate(bases)))
        else:
            # From offsets to elements; the other way is what a layout of memory is.
            texts.append(text)
            rows = hasattr(linear, "rows")
            own = linear.cols + linear.rows if rows else linear.offset_bases
            bases = own + more + [b for b in ([] if rows else linear.block_bases) if any(b)]
            expected.append([flat(b, shape) for b in bases])
    run = subprocess.run([args.bin / "tessera", "convert", "-", "--to", "linear", "--quiet"],
                         input="".join(t + "\n" for t in texts), capture_output=True, text=True)
    answers = run.stdout.splitlines()
    if len(answers) != len(texts):
        print(f"seed {args.seed}: {len(answers)} answers for {len(texts)} layouts\n{run.stderr[:2000]}")
        return 1
    for text, want, got in zip(texts, expected, answers):
        good = got == want
        if isinstance(want, list):
            own = [int(n) for part in got.split(" ") for n in part.split(":")[1].split(",") if n] if got else []
            # The offset of each index bit, put through the bases of the offsets, is that index bit again.
            good = 1 << len(own) == math.prod(int(n) for n in text.split(":")[0].split("x"))
            for k, offset in enumerate(own):
                element = 0
                for bit, basis in enumerate(want):
                    if offset >> bit & 1:
                        element ^= basis
                good = good and element == 1 << k
        if not good:
            print(f"seed {args.seed}: {text}\n  tessera {got}\n  triton  {want}")
            return 1
    difference = padded_flaw(args, rng, gl, args.count // 20)
    if difference:
        print(f"seed {args.seed}: {difference}")
        return 1
    print(f"{len(texts)} layouts agree with Triton, and {args.count // 20} padded ones, seed {args.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
