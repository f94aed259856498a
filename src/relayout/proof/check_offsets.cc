// SPDX-License-Identifier: Apache-2.0
#include "relayout/proof/check_offsets.h"

#include <algorithm>
#include <numeric>

namespace tessera::moving {
namespace {

class OffsetChecker {
 public:
  OffsetChecker(const IndexNest& nest, const PartBox& box, const LayoutSides& sides, EntryBudget& budget)
      : nest_(nest),
        box_(box),
        sides_(sides),
        budget_(budget),
        classes_(nest.axes.size()),
        dependent_(nest.axes.size(), false) {
    std::iota(classes_.begin(), classes_.end(), std::size_t{0});
    join_dependent(sides.near);
    join_dependent(sides.far);
  }

  bool all_hold() {
    for (std::size_t m = 0; m < nest_.axes.size(); ++m) {
      if (root(m) == m && !holds(m)) return false;
    }
    return true;
  }

 private:
  // How the run changes the window's value, whatever the values of the other runs.
  detail::Effect effect(const detail::Summand& summand, const detail::Window& w, std::size_t k) const {
    const detail::DimRun& run = box_.runs[k];
    const bool top = k + 1 == box_.runs.size() || box_.runs[k + 1].dim != run.dim;
    return detail::effect(summand, w, run,
                          {.extent = sides_.near.layout.shape()[run.dim],
                           .first = box_.ranges[run.dim].first,
                           .above = top ? 0 : box_.runs[k + 1].unit});
  }

  std::size_t root(std::size_t m) const {
    while (classes_[m] != m) m = classes_[m];
    return m;
  }

  // An axis is dependent if some summand depends on it without a constant stride. Dependent axes of one
  // summand form a class.
  void join_dependent(const LayoutSide& side) {
    for (const detail::Summand& summand : side.sum) {
      std::optional<std::size_t> before;
      for (std::size_t k = 0; k < box_.runs.size(); ++k) {
        const bool depends = std::ranges::any_of(summand.windows, [&](const detail::Window& w) {
          return w.dim == box_.runs[k].dim && effect(summand, w, k).depends;
        });
        if (!depends) continue;
        dependent_[box_.runs[k].group] = true;
        if (before) classes_[root(box_.runs[k].group)] = root(*before);
        before = box_.runs[k].group;
      }
    }
  }

  // True if the offsets along the axes of class `of` equal those of the nest.
  bool holds(std::size_t of) {
    std::vector<std::size_t> members;
    bool dependent = false;
    for (std::size_t m = 0; m < nest_.axes.size(); ++m) {
      if (root(m) != of) continue;
      members.push_back(m);
      dependent = dependent || dependent_[m];
    }
    // The entries of a table were checked when they were inverted to indices.
    const auto* loop = std::get_if<IndexLoop>(&nest_.axes[of]);
    if (members.size() == 1 && loop == nullptr) return true;
    if (!dependent) return has_strides(*loop, of);
    Point index = nest_.corner;
    return all_hold(members, 0, index, nest_.near_corner, nest_.far_corner);
  }

  // True if axis m, an independent loop, has its strides on both sides.
  bool has_strides(const IndexLoop& loop, std::size_t m) const {
    // The loop below takes the strides from the summands. Only the last value is checked with the layouts
    // themselves.
    Point last = nest_.corner;
    last[loop.dim] += loop.sign * (loop.count - 1) * loop.unit;
    if (sides_.near.layout.offset(last) != nest_.near_corner + (loop.count - 1) * loop.near_stride ||
        sides_.far.layout.offset(last) != nest_.far_corner + (loop.count - 1) * loop.far_stride)
      return false;
    for (std::size_t k = 0; k < box_.runs.size(); ++k) {
      if (box_.runs[k].group != m) continue;
      if (stride(sides_.near, k) != loop.sign * loop.near_stride ||
          stride(sides_.far, k) != loop.sign * loop.far_stride)
        return false;
    }
    return true;
  }

  std::optional<Index> stride(const LayoutSide& side, std::size_t k) const {
    Index sum = 0;
    for (const detail::Summand& summand : side.sum) {
      for (const detail::Window& w : summand.windows) {
        if (w.dim == box_.runs[k].dim && add_overflows(sum, effect(summand, w, k).stride, sum))
          return std::nullopt;
      }
    }
    return sum;
  }

  // Checks all combinations of the values of members[m] and later ones. `near` and `far` are the offsets at
  // `index`.
  bool all_hold(std::span<const std::size_t> members, std::size_t m, Point& index, Index near, Index far) {
    if (m == members.size()) {
      if (!budget_.take(1)) return false;
      return sides_.near.layout.offset(index) == near && sides_.far.layout.offset(index) == far;
    }
    const Point before = index;
    const IndexAxis& axis = nest_.axes[members[m]];
    if (const auto* loop = std::get_if<IndexLoop>(&axis)) {
      for (Index i = 0; i < loop->count; ++i) {
        index[loop->dim] = before[loop->dim] + loop->sign * i * loop->unit;
        if (!all_hold(members, m + 1, index, near + i * loop->near_stride, far + i * loop->far_stride))
          return false;
      }
    } else {
      const auto& table = std::get<IndexTable>(axis);
      for (std::size_t i = 0; i < table.steps.size(); ++i) {
        for (std::size_t d = 0; d < index.size(); ++d) index[d] = before[d] + table.steps[i][d];
        if (!all_hold(members, m + 1, index, near + table.near[i], far + table.far[i])) return false;
      }
    }
    index = before;
    return true;
  }

  const IndexNest& nest_;
  const PartBox& box_;
  const LayoutSides& sides_;
  EntryBudget& budget_;
  std::vector<std::size_t> classes_;
  std::vector<bool> dependent_;
};

}  // namespace

bool offsets_match(const IndexNest& nest, const PartBox& box, const LayoutSides& sides, EntryBudget& budget) {
  return OffsetChecker(nest, box, sides, budget).all_hold();
}

}  // namespace tessera::moving
