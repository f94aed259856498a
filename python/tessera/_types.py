# SPDX-License-Identifier: Apache-2.0
"""The types of arguments and results of ``tessera.cute``, for annotations. Import them from there."""

from typing import Any, Protocol, TypeAlias, Union

from ._core import Layout as _Layout
from ._core.cute import ComposedLayout, Layout, Swizzle

IntTuple: TypeAlias = Union[int, tuple["IntTuple", ...]]
"""A shape, a coordinate, or integer strides."""
Coord: TypeAlias = Union[int, None, tuple["Coord", ...]]
"""A coordinate; None is CuTe's ``_``."""
Stride: TypeAlias = Union[int, str, tuple["Stride", ...]]
"""Strides; a scaled basis is a text such as ``1@0``."""
Plain: TypeAlias = Union[Layout, IntTuple]
"""A layout without swizzles, or the shape of a compact one."""
PlainTiler: TypeAlias = Union[Plain, None, tuple["PlainTiler", ...]]
"""A tiler without swizzles."""
LayoutLike: TypeAlias = Union[Layout, ComposedLayout, Swizzle, _Layout, IntTuple, str]
"""Every argument that is read as a layout."""
Tiler: TypeAlias = Union[LayoutLike, None, tuple["Tiler", ...]]
"""A layout, a shape, or a tuple with a tiler for each mode; None leaves a mode alone."""
Slice: TypeAlias = Union[Layout, tuple[Layout, IntTuple]]
"""The layout of a part, with its offset unless that is 0."""


class HloText(Protocol):
    """A function that JAX lowered or compiled: ``jax.jit(f).lower(x)``, or ``.compile()`` of that."""

    def as_text(self, *args: Any, **kwargs: Any) -> Any:
        """HLO as text."""
        ...
