// SPDX-License-Identifier: Apache-2.0
#include "laws/picture_laws.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/index_walk.h"
#include "draw/text_lines.h"
#include "tessera/notation/layout.h"
#include "text/point.h"

namespace tessera::laws {
namespace {

std::vector<Index> point(const std::string& text) {
  if (text == "()") return {};
  const Result<std::vector<Index>> values = parse_point(text);
  EXPECT_TRUE(values.has_value()) << text;
  return values ? *values : std::vector<Index>{};
}

bool inside(const Layout& layout, const std::vector<Index>& index) {
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0 || index[i] >= layout.shape()[i]) return false;
  }
  return index.size() == layout.rank();
}

std::set<Index> all_offsets(const Layout& layout) {
  std::set<Index> offsets;
  const std::vector<Index> begin(layout.rank(), 0);
  const std::vector<Index> end(layout.shape().begin(), layout.shape().end());
  std::vector<Index> index = begin;
  do {
    offsets.insert(layout.offset(index));
  } while (detail::next_index(index, begin, end));
  return offsets;
}

std::string check_axis(const Axis& axis, Index count, const char* name) {
  if (axis.cuts.size() != static_cast<std::size_t>(count + 1))
    return fmt::format("{} cuts for {} {}", axis.cuts.size(), count, name);
  for (const std::vector<AxisLabel>& level : axis.levels) {
    Index at = 0;
    for (const AxisLabel& label : level) {
      if (label.begin != at || label.end <= at)
        return fmt::format("a label of the {} begins at {}, not at {}", name, label.begin, at);
      at = label.end;
    }
    if (at != count) return fmt::format("labels of the {} end at {} of {}", name, at, count);
  }
  return {};
}

}  // namespace

Layout any(std::string_view text) {
  Result<Layout> layout = parse_layout(text);
  EXPECT_TRUE(layout.has_value()) << text;
  return layout ? *std::move(layout) : *Layout::make(Strides{});
}

std::string check_picture(const Picture& picture) {
  for (const Panel& panel : picture.panels) {
    if (static_cast<Index>(panel.cells.size()) != panel.rows * panel.columns) return "cells are missing";
    if (std::string wrong = check_axis(panel.row_axis, panel.rows, "rows"); !wrong.empty()) return wrong;
    if (std::string wrong = check_axis(panel.column_axis, panel.columns, "columns"); !wrong.empty())
      return wrong;
    for (const Cell& cell : panel.cells) {
      if (cell.color < -1 || cell.color >= std::max(picture.scale.steps, 0))
        return fmt::format("no color {}", cell.color);
    }
  }
  for (const LegendEntry& entry : picture.legend) {
    if (entry.color >= picture.scale.steps) return fmt::format("the legend has no color {}", entry.color);
  }
  return {};
}

std::string check_index_view(const Layout& layout) {
  const Result<Picture> picture = picture_of(view_of(layout, to_string(layout)));
  if (!picture) return to_string(picture.error());
  if (std::string wrong = check_picture(*picture); !wrong.empty()) return wrong;
  std::set<std::vector<Index>> elements;
  std::set<Index> taken;
  std::map<Index, std::string> padding;
  for (const Panel& panel : picture->panels) {
    for (const Cell& cell : panel.cells) {
      if (cell.kind == Cell::Kind::none) continue;
      const std::vector<Index> at = point(cell.coordinate);
      if (cell.kind == Cell::Kind::padding) {
        if (inside(layout, at)) return fmt::format("({}) is not padding", cell.coordinate);
        padding[*cell.offset] = cell.coordinate;
        continue;
      }
      if (!inside(layout, at) || !elements.insert(at).second)
        return fmt::format("({}) is not an element, or is there twice", cell.coordinate);
      if (cell.offset != layout.offset(at)) return fmt::format("({}) at {}", cell.coordinate, *cell.offset);
      if (cell.text != fmt::format("{}", *cell.offset)) return "the text is not the offset";
      taken.insert(*cell.offset);
    }
  }
  for (const auto& [offset, coordinate] : padding) {
    if (taken.contains(offset)) return fmt::format("padding ({}) and an element at {}", coordinate, offset);
    if (const Result<Index> buffer = layout.buffer_size();
        buffer && layout.notation() == Notation::xla && offset >= *buffer) {
      return fmt::format("padding at {} outside the memory", offset);
    }
  }
  if (static_cast<Index>(elements.size()) != layout.size()) return "elements are missing";
  return check_scene(*picture);
}

std::string check_memory_view(const Layout& layout) {
  const Result<Picture> picture = picture_of(view_of(layout, to_string(layout)), {.view = View::memory});
  if (!picture) return to_string(picture.error());
  if (std::string wrong = check_picture(*picture); !wrong.empty()) return wrong;
  const std::set<Index> image = all_offsets(layout);
  std::set<Index> shown;
  Index next = std::min<Index>(0, *image.begin());
  for (const Cell& cell : picture->panels.at(0).cells) {
    if (cell.kind == Cell::Kind::none) continue;
    if (cell.offset != next) return fmt::format("offset {} where {} belongs", *cell.offset, next);
    ++next;
    if (image.contains(*cell.offset) != (cell.kind == Cell::Kind::element))
      return fmt::format("wrong kind at {}", *cell.offset);
    if (cell.kind == Cell::Kind::padding) continue;
    const std::vector<Index> at = point(cell.coordinate);
    if (!inside(layout, at) || layout.offset(at) != *cell.offset)
      return fmt::format("({}) is not at {}", cell.coordinate, *cell.offset);
    shown.insert(*cell.offset);
  }
  if (shown != image) return "offsets are missing";
  if (const Result<Index> buffer = layout.buffer_size(); buffer && next < *buffer) return "memory is cut off";
  return check_scene(*picture);
}

std::string check_scene(const Picture& picture) {
  const detail::Scene scene = detail::scene_of(picture);
  struct Box {
    double left, top, right, bottom;
  };
  const auto fits = [&](const Box& box) {
    return box.left >= 0 && box.top >= 0 && box.right <= scene.width && box.bottom <= scene.height;
  };
  for (const detail::SceneGrid& grid : scene.grids) {
    std::set<std::pair<double, double>> places;
    for (const detail::SceneCell& place : grid.cells) {
      if (!fits({place.x, place.y, place.x + grid.width, place.y + grid.height})) return "a cell is cut off";
      if (!places.insert({place.x, place.y}).second) return "two cells in one place";
      if (grid.font == 0) continue;
      const std::vector<std::string_view> lines = lines_of(place.cell->text);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (detail::letters(lines[i], grid.font) > grid.width)
          return fmt::format("'{}' is wider than its cell", lines[i]);
        const double base = detail::cell_baseline(grid, place, i, lines.size());
        if (base - 0.75 * grid.font < place.y || base + 0.2 * grid.font > place.y + grid.height) {
          return fmt::format("'{}' is higher than its cell", lines[i]);
        }
      }
    }
  }
  std::vector<std::pair<Box, std::string>> boxes;
  for (const detail::SceneText& text : scene.texts) {
    const double width = detail::letters(text.text, text.font);
    const double left = text.anchor == detail::Anchor::start    ? text.x
                        : text.anchor == detail::Anchor::middle ? text.x - width / 2
                                                                : text.x - width;
    const Box box{left, text.y - 0.7 * text.font, left + width, text.y + 0.15 * text.font};
    if (!fits(box)) return fmt::format("'{}' is cut off", text.text);
    for (const auto& [other, words] : boxes) {
      if (box.left < other.right && other.left < box.right && box.top < other.bottom &&
          other.top < box.bottom) {
        return fmt::format("'{}' and '{}' touch", text.text, words);
      }
    }
    if (boxes.size() < 2000) boxes.emplace_back(box, text.text);
  }
  return {};
}

}  // namespace tessera::laws
