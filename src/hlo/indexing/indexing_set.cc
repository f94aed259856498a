// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/indexing_set.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tessera/map/simplify.h"

namespace tessera {

OperandIndexing whole_value(const Domain& start, std::span<const Index> extents, std::string reason) {
  const auto all = start.variables();
  const Domain box = Domain::box(extents);
  std::vector<Variable> dims(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(start.dim_count()));
  Domain domain(std::move(dims), {box.variables().begin(), box.variables().end()}, {});
  if (box.known_empty() || start.known_empty()) domain.set_known_empty();
  std::vector<Expr> results;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    results.push_back(Expr::variable(static_cast<Index>(start.dim_count() + i)));
  }
  OperandIndexing x;
  x.map = simplify(IndexMap::make_unchecked(std::move(domain), std::move(results)));
  x.exactness = Exactness::superset;
  x.reason = std::move(reason);
  return normalize(std::move(x));
}

bool insert(IndexingSet& set, OperandIndexing indexing) {
  const bool nothing = indexing.exactness != Exactness::unknown && indexing.map.known_empty();
  if (nothing && !set.empty()) return false;
  if (set.size() == 1 && set[0].exactness != Exactness::unknown && set[0].map.known_empty()) {
    set[0] = std::move(indexing);
    return true;
  }
  for (OperandIndexing& member : set) {
    if (!same_relation(member, indexing)) continue;
    // Both relate the same elements, so the exact one, if any, suffices.
    if (member.exactness <= indexing.exactness) return false;
    member.exactness = indexing.exactness;
    member.reason = std::move(indexing.reason);
    return true;
  }
  set.push_back(std::move(indexing));
  return true;
}

void keep_footprint(IndexingSet& set) {
  for (std::size_t i = 0; i < set.size();) {
    bool inside = false;
    for (std::size_t j = 0; j < set.size() && !inside; ++j) inside = j != i && contained(set[i], set[j]);
    if (inside) {
      set.erase(set.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

Exactness exactness(const IndexingSet& set) {
  Exactness weakest = Exactness::exact;
  for (const OperandIndexing& x : set) weakest = std::max(weakest, x.exactness);
  return weakest;
}

}  // namespace tessera
