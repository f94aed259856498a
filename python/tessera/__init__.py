# SPDX-License-Identifier: Apache-2.0
"""Exact tensor layouts and index maps: read, convert, compare, draw, move.

>>> import tessera
>>> layout = tessera.parse("f32[3,5]{1,0:T(2,2)}")
>>> layout(2, 3)
17
>>> print(layout.to_cute())
((2,2),(2,3)):((2,12),(1,4)) crop (3,5)
"""

from ._core import (
    Atom,
    Conversion,
    Image,
    IndexMap,
    Layout,
    RelayoutPlan,
    Verdict,
    __version__,
    atom,
    atoms,
    build_info,
    equal,
    layout_of,
    parse,
    plan,
    relayout,
)
from ._errors import Error, FileError, NotRepresentable, ParseError, ShapeError, Undecided
