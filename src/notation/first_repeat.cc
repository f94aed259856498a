// SPDX-License-Identifier: Apache-2.0
#include "notation/first_repeat.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "notation/limits.h"
#include "tessera/expr/expr.h"

namespace tessera::detail {
namespace {

// O(count log count).
std::optional<Repeat> by_sorting(Index count, const EachValue& each) {
  std::vector<std::pair<Index, Index>> sorted;  // values with their numbers
  sorted.reserve(static_cast<std::size_t>(count));
  each([&](Index value) {
    sorted.emplace_back(value, std::ssize(sorted));
    return true;
  });
  std::ranges::sort(sorted);
  std::optional<Repeat> found;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first != sorted[i - 1].first) continue;
    if (!found || sorted[i].second < found->second)
      found = Repeat{.first = sorted[i - 1].second, .second = sorted[i].second};
  }
  return found;
}

// O(count + width of the range).
std::optional<Repeat> by_marking(const EachValue& each, Interval range) {
  std::vector<bool> taken(static_cast<std::size_t>(range.upper - range.lower + 1), false);
  Index number = 0;
  std::optional<Index> twice;
  each([&](Index value) {
    const auto place = static_cast<std::size_t>(value - range.lower);
    if (taken[place]) {
      twice = value;
      return false;
    }
    taken[place] = true;
    ++number;
    return true;
  });
  if (!twice) return std::nullopt;
  Repeat found{.second = number};
  each([&](Index value) {
    if (value == *twice) return false;
    ++found.first;
    return true;
  });
  return found;
}

}  // namespace

RepeatSearch first_repeat(Index count, const EachValue& each) {
  if (count > kNotationLimits.collisions.marked) return {.decided = false};
  std::optional<Interval> range;
  each([&](Index value) {
    range = range ? hull(*range, Interval::point(value)) : Interval::point(value);
    return true;
  });
  if (!range) return {};
  const Index width = range->upper - range->lower;  // offsets are less than 2^62
  const bool many = count > kNotationLimits.collisions.sorted;
  if (width < kNotationLimits.collisions.places && (many || width / 64 <= count))
    return {.found = by_marking(each, *range)};
  if (many) return {.decided = false};
  return {.found = by_sorting(count, each)};
}

}  // namespace tessera::detail
