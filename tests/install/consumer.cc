// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "tessera/tessera.h"

int main() {
  const auto map = tessera::parse_index_map("(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 7]");
  if (!map) return 1;
  std::cout << to_string(tessera::simplify(*map)) << "\n";
  return tessera::parse_hlo("ENTRY e { ROOT p = f32[4]{0} parameter(0) }").ok() ? 0 : 1;
}
