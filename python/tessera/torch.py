# SPDX-License-Identifier: Apache-2.0
"""PyTorch: layouts of tensors, memory formats, and placements of distributed tensors.

The functions read attributes of their arguments, so that importing this module does not import torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._core import Layout, equal, parse
from ._distributions import torch_text

# For each format by name: the order of the dimensions in memory, slowest first.
_FORMATS = {
    "channels_last": (0, 2, 3, 1),
    "channels_last_3d": (0, 2, 3, 4, 1),
}


def _strides(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> Layout:
    def text(numbers: Sequence[int]) -> str:
        return "(" + ",".join(map(str, numbers)) + ")"

    return parse(f"np:{text(shape)}:{text(strides)} + {offset}")


def layout_of(tensor: Any) -> Layout:
    """The strides of a tensor, and its offset in its storage, in elements."""
    return _strides(tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset())


def layout_for(shape: Sequence[int], memory_format: Any = "contiguous_format") -> Layout:
    """The layout of a new tensor in a memory format: ``torch.channels_last``, or its name.

    >>> from tessera.torch import layout_for
    >>> layout_for((2, 3, 4, 5), "channels_last")
    tessera.parse('np:(2,3,4,5):(60,1,15,3)')
    """
    name = str(memory_format).removeprefix("torch.")
    order = tuple(range(len(shape))) if name == "contiguous_format" else _FORMATS.get(name)
    if order is None:
        raise ValueError(f"'{name}' is not a memory format: contiguous_format, channels_last or channels_last_3d")
    if len(order) != len(shape):
        raise ValueError(f"{name} is for {len(order)} dimensions, not {len(shape)}")
    strides = [0] * len(shape)
    step = 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return _strides(shape, strides)


def memory_format_of(layout: Layout | str) -> str | None:
    """The name of the memory format with this layout, or None.

    >>> from tessera.torch import memory_format_of
    >>> memory_format_of("f32[2,3,4,5]{1,3,2,0}")
    'channels_last'
    """
    layout = parse(layout) if isinstance(layout, str) else layout
    for name in ("contiguous_format", *_FORMATS):
        if name in _FORMATS and len(_FORMATS[name]) != layout.rank:
            continue
        if equal(layout, layout_for(layout.shape, name)):
            return name
    return None


def distribution(mesh: Any, placements: Sequence[Any] | None = None) -> str:
    """The distribution of a DTensor, or of a DeviceMesh with placements, as text. Places are ranks.

    ``mesh`` may also be a tuple of sizes: the ranks are then in row-major order. ``tessera.reshard`` takes a DTensor, or
    ``(mesh, placements)``, directly.

    >>> from tessera.torch import distribution
    >>> distribution((2, 2), ["Shard(0)", "Replicate()"])
    'DeviceMesh((2, 2)) [Shard(0), Replicate()]'
    """
    return torch_text(mesh, placements)


__all__ = ["distribution", "layout_for", "layout_of", "memory_format_of"]
