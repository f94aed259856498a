// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts of a view whose parts have any sizes: found from the sets of indices that the places hold.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/try.h"
#include "reshard/plan/planned_array.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// A group of dimensions of the view cut by a grid of its own, whose cells hold the parts of the group.
struct ViewGrid {
  std::vector<DimCut> cuts;          ///< one for each dimension of the group, over one axis
  std::vector<Index> counts;         ///< cells in each dimension
  std::vector<std::size_t> part_of;  ///< for each cell, row-major: the number of the part of the group
};

/// Divides a group of dimensions of the view as the parts of the array do. Errors: those of
/// view_distribution.
Result<ViewGrid> grid_cuts(const BoundDistribution& bound, const DimGroup& group,
                           std::span<const Index> view);

}  // namespace tessera::detail
