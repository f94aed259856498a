#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Resharding over MPI on one machine.

    run.py [--bin DIR] [--programs DIR] [--mpirun mpirun] [--pairs N] [--seed S] [--kills N] [CASE...]

Cases: pairs (random distributions against one element at a time), failures (a rank that cannot go on), files (`tessera
reshard mpi` on files of eight ranks), kills (SIGKILL of a rank at random moments), python (the module tessera.mpi, which
the interpreter of this script must find). Without names, all but python."""

import argparse
import array
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

RANKS = 8
ROWS, COLUMNS = 96, 40


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Job:
    def __init__(self, arguments):
        self.arguments = arguments
        version = subprocess.run([arguments.mpirun, "--version"], capture_output=True, text=True, check=True).stdout
        self.options = ["--oversubscribe"] if "Open MPI" in version or "OpenRTE" in version else []
        if self.options and os.geteuid() == 0:
            self.options.append("--allow-run-as-root")

    def command(self, *program, ranks=RANKS):
        return [self.arguments.mpirun, *self.options, "-n", str(ranks), *map(str, program)]

    def run(self, *program, ranks=RANKS):
        """Returns (exit status, stdout, stderr)."""
        done = subprocess.run(self.command(*program, ranks=ranks), capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    @property
    def tessera(self):
        return pathlib.Path(self.arguments.bin) / "tessera"

    def program(self, name):
        return pathlib.Path(self.arguments.programs) / name


def pairs(job, folder):
    for ranks in (RANKS, 3):
        count = job.arguments.pairs if ranks == RANKS else job.arguments.pairs // 4
        status, out, err = job.run(job.program("mpi_random_pairs"), count, job.arguments.seed, ranks=ranks)
        expect(status == 0, f"{ranks} ranks, seed {job.arguments.seed}: {out}{err}")
        print(out.strip())


def failures(job, folder):
    def answers(which):
        _, out, err = job.run(job.program("mpi_failures"), which)
        found = sorted(line for line in out.splitlines() if line[:1].isdigit())
        expect(len(found) == RANKS, f"{which}: {len(found)} answers of {RANKS}\n{out}{err}")
        return found

    found = answers("buffer")
    expect("1 buffer_too_small" in found[1], found[1])
    expect(all("limit rank_failed: rank 1 cannot go on" in line for line in found[:1] + found[2:]), found)
    found = answers("plan")
    expect(all("bad_option plan_mismatch: ranks 0 and 7 have different plans: 'w'" in line for line in found), found)
    found = answers("memory")
    expect(all("plan_mismatch" in line or "rank 2" in line for line in found), found)
    found = answers("sleep")
    expect(all("limit rank_failed" in line for line in found), found)


def npy(path, data, shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape[0]}, {shape[1]}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)


def rows_of(place):
    return range(place * ROWS // RANKS, (place + 1) * ROWS // RANKS)


def write_inputs(folder):
    for place in range(RANKS):
        data = array.array("f", [r * COLUMNS + c for r in rows_of(place) for c in range(COLUMNS)])
        npy(folder / f"in-{place}.npy", data.tobytes(), (ROWS // RANKS, COLUMNS))


def expected(place):
    width = COLUMNS // RANKS
    return array.array("f", [r * COLUMNS + c for r in range(ROWS) for c in range(place * width, (place + 1) * width)]).tobytes()


SIDES = ["--shape", f"f32[{ROWS},{COLUMNS}]", "--from", "{devices=[8,1]<=[8]}", "--to", "{devices=[1,8]<=[8]}"]


def reshard(job, folder, *more, sides=SIDES, to="out-{place}.npy"):
    return job.run(job.tessera, "reshard", "mpi", folder / "in-{place}.npy", folder / to, *sides, *more)


def outputs(folder, pattern="out-*"):
    return sorted(path.name for path in folder.glob(pattern))


def files(job, folder):
    write_inputs(folder)
    status, out, err = reshard(job, folder, "--verify")
    expect(status == 0 and "verified" in out, out + err)
    for place in range(RANKS):
        expect((folder / f"out-{place}.npy").read_bytes()[128:] == expected(place), f"place {place} has wrong elements")

    before = {name: (folder / name).read_bytes() for name in outputs(folder)}
    status, out, err = reshard(job, folder)
    expect(status == 2 and "error[file_exists]" in err, f"{status} {out}{err}")
    expect(before == {name: (folder / name).read_bytes() for name in outputs(folder)}, "files were changed")
    status, out, err = reshard(job, folder, "--force")
    expect(status == 0, out + err)

    # Uneven shards in two dimensions, in column-major raw files.
    uneven = ["--shape", f"f32[{ROWS},{COLUMNS}]", "--from", "{devices=[8,1]<=[8]}",
              "--to", "mesh[p=3] [p, -] local column on 0,2,5"]
    status, out, err = reshard(job, folder, sides=uneven, to="raw-{place}.bin")
    expect(status == 0, out + err)
    expect(outputs(folder, "raw-*") == ["raw-0.bin", "raw-2.bin", "raw-5.bin"], outputs(folder, "raw-*"))
    column = array.array("f", [r * COLUMNS + c for c in range(COLUMNS) for r in range(32, 64)]).tobytes()
    expect((folder / "raw-2.bin").read_bytes() == column, "place 2 of the raw files is wrong")

    for path in folder.glob("out-*"):
        path.unlink()
    short = (folder / "in-3.npy").read_bytes()
    (folder / "in-3.npy").write_bytes(short[:-4])
    status, out, err = reshard(job, folder)
    expect(status == 2 and "rank 3: tessera: error[buffer_too_small]" in err and "rank 3 cannot go on" in err,
           f"{status} {out}{err}")
    expect(not outputs(folder), "files appeared")
    (folder / "in-3.npy").unlink()
    status, out, err = reshard(job, folder)
    expect(status == 2 and "error[file_not_found]" in err and not outputs(folder), f"{status} {out}{err}")
    (folder / "in-3.npy").write_bytes(short)

    # If every rank finds the same error in a text, it is printed once.
    status, out, err = reshard(job, folder, sides=SIDES[:-1] + ["{devices=[1,8]<=[9]}"])
    expect(status == 2 and err.count("error[") == 1, f"{status} {out}{err}")

    # Give the ranks different plans.
    one = [job.tessera, "reshard", "mpi", folder / "in-{place}.npy", folder / "out-{place}.npy"]
    command = job.command(*one, *SIDES, ranks=7) + [":", "-n", "1", *map(str, one), *SIDES[:-1], "{devices=[8,1]<=[8]}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    expect(done.returncode == 2 and "ranks 0 and 7 have different plans" in done.stderr, done.stderr)
    expect(not outputs(folder), "files appeared")


def children_of(process):
    """The ranks, which the launcher starts as its own children."""
    found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False).stdout
    return [int(number) for number in found.split()]


def kill(number):
    """False if the process had ended."""
    try:
        os.kill(number, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def is_running(rank):
    try:
        return pathlib.Path(f"/proc/{rank}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def end_of(process, seconds):
    """The exit status and whether the launcher ended by itself. All ranks must end in that time. (The launcher of Open MPI 4.1
    with PMIx 4.2 sometimes waits forever for a lock in PMIx_server_finalize when all its ranks are dead already.)"""
    deadline = time.monotonic() + seconds
    while any(is_running(rank) for rank in children_of(process)):
        if time.monotonic() > deadline:
            for rank in children_of(process):
                kill(rank)
            process.kill()
            process.wait()
            raise Failure(f"ranks still run {seconds} s after one of them was killed")
        time.sleep(0.02)
    try:
        return process.wait(timeout=10), True
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait(), False


def kills(job, folder):
    """After SIGKILL of a rank all ranks end, each file is the old or the new one, and all are new if the exit status is 0."""
    generator = random.Random(job.arguments.seed)
    width = 2048
    rows = [array.array("f", [place * 1000 + c for c in range(width)]).tobytes() * 64 for place in range(RANKS)]
    for place in range(RANKS):
        npy(folder / f"in-{place}.npy", rows[place], (64, width))
    sides = ["--shape", f"f32[{64 * RANKS},{width}]", *SIDES[2:]]
    status, out, err = reshard(job, folder, sides=sides)
    expect(status == 0, out + err)
    new = {name: (folder / name).read_bytes() for name in outputs(folder)}
    start = time.monotonic()
    reshard(job, folder, "--force", sides=sides)
    seconds = time.monotonic() - start
    killed = mixed = survived = stuck = jobs = 0
    while killed < job.arguments.kills:
        jobs += 1
        expect(jobs <= 3 * job.arguments.kills + 10, f"only {killed} ranks were there to be killed in {jobs - 1} jobs")
        old = {name: f"old {jobs}".encode() for name in new}
        for name, data in old.items():
            (folder / name).write_bytes(data)
        process = subprocess.Popen(
            job.command(job.tessera, "reshard", "mpi", folder / "in-{place}.npy", folder / "out-{place}.npy", "--force", *sides),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Without ranks there is nothing to kill, so the random time begins with the first of them.
        while not (ranks := children_of(process)) and process.poll() is None:
            time.sleep(0.005)
        time.sleep(generator.random() * seconds * 0.9)
        ranks = children_of(process) or ranks
        hit = bool(ranks) and kill(generator.choice(ranks))
        killed += hit
        status, ended = end_of(process, 30)
        stuck += not ended
        found = {name: (folder / name).read_bytes() for name in outputs(folder)}
        extra = [name for name in found if name not in new and ".part-" not in name]
        expect(not extra and set(new) <= set(found), f"job {jobs}: {sorted(found)}")
        wrong = [name for name in new if found[name] not in (old[name], new[name])]
        expect(not wrong, f"job {jobs}: {wrong} are neither old nor new")
        renamed = sum(found[name] == new[name] for name in new)
        if status == 0:
            expect(renamed == len(new), f"job {jobs}: exit status 0, but old files")
        mixed += 0 < renamed < len(new)
        survived += hit and status == 0
        for path in folder.glob("*.part-*"):
            path.unlink()
    print(f"seed {job.arguments.seed}: {killed} ranks killed in {jobs} jobs of {seconds:.2f} s; {survived} jobs had all files by then,"
          f" {mixed} ended while files got their names; {stuck} launchers did not end after their ranks")


CASES = {"pairs": pairs, "failures": failures, "files": files, "kills": kills}


def python(job):
    """Returns the exit status: 77 if a module is missing."""
    program = pathlib.Path(__file__).with_name("python_ranks.py")
    for ranks in (RANKS, 4):
        status, out, err = job.run(sys.executable, program, ranks=ranks)
        if status:
            print(out + err, file=sys.stderr)
            return 77 if status == 77 else 1
        print(out.strip())
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=".")
    parser.add_argument("--programs", default=".")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20266)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES, "python"], default=[])
    arguments = parser.parse_args()
    job = Job(arguments)
    if arguments.cases == ["python"]:
        return python(job)
    for name in arguments.cases or CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                CASES[name](job, pathlib.Path(folder))
            except Failure as failure:
                print(f"{name} (seed {arguments.seed}): {failure}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
