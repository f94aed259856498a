// SPDX-License-Identifier: Apache-2.0
#include "relayout/proof/check_offsets.h"

#include <algorithm>
#include <numeric>

namespace tessera::moving {
namespace {

class Mixing {
 public:
  Mixing(const PartMoves& moves, const PartBox& box, const Sides& sides, Budget& budget)
      : moves_(moves),
        box_(box),
        sides_(sides),
        budget_(budget),
        classes_(moves.movers.size()),
        mixed_(moves.movers.size(), false) {
    std::iota(classes_.begin(), classes_.end(), std::size_t{0});
    join_dependent(sides.near);
    join_dependent(sides.far);
  }

  bool all_hold() {
    for (std::size_t m = 0; m < moves_.movers.size(); ++m) {
      if (root(m) == m && !holds(m)) return false;
    }
    return true;
  }

 private:
  // How the run changes the window's value, for any values of the other runs.
  detail::Effect effect(const detail::Summand& summand, const detail::Window& w, std::size_t k) const {
    const detail::IndexRun& run = box_.runs[k];
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

  // Movers that one summand depends on together, and loops without a constant stride, form a class.
  void join_dependent(const Side& side) {
    for (const detail::Summand& summand : side.sum) {
      std::optional<std::size_t> before;
      for (std::size_t k = 0; k < box_.runs.size(); ++k) {
        const bool depends = std::ranges::any_of(summand.windows, [&](const detail::Window& w) {
          return w.dim == box_.runs[k].dim && effect(summand, w, k).depends;
        });
        if (!depends) continue;
        mixed_[box_.runs[k].group] = true;
        if (before) classes_[root(box_.runs[k].group)] = root(*before);
        before = box_.runs[k].group;
      }
    }
  }

  // True if the offsets along all movers of the class agree with the part.
  bool holds(std::size_t of) {
    std::vector<std::size_t> members;
    bool mixed = false;
    for (std::size_t m = 0; m < moves_.movers.size(); ++m) {
      if (root(m) != of) continue;
      members.push_back(m);
      mixed = mixed || mixed_[m];
    }
    // The entries of a table were checked when they were inverted to indices.
    if (members.size() == 1 && moves_.movers[of].is_table()) return true;
    if (!mixed) return has_strides(of);
    Point index = moves_.corner;
    return all_hold(members, 0, index, moves_.near_corner, moves_.far_corner);
  }

  bool has_strides(std::size_t m) const {
    const Mover& loop = moves_.movers[m];
    // The strides below come from the summands; the layouts themselves are checked at the last value.
    Point last = moves_.corner;
    last[loop.dim] += loop.sign * (loop.count - 1) * loop.unit;
    if (sides_.near.layout.offset(last) != moves_.near_corner + (loop.count - 1) * loop.near_stride ||
        sides_.far.layout.offset(last) != moves_.far_corner + (loop.count - 1) * loop.far_stride)
      return false;
    for (std::size_t k = 0; k < box_.runs.size(); ++k) {
      if (box_.runs[k].group != m) continue;
      if (stride(sides_.near, k) != loop.sign * loop.near_stride ||
          stride(sides_.far, k) != loop.sign * loop.far_stride)
        return false;
    }
    return true;
  }

  std::optional<Index> stride(const Side& side, std::size_t k) const {
    Index sum = 0;
    for (const detail::Summand& summand : side.sum) {
      for (const detail::Window& w : summand.windows) {
        if (w.dim == box_.runs[k].dim && add_overflows(sum, effect(summand, w, k).stride, sum))
          return std::nullopt;
      }
    }
    return sum;
  }

  bool all_hold(std::span<const std::size_t> members, std::size_t m, Point& index, Index near, Index far) {
    if (m == members.size()) {
      if (!budget_.take(1)) return false;
      return sides_.near.layout.offset(index) == near && sides_.far.layout.offset(index) == far;
    }
    const Mover& mover = moves_.movers[members[m]];
    const Index count = mover.is_table() ? static_cast<Index>(mover.steps.size()) : mover.count;
    const Point before = index;
    for (Index i = 0; i < count; ++i) {
      const auto entry = static_cast<std::size_t>(i);
      if (mover.is_table()) {
        for (std::size_t d = 0; d < index.size(); ++d) index[d] = before[d] + mover.steps[entry][d];
      } else {
        index[mover.dim] = before[mover.dim] + mover.sign * i * mover.unit;
      }
      const Index near_step = mover.is_table() ? mover.near[entry] : i * mover.near_stride;
      const Index far_step = mover.is_table() ? mover.far[entry] : i * mover.far_stride;
      if (!all_hold(members, m + 1, index, near + near_step, far + far_step)) return false;
    }
    index = before;
    return true;
  }

  const PartMoves& moves_;
  const PartBox& box_;
  const Sides& sides_;
  Budget& budget_;
  std::vector<std::size_t> classes_;
  std::vector<bool> mixed_;
};

}  // namespace

bool moves_hold(const PartMoves& moves, const PartBox& box, const Sides& sides, Budget& budget) {
  return Mixing(moves, box, sides, budget).all_hold();
}

}  // namespace tessera::moving
