// SPDX-License-Identifier: Apache-2.0
/// \file
/// The indices of a part as a box, each dimension of which is split into digits.
#pragma once

#include <optional>
#include <vector>

#include "notation/index_runs.h"
#include "relayout/dim_range.h"
#include "relayout/proof/index_nest.h"

namespace tessera::moving {

/// The box of indices that one part copies.
struct PartBox {
  std::vector<DimRange> ranges;  ///< one for each dimension
  /// The digits of each dimension, lowest first; `group` is the axis that steps through the digit.
  std::vector<detail::DimRun> runs;
};

/// The box of the nest's indices. Empty unless each digit is stepped through by one axis, and each axis takes
/// every combination of its digits' values exactly once.
std::optional<PartBox> box_of(const IndexNest& nest, const LayoutSides& sides);

}  // namespace tessera::moving
