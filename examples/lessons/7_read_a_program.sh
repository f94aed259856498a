# SPDX-License-Identifier: Apache-2.0
# Lesson 7: read a program.
tessera hlo examples/hlo/transformer_block.hlo --op qkv.product | tail -2
