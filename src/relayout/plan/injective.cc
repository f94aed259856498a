// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/injective.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "base/index_walk.h"
#include "notation/first_repeat.h"
#include "notation/from_digits.h"
#include "notation/limits.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {
namespace {

Failure shared(std::span<const Index> first, std::span<const Index> second, Index offset) {
  Diagnostic diagnostic{.code = Code::broadcast, .message = "two indices of the destination share an offset"};
  diagnostic.witness = fmt::format("({}) and ({}) both lie at offset {}", fmt::join(first, ", "),
                                   fmt::join(second, ", "), offset);
  diagnostic.help = "every element of the destination needs its own offset; a source may repeat offsets";
  return fail(std::move(diagnostic));
}

// At most kIndexMax.
Index box_size(std::span<const Index> box) { return detail::element_count(box).value_or(kIndexMax); }

Failure undecided(Index size) {
  return fail(
      Code::undecided,
      fmt::format("cannot decide whether two indices of the destination share an offset: its {} "
                  "indices are too many to enumerate",
                  size),
      {},
      "tiles, swizzles, strides and bases over F2 are decided at any size; other maps only where each "
      "stride exceeds the span of the smaller ones");
}

// Fails with the smallest index, in row-major order, that shares its offset with an earlier one.
template <class Offset>
Result<void> enumerate(std::span<const Index> box, const Offset& offset) {
  const auto each = [&](const std::function<bool(Index)>& visit) {
    std::vector<Index> index(box.size(), 0);
    while (visit(offset(index)) && detail::next_index(index, box)) {
    }
  };
  const detail::RepeatSearch search = detail::first_repeat(box_size(box), each);
  if (!search.decided) return undecided(box_size(box));
  if (!search.found) return {};
  const std::vector<Index> first = detail::index_with_number(box, search.found->first);
  return shared(first, detail::index_with_number(box, search.found->second), offset(first));
}

// Two indices with one offset, nullopt if it is proved that there are none, or an error if neither was found.
using FoundCollision = Result<std::optional<std::pair<std::vector<Index>, std::vector<Index>>>>;
template <class Offset>
Result<void> check(std::span<const Index> box, const FoundCollision& found, const Offset& offset) {
  if (found && !*found) return {};
  const Index size = box_size(box);
  // Of few indices, the error names the smallest two that share an offset; otherwise any two.
  if (found && size > detail::kNotationLimits.collisions.sorted)
    return shared((*found)->first, (*found)->second, offset((*found)->first));
  return enumerate(box, offset);
}

}  // namespace

Result<void> check_injective(const Digits& dst) {
  for (const Digit& d : dst.digits()) {
    if (d.stride != 0) continue;
    std::vector<Index> index(dst.box().size(), 0);
    const std::vector<Index> first = index;
    index[static_cast<std::size_t>(d.dim)] = d.div;
    return shared(first, index, dst.base());
  }
  return check(dst.box(), collision(dst), [&](std::span<const Index> x) { return dst.offset(x); });
}

Result<void> check_injective(const Layout& dst) {
  if (dst.size() == 0) return {};
  auto found = collision(dst);
  if (!found && dst.size() > detail::kNotationLimits.collisions.marked) {
    // If the inverse needs no variables of its own, it is a function: each offset has one index.
    const auto back = inverse(lower(dst));
    if (back && back->domain().symbol_count() == 0) return {};
    if (!back && back.error().code == Code::not_invertible) {
      Diagnostic diagnostic = back.error();
      diagnostic.code = Code::broadcast;
      diagnostic.message = "two indices of the destination share an offset";
      return fail(std::move(diagnostic));
    }
  }
  return check(dst.shape(), found, [&](std::span<const Index> x) { return dst.offset(x); });
}

}  // namespace tessera::moving
