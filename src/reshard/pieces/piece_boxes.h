// SPDX-License-Identifier: Apache-2.0
/// \file
/// The elements of matched pieces as boxes between stored tensors.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "reshard/pieces/axis_box.h"
#include "reshard/pieces/pieces.h"
#include "tessera/relayout/plan.h"

namespace tessera {

/// One stored tensor: a tensor of a PieceMatch with the axes in its name replaced by values, at one place.
struct PieceBuffer {
  std::size_t tensor = 0;  ///< number in the list that the match was made from
  std::string name = {};
  Index place = 0;  ///< 0 if there are no places
};

/// The elements of a box on one side: element `v`, one value for each axis of a range of the box, has the
/// local index `index[d](v) + shift[d]`. Without a distribution there is no shift.
struct PieceBoxSide {
  std::span<const AxisSum> index;
  std::span<const Index> shift;
};

/// Elements of a piece that move from one stored tensor to another. `axes` has the values of the axes that
/// determine these two tensors.
struct PieceBox {
  const MatchedPiece& piece;
  PieceBuffer from;
  PieceBuffer to;
  StridedMove box;
  std::span<const std::pair<std::string_view, Index>> axes;
  std::span<const detail::AxisRange> ranges = {};  ///< of all axes of both sides
  PieceBoxSide from_index = {};
  PieceBoxSide to_index = {};
};

/// Calls visit for boxes that cover every piece: each element of the target once, read from one of its
/// copies. Local arrays of distributed tensors are row-major. Errors: limit (more than 2^22 boxes).
Result<void> for_each_piece_box(const PieceMatch& match, const std::function<void(const PieceBox&)>& visit);

/// Calls visit for boxes between copies in the source: from the first copy of an element, to another. Copies
/// come from axes that only the source has, and from replicated distributions. Errors: as above.
Result<void> for_each_copy_box(const PieceMatch& match, const std::function<void(const PieceBox&)>& visit);

}  // namespace tessera
