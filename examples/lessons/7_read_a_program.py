# SPDX-License-Identifier: Apache-2.0
"""Lesson 7: read a program."""

from tessera import hlo

module = hlo.load("examples/hlo/transformer_block.hlo")
for operand, one in enumerate(module["qkv.product"].operand_maps()):
    print(f"operand id = {operand} {one}")
