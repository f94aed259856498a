// SPDX-License-Identifier: Apache-2.0
// The values of an expression that are evenly spaced.
#pragma once

#include <optional>

#include "tessera/expr/expr.h"
#include "tessera/map/domain.h"

namespace tessera::detail {

// first, first + step, ..., first + last * step. A single value has step 0.
struct Progression {
  Index first = 0;
  Index step = 0;
  Index last = 0;  // the number of values minus one
};

// All values over the box of the domain (without its constraints), where each variable occurs once
// and sums leave no gaps: sums, multiples, quotients and remainders by constants. Nothing if that is not
// so, or a value leaves 64 bits. O(size of the tree).
std::optional<Progression> progression(Expr expr, const Domain& domain);

}  // namespace tessera::detail
