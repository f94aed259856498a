// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "relayout/build.h"
#include "tessera/map/inverse.h"
#include "tessera/notation/to_digits.h"

namespace tessera::relayout {
namespace {

constexpr Index kEnumerated = Index{1} << 22;

std::vector<Index> index_of(std::span<const Index> box, Index position) {
  std::vector<Index> index(box.size());
  for (std::size_t d = box.size(); d-- > 0;) {
    index[d] = position % box[d];
    position /= box[d];
  }
  return index;
}

Failure shared(std::span<const Index> first, std::span<const Index> second, Index offset) {
  Diagnostic diagnostic{.code = Code::broadcast, .message = "two indices of the destination share an offset"};
  diagnostic.witness = fmt::format("({}) and ({}) both lie at offset {}", fmt::join(first, ", "),
                                   fmt::join(second, ", "), offset);
  diagnostic.help = "every element of the destination needs a place of its own; sources may repeat";
  return fail(std::move(diagnostic));
}

Index box_size(std::span<const Index> box) {
  Index size = 1;
  for (const Index extent : box) {
    if (mul_overflows(size, extent, size)) return kIndexMax;
  }
  return size;
}

// The smallest index, row-major, that lies where an earlier one does.
template <class Offset>
Result<void> enumerate(std::span<const Index> box, Index size, const Offset& offset) {
  std::vector<std::pair<Index, Index>> places(static_cast<std::size_t>(size));
  std::vector<Index> index(box.size(), 0);
  for (Index n = 0; n < size; ++n) {
    places[static_cast<std::size_t>(n)] = {offset(index), n};
    for (std::size_t d = box.size(); d-- > 0;) {
      if (++index[d] < box[d]) break;
      index[d] = 0;
    }
  }
  std::ranges::sort(places);
  const std::pair<Index, Index>* worst = nullptr;
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].first == places[i - 1].first && (worst == nullptr || places[i].second < worst->second))
      worst = &places[i];
  }
  if (worst == nullptr) return {};
  const Index same = worst->first;
  const auto first = std::ranges::lower_bound(places, std::pair(same, Index{0}));
  return shared(index_of(box, first->second), index_of(box, worst->second), same);
}

Result<void> ask_the_judge(const IndexMap& map) {
  const auto back = inverse(map);
  if (back) return {};
  if (back.error().code != Code::not_invertible) {
    return fail(Code::undecided, "whether two indices of the destination share an offset was not decided");
  }
  Diagnostic diagnostic = back.error();
  diagnostic.code = Code::broadcast;
  diagnostic.message = "two indices of the destination share an offset";
  return fail(std::move(diagnostic));
}

// Bases over F2 that depend on each other: some combination of index bits has offset 0, like index 0.
Result<void> check_linear(const Layout& layout, const LinearLayout& linear) {
  struct Row {
    Index value;
    Index bits;
  };
  std::vector<Row> rows;
  std::vector<std::pair<std::size_t, std::size_t>> names;
  for (std::size_t dim = 0; dim < linear.bases().size(); ++dim) {
    for (std::size_t bit = 0; bit < linear.bases()[dim].size(); ++bit) {
      Row row = {linear.bases()[dim][bit], Index{1} << names.size()};
      names.emplace_back(dim, bit);
      for (const Row& other : rows) {
        if ((row.value ^ other.value) < row.value) row = {row.value ^ other.value, row.bits ^ other.bits};
      }
      if (row.value != 0) {
        rows.push_back(row);
        std::ranges::sort(rows, [](const Row& a, const Row& b) { return a.value > b.value; });
        continue;
      }
      std::vector<Index> index(linear.bases().size(), 0);
      for (std::size_t k = 0; k < names.size(); ++k) {
        if ((row.bits >> k & 1) != 0) index[names[k].first] |= Index{1} << names[k].second;
      }
      const auto box = layout.shape();
      for (std::size_t d = 0; d < box.size(); ++d) {
        // Only the powers of two around the box collide: what the box does is not known from the bases.
        if (index[d] >= box[d]) return ask_the_judge(lower(layout));
      }
      return shared(std::vector<Index>(index.size(), 0), index, 0);
    }
  }
  return {};
}

}  // namespace

bool is_nested(const Digits& digits) {
  // Insertion into a few digits; a chain has at most 63 of them.
  std::array<std::pair<Index, Index>, 128> order;
  std::size_t count = 0;
  for (const Digit& d : digits.digits()) {
    if (count == order.size()) return false;
    const std::pair entry(d.stride < 0 ? -d.stride : d.stride, d.ext);
    std::size_t at = count++;
    for (; at > 0 && order[at - 1] > entry; --at) order[at] = order[at - 1];
    order[at] = entry;
  }
  Index span = 0;
  for (const auto& [stride, ext] : std::span(order).first(count)) {
    if (stride <= span) return false;
    Index reach = 0;
    if (mul_overflows(ext - 1, stride, reach) || add_overflows(span, reach, span)) return false;
  }
  return true;
}

Result<void> check_injective(const Digits& dst) {
  if (dst.empty_box() || is_nested(dst)) return {};
  for (const Digit& d : dst.digits()) {
    if (d.stride != 0) continue;
    std::vector<Index> index(dst.box().size(), 0);
    const std::vector<Index> first = index;
    index[static_cast<std::size_t>(d.dim)] = d.div;
    return shared(first, index, dst.base());
  }
  const Index size = box_size(dst.box());
  if (size <= kEnumerated)
    return enumerate(dst.box(), size, [&](std::span<const Index> x) { return dst.offset(x); });
  return ask_the_judge(dst.to_index_map());
}

bool is_independent(const LinearLayout& linear) {
  std::vector<Index> echelon;
  for (const auto& own : linear.bases()) {
    for (Index basis : own) {
      for (const Index row : echelon) basis = std::min(basis, basis ^ row);
      if (basis == 0) return false;
      echelon.push_back(basis);
    }
  }
  return true;
}

// What stands behind swizzles: they send different offsets to different places.
std::optional<Digits> behind_swizzles(const Layout& layout) {
  const ComposedLayout* chain = layout.composed();
  if (chain == nullptr) return std::nullopt;
  for (int i = 0; i + 1 < chain->parts; ++i) {
    if (chain->part[i].kind != ComposedPart::Kind::swizzle) return std::nullopt;
  }
  return to_digits(chain->domain(), layout.shape());
}

Result<void> check_injective(const Layout& dst) {
  // These name each place at most once by construction.
  if (dst.tiled_map() != nullptr || dst.packed() != nullptr) return {};
  const Index size = dst.size();
  if (size < 2) return {};
  if (const auto inner = behind_swizzles(dst); inner && is_nested(*inner)) return {};
  const auto linear = linear_form(dst);
  if (linear && is_independent(*linear)) return {};
  if (size > kEnumerated) {
    if (linear) return check_linear(dst, *linear);
    return ask_the_judge(lower(dst));
  }
  return enumerate(dst.shape(), size, [&](std::span<const Index> x) { return dst.offset(x); });
}

}  // namespace tessera::relayout
