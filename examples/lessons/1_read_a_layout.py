# SPDX-License-Identifier: Apache-2.0
"""Lesson 1: read a layout."""

import tessera

rows = tessera.parse("(4,8):(8,1)")
print(rows(2, 3))

print(tessera.equal("f32[4,8]{1,0}", rows))
print(tessera.equal("f32[4,8]{0,1}", rows))

tiles = tessera.parse("f32[3,5]{1,0:T(2,2)}")
print(tiles.index_of(17))
