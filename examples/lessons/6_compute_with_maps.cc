// SPDX-License-Identifier: Apache-2.0
// Lesson 6: compute with maps.
#include <iostream>

#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

using namespace tessera;

IndexMap read(const char* text) { return parse_index_map(text).value(); }

int main() {
  std::cout << to_string(simplify(read("(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 7]"))) << "\n";

  const IndexMap reverse = read("(d0) -> (15 - d0), domain: d0 in [0, 15]");
  const IndexMap every_second = read("(d0) -> (d0 * 2), domain: d0 in [0, 15]");
  std::cout << to_string(simplify(compose(reverse, every_second).value())) << "\n";

  const IndexMap reshape = read("(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 31]");
  std::cout << to_string(inverse(reshape).value()) << "\n";

  const IndexMap sum = read("(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, 3]");
  std::cout << to_string(count_image(sum)) << "\n";
}
