# SPDX-License-Identifier: Apache-2.0
"""Costs of Triton's layouts: one conversion, or a whole TTGIR file."""

import json
import os
from typing import Any

from ._core import TritonLayout, _register_plan_json, _ttgir_json


def _triton_layout(value: Any) -> TritonLayout:
    return value if isinstance(value, TritonLayout) else TritonLayout(value)


def registers_plan(a: Any, b: Any, type: str = "", target: str = "cuda:90") -> dict[str, Any]:  # noqa: A002
    """What converting register layout `a` to `b` costs: level, counts, Triton's choice, and the best exchange.

    `a` and `b` are TritonLayouts, texts, or Gluon's objects; `type` is needed if neither has one.

    >>> row, column = ("64x64:BlockedLayout([1,8],[4,8],[4,1],[1,0])", "64x64:BlockedLayout([8,1],[8,4],[1,4],[0,1])")
    >>> tessera.registers_plan(row, column, "f16")["level"]
    'warps'
    """
    plan: dict[str, Any] = json.loads(_register_plan_json(_triton_layout(a), _triton_layout(b), type, target))
    return plan


def ttgir(source: str | os.PathLike[str]) -> dict[str, Any]:
    """The report of a TTGIR file, or of a text such as ``compiled.asm["ttgir"]``: layouts, operations, conversions.

    The keys are those of ``tessera info kernel.ttgir --json``.
    """
    text = os.fspath(source)
    name = "<text>"
    if "\n" not in text:
        name = text
        with open(text, encoding="utf-8") as file:
            text = file.read()
    report: dict[str, Any] = json.loads(_ttgir_json(text, name))
    return report
