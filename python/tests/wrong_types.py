# SPDX-License-Identifier: Apache-2.0
"""Every marked line has a type error. test_types.py checks that type checkers find each of them."""

import tessera
from tessera import cute

base = cute.Layout((8, 8), (8, 1))
cute.size(3.5)  # wrong
cute.idx2crd("5", [8])  # wrong
size: str = cute.size(base)  # wrong
layout: cute.Swizzle = cute.zipped_divide(base, (2, 4))  # wrong
cute.upcast(base, None)  # wrong
cute.swizzle_compose(base, base)  # wrong
tessera.code(base, 7)  # wrong
tessera.code(base, tests=True)  # wrong
base.strides  # wrong
tessera.access("32:2", space="texture")  # wrong
tessera.tile("(d0) -> (d0), domain: d0 in [0, 3]", direction="up")  # wrong
tessera.reshard("u8[4]", "{replicated}", "{replicated}", relabel=True)  # wrong
tessera.access("32:2", bytes=4)["total"]["wavefronts"].upper()  # wrong
