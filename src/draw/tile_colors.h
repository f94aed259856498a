// SPDX-License-Identifier: Apache-2.0
// Colors of tiles: one each while there are enough.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/draw/layout_view.h"
#include "tessera/draw/picture.h"

namespace tessera::detail {

// The scale for this many classes; each has its own color if there are enough steps.
Scale class_scale(Index classes);

// The tiles that a picture shows, numbered in each direction.
class TileColors {
 public:
  TileColors() = default;
  TileColors(std::vector<Index> first, std::vector<Index> count);

  Scale scale() const { return class_scale(total_); }
  // More tiles than colors: only neighbors, also diagonal ones, surely differ, and cells name their tile.
  bool repeat() const { return total_ > kMaxClasses; }
  int color(std::span<const Index> tile) const;
  // `one color, one tile`, and where colors repeat a note on what cells add.
  void add_legend(Picture& picture, const char* title, const char* one, const char* many) const;
  // Where colors repeat, a line with the tile's number: `[1,2]`.
  void add_number(Cell& cell, std::span<const Index> tile) const;

 private:
  std::vector<Index> first_;
  std::vector<Index> count_;
  Index total_ = 1;  // at most kMaxClasses + 1 is counted
};

// The tile of an index, among the largest tiles of each dimension that has tiles.
std::vector<Index> tile_of(const LayoutView& layout, std::span<const Index> index);

// The tiles of the indices [begin, end).
TileColors tiles_between(const LayoutView& layout, std::span<const Index> begin, std::span<const Index> end);

}  // namespace tessera::detail
