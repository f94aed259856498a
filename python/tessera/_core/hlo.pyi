# SPDX-License-Identifier: Apache-2.0
"""HLO programs. Import it as tessera.hlo."""

from collections.abc import Iterator, Mapping, Sequence
import os
from typing import Any, Literal

import tessera._core
import tessera._errors
import tessera._types


class SameBytes:
    """Whether two results of a program hold the same bytes."""

    @property
    def answer(self) -> Literal['yes', 'no', 'undecided']: ...

    @property
    def source(self) -> Instruction | None:
        """The instruction whose elements both hold; None if none was found."""

    @property
    def bytes(self) -> int:
        """Of each, with padding."""

    @property
    def byte(self) -> int | None:
        """For ``no``: a byte that differs; None if the sizes do."""

    @property
    def element_a(self) -> list[int] | None:
        """The element of the source that the first holds at this byte."""

    @property
    def element_b(self) -> list[int] | None:
        """The element of the source that the second holds at this byte."""

    @property
    def reason(self) -> str:
        """Which sizes differ, or why it is undecided."""

    @property
    def places(self) -> tessera._core.IndexMap | None:
        """
        Unless ``yes``: from an index of the second to the index of the first that holds the same element of the
        source, for the elements that both hold. None if there is no such map.
        """

    @property
    def places_reason(self) -> str:
        """Why ``places`` is None."""

    def to_json(self) -> str:
        """The line of ``tessera hlo --same --json``."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BitcastAnswer:
    """
    Whether an instruction leaves every byte in place, so that a bitcast could replace it.
    """

    @property
    def answer(self) -> Literal['yes', 'no', 'undecided']: ...

    @property
    def reason(self) -> str:
        """Why it is undecided, or which sizes or memory spaces differ."""

    @property
    def bytes(self) -> int:
        """Of the result's elements, without padding."""

    @property
    def moved_bytes(self) -> int | None:
        """Of the elements that move; None if they were not counted."""

    @property
    def element(self) -> list[int] | None:
        """The first index of the result whose element moves."""

    @property
    def free_result(self) -> str | None:
        """
        Unless ``yes``: a type of the result under which nothing moves, proved; None if none was found.
        """

    @property
    def free_operand(self) -> str | None:
        """As ``free_result``, for the operand."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class CostTable:
    """
    What a program costs: rows, and their totals. Counts are ``{'lower': n, 'upper': n}``, equal if exact;
    ``upper`` is None without a bound. ``str()`` is the table that ``tessera hlo`` prints.
    """

    @property
    def rows(self) -> list[dict[str, Any]]:
        """
        The rows, with the keys of ``tessera hlo --json``: ``pandas.json_normalize(table.rows)`` and
        ``pyarrow.Table.from_pylist(table.rows)`` make tables of them.
        """

    @property
    def totals(self) -> dict[str, Any]:
        """The sums over the whole program."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[dict[str, Any]]: ...

    def to_json(self) -> str:
        """The lines that ``tessera hlo --json`` prints."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class OperandMap:
    """One map of an instruction, and how exact it is."""

    @property
    def output(self) -> int:
        """The array of the result, nested tuples flattened."""

    @property
    def operand(self) -> int:
        """The number of the operand."""

    @property
    def element(self) -> int | None:
        """The array of a tuple operand."""

    @property
    def map(self) -> tessera._core.IndexMap | None:
        """
        From an index of the output to the elements that it reads; None if unknown.
        """

    @property
    def exactness(self) -> str:
        """``exact``, ``superset`` or ``unknown``."""

    @property
    def reason(self) -> str:
        """Why the map is not exact; empty if it is."""

    @property
    def runtime(self) -> tuple[str, ...]:
        """Where the value of each runtime variable is read."""

    def to_json(self) -> str:
        """The map as ``tessera hlo --json`` prints it."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class InstructionMaps:
    """All maps of an instruction."""

    @property
    def instruction(self) -> Instruction: ...

    @property
    def exactness(self) -> str:
        """The weakest of the maps."""

    @property
    def maps(self) -> list[OperandMap]:
        """By output, then by operand."""

    def to_json(self) -> str:
        """The line of ``tessera hlo --json``."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Instruction:
    """One line of a computation."""

    @property
    def name(self) -> str:
        """Without ``%``."""

    @property
    def opcode(self) -> str:
        """As written."""

    @property
    def type(self) -> str:
        """The type of the result."""

    @property
    def layout(self) -> tessera._core.Layout:
        """The layout of an array. Raises Error for tuples and tokens."""

    @property
    def computation(self) -> str: ...

    @property
    def operands(self) -> tuple[Instruction, ...]: ...

    @property
    def attributes(self) -> dict[str, str]:
        """Values as written."""

    @property
    def is_root(self) -> bool: ...

    def operand_maps(self) -> list[OperandMap]:
        """
        From an index of each output to the elements of each operand that it reads.

        >>> from tessera import hlo
        >>> module = hlo.load('''HloModule m
        ... ENTRY e {
        ...   a = f32[4,8] parameter(0)
        ...   ROOT t = f32[8,4] transpose(a), dimensions={1,0}
        ... }''')
        >>> print(module['t'].operand_maps()[0])
        (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]
        """

    def indexing(self, direction: str = 'out') -> InstructionMaps:
        """
        All maps; ``direction`` ``in``: from an index of an operand to the outputs that read it.
        """

    def bitcast(self) -> BitcastAnswer | None:
        """
        Whether a copy, transpose, reshape or bitcast moves nothing, and the layouts under which it would.
        None for other instructions.

        >>> from tessera import hlo
        >>> module = hlo.load('''HloModule m
        ... ENTRY e {
        ...   a = f32[4,8]{1,0} parameter(0)
        ...   ROOT t = f32[8,4]{1,0} transpose(a), dimensions={1,0}
        ... }''')
        >>> module['t'].bitcast().free_result
        'f32[8,4]{0,1}'
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

class ParameterReads:
    """What an instruction reads of the parameters of a program."""

    @property
    def instruction(self) -> Instruction: ...

    @property
    def exactness(self) -> str:
        """The weakest of the maps."""

    @property
    def maps(self) -> list[OperandMap]:
        """By output, then by parameter, whose number is ``operand``."""

    @property
    def runtime(self) -> dict[str, str]:
        """
        Where the value of each runtime variable is read, and how the program clamps it.
        """

    @property
    def boxes(self) -> dict[tuple[int, int], list[tuple[tuple[int, int], ...]] | None]:
        """
        For ``at``: by number and array of a parameter, the elements that it reads, or may read if a runtime value
        chooses. A box has the first index and the one after the last for each dimension. None if there are too many
        to list, or if nothing is known.
        """

    def to_json(self) -> str:
        """The line of ``tessera hlo --parameters --json``."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Analysis:
    """An iterator over the maps of a module's instructions."""

    def __iter__(self) -> Analysis: ...

    def __next__(self) -> InstructionMaps: ...

class HloModule:
    """An HLO program. ``module['name']`` is an instruction."""

    @property
    def name(self) -> str: ...

    @property
    def file(self) -> str:
        """The path, or ``<text>``."""

    @property
    def root(self) -> Instruction:
        """The root of the entry computation."""

    @property
    def computations(self) -> list[str]:
        """Names of the computations."""

    @property
    def instructions(self) -> list[Instruction]:
        """All instructions, in the order of the text."""

    @property
    def diagnostics(self) -> list[tessera._errors.Error]:
        """Warnings, and with ``strict=False`` errors, of the text."""

    def __getitem__(self, name: str) -> Instruction:
        """
        An instruction of the entry, else of any computation; or COMPUTATION/NAME. Raises
        UnknownName, a KeyError.
        """

    def __contains__(self, which: object) -> bool:
        """
        Whether the module has this instruction, or an instruction of this name.
        """

    def __iter__(self) -> Iterator[Instruction]:
        """All instructions."""

    def __len__(self) -> int: ...

    def analyze(self, threads: int = 0, direction: str = 'out', op: str = '', computation: str = '', fused: bool = False) -> Analysis:
        """
        The maps of every instruction, in the order of the module, one by one: memory does not grow. The options
        are those of ``tessera hlo``; ``threads``: 0 is all cores.
        """

    def parameter_maps(self, computation: str = '') -> list[OperandMap]:
        """
        From an index of each output of the entry, or of another computation, to the elements of each parameter
        that it depends on, through the whole program. ``operand`` is the number of the parameter.
        """

    def parameters(self, op: str = '', computation: str = '', at: Sequence[int] | None = None, set: Mapping[str, int] = {}, output: int = 0) -> ParameterReads:
        """
        What the root of the entry, or instruction ``op``, reads of the parameters through the whole program; with
        ``computation``, of its own parameters. ``at``: the element of array ``output`` of the result to ask about.
        ``set``: values of runtime variables before the program clamps them, such as ``{'rt0': 20}``. Raises Error
        (unknown_name, not_applicable, number_range, index_out_of_range, rank_mismatch).

        >>> from tessera import hlo
        >>> module = hlo.load('''HloModule m
        ... ENTRY e {
        ...   x = f32[32] parameter(0)
        ...   i = s32[] parameter(1)
        ...   ROOT y = f32[16] dynamic-slice(x, i), dynamic_slice_sizes={16}
        ... }''')
        >>> module.parameters().runtime
        {'rt0': 'parameter(1) clamped to [0, 16]; (d0) -> (), domain: d0 in [0, 15]'}
        >>> module.parameters(at=[9], set={'rt0': 20}).boxes
        {(0, 0): [((25, 26),)], (1, 0): [()]}
        """

    def same(self, a: str | Instruction, b: str | Instruction) -> SameBytes:
        """
        Whether two results hold the same bytes in the same order, and where the first holds the elements of the
        second. ``NAME#K`` is array K of a tuple. Raises Error (unknown_name, index_out_of_range, bad_option).

        >>> from tessera import hlo
        >>> module = hlo.load('''HloModule m
        ... ENTRY e {
        ...   a = f32[4,8]{1,0} parameter(0)
        ...   ROOT t = f32[8,4]{1,0} transpose(a), dimensions={1,0}
        ... }''')
        >>> print(module.same('a', 't').places)
        (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]
        """

    def traffic(self, computation: str = '', on_chip: int | str | None = None) -> CostTable:
        """
        The bytes that each step reads, writes and must move, as ``tessera hlo --traffic``; with ``on_chip``,
        bytes or a chip, what it moves in tiles that fit. Raises Error (bad_option).
        """

    def copies(self, computation: str = '') -> CostTable:
        """
        The instructions that only move data, and the chains of them, as ``tessera hlo --copies``.
        """

    def padding(self, computation: str = '') -> CostTable:
        """What padding costs, as ``tessera hlo --padding``."""

    def wastes(self, chip: str = '', source: str | os.PathLike[str] | None = None, computation: str = '') -> CostTable:
        """
        What the program could do without, the most time or bytes first, with its line of code and scope. Rows
        are those of ``wastes`` in ``tessera hlo --report FILE.json``, with names and maps as text; ``chip``
        as for ``time`` adds seconds. Raises Error (bad_option).
        """

    def summary(self, chip: str = '', source: str | os.PathLike[str] | None = None) -> CostTable:
        """
        What the program wastes, in sentences: ``print(module.summary('h100'))`` is ``tessera hlo --summary --chip
        h100``. Raises Error (bad_option).
        """

    def compare(self, old: HloModule, chip: str = '') -> CostTable:
        """
        The steps that move more or fewer bytes than in an older program, as ``tessera hlo --compare``. Raises
        Error (bad_option).
        """

    def work(self, computation: str = '') -> CostTable:
        """
        The operations that each step computes, as ``tessera hlo --work``.

        >>> from tessera import hlo
        >>> module = hlo.load('''HloModule m
        ... ENTRY e {
        ...   a = f32[4,8] parameter(0)
        ...   b = f32[8,2] parameter(1)
        ...   ROOT c = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        ... }''')
        >>> module.work().totals['flops']
        {'lower': 128, 'upper': 128}
        """

    def memory(self, computation: str = '') -> CostTable:
        """The arrays that are live at the peak, as ``tessera hlo --memory``."""

    def collectives(self, computation: str = '') -> CostTable:
        """
        What each collective moves between devices, as ``tessera hlo --collectives``.
        """

    def time(self, chip: str, computation: str = '') -> CostTable:
        """
        An estimate of the time of each step, as ``tessera hlo --chip``: ``module.time('h100')``. Raises
        Error (bad_option).
        """

    def by(self, key: Literal['source', 'scope', 'opcode'], source: str | os.PathLike[str] | None = None, computation: str = '') -> CostTable:
        """
        What each line of code, scope or opcode moves and computes, as ``tessera hlo --by``; ``source`` is the folder
        with your code. Raises Error (bad_option).
        """

    def stats(self, threads: int = 0, direction: str = 'out') -> str:
        """
        Counts of exact, superset and unknown answers, as ``tessera hlo --stats``.
        """

    def report(self, path: str | os.PathLike[str], threads: int = 0) -> None:
        """
        Writes the report of ``tessera hlo --report``: a self-contained page, or the same as .json. Replaces an
        existing file. Raises FileError.
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def load(path_or_text: str | bytes | os.PathLike[str] | tessera._types.HloText, strict: bool = True) -> HloModule:
    """
    Reads the module of an HLO text, of a file (also .gz), or of a function that JAX lowered or compiled:
    ``hlo.load(jax.jit(f).lower(x).compile())``. Raises ParseError at the first error; with
    ``strict=False`` the valid rest is kept, and ``diagnostics`` has the errors. Raises FileError.

    >>> from tessera import hlo
    >>> hlo.load('HloModule m\\nENTRY e { ROOT a = f32[4] parameter(0) }')
    <HloModule m: 1 instructions>
    """

def load_all(path_or_text: str | bytes | os.PathLike[str] | tessera._types.HloText, strict: bool = True) -> list[HloModule]:
    """As ``load``, for any number of modules."""
