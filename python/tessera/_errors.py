# SPDX-License-Identifier: Apache-2.0
"""The errors of Tessera. The extension raises them; see docs/errors for every code."""

from __future__ import annotations

import errno as _errno
from typing import Any


class NoteWarning(UserWarning):
    """A note on an answer of ``tessera.cute``, as ``tessera eval`` prints it: tiles that overhang, extents that were rounded.

    >>> import warnings
    >>> from tessera import cute
    >>> with warnings.catch_warnings(record=True) as notes:
    ...     warnings.simplefilter("always")
    ...     cute.zipped_divide("10:1", 4)
    cute.Layout((4,3),(1,4))
    >>> print(notes[0].message)
    the tiles overhang: they have 12 coordinates, but 10:1 has only 10
    """


class Error(ValueError):
    """An error: what is wrong, where, and what to do instead. ``str(error)`` is the command line's text, with a caret.

    >>> import tessera
    >>> try:
    ...     tessera.parse("f32[3,5]{1,0:T(2,2}")
    ... except tessera.Error as error:
    ...     error.code
    'syntax'
    """

    code: str
    """A stable word, such as ``not_representable``. docs/errors has a page for each."""
    message: str
    """One line, without the position."""
    reason: str
    """The second word of codes such as ``not_representable``; may be empty."""
    span: tuple[int, int] | None
    """Bytes [begin, end) of the text, or None if no text is at fault."""
    notes: tuple[str, ...]
    witness: str
    """The smallest counterexample; may be empty."""
    help: str
    """What to write instead; may be empty."""

    def __init__(
        self,
        text: str,
        *,
        code: str = "",
        message: str = "",
        reason: str = "",
        span: tuple[int, int] | None = None,
        notes: tuple[str, ...] = (),
        witness: str = "",
        help: str = "",
    ) -> None:
        super().__init__(text)
        self.code = code
        self.message = message or text
        self.reason = reason
        self.span = span
        self.notes = tuple(notes)
        self.witness = witness
        self.help = help

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), str(self), dict(self.__dict__))


class ParseError(Error):
    """A text that cannot be read; ``span`` is the position of the error."""


class NotRepresentable(Error):
    """There is no such layout or map; ``witness`` is the smallest point that shows it."""


class Undecided(Error):
    """A question that was not decided within its limit."""


class ShapeError(Error):
    """Shapes, ranks, indices or buffer sizes that do not match."""


class UnknownName(Error, KeyError):
    """A name that nothing has; ``help`` has the nearest one. Also a KeyError."""


class FileError(Error, OSError):
    """A file that cannot be read or written. Also an OSError."""


class MissingFile(FileError, FileNotFoundError):
    """A file that does not exist. Also a FileNotFoundError."""

    errno = _errno.ENOENT


class ExistingFile(FileError, FileExistsError):
    """A file that would be replaced. Also a FileExistsError."""

    errno = _errno.EEXIST


def _rebuild(kind: type[Error], text: str, fields: dict[str, Any]) -> Error:
    error = kind(text)
    error.__dict__.update(fields)
    return error
