// SPDX-License-Identifier: Apache-2.0
#include "relayout/join_dims.h"

#include <algorithm>
#include <span>
#include <vector>

#include "notation/from_digits.h"
#include "notation/to_digits.h"

namespace tessera::moving {
namespace {

// The digits of the layout. For a layout with swizzles, those of the layout inside them.
std::optional<Digits> digits_behind(const Layout& layout) {
  if (const Digits* known = layout.known_digits()) return *known;
  if (const ComposedLayout* chain = layout.composed()) return to_digits(chain->domain(), layout.shape());
  return std::nullopt;
}

// The stride of a dimension that consists of one digit.
std::optional<Index> stride_of(const Digits& digits, std::size_t dim) {
  const auto own = digits.digits(dim);
  if (own.size() != 1) return std::nullopt;
  return own[0].stride;
}

// True if one step of `outer` is as long as all steps of `inner` together.
bool continues(const Digits& digits, std::size_t outer, std::size_t inner) {
  const auto stride = stride_of(digits, outer);
  const auto below = stride_of(digits, inner);
  return stride && below && checked_mul(*below, digits.box()[inner]) == stride;
}

// Dimensions that become one, the innermost first.
using DimsToJoin = std::vector<std::size_t>;

// Partitions the dimensions into groups to merge, ordered by their outermost dimensions. A dimension that has
// stride 0 on both sides is never merged: two such dimensions continue each other, which could form a cycle.
std::vector<DimsToJoin> groups_of(const Digits& src, const Digits& dst) {
  const std::size_t rank = src.box().size();
  const std::size_t nobody = rank;
  std::vector<std::size_t> inner(rank, nobody);
  std::vector<bool> is_outermost(rank, true);
  for (std::size_t d = 0; d < rank; ++d) {
    for (std::size_t other = 0; other < rank; ++other) {
      if (!is_outermost[other] || !continues(src, d, other) || !continues(dst, d, other)) continue;
      if (stride_of(src, d) == 0 && stride_of(dst, d) == 0) continue;
      inner[d] = other;
      is_outermost[other] = false;
      break;
    }
  }
  std::vector<DimsToJoin> groups;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!is_outermost[d]) continue;
    DimsToJoin& group = groups.emplace_back();
    for (std::size_t k = d; k != nobody; k = inner[k]) group.push_back(k);
    std::ranges::reverse(group);
  }
  return groups;
}

// The same digits in a shape with one dimension for each group.
std::optional<Digits> joined(const Digits& digits, std::span<const DimsToJoin> groups) {
  std::vector<Index> box(groups.size(), 1);
  std::vector<Digit> list;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::size_t d : groups[g]) {
      if (mul_overflows(box[g], digits.box()[d], box[g])) return std::nullopt;
    }
    for (Digit digit : digits.digits(groups[g].front())) {
      digit.dim = static_cast<Index>(g);
      if (groups[g].size() > 1) digit.ext = box[g];
      list.push_back(digit);
    }
  }
  return Digits::normalized(std::move(box), digits.base(), std::move(list));
}

std::optional<Layout> with(const Layout& layout, const Digits& digits) {
  const ComposedLayout* chain = layout.composed();
  if (chain == nullptr) {
    const auto made = Layout::make(digits);
    return made ? std::optional(*made) : std::nullopt;
  }
  const auto domain = to_strided_layout(digits);
  if (!domain) return std::nullopt;
  ComposedLayout other = *chain;
  other.part[other.parts - 1].layout = *domain;
  const auto made = Layout::make(other, {digits.box().begin(), digits.box().end()});
  return made ? std::optional(*made) : std::nullopt;
}

}  // namespace

std::optional<std::pair<Layout, Layout>> with_joined_dims(const Layout& src, const Layout& dst) {
  const auto from = digits_behind(src);
  const auto to = digits_behind(dst);
  if (!from || !to || src.rank() == 0) return std::nullopt;
  const std::vector<DimsToJoin> groups = groups_of(*from, *to);
  if (groups.size() == src.rank()) return std::nullopt;
  const auto own = joined(*from, groups);
  const auto other = joined(*to, groups);
  if (!own || !other) return std::nullopt;
  auto first = with(src, *own);
  auto second = with(dst, *other);
  if (!first || !second) return std::nullopt;
  return std::pair(*std::move(first), *std::move(second));
}

}  // namespace tessera::moving
