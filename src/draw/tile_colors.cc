// SPDX-License-Identifier: Apache-2.0
#include "draw/tile_colors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace tessera::detail {

Scale class_scale(Index classes) {
  if (classes <= kCategories) return {Scale::Kind::categorical, kCategories};
  return {Scale::Kind::banded, static_cast<int>(std::min<Index>(classes, kMaxClasses))};
}

TileColors::TileColors(std::vector<Index> first, std::vector<Index> count)
    : first_(std::move(first)), count_(std::move(count)) {
  for (const Index n : count_) {
    total_ = std::min<Index>(total_ * std::min<Index>(n, kMaxClasses + 1), kMaxClasses + 1);
  }
}

int TileColors::color(std::span<const Index> tile) const {
  Index number = 0;
  for (std::size_t i = 0; i < tile.size(); ++i) {
    const Index at = tile[i] - first_[i];
    if (repeat()) {
      // The weights 1, 3, 5, ... and the sums and differences of two adjacent weights are not multiples of
      // 32, so that neighbors, including diagonal ones, differ in color.
      number += at % kMaxClasses * static_cast<Index>(2 * (tile.size() - 1 - i) + 1);
    } else {
      number = number * count_[i] + at;
    }
  }
  return static_cast<int>(number % kMaxClasses);
}

void TileColors::add_legend(Picture& picture, const char* title, const char* one, const char* many) const {
  picture.legend_title = repeat() ? fmt::format("neighboring {} differ in color", many) : title;
  if (repeat())
    picture.notes.push_back(fmt::format("[i,j] names the {}: there are more {} than colors", one, many));
}

void TileColors::add_number(Cell& cell, std::span<const Index> tile) const {
  if (!repeat()) return;
  cell.text += fmt::format("{}[{}]", cell.text.empty() ? "" : "\n", fmt::join(tile, ","));
}

std::vector<Index> tile_of(const LayoutView& layout, std::span<const Index> index) {
  std::vector<Index> tile;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::vector<Index>& cuts = layout.dims[i].cuts;
    if (!cuts.empty()) tile.push_back(index[i] / cuts.back());
  }
  return tile;
}

TileColors tiles_between(const LayoutView& layout, std::span<const Index> begin, std::span<const Index> end) {
  std::vector<Index> last(end.begin(), end.end());
  for (Index& i : last) i = std::max<Index>(i - 1, 0);
  std::vector<Index> first = tile_of(layout, begin);
  std::vector<Index> count = tile_of(layout, last);
  for (std::size_t i = 0; i < count.size(); ++i) count[i] += 1 - first[i];
  return {std::move(first), std::move(count)};
}

}  // namespace tessera::detail
