// SPDX-License-Identifier: Apache-2.0
// first error: refused<
// first error: {"non_injective"}, 1, 2,
// first error: {"(2,2):(1,1)"}
// at most 16 lines
#include "tessera/algebra/static_layout.h"
using namespace tessera;
[[maybe_unused]] constexpr auto refused_here = complement("(2,2):(1,1)"_layout, 8_c);
