# SPDX-License-Identifier: Apache-2.0
"""Lesson 9, from Python. Bad input raises tessera.Error."""

import tessera

for text in ("(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 7]", "(d0) -> (d0 / 0), domain: d0 in [0, 7]"):
    try:
        print(tessera.IndexMap(text).simplify())
    except tessera.Error as error:
        print("error:", error.message)
