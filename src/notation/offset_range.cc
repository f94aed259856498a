// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <ranges>

#include "notation/index_runs.h"
#include "notation/limits.h"
#include "notation/offset_spread.h"
#include "notation/structure.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

// Bounds a sum by the bounds of its independent parts. Empty if a part is too large to enumerate.
class ByParts {
 public:
  explicit ByParts(const Layout& layout)
      : layout_(layout), sums_{detail::summands(layout)}, runs_(detail::cut_runs(layout.shape(), sums_)) {}

  std::optional<Interval> range() {
    detail::Pieces pieces(layout_.shape(), runs_);
    if (!pieces.number(detail::kNotationLimits.range_pieces)) return std::nullopt;
    std::optional<Interval> all;
    while (pieces.next()) {
      const auto own = of_piece(pieces.corner(), pieces.counts());
      if (!own) return std::nullopt;
      all = all ? hull(*all, *own) : *own;
    }
    return all;
  }

 private:
  std::optional<Interval> of_piece(std::span<const Index> corner, std::span<const Index> counts) {
    const Index start = layout_.offset(corner);
    Interval sum = Interval::point(start);
    std::size_t groups = 0;
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      if (runs_[k].group == detail::DimRun::kAlone) {
        const Interval last = Interval::point(counts[k] - 1) * Interval::point(runs_[k].strides[0]);
        sum = sum + hull(Interval::point(0), last);
      } else {
        groups = std::max(groups, runs_[k].group + 1);
      }
    }
    for (std::size_t group = 0; group < groups; ++group) {
      const auto own = of_group(group, corner, counts);
      if (!own) return std::nullopt;
      sum = sum + (*own - Interval::point(start));
    }
    return sum.is_finite() ? std::optional(sum) : std::nullopt;
  }

  // The range of the offsets of one group, with the other runs 0.
  std::optional<Interval> of_group(std::size_t group, std::span<const Index> corner,
                                   std::span<const Index> counts) {
    std::vector<detail::DimRun> members;
    Index entries = 1;
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      if (runs_[k].group != group || counts[k] == 1) continue;
      members.push_back(runs_[k]);
      members.back().count = counts[k];
      if (mul_overflows(entries, counts[k], entries)) return std::nullopt;
    }
    if (entries > kTableLimit - looked_at_) return std::nullopt;
    looked_at_ += entries;
    Interval bounds = Interval::point(layout_.offset(corner));
    detail::for_each_value(members, {corner.begin(), corner.end()}, [&](std::span<const Index> index) {
      bounds = hull(bounds, Interval::point(layout_.offset(index)));
    });
    return bounds;
  }

  const Layout& layout_;
  std::array<std::vector<detail::Summand>, 1> sums_;
  std::vector<detail::DimRun> runs_;
  Index looked_at_ = 0;
};

// The range of a swizzle: it maps an aligned block of 2^k to itself if the bits it moves are below k, and
// leaves the bits below those unchanged.
Interval after(const ComposedPart& part, Interval value) {
  value = value + Interval::point(part.offset);
  const Index moved = part.swizzle.read_mask() | part.swizzle.write_mask();
  if (value.upper < (moved & -moved) || moved == 0) return value;
  Index block = 1;
  while (block <= moved) block *= 2;
  return {value.lower / block * block, (value.upper / block + 1) * block - 1};
}

// The values of uncropped digits that are nested.
class SteppedValues {
 public:
  static std::optional<SteppedValues> make(const Digits& digits) {
    SteppedValues out;
    out.base_ = digits.base();
    for (std::size_t dim = 0; dim < digits.box().size(); ++dim) {
      if (digits.digit_extent(dim) != digits.box()[dim]) return std::nullopt;
    }
    for (const Digit& d : digits.digits()) {
      if (d.stride < 0) out.base_ += d.stride * (d.ext - 1);
      const Index step = std::abs(d.stride);
      if (step != 0) out.steps_.push_back({.gap = step, .span = step * (d.ext - 1)});
    }
    return detail::is_nested(out.steps_) ? std::optional(std::move(out)) : std::nullopt;
  }

  bool contains(Index value) const {
    Index rest = value - base_;
    if (rest < 0) return false;
    for (const auto& [gap, span] : std::views::reverse(steps_)) rest -= std::min(rest / gap * gap, span);
    return rest == 0;
  }

 private:
  Index base_ = 0;
  std::vector<detail::OffsetSpread> steps_;  // smallest first
};

// The extremes of a swizzle of digits are in the blocks that contain the digits' extremes. Searches from the
// ends of these blocks inward for offsets that occur. Empty if the search takes too many steps.
std::optional<Interval> of_swizzles(const Layout& layout) {
  const ComposedLayout* chain = layout.composed();
  if (chain == nullptr) return std::nullopt;
  const auto inner = Layout::make(chain->domain(), {layout.shape().begin(), layout.shape().end()});
  if (!inner) return std::nullopt;
  Interval bounds = inner->known_digits()->image_bounds();
  for (int i = chain->parts - 1; i-- > 0;) {
    if (chain->part[i].kind != ComposedPart::Kind::swizzle) return std::nullopt;
    bounds = after(chain->part[i], bounds);
  }
  const auto values = SteppedValues::make(*inner->known_digits());
  const auto occurs = [&](Index offset) {
    for (int i = 0; i + 1 < chain->parts; ++i)
      offset = chain->part[i].swizzle(offset) - chain->part[i].offset;
    if (values) return values->contains(offset);
    const auto at = indices_at(*inner, offset, {.indices = 1});
    return at && !at->indices.empty();
  };
  int steps = 0;
  while (!occurs(bounds.lower) && ++steps < detail::kNotationLimits.range_steps) ++bounds.lower;
  while (!occurs(bounds.upper) && ++steps < detail::kNotationLimits.range_steps) --bounds.upper;
  return steps < detail::kNotationLimits.range_steps ? std::optional(bounds) : std::nullopt;
}

}  // namespace

Result<Interval> offset_range(const Layout& layout) {
  if (const Digits* digits = layout.known_digits()) return digits->image_bounds();
  if (const LinearLayout* linear = layout.linear()) return Interval{0, detail::largest_xor(*linear)};
  if (const auto range = of_swizzles(layout)) return *range;
  if (const auto linear = linear_form(layout)) {
    // With power-of-two extents, every combination of bases occurs.
    if (std::ranges::equal(linear->shape(), layout.shape())) return Interval{0, detail::largest_xor(*linear)};
  }
  if (const auto range = ByParts(layout).range()) return *range;
  return fail(Code::undecided,
              fmt::format("the smallest and the largest offset were not found: more than {} indices, too "
                          "many to enumerate",
                          kTableLimit),
              {},
              "independent parts of the map are enumerated separately: use fewer dimensions per mod or div");
}

}  // namespace tessera
