# SPDX-License-Identifier: Apache-2.0
"""Questions about the distribution of one array: what each place holds, who holds an element, other notations.

A distribution is a text, a JAX sharding or array, a DTensor, or ``(DeviceMesh, placements)``. They run the same code as
the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ._answers import Answer
from ._distributions import text_of
from ._verbs import _text, field_texts

Shape = str | int | Sequence[int]


def places(distribution: Any, shape: Shape, *, place: int | None = None, places: int | None = None) -> Answer:
    """What each place of a distribution holds: ``tessera reshard places``, with its options.

    ``shards`` has one entry for each place, or for ``place`` alone: the runs of indices of each dimension, the local
    shape, the strides in elements, the number of elements, and whether it is empty. ``places`` is the number of places
    (default: the largest in the distribution plus 1). Exact; O(places).

    >>> import tessera
    >>> tessera.places("DeviceMesh((2, 2)) [Shard(0), Shard(0)]", (5, 3))["shards"][1]["indices"]
    [[[2, 3]], [[0, 3]]]
    """
    known = {"dist": text_of(distribution), "shape": _text(shape), "place": place, "places": places}
    return Answer("reshard places", field_texts(known))


def holders(
    distribution: Any,
    shape: Shape,
    *indices: Any,
    place: int | None = None,
    inverse: bool = False,
    places: int | None = None,
) -> Answer:
    """The places that hold elements, with local indices and offsets: ``tessera reshard at``, with its options.

    ``place`` asks for one place (``status`` is 1 if it lacks an element); with ``inverse`` the indices are those of its
    local array, and the answer says which elements are there. Exact.

    >>> import tessera
    >>> tessera.holders("{devices=[2,2]<=[4]}", (4, 6), (3, 1))["answers"][0]["holders"]
    [{'place': 2, 'local': [1, 1], 'offset': 4}]
    >>> tessera.holders("{devices=[2,2]<=[4]}", (4, 6), (1, 1), place=2, inverse=True)["answers"][0]["index"]
    [3, 1]
    """
    known = {
        "dist": text_of(distribution), "index": list(indices), "shape": _text(shape), "place": place, "inverse": inverse,
        "places": places,
    }
    return Answer("reshard at", field_texts(known))


def convert_distribution(
    distribution: Any,
    shape: Shape,
    to: Literal["xla", "jax", "torch", "sdy", "mesh", "axe"] = "mesh",
    *,
    view: Shape | None = None,
    places: int | None = None,
) -> Answer:
    """A distribution in another notation, in ``text``: ``tessera reshard convert``, with its options.

    ``view`` asks for the distribution of a view of that shape. Raises NotRepresentable with a witness if there is none,
    Undecided if none was found.

    >>> import tessera
    >>> tessera.convert_distribution("{devices=[4,1]<=[4]}", (8, 6), "torch")["text"]
    'DeviceMesh((4)) [Shard(dim=0)]'
    """
    known = {"dist": text_of(distribution), "shape": _text(shape), "to": to, "view": view if view is None else _text(view), "places": places}
    return Answer("reshard convert", field_texts(known))


def equal_distributions(
    a: Any, b: Any, shape: Shape, *, notion: Literal["map", "holders"] = "map", places: int | None = None
) -> Answer:
    """Whether two distributions of an array are equal: ``tessera reshard equal``, with its options.

    ``notion="holders"`` compares the places alone, without local indices and offsets. Exact; ``at`` is the first index
    that differs.

    >>> import tessera
    >>> tessera.equal_distributions("DeviceMesh((2, 2)) [Shard(0), Shard(0)]", "{devices=[4]<=[4]}", 5)["at"]
    [3]
    """
    known = {"a": text_of(a), "b": text_of(b), "shape": _text(shape), "notion": notion, "places": places}
    return Answer("reshard equal", field_texts(known))
