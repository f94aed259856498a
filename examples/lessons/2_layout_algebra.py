# SPDX-License-Identifier: Apache-2.0
"""Lesson 2: the layout algebra."""

from tessera import cute

print(cute.composition(cute.Layout((6, 2), (8, 2)), cute.Layout((4, 3), (3, 1))))
print(cute.zipped_divide(cute.Layout((8, 16), (16, 1)), (2, 4)))
print(cute.complement(cute.Layout((2, 2), (1, 6)), 24))
