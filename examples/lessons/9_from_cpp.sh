# SPDX-License-Identifier: Apache-2.0
# Lesson 9, from a shell: an error as JSON.
tessera map simplify '(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 7]'
tessera map simplify '(d0) -> (d0 / 0), domain: d0 in [0, 7]' --json 2> /dev/null |
  sed 's/.*"message":"\([^"]*\)".*/error: \1/'
