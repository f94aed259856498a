// SPDX-License-Identifier: Apache-2.0
// The memory view: a grid over the offsets, with the coordinate at each.
#include "draw/memory_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/at_fault.h"
#include "base/index_walk.h"
#include "base/plural.h"
#include "draw/coordinate_text.h"
#include "draw/limits.h"
#include "draw/picture_parts.h"

namespace tessera::detail {
namespace {

constexpr Index kLongestMemoryRow = 32;

std::vector<Index> extents_of(const LayoutView& layout) {
  std::vector<Index> extents;
  for (const ViewDim& dim : layout.dims) extents.push_back(dim.extent);
  return extents;
}

Cell cell_at(Index offset, std::span<const Owner> owners, const LayoutView& layout, CellText text,
             const Painter& painter) {
  if (owners.empty()) return {.kind = Cell::Kind::padding, .coordinate = {}, .offset = offset};
  const std::vector<Index> index = index_of(layout, owners.front().place);
  Cell cell{.coordinate = coordinate_text(index), .offset = offset, .link = layout.linear_index(index)};
  painter.paint(cell, text, index, offset);
  if (owners.size() > 1) {
    if (!cell.text.empty()) {
      cell.text.insert(std::min(cell.text.find('\n'), cell.text.size()),
                       fmt::format("+{}", owners.size() - 1));
    }
    cell.detail = "also";
    for (std::size_t i = 1; i < std::min(owners.size(), kDrawLimits.named_owners + 1); ++i) {
      cell.detail += fmt::format(" ({})", coordinate_text(index_of(layout, owners[i].place)));
    }
    if (owners.size() > kDrawLimits.named_owners + 1)
      cell.detail += fmt::format(" and {} more", owners.size() - kDrawLimits.named_owners - 1);
  } else if (std::string natural = layout.natural(index); natural != cell.coordinate) {
    cell.detail = std::move(natural);
  }
  return cell;
}

}  // namespace

std::vector<Index> index_of(const LayoutView& layout, Index place) {
  return detail::index_with_number(extents_of(layout), place);
}

std::vector<Owner> owners_of(const LayoutView& layout) {
  std::vector<Owner> owners;
  if (layout.size() == 0) return owners;
  owners.reserve(static_cast<std::size_t>(layout.size()));
  const std::vector<Index> extents = extents_of(layout);
  std::vector<Index> index(extents.size(), 0);
  do {
    owners.push_back({layout.offset(index), static_cast<Index>(owners.size())});
  } while (detail::next_index(index, extents));
  std::ranges::sort(owners);
  return owners;
}

Index memory_row_length(const LayoutView& layout, Index count, Index wanted) {
  if (wanted > 0) return std::min(wanted, count);
  if (count <= 16) return count;
  Index row = 0;
  std::vector<Index> index(layout.dims.size(), 0);
  const Index first = layout.offset(index);
  for (std::size_t i = 0; i < index.size(); ++i) {
    std::vector<Index> steps = layout.dims[i].cuts;
    steps.push_back(1);
    for (const Index step : steps) {
      if (step >= layout.dims[i].extent) continue;
      index[i] = step;
      const Index stride = layout.offset(index) - first;
      index[i] = 0;
      if (stride >= 8 && stride <= kLongestMemoryRow) row = std::max(row, stride);
    }
  }
  return row > 0 ? row : std::min(kLongestMemoryRow, count);
}

Index drawn_bits(const LayoutView& layout, const PictureOptions& options) {
  return options.bits > 0 ? options.bits : layout.bits.value_or(32);
}

Result<Picture> memory_picture(const LayoutView& layout, const PictureOptions& options) {
  Picture picture{.title = layout.text};
  if (options.window.size() > 1) {
    return detail::at_fault(
        "window", fail(Code::value_count, fmt::format("the window has {}, but memory has one dimension",
                                                      detail::plural(options.window.size(), "range"))));
  }
  Index elements = 1;
  for (const ViewDim& dim : layout.dims) {
    if (mul_overflows(elements, dim.extent, elements)) elements = kIndexMax;
  }
  if (elements > kDrawLimits.sorted_elements) {
    return fail(Code::limit,
                fmt::format("the memory view takes at most {} elements; the layout has {}",
                            kDrawLimits.sorted_elements, elements),
                {}, "the index view has no such limit: leave out --view memory");
  }
  const std::vector<Owner> owners = owners_of(layout);
  if (owners.empty()) {
    picture.notes.emplace_back("the shape has an extent of 0: there are no elements");
    return picture;
  }
  const Index low = std::min<Index>(0, owners.front().offset);
  const Index high = std::max(owners.back().offset + 1, layout.buffer.value_or(0));
  IndexRange range = options.window.empty() ? IndexRange{low, high} : options.window[0];
  if (range.end == kIndexMax) range.end = high;
  if (Result<void> inside = check_window(range, {low, high}, "memory"); !inside) return fail(inside.error());
  const Index count = range.end - range.begin;
  if (count > kMaxCells) {
    return fail(Code::limit,
                fmt::format("the picture would have {} cells; the limit is {}", count, kMaxCells), {},
                fmt::format("draw a part: --window {}:{}", range.begin, range.begin + 1024));
  }
  Painter painter{.layout = layout,
                  .color_by = options.color_by,
                  .bits = drawn_bits(layout, options),
                  .low = low,
                  .high = high - 1,
                  .tiles = {}};
  if (painter.color_by == Coloring::automatic)
    painter.color_by = has_tiles(layout) ? Coloring::tile : Coloring::index;
  std::vector<Index> extents;
  for (const ViewDim& dim : layout.dims) extents.push_back(dim.extent);
  painter.tiles = tiles_between(layout, std::vector<Index>(extents.size(), 0), extents);
  painter.add_legend(picture);
  const CellText text = text_for(options, CellText::coordinate);
  const Index width = memory_row_length(layout, count, options.columns);
  Panel panel{.rows = ceil_div(count, width), .columns = width};
  panel.column_axis = plain_axis("offset", width);
  panel.row_axis = plain_axis("", panel.rows, range.begin, width);
  auto next = std::ranges::lower_bound(owners, range.begin, {}, &Owner::offset);
  bool padded = false;
  for (Index offset = range.begin; offset < range.begin + panel.rows * width; ++offset) {
    if (offset >= range.end) {
      panel.cells.push_back({.kind = Cell::Kind::none});
      continue;
    }
    auto last = next;
    while (last != owners.end() && last->offset == offset) ++last;
    panel.cells.push_back(cell_at(offset, {next, last}, layout, text, painter));
    padded = padded || next == last;
    next = last;
  }
  if (padded) picture.legend.push_back({-1, "padding"});
  picture.panels.push_back(std::move(panel));
  return picture;
}

}  // namespace tessera::detail
