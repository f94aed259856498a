# SPDX-License-Identifier: Apache-2.0
"""The answers of verbs: mappings with the keys of their JSON (docs/lookup/json.md), and the types of the values.

A key that is not always there is in a class with ``total=False``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

from ._core import _ask_verb


class Bounds(TypedDict):
    """A count; exact if the two are equal, and without an upper bound if that is None."""

    lower: int
    upper: int | None


class Conflict(TypedDict):
    """The worst conflict: the words of a bank, each with its lanes."""

    instruction: int
    phase: int
    bank: int
    words: list[tuple[int, list[int]]]


class LaneBits(TypedDict):
    """What each bit of the lane number moves."""

    lane_bytes: list[int]
    dim: int
    rank: int
    same_bank: list[int]
    same_word: list[int]
    bank_bits: list[int]


class _SharedCounts(TypedDict):
    wavefronts: int
    ideal: int
    excess: int
    ways: int
    floor: int
    exact: bool
    wavefronts_at_least: int | None
    conflict: Conflict | None
    bits: LaneBits | None


class SharedCounts(_SharedCounts, total=False):
    """Counts of shared memory."""

    no_bits: str


class Worst(TypedDict, total=False):
    """The first instruction, or warp, with the most sectors."""

    instruction: int | None
    warp: int
    sectors: int


class GlobalCounts(TypedDict, total=False):
    """Counts of global memory."""

    requested: int
    bytes: int
    sectors: int
    lines: int
    ideal_sectors: int
    ideal_lines: int
    overfetch: int
    exact: bool
    segments: dict[str, int]
    ideal_segments: dict[str, int]
    warps: int
    worst: Worst | None


class VectorWidth(TypedDict):
    """The widest vector, and what limits it."""

    vector: int
    limit: Literal["cap", "values", "gap", "alignment", "base"]
    at: list[int] | None


# `global` is a keyword of Python.
_Global = TypedDict("_Global", {"global": GlobalCounts | None})


class Access(_Global):
    """One access."""

    name: str
    tv: str
    kind: str
    vector: int
    weight: int
    active: str | None
    instructions: int
    sampled_of: int | None
    shared: SharedCounts | None
    vector_width: VectorWidth | None
    misaligned: list[int] | None
    notes: list[str]


class Target(TypedDict):
    """The hardware: lanes of a warp, and bytes of a bank."""

    name: str
    lanes: int
    word: int


class Candidate(TypedDict):
    """A layout that ``fix`` found."""

    family: Literal["none", "swizzle", "pad", "linear"]
    layout: str
    wavefronts: int
    per_access: list[int]
    bytes: int
    xor_terms: int
    proof: Literal["floor", "linear", "family", "none"]
    swizzle: list[int] | None
    byte_swizzle: list[int] | None
    period: int | None
    hardware: str | None
    images: list[int] | None
    pad: int | None


class FixSearch(TypedDict):
    """How many members of a family were counted, whether those are all, and why it was not searched."""

    family: str
    tried: int
    complete: bool
    not_searched: str | None


class Fix(TypedDict):
    """The fixes; ``best`` is a number into ``candidates``."""

    best: int | None
    candidates: list[Candidate]
    searches: list[FixSearch]


class Totals(TypedDict):
    """Sums over the accesses, with their weights."""

    wavefronts: int
    ideal: int
    floor: int


class TileDim(TypedDict):
    """The expressions of one dimension of a tile."""

    offset: str
    size: str
    stride: str
    lower: str
    upper: str


class SymbolicTile(TypedDict):
    """A tile as expressions of its number and its sizes."""

    dims: list[TileDim]
    constraint: str
    edges: str
    active: str
    exact: bool
    reason: str | None


class RuntimeSource(TypedDict, total=False):
    """What a runtime variable of a tile holds."""

    var: str
    source: str
    map: str
    clamp: list[int]
    tuple_path: list[int]
    calls: list[dict[str, Any]]
    hops: int


class OperandTile(TypedDict, total=False):
    """The tile of one array."""

    operand: int
    output: int
    value: str
    leaf: int
    type: str
    shape: list[int]
    map: str | None
    symbolic: SymbolicTile | None
    replica: SymbolicTile | None
    runtime: list[RuntimeSource]
    varying: list[int]
    together: SymbolicTile
    exact: bool
    reason: str | None


class TileTraffic(TypedDict):
    """What the tiles of one array read."""

    operand: int
    leaf: int
    element_bits: int
    elements: int
    used: Bounds
    reads: Bounds
    tile_used: Bounds
    tile_reads: Bounds
    exact: bool


class Tiling(TypedDict):
    """Sizes that ``budget`` found."""

    sizes: list[int]
    tiles: int
    bytes: int
    traffic: int


class TileSearch(TypedDict):
    """The search of ``budget``."""

    budget: int
    tried: int
    valid: int
    fitting: int
    divisors: bool
    smallest: Tiling | None
    best: list[Tiling]


# `from` is a keyword of Python.
_Sides = TypedDict("_Sides", {"from": int, "to": int})


class _Boxes(TypedDict, total=False):
    boxes: list[list[list[int]]]
    segments: list[tuple[int, int, int]]


class _Message(TypedDict):
    bytes: int


class Message(_Message, _Sides, _Boxes):
    """What one place sends another."""


class Kept(_Boxes):
    """What a place has before and after."""

    place: int
    bytes: int


_ArraySides = TypedDict("_ArraySides", {"from": str, "to": str})


class _PlannedArray(TypedDict):
    type: str
    shape: list[int]
    numbering: dict[Literal["from", "to"], Literal["listed", "row-major", "row-major, assumed", "every place"]]


class PlannedArray(_PlannedArray, _ArraySides, total=False):
    """One array of a plan."""

    view: list[int]
    messages: list[Message]
    kept: list[Kept]


class Pair(_Sides):
    """A pair of places that exchange something."""

    bytes: int
    round: int


class TensorSide(TypedDict, total=False):
    """A file of a copy."""

    path: str
    format: Literal["npy", "safetensors", "gguf", "raw"]
    tensor: str
    layout: str
    type: str | None
    element_bits: int
    bytes: int


class Verified(TypedDict, total=False):
    """What ``verify`` compared."""

    checked: int
    all: bool
    seconds: float


class FileTensor(TypedDict, total=False):
    """A tensor of a file."""

    name: str
    file: str
    type: str | None
    stored_type: str
    element_bits: int | None
    shape: list[int]
    layout: str | None
    begin: int
    bytes: int


class FileKey(TypedDict, total=False):
    """A key of the metadata of a GGUF file; of an array only its length is known."""

    key: str
    type: str
    value: int | float | bool | str
    length: int


class Answer(Mapping[str, Any]):
    """An answer of the command line: a mapping with the keys of its JSON (docs/lookup/json.md). Its text and its JSON are
    made from one value, without asking again."""

    status: int
    """The exit status: 0 yes or done, 1 no, 3 a limit was reached."""

    def __init__(self, verb: str, fields: Mapping[str, list[str]], progress: Any = None) -> None:
        self._verb = verb
        self._value = _ask_verb(verb, fields, progress)
        self.status = self._value.status
        self._json = self._value.to_json()
        self._fields: dict[str, Any] = json.loads(self._json)

    def to_json(self) -> str:
        """The text that the command line prints with ``--json``."""
        return self._json.rstrip("\n")

    def __getitem__(self, key: str) -> Any:
        return self._fields[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __str__(self) -> str:
        """The text that the command line prints."""
        return self._value.to_text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<Answer of tessera {self._verb}: status {self.status}>"


class AccessAnswer(Answer):
    """The answer of ``tessera.access``."""

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: Literal["layout", "notation", "schema"]) -> str: ...
        @overload
        def __getitem__(self, key: Literal["element_bits", "status"]) -> int: ...
        @overload
        def __getitem__(self, key: Literal["target"]) -> Target: ...
        @overload
        def __getitem__(self, key: Literal["accesses"]) -> list[Access]: ...
        @overload
        def __getitem__(self, key: Literal["total"]) -> Totals | None: ...
        @overload
        def __getitem__(self, key: Literal["grid"]) -> GlobalCounts | None: ...
        @overload
        def __getitem__(self, key: Literal["fix"]) -> Fix | None: ...
        @overload
        def __getitem__(self, key: str) -> Any: ...
        def __getitem__(self, key: str) -> Any: ...


class TileAnswer(Answer):
    """The answer of ``tessera.tile``."""

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: Literal["schema", "instruction", "direction", "type"]) -> str: ...
        @overload
        def __getitem__(self, key: Literal["status"]) -> int: ...
        @overload
        def __getitem__(self, key: Literal["symbolic"]) -> SymbolicTile: ...
        @overload
        def __getitem__(self, key: Literal["shape", "tile"]) -> list[int]: ...
        @overload
        def __getitem__(self, key: Literal["at"]) -> list[int] | None: ...
        @overload
        def __getitem__(self, key: Literal["tiles"]) -> list[OperandTile]: ...
        @overload
        def __getitem__(self, key: Literal["outputs"]) -> list[list[int]]: ...
        @overload
        def __getitem__(self, key: Literal["traffic"]) -> list[TileTraffic]: ...
        @overload
        def __getitem__(self, key: Literal["where"]) -> str: ...
        @overload
        def __getitem__(self, key: Literal["map", "facts", "parameters"]) -> Any: ...
        @overload
        def __getitem__(self, key: Literal["search"]) -> TileSearch: ...
        @overload
        def __getitem__(self, key: str) -> Any: ...
        def __getitem__(self, key: str) -> Any: ...


class ReshardAnswer(Answer):
    """The answer of ``tessera.reshard``."""

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: Literal["schema", "hash"]) -> str: ...
        @overload
        def __getitem__(
            self, key: Literal["status", "places", "total", "kept", "full_gather", "max_send", "rounds"]
        ) -> int: ...
        @overload
        def __getitem__(self, key: Literal["verified"]) -> bool: ...
        @overload
        def __getitem__(self, key: Literal["arrays"]) -> list[PlannedArray]: ...
        @overload
        def __getitem__(self, key: Literal["receive", "send"]) -> list[int]: ...
        @overload
        def __getitem__(self, key: Literal["pairs"]) -> list[Pair]: ...
        @overload
        def __getitem__(self, key: str) -> Any: ...
        def __getitem__(self, key: str) -> Any: ...


class CopyReport(Answer):
    """The report of ``tessera.files.copy``."""

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: Literal["schema"]) -> str: ...
        @overload
        def __getitem__(
            self,
            key: Literal[
                "status", "elements", "bands", "bytes", "read_bytes", "written_bytes", "kept_bytes", "repaired_bands"
            ],
        ) -> int: ...
        @overload
        def __getitem__(self, key: Literal["by_element", "dry_run"]) -> bool: ...
        @overload
        def __getitem__(self, key: Literal["seconds", "bytes_per_second"]) -> float: ...
        @overload
        def __getitem__(self, key: Literal["source", "destination"]) -> TensorSide: ...
        @overload
        def __getitem__(self, key: Literal["transpose"]) -> list[int]: ...
        @overload
        def __getitem__(self, key: Literal["recode"]) -> str: ...
        @overload
        def __getitem__(self, key: Literal["leftovers"]) -> list[str]: ...
        @overload
        def __getitem__(self, key: Literal["verified"]) -> Verified: ...
        @overload
        def __getitem__(self, key: str) -> Any: ...
        def __getitem__(self, key: str) -> Any: ...


class InfoAnswer(Answer):
    """The answer of ``tessera.files.info``."""

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: Literal["schema", "path", "format"]) -> str: ...
        @overload
        def __getitem__(self, key: Literal["status", "file_bytes", "data_bytes"]) -> int: ...
        @overload
        def __getitem__(self, key: Literal["tensors"]) -> list[FileTensor]: ...
        @overload
        def __getitem__(self, key: Literal["metadata"]) -> dict[str, str]: ...
        @overload
        def __getitem__(self, key: Literal["version", "alignment"]) -> int: ...
        @overload
        def __getitem__(self, key: Literal["keys"]) -> list[FileKey]: ...
        @overload
        def __getitem__(self, key: Literal["files", "missing", "notes"]) -> list[str]: ...
        @overload
        def __getitem__(self, key: str) -> Any: ...
        def __getitem__(self, key: str) -> Any: ...
