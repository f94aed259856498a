# SPDX-License-Identifier: Apache-2.0
"""HLO programs: which elements of its operands each instruction reads, exactly.

>>> from tessera import hlo
>>> module = hlo.load('''HloModule m
... ENTRY e {
...   a = f32[4,8] parameter(0)
...   b = f32[8,16] parameter(1)
...   ROOT c = f32[4,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
... }''')
>>> for one in module["c"].operand_maps():
...     print(one)
(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 15], s0 in [0, 7]
(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], d1 in [0, 15], s0 in [0, 7]
"""

from ._core.hlo import (
    Analysis,
    BitcastAnswer,
    CostTable,
    HloModule,
    Instruction,
    InstructionMaps,
    OperandMap,
    ParameterReads,
    SameBytes,
    load,
    load_all,
)

__all__ = [
    "Analysis",
    "BitcastAnswer",
    "CostTable",
    "HloModule",
    "Instruction",
    "InstructionMaps",
    "OperandMap",
    "ParameterReads",
    "SameBytes",
    "load",
    "load_all",
]
