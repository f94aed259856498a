// SPDX-License-Identifier: Apache-2.0
// std::mdspan over a tiled matrix.
#include "tessera/algebra/mdspan.h"

#include <cassert>
#include <mdspan>
#include <vector>

using namespace tessera;

int main() {
  // f32[3,5]{1,0:T(2,2)}: 3 rows and 5 columns in tiles of 2 by 2.
  using Tiled = layout_tessera<"((2,2),(2,3)):((2,12),(1,4))"_layout>;
  std::vector<float> memory(24);
  const std::mdspan<float, std::dextents<int, 2>, Tiled> matrix(
      memory.data(), Tiled::mapping<std::dextents<int, 2>>(std::dextents<int, 2>(3, 5)));
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 5; ++column) matrix[row, column] = static_cast<float>(10 * row + column);
  assert(memory[17] == 23);
  return memory[17] == 23 && matrix.extent(1) == 5 ? 0 : 1;
}
