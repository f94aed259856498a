// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/limited_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "hlo/indexing/compose_normalized.h"
#include "hlo/indexing/indexing_set.h"
#include "hlo/indexing/variables.h"
#include "hlo/limits.h"
#include "hlo/walk/program_indexing.h"
#include "hlo/walk/steps.h"

namespace tessera::detail {
namespace {

constexpr std::string_view kApproximated = "; approximated by the whole value";

std::string too_many_maps(const WalkOptions& options) {
  return fmt::format("more than {} maps (max_maps)", options.max_maps);
}
std::string too_large_map(const WalkOptions& options) {
  return fmt::format("a map of more than {} operators (max_nodes)", options.max_nodes);
}
std::string too_much_work(const WalkOptions& options) {
  return fmt::format("more than {} operators to compose (max_work)", options.max_work);
}

std::uint64_t node_count(std::span<const Expr> results, std::span<const Constraint> constraints) {
  std::uint64_t nodes = 0;
  for (const Expr& e : results) nodes += e.node_count();
  for (const Constraint& c : constraints) nodes += c.expr.node_count();
  return nodes;
}

bool is_defined(const Indexing& x) { return x.exactness != Exactness::unknown; }

/// Whether the indexing reads other replicas, which the whole value of this replica does not cover.
bool leads_away(const Indexing& x) { return !x.replica.empty(); }

/// Whether the indexing reads only this replica, whose whole value covers it.
bool stays(const Indexing& x) { return is_defined(x) && !leads_away(x); }

/// Whether the indexing is a superset that is the same for every start index.
bool is_unrelated(const Indexing& x) {
  if (x.exactness != Exactness::superset || !x.runtime.empty() || !x.replica.empty()) return false;
  return std::ranges::all_of(x.map.results(), [&](const Expr& e) {
    const auto used = variables(e);
    return used.empty() || used.front() >= static_cast<Index>(x.map.dim_count());
  });
}

constexpr const char* kOtherReplicas = ", and some maps lead to other replicas";

/// The limit that the reason of a whole-value map names.
std::string limit_of(const Indexing& whole) {
  return whole.reason.substr(0, whole.reason.size() - kApproximated.size());
}

/// Whether the map gives every element of a value with these extents: one range variable for each index.
bool says_everything(const Indexing& x, std::span<const Index> extents) {
  Index next = static_cast<Index>(x.map.dim_count());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Expr result = x.map.results()[i];
    if (extents[i] == 1 && result.is_constant(0)) continue;
    if (!result.is_variable() || result.value() != next++) return false;
    if (!(x.map.variables()[static_cast<std::size_t>(result.value())].bounds == Interval{0, extents[i] - 1}))
      return false;
  }
  return x.map.constraints().empty() && x.runtime.empty() && x.replica.empty();
}

}  // namespace

std::uint64_t operator_count(const IndexMap& map) { return node_count(map.results(), map.constraints()); }

std::uint64_t composition_cost(const Indexing& first, const Indexing& second) {
  const std::uint64_t both = operator_count(first.map) + operator_count(second.map);
  const std::uint64_t constraints = first.map.constraints().size() + second.map.constraints().size();
  return 16 + 16 * constraints + both + both * both / 256;
}

LimitedSet::LimitedSet(IndexingSet& set, std::vector<Fingerprint>& fingerprints, const HloType& leaf,
                       const Domain& start, const WalkOptions& options)
    : set_(set), fingerprints_(fingerprints), extents_(extents(leaf)), start_(start), options_(options) {
  limited_ = extents_ && std::ranges::any_of(set_, [&](const Indexing& x) { return is_whole(x); });
}

/// Whether `x` replaced a set that reached a limit and covers the whole value for every start index. A
/// replacement made inside a call may cover it for only some start indices.
bool LimitedSet::is_whole(const Indexing& x) const {
  if (x.exactness != Exactness::superset || !x.reason.ends_with(kApproximated)) return false;
  const auto own = x.map.variables().first(x.map.dim_count());
  return std::ranges::equal(own, start_.variables(), {}, &Variable::bounds, &Variable::bounds) &&
         says_everything(x, *extents_);
}

/// If members differ only in where they hold, as the parts around a box do, replaces them by one superset
/// that holds on the hull. Returns whether that made room. O(n log n) if few do: many sets stay full.
bool LimitedSet::join_domains() {
  const auto alike = [](const Indexing& a, const Indexing& b) {
    return a.map.dim_count() == b.map.dim_count() && a.map.range_count() == b.map.range_count() &&
           a.runtime == b.runtime && std::ranges::equal(a.map.results(), b.map.results());
  };
  const auto join = [&](Indexing& to, const IndexMap& b) {
    const IndexMap& a = to.map;
    std::vector<Interval> bounds;
    for (std::size_t v = 0; v < a.variables().size(); ++v)
      bounds.push_back(hull(a.variables()[v].bounds, b.variables()[v].bounds));
    std::vector<Constraint> both;
    for (const Constraint& c : a.constraints()) {
      if (std::ranges::find(b.constraints(), c) != b.constraints().end()) both.push_back(c);
    }
    to.map = IndexMap::make_unchecked(a.domain().with(bounds, std::move(both)),
                                      {a.results().begin(), a.results().end()});
    if (to.exactness == Exactness::exact)
      to.reason = too_many_maps(options_) + "; approximated by their hull";
    to.exactness = Exactness::superset;
  };
  // The members that may be joined, those with equal results next to each other.
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < set_.size(); ++i) {
    if (!stays(set_[i]) || set_[i].map.known_empty()) continue;
    std::uint64_t hash = 0;
    for (const Expr e : set_[i].map.results()) hash = hash * 0x9e3779b97f4a7c15u + e.hash();
    order.emplace_back(hash, i);
  }
  std::ranges::sort(order);
  std::vector<bool> gone(set_.size(), false);
  for (auto i = order.begin(); i != order.end(); ++i) {
    if (gone[i->second]) continue;
    const auto end = std::find_if(i, order.end(), [&](const auto& other) { return other.first != i->first; });
    for (auto j = end; --j != i;) {
      if (gone[j->second] || !alike(set_[i->second], set_[j->second])) continue;
      join(set_[i->second], set_[j->second].map);
      gone[j->second] = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < set_.size(); ++i) {
    if (gone[i]) continue;
    if (kept != i) set_[kept] = std::move(set_[i]);
    ++kept;
  }
  if (kept == set_.size()) return false;
  set_.erase(set_.begin() + static_cast<std::ptrdiff_t>(kept), set_.end());
  fingerprints_.clear();
  return set_.size() <= options_.max_maps;
}

/// Replaces the known members, and `last`, by one map of the whole value. Unknown members stay.
void LimitedSet::give_up(const std::string& limit, const Indexing& last) {
  const bool defined = is_defined(last) || std::ranges::any_of(set_, is_defined);
  const bool away = leads_away(last) || std::ranges::any_of(set_, leads_away);
  IndexingSet rest;
  for (Indexing& member : set_) {
    if (!is_defined(member) && rest.empty()) rest.push_back(std::move(member));
  }
  if (away) {
    insert(rest, Indexing::unknown(limit + kOtherReplicas));
  } else if (extents_ && defined) {
    // The map must cover every start index, because later members will be dropped.
    insert(rest, whole_value(start_, *extents_, limit + std::string(kApproximated)));
  } else {
    insert(rest, Indexing::unknown(limit));
  }
  set_ = std::move(rest);
  fingerprints_.clear();
  limited_ = true;
}

bool LimitedSet::refuses(const Indexing& x) {
  const std::uint64_t size = operator_count(x.map);
  if (size > kHloLimits.walk.unrelated_nodes && extents_ && is_unrelated(x)) {
    insert(set_, fingerprints_, whole_value(start_, *extents_, x.reason));
    return true;
  }
  if (size <= options_.max_nodes) return false;
  give_up(too_large_map(options_), x);
  return true;
}

void LimitedSet::add(Indexing&& x) { add_one(std::move(x)); }
void LimitedSet::add(const Indexing& x) { add_one(x); }

template <class X>
void LimitedSet::add_one(X&& x) {
  if (limited_ && is_defined(x)) {
    if (!leads_away(x)) return;
    const auto whole = std::ranges::find_if(set_, [&](const Indexing& member) { return is_whole(member); });
    const std::string limit = whole == set_.end() ? too_many_maps(options_) : limit_of(*whole);
    insert(set_, fingerprints_, Indexing::unknown(limit + kOtherReplicas));
    if (set_.size() > options_.max_maps) give_up(too_many_maps(options_), set_.back());
    return;
  }
  if (is_defined(x) && refuses(x)) return;
  // If another walk reached its limit, its whole value covers the known members of this set.
  if (is_defined(x) && extents_ && is_whole(x)) return give_up(limit_of(x), x);
  insert(set_, fingerprints_, std::forward<X>(x));
  if (set_.size() > options_.max_maps && !join_domains()) give_up(too_many_maps(options_), set_.back());
}

bool LimitedSet::covers(const Indexing& first, const Indexing& second) const {
  return limited_ && stays(first) && stays(second);
}

bool LimitedSet::cover(const Indexing& first, const Indexing& second) {
  if (!stays(first) || !stays(second)) return false;
  if (!limited_) give_up(too_much_work(options_), first);
  return true;
}

void LimitedSet::add_moved(const Indexing& x, std::span<const Indexing> moves, std::uint64_t& work) {
  if (!is_defined(x) || !extents_ || (limited_ && !leads_away(x))) return add(x);
  if (x.exactness == Exactness::superset) {
    std::vector<Index> from;
    for (const Variable& v : moves.front().map.variables()) from.push_back(v.bounds.upper + 1);
    // The whole value with its elements moved is still the whole value.
    if (says_everything(x, from)) return add(whole_value(x.map.domain(), *extents_, x.reason));
  }
  Indexing after = compose_normalized(x, moves.front());
  // If it becomes too large on the way, so that `add` refuses it, the other moves do not matter.
  for (const Indexing& move : moves.subspan(1)) {
    if (operator_count(after.map) > options_.max_nodes) break;
    const std::uint64_t cost = composition_cost(after, move);
    if (cost > work && cover(after, move)) return;
    work -= std::min(work, cost);
    after = compose_normalized(after, move);
  }
  add(std::move(after));
}

}  // namespace tessera::detail
