# SPDX-License-Identifier: Apache-2.0
"""Lesson 4: digits. Each is dimension, div, extent, stride."""

import tessera

layout = tessera.parse("f32[3,5]{1,0:T(2,2)}")
digits = [(0, 1, 2, 2), (0, 2, 2, 12), (1, 1, 2, 1), (1, 2, 3, 4)]


def offset(*index: int) -> int:
    return sum(stride * (index[dimension] // div % extent) for dimension, div, extent, stride in digits)


assert all(offset(row, column) == layout(row, column) for row in range(3) for column in range(5))
print(" ".join(",".join(map(str, digit)) for digit in digits))
print(offset(2, 3))
