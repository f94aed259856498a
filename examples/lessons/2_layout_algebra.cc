// SPDX-License-Identifier: Apache-2.0
// Lesson 2: the layout algebra. The compiler computes these layouts; one that does not exist does not
// compile.
#include <iostream>

#include "tessera/algebra/static_layout.h"
#include "tessera/notation/cute.h"

using namespace tessera;

int main() {
  constexpr auto composed = composition("(6,2):(8,2)"_layout, "(4,3):(3,1)"_layout);
  constexpr auto tiles = zipped_divide("(8,16):(16,1)"_layout, "<2,4>"_tiler);
  constexpr auto rest = complement("(2,2):(1,6)"_layout, 24_c);
  std::cout << to_string(composed.value) << "\n";
  std::cout << to_string(tiles.value) << "\n";
  std::cout << to_string(rest.value) << "\n";
}
