// SPDX-License-Identifier: Apache-2.0
/// \file
/// Boxes of elements whose places do not change, from the formulas that define where an element is.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "reshard/parts/element_holders.h"
#include "reshard/pieces/piece_map.h"
#include "tessera/base/result.h"

namespace tessera::transfer {

/// A dimension that a distribution cuts, with its index as a sum of axes. A dimension that has copies of an
/// element comes once for each, one after another.
struct CutDimension {
  const ElementHolders* holders = nullptr;
  std::size_t dim = 0;
  AxisSum index;
};

/// The axes of an array or of a piece, and what depends on their values.
struct ElementAxes {
  std::vector<Index> sizes;
  std::vector<CutDimension> cuts;
  std::vector<PieceMap::Crop> crops;
  std::vector<bool> alone;  ///< axes whose every value may be in another tensor
};

/// Elements: `extent` of them, each `step` after the one before, as values of all axes.
struct ElementLoop {
  Index extent = 1;
  std::vector<Index> step;
};

/// A nest of loops from the first element on.
struct PlacedBox {
  std::vector<Index> first;
  std::vector<ElementLoop> loops;

  Index size() const;
};

/// Calls visit with disjoint boxes that together have all values of the axes inside the crops, until it
/// fails. In a box the parts of all cuts stay the same, each local index is the same sum of steps, and an
/// axis that is alone has one value. Reads no parts and no runs that a plan is made from.
Result<void> for_each_element_box(const ElementAxes& axes,
                                  const std::function<Result<void>(const PlacedBox&)>& visit);

}  // namespace tessera::transfer
