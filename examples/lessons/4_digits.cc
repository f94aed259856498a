// SPDX-License-Identifier: Apache-2.0
// Lesson 4: digits. Each is dimension, div, extent, stride.
#include <iostream>

#include "tessera/notation/digits.h"
#include "tessera/notation/layout.h"

using namespace tessera;

int main() {
  const Layout layout = parse_layout("f32[3,5]{1,0:T(2,2)}").value();
  std::cout << to_string(*layout.known_digits()) << "\n";
  Index offset = 0;
  const Index index[] = {2, 3};
  for (const Digit& digit : layout.known_digits()->digits())
    offset += digit.stride * (index[digit.dim] / digit.div % digit.ext);
  std::cout << offset << "\n";
}
