# SPDX-License-Identifier: Apache-2.0
"""CuTe's algebra on nested tuples, and a shared-memory layout without bank conflicts."""

import tessera
from tessera import cute

tile = cute.Layout((8, 8), (8, 1))
print(cute.zipped_divide(tile, (2, 4)))
print(cute.composition(tile, cute.Layout(4, 2)))
print(tile(3, None), tile[1], cute.size(tile))

swizzled = cute.ComposedLayout(cute.Swizzle(3, 0, 3), 0, tile)
print(swizzled, "is a permutation:", cute.is_bijective(swizzled))

answer = tessera.access("(32,32):(32,1)", bytes=4, threads=["rows,write", "columns"], fix=True)
total, fix = answer["total"], answer["fix"]
assert total is not None and fix is not None and fix["best"] is not None
print("wavefronts:", total["wavefronts"], "floor:", total["floor"])
best = fix["candidates"][fix["best"]]
print("a layout that needs", best["wavefronts"], "wavefronts:", best["layout"])
