#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares named layouts with the packages whose orders they are: gguf, torchao, compressed-tensors and AutoAWQ.

Optional: a package that is not installed is skipped. `scripts/bootstrap peers` installs all in build/peers. Shapes, groups and
codes are random. What a package packs, `tessera copy` and Python's tessera must pack and read, byte for byte; what they pack, the
package must read. In each case a similar name is tried, too: if that is never noticed, the comparison is worth nothing and fails.

    python3 tests/packings/peers.py --bin build/release/bin [--rounds 5] [--seed 1] [--only gguf,torchao]

The exit status is 0 if all agree, 1 with the first difference, and 77 if no package is installed.
"""

import argparse
import importlib
import logging
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

PACKAGES = ["gguf", "torchao", "compressed-tensors", "autoawq"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(PACKAGES), help="names of packages, with commas")
    options = parser.parse_args()
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    try:
        from peer_judge import Judge
    except ImportError as error:
        print(f"skipped: {error}")
        return 77
    print(f"seed {options.seed}, {options.rounds} rounds", flush=True)
    with tempfile.TemporaryDirectory() as name:
        judge = Judge(options.bin / "tessera", Path(name), options.seed, options.rounds)
        for package in options.only.split(","):
            if package not in PACKAGES:
                parser.error(f"{package} is none of {', '.join(PACKAGES)}")
            try:
                module = importlib.import_module(f"peer_{package.replace('-', '_')}")
            except (ImportError, OSError) as error:
                judge.skipped.append(f"skipped: {package} ({error})")
                continue
            start = time.perf_counter()
            module.check(judge)
            print(f"{package}: {time.perf_counter() - start:.0f} s", flush=True)
        if not judge.rows:
            print("\n".join(judge.skipped))
            return 77
        return 0 if judge.report() else 1


if __name__ == "__main__":
    sys.exit(main())
