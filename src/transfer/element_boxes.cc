// SPDX-License-Identifier: Apache-2.0
#include "transfer/element_boxes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

#include "base/index_walk.h"
#include "base/try.h"

namespace tessera::transfer {
namespace {

using Values = std::vector<Index>;

Index step_of(const AxisSum& sum, std::size_t axis) {
  Index step = 0;
  for (const auto& [number, scale] : sum.terms) step += number == axis ? scale : 0;
  return step;
}

// Runs of one length and kind, at equal distances.
struct Stretch {
  Values first;
  Values locals;
  Index count = 1;
  Values step = {};
  Values local_step = {};

  // Adds the run that begins at `values`, if it is the next one.
  bool extend(const Values& values, const Values& local) {
    const auto apart = [this](const Values& later, const Values& earlier, Values& known) {
      Values step_now(later.size());
      for (std::size_t k = 0; k < later.size(); ++k) step_now[k] = later[k] - earlier[k];
      if (count == 1) {
        known = std::move(step_now);
        return true;
      }
      for (std::size_t k = 0; k < later.size(); ++k) {
        if (step_now[k] != count * known[k]) return false;
      }
      return true;
    };
    if (!apart(values, first, step) || !apart(local, locals, local_step)) return false;
    ++count;
    return true;
  }
};

// Axes that determine parts and crops together, and all their values inside the crops as boxes.
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
    walk();
  }

  std::vector<PlacedBox> boxes;

 private:
  bool has(std::size_t axis) const { return std::ranges::count(axes_, axis) > 0; }

  static Index value_of(const AxisSum& sum, const Values& values) {
    Index value = sum.constant;
    for (const auto& [axis, scale] : sum.terms) value += scale * values[axis];
    return value;
  }

  void walk() {
    const std::size_t inner = axes_.back();
    Values values(all_.sizes.size(), 0);
    do {
      for (values[inner] = 0; values[inner] < all_.sizes[inner];) values[inner] += add_run(values, inner);
      values[inner] = 0;
    } while (detail::advance_last(axes_.size() - 1, [&](std::size_t k) {
      return detail::next_value(values[axes_[k]], 0, all_.sizes[axes_[k]]);
    }));
    for (const auto& [kind, stretches] : found_) {
      for (const Stretch& stretch : stretches) boxes.push_back(box_of(stretch, kind.front(), inner));
    }
    found_.clear();
  }

  // Returns the length of the run that begins here.
  Index add_run(const Values& values, std::size_t inner) {
    Index run = all_.sizes[inner] - values[inner];
    Values kind = {0};
    Values locals;
    for (const std::size_t axis : axes_) {
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
    for (const CutDimension* cut : cuts_) {
      const CutIndex at = cut->holders->cut(cut->dim, value_of(cut->index, values));
      kind.insert(kind.end(), at.parts.begin(), at.parts.end());
      locals.push_back(at.local);
      end_after(at.run, step_of(cut->index, inner));
    }
    kind.front() = run;
    std::vector<Stretch>& same = found_[kind];
    if (same.empty() || !same.back().extend(values, locals)) same.push_back({values, std::move(locals)});
    return run;
  }

  PlacedBox box_of(const Stretch& stretch, Index run, std::size_t inner) const {
    PlacedBox box{stretch.first, {}};
    if (stretch.count > 1) box.loops.push_back({stretch.count, stretch.step});
    if (run == 1) return box;
    box.loops.push_back({run, Values(all_.sizes.size(), 0)});
    box.loops.back().step[inner] = 1;
    return box;
  }

  const ElementAxes& all_;
  std::vector<std::size_t> axes_;
  std::vector<const CutDimension*> cuts_;
  std::vector<const PieceMap::Crop*> crops_;
  std::map<Values, std::vector<Stretch>> found_;  // by length, parts, and what else stays the same
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
  std::vector<std::vector<PlacedBox>> parts;
  for (std::vector<std::size_t>& group : groups_of(axes))
    parts.push_back(AxisGroup(axes, std::move(group)).boxes);
  if (std::ranges::any_of(parts, [](const auto& boxes) { return boxes.empty(); })) return {};
  std::vector<std::size_t> at(parts.size(), 0);
  do {
    PlacedBox box{Values(axes.sizes.size(), 0), {}};
    for (std::size_t g = 0; g < parts.size(); ++g) {
      const PlacedBox& part = parts[g][at[g]];
      for (std::size_t k = 0; k < box.first.size(); ++k) box.first[k] += part.first[k];
      box.loops.insert(box.loops.end(), part.loops.begin(), part.loops.end());
    }
    TESSERA_NEED(visit(box));
  } while (detail::advance_last(
      at.size(), [&](std::size_t g) { return detail::next_value(at[g], std::size_t{0}, parts[g].size()); }));
  return {};
}

}  // namespace tessera::transfer
