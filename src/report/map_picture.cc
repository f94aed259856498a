// SPDX-License-Identifier: Apache-2.0
#include "report/map_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "base/plural.h"
#include "expr/questions/quick.h"
#include "map/values/enumerate.h"
#include "report/limits.h"

namespace tessera {
namespace {

// One of the two arrays: its indices, and the part of its last two dimensions that is drawn.
class PictureGrid {
 public:
  // `seen` is an index that must be drawn.
  PictureGrid(std::vector<Interval> box, std::vector<Index> seen, std::string prefix)
      : box_(std::move(box)), seen_(std::move(seen)), prefix_(std::move(prefix)) {
    const std::size_t rank = box_.size();
    rows_ = rank > 1 ? part(rank - 2) : Interval::point(0);
    columns_ = rank > 0 ? part(rank - 1) : Interval::point(0);
  }

  std::size_t cells() const { return static_cast<std::size_t>(height() * width()); }
  Index height() const { return rows_.upper - rows_.lower + 1; }
  Index width() const { return columns_.upper - columns_.lower + 1; }

  // The place of an index among the cells; empty if it is not drawn.
  std::optional<std::size_t> place_of(std::span<const Index> index) const {
    const std::size_t rank = index.size();
    for (std::size_t i = 0; i + 2 < rank; ++i)
      if (index[i] != seen_[i]) return {};
    const Index row = rank > 1 ? index[rank - 2] : 0;
    const Index column = rank > 0 ? index[rank - 1] : 0;
    if (!rows_.contains(row) || !columns_.contains(column)) return {};
    return static_cast<std::size_t>((row - rows_.lower) * width() + column - columns_.lower);
  }

  Panel panel(std::string caption) const {
    Panel panel{.caption = std::move(caption), .rows = height(), .columns = width()};
    const std::size_t rank = box_.size();
    panel.row_axis = axis(rank > 1 ? fmt::format("{}{}", prefix_, rank - 2) : "", rows_, rank > 1);
    panel.column_axis = axis(rank > 0 ? fmt::format("{}{}", prefix_, rank - 1) : "", columns_, rank > 0);
    for (Index row = rows_.lower; row <= rows_.upper; ++row) {
      for (Index column = columns_.lower; column <= columns_.upper; ++column) {
        std::vector<Index> index = seen_;
        if (rank > 1) index[rank - 2] = row;
        if (rank > 0) index[rank - 1] = column;
        panel.cells.push_back({.coordinate = fmt::format("{}", fmt::join(index, ","))});
      }
    }
    return panel;
  }

  // `, where d0 = 2`, and which part of the array is drawn.
  std::string where() const {
    std::string out;
    for (std::size_t i = 0; i + 2 < box_.size(); ++i) out += fmt::format(", {}{} = {}", prefix_, i, seen_[i]);
    return out;
  }
  bool is_part() const {
    const std::size_t rank = box_.size();
    return (rank > 1 && rows_ != box_[rank - 2]) || (rank > 0 && columns_ != box_[rank - 1]);
  }

 private:
  Interval part(std::size_t dim) const {
    const Interval whole = box_[dim];
    const std::optional<Index> count = whole.count();
    if (count && *count <= detail::kReportLimits.grid_lines) return whole;
    // Nothing here overflows, even if the ends are those of 64 bits.
    const Index first = std::min(std::max(seen_[dim], whole.lower + 4) - 4,
                                 whole.upper - detail::kReportLimits.grid_lines + 1);
    return {first, first + detail::kReportLimits.grid_lines - 1};
  }

  static Axis axis(std::string name, Interval range, bool labeled) {
    Axis out{.name = std::move(name)};
    const Index count = range.upper - range.lower + 1;
    if (labeled) {
      out.levels.emplace_back();
      for (Index p = 0; p < count; ++p)
        out.levels[0].push_back({p, p + 1, fmt::format("{}", range.lower + p)});
    }
    out.cuts.assign(static_cast<std::size_t>(count + 1), 0);
    return out;
  }

  std::vector<Interval> box_;
  std::vector<Index> seen_;
  std::string prefix_;
  Interval rows_ = Interval::point(0);
  Interval columns_ = Interval::point(0);
};

// What a tile reads: the elements with their readers, in order.
struct Reads {
  std::map<std::vector<Index>, Index> times;                         // by element
  std::map<std::vector<Index>, std::vector<std::vector<Index>>> of;  // by index of the tile
  Index total = 0;
};

std::optional<Reads> reads_of(const IndexMap& map, std::vector<Interval> box) {
  Reads out;
  const std::size_t dims = map.dim_count();
  const bool all = for_each_point(map, std::move(box), [&](const WalkedPoint& point) {
    const auto values = point.values();
    if (!values) return true;
    std::vector<Index> index = point.coordinates();
    index.resize(dims);
    ++out.times[*values];
    out.of[std::move(index)].push_back(*values);
    return ++out.total <= detail::kReportLimits.tile_reads;
  });
  return all && !detail::cancelled() ? std::optional(std::move(out)) : std::nullopt;
}

// The indices that the results can have, as far as the text shows; at least those that are read.
std::vector<Interval> results_box(const IndexMap& map, const Reads& reads) {
  const std::vector<Interval> box = box_of(map.domain());
  std::vector<Interval> out;
  for (std::size_t i = 0; i < map.results().size(); ++i) {
    std::optional<Interval> range = detail::quick_range(
        map.results()[i], [&](Index v) { return std::optional(box[static_cast<std::size_t>(v)]); });
    if (!range) {
      for (const auto& [element, times] : reads.times) {
        const Interval one = Interval::point(element[i]);
        range = range ? hull(*range, one) : one;
      }
    }
    out.push_back(range.value_or(Interval::point(0)));
  }
  return out;
}

}  // namespace

Result<Picture> map_picture(const IndexMap& map, std::span<const Index> sizes, std::span<const Index> first) {
  if (map.runtime_count() > 0)
    return fail(Code::not_applicable, "a map with runtime variables has no picture", {},
                "give their values: make them dimensions or constants");
  const std::vector<Interval> all = box_of(map.domain());
  if (std::ranges::any_of(all, [](Interval range) { return !range.is_finite(); }))
    return fail(Code::not_applicable, "a map with unbounded variables has no picture", {},
                "give each variable a finite interval");
  std::vector<Interval> tile = all;
  std::vector<Index> begin;
  for (std::size_t i = 0; i < map.dim_count(); ++i) {
    const Index at = i < first.size() ? first[i] : all[i].lower;
    const Index size = i < sizes.size() && sizes[i] > 0 ? sizes[i] : 1;
    begin.push_back(at);
    tile[i] = {std::max(at, all[i].lower), std::min(at + size - 1, all[i].upper)};
  }
  const auto points = point_count(tile);
  if (!points || *points > detail::kReportLimits.tile_reads)
    return fail(Code::limit,
                fmt::format("the tile reads more than {} times", detail::kReportLimits.tile_reads), {},
                "draw a smaller tile");
  const std::optional<Reads> reads = reads_of(map, tile);
  if (!reads)
    return fail(Code::limit,
                fmt::format("the tile reads more than {} times", detail::kReportLimits.tile_reads));
  const std::vector<Interval> start(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(map.dim_count()));
  const PictureGrid out(start, begin, "d");
  const bool none = reads->times.empty();
  const PictureGrid in(results_box(map, *reads),
                       none ? std::vector<Index>(map.results().size(), 0) : reads->times.begin()->first, "r");
  Picture picture{.title = fmt::format("what the tile at ({}) reads", fmt::join(begin, ",")),
                  .scale = {Scale::Kind::categorical, 2}};
  Panel left = out.panel("tile" + out.where());
  Panel right =
      in.panel(fmt::format("read: {}{}", detail::plural(std::ssize(reads->times), "element"), in.where()));
  for (const auto& [index, elements] : reads->of) {
    const auto place = out.place_of(index);
    if (!place) continue;
    Cell& cell = left.cells[*place];
    cell.color = 0;
    cell.marked = true;
    const auto target = elements.size() == 1 ? in.place_of(elements[0]) : std::nullopt;
    if (target) cell.link = static_cast<Index>(*target);
    cell.detail = elements.size() == 1
                      ? fmt::format("reads ({})", fmt::join(elements[0], ","))
                      : fmt::format("reads {}", detail::plural(std::ssize(elements), "element"));
  }
  Index hidden = 0;
  for (const auto& [element, times] : reads->times) {
    const auto place = in.place_of(element);
    if (!place) {
      ++hidden;
      continue;
    }
    Cell& cell = right.cells[*place];
    cell.color = 1;
    cell.marked = true;
    cell.link = static_cast<Index>(*place);
    cell.text = fmt::format("{}", times);
    cell.detail = fmt::format("read {}", detail::plural(times, "time"));
  }
  picture.panels.push_back(std::move(left));
  picture.panels.push_back(std::move(right));
  picture.legend = {{0, "the tile"}, {1, "read, with the number of reads"}};
  picture.notes.push_back(fmt::format("{} of {}", detail::plural(reads->total, "read"),
                                      detail::plural(std::ssize(reads->times), "element")));
  if (hidden > 0)
    picture.notes.push_back(fmt::format("{} that are read are not drawn", detail::plural(hidden, "element")));
  if (out.is_part() || in.is_part())
    picture.notes.push_back(
        fmt::format("a grid shows at most {} rows and columns", detail::kReportLimits.grid_lines));
  return picture;
}

}  // namespace tessera
