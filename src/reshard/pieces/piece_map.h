// SPDX-License-Identifier: Apache-2.0
/// \file
/// The elements that axis expressions describe: where each piece is in a stored tensor.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reshard/pieces/axis_expression.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"

namespace tessera {

/// A sum of elementary axes: `constant + sum of coefficient * axis`, axes by their number in a PieceMap.
struct AxisSum {
  Index constant = 0;
  std::vector<std::pair<std::size_t, Index>> terms = {};
};

/// The positions of the elements of one piece in one stored tensor. The map is injective.
struct PieceMap {
  struct Axis {
    std::string name;
    Index size = 1;
  };
  /// Only the values of a composite axis below `size` have elements.
  struct Crop {
    AxisSum value;
    Index size = 0;
  };
  std::string piece = {};       ///< labels on the path, joined with '.'
  std::vector<Axis> axes = {};  ///< elementary axes, by name
  AxisSum place = {};
  bool has_place = false;
  std::vector<AxisSum> index = {};  ///< of each dimension
  std::vector<Crop> crops = {};
};

/// One map for each combination of branches that has elements, in the order of the text. Their images are
/// disjoint and cover the tensor except its padding. Errors: limit (more than 2^16 maps).
Result<std::vector<PieceMap>> lower(const AxisExpression& expression, const AxisSizes& sizes);

/// Sets the crops of a map: a cropped axis applies if all its parts are axes of the map, wherever they are.
void add_crops(PieceMap& map, const AxisSizes& sizes);

/// The map from the elementary axes to the place, if there is one, and the stored index.
IndexMap to_index_map(const PieceMap& piece);

/// Consecutive indices of one dimension that belong to one piece; padding has the piece `_`.
struct PieceRun {
  Index first = 0;
  Index count = 0;
  std::string piece = {};
  friend bool operator==(const PieceRun&, const PieceRun&) = default;
};

/// Which indices of a dimension belong to which piece. Errors: limit (more than 2^20 runs).
Result<std::vector<PieceRun>> piece_runs(const AxisExpression& expression, std::size_t dim);

}  // namespace tessera
