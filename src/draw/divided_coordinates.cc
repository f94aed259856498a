// SPDX-License-Identifier: Apache-2.0
#include "draw/divided_coordinates.h"

namespace tessera::detail {

// Adds the leaves from `from` to `to` as one part; tiles reach at most `reach` beyond its size.
bool DividedCoordinates::add(Cursor from, Cursor to, Index reach) {
  JoinedModes part{.size = 1, .room = 0};
  for (int i = from.leaf; i < to.leaf; ++i) {
    if (mul_overflows(stride_, part.size, layout_.stride[i])) return false;
    if (mul_overflows(part.size, layout_.extent[i], part.size)) return false;
  }
  if (add_overflows(part.size, reach, part.room)) return false;
  parts_.push_back(part);
  return !mul_overflows(stride_, part.room, stride_);
}

bool DividedCoordinates::spread(const Tiler& tiler, Cursor mode, Cursor tile) {
  const Profile& profile = layout_.profile;
  if (tiler.nesting.is_leaf(tile.node)) {
    // A tile and its complement reach less than twice the tile's span beyond the mode.
    Index reach = 0;
    if (tiler.kind[tile.leaf] != Tiler::Kind::everything) {
      const Outcome<Index> span = cosize(terminal(tiler, tile.leaf));
      if (!span || mul_overflows(*span, 2, reach)) return false;
    }
    return add(mode, after(profile, mode), reach);
  }
  const Cursor end = after(profile, mode);
  Cursor part = first_mode(profile, mode);
  Cursor below = first_mode(tiler.nesting, tile);
  for (int k = tiler.nesting.rank(tile.node); k > 0; --k) {
    if (!spread(tiler, part, below)) return false;
    part = after(profile, part);
    below = after(tiler.nesting, below);
  }
  return part.leaf == end.leaf || add(part, end, 0);
}

Result<DividedCoordinates> DividedCoordinates::make(const StridedLayout& layout, const Tiler& tiler) {
  DividedCoordinates out;
  out.layout_ = layout;
  if (!out.spread(tiler, {}, {}))
    return fail(Code::overflow, "the coordinates of the divided layout exceed 64 bits");
  return out;
}

std::optional<Index> DividedCoordinates::coordinate(Index number) const {
  Index coordinate = 0;
  Index below = 1;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const bool last = k + 1 == parts_.size();
    const Index index = last ? number : number % parts_[k].room;
    if (index >= parts_[k].size) return std::nullopt;
    coordinate += index * below;
    below *= parts_[k].size;
    number /= parts_[k].room;
  }
  return coordinate;
}

}  // namespace tessera::detail
