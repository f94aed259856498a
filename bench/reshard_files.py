#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tessera reshard` of a checkpoint from 8 places of tensor parallelism to 4, compared with `cp` of the same files.

reshard_files.py --bin DIR [--folder DIR] [--megabytes N] [--rounds N]     medians over interleaved rounds"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import struct
import subprocess
import tempfile
import time

HIDDEN, FFN = 4096, 14336
# The number of rows and of columns, and the dimension that is cut.
MATRICES = {"self_attn.q_proj": (4096, HIDDEN, 0), "self_attn.k_proj": (1024, HIDDEN, 0), "self_attn.v_proj": (1024, HIDDEN, 0),
            "self_attn.o_proj": (HIDDEN, 4096, 1), "mlp.gate_proj": (FFN, HIDDEN, 0), "mlp.up_proj": (FFN, HIDDEN, 0),
            "mlp.down_proj": (HIDDEN, FFN, 1)}


def write(path, layers, places):
    header, at = {}, 0
    for layer in range(layers):
        for name, (rows, columns, cut) in MATRICES.items():
            shape = [rows // places, columns] if cut == 0 else [rows, columns // places]
            size = 2 * shape[0] * shape[1]
            header[f"model.layers.{layer}.{name}.weight"] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, at + size]}
            at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    block = os.urandom(1 << 20)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for begin in range(0, at, len(block)):
            file.write(block[:at - begin])
    return at


def timed(words):
    start = time.monotonic()
    subprocess.run(words, check=True)
    return time.monotonic() - start


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--bin", required=True)
    options.add_argument("--folder", default=None)
    options.add_argument("--megabytes", type=int, default=2048)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--memory", default="1G")
    options = options.parse_args()
    tessera = str(pathlib.Path(options.bin).resolve() / "tessera")
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        (folder / "from").mkdir()
        layer = sum(2 * rows * columns for rows, columns, _ in MATRICES.values())
        layers = max(1, options.megabytes * 1_000_000 // layer)
        total = sum(write(folder / f"from/model-tp{place:02}.safetensors", layers, 8) for place in range(8))
        reshard = [tessera, "reshard", str(folder / "from"), str(folder / "to"), "--recipe", "tp", "--set", "from=8", "--set", "to=4",
                   "--quiet", "--memory", options.memory]
        times = {"cp": [], "reshard": []}
        for _ in range(options.rounds):
            times["cp"].append(timed(["cp", "-r", str(folder / "from"), str(folder / "copy")]))
            shutil.rmtree(folder / "copy")
            times["reshard"].append(timed(reshard))
            shutil.rmtree(folder / "to")
        subprocess.run([*reshard, "--verify"], check=True)
        copy, ours = (statistics.median(times[key]) for key in ("cp", "reshard"))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{total / 1e9:.2f} GB, median of {options.rounds}: cp {copy:.2f} s ({total / copy / 1e9:.2f} GB/s), "
              f"reshard {ours:.2f} s ({total / ours / 1e9:.2f} GB/s), {copy / ours:.2f} of cp; at most {peak:.0f} MiB resident")


if __name__ == "__main__":
    main()
