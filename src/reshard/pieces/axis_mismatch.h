// SPDX-License-Identifier: Apache-2.0
/// \file
/// Axes that only one side of a piece has: what the recipe must say about them.
#pragma once

#include <string>
#include <vector>

#include "reshard/pieces/axis_expression.h"
#include "reshard/pieces/piece_map.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// The axes of a piece that only one side has and that are not declared as copies.
struct AxisMismatch {
  std::string piece;              ///< `piece 'q'`, or `the piece without a name`
  std::string label;              ///< `q`
  std::vector<std::string> from;  ///< only in the source
  std::vector<std::string> to;    ///< only in the target
};

/// The error different_shape. Where both sides cut the same range into other parts, the help declares the
/// parts that both have in common, which changes no element. It never declares axes of both sides as copies.
Failure axes_differ(const AxisMismatch& mismatch, const PieceMap& from, const PieceMap& to,
                    const AxisSizes& sizes);

}  // namespace tessera::detail
