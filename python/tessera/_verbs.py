# SPDX-License-Identifier: Apache-2.0
"""The verbs of the command line with many options, as functions. They run the same code as the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ._core import _run_verb
from ._distributions import text_of


class Answer(Mapping[str, Any]):
    """An answer of the command line: a mapping with the keys of its JSON (docs/lookup/json.md)."""

    status: int
    """The exit status: 0 yes or done, 1 no, 3 a limit was reached."""

    def __init__(self, verb: str, arguments: list[str]) -> None:
        self._line = [verb, *arguments]
        self.status, self._json = _run_verb([verb, "--json", *arguments])
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
        return _run_verb(self._line)[1].rstrip("\n")

    def __repr__(self) -> str:
        return f"<Answer of tessera {self._line[0]}: status {self.status}>"


def _text(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ",".join(map(str, value))
    return str(value)


def command_line(arguments: tuple[Any, ...], options: Mapping[str, Any]) -> list[str]:
    """Returns ``--name=value`` for every option (repeated for a list), then the arguments."""
    line = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            line.append(flag)
        elif isinstance(value, list):
            line += [f"{flag}={_text(one)}" for one in value]
        else:
            line.append(f"{flag}={_text(value)}")
    return [*line, "--", *map(str, arguments)]


def access(layout: Any, **options: Any) -> Answer:
    """Bank conflicts, sectors and vector widths of accesses to memory: ``tessera access``, with its options.

    ``threads`` takes an access or a list of them; ``fix=True`` searches for a layout with fewer conflicts.

    >>> import tessera
    >>> tessera.access("32:2", bytes=4)["accesses"][0]["shared"]["wavefronts"]
    2
    """
    return Answer("access", command_line((layout,), options))


def tile(source: Any, **options: Any) -> Answer:
    """The elements that a tile of an index map or of an HLO instruction reads: ``tessera tile``, with its options.

    ``tile`` takes a tuple of sizes, ``budget`` a number of bytes or a text such as ``48K``.

    >>> import tessera
    >>> tessera.tile("(d0) -> (d0 * 2), domain: d0 in [0, 47]", tile=12).status
    0
    """
    return Answer("tile", command_line((source,), options))


def reshard(shape: str, from_: Any, to: Any, **options: Any) -> Answer:
    """The data that moves between two distributions of an array: ``tessera reshard``, with its options.

    A distribution is a text, a JAX sharding or array, a DTensor, or ``(DeviceMesh, placements)``. Places are the numbers
    of the devices: IDs in JAX, ranks in PyTorch.

    >>> import tessera
    >>> answer = tessera.reshard("f32[16,16]", "{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}")
    >>> answer.status
    0
    """
    return Answer("reshard", command_line((), {"shape": shape, "from": text_of(from_), "to": text_of(to), **options})[:-1])
