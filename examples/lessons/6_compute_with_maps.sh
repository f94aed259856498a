# SPDX-License-Identifier: Apache-2.0
# Lesson 6: compute with maps.
tessera map simplify '(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 7]'
tessera map compose '(d0) -> (15 - d0), domain: d0 in [0, 15]' '(d0) -> (d0 * 2), domain: d0 in [0, 15]'
tessera map inverse '(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 31]'
tessera map count '(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, 3]'
