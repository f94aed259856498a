// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts of a view where all cuts are digits of the row-major index.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "reshard/plan/planned_array.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// `size` positions of a mesh axis, after `pre` outer ones.
struct AxisFactor {
  std::size_t axis = 0;
  Index pre = 1;
  Index size = 1;
};

/// A cut of dimension `cut.dim` of the view. `cut.axes` is not set yet.
struct ViewCut {
  DimCut cut;
  std::vector<AxisFactor> over;  ///< the major one first
};

/// The cuts of each dimension of an array, in order of application, with dimensions counted from 0.
std::vector<std::vector<DimCut>> cuts_by_dim(const BoundDistribution& bound);

/// The cuts of a group of dimensions of the view, if every cut of the group is a digit of the row-major index
/// and so are the dimensions of the view. Then mesh axes are split where the dimensions of the view begin.
std::optional<std::vector<ViewCut>> digit_cuts(const BoundDistribution& bound, const DimGroup& group,
                                               std::span<const Index> view);

}  // namespace tessera::detail
