# SPDX-License-Identifier: Apache-2.0
"""Lesson 8: move data."""

import numpy as np

import tessera

rows = np.frombuffer(b"abcdef", dtype=np.uint8).reshape(2, 3)
tiles = tessera.relayout(rows, "u8[2,3]{1,0:T(2,2)}", fill=46)
print(bytes(tiles).decode())
