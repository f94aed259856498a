# SPDX-License-Identifier: Apache-2.0
"""Layouts and maps with names for sizes: answers that hold for all sizes, as docs/understand/sizes.md describes them.

>>> from tessera import sizes
>>> tiled = sizes.layout("f32[M,N]{1,0:T(8,128)}", where="M % 8 == 0, N % 128 == 0, M > 8, N > 128")
>>> print(tiled.convert("cute").value)
((8,M/8),(128,N/128)):((128,8*N),(1,1024))
>>> bool(sizes.equal(tiled, "((8,M/8),(128,N/128)):((128,8*N),(1,1024))"))
True
>>> str(tiled.at(M=16, N=256))
'f32[16,256]{1,0:T(8,128)}'
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, cast

from ._answers import Answer
from ._core import Layout
from ._core import layout as _layout
from ._errors import Undecided
from ._verbs import field_texts

__all__ = ["Case", "Cases", "SizedAnswer", "SizedLayout", "compose", "count", "equal", "eval", "image", "inverse", "layout",
           "simplify", "within"]


class Case:
    """What holds for the sizes that satisfy a condition: a value, the code of an error, or why it is undecided."""

    condition: str
    """Can be written after ``where``; empty for all sizes."""
    value: str | None
    error: str | None
    undecided: str | None
    sizes: dict[str, int]
    """Of an error: sizes that have it."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.condition = fields["if"]
        self.value = fields.get("value")
        self.error = fields.get("error")
        self.undecided = fields.get("undecided")
        self.sizes = dict(fields.get("sizes", {}))

    def __repr__(self) -> str:
        what = self.value or (f"error {self.error}" if self.error else f"undecided: {self.undecided}")
        return f"<{what}{' if ' + self.condition if self.condition else ''}>"


class Cases(Answer):
    """An answer in cases: their conditions exclude each other and cover all sizes of the question."""

    @property
    def cases(self) -> list[Case]:
        """The cases of the last value."""
        found = self["values"][-1]["cases"] if "values" in self else self["results"][-1]["cases"] if "results" in self else self["cases"]
        return [Case(case) for case in found]

    @property
    def value(self) -> str:
        """The text for all sizes. ValueError if there are several cases, or the one has no value."""
        cases = self.cases
        if len(cases) != 1 or cases[0].value is None:
            raise ValueError(f"there is no one value for all sizes: {self}")
        return cases[0].value


class SizedAnswer(Answer):
    """Whether something holds for all sizes: True, False, or an exception where it depends on them or is undecided."""

    @property
    def answer(self) -> str:
        """``yes``, ``iff``, ``no`` or ``undecided``."""
        return str(self["answer"])

    @property
    def condition(self) -> str:
        """Of an ``iff``: it holds for these sizes and for no others."""
        return str(self.get("condition", ""))

    @property
    def at_sizes(self) -> dict[str, int]:
        """Of an ``iff`` or a ``no``: the sizes of the counterexample."""
        return dict(self.get("at_sizes", {}))

    def __bool__(self) -> bool:
        if self.answer == "iff":
            raise ValueError(f"it depends on the sizes: {self}; compare .answer, or assume the condition")
        if self.answer == "undecided":
            raise Undecided(str(self))
        return self.answer == "yes"


class SizedLayout:
    """A layout with names for sizes, and what is assumed of them. Immutable."""

    def __init__(self, text: str, where: str | None = None) -> None:
        self._text, self._where = str(text), where
        self._facts = Answer("show", field_texts({"layout": self._text, "facts": True, "where": where}))
        if "parameters" not in self._facts:
            raise ValueError(f"{text} has no names for sizes: tessera.layout reads it")

    @property
    def where(self) -> str:
        """All that is assumed."""
        return str(self._facts["where"])

    @property
    def names(self) -> list[str]:
        """The sizes with names."""
        return [parameter["name"] for parameter in self._facts["parameters"]]

    @property
    def facts(self) -> dict[str, list[Case]]:
        """What ``tessera show --facts`` prints, by name."""
        return {fact["name"]: [Case(case) for case in fact["cases"]] for fact in self._facts["facts"]}

    def at(self, **sizes: int) -> Layout:
        """The layout with a number for every name."""
        missing = [name for name in self.names if name not in sizes]
        if missing:
            raise ValueError(f"no number for {', '.join(missing)}")
        fields = {"layout": self._text, "where": self._where, "size": _numbers(sizes)}
        answer = Answer("convert", field_texts(fields))
        return cast(Layout, _layout(answer["from"]["text"]))  # a text with names is in a notation of layouts

    def offset(self, *index: Any, where: str | None = None) -> Cases:
        """The offset of an index of numbers and terms: ``l.offset("M - 1", 0)``."""
        text = ",".join(map(str, index))
        return Cases("at", field_texts({"layout": self._text, "index": [text], "where": _both(self._where, where)}))

    def index(self, offset: Any, where: str | None = None) -> Cases:
        """The index at an offset, a number or a term, or ``padding``: ``l.index("N")``."""
        return Cases("at", field_texts({"layout": self._text, "index": [str(offset)], "inverse": True, "where": _both(self._where, where)}))

    def wavefronts(self, threads: str, *, bytes: int | None = None, where: str | None = None) -> list[Case]:  # noqa: A002
        """The wavefronts of shared memory that an access needs, by the residues of the sizes.

        >>> from tessera import sizes
        >>> sizes.layout("(32,N):(N,1)").wavefronts("32:1", bytes=4)[-1]
        <32 if N % 32 == 0>
        """
        fields = {"layout": self._text, "threads": [threads], "bytes": bytes, "space": "shared", "where": _both(self._where, where)}
        return [Case(case) for case in Answer("access", field_texts(fields))["accesses"][0]["cases"]]

    def code(self, lang: str = "c", *, name: str | None = None, where: str | None = None) -> str:
        """A function from an index and the sizes to the offset, as source code.

        >>> from tessera import sizes
        >>> print(sizes.layout("(M,N):(N,1)").code("python").splitlines()[-1])
            return d0 * N + d1
        """
        fields = {"input": self._text, "lang": lang, "name": name, "where": _both(self._where, where)}
        return str(Answer("code", field_texts(fields))["code"])

    def convert(self, to: str) -> Cases:
        """The layout in another notation, in cases."""
        return Cases("convert", field_texts({"layout": self._text, "to": to, "where": self._where}))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"tessera.sizes.layout({self._text!r}{', where=' + repr(self._where) if self._where else ''})"


def _both(*assumptions: str | None) -> str | None:
    return ", ".join(filter(None, assumptions)) or None


def _numbers(sizes: Mapping[str, int]) -> str | None:
    return ",".join(f"{name}={operator.index(value)}" for name, value in sizes.items()) or None


def _text_and_where(layout: Any) -> tuple[str, str | None]:
    return (str(layout), layout._where) if isinstance(layout, SizedLayout) else (str(layout), None)


def layout(text: str, *, where: str | None = None) -> SizedLayout:
    """Returns a layout with names for sizes: CuTe's notation, strides, XLA's with tiles, Morello's, oneDNN's.

    >>> from tessera import sizes
    >>> sizes.layout("(M,N):(N,1)").offset("M - 1", "N - 1").value
    'M*N - 1'
    """
    return SizedLayout(text, where)


def equal(a: Any, b: Any, *, where: str | None = None) -> SizedAnswer:
    """Whether two layouts, or two maps, are the same function for all sizes.

    >>> from tessera import sizes
    >>> sizes.equal("(M,N):(N,1)", "(M,N):(K,1)").condition
    'K == N or M == 1'
    """
    (first, of_first), (second, of_second) = _text_and_where(a), _text_and_where(b)
    verb = "map equal" if "->" in first else "equal"
    return SizedAnswer(verb, field_texts({"a": first, "b": second, "where": _both(of_first, of_second, where)}))


def eval(text: str, *, where: str | None = None, size: Mapping[str, int] | None = None) -> Cases:  # noqa: A001
    """The layout algebra with names: ``tessera eval``, in cases.

    >>> from tessera import sizes
    >>> sizes.eval("zipped_divide((M,N):(N,1), <8,4>)").value
    '((8,4),(ceil_div(M,8),ceil_div(N,4))):((N,1),(8*N,4))'
    """
    return Cases("eval", field_texts({"expr": str(text), "where": where, "size": _numbers(size or {})}))


def simplify(map: str, *, where: str | None = None) -> Cases:  # noqa: A002
    """The same map with simple terms; names of sizes are declared in ``where``."""
    return Cases("map simplify", field_texts({"map": str(map), "where": where}))


def compose(first: str, second: str, *, where: str | None = None) -> Cases:
    """``second`` after ``first``."""
    return Cases("map compose", field_texts({"first": str(first), "second": str(second), "where": where}))


def inverse(map: str, *, where: str | None = None) -> Cases:  # noqa: A002
    """From the results back to the variables; a case without an inverse has the error ``not_invertible``.

    >>> from tessera import sizes
    >>> sizes.inverse("(d0, d1) -> (d0 * N + d1), domain: d0 in [0, M - 1], d1 in [0, N - 1]", where="M, N").value
    '(d0) -> (d0 / N, d0 mod N), domain: d0 in [0, M * N - 1]'
    """
    return Cases("map inverse", field_texts({"map": str(map), "where": where}))


def count(map: str, *, of: str = "values", where: str | None = None) -> Cases:  # noqa: A002
    """How many different results, or with ``of="points"`` points, a map has."""
    return Cases("map count", field_texts({"map": str(map), "of": of, "where": where}))


def image(map: str, *, where: str | None = None) -> Cases:  # noqa: A002
    """The set of results, as constraints on r0, r1, ..."""
    return Cases("map image", field_texts({"map": str(map), "where": where}))


def within(map: str, box: str, *, where: str | None = None) -> SizedAnswer:  # noqa: A002
    """Whether every result is in its interval: ``within(map, "[0, M * N - 1]")``."""
    return SizedAnswer("map within", field_texts({"map": str(map), "box": box, "where": where}))
