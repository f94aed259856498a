# SPDX-License-Identifier: Apache-2.0
"""Reads a layout, converts it, compares it, and draws it."""

import tessera

layout = tessera.parse("f32[3,5]{1,0:T(2,2)}")
print("offset of (2, 3):", layout(2, 3))
print("in CuTe's notation:", layout.to_cute())
print("index at offset 9:", layout.index_of(9))

verdict = tessera.equal(layout, "f32[3,5]{1,0}")
if not verdict and verdict.counterexample is not None:
    index, first, second = verdict.counterexample
    print(f"row-major differs at {index}: {first} and {second}")

try:
    layout.to_linear()
except tessera.NotRepresentable as error:
    print("no linear layout:", error.message)

print(layout.show(view="memory").text(ascii=True))
layout.show().save("layout.svg")
