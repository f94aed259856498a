// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/same_value.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hlo/indexing/variables.h"

namespace tessera::detail {
namespace {

bool same_path(const TupleStep* a, const TupleStep* b) {
  for (; a != nullptr && b != nullptr && a->index == b->index; a = a->next) b = b->next;
  return a == nullptr && b == nullptr;
}

// The variable of `from` by that of `to`, whose clamp contains its own.
Expr clamped_again(Expr variable, Interval to, Interval from) {
  if (from.lower > to.lower) variable = max(variable, Expr::constant(from.lower));
  if (from.upper < to.upper) variable = min(variable, Expr::constant(from.upper));
  return variable;
}

// A variable that another one gives, and that one.
std::optional<std::pair<std::size_t, std::size_t>> joined_pair(const Indexing& x) {
  for (std::size_t i = 0; i < x.runtime.size(); ++i) {
    for (std::size_t j = 0; j < x.runtime.size(); ++j) {
      if (i == j || !x.runtime[j].clamp.contains(x.runtime[i].clamp)) continue;
      // Of two equal ones, the first stays.
      if (x.runtime[i].clamp == x.runtime[j].clamp && i < j) continue;
      if (same_value(x.runtime[i], x.runtime[j], true)) return std::pair(i, j);
    }
  }
  return std::nullopt;
}

}  // namespace

bool same_value(const RuntimeValue& a, const RuntimeValue& b, bool same_index) {
  if (a.source != b.source || a.tuple_index != b.tuple_index || a.hops != b.hops || a.text != b.text ||
      a.calls != b.calls || !(a.groups == b.groups) || !same_path(a.inner, b.inner) ||
      a.map.results().size() != b.map.results().size())
    return false;
  const bool fixed = std::ranges::all_of(a.map.results(), [](Expr e) { return e.is_constant(); });
  if (fixed) return std::ranges::equal(a.map.results(), b.map.results());
  return same_index && a.map == b.map;
}

Indexing with_joined_values(Indexing x) {
  if (x.exactness == Exactness::unknown) return x;
  while (const auto pair = joined_pair(x)) {
    const auto [drop, keep] = *pair;
    const Interval clamp = x.runtime[drop].clamp;
    const Interval wide = x.runtime[keep].clamp;
    const std::size_t variable = x.map.dim_count() + x.map.range_count() + keep;
    replace_runtime(x, drop, clamped_again(Expr::variable(static_cast<Index>(variable)), wide, clamp));
  }
  return x;
}

}  // namespace tessera::detail
