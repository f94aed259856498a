// SPDX-License-Identifier: Apache-2.0
/// \file
/// The smallest and the largest offset of digits over a box.
#pragma once

#include <span>

#include "tessera/base/index.h"
#include "tessera/expr/expr.h"
#include "tessera/notation/digits.h"

namespace tessera::detail {

/// The offsets of the indices x with first[d] <= x[d] <= last[d]. Exact if they fit in 64 bits. Requires
/// 0 <= first[d] <= last[d] < digits.box()[d]. O(digits).
Interval offset_bounds(const Digits& digits, std::span<const Index> first, std::span<const Index> last);

/// As above, of all indices of the box. Does not allocate.
Interval offset_bounds(const Digits& digits);

}  // namespace tessera::detail
