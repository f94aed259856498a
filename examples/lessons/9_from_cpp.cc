// SPDX-License-Identifier: Apache-2.0
// Lesson 9: from C++. A Result is a value or a Diagnostic; nothing throws.
#include <iostream>

#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

using namespace tessera;

void print(const Result<IndexMap>& map) {
  if (map) {
    std::cout << to_string(simplify(*map)) << "\n";
  } else {
    std::cout << "error: " << map.error().message << "\n";
  }
}

int main() {
  print(parse_index_map("(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 7]"));
  print(parse_index_map("(d0) -> (d0 / 0), domain: d0 in [0, 7]"));
}
