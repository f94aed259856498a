// SPDX-License-Identifier: Apache-2.0
// Lesson 3: one layout, five languages.
#include <iostream>

#include "tessera/notation/conversion.h"

using namespace tessera;

int main() {
  const Layout layout = parse_layout("f32[4,8]{1,0:T(4,4)}").value();
  for (const Notation notation : {Notation::cute, Notation::morello, Notation::linear, Notation::map})
    std::cout << to_string(convert(layout, notation).value().layout) << "\n";
}
