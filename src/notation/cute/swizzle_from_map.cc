// SPDX-License-Identifier: Apache-2.0
#include "notation/cute/swizzle_from_map.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/index_walk.h"
#include "notation/from_digits.h"
#include "notation/limits.h"
#include "notation/structure.h"
#include "tessera/algebra/detail/linear.h"

namespace tessera::detail {

std::optional<Layout> swizzled(const Layout& from) {
  auto linear = linear_form(from);
  if (!linear) {
    auto found = to_linear_layout(
        from.shape(), [&](std::span<const Index> x) { return from.offset(x); }, interacting_dims(from));
    if (!found) return std::nullopt;
    linear = *std::move(found);
  }
  if (!std::ranges::equal(linear->shape(), from.shape())) return std::nullopt;
  LinearBases table;
  if (linear->bases().empty() || linear->bases().size() > kMaxLeaves) return std::nullopt;
  table.leaves = static_cast<int>(linear->bases().size());
  int next = 0;
  for (int i = 0; i < table.leaves; ++i) {
    const auto& own = linear->bases()[static_cast<std::size_t>(i)];
    table.bits[i] = static_cast<std::uint8_t>(own.size());
    for (const Index basis : own) table.basis[next++] = basis;
  }
  Outcome<ComposedLayout> chain = from_linear(table);
  if (!chain) return std::nullopt;
  StridedLayout& domain = chain.value.part[chain.value.parts - 1].layout;
  if (domain.rank() != table.leaves) {
    // The bits of a single dimension form several modes, so an extra pair of parentheses keeps them together.
    StridedLayout wrapped;
    LayoutBuilder build(wrapped);
    build.tuple(1);
    build.tuple(domain.rank());
    for (int i = 0; i < domain.rank(); ++i) build.copy(domain, mode_at(domain.profile, i));
    if (build.finish().failed) return std::nullopt;
    domain = wrapped;
  }
  auto layout = Layout::make(*chain);
  if (!layout) return std::nullopt;
  return *std::move(layout);
}

namespace {

// The offsets of all indices, last dimension fastest. Empty if an offset is negative or index 0 is not at
// offset 0, because a swizzle of a layout cannot have such offsets.
std::optional<std::vector<Index>> values_of(const Layout& from) {
  std::vector<Index> index(from.rank(), 0);
  std::vector<Index> values;
  do {
    values.push_back(from.offset(index));
    if (values.back() < 0 || values.front() != 0) return std::nullopt;
  } while (next_index(index, from.shape()));
  return values;
}

// The layout to which the swizzle is applied. A swizzle is its own inverse, so this layout maps indices to
// the swizzled offsets, which must have digits.
std::optional<Layout> behind(const Swizzle& swizzle, std::span<const Index> values, const Layout& from) {
  const auto box = from.shape();
  const OffsetFunction unswizzled = [&](std::span<const Index> x) {
    std::size_t flat = 0;
    for (std::size_t d = 0; d < box.size(); ++d) {
      flat = flat * static_cast<std::size_t>(box[d]) + static_cast<std::size_t>(x[d]);
    }
    return swizzle(values[flat]);
  };
  const DimGroups together = {all_dims(box.size())};
  const auto digits = digits_by_tables({box.begin(), box.end()}, unswizzled, together);
  if (!digits) return std::nullopt;
  const auto domain = to_strided_layout(*digits);
  if (!domain) return std::nullopt;
  const auto chain = make_composed(swizzle, 0, *domain);
  if (!chain) return std::nullopt;
  auto layout = Layout::make(*chain, {box.begin(), box.end()});
  if (!layout) return std::nullopt;
  return *std::move(layout);
}

}  // namespace

std::optional<Layout> swizzled_digits(const Layout& from) {
  if (from.rank() == 0 || from.size() > kNotationLimits.cute.swizzled) return std::nullopt;
  const auto values = values_of(from);
  if (!values) return std::nullopt;
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::ranges::max(*values))));
  for (int bits = 1; 2 * bits <= width; ++bits) {
    for (int base = 0; base + 2 * bits <= width; ++base) {
      for (int distance = bits; base + bits + distance <= width; ++distance) {
        for (const int shift : {distance, -distance}) {
          if (auto layout = behind({bits, base, shift}, *values, from)) return layout;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace tessera::detail
