// SPDX-License-Identifier: Apache-2.0
// Colors of tiles: a different one for each tile if there are enough.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/draw/layout_picture.h"
#include "tessera/draw/picture.h"

namespace tessera::detail {

// The scale for this many classes; each has its own color if the scale has enough steps.
Scale class_scale(Index classes);

// The tiles that a picture shows, numbered in each direction.
class TileColors {
 public:
  TileColors() = default;
  TileColors(std::vector<Index> first, std::vector<Index> count);

  Scale scale() const { return class_scale(total_); }
  // Whether colors repeat because there are more tiles than colors. Then neighbors, including diagonal ones,
  // still differ, and cells name their tile.
  bool repeat() const { return total_ > kMaxClasses; }
  int color(std::span<const Index> tile) const;
  // Sets the legend's title. If colors repeat, the title says so, and a note explains the tile numbers in
  // cells. `one` and `many` are the singular and the plural of the tiles' name.
  void add_legend(Picture& picture, const char* title, const char* one, const char* many) const;
  // If colors repeat, adds a line with the tile's number: `[1,2]`.
  void add_number(Cell& cell, std::span<const Index> tile) const;

 private:
  std::vector<Index> first_;
  std::vector<Index> count_;
  Index total_ = 1;  // counted up to kMaxClasses + 1
};

// The tile of an index: its number along each tiled dimension, for the largest tiles.
std::vector<Index> tile_of(const LayoutView& layout, std::span<const Index> index);

// The tiles of the indices [begin, end).
TileColors tiles_between(const LayoutView& layout, std::span<const Index> begin, std::span<const Index> end);

}  // namespace tessera::detail
