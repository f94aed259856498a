// SPDX-License-Identifier: Apache-2.0
// Lesson 5: read an index map.
#include <iostream>

#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

using namespace tessera;

int main() {
  const IndexMap map = parse_index_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]").value();
  const Index point[] = {2, 5};
  std::cout << to_string(fix_variables(map, point).value()) << "\n";
}
