# SPDX-License-Identifier: Apache-2.0
# Lesson 5: read an index map.
tessera map eval '(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]' 2,5
