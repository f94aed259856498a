# SPDX-License-Identifier: Apache-2.0
# Lesson 2: the layout algebra.
tessera eval 'composition((6,2):(8,2), (4,3):(3,1))'
tessera eval 'zipped_divide((8,16):(16,1), <2,4>)'
tessera eval 'complement((2,2):(1,6), 24)'
