// SPDX-License-Identifier: Apache-2.0
/// \file
/// The values of a result in a tile as one arithmetic progression.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tile/piece.h"

namespace tessera::detail {

inline constexpr const char* kTooManyCases = "the conditions on the sizes have too many cases";

/// Adds a condition to a constraint on parameters in `box`; false, if there are more than kTileLimits.cases
/// cases.
bool add_cases(TileConstraint& where, const TileConstraint& added, std::span<const Interval> box);

/// A sum of pieces as one arithmetic progression.
struct ResultTile {
  Expr size = Expr::constant(1);
  Expr stride = {};
  Expr shift = {};  ///< the first value of the progression minus the value at the offsets
  TileConstraint constraint = {};
  TileConstraint edges = {};
  bool masked = false;  ///< cutting the piece with the largest coefficient cuts the progression
  /// The constraints have more than kTileLimits.cases cases, and the other fields say nothing.
  bool crowded = false;
};

/// The sum of pieces as one progression.
ResultTile join(const Frame& frame, std::vector<Piece> pieces);

}  // namespace tessera::detail
