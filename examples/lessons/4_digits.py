# SPDX-License-Identifier: Apache-2.0
"""Lesson 4: digits. Each is dimension, div, extent, stride."""

import tessera

layout = tessera.parse("f32[3,5]{1,0:T(2,2)}")
digits = str(layout.to("digits"))
print(digits)
index = (2, 3)
offset = 0
for digit in digits.split():
    dimension, div, extent, stride = map(int, digit.split(","))
    offset += stride * (index[dimension] // div % extent)
print(offset)
