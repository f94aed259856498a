// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>

#include "algebra/xor_rows.h"
#include "base/index_walk.h"
#include "notation/first_repeat.h"
#include "notation/from_digits.h"
#include "notation/index_runs.h"
#include "notation/limits.h"
#include "notation/offset_spread.h"
#include "notation/to_digits.h"
#include "tessera/algebra/detail/composed_layout.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

using Pair = std::optional<std::pair<std::vector<Index>, std::vector<Index>>>;

// A nonzero index whose bases cancel, so that it shares the offset of index 0.
Pair collision(const LinearLayout& linear) {
  detail::XorRows rows;
  for (const std::vector<Index>& own : linear.bases()) {
    for (const Index basis : own) {
      const detail::XorRows::Row row = rows.add(basis);
      if (row.value != 0) continue;
      std::vector<Index> index;  // the bits of all dimensions, one after another
      Index bits = row.added;
      for (const std::vector<Index>& of : linear.bases()) {
        index.push_back(bits & ((Index{1} << of.size()) - 1));
        bits >>= of.size();
      }
      return std::pair(std::vector<Index>(index.size(), 0), index);
    }
  }
  return std::nullopt;
}

// The part of one group, from all values of its runs, with the other runs 0. Values that do not occur in the
// box are included. Empty if there are too many values, or if two offsets are equal.
std::optional<detail::OffsetSpread> part_of(const Layout& layout, std::span<const detail::DimRun> members) {
  Index entries = 1;
  for (const detail::DimRun& run : members) {
    if (mul_overflows(entries, run.count, entries) || entries > detail::kNotationLimits.collisions.corner)
      return std::nullopt;
  }
  std::vector<Index> offsets;
  detail::for_each_value(members, std::vector<Index>(layout.rank(), 0), [&](const std::vector<Index>& index) {
    const auto inside = [&](const detail::DimRun& run) { return index[run.dim] < layout.shape()[run.dim]; };
    if (std::ranges::all_of(members, inside)) offsets.push_back(layout.offset(index));
  });
  std::ranges::sort(offsets);
  detail::OffsetSpread part{kIndexMax, offsets.back() - offsets.front()};
  for (std::size_t i = 1; i < offsets.size(); ++i) part.gap = std::min(part.gap, offsets[i] - offsets[i - 1]);
  return part.gap > 0 ? std::optional(part) : std::nullopt;
}

// Whether the runs and groups that the layout adds up are nested.
bool is_nested(const Layout& layout) {
  const std::array sums{detail::summands(layout)};
  const auto runs = detail::cut_runs(layout.shape(), sums);
  std::vector<detail::OffsetSpread> parts;
  std::size_t groups = 0;
  for (const detail::DimRun& run : runs) {
    if (run.group != detail::DimRun::kAlone) {
      groups = std::max(groups, run.group + 1);
      continue;
    }
    detail::OffsetSpread part;
    if (run.strides[0] == kIndexMin) return false;
    part.gap = std::abs(run.strides[0]);
    if (mul_overflows(part.gap, run.count - 1, part.span)) return false;
    parts.push_back(part);
  }
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<detail::DimRun> members;
    std::ranges::copy_if(runs, std::back_inserter(members),
                         [&](const detail::DimRun& run) { return run.group == group; });
    if (members.empty()) continue;
    const auto part = part_of(layout, members);
    if (!part) return false;
    parts.push_back(*part);
  }
  return detail::is_nested(parts);
}

// The layout's shape, or a part of it with at most kNotationLimits.collisions.corner indices from 0 on.
std::vector<Index> corner(const Layout& layout) {
  std::vector<Index> shape(layout.shape().begin(), layout.shape().end());
  for (Index size = layout.size(); size > detail::kNotationLimits.collisions.corner;
       size = *detail::element_count(shape)) {
    Index& longest = *std::ranges::max_element(shape);
    longest = ceil_div(longest, 2);
  }
  return shape;
}

// The first index of the box, in row-major order, that shares its offset with an earlier one.
Pair enumerated_collision(const Layout& layout, std::span<const Index> box) {
  const auto each = [&](const std::function<bool(Index)>& visit) {
    std::vector<Index> index(layout.rank(), 0);
    while (visit(layout.offset(index)) && detail::next_index(index, box)) {
    }
  };
  const auto found = detail::first_repeat(*detail::element_count(box), each).found;
  if (!found) return std::nullopt;
  return std::pair(detail::index_with_number(box, found->first),
                   detail::index_with_number(box, found->second));
}

}  // namespace

Result<Pair> collision(const Layout& layout) {
  if (layout.size() < 2 || layout.tiled_map() != nullptr) return Pair();
  if (const Digits* digits = layout.known_digits()) return collision(*digits);
  if (const ComposedLayout* chain = layout.composed();
      chain != nullptr && detail::only_swizzles_before_domain(*chain))
    return collision(to_digits(chain->domain(), layout.shape()));
  if (const auto linear = linear_form(layout); linear && std::ranges::equal(linear->shape(), layout.shape()))
    return collision(*linear);
  if (is_nested(layout)) return Pair();
  const auto digits = to_digits(layout);
  if (digits) return collision(*digits);
  const std::vector<Index> box = corner(layout);
  if (auto found = enumerated_collision(layout, box); found || std::ranges::equal(box, layout.shape()))
    return found;
  if (digits.error().code == Code::undecided) return fail(digits.error());
  return fail(Code::undecided,
              "could not decide whether two indices share an offset: the layout has no digits");
}

}  // namespace tessera
