// SPDX-License-Identifier: Apache-2.0
#include "relayout/proof/part_box.h"

#include <algorithm>

namespace tessera::moving {
namespace {

using detail::DimRun;

constexpr std::size_t kNobody = DimRun::kAlone;

class BoxFinder {
 public:
  BoxFinder(const IndexNest& nest, const LayoutSides& sides) : nest_(nest), sides_(sides) {}

  // Splits every dimension into digits: one for each loop, and the gaps between loops for tables. Each table
  // must take every combination of its digits' values once.
  std::optional<PartBox> find() {
    const std::size_t rank = nest_.corner.size();
    std::vector<Index> first = nest_.corner;
    for (const IndexAxis& axis : nest_.axes) {
      if (const auto* loop = std::get_if<IndexLoop>(&axis)) {
        if (loop->sign < 0) first[loop->dim] -= (loop->count - 1) * loop->unit;
      } else {
        const Point least = least_of(std::get<IndexTable>(axis));
        for (std::size_t d = 0; d < rank; ++d) first[d] += least[d];
      }
    }
    for (std::size_t d = 0; d < rank; ++d) {
      const std::optional<Index> length = chain_of(d);
      if (!length || first[d] < 0 || *length > sides_.near.layout.shape()[d] - first[d]) return std::nullopt;
      box_.ranges.push_back({first[d], first[d] + *length});
    }
    for (std::size_t m = 0; m < nest_.axes.size(); ++m) {
      const auto* table = std::get_if<IndexTable>(&nest_.axes[m]);
      if (table != nullptr && !takes_all(*table, m)) return std::nullopt;
    }
    if (std::ranges::find(box_.runs, kNobody, &DimRun::group) != box_.runs.end()) return std::nullopt;
    return std::move(box_);
  }

 private:
  // The smallest step in each dimension, at most 0.
  Point least_of(const IndexTable& table) const {
    Point least(nest_.corner.size(), 0);
    for (const Point& step : table.steps) {
      for (std::size_t d = 0; d < step.size(); ++d) least[d] = std::min(least[d], step[d]);
    }
    return least;
  }

  // The number of indices of the dimension; empty if loops and gaps do not form a chain of digits.
  std::optional<Index> chain_of(std::size_t dim) {
    std::vector<std::pair<const IndexLoop*, std::size_t>> loops;  // loops of this dimension, with their axes
    Index widest = 0;  // largest difference of this index over all tables together
    for (std::size_t m = 0; m < nest_.axes.size(); ++m) {
      if (const auto* loop = std::get_if<IndexLoop>(&nest_.axes[m])) {
        if (loop->dim == dim) loops.emplace_back(loop, m);
        continue;
      }
      const auto& table = std::get<IndexTable>(nest_.axes[m]);
      const auto [low, high] =
          std::ranges::minmax(table.steps, {}, [&](const Point& step) { return step[dim]; });
      if (add_overflows(widest, high[dim] - low[dim], widest)) return std::nullopt;
    }
    std::ranges::sort(loops, {}, [](const auto& entry) { return entry.first->unit; });
    Index unit = 1;
    for (const auto& [loop, m] : loops) {
      if (loop->unit % unit != 0) return std::nullopt;
      add_gap(dim, unit, loop->unit);
      box_.runs.push_back({.dim = dim, .unit = loop->unit, .count = loop->count, .group = m});
      if (mul_overflows(loop->unit, loop->count, unit)) return std::nullopt;
    }
    if (widest >= unit) {
      Index end = 0;
      if (mul_overflows(unit, widest / unit + 1, end)) return std::nullopt;
      add_gap(dim, unit, end);
      unit = end;
    }
    return unit;
  }

  // Adds digits for the steps from `unit` to `end`, which belong to tables. Splits these digits at the
  // layouts' own windows, so that several tables can share the dimension.
  void add_gap(std::size_t dim, Index unit, Index end) {
    std::vector<Index> cuts;
    for (const LayoutSide* side : {&sides_.near, &sides_.far}) {
      for (const detail::Summand& summand : side->sum) {
        for (const detail::Window& w : summand.windows) {
          if (w.dim != dim) continue;
          cuts.push_back(w.from);
          cuts.push_back(w.to);
        }
      }
    }
    std::ranges::sort(cuts);
    cuts.push_back(end);
    for (const Index cut : cuts) {
      if (cut <= unit || cut > end || cut % unit != 0 || end % cut != 0) continue;
      for (; cut / unit % 2 == 0 && cut / unit > 2; unit *= 2)
        box_.runs.push_back({.dim = dim, .unit = unit, .count = 2});
      box_.runs.push_back({.dim = dim, .unit = unit, .count = cut / unit});
      unit = cut;
    }
  }

  // Assigns axis m, a table, to the digits that it steps through. Returns false if the table does not take
  // every combination of their values once.
  bool takes_all(const IndexTable& table, std::size_t m) {
    const Point least = least_of(table);
    std::vector<Index> seen(table.steps.size(), 0);
    std::vector<std::pair<Index, Index>> radix;  // for each run: place value, and 1 if the table uses it
    Index entries = 1;
    for (DimRun& run : box_.runs) {
      const bool used = std::ranges::any_of(table.steps, [&](const Point& step) {
        return (step[run.dim] - least[run.dim]) / run.unit % run.count != 0;
      });
      if (used && run.group != kNobody) return false;
      if (used) run.group = m;
      radix.emplace_back(entries, used ? 1 : 0);
      if (used && mul_overflows(entries, run.count, entries)) return false;
    }
    if (entries != static_cast<Index>(table.steps.size())) return false;
    for (const Point& step : table.steps) {
      Index place = 0;
      Point rest = step;
      for (std::size_t d = 0; d < rest.size(); ++d) rest[d] -= least[d];
      const Point whole = rest;
      for (std::size_t k = 0; k < box_.runs.size(); ++k) {
        const Index value = whole[box_.runs[k].dim] / box_.runs[k].unit % box_.runs[k].count;
        place += radix[k].second * value * radix[k].first;
        rest[box_.runs[k].dim] -= value * box_.runs[k].unit;
      }
      if (std::ranges::any_of(rest, [](Index r) { return r != 0; })) return false;
      if (seen[static_cast<std::size_t>(place)]++ != 0) return false;
    }
    return true;
  }

  const IndexNest& nest_;
  const LayoutSides& sides_;
  PartBox box_;
};

}  // namespace

std::optional<PartBox> box_of(const IndexNest& nest, const LayoutSides& sides) {
  return BoxFinder(nest, sides).find();
}

}  // namespace tessera::moving
