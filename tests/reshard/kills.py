#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `tessera reshard` at random moments and resumes it.  kills.py --bin DIR [--count N] [--seed S]

After every kill, the target must be the old folder or the complete new one. After --resume, it must be the new one, byte
for byte."""

import argparse
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

from checkpoints import Model


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--bin", required=True)
    options.add_argument("--count", type=int, default=10)
    options.add_argument("--seed", type=int, default=None)
    options = options.parse_args()
    seed = random.randrange(2**32) if options.seed is None else options.seed
    print(f"seed {seed}")
    chance = random.Random(seed)
    tessera = str(pathlib.Path(options.bin).resolve() / "tessera")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        Model(layers=2, hidden=512, ffn=2048, vocab=8192, groups=8, dim=32).write_cut(folder / "from", 8)
        words = [tessera, "reshard", str(folder / "from"), str(folder / "to"), "--recipe", "tp", "--set", "from=8", "--set", "to=4",
                 "--memory", "4M", "--force", "--quiet"]
        start = time.monotonic()
        subprocess.run(words, check=True)
        whole = time.monotonic() - start
        new = bytes_of(folder / "to")
        killed = resumed = 0
        for k in range(options.count):
            old = None
            shutil.rmtree(folder / "to")
            if k % 2:
                (folder / "to").mkdir()
                (folder / "to/old.txt").write_text("old")
                old = bytes_of(folder / "to")
            run = subprocess.Popen(words)
            time.sleep(chance.random() * whole * 1.2)
            run.kill()
            killed += run.wait() == -9
            found = bytes_of(folder / "to") if (folder / "to").exists() else None
            if found not in (old, new):
                raise SystemExit(f"run {k}: after the kill the target is neither old nor new")
            done = subprocess.run([*words[:-1], "--resume", "--verify"], check=False, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"run {k}: resuming ended with {done.returncode}:\n{done.stderr}")
            resumed += "resumed:" in done.stdout
            if bytes_of(folder / "to") != new:
                raise SystemExit(f"run {k}: the resumed target differs:\n{done.stdout}")
            for part in folder.glob("to.part-*"):
                shutil.rmtree(part)
    print(f"{options.count} runs, {killed} killed before their end, {resumed} continued from a journal")
    if options.count >= 100 and resumed < options.count // 10:
        raise SystemExit("too few runs were resumed to mean anything")


if __name__ == "__main__":
    main()
