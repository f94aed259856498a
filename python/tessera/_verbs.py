# SPDX-License-Identifier: Apache-2.0
"""The verbs of the command line with many options, as functions. They run the same code as the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ._answers import AccessAnswer, Answer, ReshardAnswer, TileAnswer
from ._distributions import text_of


def _text(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ",".join(map(str, value))
    return str(value)


def _plain(value: Any) -> Any:
    """A flag of NumPy as that of Python."""
    return bool(value) if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_") else value


def field_texts(fields: Mapping[str, Any]) -> dict[str, list[str]]:
    """Returns the texts of each field that has a value: one, those of a list, or none for True."""
    texts: dict[str, list[str]] = {}
    for name, value in fields.items():
        value = _plain(value)
        if value is None or value is False:
            continue
        if value is True:
            texts[name.rstrip("_")] = []
        elif not isinstance(value, list):
            texts[name.rstrip("_")] = [_text(value)]
        elif value:
            texts[name.rstrip("_")] = [_text(one) for one in value]
    return texts


def access(
    layout: Any,
    *,
    threads: str | list[str] | None = None,
    bytes: int | None = None,
    bits: int | None = None,
    vector: int | Literal["auto"] | None = None,
    space: Literal["shared", "global", "both"] | None = None,
    target: str | None = None,
    base: int | None = None,
    base_align: int | None = None,
    warps: Any = None,
    segments: int | tuple[int, ...] | None = None,
    limit: int | None = None,
    why: bool = False,
    fix: bool | Literal["swizzle", "pad", "linear", "all"] = False,
    view: Literal["banks", "lines"] | None = None,
    instruction: int | None = None,
    phase: int | None = None,
    all_phases: bool = False,
    where: str | None = None,
    size: str | list[str] | None = None,
) -> AccessAnswer:
    """Bank conflicts, sectors and vector widths of accesses to memory: ``tessera access``, with its options.

    ``threads`` takes an access or a list of them; ``fix=True`` searches for a layout with fewer conflicts.
    ``where`` has assumptions about names of sizes (``N % 8 == 0``), and ``size`` a number for a name (``N=64``).

    >>> import tessera
    >>> tessera.access("32:2", bytes=4)["accesses"][0]["shared"]["wavefronts"]
    2
    """
    known = {
        "threads": threads, "bytes": bytes, "bits": bits, "vector": vector, "space": space, "target": target, "base": base,
        "base_align": base_align, "warps": warps, "segments": segments, "limit": limit, "why": why, "fix": fix, "view": view,
        "instruction": instruction, "phase": phase, "all_phases": all_phases, "where": where,
        "size": size,
    }
    return AccessAnswer("access", field_texts({"layout": layout, **known}))


def tile(
    source: Any,
    *,
    op: str | None = None,
    tile: int | tuple[int, ...] | None = None,
    budget: int | str | None = None,
    at: int | tuple[int, ...] | None = None,
    direction: Literal["out", "in"] | None = None,
    through: bool = False,
    sizes: bool = False,
    where: str | None = None,
    size: str | list[str] | None = None,
    operand: int | None = None,
    leaf: int | Literal["all"] | None = None,
) -> TileAnswer:
    """The elements that a tile of an index map or of an HLO instruction reads: ``tessera tile``, with its options.

    ``tile`` takes a tuple of sizes, ``budget`` a number of bytes or a text such as ``48K``.

    >>> import tessera
    >>> tessera.tile("(d0) -> (d0 * 2), domain: d0 in [0, 47]", tile=12).status
    0
    """
    known = {
        "op": op, "tile": tile, "budget": budget, "at": at, "direction": direction, "through": through, "sizes": sizes,
        "where": where, "size": size,
        "operand": operand, "leaf": leaf,
    }
    return TileAnswer("tile", field_texts({"input": source, **known}))


def reshard(
    shape: str,
    from_: Any,
    to: Any,
    *,
    view: str | tuple[int, ...] | None = None,
    places: int | None = None,
    per_node: int | None = None,
    relabel: Literal["within", "any"] | None = None,
    messages: bool = False,
    segments: bool = False,
    kept: bool = False,
    place: int | None = None,
    verify: bool = False,
    check: bool = False,
    explain: bool = False,
    plan: str | None = None,
) -> ReshardAnswer:
    """The data that moves between two distributions of an array: ``tessera reshard``, with its options.

    A distribution is a text, a JAX sharding or array, a DTensor, or ``(DeviceMesh, placements)``. Places are the numbers
    of the devices: IDs in JAX, ranks in PyTorch.

    >>> import tessera
    >>> answer = tessera.reshard("f32[16,16]", "{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}")
    >>> answer["total"]
    768
    """
    known = {
        "shape": shape, "from": text_of(from_), "to": text_of(to), "view": view, "places": places, "per_node": per_node,
        "relabel": relabel, "messages": messages, "segments": segments, "kept": kept, "place": place, "verify": verify,
        "check": check, "explain": explain, "plan": plan,
    }
    return ReshardAnswer("reshard plan", field_texts(known))
