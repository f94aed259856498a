// SPDX-License-Identifier: Apache-2.0
#include "relayout/proof/prove.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "relayout/drop_permutations.h"
#include "relayout/join_dims.h"
#include "relayout/limits.h"
#include "relayout/plan/plan.h"
#include "relayout/proof/check_offsets.h"
#include "relayout/proof/index_nest.h"
#include "relayout/proof/part_box.h"

namespace tessera::moving {
namespace {

bool disjoint(const std::vector<DimRange>& a, const std::vector<DimRange>& b) {
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (a[d].last <= b[d].first || b[d].last <= a[d].first) return true;
  }
  return false;
}

// The layout as a sum of digits, if it has any. Digits are the finest summands.
Layout in_digits(const Layout& layout) {
  const auto digits = layout.known_digits() == nullptr ? digits_of(layout) : std::nullopt;
  if (!digits) return layout;
  return Layout::make(*digits).value_or(layout);
}

// Two layouts as sums. If can_invert() is true, one of them finds the index of an offset.
class SummedLayouts {
 public:
  SummedLayouts(const Layout& src, const Layout& dst)
      : src_(src),
        dst_(dst),
        by_dst_(moving::can_invert(dst)),
        can_invert_(by_dst_ || moving::can_invert(src)) {}

  bool can_invert() const { return can_invert_; }
  LayoutSides sides() const { return {by_dst_ ? dst_ : src_, by_dst_ ? src_ : dst_, by_dst_}; }

 private:
  LayoutSide src_;
  LayoutSide dst_;
  bool by_dst_;
  bool can_invert_;
};

// The box of indices that a part copies. Empty unless each index goes to its offset.
std::optional<PartBox> copied_box(const PlanPart& part, Index element_bytes, const LayoutSides& sides,
                                  EntryBudget& budget) {
  for (const auto find : {index_nest, joined_index_nest}) {
    const auto nest = find(part, element_bytes, sides, budget);
    if (!nest) continue;
    auto box = box_of(*nest, sides);
    if (box && offsets_match(*nest, *box, sides, budget)) return box;
  }
  return std::nullopt;
}

bool prove_parts(const State& state, const Layout& src, const Layout& dst, EntryBudget& budget) {
  const SummedLayouts pair(src, dst);
  if (!pair.can_invert()) return false;
  const auto unpermuted = without_permutations(src, dst);
  std::optional<SummedLayouts> plain;
  if (unpermuted) plain.emplace(in_digits(unpermuted->src), in_digits(unpermuted->dst));
  const auto box_of_part = [&](const PlanPart& part) {
    if (plain && plain->can_invert()) {
      auto box = copied_box(part, state.element_bytes, plain->sides(), budget);
      if (box && unpermuted->holds_in(box->ranges)) return box;
    }
    return copied_box(part, state.element_bytes, pair.sides(), budget);
  };
  Index covered = 0;
  std::vector<std::vector<DimRange>> boxes;
  for (const PlanPart& part : state.parts) {
    if (part.sweep.is<mover::Fill>()) continue;
    auto box = box_of_part(part);
    if (!box) return false;
    Index count = 1;
    for (const DimRange& i : box->ranges) count *= i.last - i.first;
    // Boxes without a common index whose sizes add up to the total contain each index exactly once.
    for (const auto& other : boxes) {
      if (!disjoint(box->ranges, other)) return false;
    }
    covered += count;
    boxes.push_back(std::move(box->ranges));
  }
  return covered == dst.size();
}

// Equal functions have equal digits.
bool same_function(const Layout& a, const Layout& b) {
  if (a == b) return true;
  const auto own = digits_of(a);
  const auto other = own ? digits_of(b) : std::nullopt;
  return other && *own == *other;
}

// True for an element-by-element plan of these layouts, which must not have parts that move elements.
bool evaluates_layouts(const State& state, const Layout& src, const Layout& dst) {
  const auto moves = [](const PlanPart& part) { return !part.sweep.is<mover::Fill>(); };
  return std::ranges::none_of(state.parts, moves) &&
         std::ranges::equal(state.elementwise->src().shape(), src.shape()) &&
         same_function(state.elementwise->src(), src) && same_function(state.elementwise->dst(), dst);
}

}  // namespace

bool prove(const State& state, const Layout& src, const Layout& dst) {
  if (dst.size() == 0 || state.parts.size() > kRelayoutLimits.proof.parts) return false;
  if (state.elementwise) {
    const auto unpermuted = without_permutations(src, dst);
    return evaluates_layouts(state, src, dst) || (unpermuted && unpermuted->holds_everywhere() &&
                                                  evaluates_layouts(state, unpermuted->src, unpermuted->dst));
  }
  EntryBudget budget;
  const Layout from = in_digits(src);
  const Layout to = in_digits(dst);
  // First try the layouts with neighboring dimensions joined, then the unchanged layouts.
  const auto joined = with_joined_dims(from, to);
  return (joined && prove_parts(state, joined->first, joined->second, budget)) ||
         prove_parts(state, from, to, budget);
}

}  // namespace tessera::moving
