# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, overload

import numpy
import numpy.typing

from tessera._core import cute as cute, hlo as hlo


version: str = '0.1.0'

def build_info() -> dict[str, Any]:
    """
    How the extension was built: its version and compiler, and whether it has isl, threads, PNG pictures and
    which instruction sets its kernels can use here.
    """

class Picture:
    """
    A picture of a layout. Notebooks show it; ``save`` writes a file.

    >>> print(tessera.parse('(2,4):(4,1)').show().text(ascii=True).rstrip())
        0  1  2  3
      +------------+
    0 | 0  1  2  3 |
    1 | 4  5  6  7 |
      +------------+
    """

    @property
    def title(self) -> str: ...

    def svg(self, theme: str = 'auto') -> str:
        """
        A stand-alone SVG document. ``theme``: light, dark, or auto (the viewer's setting).
        """

    def html(self, theme: str = 'auto') -> str:
        """A self-contained interactive page with the facts of the layout."""

    def png(self, theme: str = 'light') -> bytes:
        """A PNG image. Raises Error (bad_option) in builds without cairo."""

    def tikz(self, theme: str = 'light') -> str:
        """A LaTeX document."""

    def text(self, ascii: bool = False, width: int = 100) -> str:
        """The picture for a terminal."""

    def to_json(self) -> str:
        """The picture as data."""

    def save(self, path: str, theme: str = 'auto') -> None:
        """
        Writes .svg, .png, .tex, .html, .json or .txt, and replaces an existing file. Raises FileError.
        """

    def _repr_svg_(self) -> str: ...

    def _repr_html_(self) -> str: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Layout:
    """
    A function from the indices of a box to offsets in elements, as written in one notation. Immutable.

    ``layout(i, j)`` and ``layout[i, j]`` are the offset of an index. ``==`` compares spellings;
    ``tessera.equal`` compares functions.

    >>> layout = tessera.Layout('f32[3,5]{1,0:T(2,2)}')
    >>> layout(2, 3), layout.shape, layout.buffer_size
    (17, (3, 5), 24)
    """

    @overload
    def __init__(self, text: str, notation: str | None = None) -> None:
        """As ``tessera.parse``."""

    @overload
    def __init__(self, shape: NoReturn, stride: NoReturn = ...) -> None: ...

    @property
    def notation(self) -> str:
        """
        ``xla``, ``cute``, ``morello``, ``strides``, ``linear``, ``onednn`` or ``map``.
        """

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the box of indices."""

    @property
    def size(self) -> int:
        """The number of indices."""

    @property
    def rank(self) -> int:
        """The number of dimensions."""

    @property
    def dtype(self) -> str | None:
        """
        The element type by its XLA name, such as ``bf16``, if the notation has one.
        """

    @property
    def buffer_size(self) -> int:
        """Elements of memory, with padding. Raises Error for negative offsets."""

    @property
    def element_bits(self) -> int | None:
        """Bits of one element in memory, if the type is known."""

    @overload
    def __call__(self, arg: int, /) -> int: ...

    @overload
    def __call__(self, arg0: int, arg1: int, /) -> int: ...

    @overload
    def __call__(self, arg0: int, arg1: int, arg2: int, /) -> int: ...

    @overload
    def __call__(self, *index: int | tuple[int, ...]) -> int: ...

    @overload
    def __call__(self, *index: numpy.typing.ArrayLike) -> Any:
        """
        The offset of an index inside the shape, in elements; for arrays of indices, which broadcast, an int64
        array. Raises ShapeError.

        >>> tessera.parse('(4,8):(8,1)')(2, 3)
        19
        >>> import numpy as np
        >>> tessera.parse('(4,8):(8,1)')(np.arange(4), 3).tolist()
        [3, 11, 19, 27]
        """

    def __getitem__(self, index: int | tuple[int, ...], /) -> int:
        """The same as a call."""

    def __len__(self) -> int: ...

    def index_of(self, offset: int) -> tuple[int, ...] | None:
        """
        The first index at an offset, or None for padding. Raises ShapeError outside the buffer.

        >>> layout = tessera.parse('f32[3,5]{1,0:T(2,2)}')
        >>> layout.index_of(17), layout.index_of(9)
        ((2, 3), None)
        """

    def indices_of(self, offset: int, limit: int = 64) -> list[tuple[int, ...]]:
        """
        All indices at an offset in row-major order, at most ``limit`` of them.

        >>> tessera.parse('(2,4):(0,1)').indices_of(3)
        [(0, 3), (1, 3)]
        """

    def offsets(self) -> numpy.typing.NDArray[numpy.int64]:
        """
        The offset of every index, as an int64 array of the layout's shape. O(size).

        >>> tessera.parse('(2,3):(1,2)').offsets().tolist()
        [[0, 2, 4], [1, 3, 5]]
        """

    def to(self, notation: str) -> Layout:
        """
        The same function in another notation. Raises NotRepresentable with a witness.

        >>> tessera.parse('f32[3,5]{1,0:T(2,2)}').to('cute')
        tessera.parse('((2,2),(2,3)):((2,12),(1,4)) crop (3,5)')
        """

    def to_xla(self) -> Layout:
        """``to('xla')``"""

    def to_cute(self) -> Layout:
        """``to('cute')``"""

    def to_morello(self) -> Layout:
        """``to('morello')``"""

    def to_linear(self) -> Layout:
        """``to('linear')``"""

    def to_strides(self) -> Layout:
        """``to('strides')``"""

    def to_onednn(self) -> Layout:
        """``to('onednn')``"""

    def to_axe(self) -> Layout:
        """``to('axe')``"""

    def to_named(self) -> Layout:
        """``to('named')``, which needs the width of the elements"""

    def to_map(self) -> Layout:
        """``to('map')``. The property ``map`` is the IndexMap itself."""

    def convert(self, notation: str) -> Conversion:
        """
        As ``to``, with the properties that the target cannot express.

        >>> conversion = tessera.parse('bf16[4,8]{1,0:T(2,4)}').convert('cute')
        >>> print(conversion)
        ((2,2),(4,2)):((4,16),(1,8))
        note: dropped type bf16
        >>> conversion.dropped
        ('type bf16',)
        """

    def spellings(self, notation: str) -> list[Layout]:
        """Every known spelling in a notation; the first one is that of ``to``."""

    @property
    def map(self) -> IndexMap:
        """The index map ``(d0, d1) -> (offset)`` over the shape, simplified."""

    def transpose(self, *axes: int | tuple[int, ...]) -> Layout:
        """
        The same memory through permuted indices, as ``numpy.transpose``. Without axes, reverses them.

        >>> tessera.parse('f32[3,5]{1,0:T(2,2)}').transpose(1, 0)
        tessera.parse('f32[5,3]{0,1:T(2,2)}')
        """

    @property
    def order(self) -> str:
        """How the notation orders dimensions."""

    def collision(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """
        The two smallest indices that share an offset, or None if no two do. Exact. Raises Undecided.

        >>> tessera.parse('(2,4):(1,1)').collision()
        ((0, 1), (1, 0))
        """

    def offset_range(self) -> tuple[int, int]:
        """The smallest and the largest offset. Exact. Raises Undecided."""

    def access_map(self, map: IndexMap) -> IndexMap:
        """
        A map to indices of this layout, followed by the layout: the result is an offset. Simplified. Exact.

        >>> transpose = tessera.IndexMap('(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]')
        >>> print(tessera.parse('f32[4,8]').access_map(transpose))
        (d0, d1) -> (d1 * 8 + d0), domain: d0 in [0, 7], d1 in [0, 3]
        """

    def is_bitcast(self, map: IndexMap, output: Layout | str) -> bool:
        """
        Whether an operation with this operand and this output moves no data: ``map`` goes from an index of
        the output to the operand's. Exact. Raises Undecided.
        """

    def describe(self) -> str:
        """
        The facts that ``tessera show`` prints: size, padding, runs, injectivity.
        """

    def to_json(self) -> str:
        """The answer of ``tessera show --facts --json``, on one line."""

    def show(self, view: str = 'index', color_by: str = 'auto', cells: str = 'auto', *, window: str | None = None, columns: int = 0, bytes: int = 0, compare: Any = None, tv: bool = False, tile: str | tuple[int, ...] | None = None, divide: Any = None, compose: Any = None, product: Any = None) -> Picture:
        """
        The picture that ``tessera show`` draws, with its options.

        ``view``: index, memory. ``color_by``: auto, offset, index, tile, bank, thread, padding, none.
        ``cells``: auto, offset, coordinate, natural, index, bank, both, none. ``window``: ``0:8,120:136``.
        ``bytes``: of an element, for banks. ``compare``: a second layout. ``tv``: the layout maps (thread,
        value) to a ``tile``. ``divide``, ``compose``, ``product``: the right operand. Raises Error (limit) for
        a layout of more than 65536 cells.

        >>> tessera.parse('f32[3,5]{1,0:T(2,2)}').show(view='memory')
        <Picture of f32[3,5]{1,0:T(2,2)}>
        """

    def _repr_svg_(self) -> str | None: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> Layout: ...

    def __deepcopy__(self, memo: Any) -> Layout: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

def parse(text: str, notation: str | None = None) -> Layout:
    """
    Reads a layout of any notation; ``notation`` is needed if a text is valid in several. Raises ParseError.

    >>> tessera.parse('f32[3,5]{1,0:T(2,2)}').to_cute()
    tessera.parse('((2,2),(2,3)):((2,12),(1,4)) crop (3,5)')
    >>> tessera.parse('(6,8):(1,6)', notation='strides')
    tessera.parse('np:(6,8):(1,6)')
    """

class Conversion:
    """A converted layout, and what the target notation leaves out."""

    @property
    def layout(self) -> Layout:
        """The same function on the same box."""

    @property
    def buffer_size(self) -> int | None:
        """Elements of the source's buffer, if the target implies a smaller one."""

    @property
    def dropped(self) -> tuple[str, ...]:
        """Properties that the target cannot express: ``type bf16``."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for the user."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Atom:
    """A layout that hardware or a library uses. See docs/lookup/atoms.md."""

    def __init__(self, id: str) -> None:
        """As ``tessera.atom``."""

    @property
    def id(self) -> str:
        """vendor.generation.instruction.element.operand"""

    @property
    def vendor(self) -> str: ...

    @property
    def family(self) -> str: ...

    @property
    def kind(self) -> str:
        """``fragment``, ``shared``, ``memory`` or ``lanes``."""

    @property
    def element(self) -> str:
        """The element type of the source."""

    @property
    def element_bits(self) -> int | None: ...

    @property
    def layout(self) -> Layout:
        """The layout, from (thread, value) or a position."""

    @property
    def meaning(self) -> str: ...

    @property
    def notes(self) -> str: ...

    @property
    def source(self) -> str:
        """Where the layout was taken from."""

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

def atoms() -> list[Atom]:
    """
    Every layout of the catalog of real hardware.

    >>> len(tessera.atoms()) > 100
    True
    """

def atom(id: str) -> Atom:
    """
    The atom with this ID. Raises UnknownName, a KeyError.

    >>> tessera.atom('nv.sm80.m16n8k16.f16.A').layout
    tessera.parse('((4,8),(2,2,2)):((32,1),(16,8,128))')
    """

class NamedLayout:
    """
    An array in an order that has a name: block scales, packed elements, blocks of GGUF. Immutable.

    >>> layout = tessera.NamedLayout('pack:awq u4[8,16]')
    >>> layout.container
    ('s32', (8, 2))
    >>> tessera.NamedLayout('gguf:q6_k[256]').runs(77)
    [(0, 4, 108), (4, 2, 1132)]
    """

    def __init__(self, text: str) -> None:
        """Reads ``scale:128x4 u8[300,7]``. Raises ParseError."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""

    @property
    def kind(self) -> str:
        """``cells``, or ``bits`` if the bits of an element are not one cell."""

    @property
    def type(self) -> str:
        """The type of the elements."""

    @property
    def element_bits(self) -> int:
        """Bits of an element."""

    @property
    def buffer_bytes(self) -> int:
        """Bytes of the buffer, with padding."""

    @property
    def name(self) -> str:
        """The name without type and extents: ``scale:128x4``."""

    @property
    def container(self) -> tuple[str, tuple[int, ...]]:
        """
        Type and shape of the row-major array by which a file holds the buffer.
        """

    @property
    def layout(self) -> Layout:
        """The Layout of a name of kind cells. Raises NotRepresentable for bits."""

    @property
    def bit_layout(self) -> Layout:
        """The Layout of bits; the bit of the value is the last dimension."""

    def offsets(self) -> numpy.typing.NDArray[numpy.int64]:
        """The cell of every index. Raises NotRepresentable for bits."""

    def bit_offsets(self) -> numpy.typing.NDArray[numpy.int64]:
        """
        The bit offset of every index and bit of the value, which is the last axis.
        """

    def runs(self, *index: int | tuple[int, ...]) -> list[tuple[int, int, int]]:
        """
        Where the bits of an element are: (first bit of the value, number of bits, bit offset).
        """

    def unpack(self, buffer: Any) -> numpy.typing.NDArray[Any]:
        """
        The codes of all elements, from any contiguous array of the buffer's bytes. Raises ShapeError.

        >>> layout = tessera.NamedLayout('pack:high u4[4]')
        >>> layout.unpack(bytearray([0x12, 0x34])).tolist()
        [1, 2, 3, 4]
        """

    def pack(self, codes: Any) -> numpy.typing.NDArray[Any]:
        """
        The container with these codes; padding is 0. Raises ShapeError, and Error for a code that does not fit.

        >>> tessera.NamedLayout('pack:high u4[4]').pack([1, 2, 3, 4]).tolist()
        [18, 52]
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __hash__(self) -> int: ...

def layout(text: Any) -> Layout | NamedLayout | TritonLayout:
    """
    A NamedLayout for texts that begin with ``scale:``, ``pack:`` or ``gguf:``; a TritonLayout for an attribute of Triton without a
    shape, and for objects of Gluon; otherwise as ``parse``.

    >>> tessera.layout('#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>').bases((256,))['register']
    [(1,)]
    >>> tessera.layout('scale:128x4 u8[300,7]').container
    ('u8', (384, 8))
    """

def names_of(layout: Layout | NamedLayout | str, bits: int | None = None) -> list[NamedLayout]:
    """
    The names of a layout with elements of this many bits, or of its type: those proved to be the same function.

    >>> [name.name for name in tessera.names_of(tessera.parse('(5,7):(1,8)'), 32)]
    ['scale:mn(rows=4)']
    """

class Placement:
    """
    Who holds an element: for each index the places on named axes, as an Axe layout. Immutable.

    >>> p = tessera.Placement('axe:S[(8,4):(4@laneid,1@laneid)] + R[2:1@warpid]')
    >>> p.places((7, 3))
    [{'warpid': 0, 'laneid': 31}, {'warpid': 1, 'laneid': 31}]
    """

    def __init__(self, text: str) -> None:
        """Reads ``axe:8x16:S[...]``, or what TIRx prints. Raises ParseError."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the index."""

    @property
    def axes(self) -> dict[str, str]:
        """The axes in their order: ``memory`` or ``place``."""

    def places(self, index: Sequence[int]) -> list[dict[str, int]]:
        """All places of an index, one for each replica, by axis."""

    def canonical(self) -> Placement:
        """Joined iterators, sorted replicas; the same places."""

    def fuse(self) -> Placement:
        """All thread axes as one: lanes and warps become ``tx``."""

    def slice(self, ranges: Sequence[tuple[int, int]]) -> Placement:
        """
        The part of each dimension from begin up to end. Raises NotRepresentable.
        """

    def tile(self, inner: Placement) -> Placement:
        """A copy of ``inner`` for each index of this one, as TIRx tiles."""

    def direct_sum(self, right: Placement) -> Placement:
        """Over the dimensions of both in turn: the sum of both places."""

    def equal(self, other: Placement) -> bool:
        """
        Whether every index has the same places in both, after ``fuse``. Raises Undecided.
        """

    def to(self, notation: str, axis: str | None = None) -> str:
        """
        The text in another notation: ``tv`` (threads and values), ``mesh``, ``axe``, or one of a layout, of the given
        axis or the only one. Raises NotRepresentable.
        """

class TritonLayout:
    """
    A layout of Triton or Gluon: an attribute, a type, Gluon's Python, or an object of Gluon. Immutable.

    >>> layout = tessera.TritonLayout('BlockedLayout([1,2],[4,8],[2,1],[1,0])')
    >>> layout.holders((3, 5), shape=(16, 16))
    [(1, 26, 0, 0)]
    """

    def __init__(self, layout: Any) -> None:
        """
        Reads a text, the repr of Gluon's object, or an object with reg_bases, lane_bases, warp_bases, block_bases and shape. Raises ParseError.
        """

    @property
    def kind(self) -> str:
        """The name of the attribute: ``blocked``."""

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of the text, if it has one."""

    @property
    def layout(self) -> Layout:
        """
        The Layout: from (thread, register) to the element, or from the element to the offset. Needs a shape.
        """

    def bases(self, shape: Sequence[int] | None = None) -> dict[str, list[tuple[int, ...]]]:
        """
        The tensor coordinates of each bit of each input: register, lane, warp, block, or offset, block.
        """

    def holders(self, index: Sequence[int], shape: Sequence[int] | None = None) -> list[tuple[int, int, int, int]]:
        """
        Who holds an element: all (register, lane, warp, block). Raises Error for more than 2^20 places.
        """

    def element(self, register: int, lane: int = 0, warp: int = 0, block: int = 0, shape: Sequence[int] | None = None) -> tuple[int, ...]:
        """The index of the element in a register."""

    def to(self, notation: str, shape: Sequence[int] | None = None) -> Layout | Placement | str:
        """
        The same function in another notation. ``ttg`` is the attribute of today's Triton and ``gluon`` the class of Gluon, as texts; other notations need a shape. ``axe`` is a Placement, unless the elements are in the memory of one block.

        >>> str(tessera.layout('BlockedLayout([1,2],[4,8],[2,1],[1,0])').to('cute', (16, 16)))
        '((8,8),(2,2)):((32,1),(16,8))'
        """

    @property
    def gluon(self) -> str:
        """The text of Gluon. Raises NotRepresentable if there is no class."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

def _register_plan_json(from_layout: TritonLayout, to_layout: TritonLayout, type: str, target: str) -> str: ...

def _ttgir_json(text: str, name: str) -> str: ...

class Image:
    """The set of values of a map."""

    @property
    def exact(self) -> bool:
        """Whether the set is exact; otherwise it contains the values."""

    @property
    def reason(self) -> str:
        """Why the set is only a superset."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class IndexMap:
    """
    An exact symbolic function between index spaces, in XLA's notation. Immutable.

    ``m(2, 3)`` is the tuple of results at a point, with one value for each variable; arrays broadcast.
    ``==`` compares spellings; ``equal`` compares functions.

    >>> m = tessera.IndexMap('(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]')
    >>> m(2, 3)
    (19,)
    >>> print(m.inverse())
    (d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 31]
    """

    def __init__(self, text: str) -> None:
        """Reads a map. Raises ParseError."""

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of the dimensions."""

    @property
    def ranges(self) -> tuple[str, ...]:
        """Names of the range variables, which take every value for each index."""

    @property
    def runtime(self) -> tuple[str, ...]:
        """Names of the variables that only the running program knows."""

    @property
    def bounds(self) -> dict[str, tuple[int | None, int | None]]:
        """The closed interval of each variable; None is unbounded."""

    @property
    def results(self) -> tuple[str, ...]:
        """The results as text."""

    @property
    def constraints(self) -> tuple[tuple[str, int | None, int | None], ...]:
        """Expressions and the closed intervals in which they lie."""

    @property
    def known_empty(self) -> bool:
        """Whether the domain is known to have no point."""

    def simplify(self) -> IndexMap:
        """
        The same function on the same domain, in the shortest text found. Exact.

        >>> print(tessera.IndexMap('(d0) -> ((d0 * 8) / 4), domain: d0 in [0, 9]').simplify())
        (d0) -> (d0 * 2), domain: d0 in [0, 9]
        """

    def compose(self, other: IndexMap) -> IndexMap:
        """
        ``other`` after this map, x -> other(self(x)), simplified, as ``tessera map compose``.

        >>> f = tessera.IndexMap('(d0) -> (d0 + 1), domain: d0 in [0, 3]')
        >>> print(f.compose(tessera.IndexMap('(d0) -> (d0 * 2), domain: d0 in [0, 9]')))
        (d0) -> (d0 * 2 + 2), domain: d0 in [0, 3]
        """

    def inverse(self) -> IndexMap:
        """
        The map from results to dimensions. Exact. Raises NotRepresentable (not_invertible), Undecided.
        """

    def relational_inverse(self) -> IndexMap:
        """
        All dimension points with a given value: undetermined variables become range variables. Exact. Raises
        Undecided.
        """

    def restrict(self, expr: str, lower: int, upper: int) -> IndexMap:
        """
        The map where an expression over its variables lies in [lower, upper].

        >>> print(tessera.IndexMap('(d0) -> (d0), domain: d0 in [0, 9]').restrict('d0 mod 2', 0, 0))
        (d0) -> (d0), domain: d0 in [0, 9], d0 mod 2 in [0, 0]
        """

    def is_empty(self) -> bool:
        """Whether the domain has no point. Exact. Raises Undecided."""

    def within(self, other: IndexMap) -> bool:
        """
        Whether, at each index, every value of this map over its range variables is a value of the other.
        Exact. Raises Undecided.
        """

    def count_points(self) -> int:
        """
        The number of points of the domain. Raises Undecided unless it is exact.
        """

    def image(self) -> Image:
        """
        The set of result tuples.

        >>> tessera.IndexMap('(d0) -> (d0 * 4), domain: d0 in [0, 3]').image()
        <Image: r0 in [0, 12], r0 mod 4 in [0, 0]>
        """

    def count(self) -> int:
        """
        The number of distinct result tuples. Raises Undecided unless it is exact.
        """

    def count_bounds(self) -> tuple[int, int | None]:
        """Bounds on ``count``; the upper one may be None."""

    def equal(self, other: IndexMap) -> Verdict:
        """Whether both are the same function on the same domain. Exact."""

    def fix_variables(self, *values: int | tuple[int, ...]) -> IndexMap:
        """
        The map with these values for its dimensions, or for all variables: a map over the range and
        runtime variables that are left.
        """

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        """
        The results at a point, or at the points of integer arrays that broadcast. Raises Error
        (undefined_value) outside the domain.
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __copy__(self) -> IndexMap: ...

    def __deepcopy__(self, memo: Any) -> IndexMap: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

class Verdict:
    """
    Yes, no, or undecided. ``bool()`` of an undecided verdict raises Undecided.

    >>> verdict = tessera.equal('(4,8):(8,1)', '(4,8):(1,4)')
    >>> bool(verdict), verdict.counterexample
    (False, ((0, 1), 1, 4))
    """

    def __bool__(self) -> bool: ...

    @property
    def undecided(self) -> bool:
        """Whether a limit was reached; ``reason`` names it."""

    @property
    def counterexample(self) -> tuple[Any, ...] | None:
        """
        For no: the smallest index that differs and both values there, unless shapes differ.
        """

    @property
    def proof(self) -> str | None:
        """
        For yes: what is equal. ``text``, ``structure``, ``digits``, ``bases`` over F2, ``normal form``, or
        ``judge`` for enumeration or isl.
        """

    @property
    def reason(self) -> str:
        """Another difference, such as the shapes; or the limit that was reached."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def equal(a: Layout | NamedLayout | IndexMap | str, b: Layout | NamedLayout | IndexMap | str, notion: str = 'map') -> Verdict:
    """
    Whether two layouts are the same function on the same box, or two maps on the same domain. Exact.
    Layouts with names of kind bits are compared bit by bit.

    ``notion``: ``map``; ``storage`` also compares buffer sizes and element widths; ``structure`` and
    ``text`` compare spellings.

    >>> bool(tessera.equal('f32[4,6]{1,0:T(2,3)}', '((2,2),(3,2)):((3,12),(1,6))'))
    True
    """

class RelayoutPlan:
    """
    How to move the elements of one array between two layouts. Immutable; any thread may run it.

    >>> plan = tessera.plan('f32[64,64]{1,0}', 'f32[64,64]{0,1}')
    >>> plan.payload_bytes
    16384
    """

    def __init__(self, text: str) -> None:
        """
        Reads the text of ``describe``. The plan is not proved: see ``verify``.
        """

    @property
    def element_bytes(self) -> int: ...

    @property
    def payload_bytes(self) -> int:
        """Elements times bytes per element."""

    @property
    def chunks(self) -> int:
        """Independent parts for threads."""

    def describe(self) -> str:
        """The loop nests and kernels, as ``tessera plan`` prints them."""

    def run(self, src: Any, dst: Any, threads: int | None = None) -> None:
        """
        Moves the elements of ``src`` to ``dst``: arrays of any exporter, whose first element is offset 0.
        The GIL is released. Raises ShapeError (buffer_too_small), Error (overlap, not_applicable).

        >>> import numpy as np
        >>> src, dst = np.arange(6.0), np.empty(6)
        >>> tessera.plan('f64[2,3]{1,0}', 'f64[2,3]{0,1}').run(src, dst)
        >>> dst.tolist()
        [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
        """

    def verify(self, src: Layout | str, dst: Layout | str) -> None:
        """
        Proves that the plan is the copy between two layouts. Raises Error (verify_failed), Undecided.
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

def plan(src: Layout | str, dst: Layout | str, dtype: Any = None, fill: float | str | None = None, threads: int = 0) -> RelayoutPlan:
    """
    The plan for a copy, for arrays of one type. ``dtype`` is a name such as ``f32`` or a numpy.dtype, if the
    layouts have none. Padding of the destination becomes ``fill``, or 0. ``threads``: 0 is all cores.
    Raises ShapeError (different_shape), Error (broadcast, different_type).
    """

def relayout(array: Any, dst: Layout | str | None = None, src: Layout | str | None = None, out: Any = None, fill: float | str | None = None, threads: int | None = None) -> Any:
    """
    Moves the elements of an array to another layout, in one pass.

    ``array``: any exporter of memory. Its layout is that of its strides, or ``src`` if it is a buffer.
    ``out``: the memory to write, whose padding stays as it is; with ``dst`` a contiguous buffer, without it
    any array of the same shape. ``fill``: the value of padding; 0 in new memory. ``threads``: by default
    one, or all cores from 1 MiB on.

    Returns ``out``, or a new NumPy array: of the layout's shape if it has one stride per dimension and no
    padding, else flat. Raises ShapeError (different_shape, buffer_too_small), Error (broadcast,
    different_type, unsupported_width, overlap).

    >>> import numpy as np
    >>> a = np.arange(15, dtype=np.float32).reshape(3, 5)
    >>> flat = tessera.relayout(a, 'f32[3,5]{1,0:T(2,2)}')
    >>> flat.shape, float(flat[17]), float(a[2, 3])
    ((24,), 13.0, 13.0)
    >>> bool((tessera.relayout(flat, 'f32[3,5]', src='f32[3,5]{1,0:T(2,2)}') == a).all())
    True
    """

def _tiling(layout: Layout | str) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...], int]: ...

def _dtype_name(dtype: Any) -> str: ...

def layout_of(array: Any, base: Any = None) -> Layout:
    """
    The strides of an array as a layout, in elements: negative and broadcast strides too. With ``base``, an
    array that owns the memory, offsets count from the first element of ``base``.

    >>> import numpy as np
    >>> a = np.zeros((4, 6))
    >>> tessera.layout_of(a[::2, ::-1], base=a)
    tessera.parse('np:(2,6):(12,-1) + 5')
    """

class SourceCode:
    """
    Generated source code, and its test if one was requested. ``str`` is the code. Immutable.

    >>> names = {}
    >>> exec(tessera.code('f32[3,5]{1,0:T(2,2)}', 'python').text, names)
    >>> names['offset'](2, 3)
    17
    """

    def __init__(self, text: str, language: str, test: str = '') -> None: ...

    @property
    def text(self) -> str:
        """The code."""

    @property
    def test(self) -> str:
        """
        A program that compares the code with numbers that the library computed; empty unless requested. It
        follows ``text`` in the same file, or ``import_line`` in another.
        """

    @property
    def language(self) -> str:
        """``c cpp cuda hip python numpy triton jax mlir``."""

    @property
    def extension(self) -> str:
        """
        The usual ending of a file in this language.

        >>> tessera.code('(4,8):(8,1)', 'mlir').extension
        '.mlir'
        """

    def import_line(self, file: str) -> str:
        """
        What a separate test file needs before ``test`` to import the code from ``file``.
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

def code(source: Layout | IndexMap | RelayoutPlan | cute.Layout | cute.ComposedLayout | hlo.OperandMap | str, lang: str = 'c', *, inverse: bool = False, loop: bool = False, name: str = '', multiply_high: bool = False, test: bool = False) -> SourceCode:
    """
    A layout, an index map or a plan as source code, as ``tessera code`` writes it: the function from an index
    to its offset in elements, from the variables of a map to its results, or the copy of a plan.

    ``lang``: c, cpp, cuda, hip, python, numpy, triton, jax or mlir. ``inverse``: from an offset to the index
    there. ``loop``: loops over all points. ``name``: of the function. ``multiply_high``: divide by constants
    other than powers of two by multiplying and shifting. ``test``: also write a test.

    Every intermediate value fits in the integer type that the code uses. Raises Error (bad_option,
    unknown_name, overflow, unbounded, not_invertible, not_applicable), Undecided.

    >>> print(tessera.code('f32[3,5]{1,0:T(2,2)}', 'python'), end='')
    # Offset of element (d0, d1) of f32[3,5]{1,0:T(2,2)}, in elements: in [0, 20].
    # d0 in [0, 2]; d1 in [0, 4]; every intermediate value fits in 32 bits.
    def offset(d0, d1):
        return ((d1 >> 1) + d0) * 2 + (d0 >> 1) * 8 + d1
    """

def copy_code(src: Layout | str, dst: Layout | str, lang: str = 'c', *, dtype: Any = None, plan: bool = False, name: str = '', multiply_high: bool = False, test: bool = False) -> SourceCode:
    """
    A function that copies every element between two layouts, as ``tessera code --from --to`` writes it. The
    options are those of ``code``; ``dtype`` is needed if the layouts have no element type. ``plan``: write the loops
    of the plan, in its unit, which may be wider than an element. CUDA, HIP and Triton
    copy one element per thread. Raises Error (missing_layout, different_type, unsupported_width, broadcast),
    ShapeError (different_shape).

    >>> names = {}
    >>> exec(tessera.copy_code('(2,3):(3,1)', '(2,3):(1,2)', 'python', dtype='f32').text, names)
    >>> dst = [0] * 6
    >>> names['copy'](dst, [0, 1, 2, 3, 4, 5])
    >>> dst
    [0, 3, 1, 4, 2, 5]
    """

class _VerbAnswer:
    """What a verb found."""

    @property
    def status(self) -> int: ...

    def to_text(self) -> str: ...

    def to_json(self) -> str: ...

def _ask_verb(verb: str, fields: Mapping[str, list[str]], progress: Any = None) -> _VerbAnswer: ...

def _verb_names() -> str: ...

def _verb_schema(verb: str, answer: bool = False) -> str:
    """The JSON Schema of a verb's request, or of its answer."""

def _run_program(arguments: list[str]) -> int: ...
