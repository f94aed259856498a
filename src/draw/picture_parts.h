// SPDX-License-Identifier: Apache-2.0
// Axes, windows and cells, shared by all pictures.
#pragma once

#include "draw/tile_colors.h"
#include "tessera/draw/layout_picture.h"

namespace tessera::detail {

// The axis of a dimension over a range of its positions.
Axis axis_of(const ViewDim& dim, IndexRange range);

// An axis of plain numbers: first, first + step, ...
Axis plain_axis(std::string name, Index count, Index first = 0, Index step = 1);

// Checks that a window is not empty and lies inside `whole`, which messages call `of`. Errors:
// index_out_of_range.
Result<void> check_window(IndexRange range, IndexRange whole, const std::string& of);

// Completes a window to one range per dimension, each inside its extent. Errors: value_count,
// index_out_of_range.
Result<std::vector<IndexRange>> whole_window(const LayoutView& layout, const std::vector<IndexRange>& window);

// Checks the number of cells. Errors: limit, with a smaller window as the help.
Result<void> check_cells(const LayoutView& layout, const std::vector<IndexRange>& window);

bool has_tiles(const LayoutView& layout);

// Assigns colors to cells with offsets in [low, high].
struct Painter {
  const LayoutView& layout;
  Coloring color_by;
  Index bits;
  Index low = 0;
  Index high = 0;
  TileColors tiles = {};  // Coloring::tile

  Scale scale() const;
  int color(std::span<const Index> index, Index offset) const;
  void add_legend(Picture& picture) const;
  // Sets the color and the text of an element's cell.
  void paint(Cell& cell, CellText text, std::span<const Index> index, Index offset) const;
};

// What a cell shows by default: the bank if cells are colored by bank, else `otherwise`.
CellText text_for(const PictureOptions& options, CellText otherwise);

// The text of an element with this many bits.
std::string cell_text(CellText what, const LayoutView& layout, std::span<const Index> index, Index offset,
                      Index bits);

}  // namespace tessera::detail
