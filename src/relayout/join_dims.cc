// SPDX-License-Identifier: Apache-2.0
#include "relayout/join_dims.h"

#include <vector>

#include "tessera/notation/raise.h"
#include "tessera/notation/to_digits.h"

namespace tessera::moving {
namespace {

// Of the layout, or of what stands behind the swizzles of a chain.
std::optional<Digits> digits_behind(const Layout& layout) {
  if (const Digits* known = layout.known_digits()) return *known;
  if (const ComposedLayout* chain = layout.composed()) return to_digits(chain->domain(), layout.shape());
  return std::nullopt;
}

// The stride of a dimension that is one digit.
std::optional<Index> stride_of(const Digits& digits, std::size_t dim) {
  const auto own = digits.digits(dim);
  if (own.size() != 1) return std::nullopt;
  return own[0].stride;
}

bool continues(const Digits& digits, std::size_t outer) {
  const auto stride = stride_of(digits, outer);
  const auto inner = stride_of(digits, outer + 1);
  return stride && inner && checked_mul(*inner, digits.box()[outer + 1]) == stride;
}

// The digits with dimension d made part of the one that `into` says; those that are joined follow each other.
std::optional<Digits> joined(const Digits& digits, const std::vector<std::size_t>& into) {
  std::vector<Index> box(into.back() + 1, 1);
  std::vector<Digit> list;
  for (std::size_t d = 0; d < into.size(); ++d) {
    if (mul_overflows(box[into[d]], digits.box()[d], box[into[d]])) return std::nullopt;
  }
  for (std::size_t d = 0; d < into.size(); ++d) {
    // The innermost dimension of those that are joined has their stride.
    const bool last = d + 1 == into.size() || into[d + 1] != into[d];
    if (!last) continue;
    const bool alone = d == 0 || into[d - 1] != into[d];
    for (Digit digit : digits.digits(d)) {
      digit.dim = static_cast<Index>(into[d]);
      if (!alone) digit.ext = box[into[d]];
      list.push_back(digit);
    }
  }
  return Digits::normalized(std::move(box), digits.base(), std::move(list));
}

std::optional<Layout> with(const Layout& layout, const Digits& digits) {
  const ComposedLayout* chain = layout.composed();
  if (chain == nullptr) {
    const auto made = Layout::make(digits.to_index_map());
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
  std::vector<std::size_t> into = {0};
  for (std::size_t d = 0; d + 1 < src.rank(); ++d)
    into.push_back(into.back() + (continues(*from, d) && continues(*to, d) ? 0 : 1));
  if (into.back() + 1 == src.rank()) return std::nullopt;
  const auto own = joined(*from, into);
  const auto other = joined(*to, into);
  if (!own || !other) return std::nullopt;
  auto first = with(src, *own);
  auto second = with(dst, *other);
  if (!first || !second) return std::nullopt;
  return std::pair(*std::move(first), *std::move(second));
}

}  // namespace tessera::moving
