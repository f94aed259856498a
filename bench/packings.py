#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures named layouts next to what other programs do, all in one run.

The rounds of all programs alternate, so that a busy machine slows all of them; the results are medians of processor time, and
ratios. torchao's to_blocked runs if it is installed (`scripts/bootstrap peers`); else NumPy takes its steps, as it takes those of
vLLM's AWQ-to-Marlin path. The results must be those of Tessera. GGUF files are written and read with gguf-py.

    python3 bench/packings.py --bin build/release/bin [--rounds 7]
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import gguf
import numpy as np

try:
    import torch
    from torchao.prototype.mx_formats import utils as torchao
except ImportError:
    torchao = None

MARLIN_INTERLEAVE = [0, 2, 4, 6, 1, 3, 5, 7]


def to_blocked(scales):
    """torchao's to_blocked, or its steps in NumPy for shapes without padding."""
    if torchao is not None:
        return torchao.to_blocked(torch.from_numpy(scales)).numpy()
    rows, columns = scales.shape
    tiles = scales.reshape(rows // 128, 128, columns // 4, 4).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(tiles).reshape(-1, 4, 32, 4).transpose(0, 2, 1, 3).reshape(-1, 32, 16).ravel()


def marlin_permutation():
    order = []
    for i in range(32):
        one = [16 * row + i // 4 + 8 * block for block in (0, 1)
               for row in (2 * (i % 4), 2 * (i % 4) + 1, 2 * (i % 4 + 4), 2 * (i % 4 + 4) + 1)]
        for j in range(4):
            order += [p + 256 * j for p in one]
    return np.array(order).reshape(-1, 8)[:, MARLIN_INTERLEAVE].ravel()


def awq_to_marlin(words):
    """The steps of vLLM: unpack all codes, undo AWQ's order, permute tiles of 16 x 16, pack."""
    k, packed = words.shape
    codes = np.stack([words >> (4 * i) & 15 for i in range(8)], axis=-1)[..., [0, 4, 1, 5, 2, 6, 3, 7]].reshape(k, packed * 8)
    n = packed * 8
    tiles = codes.reshape(k // 16, 16, n // 16, 16).transpose(0, 2, 1, 3).reshape(k // 16, n * 16)
    perm = marlin_permutation()
    tiles = tiles.reshape(-1, perm.size)[:, perm].reshape(tiles.shape)
    out = np.zeros((k // 16, n * 2), dtype=np.uint32)
    for i in range(8):
        out |= tiles[:, i::8].astype(np.uint32) << np.uint32(4 * i)
    return out


def gguf_file(path):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_token_list([f"token_{i}".encode() for i in range(250_000)])
    for i in range(1000):
        writer.add_tensor(f"blk.{i}.weight", np.zeros((1, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def processor_time(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def of_child(command):
    """The processor time of a program, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_bench(binary, name):
    done = subprocess.run([binary, "--filter", f"^{name}$", "--benchmark_format=json", "--benchmark_min_time=0.2"],
                          capture_output=True, text=True, check=True)
    entry = json.loads(done.stdout)["benchmarks"][0]
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[entry["time_unit"]]
    return entry["cpu_time"] * unit


def check(tessera, folder, scales, words):
    """The results of NumPy are those of Tessera."""
    for data, source, target, expected in [
        (scales, f"scale:linear u8[{scales.shape[0]},{scales.shape[1]}]", "scale:128x4", to_blocked(scales)),
        (words, f"pack:awq u4[{words.shape[0]},{words.shape[1] * 8}]", "pack:marlin", awq_to_marlin(words)),
    ]:
        data.tofile(folder / "in.raw")
        shape = source[source.index(" ") :]
        subprocess.run([tessera, "copy", folder / "in.raw", folder / "out.raw", "--from", source, "--to", target + shape, "--force",
                        "--quiet"], check=True)
        assert (folder / "out.raw").read_bytes() == expected.tobytes(), target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    if torchao is not None:
        torch.set_num_threads(1)
    tessera, bench = options.bin / "tessera", options.bin / "tessera-bench"
    random = np.random.default_rng(1)
    scales = random.integers(0, 256, (65536, 512), dtype=np.uint8)
    words = random.integers(0, 2**32, (4096, 512), dtype=np.uint32)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check(tessera, folder, scales[:1024], words[:64])
        model = folder / "model.gguf"
        gguf_file(model)
        rows = {
            "equality of two names of [2^20,2^20]": (lambda: of_bench(bench, "named/equal"), None, 1e-5, 0),
            "--sizes M=1:4096,K=1:64, 128x4 and cols=8": (lambda: of_bench(bench, "named/sizes_cols8"), None, 1, 0),
            "--sizes M=1:4096,K=1:64, 128x4 and a map": (lambda: of_bench(bench, "named/sizes_map"), None, 1, 0),
            "names of a layout": (lambda: of_bench(bench, "named/find_names_scales"), None, 5e-3, 0),
            "linear to 128x4, u8[65536,512]": (lambda: of_bench(bench, "codes/linear_to_128x4"),
                                               lambda: processor_time(lambda: to_blocked(scales)), scales.nbytes / 1e9, scales.nbytes),
            "AWQ to Marlin, u4[4096,4096]": (lambda: of_bench(bench, "codes/awq_to_marlin"),
                                             lambda: processor_time(lambda: awq_to_marlin(words)), words.nbytes / 4e8, words.nbytes),
            "GPTQ to Marlin, u4[4096,4096]": (lambda: of_bench(bench, "codes/gptq_to_marlin"), None, words.nbytes / 4e8, words.nbytes),
            "info of a GGUF file with 1000 tensors and 250,000 strings": (
                lambda: of_child([tessera, "info", model]), lambda: processor_time(lambda: gguf.GGUFReader(model)), 5e-2, 0),
        }
        times = {row: ([], []) for row in rows}
        for _ in range(options.rounds):
            for row, (own, peer, _, _) in rows.items():
                times[row][0].append(own())
                if peer is not None:
                    times[row][1].append(peer())
    print(f"to_blocked of {'NumPy' if torchao is None else f'torch {torch.__version__}'}")
    print("| | measured | goal | peer | ratio |\n| --- | --- | --- | --- | --- |")
    for row, (_, peer, goal, size) in rows.items():
        own = statistics.median(times[row][0])
        other = statistics.median(times[row][1]) if peer is not None else None

        def text(seconds, size=size):
            if size:
                return f"{size / seconds / 1e6:.0f} MB/s"
            return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"

        print(f"| {row} | {text(own)} | {text(goal)} | {text(other) if other else ''} | {f'{other / own:.2g}' if other else ''} |")


if __name__ == "__main__":
    main()
