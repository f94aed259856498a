// SPDX-License-Identifier: Apache-2.0
/// \file
/// The common refinement of two digit forms: digits split where either side splits.
#pragma once

#include <span>

#include "relayout/limits.h"
#include "relayout/nest.h"
#include "tessera/notation/digits.h"

namespace tessera::moving {

/// The digit floor(x / unit) mod count of a dimension's index, with a stride in bytes on each side. If
/// `table` is set, there is no common stride: value t has the offsets of index t * unit.
struct RefinedDigit {
  Index unit = 1;
  Index count = 1;
  Index src = 0;
  Index dst = 0;
  bool table = false;
};

/// A dimension of extent >= 1 split into segments, lowest first, at the places where either side splits it.
struct RefinedDim {
  Index extent = 1;
  detail::InlineVector<RefinedDigit, kRelayoutLimits.nest_dims> segments = {};
};

/// A range of a dimension's indices that is a full box of digits: [corner, corner + count * unit of
/// `segment`). The segments above `segment` are constant, `segment` takes `count` values, and those below
/// take all of their values. Disjoint ranges cover the dimension. One range is enough if the extent is the
/// product of the segments' counts.
struct DigitRange {
  Index corner = 0;
  std::size_t segment = 0;
  Index count = 1;
};
/// The range that begins at `corner`; its `count` is 0 at the end of the dimension.
DigitRange digit_range_at(const RefinedDim& chain, Index corner);
/// The first index after a range.
Index end_of(const RefinedDim& chain, const DigitRange& range);

/// True if the digits of one dimension can be split at `unit`: then x mod unit and floor(x / unit) contribute
/// to the offset separately.
bool is_clean(std::span<const Digit> digits, Index unit);
/// The digit that changes when the index grows by `unit`; null if there are no digits.
const Digit* digit_at(std::span<const Digit> digits, Index unit);

/// Splits one dimension into segments from the digits of both sides, with strides scaled by `element_bytes`.
/// Returns false if a table would have more than kRelayoutLimits.plan.table_entries entries, or there are too
/// many digits.
bool refine(Index extent, std::span<const Digit> src, std::span<const Digit> dst, Index element_bytes,
            RefinedDim& chain);

}  // namespace tessera::moving
