// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of an array in the dimensions of a view, in units that none of them divides.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/try.h"
#include "reshard/plan/planned_array.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// A group of dimensions of a view with all indices in units: the largest blocks of the row-major index that
/// no part and no dimension divides.
struct UnitGroup {
  const BoundDistribution& bound;
  const DimGroup& group;
  std::span<const Index> view;
  std::vector<DimPart> parts;        ///< of the flattened group
  std::vector<Index> shape;          ///< of the dimensions of the view, in units
  Index unit = 1;                    ///< elements of the flattened group
  std::vector<Index> unit_extents;   ///< indices of each dimension that a unit has
  std::vector<std::size_t> part_of;  ///< of each unit, row-major
};

/// Divides a group. The arguments must outlive it. Errors: limit (more than 2^22 units).
Result<UnitGroup> unit_group(const BoundDistribution& bound, const DimGroup& group,
                             std::span<const Index> view);

/// The index of the view of a unit's first element, with 0 in the dimensions outside the group.
std::vector<Index> view_index(const UnitGroup& units, std::span<const Index> in_units);

/// The first place that holds an index of the view. Some place does.
Index place_holding(const UnitGroup& units, std::span<const Index> index);

}  // namespace tessera::detail
