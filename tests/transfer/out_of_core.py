#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies a file that is larger than the memory limit, and kills copies while they run.

    out_of_core.py --bin DIR [--megabytes N] [--kills N]

Measures the peak resident memory of `tessera copy` and `tessera reshard` (buffers and pages of mapped files alike),
which stays below the limit plus 64 MB; copies there and back and compares the bytes; and sends SIGKILL at random moments,
after which the destination is the old file or the whole new one, and --resume continues in the folder that is left.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SLACK = 64 << 20


def write_random(path, size):
    """Writes a file without holes in which no two blocks are alike."""
    block = random.randbytes(1 << 20)
    with open(path, "wb") as file:
        for number in range(size >> 20):
            file.write(number.to_bytes(8, "little") + block[8:])


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


def copy(tessera, *arguments, verb="copy"):
    """Returns (exit status, peak resident bytes, seconds, stdout)."""
    start = time.monotonic()
    process = subprocess.Popen([tessera, verb, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * 1024, time.monotonic() - start, output


def check_memory(tessera, folder, megabytes):
    rows, columns = 4 * 1024, megabytes * 64  # f32: 4 bytes an element
    layouts = {
        "rows": f"f32[{rows},{columns}]{{1,0}}",
        "columns": f"f32[{rows},{columns}]{{0,1}}",
        "tiles": f"f32[{rows},{columns}]{{1,0:T(8,128)}}",
    }
    problems = 0
    source = folder / "rows.raw"
    write_random(source, megabytes << 20)
    expected = digest(source)
    for to, bound, more in (("tiles", 512, ["--verify"]), ("columns", 512, []), ("columns", 64, ["--verify"])):
        bound = bound * megabytes // 2048
        other, back = folder / "other.raw", folder / "back.raw"
        for arguments in (
            [source, other, "--from", layouts["rows"], "--to", layouts[to], *more],
            [other, back, "--from", layouts[to], "--to", layouts["rows"]],
        ):
            status, peak, seconds, output = copy(tessera, *arguments, "--memory", f"{bound}M", "--force")
            print(f"{' '.join(map(str, arguments[3::2]))} {bound}M: {peak >> 20} MB peak, {seconds:.1f} s, {output.splitlines()[1:]}",
                  flush=True)
            if status != 0:
                problems += 1
                print(f"  exit status {status}")
            if peak > (bound << 20) + SLACK:
                problems += 1
                print("  more than the limit plus 64 MB")
        if digest(back) != expected:
            problems += 1
            print("  copying there and back gives another file")
        other.unlink()
        back.unlink()
    return problems


def check_corners(tessera, folder, megabytes):
    """Regression: reversed copies, and copies with bytes before the first element, needed memory for the whole file."""
    count = megabytes << 18  # f32
    source, target = folder / "rows.raw", folder / "target.raw"
    (folder / "few.raw").write_bytes(b"abc")
    problems = 0
    for arguments in (
        [source, target, "--from", f"f32[1,{count}]", "--to", f"np:(1,{count}):(0,-1) + {count - 1}"],
        [folder / "few.raw", target, "--from", "u8[3]", "--to", f"u8[3]{{0:M({megabytes << 19})}}"],
    ):
        status, peak, seconds, _ = copy(tessera, *arguments, "--memory", "1M", "--force")
        print(f"{' '.join(map(str, arguments[3::2]))} 1M: {peak >> 20} MB peak, {seconds:.1f} s", flush=True)
        if status != 0 or peak > (1 << 20) + SLACK:
            problems += 1
            print(f"  exit status {status}, or more than the limit plus 64 MB")
    target.unlink(missing_ok=True)
    (folder / "few.raw").unlink()
    return problems


def check_long_swizzle(tessera, folder):
    """Regression: listing the offsets of one long dimension took 16 bytes per element, regardless of the memory limit."""
    elements = 8 << 20
    source, target = folder / "long.raw", folder / "swizzled.raw"
    write_random(source, 2 * elements)
    status, peak, _, _ = copy(tessera, source, target, "--from", f"np:({elements}):(1)", "--to",
                              f"cute:Sw<3,3,3> o _0 o ({elements}):(1)", "--bytes", 2, "--memory", "1M")
    print(f"one long swizzled dimension: {peak >> 20} MB peak", flush=True)
    source.unlink()
    target.unlink(missing_ok=True)
    return int(status != 0) + int(peak > (1 << 20) + SLACK)


def check_long_runs(tessera, folder):
    """Regression: verifying a checkpoint compared each run at once, with the pages of the whole run on both sides."""
    megabytes = 256
    cut, replicas = folder / "whole", folder / "replicas"
    header = json.dumps({"w": {"dtype": "U8", "shape": [1024, megabytes << 10], "data_offsets": [0, megabytes << 20]}}).encode()
    write_random(folder / "data.raw", megabytes << 20)
    for path in (cut / "w.safetensors", replicas / "a.safetensors", replicas / "b.safetensors"):
        path.parent.mkdir(exist_ok=True)
        with open(folder / "data.raw", "rb") as data, open(path, "wb") as file:
            file.write(len(header).to_bytes(8, "little") + header)
            shutil.copyfileobj(data, file, 1 << 20)
    problems = 0
    for arguments in ([cut, folder / "new", "--to", "DeviceMesh((2)) [Shard(0)]"],
                      [replicas, folder / "new.safetensors", "--from", "DeviceMesh((2)) [Replicate()]"]):
        status, peak, seconds, _ = copy(tessera, *arguments, "--verify", "--memory", "16M", verb="reshard")
        print(f"reshard {arguments[-1]}, 16M: {peak >> 20} MB peak, {seconds:.1f} s", flush=True)
        if status != 0 or peak > (16 << 20) + SLACK:
            problems += 1
            print(f"  exit status {status}, or more than the limit plus 64 MB")
    for path in (cut, replicas, folder / "new"):
        shutil.rmtree(path, ignore_errors=True)
    for name in ("data.raw", "new.safetensors"):
        (folder / name).unlink(missing_ok=True)
    return problems


def check_kills(tessera, folder, count):
    layout = ["--from", "f32[2048,8192]{1,0}", "--to", "f32[2048,8192]{0,1}", "--memory", "16M", "--force"]
    source, target = folder / "kill.raw", folder / "target.raw"
    write_random(source, 64 << 20)
    start = time.monotonic()
    subprocess.run([tessera, "copy", source, target, *layout], check=True, stdout=subprocess.DEVNULL)
    duration = time.monotonic() - start
    new = digest(target)
    target.write_bytes(b"old")
    old = digest(target)
    problems, killed, replaced = 0, 0, 0
    for _ in range(count):
        process = subprocess.Popen([tessera, "copy", source, target, *layout], stdout=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 1.2 * duration))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        now = digest(target)
        if now not in (old, new):
            problems += 1
            print("killed: the destination is neither the old file nor the new one")
        if now == new:
            replaced += 1
            target.write_bytes(b"old")
    # A killed copy leaves its part folder, and nothing else; --resume continues in it, and removes it.
    subprocess.run([tessera, "copy", source, target, *layout, "--resume"], check=True, stdout=subprocess.DEVNULL)
    if digest(target) != new:
        problems += 1
        print("resumed: the destination differs")
    parts = list(folder.glob("target.raw.part-*"))
    problems += len(parts) > killed
    for part in parts:
        shutil.rmtree(part)
    left = sorted(p.name for p in folder.iterdir() if p not in (source, target, folder / "rows.raw"))
    print(f"{count} copies: {killed} killed, {replaced} finished; other files left: {left}")
    return problems + len(left)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--megabytes", type=int, default=2048)
    parser.add_argument("--kills", type=int, default=12)
    arguments = parser.parse_args()
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    random.seed(seed)
    tessera = arguments.bin / "tessera"
    with tempfile.TemporaryDirectory(dir=arguments.bin) as folder:
        problems = check_memory(tessera, pathlib.Path(folder), arguments.megabytes)
        problems += check_corners(tessera, pathlib.Path(folder), arguments.megabytes)
        problems += check_long_swizzle(tessera, pathlib.Path(folder))
        problems += check_long_runs(tessera, pathlib.Path(folder))
        problems += check_kills(tessera, pathlib.Path(folder), arguments.kills)
    print(f"{problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
