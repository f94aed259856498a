// SPDX-License-Identifier: Apache-2.0
// Lesson 1: read a layout. value() stops the program if there is an error instead.
#include <iostream>

#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

using namespace tessera;

int main() {
  const Layout rows = parse_layout("(4,8):(8,1)").value();
  std::cout << rows.offset({2, 3}) << "\n";

  const Layout xla_rows = parse_layout("f32[4,8]{1,0}").value();
  const Layout xla_columns = parse_layout("f32[4,8]{0,1}").value();
  std::cout << to_string(equal(xla_rows, rows, EqualityNotion::map)) << "\n";
  std::cout << to_string(equal(xla_columns, rows, EqualityNotion::map)) << "\n";

  const Layout tiles = parse_layout("f32[3,5]{1,0:T(2,2)}").value();
  const std::vector<Index> index = indices_at(tiles, 17).value().indices[0];
  std::cout << "(" << index[0] << ", " << index[1] << ")\n";
}
