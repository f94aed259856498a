// SPDX-License-Identifier: Apache-2.0
// first error: unreadable<
// first error: {"syntax"}, 4,
// first error: in shape"}
// first error: {"(2,3:(1,2)"}
// at most 16 lines
#include "tessera/algebra/static_layout.h"
using namespace tessera;
[[maybe_unused]] constexpr auto refused_here = "(2,3:(1,2)"_layout;
