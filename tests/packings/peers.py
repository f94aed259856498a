#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `tessera copy` reads from GGUF files with gguf-py, and tiles of scales with torchao.

Optional: needs the packages gguf and numpy; torchao and torch are used if they are there. A file is written with gguf-py's
writer from random blocks. The values that gguf-py dequantizes must be those of the codes and fields that `tessera copy` reads.

    python3 tests/packings/peers.py --bin build/release/bin [--rounds 5]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import gguf
import numpy as np
from gguf.constants import GGMLQuantizationType as T

# The codes and the fields of a block, and what they are worth: the formulas of ggml-quants.c.
FORMULAS = {
    "q4_0": lambda f: (f("") - 8) * f("d"),
    "q4_1": lambda f: f("") * f("d") + f("m"),
    "q5_0": lambda f: (f("") - 16) * f("d"),
    "q5_1": lambda f: f("") * f("d") + f("m"),
    "q8_0": lambda f: f("") * f("d"),
    "q2_k": lambda f: f("") * f("sc") * f("d") - f("mn") * f("dmin"),
    "q3_k": lambda f: (f("") - 4) * (f("sc") - 32) * f("d"),
    "q4_k": lambda f: f("") * f("sc") * f("d") - f("mn") * f("dmin"),
    "q5_k": lambda f: f("") * f("sc") * f("d") - f("mn") * f("dmin"),
    "q6_k": lambda f: (f("") - 32) * f("sc") * f("d"),
    "tq2_0": lambda f: (f("") - 1) * f("d"),
}
F16_FIELDS = {"d", "m", "dmin"}
SIGNED = {("q8_0", ""), ("q6_k", "sc")}
WIDTHS = {"": {"q4_0": 4, "q4_1": 4, "q5_0": 5, "q5_1": 5, "q2_k": 2, "q3_k": 3, "q4_k": 4, "q5_k": 5, "q6_k": 6, "tq2_0": 2},
          "sc": {"q2_k": 4, "q3_k": 6, "q4_k": 6, "q5_k": 6}, "mn": {"q2_k": 4, "q4_k": 6, "q5_k": 6}}
ENTRIES = {("q2_k", "sc"): 16, ("q2_k", "mn"): 16, ("q3_k", "sc"): 16, ("q4_k", "sc"): 8, ("q4_k", "mn"): 8, ("q5_k", "sc"): 8,
           ("q5_k", "mn"): 8, ("q6_k", "sc"): 16}


def run(tessera, *arguments):
    done = subprocess.run([tessera, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.stderr}")
    return done.stdout


def field_of(tessera, folder, file, name, rows, cols, block):
    """A function that reads a field as an array of the shape of the tensor."""

    def read(field):
        entries = block if field == "" else ENTRIES.get((name, field), 1)
        count = cols // block * entries
        if field in F16_FIELDS:
            source, target, dtype = f"gguf:{name}.{field} f16[{rows},{count}]", f"scale:linear f16[{rows},{count}]", np.float16
        elif (name, field) in SIGNED:
            text = f"gguf:{name}{'.' + field if field else ''} s8[{rows},{count}]"
            source, target, dtype = text, f"pack:low s8[{rows},{count}]", np.int8
        else:
            text = f"gguf:{name}{'.' + field if field else ''} u{WIDTHS[field][name]}[{rows},{count}]"
            source, target, dtype = text, f"pack:low u8[{rows},{count}]", np.uint8
        out = folder / "field.raw"
        run(tessera, "copy", f"{file}#{name}", str(out), "--from", source, "--to", target, "--force")
        values = np.fromfile(out, dtype).reshape(rows, count).astype(np.float32)
        return np.repeat(values, cols // count, axis=1)

    return read


def check_blocks(tessera, folder, random):
    for name, formula in FORMULAS.items():
        kind = T[name.upper()]
        block, size = gguf.GGML_QUANT_SIZES[kind]
        rows, cols = int(random.integers(1, 4)), block * int(random.integers(1, 4))
        blocks = random.integers(0, 256, (rows, cols // block * size), dtype=np.uint8)
        file = folder / "one.gguf"
        writer = gguf.GGUFWriter(str(file), "test")
        writer.add_tensor(name, blocks, raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        with np.errstate(all="ignore"):
            expected = gguf.quants.dequantize(blocks, kind)
            got = formula(field_of(tessera, folder, str(file), name, rows, cols, block))
        finite = np.isfinite(expected) & np.isfinite(got)
        close = np.abs(got - expected) <= 1e-5 * np.maximum(np.abs(expected), np.abs(got)) + 1e-6 * np.abs(expected).max(initial=0, where=finite)
        if not close[finite].all():
            sys.exit(f"{name}: {np.argwhere(finite & ~close)[:3]} differ")
    print(f"{len(FORMULAS)} types agree with gguf-py {getattr(gguf, '__version__', '')}")


def check_time(tessera, folder):
    file = folder / "vocabulary.gguf"
    writer = gguf.GGUFWriter(str(file), "llama")
    writer.add_token_list([f"token{i}" for i in range(250_000)])
    for i in range(1000):
        writer.add_tensor(f"blk.{i}.w", np.zeros((4, 144), np.uint8), raw_dtype=T.Q4_K)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        listing = run(tessera, "info", str(file))
        times.append(time.perf_counter() - start)
    if listing.count("gguf:q4_k") != 1000:
        sys.exit("info does not list 1000 tensors")
    print(f"info of 1000 tensors and 250,000 strings: {1000 * min(times):.0f} ms, with the start of the program")


def check_torchao(tessera, folder, random):
    try:
        import torch
        from torchao.prototype.mx_formats.utils import to_blocked
    except ImportError:
        print("torchao is not installed")
        return
    for _ in range(20):
        m, k = int(random.integers(1, 300)), int(random.integers(1, 20))
        scales = random.integers(0, 256, (m, k), dtype=np.uint8)
        scales.tofile(folder / "scales.raw")
        run(tessera, "copy", str(folder / "scales.raw"), str(folder / "tiles.raw"), "--from", f"scale:linear u8[{m},{k}]", "--to", f"scale:128x4 u8[{m},{k}]", "--force")
        if not np.array_equal(np.fromfile(folder / "tiles.raw", np.uint8), to_blocked(torch.from_numpy(scales)).numpy().ravel()):
            sys.exit(f"to_blocked differs for {m}x{k}")
    print("20 arrays of scales agree with torchao")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tessera = str(Path(options.bin) / "tessera")
    random = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for _ in range(options.rounds):
            check_blocks(tessera, folder, random)
        check_torchao(tessera, folder, random)
        check_time(tessera, folder)


if __name__ == "__main__":
    main()
