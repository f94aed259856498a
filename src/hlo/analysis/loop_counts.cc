// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/loop_counts.h"

#include <algorithm>
#include <utility>

#include "base/saturating.h"
#include "map/image/image_union.h"

namespace tessera::detail {
namespace {

ReadCounts counted(const IndexingSet& maps, Index elements, const JudgeLimits& limits) {
  std::vector<CountedMap> out;
  for (const Indexing& x : maps) {
    out.push_back(counted_map(x));
    out.back().hoisted = true;
  }
  return count_all(out, elements, limits);
}

Count repeated_between(bool exact, Index most) {
  if (most <= 0) return {0, 0};
  return {exact ? most : 0, most, exact ? "" : "how often an element is read again is not known"};
}

// The pairs of an index that the loop needs and an element that it reads there.
Count reads_where_needed(const IndexingSet& needed, const IndexingSet& maps, const Count& everywhere,
                         const JudgeLimits& limits) {
  Count out{0, everywhere.upper, "how often a value inside the fusion is needed is known only at run time"};
  std::vector<IndexMap> pairs;
  for (const Indexing& index : needed) {
    for (const Indexing& x : maps) {
      if (index.map.runtime_count() + x.map.runtime_count() > 0 || index.exactness != Exactness::exact ||
          x.exactness != Exactness::exact)
        return out;
      std::vector<Expr> results;
      for (std::size_t d = 0; d < x.map.dim_count(); ++d)
        results.push_back(Expr::variable(static_cast<Index>(d)));
      results.insert(results.end(), x.map.results().begin(), x.map.results().end());
      const auto both = compose(index.map, IndexMap::make_unchecked(x.map.domain(), std::move(results)));
      if (!both) return out;
      pairs.push_back(*both);
    }
  }
  const Count count = count_image_union(pairs, limits);
  if (count.upper && (!out.upper || *count.upper < *out.upper)) out.upper = count.upper;
  out.lower = std::min(count.lower, out.upper.value_or(kIndexMax));
  if (out.exact()) out.reason.clear();
  return out;
}

// The reads of a loop without those that differ only in dimensions on which the element does not depend.
Index without_broadcasts(const IndexingSet& maps, const JudgeLimits& limits) {
  Index out = 0;
  for (const Indexing& x : maps) {
    if (x.exactness == Exactness::unknown) continue;
    const Count own = count_points(remove_unused_vars(x.map).map, limits);
    out = saturating_add(out, own.upper.value_or(own.lower));
  }
  return out;
}

// What a loop over all of its indices reads again.
Count repeated_of(const IndexingSet& maps, const ReadCounts& counts, const JudgeLimits& limits) {
  if (counts.exactness == Exactness::unknown) return {0, std::nullopt, counts.reason};
  const Index most = std::min(without_broadcasts(maps, limits), counts.reads.upper.value_or(kIndexMax));
  const bool exact = counts.used.exact() && counts.exactness == Exactness::exact &&
                     std::ranges::none_of(maps, [](const Indexing& x) { return x.map.runtime_count() > 0; });
  return repeated_between(exact, most - counts.used.lower);
}

// What a loop over the indices that are needed reads again, with broadcasts.
Count repeated_where_needed(const IndexingSet& needed, const IndexingSet& maps, const Count& reads,
                            const JudgeLimits& limits) {
  std::vector<IndexMap> elements;
  for (const Indexing& index : needed) {
    for (const Indexing& x : maps) {
      const auto both = compose(index.map, x.map);
      if (both && reads.exact()) elements.push_back(*both);
    }
  }
  const Count used = count_image_union(elements, limits);
  return repeated_between(false, reads.upper.value_or(kIndexMax) - used.lower);
}

}  // namespace

LoopCounts count_loop(const IndexingSet& maps, Index elements, const IndexingSet& needed,
                      const JudgeLimits& limits) {
  LoopCounts out{.counts = counted(maps, elements, limits)};
  if (!maps.empty() && std::ranges::none_of(maps, [](const Indexing& x) { return x.replica.empty(); })) {
    // What a device sends or combines, it reads once: the elements that some replica needs of it.
    out.counts.used = out.counts.reads = out.counts.reachable;
    out.counts.even = out.counts.exactness == Exactness::exact && out.counts.used.exact();
    out.repeated = {0, 0};
    return out;
  }
  if (needed.empty()) {
    out.repeated = repeated_of(maps, out.counts, limits);
    return out;
  }
  out.counts.reads = reads_where_needed(needed, maps, out.counts.reads, limits);
  out.counts.even = false;
  out.repeated = repeated_where_needed(needed, maps, out.counts.reads, limits);
  return out;
}

}  // namespace tessera::detail
