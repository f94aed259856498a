// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures of layouts, their options, and the facts about a layout that go with them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/operands.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/draw/picture.h"
#include "tessera/notation/layout.h"
#include "tessera/placement/placement.h"

namespace tessera {

/// The offsets that hold an element, as runs of consecutive offsets.
struct OffsetRuns {
  Index count = 0;
  Index shortest = 0;
  Index longest = 0;
  /// The largest number that divides the first and the end offset of every run; 0 for the empty layout.
  Index alignment = 0;
  friend bool operator==(const OffsetRuns&, const OffsetRuns&) = default;
};

/// Facts about one layout, all exact; `unknown` lists the missing ones with their reasons. Offsets and sizes
/// are in elements.
struct LayoutFacts {
  std::string text = {};   ///< the layout with its prefix
  std::string order = {};  ///< how its notation orders dimensions
  Notation notation = Notation::strides;
  std::vector<Index> shape = {};
  Index size = 0;
  /// Smallest and largest offset; empty for the empty layout.
  std::optional<std::pair<Index, Index>> offsets = {};
  /// 1 + the largest offset, or 1 + largest - smallest if offsets are negative.
  std::optional<Index> cosize = {};
  std::optional<Index> buffer = {};
  std::optional<Index> bits = {};   ///< per element
  std::optional<Index> bytes = {};  ///< the buffer's size, rounded up
  /// Number of distinct offsets.
  std::optional<Index> image = {};
  /// Unused elements of the buffer.
  std::optional<Index> padding = {};
  std::optional<bool> injective = {};
  std::string witness = {};  ///< two indices that share an offset
  std::optional<OffsetRuns> runs = {};
  std::optional<Digits> digits = {};
  std::string no_digits = {};  ///< why `digits` is empty: `entangled`, ...
  IndexMap map;                ///< simplified
  std::vector<std::pair<std::string, std::string>> unknown = {};
};

/// Facts about a layout of any size, computed from its digits or by enumeration of at most 2^22 elements.
/// `bits` is the width of an element if the layout does not give it; 0: unknown.
LayoutFacts facts_of(const Layout& layout, Index bits = 0);

/// Names and values for display, in a fixed order.
std::vector<std::pair<std::string, std::string>> fact_rows(const LayoutFacts& facts);

/// One line: `shape (3,5), size 15, buffer 24, padding 9, injective`.
std::string fact_line(const LayoutFacts& facts);

/// One dimension as drawn.
struct ViewDim {
  std::string name;
  Index extent = 1;
  /// At least `extent`: positions from `extent` on are padding that occupies memory.
  Index drawn = 1;
  /// Tiles begin at multiples of these numbers; ascending, each greater than 1.
  std::vector<Index> cuts = {};
  /// The extents of a nested mode, leftmost and fastest first; empty for a plain dimension.
  std::vector<Index> leaves = {};
};

/// A function from the indices of a box to offsets, with its tiles and nesting.
struct LayoutView {
  std::string text;
  std::vector<ViewDim> dims;
  /// Defined for indices in [0, drawn) of each dimension.
  OffsetFunction offset;
  /// The nested coordinate, such as `(1,0),2`, of an index inside the extents.
  std::function<std::string(std::span<const Index>)> natural;
  /// Elements of memory, if known; offsets are then in [0, buffer).
  std::optional<Index> buffer = {};
  /// Bits of an element, if known.
  std::optional<Index> bits = {};
  /// Whether the first dimension varies fastest in 1-D indices (CuTe); otherwise the last one does.
  bool first_fastest = false;

  /// Number of elements.
  Index size() const;
  /// The 1-D index of an index inside the extents.
  Index linear_index(std::span<const Index> index) const;
};

/// The view of a layout. Padding is drawn where tiles overhang the shape, unless it exceeds three times the
/// number of elements. `text` is the title. Cost: that of to_digits.
LayoutView view_of(const Layout& layout, std::string text);

/// What the grid shows. index: a cell per coordinate. memory: a cell per offset.
enum class View : std::uint8_t { index, memory };

/// What the color of a cell means. automatic: in the index view the offset; in the memory view the tile, or
/// the 1-D index if the layout has no tiles.
enum class Coloring : std::uint8_t { automatic, offset, index, tile, bank, padding, none };
/// The coloring with this name, such as `tile`, if there is one.
std::optional<Coloring> parse_coloring(std::string_view word);

/// What a cell shows. automatic: the bank if colors are banks, else the offset in the index view and the
/// coordinate in the memory view. natural: the nested coordinate. bank: one of 32 banks of 4 bytes. both: the
/// coordinate above the offset.
enum class CellText : std::uint8_t { automatic, offset, coordinate, natural, index, bank, both, none };
/// The cell text with this name, such as `offset`, if there is one.
std::optional<CellText> parse_cell_text(std::string_view word);

/// Positions [begin, end) along one dimension.
struct IndexRange {
  Index begin = 0;
  Index end = 0;
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// `0:16,3,8:` is [0, 16), [3, 4), and [8, end): a missing end is kIndexMax. Errors: syntax,
/// number_range.
Result<std::vector<IndexRange>> parse_window(std::string_view text);

/// What a picture of a layout shows, and how much of it.
struct PictureOptions {
  View view = View::index;
  Coloring color_by = Coloring::automatic;
  CellText cell_text = CellText::automatic;
  /// One range per dimension, or one range of offsets for the memory view; dimensions without a range are
  /// shown whole.
  std::vector<IndexRange> window = {};
  /// Cells per row of the memory view and of 1-D layouts. 0: automatic.
  Index columns = 0;
  /// Bits of an element, for banks. 0: the layout's width, else 32.
  Index bits = 0;
};

/// The most cells of a picture: 256 by 256.
inline constexpr Index kMaxCells = Index{1} << 16;

/// The picture of a layout. Rows and columns of the index view are CuTe's first two modes, or the last two
/// dimensions of other notations; the other dimensions become grids side by side. A 1-D layout is broken into
/// rows. If a picture has more tiles than colors, cells also show the tile. Offsets are in elements. Errors:
/// limit (more than kMaxCells cells, or a memory view of more than 2^22 elements), index_out_of_range and
/// value_count (a window outside the layout). O(cells), the memory view O(elements).
Result<Picture> picture_of(const LayoutView& layout, const PictureOptions& options = {});

/// The index view and, for a whole layout with at most 4096 elements of memory, the memory view next to it in
/// the same colors. Errors: those of picture_of.
Result<Picture> linked_views(const LayoutView& layout, PictureOptions options = {});

/// Two layouts of one shape side by side. Cells whose offsets differ are marked, and a note counts them.
/// Errors: different_shape, and those of picture_of.
Result<Picture> comparison_of(const LayoutView& a, const LayoutView& b, const PictureOptions& options = {});

/// A thread-value layout, (thread, value) -> 1-D index of the tile (first dimension fastest), drawn on the
/// tile. Each cell shows its owner as `T3V1`, colored by the thread modulo 32; up to 8 owners are joined by
/// `|`. Errors: rank_mismatch (the layout does not have two dimensions, or the tile has more than two),
/// shape_mismatch (an index outside the tile), bad_extent, limit.
Result<Picture> thread_value_picture(const LayoutView& tv, std::vector<Index> tile,
                                     const PictureOptions& options = {});

/// The places of each element of a placement, `6:0:0|10:0:0`, up to 8 of them: a number for each axis, which
/// the caption names. Columns are the last dimension, rows the others; a 1-D box is broken into rows of 16.
/// The window has two ranges, rows and columns; without one, and with a width, only the part that fits is
/// shown. Colors are the values on the last axis of places. Errors: limit, index_out_of_range, value_count,
/// those of places.
Result<Picture> placement_picture(const Placement& placement, std::string title,
                                  const PictureOptions& options = {}, std::optional<Index> width = {});

/// Whether all axes are those of tensor memory: `TLane`, `TCol`.
bool is_tensor_memory(const Placement& placement);
/// Tensor memory as lanes by columns: the element of each cell, or padding. Errors: as placement_picture.
Result<Picture> tensor_memory_picture(const Placement& placement, std::string title,
                                      const PictureOptions& options = {}, std::optional<Index> width = {});

/// The layout and zipped_divide(layout, tiler): rows are positions inside a tile, columns are tiles; a tile
/// has the same color in both. Errors: those of the division, unsupported_codomain, limit.
Result<Picture> divide_figure(const ComposedLayout& layout, const Tiler& tiler);

/// `second`, `first` and composition(first, second): a cell of `second`, the cell of `first` that it maps to,
/// and the corresponding cell of the result share a color. Errors: those of the composition,
/// unsupported_codomain, limit.
Result<Picture> composition_figure(const ComposedLayout& first, const StridedLayout& second);

/// `block`, `grid`, logical_product(block, grid), and blocked_product if both have two modes: a copy of the
/// block has the same color everywhere. Errors: those of the product, unsupported_codomain, limit.
Result<Picture> product_figure(const ComposedLayout& block, const StridedLayout& grid);

}  // namespace tessera
