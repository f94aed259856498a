// SPDX-License-Identifier: Apache-2.0
/// \file
/// A quick proof that no two indices share an offset.
#pragma once

#include <span>

#include "tessera/notation/digits.h"

namespace tessera::detail {

/// The values of one part of a sum: their distances are at least `gap` and at most `span`.
struct OffsetSpread {
  Index gap = 0;
  Index span = 0;
};

/// Whether the gap of each part exceeds the total span of the smaller parts, as in a mixed radix. Then
/// different values of the parts have different sums; the converse does not hold. Sorts the parts by gap.
bool is_nested(std::span<OffsetSpread> parts);

/// The same with each digit as a part. O(digits log digits), without allocations.
bool is_nested(const Digits& digits);

}  // namespace tessera::detail
