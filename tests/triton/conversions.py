#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Triton's compiler makes of random conversions with what `tessera plan` says of them. Needs the package
triton, but no GPU: the code for sm90 is made, and its shuffles and accesses to shared memory are counted.

    conversions.py --bin BUILD/bin [--count 2000] [--seed 1]    exits with 0 and prints a count, with 1 and the first difference,
                                                                or with 77 if Triton cannot be imported
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

from random_layouts import arguments, power, spread, unit_bases

PACK = 40  # conversions of one module
TYPES = ["i8", "f16", "f32", "i64"]


def blocked(rng, rank, warps):
    order = list(range(rank))
    rng.shuffle(order)
    return ("#ttg.blocked<{sizePerThread = %s, threadsPerWarp = %s, warpsPerCTA = %s, order = %s}>"
            % ([power(rng, 2) for _ in range(rank)], spread(rng, 32, rank), spread(rng, warps, rank), order))


def mma(rng, warps):
    return ("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = %s, instrShape = [16, 8]}>"
            % spread(rng, warps, 2))


def linear(rng, shape, warps):
    """Bases of the tensor in a random order, then copies."""
    bases = unit_bases(rng, shape)
    warp_bits = warps.bit_length() - 1
    zero = [0] * len(shape)
    count = max(len(bases), 5 + warp_bits)
    bases += [zero] * (count - len(bases))
    if rng.random() < 0.5:
        rng.shuffle(bases)
    lane, warp, register = bases[:5], bases[5:5 + warp_bits], bases[5 + warp_bits:]
    register = [b for b in register if any(b)]
    return "#ttg.linear<{register = %s, lane = %s, warp = %s, block = []}>" % (register, lane, warp)


def layout(rng, shape, warps):
    rank = len(shape)
    which = rng.random()
    if which < 0.45:
        return blocked(rng, rank, warps)
    if which < 0.65:
        return linear(rng, shape, warps)
    if rank == 1:
        dim = rng.randint(0, 1)
        parent = blocked(rng, 2, warps) if rng.random() < 0.5 else mma(rng, warps)
        return "#ttg.slice<{dim = %d, parent = %s}>" % (dim, parent)
    if rank == 2 and which < 0.85:
        return mma(rng, warps)
    if rank == 2:
        return "#ttg.dot_op<{opIdx = %d, parent = %s, kWidth = %d}>" % (rng.randint(0, 1), mma(rng, warps),
                                                                       power(rng, 2))
    return blocked(rng, rank, warps)


def case(rng, warps):
    rank = rng.choice([1, 1, 2, 2, 2, 3])
    shape = [power(rng, 7 if rank == 1 else 5 if rank == 2 else 3) for _ in range(rank)]
    if rank == 2 and rng.random() < 0.5:
        shape = [max(16, n) for n in shape]
    a = layout(rng, shape, warps)
    b = layout(rng, shape, warps) if rng.random() < 0.85 else a
    return a, b, shape, rng.choice(TYPES)


def module_of(cases, warps):
    lines = ['module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = %d : i32, ttg.target = "cuda:90", '
             '"ttg.threads-per-warp" = 32 : i32} {' % warps]
    for i, (a, b, shape, element) in enumerate(cases):
        tensor = "x".join(map(str, shape)) + "x" + element
        lines.append("  tt.func private @f%d(%%x: tensor<%s, %s>) -> tensor<%s, %s> attributes {noinline = true} {"
                     % (i, tensor, a, tensor, b))
        lines.append("    %%y = ttg.convert_layout %%x : tensor<%s, %s> -> tensor<%s, %s>" % (tensor, a, tensor, b))
        lines.append("    tt.return %%y : tensor<%s, %s>\n  }" % (tensor, b))
    lines.append("  tt.func public @kernel() {\n    tt.return\n  }")  # a module needs one
    return "\n".join(lines) + "\n}\n"


def counts(text, number):
    """Shuffles, stores to and loads from shared memory of each function."""
    out = []
    parts = re.split(r"llvm\.func [^@\n]*@f(\d+)\(", text)
    found = {int(parts[i]): parts[i + 1] for i in range(1, len(parts), 2)}
    for i in range(number):
        body = found[i]
        shuffles = body.count("nvvm.shfl.sync") + len(re.findall(r"shfl\.sync", body.replace("nvvm.shfl.sync", "")))
        stores = len(re.findall(r"llvm\.store [^\n]*ptr<3>|st\.shared|nvvm\.stmatrix|stmatrix", body))
        loads = len(re.findall(r"llvm\.load [^\n]*ptr<3>|ld\.shared|nvvm\.ldmatrix|ldmatrix", body))
        out.append((shuffles, stores, loads))
    return out


def compiled(text):
    from triton._C.libtriton import ir, nvidia, passes
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    with tempfile.NamedTemporaryFile("w", suffix=".ttgir", delete=False) as file:
        file.write(text)
    try:
        module = ir.parse_mlir_module(file.name, context)
    finally:
        os.unlink(file.name)
    module.context = context
    manager = ir.pass_manager(context)
    passes.ttgpuir.add_allocate_warp_groups(manager, False)
    passes.convert.add_scf_to_cf(manager)
    nvidia.passes.ttgpuir.add_allocate_shared_memory_nv(manager, 90, 84)
    passes.ttgpuir.add_allocate_global_scratch_memory(manager)
    nvidia.passes.ttgpuir.add_to_llvmir(manager, 90, 84)
    passes.ttgpuir.add_canonicalize_llvm_ir(manager)
    manager.run(module, "to_llvmir")
    return str(module)


def main():
    args = arguments(__doc__, 2000)
    try:
        import triton._C.libtriton  # noqa: F401
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 77
    rng = random.Random(args.seed)
    done = 0
    kinds = {}
    while done < args.count:
        warps = rng.choice([1, 2, 4, 8])
        cases = [case(rng, warps) for _ in range(min(PACK, args.count - done))]
        requests = "".join(json.dumps({"verb": "plan", "request": {
            "from": "tensor<%sx%s, %s>" % ("x".join(map(str, s)), t, a),
            "to": "tensor<%sx%s, %s>" % ("x".join(map(str, s)), t, b)}}) + "\n" for a, b, s, t in cases)
        run = subprocess.run([args.bin / "tessera", "batch"], input=requests, capture_output=True, text=True)
        plans = [json.loads(line) for line in run.stdout.splitlines()]
        if len(plans) != len(cases):
            print(f"seed {args.seed}: {len(plans)} answers for {len(cases)} conversions\n{run.stderr[:2000]}")
            return 1
        good = [(c, p) for c, p in zip(cases, plans) if "level" in p]
        for one, plan in zip(cases, plans):
            if "level" not in plan:
                print(f"seed {args.seed}: {one}\n  {plan}")
                return 1
        measured = counts(compiled(module_of([c for c, _ in good], warps)), len(good))
        for (one, plan), (shuffles, stores, loads) in zip(good, measured):
            choice = plan["triton"]
            kinds[choice] = kinds.get(choice, 0) + 1
            if stores or loads:
                right = choice == "shared"
            elif shuffles:
                right = choice == "shuffles" and plan["shuffles"] == shuffles
            else:
                right = choice in ("none", "registers")
            if not right:
                print(f"seed {args.seed}: {one}\n  tessera {choice}, {plan['shuffles']} shuffles\n"
                      f"  triton  {shuffles} shuffles, {stores} stores, {loads} loads")
                return 1
        done += len(good)
    print(f"{done} conversions agree with Triton, seed {args.seed}: "
          + ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
