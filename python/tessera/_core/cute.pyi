# SPDX-License-Identifier: Apache-2.0
"""The layout algebra of CuTe. Import it as tessera.cute."""

from collections.abc import Callable
from typing import Any, overload

import tessera._core
import tessera._types


class Swizzle:
    """
    Sw<bits,base,shift>: XORs ``bits`` bits, from base + shift, into those from base.

    >>> from tessera import cute
    >>> cute.Swizzle(3, 0, 3)(19)
    17
    """

    def __init__(self, bits: int, base: int, shift: int) -> None:
        """Raises Error (bad_swizzle)."""

    @property
    def bits(self) -> int: ...

    @property
    def base(self) -> int: ...

    @property
    def shift(self) -> int: ...

    def __call__(self, x: int) -> int:
        """The swizzled offset. Raises Error for x < 0."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

class Layout:
    """
    shape:stride, the function from a coordinate to the sum of digit times stride. Immutable.
    The leftmost mode is the fastest; without strides the layout is compact.

    >>> from tessera import cute
    >>> layout = cute.Layout((4, (2, 2)), (4, (2, 1)))
    >>> layout(2, (0, 1)), layout[1], cute.size(layout)
    (9, cute.Layout((2,2),(2,1)), 16)
    """

    def __init__(self, shape: tessera._types.LayoutLike, stride: tessera._types.Stride | None = None) -> None:
        """
        From nested integers, or a text such as ``(4,8):(8,1)``. Raises Error (not_congruent, bad_extent,
        overflow).
        """

    @property
    def shape(self) -> tessera._types.IntTuple:
        """Nested extents."""

    @property
    def stride(self) -> tessera._types.Stride:
        """Nested strides; a scaled basis is a text: ``1@0``."""

    def size(self) -> int:
        """The number of coordinates."""

    def cosize(self) -> int:
        """1 + the largest offset, for strides >= 0."""

    def rank(self) -> int:
        """The number of modes."""

    def depth(self) -> int:
        """The depth of the nesting."""

    def __len__(self) -> int: ...

    @overload
    def __call__(self, i: int, /) -> int: ...

    @overload
    def __call__(self, i: int, j: int, /) -> int: ...

    @overload
    def __call__(self, *coordinate: tessera._types.IntTuple) -> int: ...

    @overload
    def __call__(self, inner: Layout, /) -> Layout: ...

    @overload
    def __call__(self, *coordinate: tessera._types.Tiler) -> Any:
        """
        The offset of a coordinate: integers, nested tuples, or one 1-D coordinate. With None in place of some
        integers, the layout of those modes; with a layout, the composition. The offset of a layout whose strides are
        bases, such as that of make_identity_layout, is a tuple.
        """

    def __getitem__(self, mode: int | tuple[int, ...], /) -> Layout:
        """
        The sublayout of a mode, or of a nested mode by its path. Raises IndexError.
        """

    def to_layout(self) -> tessera._core.Layout:
        """The tessera.Layout, with one dimension per mode."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

class ComposedLayout:
    """
    c -> A(offset + B(c)), applied from the right: swizzles, offsets and layouts. Immutable.

    >>> from tessera import cute
    >>> cute.ComposedLayout(cute.Swizzle(3, 0, 3), 0, cute.Layout((8, 8), (8, 1)))(1, 0)
    9
    """

    def __init__(self, outer: tessera._types.LayoutLike, offset: int = 0, inner: tessera._types.LayoutLike | None = None) -> None:
        """
        From its parts, or from a text such as ``Sw<3,4,3> o _0 o (8,64):(64,1)``.
        """

    @property
    def swizzle(self) -> Swizzle:
        """The swizzle that the chain begins with, or the identity."""

    @property
    def layout(self) -> Layout:
        """The last layout."""

    @property
    def offset(self) -> int:
        """The offset before the last part."""

    @property
    def shape(self) -> tessera._types.IntTuple:
        """Nested extents of the last layout."""

    def size(self) -> int:
        """The number of coordinates."""

    @overload
    def __call__(self, *coordinate: tessera._types.IntTuple) -> int: ...

    @overload
    def __call__(self, *coordinate: tessera._types.Tiler) -> Any:
        """
        The offset of a coordinate: integers, nested tuples, or one 1-D coordinate. With None in place of some
        integers, the layout of those modes; with a layout, the composition. The offset of a layout whose strides are
        bases, such as that of make_identity_layout, is a tuple.
        """

    def to_layout(self) -> tessera._core.Layout:
        """The tessera.Layout, with one dimension per mode."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

@overload
def composition(A: tessera._types.Plain, B: tessera._types.PlainTiler, /) -> Layout: ...

@overload
def composition(A: tessera._types.LayoutLike, B: tessera._types.Tiler, C: tessera._types.LayoutLike = ..., /) -> Layout | ComposedLayout:
    """
    composition(A, B[, C]): c -> A(B(c)), exact; B is a layout, a by-mode tiler, a swizzle, a chain or bases, or the offset before C. As in ``tessera eval``:

        composition((6,2):(8,2), (4,3):(3,1))
    """

@overload
def logical_divide(L: tessera._types.Plain, T: tessera._types.PlainTiler, /) -> Layout: ...

@overload
def logical_divide(L: tessera._types.LayoutLike, T: tessera._types.Tiler, /) -> Layout | ComposedLayout:
    """
    logical_divide(L, T): each mode split into (tile, rest). As in ``tessera eval``:

        logical_divide((4,2,3):(2,1,8), 4:2)
    """

@overload
def zipped_divide(L: tessera._types.Plain, T: tessera._types.PlainTiler, /) -> Layout: ...

@overload
def zipped_divide(L: tessera._types.LayoutLike, T: tessera._types.Tiler, /) -> Layout | ComposedLayout:
    """
    zipped_divide(L, T): ((tiles), (rests)). As in ``tessera eval``:

        zipped_divide((8,8), <2,4>)
    """

@overload
def tiled_divide(L: tessera._types.Plain, T: tessera._types.PlainTiler, /) -> Layout: ...

@overload
def tiled_divide(L: tessera._types.LayoutLike, T: tessera._types.Tiler, /) -> Layout | ComposedLayout:
    """
    tiled_divide(L, T): ((tiles), rest0, rest1, …). As in ``tessera eval``:

        tiled_divide((8,8), <2,4>)
    """

@overload
def flat_divide(L: tessera._types.Plain, T: tessera._types.PlainTiler, /) -> Layout: ...

@overload
def flat_divide(L: tessera._types.LayoutLike, T: tessera._types.Tiler, /) -> Layout | ComposedLayout:
    """
    flat_divide(L, T): (tile0, tile1, …, rest0, rest1, …). As in ``tessera eval``:

        flat_divide((8,8), <2,4>)
    """

@overload
def logical_product(L: tessera._types.Plain, T: tessera._types.PlainTiler, /) -> Layout: ...

@overload
def logical_product(L: tessera._types.LayoutLike, T: tessera._types.Tiler, /) -> Layout | ComposedLayout:
    """
    logical_product(L, T): L, and where its copies start: T says how many and in which order. As in ``tessera eval``:

        logical_product((2,2):(4,1), 6:1)
    """

@overload
def zipped_product(L: tessera._types.Plain, T: tessera._types.PlainTiler, /) -> Layout: ...

@overload
def zipped_product(L: tessera._types.LayoutLike, T: tessera._types.Tiler, /) -> Layout | ComposedLayout:
    """
    zipped_product(L, T): ((L0,L1,…), (T0',T1',…)) for a by-mode tiler. As in ``tessera eval``:

        zipped_product((2,5):(5,1), <3:5,4:6>)
    """

@overload
def tiled_product(L: tessera._types.Plain, T: tessera._types.PlainTiler, /) -> Layout: ...

@overload
def tiled_product(L: tessera._types.LayoutLike, T: tessera._types.Tiler, /) -> Layout | ComposedLayout:
    """
    tiled_product(L, T): ((L0,L1,…), T0', T1', …). As in ``tessera eval``:

        tiled_product((2,5):(5,1), <3:5,4:6>)
    """

@overload
def flat_product(L: tessera._types.Plain, T: tessera._types.PlainTiler, /) -> Layout: ...

@overload
def flat_product(L: tessera._types.LayoutLike, T: tessera._types.Tiler, /) -> Layout | ComposedLayout:
    """
    flat_product(L, T): (L0, L1, …, T0', T1', …). As in ``tessera eval``:

        flat_product((2,5):(5,1), <3:5,4:6>)
    """

@overload
def blocked_product(L: tessera._types.Plain, T: tessera._types.Plain, /) -> Layout: ...

@overload
def blocked_product(L: tessera._types.LayoutLike, T: tessera._types.LayoutLike, /) -> Layout | ComposedLayout:
    """
    blocked_product(L, T): blocks of L side by side, mode by mode: ((L0,T0'),(L1,T1'),…). As in ``tessera eval``:

        blocked_product((2,5):(5,1), (3,4):(1,3))
    """

@overload
def raked_product(L: tessera._types.Plain, T: tessera._types.Plain, /) -> Layout: ...

@overload
def raked_product(L: tessera._types.LayoutLike, T: tessera._types.LayoutLike, /) -> Layout | ComposedLayout:
    """
    raked_product(L, T): the copies of L interleaved: ((T0',L0),(T1',L1),…). As in ``tessera eval``:

        raked_product((2,5):(5,1), (3,4):(1,3))
    """

@overload
def coalesce(L: tessera._types.Plain, profile: tessera._types.IntTuple | str = ..., /) -> Layout: ...

@overload
def coalesce(L: tessera._types.LayoutLike, profile: tessera._types.IntTuple | str = ..., /) -> Layout | ComposedLayout:
    """
    coalesce(L[, profile]): the simplest layout of the same function; with a profile, at each of its leaves. As in ``tessera eval``:

        coalesce((2,(1,6)):(1,(6,2)))
    """

@overload
def right_inverse(L: tessera._types.Plain, /) -> Layout: ...

@overload
def right_inverse(L: tessera._types.LayoutLike, /) -> Layout | ComposedLayout | Swizzle:
    """
    right_inverse(L): R with L(R(i)) = i for every i < size(R), along the strides that chain from 1. As in ``tessera eval``:

        right_inverse((4,8):(8,1))
    """

@overload
def left_inverse(L: tessera._types.Plain, /) -> Layout: ...

@overload
def left_inverse(L: tessera._types.LayoutLike, /) -> Layout | ComposedLayout | Swizzle:
    """
    left_inverse(L): R with R(L(i)) = i, if a layout does this; R(-x) = -R(x). As in ``tessera eval``:

        left_inverse((4,8):(1,5))
    """

@overload
def flatten(X: Layout, /) -> Layout: ...

@overload
def flatten(X: tessera._types.IntTuple, /) -> tessera._types.IntTuple: ...

@overload
def flatten(X: tessera._types.Tiler, /) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    flatten(X): the leaves in order, without nesting. As in ``tessera eval``:

        flatten((4,(2,3)):(6,(3,1)))
    """

@overload
def size(X: Layout, /) -> int: ...

@overload
def size(X: tessera._types.Tiler, *i: int | str) -> int:
    """
    size(X, i...): the number of coordinates: the product of the extents. As in ``tessera eval``:

        size((4,(2,3)):(6,(3,1)), 1)
    """

@overload
def complement(L: Layout, /) -> Layout: ...

@overload
def complement(L: Layout, cotarget: int, /) -> Layout: ...

@overload
def complement(L: tessera._types.LayoutLike, cotarget: tessera._types.LayoutLike = ..., /) -> Layout:
    """
    complement(L[, cotarget]): where copies of L start inside a codomain of this size. As in ``tessera eval``:

        complement(4:2, 24)
    """

@overload
def layout_of(S: tessera._types.Slice, /) -> Layout: ...

@overload
def layout_of(S: tessera._types.Tiler, /) -> Layout | ComposedLayout | Swizzle:
    """
    layout_of(S): the layout of a slice, or of a thread-value layout. As in ``tessera eval``:

        layout_of(slice((2,_), (4,8):(8,1)))
    """

@overload
def offset_of(S: tessera._types.Slice, /) -> tessera._types.IntTuple: ...

@overload
def offset_of(S: tessera._types.Tiler, /) -> tessera._types.IntTuple:
    """
    offset_of(S): the offset of a slice; 0 for a layout. As in ``tessera eval``:

        offset_of(slice((2,_), (4,8):(8,1)))
    """

def rank(X: tessera._types.Tiler, *i: int | str) -> int:
    """
    rank(X, i...): the number of modes, of X or of its mode at a path. As in ``tessera eval``:

        rank((4,(2,3)), 1)
    """

def depth(X: tessera._types.Tiler, *i: int | str) -> int:
    """
    depth(X, i...): 0 for an integer, else 1 + the depth of the deepest mode. As in ``tessera eval``:

        depth((4,(2,3)))
    """

def shape(L: tessera._types.Tiler, *i: int | str) -> tessera._types.IntTuple:
    """
    shape(L, i...): the extents. As in ``tessera eval``:

        shape((4,8):(8,1))
    """

def stride(L: tessera._types.LayoutLike, *i: int | str) -> tessera._types.IntTuple:
    """
    stride(L, i...): the strides, if they are integers. As in ``tessera eval``:

        stride((4,8):(8,1))
    """

def cosize(L: tessera._types.LayoutLike, /) -> int:
    """
    cosize(L): 1 + the largest offset (for strides >= 0); of a chain, that of its last layout. As in ``tessera eval``:

        cosize((4,8):(9,1))
    """

def coshape(L: tessera._types.LayoutLike, /) -> tessera._types.IntTuple:
    """
    coshape(L): the extents of the codomain, one for each component. As in ``tessera eval``:

        coshape((4,5):(1@0,1@1))
    """

def image_min(L: tessera._types.LayoutLike, /) -> int:
    """
    image_min(L): the smallest offset, exact also with swizzles. As in ``tessera eval``:

        image_min(4:-1)
    """

def image_max(L: tessera._types.LayoutLike, /) -> int:
    """
    image_max(L): the largest offset, exact also with swizzles. As in ``tessera eval``:

        image_max(Sw<2,0,2> o (3,4):(4,1))
    """

@overload
def get(X: Layout, *i: int | str) -> Layout: ...

@overload
def get(X: tessera._types.IntTuple, *i: int | str) -> tessera._types.IntTuple: ...

@overload
def get(X: tessera._types.Tiler, *i: int | str) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    get(X, i...): the element of a tuple, or the mode of a layout, at a path of indices. As in ``tessera eval``:

        get((4,(2,3)):(6,(3,1)), 1, 0)
    """

def values(L: tessera._types.LayoutLike, /) -> list[int]:
    """
    values(L): the offsets of all coordinates, in 1-D order. As in ``tessera eval``:

        values((2,4):(4,1))
    """

def evaluate(L: tessera._types.LayoutLike, c: tessera._types.IntTuple | str, /) -> tessera._types.IntTuple:
    """
    evaluate(L, c): the offset of a coordinate; the same as L(c). As in ``tessera eval``:

        evaluate((4,8):(8,1), (2,3))
    """

def crd2idx(c: tessera._types.IntTuple | str, S: tessera._types.LayoutLike, /) -> int:
    """
    crd2idx(c, S): the 1-D coordinate of a coordinate of a shape. As in ``tessera eval``:

        crd2idx((2,3), (4,8))
    """

def idx2crd(c: tessera._types.IntTuple | str, S: tessera._types.LayoutLike, /) -> tessera._types.IntTuple:
    """
    idx2crd(c, S): the natural coordinate, one integer for each leaf of the shape. As in ``tessera eval``:

        idx2crd(14, (4,8))
    """

def crd2crd(c: tessera._types.IntTuple | str, S: tessera._types.LayoutLike, T: tessera._types.LayoutLike, /) -> tessera._types.IntTuple:
    """
    crd2crd(c, S, T): the coordinate in T with the same 1-D coordinate as c has in S. As in ``tessera eval``:

        crd2crd((2,3), (4,8), (8,4))
    """

def colex_less(a: tessera._types.IntTuple | str, b: tessera._types.IntTuple | str, /) -> bool:
    """
    colex_less(a, b): is a before b, comparing the last element first? As in ``tessera eval``:

        colex_less((3,0), (0,1))
    """

def lex_less(a: tessera._types.IntTuple | str, b: tessera._types.IntTuple | str, /) -> bool:
    """
    lex_less(a, b): is a before b, comparing the first element first? As in ``tessera eval``:

        lex_less((0,1), (3,0))
    """

def elem_less(a: tessera._types.IntTuple | str, b: tessera._types.IntTuple | str, /) -> bool:
    """
    elem_less(a, b): is every element of a less than that of b? As in ``tessera eval``:

        elem_less((0,1), (3,2))
    """

def congruent(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, /) -> bool:
    """
    congruent(A, B): the same nesting? As in ``tessera eval``:

        congruent((4,(2,3)), (1,(1,1)))
    """

def weakly_congruent(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, /) -> bool:
    """
    weakly_congruent(A, B): does B refine the nesting of A? As in ``tessera eval``:

        weakly_congruent((4,6), (4,(2,3)))
    """

def compatible(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, /) -> bool:
    """
    compatible(A, B): is every coordinate of A a coordinate of B, and are the sizes equal? As in ``tessera eval``:

        compatible(24, (4,(2,3)))
    """

def evenly_divides(S: tessera._types.LayoutLike, T: tessera._types.Tiler, /) -> bool:
    """
    evenly_divides(S, T): do the copies of tiler T cover shape S, each coordinate once? As in ``tessera eval``:

        evenly_divides((8,12), <4:2,3>)
    """

def shape_div(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, /) -> tessera._types.IntTuple:
    """
    shape_div(A, B): A divided by B, from the left; in each step, one number must divide the other. As in ``tessera eval``:

        shape_div((6,2), 3)
    """

def shape_mod(A: tessera._types.LayoutLike, n: int | str, /) -> tessera._types.IntTuple:
    """
    shape_mod(A, n): the shape of the first n elements of A. As in ``tessera eval``:

        shape_mod((6,2), 3)
    """

def ceil_div(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, /) -> tessera._types.IntTuple:
    """
    ceil_div(A, B): shape_div that rounds up where neither number divides the other. As in ``tessera eval``:

        ceil_div((32,4,4), 64)
    """

def domain_distribute(S: tessera._types.LayoutLike, n: int | str, /) -> Layout:
    """
    domain_distribute(S, n): n elements distributed over a shape by gcd, from the left. As in ``tessera eval``:

        domain_distribute((15,14), 6)
    """

def make_layout(X: tessera._types.Tiler, *Y: tessera._types.Tiler) -> Layout:
    """
    make_layout(X, Y...): a layout of shape X (Y: left, right, or its strides), or one layout from several. As in ``tessera eval``:

        make_layout((4,8), right)
    """

def make_ordered_layout(S: tessera._types.LayoutLike, order: tessera._types.IntTuple | str, /) -> Layout:
    """
    make_ordered_layout(S, order): the compact layout of a shape, with modes in the given order. As in ``tessera eval``:

        make_ordered_layout((2,3,4), (0,2,1))
    """

def make_layout_like(L: tessera._types.LayoutLike, /) -> Layout:
    """
    make_layout_like(L): the compact layout with the shape of L and the order of its strides. As in ``tessera eval``:

        make_layout_like((4,8):(100,1))
    """

def make_identity_layout(S: tessera._types.LayoutLike, /) -> Layout:
    """
    make_identity_layout(S): the layout that maps each coordinate to itself. As in ``tessera eval``:

        make_identity_layout((4,(2,3)))
    """

def concat(A: tessera._types.Tiler, *B: tessera._types.Tiler) -> Layout:
    """
    concat(A, B...): one layout, with each argument as a mode. As in ``tessera eval``:

        concat(4:8, 8:1)
    """

@overload
def make_shape(S: tessera._types.IntTuple, *T: tessera._types.IntTuple) -> tessera._types.IntTuple: ...

@overload
def make_shape(S: tessera._types.Coord | str, *T: tessera._types.Coord | str) -> tessera._types.Coord:
    """
    make_shape(S, T...): the tuple (a,b,…), as C++ writes it. As in ``tessera eval``:

        make_shape(4, make_shape(2, 3))
    """

@overload
def make_stride(d: tessera._types.IntTuple, *e: tessera._types.IntTuple) -> tessera._types.IntTuple: ...

@overload
def make_stride(d: tessera._types.Coord | str, *e: tessera._types.Coord | str) -> tessera._types.Coord:
    """
    make_stride(d, e...): the tuple (a,b,…), as C++ writes it. As in ``tessera eval``:

        make_layout(make_shape(4, 8), make_stride(8, 1))
    """

@overload
def make_coord(c: tessera._types.IntTuple, *d: tessera._types.IntTuple) -> tessera._types.IntTuple: ...

@overload
def make_coord(c: tessera._types.Coord | str, *d: tessera._types.Coord | str) -> tessera._types.Coord:
    """
    make_coord(c, d...): the tuple (a,b,…), as C++ writes it. As in ``tessera eval``:

        ((4,8):(8,1))(make_coord(2, 3))
    """

@overload
def make_tuple(a: tessera._types.IntTuple, *b: tessera._types.IntTuple) -> tessera._types.IntTuple: ...

@overload
def make_tuple(a: tessera._types.Coord | str, *b: tessera._types.Coord | str) -> tessera._types.Coord:
    """
    make_tuple(a, b...): the tuple (a,b,…), as C++ writes it. As in ``tessera eval``:

        make_tuple(4, (2,3))
    """

def make_composed_layout(A: tessera._types.LayoutLike, x: int | str, B: tessera._types.LayoutLike, /) -> Layout | ComposedLayout:
    """
    make_composed_layout(A, x, B): c -> A(x + B(c)); the same as A o x o B. As in ``tessera eval``:

        make_composed_layout(Sw<3,3,3>, 0, (8,64):(64,1))
    """

def make_tile(T: tessera._types.Tiler, *U: tessera._types.Tiler) -> tessera._types.Tiler:
    """
    make_tile(T, U...): the by-mode tiler <T,U,…>. As in ``tessera eval``:

        make_tile(4:2, 8)
    """

@overload
def select(X: Layout, *i: int | str) -> Layout: ...

@overload
def select(X: tessera._types.IntTuple, *i: int | str) -> tessera._types.IntTuple: ...

@overload
def select(X: tessera._types.Tiler, *i: int | str) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    select(X, i...): the tuple of the given modes. As in ``tessera eval``:

        select((2,3,5,7):(1,2,6,30), 3, 1)
    """

@overload
def take(X: Layout, b: int | str, e: int | str, /) -> Layout: ...

@overload
def take(X: tessera._types.IntTuple, b: int | str, e: int | str, /) -> tessera._types.IntTuple: ...

@overload
def take(X: tessera._types.Tiler, b: int | str, e: int | str, /) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    take(X, b, e): modes b to e-1 as a tuple. As in ``tessera eval``:

        take((2,3,5,7):(1,2,6,30), 1, 3)
    """

@overload
def append(X: Layout, Y: tessera._types.Plain, /) -> Layout: ...

@overload
def append(X: tessera._types.IntTuple, Y: tessera._types.IntTuple, /) -> tessera._types.IntTuple: ...

@overload
def append(X: tessera._types.Tiler, Y: tessera._types.Tiler, /) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    append(X, Y): X with Y as one more mode at the end. As in ``tessera eval``:

        append(3:1, 4:3)
    """

@overload
def prepend(X: Layout, Y: tessera._types.Plain, /) -> Layout: ...

@overload
def prepend(X: tessera._types.IntTuple, Y: tessera._types.IntTuple, /) -> tessera._types.IntTuple: ...

@overload
def prepend(X: tessera._types.Tiler, Y: tessera._types.Tiler, /) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    prepend(X, Y): X with Y as one more mode at the start. As in ``tessera eval``:

        prepend(3:1, 4:3)
    """

@overload
def append_to_rank(L: tessera._types.Plain, n: int | str, X: tessera._types.Plain = ..., /) -> Layout: ...

@overload
def append_to_rank(L: tessera._types.LayoutLike, n: int | str, X: tessera._types.LayoutLike = ..., /) -> Layout | ComposedLayout:
    """
    append_to_rank(L, n[, X]): L with X (by default 1:0) appended until the rank is n. As in ``tessera eval``:

        append_to_rank(4:2, 3)
    """

@overload
def replace(X: Layout, i: int | str, Y: tessera._types.Plain, /) -> Layout: ...

@overload
def replace(X: tessera._types.IntTuple, i: int | str, Y: tessera._types.IntTuple, /) -> tessera._types.IntTuple: ...

@overload
def replace(X: tessera._types.Tiler, i: int | str, Y: tessera._types.Tiler, /) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    replace(X, i, Y): X with Y in place of mode i. As in ``tessera eval``:

        replace((3,4):(1,3), 1, 5:6)
    """

@overload
def group(X: Layout, b: int | str, e: int | str, /) -> Layout: ...

@overload
def group(X: tessera._types.IntTuple, b: int | str, e: int | str, /) -> tessera._types.IntTuple: ...

@overload
def group(X: tessera._types.Tiler, b: int | str, e: int | str, /) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    group(X, b, e): modes b to e-1 become one nested mode. As in ``tessera eval``:

        group((2,3,5,7):(1,2,6,30), 0, 2)
    """

@overload
def group_modes(X: Layout, b: int | str, e: int | str, /) -> Layout: ...

@overload
def group_modes(X: tessera._types.IntTuple, b: int | str, e: int | str, /) -> tessera._types.IntTuple: ...

@overload
def group_modes(X: tessera._types.Tiler, b: int | str, e: int | str, /) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    group_modes(X, b, e): CuTe's other name for group. As in ``tessera eval``:

        group_modes<0,2>((2,3,5,7):(1,2,6,30))
    """

@overload
def unflatten(X: Layout, profile: tessera._types.IntTuple | str, /) -> Layout: ...

@overload
def unflatten(X: tessera._types.IntTuple, profile: tessera._types.IntTuple | str, /) -> tessera._types.IntTuple: ...

@overload
def unflatten(X: tessera._types.Tiler, profile: tessera._types.IntTuple | str, /) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    unflatten(X, profile): the leaves of X in the nesting of a tuple. As in ``tessera eval``:

        unflatten((4,2,3):(6,3,1), (0,(0,0)))
    """

@overload
def zip(X: Layout, Y: tessera._types.Plain, /) -> Layout: ...

@overload
def zip(X: tessera._types.IntTuple, Y: tessera._types.IntTuple, /) -> tessera._types.IntTuple: ...

@overload
def zip(X: tessera._types.Tiler, Y: tessera._types.Tiler, /) -> Layout | ComposedLayout | tessera._types.IntTuple:
    """
    zip(X, Y): ((X0,Y0),(X1,Y1),…). As in ``tessera eval``:

        zip((2,3):(1,2), (4,5):(6,24))
    """

@overload
def filter(L: tessera._types.Plain, profile: tessera._types.IntTuple | str = ..., /) -> Layout: ...

@overload
def filter(L: tessera._types.LayoutLike, profile: tessera._types.IntTuple | str = ..., /) -> Layout | ComposedLayout:
    """
    filter(L[, profile]): coalesce without the modes of stride 0, which repeat offsets. As in ``tessera eval``:

        filter((2,3,4):(1,0,2))
    """

@overload
def filter_zeros(L: tessera._types.Plain, /) -> Layout: ...

@overload
def filter_zeros(L: tessera._types.LayoutLike, /) -> Layout | ComposedLayout:
    """
    filter_zeros(L): modes of stride 0 get the extent 1. As in ``tessera eval``:

        filter_zeros((2,3,4):(1,0,2))
    """

def simplify(C: tessera._types.LayoutLike, /) -> tessera._types.Slice:
    """
    simplify(C): a chain as a layout and an offset, if they exist. As in ``tessera eval``:

        simplify(Sw<2,0,2> o 3 o 4:4)
    """

def composition_check(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, /) -> str:
    """
    composition_check(A, B): composition, with the answers of other implementations and where they are wrong. As in ``tessera eval``:

        composition_check((5,8):(1,100), 4:3)
    """

def complement_open(L: tessera._types.LayoutLike, /) -> Layout:
    """
    complement_open(L): the holes of L, and where its next copy would start. As in ``tessera eval``:

        complement_open(4:2)
    """

@overload
def generalized_inverse(L: tessera._types.Plain, /) -> Layout: ...

@overload
def generalized_inverse(L: tessera._types.LayoutLike, /) -> Layout | ComposedLayout | Swizzle:
    """
    generalized_inverse(L): R with L(R(L(i))) = L(i): one of the coordinates that share an offset. As in ``tessera eval``:

        generalized_inverse((4,2):(2,0))
    """

@overload
def inverse(L: tessera._types.Plain, /) -> Layout: ...

@overload
def inverse(L: tessera._types.LayoutLike, /) -> Layout | ComposedLayout | Swizzle:
    """
    inverse(L): the inverse of a permutation of the coordinates, also of bases. As in ``tessera eval``:

        inverse((4,8):(8,1))
    """

def nullspace(L: tessera._types.LayoutLike, /) -> Layout:
    """
    nullspace(L): the coordinates that L maps to 0 because their strides are 0. As in ``tessera eval``:

        nullspace((2,4,6):(1,2,0))
    """

def max_common_layout(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, /) -> Layout:
    """
    max_common_layout(A, B): a vector that is contiguous in both A and B, the longest if both are injective. As in ``tessera eval``:

        max_common_layout((4,2):(1,4), (4,2):(1,8))
    """

def max_common_vector(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, /) -> int:
    """
    max_common_vector(A, B): the size of max_common_layout(A, B). As in ``tessera eval``:

        max_common_vector(Sw<3,3,3> o (8,64):(64,1), (8,64):(64,1))
    """

def max_alignment(L: tessera._types.LayoutLike, /) -> int:
    """
    max_alignment(L): the vector width n that the strides allow: the offsets are whole aligned runs of n. As in ``tessera eval``:

        max_alignment((4,8):(1,6))
    """

@overload
def tile_to_shape(L: tessera._types.Plain, S: tessera._types.LayoutLike, order: tessera._types.Tiler = ..., /) -> Layout: ...

@overload
def tile_to_shape(L: tessera._types.LayoutLike, S: tessera._types.LayoutLike, order: tessera._types.Tiler = ..., /) -> Layout | ComposedLayout:
    """
    tile_to_shape(L, S[, order]): copies of L that cover shape S, in an order: left, right or a tuple. As in ``tessera eval``:

        tile_to_shape((8,8):(8,1), (16,32), right)
    """

@overload
def upcast(L: tessera._types.Plain, n: int | str, /) -> Layout: ...

@overload
def upcast(L: tessera._types.LayoutLike, n: int | str, /) -> Layout | ComposedLayout | Swizzle:
    """
    upcast(L, n): n small elements become one; swizzles are cast with their layout. As in ``tessera eval``:

        upcast((4,4):(4,1), 4)
    """

@overload
def downcast(L: tessera._types.Plain, n: int | str, /) -> Layout: ...

@overload
def downcast(L: tessera._types.LayoutLike, n: int | str, /) -> Layout | ComposedLayout | Swizzle:
    """
    downcast(L, n): one element becomes n small ones. As in ``tessera eval``:

        downcast((32,2):(2,1), 16)
    """

@overload
def recast(L: tessera._types.Plain, old_bits: int | str, new_bits: int | str, /) -> Layout: ...

@overload
def recast(L: tessera._types.LayoutLike, old_bits: int | str, new_bits: int | str, /) -> Layout | ComposedLayout | Swizzle:
    """
    recast(L, old_bits, new_bits): the same memory in elements of another width. As in ``tessera eval``:

        recast((4,4):(4,1), 16, 32)
    """

def make_swizzle(read: int | str, write: int | str, shift: int | str = ..., /) -> Swizzle:
    """
    make_swizzle(read, write[, shift]): the swizzle that xors the bits of one mask into those of another; with three integers Sw<B,M,S>. As in ``tessera eval``:

        make_swizzle(8, 4)
    """

def swizzle_compose(A: Swizzle | str, B: Swizzle | str, /) -> Swizzle:
    """
    swizzle_compose(A, B): the composition of two swizzles as a single swizzle. As in ``tessera eval``:

        swizzle_compose(Sw<1,0,3>, Sw<1,1,3>)
    """

def swizzle_portion(C: tessera._types.LayoutLike, /) -> Swizzle:
    """
    swizzle_portion(C): the swizzle that a chain begins with, or the identity. As in ``tessera eval``:

        swizzle_portion(Sw<3,3,3> o (8,64):(64,1))
    """

def nonswizzle_portion(C: tessera._types.LayoutLike, /) -> Layout:
    """
    nonswizzle_portion(C): the last layout of a chain. As in ``tessera eval``:

        nonswizzle_portion(Sw<3,3,3> o (8,64):(64,1))
    """

def to_linear(L: tessera._types.LayoutLike, /) -> str:
    """
    to_linear(L): the offset of every single bit of each leaf's coordinate, if their XOR gives all offsets. As in ``tessera eval``:

        to_linear(Sw<3,0,3> o (8,8):(8,1))
    """

def from_linear(B: tessera._types.Tiler, /) -> Layout | ComposedLayout:
    """
    from_linear(B): the layout, or the swizzle of a layout, with these bases: [[1,2],[4,8,16]] for its leaves. As in ``tessera eval``:

        from_linear(((9,18,36),(1,2,4)))
    """

def pseudo_inverse(B: tessera._types.LayoutLike, /) -> str:
    """
    pseudo_inverse(B): R with B(R(B(c))) = B(c), linear over F2; of coordinates with one offset, it picks one. As in ``tessera eval``:

        pseudo_inverse([[1,3],[2]])
    """

def invert_and_compose(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, /) -> str:
    """
    invert_and_compose(A, B): R with B(R(c)) = A(c), linear over F2: the inverse of B after A. As in ``tessera eval``:

        invert_and_compose((4,8):(8,1), Sw<2,0,3> o (4,8):(1,4))
    """

def recognise(v: tessera._types.Tiler, *w: int | str) -> tessera._types.Slice:
    """
    recognise(v, w...): the layout with these offsets in 1-D order, if there is one. As in ``tessera eval``:

        recognise(0, 4, 1, 5, 2, 6, 3, 7)
    """

@overload
def slice(c: tessera._types.Coord | str, L: tessera._types.Plain, /) -> tessera._types.Slice: ...

@overload
def slice(c: tessera._types.Coord | str, L: tessera._types.LayoutLike, /) -> tessera._types.Slice | ComposedLayout:
    """
    slice(c, L): the modes paired with _ in c, and the offset of the fixed part: LAYOUT at OFFSET. As in ``tessera eval``:

        slice((2,_), (4,8):(8,1))
    """

@overload
def slice_and_offset(c: tessera._types.Coord | str, L: tessera._types.Plain, /) -> tessera._types.Slice: ...

@overload
def slice_and_offset(c: tessera._types.Coord | str, L: tessera._types.LayoutLike, /) -> tessera._types.Slice | ComposedLayout:
    """
    slice_and_offset(c, L): CuTe's other name for slice. As in ``tessera eval``:

        slice_and_offset((2,_), (4,8):(8,1))
    """

def dice(c: tessera._types.Coord | str, L: tessera._types.LayoutLike, /) -> Layout:
    """
    dice(c, L): the modes paired with integers in c. As in ``tessera eval``:

        dice((2,_), (4,8):(8,1))
    """

@overload
def local_tile(L: tessera._types.Plain, T: tessera._types.PlainTiler, c: tessera._types.Coord | str, projection: tessera._types.Coord | str = ..., /) -> tessera._types.Slice: ...

@overload
def local_tile(L: tessera._types.LayoutLike, T: tessera._types.Tiler, c: tessera._types.Coord | str, projection: tessera._types.Coord | str = ..., /) -> tessera._types.Slice | ComposedLayout:
    """
    local_tile(L, T, c[, projection]): the tile at c of the grid of tiles; missing coordinates are _; (_1,X,_1) drops mode 1 of T and c. As in ``tessera eval``:

        local_tile((8,16):(16,1), <2,4>, (1,2))
    """

@overload
def inner_partition(L: tessera._types.Plain, T: tessera._types.PlainTiler, c: tessera._types.Coord | str, projection: tessera._types.Coord | str = ..., /) -> tessera._types.Slice: ...

@overload
def inner_partition(L: tessera._types.LayoutLike, T: tessera._types.Tiler, c: tessera._types.Coord | str, projection: tessera._types.Coord | str = ..., /) -> tessera._types.Slice | ComposedLayout:
    """
    inner_partition(L, T, c[, projection]): CuTe's other name for local_tile. As in ``tessera eval``:

        inner_partition((8,16):(16,1), <2,4>, (1,2))
    """

@overload
def outer_partition(L: tessera._types.Plain, T: tessera._types.PlainTiler, c: tessera._types.Coord | str, projection: tessera._types.Coord | str = ..., /) -> tessera._types.Slice: ...

@overload
def outer_partition(L: tessera._types.LayoutLike, T: tessera._types.Tiler, c: tessera._types.Coord | str, projection: tessera._types.Coord | str = ..., /) -> tessera._types.Slice | ComposedLayout:
    """
    outer_partition(L, T, c[, projection]): the elements at c of every tile. As in ``tessera eval``:

        outer_partition((8,16):(16,1), <2,4>, (1,2))
    """

@overload
def local_partition(L: tessera._types.Plain, threads: tessera._types.Plain, i: int | str, projection: tessera._types.Coord | str = ..., /) -> tessera._types.Slice: ...

@overload
def local_partition(L: tessera._types.LayoutLike, threads: tessera._types.LayoutLike, i: int | str, projection: tessera._types.Coord | str = ..., /) -> tessera._types.Slice | ComposedLayout:
    """
    local_partition(L, threads, i[, projection]): the elements of thread i when tiles of the threads' shape cover L. As in ``tessera eval``:

        local_partition((8,16):(16,1), (4,8):(8,1), 9)
    """

def make_layout_tv(threads: tessera._types.LayoutLike, values: tessera._types.LayoutLike, /) -> tuple[tessera._types.IntTuple, Layout]:
    """
    make_layout_tv(threads, values): the layout from (thread, value) to the coordinates of a tile: LAYOUT over TILE. As in ``tessera eval``:

        make_layout_tv((4,8):(8,1), (2,2):(1,2))
    """

def tv_of_addresses(L: tessera._types.LayoutLike, tv: tessera._types.LayoutLike, /) -> Layout:
    """
    tv_of_addresses(L, tv): turns a thread-value layout of offsets of L into one of coordinates. As in ``tessera eval``:

        tv_of_addresses((4,8):(8,1), (8,4):(1,8))
    """

def equal(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, /) -> bool:
    """
    equal(A, B): the same size, and the same offset at every 1-D coordinate? As in ``tessera eval``:

        equal(8:1, (4,2):(1,4))
    """

def equal_on(A: tessera._types.LayoutLike, B: tessera._types.LayoutLike, profile: tessera._types.IntTuple | str, /) -> bool:
    """
    equal_on(A, B, profile): the same function of the coordinates of a coarser nesting? As in ``tessera eval``:

        equal_on((4,8):(1,4), ((2,2),8):((1,2),4), (0,0))
    """

def is_injective(L: tessera._types.LayoutLike, /) -> bool:
    """
    is_injective(L): do all coordinates have different offsets? As in ``tessera eval``:

        is_injective((4,8):(9,1))
    """

def is_bijective(L: tessera._types.LayoutLike, /) -> bool:
    """
    is_bijective(L): is L a permutation of its coordinates? As in ``tessera eval``:

        is_bijective((4,8):(8,1))
    """

def is_contiguous(L: tessera._types.LayoutLike, /) -> bool:
    """
    is_contiguous(L): does every offset up to the largest one occur? As in ``tessera eval``:

        is_contiguous((4,8):(8,1))
    """

def print_layout(L: tessera._types.LayoutLike, /) -> str:
    """
    print_layout(L): the table of a layout of rank 2, as CuTe prints it. As in ``tessera eval``:

        print_layout((2,(2,2)):(4,(2,1)))
    """

def explain(function: Callable[..., Any] | str, /, *arguments: tessera._types.Tiler) -> str:
    """
    The steps of a call, as ``tessera eval --explain`` prints them. The function is one of this module, or its
    name.

    >>> from tessera import cute
    >>> print(cute.explain('coalesce', '(2,4):(1,2)').splitlines()[0])
    coalesce((2,4):(1,2))
    """

def parse(text: str) -> Any:
    """
    The value of a text: a layout, a chain, a swizzle, a tuple, or an expression of the calculator.

    >>> from tessera import cute
    >>> cute.parse('logical_divide((16):(1), 4)')
    cute.Layout((4,4),(1,4))
    """

def offset_table(layout: tessera._types.LayoutLike) -> dict[int, list[int]]:
    """
    The 1-D coordinates at each offset.

    >>> from tessera import cute
    >>> cute.offset_table(cute.Layout((4, 2), (0, 1)))
    {0: [0, 1, 2, 3], 1: [4, 5, 6, 7]}
    """

def footprint(layout: tessera._types.LayoutLike) -> dict[str, float]:
    """
    The range of offsets, the number of distinct ones, and the gaps. Exact. Raises Undecided.

    >>> from tessera import cute
    >>> cute.footprint(cute.Layout((4, 2), (0, 1)))['reuse_factor']
    4.0
    """

def contiguity(layout: tessera._types.LayoutLike) -> int:
    """
    How many 1-D coordinates from 0 on have consecutive offsets.

    >>> from tessera import cute
    >>> cute.contiguity(cute.Layout((4, 8), (1, 8)))
    4
    """

def bank_conflicts(layout: tessera._types.LayoutLike, *, element_bytes: int, num_banks: int = 32, bank_width_bytes: int = 4, group_size: int = 32) -> dict[str, Any]:
    """
    Bank conflicts of the first group of threads, for a layout from thread to offset with one mode. All threads
    are served together; ``tessera.access`` follows the phases of real hardware.

    >>> from tessera import cute
    >>> cute.bank_conflicts(cute.Layout(32, 2), element_bytes=4)['max_ways']
    2
    """

def coalescing_efficiency(layout: tessera._types.LayoutLike, *, element_bytes: int, warp_size: int = 32, cache_line_bytes: int = 128) -> dict[str, Any]:
    """
    Cache lines of the first warp, and the share of their bytes that is used, for a layout from thread to
    offset with one mode. The lowest offset is at the start of a line.

    >>> from tessera import cute
    >>> cute.coalescing_efficiency(cute.Layout(32, 1), element_bytes=2)
    {'transactions': 1, 'efficiency': 0.5}
    """
