// SPDX-License-Identifier: Apache-2.0
// first error: unreadable<
// first error: {"not_congruent"}, 6,
// at most 16 lines
#include "tessera/algebra/static_layout.h"
using namespace tessera;
[[maybe_unused]] constexpr auto refused_here = layout<"(2,3):(1,(2,3))">;
