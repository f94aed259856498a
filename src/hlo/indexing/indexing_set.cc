// SPDX-License-Identifier: Apache-2.0
#include "hlo/indexing/indexing_set.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/indexing/contained.h"
#include "hlo/indexing/relation.h"
#include "tessera/hlo/indexing.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

Indexing whole_value(const Domain& start, std::span<const Index> extents, std::string reason) {
  const auto all = start.variables();
  const Domain box = Domain::box(extents);
  std::vector<Variable> dims(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(start.dim_count()));
  Domain domain(std::move(dims), {box.variables().begin(), box.variables().end()}, {});
  if (box.known_empty() || start.known_empty()) domain.set_known_empty();
  std::vector<Expr> results;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    results.push_back(Expr::variable(static_cast<Index>(start.dim_count() + i)));
  }
  Indexing x;
  x.map = simplify(IndexMap::make_unchecked(std::move(domain), std::move(results)));
  x.exactness = Exactness::superset;
  x.reason = std::move(reason);
  return normalize(std::move(x));
}

namespace {

bool is_nothing(const Indexing& x) { return x.exactness != Exactness::unknown && x.map.known_empty(); }

/// A known empty member stays only if it is alone. Returns whether the set changed, or nullopt if neither the
/// new indexing nor the only member is known empty.
template <class X>
std::optional<bool> insert_beside_nothing(IndexingSet& set, X&& indexing) {
  if (is_nothing(indexing) && !set.empty()) return false;
  if (set.size() != 1 || !is_nothing(set[0])) return std::nullopt;
  set[0] = std::forward<X>(indexing);
  return true;
}

/// Merges two indexings that relate the same elements: the result is exact if one of them is. Returns whether
/// `member` changed.
bool merge(Indexing& member, const Indexing& same) {
  if (member.exactness <= same.exactness) return false;
  member.exactness = same.exactness;
  member.reason = same.reason;
  return true;
}

}  // namespace

bool insert(IndexingSet& set, Indexing indexing) {
  if (const auto changed = insert_beside_nothing(set, std::move(indexing))) return *changed;
  for (Indexing& member : set) {
    if (same_relation(member, indexing)) return merge(member, indexing);
  }
  set.push_back(std::move(indexing));
  return true;
}

namespace {

/// Whether the members are written alike, which is cheap to see.
bool same_text(const Indexing& a, const Indexing& b) {
  return a.exactness != Exactness::unknown && b.exactness != Exactness::unknown &&
         std::ranges::equal(a.map.results(), b.map.results()) && a.map.domain() == b.map.domain() &&
         a.runtime == b.runtime && a.replica == b.replica;
}

template <class X>
bool insert_one(IndexingSet& set, std::vector<detail::Fingerprint>& fingerprints, X&& indexing) {
  using detail::Fingerprint;
  if (const auto changed = insert_beside_nothing(set, std::forward<X>(indexing))) {
    if (*changed) fingerprints.clear();
    return *changed;
  }
  // Most sets with a second member get a few more, and reading these costs less than a fingerprint.
  constexpr std::size_t kFew = 4;
  const bool few = set.size() <= kFew;
  for (std::size_t i = 0; few && i < set.size(); ++i) {
    if (same_text(set[i], indexing)) return merge(set[i], indexing);
  }
  if (!set.empty()) {
    if (set.size() == 1) {
      set.reserve(kFew);
      fingerprints.reserve(kFew);
    }
    while (fingerprints.size() < set.size()) {
      const IndexMap& map = set[fingerprints.size()].map;
      fingerprints.emplace_back(set[fingerprints.size()], map.domain());
    }
    Fingerprint own(indexing, indexing.map.domain());
    for (std::size_t i = 0; !few && i < set.size(); ++i) {
      if (may_be_written_alike(fingerprints[i], own) && same_text(set[i], indexing))
        return merge(set[i], indexing);
    }
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (!may_be_same(fingerprints[i], own)) continue;
      fingerprints[i].add_elements(set[i], set[i].map.domain());
      own.add_elements(indexing, indexing.map.domain());
      if (!may_be_same(fingerprints[i], own)) continue;
      const bool same = same_box(fingerprints[i], own) ? detail::same_elements(set[i], indexing)
                                                       : same_relation(set[i], indexing);
      if (same) return merge(set[i], indexing);
    }
    fingerprints.push_back(own);
  }
  set.push_back(std::forward<X>(indexing));
  return true;
}

}  // namespace

bool detail::insert(IndexingSet& set, std::vector<Fingerprint>& fingerprints, const Indexing& indexing) {
  return insert_one(set, fingerprints, indexing);
}

bool detail::insert(IndexingSet& set, std::vector<Fingerprint>& fingerprints, Indexing&& indexing) {
  return insert_one(set, fingerprints, std::move(indexing));
}

namespace {

/// The variable in which the indexings differ, if they differ in only one interval and the two intervals
/// touch.
std::optional<std::size_t> touching_variable(const Indexing& a, const Indexing& b) {
  if (a.exactness != b.exactness || a.exactness == Exactness::unknown || a.reason != b.reason ||
      a.leaf != b.leaf || a.runtime != b.runtime || a.replica != b.replica ||
      a.map.dim_count() != b.map.dim_count() || a.map.range_count() != b.map.range_count() ||
      !std::ranges::equal(a.map.results(), b.map.results()) ||
      !std::ranges::is_permutation(a.map.constraints(), b.map.constraints()) || a.map.known_empty() ||
      b.map.known_empty()) {
    return std::nullopt;
  }
  std::optional<std::size_t> found;
  for (std::size_t v = 0; v < a.map.variables().size(); ++v) {
    const Interval x = a.map.variables()[v].bounds;
    const Interval y = b.map.variables()[v].bounds;
    if (x == y) continue;
    const bool touch = x.intersects(y) ||
                       (x.is_finite() && y.is_finite() && (x.upper + 1 == y.lower || y.upper + 1 == x.lower));
    if (found || !touch) return std::nullopt;
    found = v;
  }
  return found;
}

/// `a`, with the interval of the variable extended by that of `b`.
Indexing joined(Indexing a, const Indexing& b, std::size_t variable) {
  std::vector<Interval> bounds;
  for (const Variable& v : a.map.variables()) bounds.push_back(v.bounds);
  bounds[variable] = hull(bounds[variable], b.map.variables()[variable].bounds);
  const auto constraints = a.map.constraints();
  const auto results = a.map.results();
  a.map = IndexMap::make_unchecked(a.map.domain().with(bounds, {constraints.begin(), constraints.end()}),
                                   {results.begin(), results.end()});
  return normalize(std::move(a));
}

/// Replaces pairs of members that differ in one interval by one member.
void join_touching(IndexingSet& set) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (std::size_t j = i + 1; j < set.size(); ++j) {
      const auto variable = touching_variable(set[i], set[j]);
      if (!variable) continue;
      set[i] = joined(std::move(set[i]), set[j], *variable);
      set.erase(set.begin() + static_cast<std::ptrdiff_t>(j));
      j = i;  // the longer interval may touch an earlier member
    }
  }
}

}  // namespace

void keep_footprint(IndexingSet& set) {
  for (std::size_t i = 0; i < set.size();) {
    bool inside = false;
    detail::Contained member(set[i]);
    for (std::size_t j = 0; j < set.size() && !inside; ++j) {
      // A superset does not replace an exact map.
      inside = j != i && set[j].exactness <= set[i].exactness && member.in(set[j]);
    }
    if (inside) {
      set.erase(set.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  join_touching(set);
}

Exactness exactness(const IndexingSet& set) {
  Exactness weakest = Exactness::exact;
  for (const Indexing& x : set) weakest = std::max(weakest, x.exactness);
  return weakest;
}

}  // namespace tessera
