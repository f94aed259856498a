// SPDX-License-Identifier: Apache-2.0
/// \file
/// Products of ranges of axes, cut where a sum over axes enters or leaves an interval.
#pragma once

#include <span>
#include <vector>

#include "base/index_walk.h"
#include "reshard/pieces/axis_expression.h"
#include "reshard/pieces/piece_map.h"

namespace tessera::detail {

/// The values `first` to `first + count - 1` of an axis.
struct AxisRange {
  Index first = 0;
  Index count = 1;
};

/// One range for each axis of a piece.
using AxisBox = std::vector<AxisRange>;

/// The smallest and the largest value of a sum over a box.
struct SumRange {
  Index least = 0;
  Index most = 0;
};
SumRange range_of(const AxisSum& sum, const AxisBox& box);

/// Appends boxes of the points with begin <= sum < end. Requires nested terms: the coefficient of each axis
/// is greater than the range of the sum of the terms with smaller coefficients. At most two boxes per axis.
void restrict_sum(const AxisBox& box, const AxisSum& sum, Index begin, Index end, std::vector<AxisBox>& out);

/// Calls visit with one value for each axis in `chosen`, in all combinations. The ranges of the other axes do
/// not change.
template <class Visit>
void for_each_choice(const AxisBox& box, std::span<const std::size_t> chosen, Visit&& visit) {
  AxisBox at = box;
  for (const std::size_t axis : chosen) at[axis].count = 1;
  do {
    visit(std::as_const(at));
  } while (advance_last(chosen.size(), [&](std::size_t k) {
    const AxisRange& range = box[chosen[k]];
    return next_value(at[chosen[k]].first, range.first, range.first + range.count);
  }));
}

}  // namespace tessera::detail
