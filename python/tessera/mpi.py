# SPDX-License-Identifier: Apache-2.0
"""Resharding NumPy arrays between the ranks of an mpi4py communicator.

The module uses the communicator that it is given, so that importing it does not import mpi4py.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import Error
from ._verbs import Answer, reshard as _plan

# MPI counts are 32-bit integers, so longer ranges are sent in several blocks.
_LONGEST = 1 << 30


@dataclass(frozen=True)
class Report:
    """What one rank did."""

    sent: int
    """Bytes for other ranks."""
    received: int
    """Bytes from other ranks."""
    kept: int
    """Bytes that moved within the rank."""
    seconds: float
    """From the call to the end of the last message."""


def _bytes_of(array: Any, name: str) -> np.ndarray:
    """The memory of a contiguous array, in either order, as bytes."""
    if array is None:
        return np.empty(0, np.uint8)
    if not isinstance(array, np.ndarray):
        raise Error(f"{name} is not a NumPy array but {type(array).__name__}", code="bad_option")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise Error(f"{name} is not contiguous: pass a copy", code="bad_option")
    return array.ravel(order="K").view(np.uint8)


def _blocks(segments: Sequence[Sequence[int]], side: int) -> tuple[list[int], list[int]]:
    """The lengths and offsets of one side's ranges, none longer than MPI can count."""
    lengths, offsets = [], []
    for segment in segments:
        size = segment[2]
        for begin in range(0, size, _LONGEST):
            lengths.append(min(_LONGEST, size - begin))
            offsets.append(segment[side] + begin)
    return lengths, offsets


def _check_size(memory: np.ndarray, name: str, ends: list[int]) -> None:
    need = max(ends, default=0)
    if memory.nbytes < need:
        raise Error(f"{name} has {memory.nbytes} bytes; the distribution needs {need}", code="buffer_too_small")


class _Work:
    """The messages of one rank: (other rank, ranges of bytes), and the memory of both sides."""

    def __init__(self, rank: int, plan: Answer, source: Any, target: Any) -> None:
        array = plan["arrays"][0]
        self.sends = [(m["to"], m["segments"]) for m in array["messages"] if m["from"] == rank]
        self.receives = [(m["from"], m["segments"]) for m in array["messages"] if m["to"] == rank]
        self.kept = [part["segments"] for part in array["kept"]]
        self.source = _bytes_of(source, "the source")
        self.target = _bytes_of(target, "the target")
        if target is not None and not target.flags.writeable:
            raise Error("the target is read-only", code="bad_option")
        if np.may_share_memory(self.source, self.target):
            raise Error("source and target share memory", code="overlap")
        out = [segments for _, segments in self.sends] + self.kept
        into = [segments for _, segments in self.receives] + self.kept
        _check_size(self.source, "the source", [s[0] + s[2] for segments in out for s in segments])
        _check_size(self.target, "the target", [s[1] + s[2] for segments in into for s in segments])


def _agree(comm: Any, own: str, error: Exception | None) -> None:
    """Raises on every rank if one cannot continue, or if two ranks have different plans."""
    all_ranks = comm.allgather((own, None if error is None else str(error)))
    if error is not None:
        raise error
    for rank, (_, text) in enumerate(all_ranks):
        if text is not None:
            raise Error(f"rank {rank} cannot go on: {text}", code="limit", reason="rank_failed")
    for rank, (other, _) in enumerate(all_ranks):
        if other != all_ranks[0][0]:
            raise Error(f"ranks 0 and {rank} have different plans", code="bad_option", reason="plan_mismatch")


def _wait(request_type: Any, requests: list[Any], timeout: float, failure: str) -> None:
    """Waits for all requests. Fails if none completes for ``timeout`` seconds. Polls at least every millisecond."""
    left, last, pause = list(requests), time.monotonic(), 0.0
    while left:
        done = request_type.Testsome(left)
        if done:
            left = [request for k, request in enumerate(left) if k not in set(done)]
            last, pause = time.monotonic(), 0.0
        elif timeout and time.monotonic() - last > timeout:
            raise Error(failure.format(timeout), code="limit", reason="rank_failed")
        else:
            time.sleep(pause)
            pause = min(pause + 1e-5, 1e-3)


def reshard(
    comm: Any,
    source: np.ndarray | None,
    target: np.ndarray | None,
    shape: str,
    from_: Any,
    to: Any,
    *,
    view: Any = None,
    timeout: float = 300.0,
) -> Report:
    """Moves the elements of one array from its distribution ``from_`` to the distribution ``to``, into ``target``.

    Rank k of ``comm``, an mpi4py communicator, is place k. All ranks call it with the same shape and distributions.
    ``source`` and ``target`` hold the rank's part in the order of its local layout (``tessera reshard at`` prints
    offsets); ``None`` if the rank holds nothing there. Only bytes that a rank lacks are sent, which is the minimum.
    MPI packs them through derived datatypes; for large arrays of scattered elements the C++ function
    ``tessera::mpi::reshard`` is faster.

    Args:
        comm: an ``mpi4py.MPI.Comm``.
        source: this rank's part before; contiguous. Not changed.
        target: this rank's part after; contiguous and writeable. It may not share memory with ``source``.
        shape: type and dimensions of the whole array: ``"f32[16,16]"``. Elements are whole bytes.
        from_: the distribution before, in any notation.
        to: the distribution after.
        view: dimensions of the target, if they differ: the same elements in row-major order.
        timeout: seconds without progress until the call gives up; 0 waits forever.

    Returns:
        What this rank sent, received and kept, in bytes.

    Raises:
        Error: on every rank, before any element moves, if the distributions or a buffer are wrong on one of them
            (``buffer_too_small``, ``overlap``, ``bad_option``; ``limit`` with reason ``rank_failed`` on the others), or if
            two ranks have different plans (reason ``plan_mismatch``). ``limit`` with reason ``rank_failed`` if no
            rank makes progress for ``timeout`` seconds: the contents of ``target`` are then unspecified, and the
            program should abort.
    """
    begin = time.monotonic()
    rank = comm.Get_rank()
    work, name, error = None, "", None
    try:
        plan = _plan(
            shape, from_, to, view=view, places=comm.Get_size(), place=rank, segments=True, kept=True
        )
        name = plan["hash"]
        work = _Work(rank, plan, source, target)
    except Exception as caught:  # Every rank must reach the agreement below, or the others would wait for this one.
        error = caught
    # Already loaded, because `comm` exists. Imported by name, so that type checkers need no mpi4py.
    MPI: Any = importlib.import_module("mpi4py.MPI")
    # The collective call below has no timeout, so first make sure that all ranks have arrived.
    _wait(MPI.Request, [comm.Ibarrier()], timeout, "not every rank made the call within {:g} seconds")
    _agree(comm, name, error)
    assert work is not None

    # A private communicator, so that messages of the program are not mistaken for these.
    private = comm.Dup()
    types, requests = [], []
    try:
        def start(post: Any, memory: np.ndarray, segments: Sequence[Sequence[int]], side: int, other: int) -> None:
            lengths, offsets = _blocks(segments, side)
            types.append(MPI.BYTE.Create_hindexed(lengths, offsets).Commit())
            requests.append(post([memory, 1, types[-1]], other))

        for other, segments in work.receives:
            start(private.Irecv, work.target, segments, 1, other)
        for segments in work.kept:
            start(private.Irecv, work.target, segments, 1, rank)
        for other, segments in work.sends:
            start(private.Isend, work.source, segments, 0, other)
        for segments in work.kept:
            start(private.Isend, work.source, segments, 0, rank)
        _wait(MPI.Request, requests, timeout, "no message arrived for {:g} seconds")
    finally:
        for datatype in types:
            datatype.Free()
    # Only after success, because freeing it waits for all ranks, and after a failure some may be gone.
    private.Free()

    def count(parts: Sequence[Sequence[Sequence[int]]]) -> int:
        return sum(segment[2] for segments in parts for segment in segments)

    return Report(
        sent=count([segments for _, segments in work.sends]),
        received=count([segments for _, segments in work.receives]),
        kept=count(work.kept),
        seconds=time.monotonic() - begin,
    )
