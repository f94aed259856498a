# SPDX-License-Identifier: Apache-2.0
"""tessera.mpi.reshard against slices that NumPy makes of the whole array. Each rank runs this program; exit status 77: no
mpi4py or NumPy."""

import sys

try:
    import numpy as np
    from mpi4py import MPI
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import tessera
from tessera import mpi

COMM = MPI.COMM_WORLD
RANK, RANKS = COMM.Get_rank(), COMM.Get_size()
ROWS, COLUMNS = 37, 29
WHOLE = np.random.default_rng(20261124).random((ROWS, COLUMNS)).astype(np.float32)


def cut(size, parts, k):
    """XLA's rule for uneven shards: all have the size of the first."""
    step = -(-size // parts)
    return slice(min(k * step, size), min((k + 1) * step, size))


def cyclic(size, block, parts, k):
    """ScaLAPACK's rule: blocks are dealt out in turn."""
    return [i for i in range(size) if i // block % parts == k]


HALF = RANKS // 2
GRID = divmod(RANK, 2)
# Each distribution, and the part of this rank that NumPy takes of the whole array.
SIDES = {
    f"{{devices=[{RANKS},1]<=[{RANKS}]}}": WHOLE[cut(ROWS, RANKS, RANK)],
    f"{{devices=[1,{RANKS}]<=[{RANKS}]}}": WHOLE[:, cut(COLUMNS, RANKS, RANK)],
    f"{{devices=[1,{RANKS}]<=[{RANKS}]}} local column": WHOLE[:, cut(COLUMNS, RANKS, RANK)].T,
    f"{{devices=[{HALF},2]<=[{RANKS}]}}": WHOLE[cut(ROWS, HALF, GRID[0]), cut(COLUMNS, 2, GRID[1])],
    f"{{devices=[{HALF},1,2]<=[{RANKS}] last_tile_dim_replicate}}": WHOLE[cut(ROWS, HALF, GRID[0])],
    "{replicated}": WHOLE,
    # ScaLAPACK stores columns first.
    f"block_cyclic(mb=3, nb=4, grid={HALF}x2)": WHOLE[
        np.ix_(cyclic(ROWS, 3, HALF, GRID[0]), cyclic(COLUMNS, 4, 2, GRID[1]))
    ].T,
}


def expect(condition, what):
    if not condition:
        print(f"FAILED on rank {RANK}: {what}", flush=True)
        COMM.Abort(1)


def error_of(*arguments, **options):
    try:
        mpi.reshard(COMM, *arguments, **options)
    except tessera.Error as error:
        return error
    expect(False, f"no error for {arguments[2:]}")


def moves():
    moved = 0
    for before, mine in SIDES.items():
        for after, wanted in SIDES.items():
            source = np.ascontiguousarray(mine)
            target = np.full(wanted.shape, np.nan, np.float32)
            report = mpi.reshard(COMM, source, target, f"f32[{ROWS},{COLUMNS}]", before, after)
            expect(np.array_equal(target, wanted), f"{before} -> {after}: the elements")
            expect(np.array_equal(source, mine), f"{before} -> {after}: the source has changed")
            expect(report.received + report.kept == wanted.nbytes, f"{before} -> {after}: {report}")
            sent, received = COMM.allreduce(report.sent), COMM.allreduce(report.received)
            expect(sent == received, f"{before} -> {after}: {sent} bytes sent, {received} received")
            moved += received
    return moved


def other_types_and_views():
    rows = f"{{devices=[{RANKS}]<=[{RANKS}]}}"
    for dtype, name in ((np.uint8, "u8"), (np.uint16, "bf16"), (np.complex128, "c128")):
        whole = np.arange(RANKS * 6).astype(dtype)
        target = np.zeros((6, 1), dtype)
        mine = np.array(whole[6 * RANK : 6 * RANK + 6])
        mpi.reshard(COMM, mine, target, f"{name}[{RANKS * 6}]", rows, f"{{devices=[1,{RANKS}]<=[{RANKS}]}}", view=f"6,{RANKS}")
        expect(np.array_equal(target[:, 0], whole.reshape(6, RANKS)[:, RANK]), f"the view of {name}")
    # A rank that holds nothing passes no array.
    target = np.zeros(4, np.float32) if RANK == 1 else None
    source = np.arange(4, dtype=np.float32) if RANK == 0 else None
    mpi.reshard(COMM, source, target, "f32[4]", "{maximal device=0}", "{maximal device=1}")
    expect(RANK != 1 or target.tolist() == [0, 1, 2, 3], "from one rank to another")


def errors():
    rows, columns = list(SIDES)[:2]
    shape = f"f32[{ROWS},{COLUMNS}]"
    source = np.ascontiguousarray(SIDES[rows])
    target = np.zeros(SIDES[columns].shape, np.float32)
    # One rank is wrong: all say so, and nothing moves.
    short = target[:-1] if RANK == 1 else target
    error = error_of(source, short, shape, rows, columns)
    expect(error.code == ("buffer_too_small" if RANK == 1 else "limit"), f"a short buffer: {error}")
    expect(RANK == 1 or "rank 1" in str(error), f"a short buffer: {error}")
    expect(not target.any(), "a short buffer: elements have moved")
    error = error_of(source, target, shape, rows, columns if RANK else "{replicated}")
    expect(error.code in ("bad_option", "limit", "buffer_too_small"), f"different plans: {error}")
    error = error_of(source, target, shape, rows, columns if RANK else list(SIDES)[2])
    expect(error.reason == "plan_mismatch", f"different plans of equal sizes: {error}")
    error = error_of(source, target, shape, rows, "{devices=[1,")
    expect(error.code == "syntax", f"a broken distribution: {error}")
    both = np.zeros(source.size + target.size, np.float32)
    error = error_of(both[: source.size], both[: target.size], shape, rows, columns)
    expect(error.code in ("overlap", "limit"), f"one memory: {error}")
    wide = np.zeros((source.shape[0], 2 * COLUMNS), np.float32)[:, ::2]
    if source.shape[0] > 1:
        expect(error_of(wide, target, shape, rows, columns).code == "bad_option", "a source with gaps")
    else:
        error_of(wide[:0], target, shape, rows, columns)


def an_absent_rank():
    rows, columns = list(SIDES)[:2]
    if RANK == 1:
        for other in range(RANKS):
            if other != RANK:
                COMM.recv(source=other)
        COMM.Ibarrier().Wait()
        return
    error = error_of(None, None, f"f32[{ROWS},{COLUMNS}]", rows, columns, timeout=0.2)
    expect((error.code, error.reason) == ("limit", "rank_failed"), f"an absent rank: {error}")
    COMM.send(None, 1)


MOVED = moves()
other_types_and_views()
errors()
an_absent_rank()
if RANK == 0:
    print(f"{len(SIDES) ** 2} pairs on {RANKS} ranks, {MOVED} bytes moved: all elements are where they belong")
