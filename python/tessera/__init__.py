# SPDX-License-Identifier: Apache-2.0
"""Exact tensor layouts and index maps: read, convert, compare, draw, move.

>>> import tessera
>>> layout = tessera.parse("f32[3,5]{1,0:T(2,2)}")
>>> layout(2, 3)
17
>>> print(layout.to_cute())
((2,2),(2,3)):((2,12),(1,4)) crop (3,5)
"""

import importlib
from typing import TYPE_CHECKING, Any

from ._answers import Answer
from ._core import (
    Atom,
    Conversion,
    Image,
    IndexMap,
    Layout,
    NamedLayout,
    Picture,
    Placement,
    RelayoutPlan,
    SourceCode,
    TritonLayout,
    Verdict,
    atom,
    atoms,
    build_info,
    code,
    copy_code,
    equal,
    layout,
    layout_of,
    names_of,
    parse,
    plan,
    relayout,
)
from ._core import version as __version__
from ._errors import (
    Error,
    ExistingFile,
    FileError,
    MissingFile,
    NoteWarning,
    NotRepresentable,
    ParseError,
    ShapeError,
    Undecided,
    UnknownName,
)
from ._orders import assert_order
from ._places import convert_distribution, equal_distributions, holders, places
from ._triton import registers_plan, ttgir
from ._verbs import access, reshard, tile

if TYPE_CHECKING:
    from . import cute, files, hlo, jax, sizes, torch

_MODULES = ("cute", "files", "hlo", "jax", "sizes", "torch")

__all__ = [
    "Answer",
    "Atom",
    "Conversion",
    "Error",
    "ExistingFile",
    "FileError",
    "Image",
    "IndexMap",
    "Layout",
    "MissingFile",
    "NamedLayout",
    "NotRepresentable",
    "NoteWarning",
    "ParseError",
    "Picture",
    "Placement",
    "RelayoutPlan",
    "ShapeError",
    "SourceCode",
    "TritonLayout",
    "Undecided",
    "UnknownName",
    "Verdict",
    "__version__",
    "access",
    "assert_order",
    "atom",
    "atoms",
    "build_info",
    "code",
    "convert_distribution",
    "copy_code",
    "cute",
    "equal",
    "equal_distributions",
    "files",
    "hlo",
    "holders",
    "jax",
    "layout",
    "layout_of",
    "names_of",
    "parse",
    "places",
    "plan",
    "registers_plan",
    "relayout",
    "reshard",
    "sizes",
    "tile",
    "torch",
    "ttgir",
]


def __getattr__(name: str) -> Any:
    """Imports the submodules on demand."""
    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module 'tessera' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
