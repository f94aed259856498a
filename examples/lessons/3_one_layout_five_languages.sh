# SPDX-License-Identifier: Apache-2.0
# Lesson 3: one layout, five languages.
for notation in cute morello linear map; do
  tessera convert 'f32[4,8]{1,0:T(4,4)}' --to $notation --quiet
done
