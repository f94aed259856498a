// SPDX-License-Identifier: Apache-2.0
#include "report/reshard_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "report/limits.h"

namespace tessera {
namespace {

// The first index of each row or column, followed by the extent. Empty if there are too many.
std::optional<std::vector<Index>> lines_of(const BoundDistribution& side, std::size_t dim) {
  const Index extent = side.shape()[dim];
  std::set<Index> first = {0, extent};
  for (const DimPart& part : side.parts(dim)) {
    for (const IndexRun& run : part.runs) {
      for (Index k = 0; k < run.count; ++k) {
        first.insert(run.lower + k * run.step);
        first.insert(run.lower + k * run.step + run.length);
        if (std::ssize(first) > detail::kReportLimits.shard_lines + 1) return {};
      }
    }
  }
  for (Index i = 0; extent <= detail::kReportLimits.shard_indices && i < extent; ++i) first.insert(i);
  return std::vector<Index>(first.begin(), first.end());
}

Axis axis_of_lines(std::string name, const std::vector<Index>& lines) {
  Axis axis{.name = std::move(name), .levels = {{}}, .cuts = std::vector<int>(lines.size(), 0)};
  for (std::size_t k = 0; k + 1 < lines.size(); ++k) {
    const bool one = lines[k + 1] == lines[k] + 1;
    axis.levels[0].push_back(
        {static_cast<Index>(k), static_cast<Index>(k) + 1,
         one ? fmt::format("{}", lines[k]) : fmt::format("{}:{}", lines[k], lines[k + 1])});
  }
  return axis;
}

// Adds lines between neighbors at different places.
void add_cuts(Panel& panel) {
  panel.row_axis.cuts.front() = panel.row_axis.cuts.back() = 1;
  panel.column_axis.cuts.front() = panel.column_axis.cuts.back() = 1;
  for (Index row = 0; row < panel.rows; ++row) {
    for (Index column = 0; column < panel.columns; ++column) {
      const std::string& text = panel.row(row)[column].text;
      if (row > 0 && panel.row(row - 1)[column].text != text)
        panel.row_axis.cuts[static_cast<std::size_t>(row)] = 1;
      if (column > 0 && panel.row(row)[column - 1].text != text) {
        panel.column_axis.cuts[static_cast<std::size_t>(column)] = 1;
      }
    }
  }
}

std::string places_text(const std::vector<ShardHolder>& found) {
  std::vector<Index> places;
  for (const ShardHolder& holder : found) places.push_back(holder.place);
  const bool run = places.size() > 2 && places.back() - places.front() == std::ssize(places) - 1;
  return run ? fmt::format("{}-{}", places.front(), places.back())
             : fmt::format("{}", fmt::join(places, ","));
}

Result<Panel> shard_panel(const BoundDistribution& side, std::string caption, int colors) {
  const std::size_t rank = side.shape().size();
  if (rank == 0) return fail(Code::rank_mismatch, "an array without dimensions has no picture");
  const auto rows = rank > 1 ? lines_of(side, rank - 2) : std::optional(std::vector<Index>{0, 1});
  const auto columns = lines_of(side, rank - 1);
  if (!rows || !columns || std::ssize(*rows) > detail::kReportLimits.shard_lines + 1 ||
      std::ssize(*columns) > detail::kReportLimits.shard_lines + 1) {
    return fail(
        Code::limit,
        fmt::format("a picture has at most {} rows and columns of shards", detail::kReportLimits.shard_lines),
        {}, "draw a smaller array");
  }
  Panel panel{.caption = std::move(caption),
              .rows = std::ssize(*rows) - 1,
              .columns = std::ssize(*columns) - 1,
              .row_axis = axis_of_lines(rank > 1 ? fmt::format("d{}", rank - 2) : "", *rows),
              .column_axis = axis_of_lines(fmt::format("d{}", rank - 1), *columns)};
  if (rank == 1) panel.row_axis.levels[0][0].text = "";
  std::vector<Index> index(rank, 0);
  for (Index row = 0; row < panel.rows; ++row) {
    for (Index column = 0; column < panel.columns; ++column) {
      if (rank > 1) index[rank - 2] = (*rows)[static_cast<std::size_t>(row)];
      index[rank - 1] = (*columns)[static_cast<std::size_t>(column)];
      const auto found = holders(side, index);
      if (!found) return fail(found.error());
      Cell cell{.text = places_text(*found), .coordinate = fmt::format("{}", fmt::join(index, ","))};
      if (!found->empty()) {
        cell.detail =
            fmt::format("place {}, local {}", found->front().place, fmt::join(found->front().local, ","));
        cell.offset = found->front().offset;
        cell.color = static_cast<int>(found->front().place % colors);
      }
      panel.cells.push_back(std::move(cell));
    }
  }
  add_cuts(panel);
  return panel;
}

std::string short_bytes(Index bytes) {
  constexpr std::string_view kUnits = "KMGTP";
  if (bytes < 10'000) return fmt::format("{}", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (value /= 1000; value >= 1000 && unit + 1 < kUnits.size(); value /= 1000) ++unit;
  return fmt::format("{:.3g}{}", value, kUnits[unit]);
}

Axis place_axis(std::string name, Index places) {
  Axis axis{.name = std::move(name),
            .levels = {{}},
            .cuts = std::vector<int>(static_cast<std::size_t>(places) + 1, 0)};
  axis.cuts.front() = axis.cuts.back() = 1;
  for (Index place = 0; place < places; ++place)
    axis.levels[0].push_back({place, place + 1, fmt::format("{}", place)});
  return axis;
}

}  // namespace

Result<Picture> shards_picture(const ReshardPlan& plan) {
  const ReshardArray& array = plan.arrays()[0];
  const int places = static_cast<int>(std::min<Index>(plan.places(), kMaxClasses));
  const Scale scale =
      places <= kCategories ? Scale{Scale::Kind::categorical, places} : Scale{Scale::Kind::banded, places};
  Picture picture{.title = fmt::format("{} to {}", to_string(array.from.distribution()),
                                       to_string(array.to.distribution())),
                  .scale = scale,
                  .legend_title = "place"};
  auto before = shard_panel(array.from, "before", places);
  if (!before) return fail(before.error());
  auto after = shard_panel(array.to, "after", places);
  if (!after) return fail(after.error());
  picture.panels = {std::move(*before), std::move(*after)};
  for (int place = 0; place < places; ++place) {
    if (scale.kind == Scale::Kind::banded && place != 0 && place + 1 != places) continue;
    picture.legend.push_back({place, fmt::format("{}", place)});
  }
  if (plan.places() > kMaxClasses) picture.notes.push_back("colors repeat: the cells name the places");
  if (array.from.shape().size() > 2)
    picture.notes.push_back("the last two dimensions, at index 0 of the others");
  return picture;
}

Result<Picture> traffic_picture(const ReshardPlan& plan) {
  const Index places = plan.places();
  if (places > detail::kReportLimits.shard_lines) {
    return fail(Code::limit,
                fmt::format("a matrix of messages has at most {} places, not {}",
                            detail::kReportLimits.shard_lines, places),
                {}, "--json lists the pairs");
  }
  Index most = 1;
  for (const PairBytes& pair : plan.pairs()) most = std::max(most, pair.bytes);
  for (Index place = 0; place < places; ++place) {
    most = std::max({most, plan.send()[static_cast<std::size_t>(place)],
                     plan.receive()[static_cast<std::size_t>(place)]});
  }
  constexpr int kSteps = 16;
  const auto cell_of = [&](Index bytes, std::string where) {
    Cell cell{.text = bytes == 0 ? "" : short_bytes(bytes), .coordinate = std::move(where)};
    cell.detail = fmt::format("{} bytes", bytes);
    if (bytes > 0) {
      cell.color = static_cast<int>(
          std::min<double>(kSteps - 1, static_cast<double>(bytes) / static_cast<double>(most) * kSteps));
    }
    return cell;
  };
  Panel matrix{.caption = "bytes from row to column",
               .rows = places,
               .columns = places,
               .row_axis = place_axis("from", places),
               .column_axis = place_axis("to", places)};
  for (Index from = 0; from < places; ++from) {
    for (Index to = 0; to < places; ++to)
      matrix.cells.push_back(cell_of(0, fmt::format("{} to {}", from, to)));
  }
  for (const PairBytes& pair : plan.pairs()) {
    matrix.cells[static_cast<std::size_t>(pair.from * places + pair.to)] =
        cell_of(pair.bytes, fmt::format("{} to {}", pair.from, pair.to));
  }
  Panel sums{.caption = "bytes that leave and enter",
             .rows = places,
             .columns = 2,
             .row_axis = place_axis("place", places),
             .column_axis = place_axis("", 2)};
  sums.column_axis.levels[0][0].text = "out";
  sums.column_axis.levels[0][1].text = "in";
  for (Index place = 0; place < places; ++place) {
    const auto at = static_cast<std::size_t>(place);
    sums.cells.push_back(cell_of(plan.send()[at], fmt::format("{} sends", place)));
    sums.cells.push_back(cell_of(plan.receive()[at], fmt::format("{} receives", place)));
  }
  Picture picture{.title = fmt::format("{} bytes in {} messages", plan.total(), plan.pairs().size()),
                  .scale = {Scale::Kind::sequential, kSteps},
                  .legend_title = "bytes"};
  picture.panels = {std::move(matrix), std::move(sums)};
  picture.legend = {{0, "0"}, {kSteps - 1, short_bytes(most)}};
  return picture;
}

}  // namespace tessera
