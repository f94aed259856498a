// SPDX-License-Identifier: Apache-2.0
// first error: not_representable<
// first error: {"stride"}
// first error: , 3,
// first error: {"(4,6,8):(2,3,5)"}
// first error: {"6:3"}
// at most 12 lines
#include "tessera/algebra/static_layout.h"
using namespace tessera;
[[maybe_unused]] constexpr auto refused_here = composition("(4,6,8):(2,3,5)"_layout, "6:3"_layout);
