# SPDX-License-Identifier: Apache-2.0
# Lesson 8: move data.
printf abcdef > rows.raw
tessera copy rows.raw tiles.raw --from 'u8[2,3]{1,0}' --to 'u8[2,3]{1,0:T(2,2)}' --fill 46 --quiet
cat tiles.raw
echo
