// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sums and products of counts that stop at the largest Index.
#pragma once

#include "tessera/base/index.h"

namespace tessera::detail {

/// a + b and a * b for a, b >= 0; kIndexMax if they overflow.
constexpr Index saturating_add(Index a, Index b) { return checked_add(a, b).value_or(kIndexMax); }
constexpr Index saturating_mul(Index a, Index b) { return checked_mul(a, b).value_or(kIndexMax); }

}  // namespace tessera::detail
