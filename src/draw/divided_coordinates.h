// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tessera/algebra/detail/tiler.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// The 1-D coordinates of a shape, numbered with gaps between the modes that a tiler divides: a tile that
/// overhangs its mode gets a number in a gap, where the compact layout would give a coordinate of the next
/// mode.
class DividedCoordinates {
 public:
  /// Requires that `tiler` divides the layout. Errors: overflow.
  static Result<DividedCoordinates> make(const StridedLayout& layout, const Tiler& tiler);

  /// A layout of the same shape whose offsets are these numbers; divide it like the original.
  const StridedLayout& layout() const { return layout_; }
  /// The 1-D coordinate (leftmost mode fastest) with this number; empty for a number in an overhang.
  std::optional<Index> coordinate(Index number) const;

 private:
  // Modes that the tiler divides as one: their numbers are below `room`, their coordinates below `size`.
  struct JoinedModes {
    Index size;
    Index room;
  };

  bool add(Cursor from, Cursor to, Index reach);
  bool spread(const Tiler& tiler, Cursor mode, Cursor tile);

  StridedLayout layout_;
  std::vector<JoinedModes> parts_;
  Index stride_ = 1;
};

}  // namespace tessera::detail
