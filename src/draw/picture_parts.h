// SPDX-License-Identifier: Apache-2.0
// Pieces that all pictures are made of.
#pragma once

#include "tessera/draw/layout_picture.h"

namespace tessera::detail {

// The axis of a dimension over a range of its positions.
Axis axis_of(const ViewDim& dim, IndexRange range);

// An axis of plain numbers: first, first + step, ...
Axis plain_axis(std::string name, Index count, Index first = 0, Index step = 1);

// One range a dimension, inside of the dimension. Errors: value_count, index_out_of_range.
Result<std::vector<IndexRange>> whole_window(const LayoutView& layout, const std::vector<IndexRange>& window);

// Errors: limit, with a window that would do.
Result<void> check_cells(const LayoutView& layout, const std::vector<IndexRange>& window);

// A colour for the tile with this number in each direction, of `count` tiles in each. Up to eight tiles have
// a colour each; of more, neighbours differ, diagonal ones too.
int tile_color(std::span<const Index> tile, std::span<const Index> count);

// The number of the tile an index lies in: of the largest tiles of each dimension.
int tile_color(const LayoutView& layout, std::span<const Index> index);
bool has_tiles(const LayoutView& layout);

// The rule behind a colouring, over offsets in [low, high].
struct Painter {
  const LayoutView& layout;
  Coloring color_by;
  Index bits;
  Index low = 0;
  Index high = 0;

  Scale scale() const;
  int color(std::span<const Index> index, Index offset) const;
  void add_legend(Picture& picture) const;
};

// What the cell of an element with so many bits shows.
std::string cell_text(CellText what, const LayoutView& layout, std::span<const Index> index, Index offset,
                      Index bits);

}  // namespace tessera::detail
