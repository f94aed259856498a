# SPDX-License-Identifier: Apache-2.0
"""Lesson 3: one layout, five languages."""

import tessera

layout = tessera.parse("f32[4,8]{1,0:T(4,4)}")
for notation in ("cute", "morello", "linear", "map"):
    print(layout.to(notation))
