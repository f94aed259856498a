// SPDX-License-Identifier: Apache-2.0
#include "transfer/element_boxes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

#include "base/cancellation.h"
#include "base/index_walk.h"
#include "base/try.h"
#include "transfer/limits.h"

namespace tessera::transfer {
namespace {

using Values = std::vector<Index>;

Index step_of(const AxisSum& sum, std::size_t axis) {
  Index step = 0;
  for (const auto& [number, scale] : sum.terms) step += number == axis ? scale : 0;
  return step;
}

// Axes that determine parts and crops together. Walks all their values inside the crops, in runs.
class AxisGroup {
 public:
  AxisGroup(const ElementAxes& all, std::vector<std::size_t> axes) : all_(all), axes_(std::move(axes)) {
    const auto here = [&](const AxisSum& sum) {
      return std::ranges::any_of(sum.terms, [&](const auto& term) { return has(term.first); });
    };
    for (const CutDimension& cut : all.cuts) {
      if (here(cut.index)) cuts_.push_back(&cut);
    }
    for (const PieceMap::Crop& crop : all.crops) {
      if (here(crop.value)) crops_.push_back(&crop);
    }
    // Runs go along the axis with the shortest steps.
    const auto reach = [&](std::size_t axis) {
      Index sum = all.alone[axis] ? kIndexMax / 2 : 0;
      for (const CutDimension* cut : cuts_) sum += std::abs(step_of(cut->index, axis));
      for (const PieceMap::Crop* crop : crops_) sum += std::abs(step_of(crop->value, axis));
      return sum;
    };
    std::ranges::stable_sort(axes_, std::greater<>(), reach);
  }

  // Calls visit with the boxes of some runs after another, so that few are in memory, until it fails.
  Result<void> walk(const std::function<Result<void>(std::vector<PlacedBox>)>& visit) {
    const std::size_t inner = axes_.back();
    Values values(all_.sizes.size(), 0);
    Index runs = 0;
    do {
      for (values[inner] = 0; values[inner] < all_.sizes[inner];) {
        values[inner] += add_run(values, inner);
        if (++runs % kTransferLimits.runs_at_once != 0) continue;
        if (detail::cancelled()) return detail::cancelled_failure();
        TESSERA_NEED(visit(take_boxes()));
      }
      values[inner] = 0;
    } while (detail::advance_last(axes_.size() - 1, [&](std::size_t k) {
      return detail::next_value(values[axes_[k]], 0, all_.sizes[axes_[k]]);
    }));
    return visit(take_boxes());
  }

 private:
  bool has(std::size_t axis) const { return std::ranges::count(axes_, axis) > 0; }

  static Index value_of(const AxisSum& sum, const Values& values) {
    Index value = sum.constant;
    for (const auto& [axis, scale] : sum.terms) value += scale * values[axis];
    return value;
  }

  // Returns the length of the run that begins here.
  Index add_run(const Values& values, std::size_t inner) {
    Index run = all_.sizes[inner] - values[inner];
    Values kind = {0};
    Values row;
    for (const std::size_t axis : axes_) {
      row.push_back(values[axis]);
      if (!all_.alone[axis]) continue;
      kind.push_back(values[axis]);
      if (axis == inner) run = 1;
    }
    const auto end_after = [&](Index room, Index step) {
      if (step != 0) run = step < 0 ? 1 : std::min(run, ceil_div(room, step));
    };
    bool inside = true;
    for (const PieceMap::Crop* crop : crops_) {
      const Index room = crop->size - value_of(crop->value, values);
      inside = inside && room > 0;
      end_after(room > 0 ? room : kIndexMax, step_of(crop->value, inner));
    }
    if (!inside) return run;  // the index of such a value may lie past the end of its dimension
    const CutDimension* before = nullptr;
    for (const CutDimension* cut : cuts_) {
      const CutIndex at = cut->holders->cut(cut->dim, value_of(cut->index, values));
      kind.insert(kind.end(), at.parts.begin(), at.parts.end());
      // Copies stay equally far apart, so that their order stays the same.
      if (before != nullptr && before->holders == cut->holders && before->dim == cut->dim)
        kind.push_back(at.local - row.back());
      before = cut;
      row.push_back(at.local);
      end_after(at.run, step_of(cut->index, inner));
    }
    kind.front() = run;
    Values& rows = found_[kind];
    rows.insert(rows.end(), row.begin(), row.end());
    return run;
  }

  std::vector<PlacedBox> take_boxes() {
    std::vector<PlacedBox> boxes;
    for (const auto& [kind, rows] : found_) add_boxes(rows, kind.front(), boxes);
    found_.clear();
    return boxes;
  }

  // Cuts are periodic: a run is as far from the one a period before as that one from its own.
  void add_boxes(const Values& rows, Index length, std::vector<PlacedBox>& boxes) const {
    const std::size_t width = axes_.size() + cuts_.size();
    const std::size_t count = rows.size() / width;
    const auto end_of = [&](std::size_t begin, std::size_t period) {
      std::size_t at = std::min(count, begin + 2 * period) * width;
      const std::size_t back = period * width;
      while (at < rows.size() && rows[at] - rows[at - back] == rows[at - back] - rows[at - 2 * back]) ++at;
      return at / width;
    };
    for (std::size_t begin = 0; begin < count;) {
      std::size_t period = 1;
      std::size_t end = end_of(begin, 1);
      for (std::size_t p = 2; p <= kTransferLimits.run_period && end < count; ++p) {
        const std::size_t here = end_of(begin, p);
        // More runs in each box than with the best period so far?
        if ((here - begin) * period <= (end - begin) * p) continue;
        period = p;
        end = here;
      }
      for (std::size_t k = begin; k < std::min(end, begin + period); ++k) {
        PlacedBox box{Values(all_.sizes.size(), 0), {}};
        for (std::size_t a = 0; a < axes_.size(); ++a) box.first[axes_[a]] = rows[k * width + a];
        if (k + period < end) {
          Values step(all_.sizes.size(), 0);
          for (std::size_t a = 0; a < axes_.size(); ++a)
            step[axes_[a]] = rows[(k + period) * width + a] - rows[k * width + a];
          box.loops.push_back(
              {ceil_div(static_cast<Index>(end - k), static_cast<Index>(period)), std::move(step)});
        }
        if (length > 1) {
          box.loops.push_back({length, Values(all_.sizes.size(), 0)});
          box.loops.back().step[axes_.back()] = 1;
        }
        boxes.push_back(std::move(box));
      }
      begin = end;
    }
  }

  const ElementAxes& all_;
  std::vector<std::size_t> axes_;
  std::vector<const CutDimension*> cuts_;
  std::vector<const PieceMap::Crop*> crops_;
  // The values of the axes and the local indices where runs begin, by length, parts, and what else stays the
  // same.
  std::map<Values, Values> found_;
};

// Axes of one sum belong together.
std::vector<std::vector<std::size_t>> groups_of(const ElementAxes& axes) {
  std::vector<std::size_t> group(axes.sizes.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto join = [&](const AxisSum& sum) {
    for (const auto& [axis, scale] : sum.terms)
      std::ranges::replace(group, std::size_t{group[axis]}, std::size_t{group[sum.terms.front().first]});
  };
  for (const CutDimension& cut : axes.cuts) join(cut.index);
  for (const PieceMap::Crop& crop : axes.crops) join(crop.value);
  std::vector<std::vector<std::size_t>> out;
  for (std::size_t g = 0; g < group.size(); ++g) {
    std::vector<std::size_t> members;
    for (std::size_t axis = 0; axis < group.size(); ++axis) {
      if (group[axis] == g) members.push_back(axis);
    }
    if (!members.empty()) out.push_back(std::move(members));
  }
  return out;
}

}  // namespace

Index PlacedBox::size() const {
  Index size = 1;
  for (const ElementLoop& loop : loops) size *= loop.extent;
  return size;
}

Result<void> for_each_element_box(const ElementAxes& axes,
                                  const std::function<Result<void>(const PlacedBox&)>& visit) {
  if (std::ranges::count(axes.sizes, 0) > 0) return {};
  std::vector<AxisGroup> groups;
  for (std::vector<std::size_t>& group : groups_of(axes)) groups.emplace_back(axes, std::move(group));
  std::vector<std::vector<PlacedBox>> parts(groups.size());
  const auto combine = [&]() -> Result<void> {
    std::vector<std::size_t> at(parts.size(), 0);
    do {
      PlacedBox box{Values(axes.sizes.size(), 0), {}};
      for (std::size_t g = 0; g < parts.size(); ++g) {
        const PlacedBox& part = parts[g][at[g]];
        for (std::size_t k = 0; k < box.first.size(); ++k) box.first[k] += part.first[k];
        box.loops.insert(box.loops.end(), part.loops.begin(), part.loops.end());
      }
      TESSERA_NEED(visit(box));
    } while (detail::advance_last(at.size(), [&](std::size_t g) {
      return detail::next_value(at[g], std::size_t{0}, parts[g].size());
    }));
    return {};
  };
  const std::function<Result<void>(std::size_t)> walk = [&](std::size_t g) -> Result<void> {
    if (g == groups.size()) return combine();
    return groups[g].walk([&](std::vector<PlacedBox> boxes) -> Result<void> {
      if (boxes.empty()) return {};
      parts[g] = std::move(boxes);
      return walk(g + 1);
    });
  };
  return walk(0);
}

}  // namespace tessera::transfer
