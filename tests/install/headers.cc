// SPDX-License-Identifier: Apache-2.0
// Layouts at compile time, with only the headers of the library.
#include "tessera/algebra/static_layout.h"

using namespace tessera;
constexpr auto kTiles = "((2,2),(2,3)):((2,12),(1,4))"_layout;
static_assert(kTiles(2, 3) == 17);

int main() { return 0; }
