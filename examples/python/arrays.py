# SPDX-License-Identifier: Apache-2.0
"""Moves a NumPy array into tiles and back, once and with a plan that is used many times."""

import numpy as np

import tessera

a = np.arange(24, dtype=np.float32).reshape(4, 6)
tiled = tessera.relayout(a, "f32[4,6]{1,0:T(2,4)}")
layout = tessera.parse("f32[4,6]{1,0:T(2,4)}")
print("cells:", tiled.shape, "element (2, 3) at", layout(2, 3), "is", tiled[layout(2, 3)])
back = tessera.relayout(tiled, "f32[4,6]", src=layout)
print("back:", bool((back == a).all()))

print("a view:", tessera.layout_of(a[::2, ::-1], base=a))

plan = tessera.plan("f32[4,6]{1,0}", layout, fill=-1)
out = np.empty(layout.buffer_size, np.float32)
for step in range(3):
    plan.run(a + step, out)
print("payload:", plan.payload_bytes, "bytes; a cell of padding holds", out[layout.buffer_size - 1])
