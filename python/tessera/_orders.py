# SPDX-License-Identifier: Apache-2.0
"""Checks that a function stores its array in the order of a named layout."""

from collections.abc import Callable
from typing import Any

from ._core import NamedLayout


def assert_order(function: Callable[[Any], Any], layout: NamedLayout | str) -> None:
    """Calls ``function`` with an int32 array of the numbers 1, 2, ... in the layout's shape, and compares the result.

    The result has one entry for each cell of the buffer, in any shape; padding is 0 or negative. Raises AssertionError
    with the first index that lies in another cell.

    >>> tessera.assert_order(lambda x: x.T.copy(), 'scale:mn f32[5,7]')
    >>> tessera.assert_order(lambda x: x, 'scale:mn f32[5,7]')
    Traceback (most recent call last):
    AssertionError: scale:mn f32[5,7]: (0, 1) belongs in cell 5, which holds (0, 5)
    """
    import numpy  # not a dependency of the package

    named = NamedLayout(layout) if isinstance(layout, str) else layout
    offsets = named.offsets()
    numbers = numpy.arange(1, offsets.size + 1, dtype="int32")
    cells = numpy.asarray(function(numbers.reshape(named.shape))).ravel()
    buffer = named.buffer_bytes * 8 // named.element_bits
    if cells.size != buffer:
        raise AssertionError(f"{named}: the result has {cells.size} of {buffer} entries")
    found = cells[offsets.ravel()]
    wrong = numpy.flatnonzero(found != numbers)
    if wrong.size > 0:
        index = tuple(int(i) for i in numpy.unravel_index(wrong[0], named.shape))
        cell, number = int(offsets.ravel()[wrong[0]]), int(found[wrong[0]])
        known = 0 < number <= numbers.size
        holds = tuple(int(i) for i in numpy.unravel_index(number - 1, named.shape)) if known else "padding"
        raise AssertionError(f"{named}: {index} belongs in cell {cell}, which holds {holds}")
    padding = numpy.ones(buffer, dtype=bool)
    padding[offsets.ravel()] = False
    extra = numpy.flatnonzero(padding & (cells > 0))
    if extra.size > 0:
        raise AssertionError(f"{named}: cell {int(extra[0])} is padding, but holds {int(cells[extra[0]])}")
