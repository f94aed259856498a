// SPDX-License-Identifier: Apache-2.0
/// \file
/// The search for a padding, and what it shares with the searches for other fixes.
#pragma once

#include <optional>

#include "access/accessed_layout.h"
#include "base/cancellation.h"
#include "tessera/access/access.h"
#include "tessera/algebra/strided_layout.h"

namespace tessera::detail {

/// How many lanes the searches may still count.
class LaneBudget {
 public:
  /// Returns false if one more count would exceed the limit; all later calls return false too.
  bool take(Index lanes) { return (left_ -= lanes) >= 0 && !cancelled(); }
  bool exhausted() const { return left_ < 0; }

 private:
  Index left_ = Index{1} << 28;
};

/// The best member of a family of fixes, and how far the search came.
struct RankedFix {
  std::optional<Fix> best = {};
  Index tried = 0;       ///< members that were counted
  bool complete = true;  ///< false: the budget ended before all members were counted
};

/// The fewest wavefronts below `before` of layouts in which one stride is larger, in all ways that differ in
/// their banks; higher strides stay as they are, or grow in proportion. `problem` has the accesses to
/// `plain`. Tries paddings by whole blocks first, and by less only if these stay above `floor`.
RankedFix best_padding(const AccessedLayout& problem, const StridedLayout& plain, Index before, Index floor,
                       LaneBudget& budget);

}  // namespace tessera::detail
