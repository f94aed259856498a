# SPDX-License-Identifier: Apache-2.0
"""Tensors in files: listings, and copies between layouts and formats that need little memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal, Union

from ._answers import CopyReport, InfoAnswer
from ._verbs import field_texts

Progress = Union[bool, Callable[[str, int, int], object]]


class _Bar:
    """A bar of tqdm for each stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm, self._stage = tqdm, ""
        self._bar: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._bar is None or stage != self._stage:
            self.close()
            unit = "B" if stage == "copy" else " elements"
            self._bar, self._stage = self._tqdm(total=total, unit=unit, unit_scale=True, desc=stage), stage
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def copy(
    src: str | os.PathLike[str],
    dst: str | os.PathLike[str],
    *,
    to: Any = None,
    from_: Any = None,
    type: Any = None,
    bytes: int | None = None,
    fill: Literal["keep", "any"] | str | int | float | None = None,
    threads: int | None = None,
    isa: str | None = None,
    shape: int | tuple[int, ...] | None = None,
    transpose: tuple[int, ...] | None = None,
    recode: str | None = None,
    tensor: str | None = None,
    memory: str | int = "1G",
    plan: str | os.PathLike[str] | None = None,
    verify: bool = False,
    dry_run: bool = False,
    resume: bool = False,
    force: bool = False,
    progress: Progress = False,
    **options: Any,
) -> CopyReport:
    """Copies a tensor to a new file in another layout: ``tessera copy``, with its options.

    ``src``, ``dst``: .npy, .safetensors (``FILE#TENSOR``), .gguf (only ``src``) or raw bytes; the extension of ``dst`` selects its format.
    ``recode``: a change of each code, ``add=1`` or ``xor=8``. ``to``: the layout of ``dst``, by default row-major. ``from_``: that of ``src``, unless a header gives it.
    ``memory``: the limit for buffers and resident pages. ``progress``: True for a bar of tqdm, if it is installed, or a
    function of (stage, done, total). ``force=True`` replaces an existing file; ``verify=True`` compares the result.
    ``dry_run=True`` only plans and checks; ``resume=True`` continues a copy that was interrupted.

    The new file appears whole or not at all, even after KeyboardInterrupt. Raises FileError, ShapeError, Error.
    """
    call: Any = None
    if progress is True:
        try:
            from tqdm.auto import tqdm

            call = _Bar(tqdm)
        except ImportError:
            pass
    elif callable(progress):
        call = progress
    known = {
        "to": to, "from": from_, "type": type, "bytes": bytes, "fill": fill, "threads": threads, "isa": isa, "shape": shape,
        "transpose": transpose, "recode": recode, "tensor": tensor, "memory": memory, "plan": None if plan is None else os.fspath(plan),
        "verify": verify, "dry_run": dry_run, "resume": resume, "force": force, **options,
    }
    try:
        return CopyReport("copy", field_texts({"in": os.fspath(src), "out": os.fspath(dst), **known}), call)
    finally:
        if isinstance(call, _Bar):
            call.close()


def info(path: str | os.PathLike[str], *, values: tuple[str, str] | None = None, **options: Any) -> InfoAnswer:
    """The tensors of a file, from its headers alone: ``tessera info``, with its options.

    ``values``: a tensor and indices of it, such as ``("w", "0:4,:")``. The answer then has these values in row-major
    order. An empty name selects the only tensor.
    """
    if values is not None and (isinstance(values, str) or len(values) != 2 or not all(isinstance(one, str) for one in values)):
        raise TypeError(f"values takes a tensor and indices of it, such as ('w', '0:4,:'), not {values!r}")
    fields = {"file": os.fspath(path), "values": list(values) if values else None, **options}
    return InfoAnswer("info", field_texts(fields))


__all__ = ["CopyReport", "copy", "info"]
