// SPDX-License-Identifier: Apache-2.0
// Who holds each element of a placement, and the elements of tensor memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/at_fault.h"
#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"
#include "draw/limits.h"
#include "draw/picture_parts.h"
#include "draw/tile_colors.h"
#include "tessera/placement/placement.h"

namespace tessera {
namespace {

constexpr Index kTextRows = 64;
constexpr Index kFlatColumns = 16;

std::string places_text(std::span<const Place> places) {
  std::string out;
  for (std::size_t i = 0; i < std::min(places.size(), detail::kDrawLimits.shown_places); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : "|", fmt::join(places[i], ":"));
  if (places.size() > detail::kDrawLimits.shown_places)
    out += fmt::format("+{}", places.size() - detail::kDrawLimits.shown_places);
  return out.empty() ? "-" : out;
}

// Rows and columns of the box: the last dimension is the columns, unless it is the only one.
struct Box {
  Index rows = 1;
  Index columns = 1;
  bool flat = false;  // one dimension, broken into rows

  static Box of(const Placement& placement) {
    Box out;
    out.flat = placement.rank() < 2;
    out.columns = out.flat ? std::min(placement.size(), kFlatColumns) : placement.shape().back();
    out.rows = out.columns == 0 ? 0 : ceil_div(placement.size(), out.columns);
    return out;
  }
};

// The ranges that a window asks for or, without one, those that fit a terminal.
struct Part {
  IndexRange rows;
  IndexRange columns;
};

Result<IndexRange> range_in(IndexRange range, Index count, std::string_view of) {
  if (range.end == kIndexMax) range.end = count;
  TESSERA_NEED(detail::check_window(range, {0, count}, std::string(of)));
  return range;
}

Result<Part> part_of(const Placement& placement, const Box& box, const PictureOptions& options,
                     std::optional<Index> width) {
  Part out{{0, box.rows}, {0, box.columns}};
  const auto& window = options.window;
  if (!window.empty()) {
    if (window.size() != 2)
      return detail::at_fault(
          "window", fail(Code::value_count, fmt::format("the window has {}, but the picture has rows and "
                                                        "columns",
                                                        detail::plural(window.size(), "range"))));
    TESSERA_TRY(rows, range_in(window[0], box.rows, "the rows"));
    TESSERA_TRY(columns, range_in(window[1], box.columns, "the columns"));
    return Part{rows, columns};
  }
  if (!width) return out;
  // The last element usually has the longest text.
  std::vector<Index> last;
  for (const Index extent : placement.shape()) last.push_back(extent - 1);
  TESSERA_TRY(found, places(placement, last));
  constexpr Index kMargin = 8;
  const Index cell = static_cast<Index>(places_text(found).size()) + 2;
  out.columns.end = std::clamp<Index>((*width - kMargin) / cell, 1, box.columns);
  out.rows.end = std::min(box.rows, kTextRows);
  return out;
}

// The axis of places that colors show: the last one, which is the finest of threads.
std::optional<std::size_t> colored_axis(const Placement& placement) {
  for (std::size_t a = placement.axes().size(); a-- > 0;) {
    if (placement.axes()[a].role == AxisRole::place) return a;
  }
  return std::nullopt;
}

Result<void> check_count(const Placement& placement, Index rows, Index columns) {
  const Index cells = checked_mul(rows, columns).value_or(kIndexMax);
  if (cells > kMaxCells)
    return fail(Code::limit,
                fmt::format("the picture would have {} cells; the limit is {}", cells, kMaxCells), {},
                "show a part: --window 0:64,0:64");
  const auto replicas = placement.replicas();
  if (!replicas || *replicas > detail::kDrawLimits.places / std::max<Index>(1, cells))
    return fail(Code::limit,
                fmt::format("the picture would have more than {} places", detail::kDrawLimits.places), {},
                "show a part: --window 0:8,0:8");
  return {};
}

}  // namespace

Result<Picture> placement_picture(const Placement& placement, std::string title,
                                  const PictureOptions& options, std::optional<Index> width) {
  Picture picture{.title = std::move(title)};
  if (placement.size() == 0) {
    picture.notes.emplace_back("the shape has an extent of 0: there are no elements");
    return picture;
  }
  const Box box = Box::of(placement);
  TESSERA_TRY(part, part_of(placement, box, options, width));
  const auto [rows, columns] = part;
  TESSERA_NEED(check_count(placement, rows.end - rows.begin, columns.end - columns.begin));
  std::vector<std::string> names;
  for (const PlacementAxis& axis : placement.axes()) names.push_back(axis.name);
  Panel panel{.caption = fmt::format("each cell: {}", fmt::join(names, ":")),
              .rows = rows.end - rows.begin,
              .columns = columns.end - columns.begin,
              .row_axis = detail::plain_axis("", rows.end - rows.begin,
                                             box.flat ? rows.begin * box.columns : rows.begin,
                                             box.flat ? box.columns : 1),
              .column_axis = detail::plain_axis(
                  placement.rank() > 2 ? "last dimension; rows are the others, row-major" : "",
                  columns.end - columns.begin, columns.begin)};
  const auto colored = colored_axis(placement);
  std::vector<Index> values;  // on the colored axis, one for each cell; -1 without an element
  Index most = 0;
  for (Index row = rows.begin; row < rows.end; ++row) {
    for (Index column = columns.begin; column < columns.end; ++column) {
      const Index number = row * box.columns + column;
      Cell cell;
      if (number >= placement.size()) {
        cell.kind = Cell::Kind::none;
        values.push_back(-1);
        panel.cells.push_back(std::move(cell));
        continue;
      }
      const std::vector<Index> index = detail::index_with_number(placement.shape(), number);
      TESSERA_TRY(found, places(placement, index));
      cell.text = places_text(found);
      cell.coordinate = fmt::format("{}", fmt::join(index, ","));
      cell.detail = to_string(found, placement.axes());
      const Index value = colored && !found.empty() ? found.front()[*colored] : -1;
      values.push_back(value);
      most = std::max(most, value);
      panel.cells.push_back(std::move(cell));
    }
  }
  if (colored) {
    picture.scale = detail::class_scale(most + 1);
    picture.legend_title = placement.axes()[*colored].name;
    if (most >= kMaxClasses) picture.legend_title += fmt::format(" mod {}", kMaxClasses);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] >= 0) panel.cells[i].color = static_cast<int>(values[i] % picture.scale.steps);
    }
    const int last = static_cast<int>(std::min<Index>(most + 1, picture.scale.steps)) - 1;
    const int step = picture.scale.kind == Scale::Kind::banded ? std::max(1, last) : 1;
    for (int c = 0; c <= last; c += step) picture.legend.push_back({c, fmt::format("{}", c)});
  }
  if (panel.rows < box.rows || panel.columns < box.columns)
    picture.notes.push_back(fmt::format("rows {} to {} of {}, columns {} to {} of {}: --window shows others",
                                        rows.begin, rows.end - 1, box.rows, columns.begin, columns.end - 1,
                                        box.columns));
  picture.panels.push_back(std::move(panel));
  return picture;
}

bool is_tensor_memory(const Placement& placement) {
  return !placement.axes().empty() && std::ranges::all_of(placement.axes(), [](const PlacementAxis& axis) {
    return axis.name == "TLane" || axis.name == "TCol";
  });
}

Result<Picture> tensor_memory_picture(const Placement& placement, std::string title,
                                      const PictureOptions& options, std::optional<Index> width) {
  TESSERA_NEED(check_count(placement, placement.size(), 1));
  const auto lane = placement.axis("TLane");
  const auto column = placement.axis("TCol");
  std::map<std::pair<Index, Index>, std::vector<std::string>> held;  // the elements of a cell
  std::vector<Index> index(placement.rank(), 0);
  Index lanes = 0;
  Index all_columns = 0;
  std::size_t longest = 1;
  if (placement.size() > 0) {
    do {
      TESSERA_TRY(found, places(placement, index));
      for (const Place& place : found) {
        const std::pair at{lane ? place[*lane] : 0, column ? place[*column] : 0};
        lanes = std::max(lanes, at.first + 1);
        all_columns = std::max(all_columns, at.second + 1);
        auto& own = held[at];
        own.push_back(fmt::format("{}", fmt::join(index, ",")));
        longest = std::max(longest, own.back().size());
      }
    } while (detail::next_index(index, placement.shape()));
  }
  IndexRange rows{0, lanes};
  IndexRange columns{0, all_columns};
  if (!options.window.empty()) {
    if (options.window.size() != 2)
      return detail::at_fault(
          "window", fail(Code::value_count, fmt::format("the window has {}, but tensor memory has lanes and "
                                                        "columns",
                                                        detail::plural(options.window.size(), "range"))));
    TESSERA_TRY(of_lanes, range_in(options.window[0], lanes, "the lanes"));
    TESSERA_TRY(of_columns, range_in(options.window[1], all_columns, "the columns"));
    rows = of_lanes;
    columns = of_columns;
  } else if (width) {
    constexpr Index kMargin = 8;
    columns.end = std::clamp<Index>((*width - kMargin) / (static_cast<Index>(longest) + 2), 1, all_columns);
  }
  TESSERA_NEED(check_count(placement, rows.end - rows.begin, columns.end - columns.begin));
  Picture picture{.title = std::move(title), .scale = detail::class_scale(lanes), .legend_title = "lane"};
  if (lanes > kMaxClasses) picture.legend_title = fmt::format("lane mod {}", kMaxClasses);
  Panel panel{.caption = "tensor memory: rows are TLane, columns TCol; each cell: the index of its element",
              .rows = rows.end - rows.begin,
              .columns = columns.end - columns.begin,
              .row_axis = detail::plain_axis("TLane", rows.end - rows.begin, rows.begin),
              .column_axis = detail::plain_axis("TCol", columns.end - columns.begin, columns.begin)};
  bool padded = false;
  for (Index r = rows.begin; r < rows.end; ++r) {
    for (Index c = columns.begin; c < columns.end; ++c) {
      Cell cell;
      const auto found = held.find({r, c});
      if (found == held.end()) {
        cell.kind = Cell::Kind::padding;
        padded = true;
      } else {
        const auto& own = found->second;
        cell.text = fmt::format(
            "{}",
            fmt::join(std::span(own).first(std::min(own.size(), detail::kDrawLimits.shown_places)), "|"));
        if (own.size() > detail::kDrawLimits.shown_places)
          cell.text += fmt::format("+{}", own.size() - detail::kDrawLimits.shown_places);
        cell.coordinate = own.front();
        cell.detail = fmt::format("lane {}, column {}", r, c);
        cell.color = static_cast<int>(r % picture.scale.steps);
      }
      panel.cells.push_back(std::move(cell));
    }
  }
  const int last = static_cast<int>(std::min<Index>(lanes, picture.scale.steps)) - 1;
  const int step = picture.scale.kind == Scale::Kind::banded ? std::max(1, last) : 1;
  for (int t = 0; t <= last; t += step) picture.legend.push_back({t, fmt::format("{}", t)});
  if (padded) picture.legend.push_back({-1, "no element"});
  if (panel.rows < lanes || panel.columns < all_columns)
    picture.notes.push_back(fmt::format("lanes {} to {} of {}, columns {} to {} of {}: --window shows others",
                                        rows.begin, rows.end - 1, lanes, columns.begin, columns.end - 1,
                                        all_columns));
  picture.panels.push_back(std::move(panel));
  return picture;
}

}  // namespace tessera
