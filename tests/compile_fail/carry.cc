// SPDX-License-Identifier: Apache-2.0
// first error: not_representable<
// first error: {"carry"}
// first error: {"(2,2):(1,10)"}
// at most 16 lines
#include "tessera/algebra/static_layout.h"
using namespace tessera;
[[maybe_unused]] constexpr auto refused_here = "(2,2):(1,10)"_layout("(2,2):(1,1)"_layout);
