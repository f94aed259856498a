// SPDX-License-Identifier: Apache-2.0
// Composition of indexings.
#include <algorithm>
#include <utility>

#include "hlo/indexing/compose_normalized.h"
#include "hlo/indexing/normalize.h"
#include "hlo/indexing/size_value.h"
#include "hlo/indexing/variables.h"
#include "tessera/hlo/indexing.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

using detail::over_elements;
using detail::spread;

namespace {

/// If a runtime variable is the replica's position in its groups, and the hop before it is within the same
/// groups, replaces the variable with the result of that hop. Requires hops over all variables.
void know_positions(Indexing& x) {
  for (std::size_t i = 0; i < x.runtime.size();) {
    const RuntimeValue& value = x.runtime[i];
    if (value.groups.exist() && value.hops > 0) {
      const ReplicaHop& hop = x.replica[value.hops - 1];
      if (over_elements(hop) && hop.groups == value.groups) {
        detail::replace_runtime(x, i, hop.map.results()[0]);
        continue;
      }
    }
    ++i;
  }
}

/// Two runtime variables that are the size of one dynamic dimension become one. A size has no instruction,
/// and does not depend on the element.
void know_sizes(Indexing& x) {
  const auto is_size = [&](const RuntimeValue& v) { return detail::is_size(v) && v.map.results().empty(); };
  for (std::size_t i = 1; i < x.runtime.size();) {
    std::size_t same = 0;
    const RuntimeValue& value = x.runtime[i];
    while (same < i && !(is_size(value) && is_size(x.runtime[same]) && value.text == x.runtime[same].text &&
                         value.calls == x.runtime[same].calls && value.hops == x.runtime[same].hops))
      ++same;
    if (same == i) {
      ++i;
      continue;
    }
    Interval& known = x.runtime[same].clamp;
    known.upper = std::min(known.upper, value.clamp.upper);
    const std::size_t first = x.map.dim_count() + x.map.range_count();
    detail::replace_runtime(x, i, Expr::variable(static_cast<Index>(first + same)));
  }
}

/// The value, read at `map`.
RuntimeValue read_at(const RuntimeValue& value, IndexMap map) {
  return {.source = value.source,
          .tuple_index = value.tuple_index,
          .inner = value.inner,
          .text = value.text,
          .map = std::move(map),
          .clamp = value.clamp,
          .calls = value.calls,
          .hops = value.hops,
          .groups = value.groups};
}

}  // namespace

Indexing compose(const Indexing& first, const Indexing& second) {
  if (first.exactness == Exactness::unknown) return Indexing::unknown(first.reason);
  if (second.exactness == Exactness::unknown) return Indexing::unknown(second.reason);
  auto joined = compose(first.map, second.map);
  if (!joined) return Indexing::unknown(joined.error().message);
  Indexing x = detail::composed(first, second, *std::move(joined));
  if (!x.map.known_empty() && (!second.runtime.empty() || !second.replica.empty() || !first.runtime.empty() ||
                               !first.replica.empty())) {
    const Domain& domain = x.map.domain();
    const std::size_t ranges = second.map.range_count();
    const std::size_t runtimes = second.map.runtime_count();
    // Variables of `second` come before those of `first` in the composed map.
    const auto lift = [&](const IndexMap& map) {
      return map.domain().symbol_count() == 0 ? map
                                              : spread(map, domain, {.range = ranges, .runtime = runtimes});
    };
    const auto follow = [&](const IndexMap& map) {
      auto over_all = spread(map, second.map.domain(), {});
      auto out = compose(first.map, over_all);
      return out ? *std::move(out) : IndexMap::empty(domain, map.results().size());
    };
    x.runtime.reserve(first.runtime.size() + second.runtime.size());
    for (const RuntimeValue& value : second.runtime) {
      x.runtime.push_back(read_at(value, follow(value.map)));
      x.runtime.back().hops += first.replica.size();
    }
    for (const RuntimeValue& value : first.runtime) x.runtime.push_back(read_at(value, lift(value.map)));
    for (ReplicaHop hop : first.replica) {
      if (over_elements(hop)) hop.map = spread(hop.map, domain, {.range = ranges, .runtime = runtimes});
      x.replica.push_back(std::move(hop));
    }
    for (ReplicaHop hop : second.replica) {
      if (over_elements(hop)) hop.map = follow(hop.map);
      x.replica.push_back(std::move(hop));
    }
    know_positions(x);
    know_sizes(x);
  }
  detail::normalize_in_place(x);
  return x;
}

}  // namespace tessera
