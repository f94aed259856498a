// SPDX-License-Identifier: Apache-2.0
// The index view: a grid over the coordinates.
#include "draw/index_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/index_walk.h"
#include "draw/coordinate_text.h"
#include "draw/memory_picture.h"
#include "draw/picture_parts.h"

namespace tessera::detail {
namespace {

// A one-dimensional layout gets rows of one tile, up to this length.
constexpr Index kLongestRow = 32;

struct Drawer {
  const LayoutView& layout;
  const PictureOptions& options;
  const Painter& painter;
  CellText text;

  Cell cell(std::span<const Index> index) const {
    const Index offset = layout.offset(index);
    Cell cell{.coordinate = coordinate_text(index), .offset = offset};
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (index[i] >= layout.dims[i].extent) cell.kind = Cell::Kind::padding;
    }
    if (cell.kind == Cell::Kind::padding) {
      if (text == CellText::offset || text == CellText::both) cell.text = fmt::format("{}", offset);
      return cell;
    }
    painter.paint(cell, text, index, offset);
    cell.link = layout.linear_index(index);
    if (std::string natural = layout.natural(index); natural != cell.coordinate) {
      cell.detail = std::move(natural);
    }
    return cell;
  }

  // The only dimension, broken into rows.
  Panel wrapped(IndexRange range) const {
    const Index count = range.end - range.begin;
    const Index width = index_row_length(layout.dims[0], count, options.columns);
    Panel panel{.rows = ceil_div(count, width), .columns = width};
    ViewDim columns = layout.dims[0];
    // Keeps only cuts that are at the same columns in every row.
    std::erase_if(columns.cuts, [&](Index cut) { return panel.rows > 1 && width % cut != 0; });
    panel.column_axis = panel.rows > 1 ? plain_axis(columns.name, width) : axis_of(columns, range);
    if (panel.rows > 1) {
      for (Index p = 0; p <= width; ++p) {
        panel.column_axis.cuts[static_cast<std::size_t>(p)] = static_cast<int>(std::min<std::ptrdiff_t>(
            std::ranges::count_if(columns.cuts, [&](Index cut) { return p % cut == 0; }), 2));
      }
      panel.row_axis = plain_axis("", panel.rows, range.begin, width);
    } else {
      panel.row_axis = {.levels = {}, .cuts = {0, 0}};
    }
    for (Index p = range.begin; p < range.begin + panel.rows * width; ++p) {
      panel.cells.push_back(p < range.end ? cell(std::span(&p, 1)) : Cell{.kind = Cell::Kind::none});
    }
    return panel;
  }

  Panel plane(std::vector<Index> index, std::size_t row, std::size_t column, IndexRange rows,
              IndexRange columns) const {
    Panel panel{.rows = rows.end - rows.begin,
                .columns = columns.end - columns.begin,
                .row_axis = axis_of(layout.dims[row], rows),
                .column_axis = axis_of(layout.dims[column], columns)};
    for (index[row] = rows.begin; index[row] < rows.end; ++index[row]) {
      for (index[column] = columns.begin; index[column] < columns.end; ++index[column]) {
        panel.cells.push_back(cell(index));
      }
    }
    return panel;
  }

  // Adds one panel for each plane of a layout with two or more dimensions; the other dimensions are in C
  // order.
  void planes(const std::vector<IndexRange>& window, Picture& picture) const {
    const std::size_t rank = window.size();
    const std::size_t row = layout.first_fastest ? 0 : rank - 2;
    std::vector<Index> begin;
    std::vector<Index> end;
    for (std::size_t i = 0; i < rank; ++i) {
      const bool inside = i == row || i == row + 1;
      begin.push_back(window[i].begin);
      end.push_back(inside ? window[i].begin + 1 : window[i].end);
    }
    std::vector<Index> index = begin;
    do {
      Panel panel = plane(index, row, row + 1, window[row], window[row + 1]);
      for (std::size_t i = 0; i < rank; ++i) {
        if (i == row || i == row + 1) continue;
        panel.caption +=
            fmt::format("{}{} = {}", panel.caption.empty() ? "" : ", ", layout.dims[i].name, index[i]);
      }
      picture.panels.push_back(std::move(panel));
    } while (detail::next_index(index, begin, end));
  }
};

// Longer rows or columns show only colors, unless the options ask for text.
constexpr Index kLongestWithText = 64;

// The elements in a window.
struct WindowBox {
  std::vector<Index> begin;
  std::vector<Index> end;
  bool empty = false;

  WindowBox(const LayoutView& layout, const std::vector<IndexRange>& window) {
    for (std::size_t i = 0; i < window.size(); ++i) {
      begin.push_back(window[i].begin);
      end.push_back(std::min(window[i].end, layout.dims[i].extent));
      empty = empty || begin[i] >= end[i];
    }
  }
};

// Smallest and largest offset.
std::pair<Index, Index> offsets_in(const LayoutView& layout, const WindowBox& box) {
  if (box.empty) return {0, 0};
  std::vector<Index> index = box.begin;
  Index low = layout.offset(index);
  Index high = low;
  do {
    const Index offset = layout.offset(index);
    low = std::min(low, offset);
    high = std::max(high, offset);
  } while (detail::next_index(index, box.begin, box.end));
  return {low, high};
}

}  // namespace

Index index_row_length(const ViewDim& dim, Index count, Index wanted) {
  if (wanted > 0) return std::min(wanted, std::max<Index>(count, 1));
  if (count <= kLongestRow) return std::max<Index>(count, 1);
  Index row = 0;
  for (const Index cut : dim.cuts) {
    if (cut >= 8 && cut <= kLongestRow) row = cut;
  }
  return row > 0 ? row : kLongestRow;
}

Result<Picture> index_picture(const LayoutView& layout, const PictureOptions& options) {
  const Result<std::vector<IndexRange>> window = whole_window(layout, options.window);
  if (!window) return fail(window.error());
  if (const Result<void> checked = check_cells(layout, *window); !checked) return fail(checked.error());
  Picture picture{.title = layout.text};
  if (std::ranges::any_of(*window, [](IndexRange range) { return range.begin == range.end; })) {
    picture.notes.emplace_back("the shape has an extent of 0: there are no elements");
    return picture;
  }
  const WindowBox box(layout, *window);
  const auto [low, high] = offsets_in(layout, box);
  const Painter painter{
      .layout = layout,
      .color_by = options.color_by == Coloring::automatic ? Coloring::offset : options.color_by,
      .bits = drawn_bits(layout, options),
      .low = low,
      .high = high,
      .tiles = tiles_between(layout, box.begin, box.end)};
  painter.add_legend(picture);
  const CellText text = text_for(options, CellText::offset);
  const Drawer drawer{layout, options, painter, text};
  if (layout.dims.empty()) {
    picture.panels.push_back({.rows = 1,
                              .columns = 1,
                              .row_axis = {.cuts = {0, 0}},
                              .column_axis = {.cuts = {0, 0}},
                              .cells = {drawer.cell({})}});
  } else if (layout.dims.size() == 1) {
    picture.panels.push_back(drawer.wrapped((*window)[0]));
  } else {
    drawer.planes(*window, picture);
  }
  for (Panel& panel : picture.panels) {
    // If tiles share colors, their numbers distinguish them.
    panel.draws_text = options.cell_text != CellText::automatic ||
                       (options.color_by == Coloring::tile && painter.tiles.repeat()) ||
                       std::max(panel.rows, panel.columns) <= kLongestWithText;
  }
  const bool padded = std::ranges::any_of(picture.panels, [](const Panel& panel) {
    return std::ranges::any_of(panel.cells, [](const Cell& c) { return c.kind == Cell::Kind::padding; });
  });
  if (padded) picture.legend.push_back({-1, "padding"});
  return picture;
}

}  // namespace tessera::detail
