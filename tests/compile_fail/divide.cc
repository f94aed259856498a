// SPDX-License-Identifier: Apache-2.0
// first error: refused<
// first error: {"rank_mismatch"}, 3, 2,
// first error: {"<2,2,2>"}
// at most 16 lines
#include "tessera/algebra/static_layout.h"
using namespace tessera;
[[maybe_unused]] constexpr auto refused_here = zipped_divide("(8,8):(1,8)"_layout, "<2,2,2>"_tiler);
