# SPDX-License-Identifier: Apache-2.0
# Lesson 4: digits. Each is dimension, div, extent, stride.
tessera convert 'f32[3,5]{1,0:T(2,2)}' --to digits --quiet
tessera at 'f32[3,5]{1,0:T(2,2)}' 2,3 --quiet
