#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `tessera reshard` and `tessera copy` at random moments, every third time with SIGTERM, and resumes them.

    kills.py --bin DIR [--count N] [--seed S] [VERB...]

N runs of each verb. After every kill, the target must be the old one or the complete new one. After --resume, it must be the
new one, byte for byte."""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

from checkpoints import Model


class Reshard:
    """A checkpoint of eight files, made into one of four."""

    def __init__(self, tessera, folder):
        self.target = folder / "to"
        Model(layers=2, hidden=512, ffn=2048, vocab=8192, groups=8, dim=32).write_cut(folder / "from", 8)
        self.words = [tessera, "reshard", str(folder / "from"), str(self.target), "--recipe", "tp", "--set", "from=8", "--set",
                      "to=4", "--memory", "4M", "--force", "--quiet"]

    def content(self):
        if not self.target.exists():
            return None
        return {path.name: path.read_bytes() for path in sorted(self.target.iterdir())}

    def put_old(self):
        self.target.mkdir()
        (self.target / "old.txt").write_text("old")

    def check_new(self):
        pass

    def remove(self):
        shutil.rmtree(self.target)


class Copy:
    """A matrix of 96 MB, transposed into tiles."""

    def __init__(self, tessera, folder):
        self.target = folder / "to"
        block = os.urandom(1 << 20)
        with open(folder / "from.raw", "wb") as file:
            for number in range(96):
                file.write(number.to_bytes(8, "little") + block[8:])
        self.words = [tessera, "copy", str(folder / "from.raw"), str(self.target), "--from", "f32[4096,6144]{1,0}",
                      "--to", "f32[4096,6144]{0,1:T(8,128)}", "--memory", "16M", "--force", "--quiet"]

    def content(self):
        return self.target.read_bytes() if self.target.exists() else None

    def put_old(self):
        self.target.write_bytes(b"old")

    def check_new(self):
        pass

    def remove(self):
        self.target.unlink()


class Tiled(Reshard):
    """The same, where `copy` wrote the tensors of the source in tiles, and the target has another cut and 4 places."""

    def __init__(self, tessera, folder):
        self.target = folder / "to"
        (folder / "from").mkdir()
        chance = random.Random(7)
        for place in range(8):
            (folder / "from.raw").write_bytes(chance.randbytes(4 << 20))
            subprocess.run([tessera, "copy", str(folder / "from.raw"), str(folder / f"from/tp{place}.safetensors#w"), "--from",
                            "f32[512,2048]", "--to", "f32[512,2048]{0,1:T(8,128)}", "--quiet"], check=True)
        self.words = [tessera, "reshard", str(folder / "from"), str(self.target), "--from", "{devices=[8,1]<=[8]}",
                      "--to", "{devices=[1,4]<=[4]}", "--memory", "4M", "--force", "--check", "--quiet"]
        self.whole = b"".join(self.elements(tessera, path) for path in sorted((folder / "from").iterdir()))

    @staticmethod
    def elements(tessera, path):
        """The tensor of a file in row-major order."""
        raw = path.parent.parent / "row-major.raw"
        subprocess.run([tessera, "copy", f"{path}#w", str(raw), "--to", "C", "--force", "--quiet"], check=True)
        return raw.read_bytes()

    def check_new(self):
        """Every element of the target is where the distribution says."""
        parts = [self.elements(self.words[0], path) for path in sorted(self.target.glob("*.safetensors"))]
        row = len(parts[0]) // 4096
        whole = b"".join(part[at:at + row] for at in range(0, len(parts[0]), row) for part in parts)
        if whole != self.whole:
            raise SystemExit("the new checkpoint has other elements than the tiles")


def check(verb, tessera, folder, count, chance):
    work = verb(tessera, folder)
    start = time.monotonic()
    subprocess.run(work.words, check=True)
    whole = time.monotonic() - start
    work.check_new()
    new = work.content()
    killed = resumed = 0
    for k in range(count):
        work.remove()
        if k % 2:
            work.put_old()
        old = work.content()
        stop = signal.SIGTERM if k % 3 == 2 else signal.SIGKILL
        run = subprocess.Popen(work.words, stderr=subprocess.PIPE, text=True)
        time.sleep(chance.random() * whole * 1.2)
        run.send_signal(stop)
        said = run.communicate()[1]
        killed += run.returncode == -stop
        # Regression: after SIGTERM, nothing said that the copy can be resumed.
        journals = [journal.read_text().count("\n") for journal in folder.glob("to.part-*/tessera.resume.jsonl")]
        if stop == signal.SIGTERM and work.content() == old and max(journals, default=0) > 1 and "--resume" not in said:
            raise SystemExit(f"run {k}: SIGTERM left a journal without a word: {said!r}")
        if work.content() not in (old, new):
            raise SystemExit(f"run {k}: after the kill the target is neither old nor new")
        done = subprocess.run([*work.words[:-1], "--resume", "--verify"], check=False, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"run {k}: resuming ended with {done.returncode}:\n{done.stderr}")
        resumed += "resumed:" in done.stdout
        if work.content() != new:
            raise SystemExit(f"run {k}: the resumed target differs:\n{done.stdout}")
        for part in folder.glob("to.part-*"):
            shutil.rmtree(part)
    print(f"{verb.__name__.lower()}: {count} runs, {killed} killed before their end, {resumed} continued from a journal", flush=True)
    if count >= 100 and resumed < count // 10:
        raise SystemExit("too few runs were resumed to mean anything")


def main():
    verbs = {"reshard": Reshard, "copy": Copy, "tiled": Tiled}
    options = argparse.ArgumentParser()
    options.add_argument("--bin", required=True)
    options.add_argument("--count", type=int, default=10)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("verbs", nargs="*", default=list(verbs))
    options = options.parse_args()
    seed = random.randrange(2**32) if options.seed is None else options.seed
    print(f"seed {seed}")
    chance = random.Random(seed)
    tessera = str(pathlib.Path(options.bin).resolve() / "tessera")
    for name in options.verbs:
        with tempfile.TemporaryDirectory() as folder:
            check(verbs[name], tessera, pathlib.Path(folder), options.count, chance)


if __name__ == "__main__":
    main()
