// SPDX-License-Identifier: Apache-2.0
#include "relayout/proof/index_nest.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>

#include "notation/offset_spread.h"
#include "notation/to_digits.h"
#include "relayout/limits.h"
#include "tessera/algebra/detail/composed_layout.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {
namespace {

class IndexNestFinder {
 public:
  IndexNestFinder(const PlanPart& part, Index element_bytes, const LayoutSides& sides, EntryBudget& budget)
      : part_(part), e_(element_bytes), sides_(sides), near_(sides.near.layout), budget_(budget) {}

  // Makes an axis for each table of the part, and one or more for each loop.
  std::optional<IndexNest> find() {
    if (!find_corner()) return std::nullopt;
    for (const SweepAxis& axis : axes()) {
      if (!(is_table(axis) ? add_table(axis) : add_loop(axis.count, axis.src, axis.dst))) return std::nullopt;
    }
    return std::move(nest_);
  }

  // Makes one table from all tables and the loops of the smallest steps.
  std::optional<IndexNest> find_together() {
    if (!find_corner()) return std::nullopt;
    std::vector<SweepAxis> all = axes();
    const auto step = [&](const SweepAxis& axis) {
      const Index near = near_of(axis.src, axis.dst);
      return is_table(axis) || near == kIndexMin ? 0 : std::abs(near);
    };
    std::ranges::sort(all, {}, step);
    std::vector<Offsets> entries = {{}};
    std::size_t joined = 0;
    for (; joined < all.size(); ++joined) {
      const SweepAxis& axis = all[joined];
      if (axis.count > kRelayoutLimits.proof.joined_entries / std::ssize(entries)) break;
      std::vector<Offsets> sums;
      for (Index i = 0; i < axis.count; ++i) {
        const auto own = entry_of(axis, i);
        if (!own) return std::nullopt;
        for (const Offsets& below : entries) {
          Offsets sum;
          if (add_overflows(below.src, own->src, sum.src) || add_overflows(below.dst, own->dst, sum.dst))
            return std::nullopt;
          sums.push_back(sum);
        }
      }
      entries = std::move(sums);
    }
    if (!add_table(entries)) return std::nullopt;
    for (const SweepAxis& axis : std::span(all).subspan(joined)) {
      if (is_table(axis) || !add_loop(axis.count, axis.src, axis.dst)) return std::nullopt;
    }
    return std::move(nest_);
  }

 private:
  struct Offsets {
    Index src = 0;
    Index dst = 0;
  };

  // All axes of the part. A run is a loop over elements too.
  std::vector<SweepAxis> axes() const {
    const Sweep& sweep = part_.sweep;
    std::vector<SweepAxis> all = {{.count = sweep.run / e_, .src = e_, .dst = e_}};
    for (std::uint32_t k = 0; k < sweep.loops; ++k)
      all.push_back({.count = sweep.loop[k].count, .src = sweep.loop[k].src, .dst = sweep.loop[k].dst});
    all.push_back(sweep.rows);
    all.push_back(sweep.cols);
    return all;
  }
  static bool is_table(const SweepAxis& axis) {
    return axis.src_table != nullptr || axis.dst_table != nullptr;
  }
  static std::optional<Offsets> entry_of(const SweepAxis& axis, Index i) {
    Offsets at;
    if (mul_overflows(i, axis.src, at.src) || mul_overflows(i, axis.dst, at.dst)) return std::nullopt;
    if (axis.src_table != nullptr) at.src = axis.src_table[i];
    if (axis.dst_table != nullptr) at.dst = axis.dst_table[i];
    return at;
  }

  Index near_of(Index src, Index dst) const { return sides_.near_is_dst ? dst : src; }

  std::optional<Point> index_at(Index offset) const {
    auto found = indices_at(near_, offset, {.indices = 2});
    if (!found || found->indices.size() != 1) return std::nullopt;
    return std::move(found->indices[0]);
  }
  // The index at `times` * `step` from the corner's offset.
  std::optional<Point> index_after(Index step, Index times) const {
    Index offset = 0;
    if (mul_overflows(step, times, offset) || add_overflows(offset, nest_.near_corner, offset))
      return std::nullopt;
    return index_at(offset);
  }

  bool find_corner() {
    if (part_.src % e_ != 0 || part_.dst % e_ != 0 || part_.sweep.run % e_ != 0) return false;
    nest_.near_corner = near_of(part_.src, part_.dst) / e_;
    nest_.far_corner = near_of(part_.dst, part_.src) / e_;
    auto corner = index_at(nest_.near_corner);
    if (!corner || sides_.far.layout.offset(*corner) != nest_.far_corner) return false;
    nest_.corner = *std::move(corner);
    return true;
  }

  // Adds a loop as index loops; or, if it permutes the indices of each block, as a table for one block and
  // index loops over blocks.
  bool add_loop(Index count, Index src, Index dst) {
    if (count == 1) return true;
    if (src % e_ != 0 || dst % e_ != 0) return false;
    const Index near = near_of(src, dst) / e_;
    const Index far = near_of(dst, src) / e_;
    if (add_straight(count, near, far)) return true;
    for (Index block = 2; block <= std::min(count, kRelayoutLimits.proof.permuted);
         block += block < kRelayoutLimits.proof.tried ? 1 : block) {
      Index near_block = 0;
      Index far_block = 0;
      if (count % block != 0 || mul_overflows(near, block, near_block) ||
          mul_overflows(far, block, far_block))
        continue;
      const std::size_t before = nest_.axes.size();
      if (count != block && !add_straight(count / block, near_block, far_block)) continue;
      if (add_table({.count = block, .src = src, .dst = dst}) && steps_over_last(before)) return true;
      nest_.axes.resize(before);
    }
    return false;
  }

  // True if the entries of the last axis, a table, form a box of indices, and each loop from `first` on steps
  // over whole boxes.
  bool steps_over_last(std::size_t first) const {
    const auto& table = std::get<IndexTable>(nest_.axes.back());
    Index entries = 1;
    for (std::size_t d = 0; d < nest_.corner.size(); ++d) {
      Index unit = 0;
      Index low = 0;
      Index high = 0;
      for (const Point& step : table.steps) {
        unit = std::gcd(unit, step[d]);
        low = std::min(low, step[d]);
        high = std::max(high, step[d]);
      }
      if (unit == 0) continue;
      const Index values = (high - low) / unit + 1;
      entries *= std::min<Index>(values, kRelayoutLimits.proof.permuted + 1);
      if (entries > kRelayoutLimits.proof.permuted) return false;
      for (std::size_t m = first; m + 1 < nest_.axes.size(); ++m) {
        const auto* loop = std::get_if<IndexLoop>(&nest_.axes[m]);
        if (loop != nullptr && loop->dim == d && loop->unit % (unit * values) != 0) return false;
      }
    }
    return entries == static_cast<Index>(table.steps.size());
  }

  // Adds a loop as index loops of one step each, split where the loop carries from one digit into the next.
  // Returns false and adds nothing if the index loops do not end at the last index of the loop.
  bool add_straight(Index count, Index near, Index far) {
    const std::size_t before = nest_.axes.size();
    Point last = nest_.corner;
    const auto end = index_after(near, count - 1);
    bool found = end.has_value();
    while (count > 1 && found) {
      const auto loop = straight_loop(count, near, far);
      found = loop && count % loop->count == 0 && !mul_overflows(near, loop->count, near) &&
              !mul_overflows(far, loop->count, far);
      if (!found) break;
      count /= loop->count;
      last[loop->dim] += loop->sign * (loop->count - 1) * loop->unit;
      nest_.axes.emplace_back(*loop);
    }
    if (found && *end == last) return true;
    nest_.axes.resize(before);
    return false;
  }

  // The longest prefix of a loop whose steps are equal steps of one dimension.
  std::optional<IndexLoop> straight_loop(Index count, Index near, Index far) const {
    const auto second = index_after(near, 1);
    if (!second) return std::nullopt;
    IndexLoop loop{.near_stride = near, .far_stride = far};
    Index step = 0;
    for (std::size_t d = 0; d < second->size(); ++d) {
      const Index own = (*second)[d] - nest_.corner[d];
      if (own == 0) continue;
      if (step != 0) return std::nullopt;
      step = own;
      loop.dim = d;
    }
    if (step == 0) return std::nullopt;
    loop.unit = std::abs(step);
    loop.sign = step < 0 ? -1 : 1;
    const Index corner = nest_.corner[loop.dim];
    const Index room = step > 0 ? near_.shape()[loop.dim] - 1 - corner : corner;
    loop.count = straight(loop, std::min(count, room / loop.unit + 1));
    return loop;
  }

  // The length of the prefix that straight_loop returns, at most `most`, by bisection. Assumes that offsets
  // agree up to one point and differ after it; offsets_match proves the result.
  Index straight(const IndexLoop& loop, Index most) const {
    Point index = nest_.corner;
    const auto holds = [&](Index i) {
      Index reach = 0;
      if (mul_overflows(i, loop.near_stride, reach) || add_overflows(reach, nest_.near_corner, reach))
        return false;
      index[loop.dim] = nest_.corner[loop.dim] + loop.sign * i * loop.unit;
      return near_.offset(index) == reach;
    };
    if (holds(most - 1)) return most;
    Index good = 1;
    Index bad = most - 1;
    while (bad - good > 1) {
      const Index middle = good + (bad - good) / 2;
      (holds(middle) ? good : bad) = middle;
    }
    return bad;
  }

  bool add_table(const SweepAxis& axis) {
    if (axis.count > budget_.left) return false;
    std::vector<Offsets> entries;
    entries.reserve(static_cast<std::size_t>(axis.count));
    for (Index i = 0; i < axis.count; ++i) {
      const auto own = entry_of(axis, i);
      if (!own) return false;
      entries.push_back(*own);
    }
    return add_table(entries);
  }

  bool add_table(std::span<const Offsets> entries) {
    if (!budget_.take(std::ssize(entries))) return false;
    IndexTable table;
    for (const auto& [src, dst] : entries) {
      if (src % e_ != 0 || dst % e_ != 0) return false;
      auto index = index_after(near_of(src, dst) / e_, 1);
      const Index far = near_of(dst, src) / e_;
      if (!index || sides_.far.layout.offset(*index) - nest_.far_corner != far) return false;
      for (std::size_t d = 0; d < index->size(); ++d) (*index)[d] -= nest_.corner[d];
      table.steps.push_back(*std::move(index));
      table.near.push_back(near_of(src, dst) / e_);
      table.far.push_back(far);
    }
    nest_.axes.emplace_back(std::move(table));
    return true;
  }

  const PlanPart& part_;
  Index e_;
  const LayoutSides& sides_;
  const Layout& near_;
  EntryBudget& budget_;
  IndexNest nest_;
};

}  // namespace

bool can_invert(const Layout& layout) {
  if (layout.tiled_map() != nullptr) return true;
  if (const Digits* digits = layout.known_digits()) return detail::is_nested(*digits);
  if (const ComposedLayout* chain = layout.composed()) {
    return detail::only_swizzles_before_domain(*chain) &&
           detail::is_nested(to_digits(chain->domain(), layout.shape()));
  }
  return layout.linear() != nullptr;
}

std::optional<IndexNest> index_nest(const PlanPart& part, Index element_bytes, const LayoutSides& sides,
                                    EntryBudget& budget) {
  return IndexNestFinder(part, element_bytes, sides, budget).find();
}

std::optional<IndexNest> joined_index_nest(const PlanPart& part, Index element_bytes,
                                           const LayoutSides& sides, EntryBudget& budget) {
  return IndexNestFinder(part, element_bytes, sides, budget).find_together();
}

}  // namespace tessera::moving
