// SPDX-License-Identifier: Apache-2.0
// first error: a stride is negative
#include "tessera/algebra/mdspan.h"
using namespace tessera;
[[maybe_unused]] constexpr auto& refused_here = layout_tessera<"(4,8):(-8,1)"_layout>::layout();
