// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures of layouts: what to draw, and the pictures themselves.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/draw/layout_view.h"
#include "tessera/draw/picture.h"

namespace tessera {

/// index: a grid over the coordinates; memory: a grid over the offsets.
enum class View : std::uint8_t { index, memory };

/// What the colour of a cell says. automatic: the offset in the index view, the tile or else the 1-D index in
/// the memory view.
enum class Coloring : std::uint8_t { automatic, offset, index, tile, bank, padding, none };
std::optional<Coloring> parse_coloring(std::string_view word);

/// What a cell shows. automatic: the offset in the index view, the coordinate in the memory view. natural:
/// the coordinate with its nesting. bank: of 32 with 4 bytes each. both: coordinate and offset, one below the
/// other.
enum class CellText : std::uint8_t { automatic, offset, coordinate, natural, index, bank, both, none };
std::optional<CellText> parse_cell_text(std::string_view word);

/// The positions [begin, end) of one dimension.
struct IndexRange {
  Index begin = 0;
  Index end = 0;
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// `0:16,3,8:` is [0, 16), [3, 4), and all from 8 on: the missing end is kIndexMax. Errors: syntax,
/// number_range.
Result<std::vector<IndexRange>> parse_window(std::string_view text);

struct PictureOptions {
  View view = View::index;
  Coloring color_by = Coloring::automatic;
  CellText cell_text = CellText::automatic;
  /// One range a dimension, or one of offsets for the memory view; fewer: the rest is shown whole.
  std::vector<IndexRange> window = {};
  /// Cells of a row: of the memory view, and of layouts with one dimension. 0: chosen.
  Index columns = 0;
  /// Bits of an element, for banks of 32 bits. 0: what the layout says, else 32.
  Index bits = 0;
};

/// The most cells of a picture: 256 by 256.
inline constexpr Index kMaxCells = Index{1} << 16;

/// The picture of a layout. Two dimensions of the index view are rows and columns (of CuTe's the first two,
/// else the last two), the others become grids side by side; one dimension is broken into rows. Offsets in
/// elements. Errors: limit (more than kMaxCells cells, or a memory view of more than 2^22 elements),
/// index_out_of_range and value_count (a window that the layout has not). O(cells), the memory view
/// O(elements).
Result<Picture> picture_of(const LayoutView& layout, const PictureOptions& options = {});

/// The index view and, of a layout with at most 4096 elements of memory that is shown whole, the memory view
/// beside it in the same colours. Errors: those of picture_of.
Result<Picture> linked_views(const LayoutView& layout, PictureOptions options = {});

/// Two layouts of one shape side by side; cells whose offsets differ are marked, and a note counts them.
/// Errors: different_shape, and those of picture_of.
Result<Picture> comparison_of(const LayoutView& a, const LayoutView& b, const PictureOptions& options = {});

/// A thread-value layout, (thread, value) -> 1-D index of the tile (first dimension fastest), drawn on the
/// tile: each cell shows its owner as `T3V1` and has the colour of the thread. Of several owners the first is
/// shown. Errors: rank_mismatch (the layout has not two dimensions, the tile not one or two), shape_mismatch
/// (an index beyond the tile), limit.
Result<Picture> thread_value_picture(const LayoutView& tv, std::vector<Index> tile,
                                     const PictureOptions& options = {});

}  // namespace tessera
