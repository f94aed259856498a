# SPDX-License-Identifier: Apache-2.0
# Lesson 1: read a layout.
tessera at '(4,8):(8,1)' 2,3 --quiet
tessera equal 'f32[4,8]{1,0}' '(4,8):(8,1)' --quiet
tessera equal 'f32[4,8]{0,1}' '(4,8):(8,1)' --quiet
tessera at --inverse 'f32[3,5]{1,0:T(2,2)}' 17 --quiet
