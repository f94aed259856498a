# SPDX-License-Identifier: Apache-2.0
"""Lesson 6: compute with maps."""

from tessera import IndexMap

print(IndexMap("(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 7]").simplify())

reverse = IndexMap("(d0) -> (15 - d0), domain: d0 in [0, 15]")
print(reverse.compose(IndexMap("(d0) -> (d0 * 2), domain: d0 in [0, 15]")))

print(IndexMap("(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 31]").inverse())

print(IndexMap("(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, 3]").count())
