// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/indexing_set.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "hlo/fold_runtime.h"
#include "tessera/map/map_algebra.h"
#include "tessera/map/simplify.h"

namespace tessera {
namespace {

constexpr std::size_t kMaxReasonBytes = 400;
constexpr Index kMaxEnumeratedPoints = 1024;

std::string join_reasons(const std::string& a, const std::string& b) {
  if (b.empty() || a.find(b) != std::string::npos) return a;
  if (a.empty()) return b;
  if (a.size() + b.size() > kMaxReasonBytes) return a.ends_with("...") ? a : a + "; ...";
  return a + "; " + b;
}

Expr renumbered(Expr expr, std::span<const Expr> numbering) {
  return expr.is_constant() ? expr : substitute(expr, numbering);
}

std::vector<Expr> renumbered(std::span<const Expr> exprs, std::span<const Expr> numbering) {
  std::vector<Expr> out;
  out.reserve(exprs.size());
  for (const Expr& e : exprs) out.push_back(renumbered(e, numbering));
  return out;
}

void mark_used(std::span<const Expr> exprs, std::vector<bool>& used) {
  for (const Expr& e : exprs) {
    for (const Index v : variables(e)) used[static_cast<std::size_t>(v)] = true;
  }
}

/// The map over the variables that are kept; constraints over others go. Results must not use what goes.
IndexMap keep_variables(const IndexMap& map, const std::vector<bool>& keep) {
  const auto all = map.variables();
  std::vector<Expr> numbering(all.size());
  std::vector<Variable> kinds[3];
  Index next = 0;
  for (std::size_t v = 0; v < all.size(); ++v) {
    if (!keep[v]) continue;
    numbering[v] = Expr::variable(next++);
    kinds[static_cast<std::size_t>(map.domain().kind(v))].push_back(all[v]);
  }
  Domain domain(std::move(kinds[0]), std::move(kinds[1]), std::move(kinds[2]));
  for (const Constraint& c : map.constraints()) {
    const auto used = variables(c.expr);
    if (std::ranges::all_of(used, [&](Index v) { return keep[static_cast<std::size_t>(v)]; })) {
      domain.constrain(renumbered(c.expr, numbering), c.range);
    }
  }
  if (map.known_empty()) domain.set_known_empty();
  return IndexMap::make_unchecked(std::move(domain), renumbered(map.results(), numbering));
}

IndexMap keep_dimensions(const IndexMap& map) {
  std::vector<bool> keep(map.variables().size());
  std::fill_n(keep.begin(), map.dim_count(), true);
  return keep_variables(map, keep);
}

bool uses_symbols(const IndexMap& map) {
  std::vector<bool> used(map.variables().size());
  mark_used(map.results(), used);
  return std::find(used.begin() + static_cast<std::ptrdiff_t>(map.dim_count()), used.end(), true) !=
         used.end();
}

/// The map over its dimensions and range variables, unless a result needs a runtime variable.
IndexMap without_idle_runtimes(const IndexMap& map) {
  const std::size_t first = map.dim_count() + map.range_count();
  std::vector<bool> used(map.variables().size());
  mark_used(map.results(), used);
  const auto runtimes = used.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::find(runtimes, used.end(), true) != used.end()) return map;
  std::fill(used.begin(), runtimes, true);
  return keep_variables(map, used);
}

/// `map` over its dimensions and all symbols of `domain`. Its own range variables are those from number
/// `range_start` there, its own runtime variables those from number `runtime_start`.
IndexMap spread(const IndexMap& map, const Domain& domain, std::size_t range_start,
                std::size_t runtime_start) {
  const std::size_t dims = map.dim_count();
  const std::size_t ranges = domain.range_count();
  const auto from = domain.variables();
  std::vector<Variable> own_dims(map.variables().begin(),
                                 map.variables().begin() + static_cast<std::ptrdiff_t>(dims));
  std::vector<Variable> own_ranges(from.begin() + static_cast<std::ptrdiff_t>(dims),
                                   from.begin() + static_cast<std::ptrdiff_t>(dims + ranges));
  std::vector<Variable> own_runtimes(from.begin() + static_cast<std::ptrdiff_t>(dims + ranges), from.end());
  std::vector<Expr> numbering;
  numbering.reserve(map.variables().size());
  for (std::size_t v = 0; v < map.variables().size(); ++v) {
    std::size_t place = v;
    if (v >= dims + map.range_count()) {
      place = dims + ranges + runtime_start + (v - dims - map.range_count());
    } else if (v >= dims) {
      place = v + range_start;
    }
    numbering.push_back(Expr::variable(static_cast<Index>(place)));
  }
  Domain spread_domain(std::move(own_dims), std::move(own_ranges), std::move(own_runtimes));
  for (const Constraint& c : map.constraints()) {
    spread_domain.constrain(renumbered(c.expr, numbering), c.range);
  }
  if (map.known_empty()) spread_domain.set_known_empty();
  return IndexMap::make_unchecked(std::move(spread_domain), renumbered(map.results(), numbering));
}

/// The variable's interval is narrower than the values it can have: some of them read nothing, so the
/// variable says something even where no result uses it.
bool decides(const RuntimeValue& value, Interval bounds) { return !bounds.contains(value.clamp); }

/// The hop is told by the element, with the variables of the map; others know replicas only.
bool over_elements(const ReplicaHop& hop) { return hop.from == ReplicaHop::From::element; }

/// Removes range and runtime variables that nothing needs, together with their runtime values.
void remove_unused(OperandIndexing& x) {
  bool again = x.map.domain().symbol_count() > 0;
  while (again) {
    again = false;
    // One map with all results knows what is needed. A runtime map without symbols has dimensions only;
    // otherwise its variables are those of the map.
    std::vector<Expr> needed(x.map.results().begin(), x.map.results().end());
    for (const ReplicaHop& hop : x.replica) {
      if (over_elements(hop)) needed.insert(needed.end(), hop.map.results().begin(), hop.map.results().end());
    }
    for (const RuntimeValue& value : x.runtime) {
      if (value.map.domain().symbol_count() == 0) continue;
      needed.insert(needed.end(), value.map.results().begin(), value.map.results().end());
    }
    // A value is what it is: a constraint on it decides whether anything is read. (One on range variables
    // that nothing else needs holds for some of their values.)
    const std::size_t first_runtime = x.map.variables().size() - x.runtime.size();
    std::vector<bool> constrained(x.map.variables().size());
    for (const Constraint& c : x.map.constraints()) mark_used(std::span(&c.expr, 1), constrained);
    for (std::size_t i = 0; i < x.runtime.size(); ++i) {
      const std::size_t v = first_runtime + i;
      if (constrained[v] || decides(x.runtime[i], x.map.variables()[v].bounds)) {
        needed.push_back(Expr::variable(static_cast<Index>(v)));
      }
    }
    const std::size_t results = x.map.results().size();
    Removal removal = remove_unused_symbols(IndexMap::make_unchecked(x.map.domain(), std::move(needed)));
    const auto kept = removal.map.results().first(results);
    x.map = IndexMap::make_unchecked(removal.map.domain(), {kept.begin(), kept.end()});
    if (removal.removed.empty() || x.map.known_empty()) return;
    std::vector<bool> keep = std::move(removal.removed);
    keep.flip();
    for (ReplicaHop& hop : x.replica) {
      if (over_elements(hop)) hop.map = keep_variables(hop.map, keep);
    }
    std::vector<RuntimeValue> runtime;
    for (std::size_t i = 0; i < x.runtime.size(); ++i) {
      if (!keep[keep.size() - x.runtime.size() + i]) {
        again = true;  // what only this value needed can go now
        continue;
      }
      RuntimeValue& value = x.runtime[i];
      if (value.map.domain().symbol_count() > 0) value.map = keep_variables(value.map, keep);
      runtime.push_back(std::move(value));
    }
    x.runtime = std::move(runtime);
  }
}

/// Runtime variables that read the same element of the same value, on the same replica, and are clamped alike
/// are one variable.
/// Returns whether there were any.
bool merge_runtime(OperandIndexing& x) {
  if (x.runtime.size() < 2) return false;
  const std::size_t first_runtime = x.map.dim_count() + x.map.range_count();
  std::vector<Expr> numbering;
  for (std::size_t v = 0; v < x.map.variables().size(); ++v) {
    numbering.push_back(Expr::variable(static_cast<Index>(v)));
  }
  std::vector<bool> keep(numbering.size(), true);
  for (std::size_t j = 1; j < x.runtime.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (!(x.runtime[i] == x.runtime[j])) continue;
      numbering[first_runtime + j] = numbering[first_runtime + i];
      keep[first_runtime + j] = false;
      break;
    }
  }
  if (std::ranges::find(keep, false) == keep.end()) return false;
  std::vector<Interval> bounds;
  for (const Variable& v : x.map.variables()) bounds.push_back(v.bounds);
  const auto apply = [&](const IndexMap& map) {
    const Domain& domain = map.domain();
    Domain renamed(
        {domain.variables().begin(),
         domain.variables().begin() + static_cast<std::ptrdiff_t>(domain.dim_count())},
        {domain.variables().begin() + static_cast<std::ptrdiff_t>(domain.dim_count()),
         domain.variables().begin() + static_cast<std::ptrdiff_t>(first_runtime)},
        {domain.variables().begin() + static_cast<std::ptrdiff_t>(first_runtime), domain.variables().end()});
    for (const Constraint& c : domain.constraints())
      renamed.constrain(substitute(c.expr, numbering), c.range);
    if (domain.known_empty()) renamed.set_known_empty();
    return IndexMap::make_unchecked(std::move(renamed), renumbered(map.results(), numbering));
  };
  x.map = apply(x.map);
  Domain narrowed = x.map.domain();
  for (std::size_t j = first_runtime; j < numbering.size(); ++j) narrowed.constrain(numbering[j], bounds[j]);
  x.map = IndexMap::make_unchecked(std::move(narrowed), {x.map.results().begin(), x.map.results().end()});
  x.map = keep_variables(x.map, keep);
  for (ReplicaHop& hop : x.replica) {
    if (over_elements(hop)) hop.map = keep_variables(apply(hop.map), keep);
  }
  std::vector<RuntimeValue> runtime;
  for (std::size_t i = 0; i < x.runtime.size(); ++i) {
    if (!keep[first_runtime + i]) continue;
    RuntimeValue& value = x.runtime[i];
    if (value.map.domain().symbol_count() > 0) value.map = keep_variables(apply(value.map), keep);
    runtime.push_back(std::move(value));
  }
  x.runtime = std::move(runtime);
  return true;
}

/// Behind a hop to a position, that is the position in the same groups. Requires hops over all variables.
void know_positions(OperandIndexing& x) {
  for (std::size_t i = 0; i < x.runtime.size();) {
    const RuntimeValue& value = x.runtime[i];
    if (value.groups.exist() && value.hops > 0) {
      const ReplicaHop& hop = x.replica[value.hops - 1];
      if (over_elements(hop) && hop.groups == value.groups) {
        replace_runtime(x, i, hop.map.results()[0]);
        continue;
      }
    }
    ++i;
  }
}

/// What no renaming of range variables changes.
bool alike(const IndexMap& a, const IndexMap& b) {
  return a.range_count() == b.range_count() && a.constraints().size() == b.constraints().size() &&
         std::ranges::equal(a.results(), b.results(), [](Expr x, Expr y) {
           return x.kind() == y.kind() && x.node_count() == y.node_count();
         });
}

/// The map with its range variables in the order in which they occur; nothing when the map is large.
std::optional<IndexMap> in_order_of_use(const IndexMap& map) {
  constexpr std::uint32_t kMaxNodes = 500;
  std::vector<Index> order;
  const auto ranges_begin = static_cast<Index>(map.dim_count());
  const auto ranges_end = static_cast<Index>(map.dim_count() + map.range_count());
  const auto visit = [&](auto&& self, Expr e) -> void {
    if (e.is_variable()) {
      if (e.value() >= ranges_begin && e.value() < ranges_end &&
          std::ranges::find(order, e.value()) == order.end()) {
        order.push_back(e.value());
      }
    } else if (e.is_binary()) {
      self(self, e.lhs());
      self(self, e.rhs());
    }
  };
  for (const Expr& e : map.results()) {
    if (e.node_count() > kMaxNodes) return std::nullopt;
    visit(visit, e);
  }
  for (Index v = ranges_begin; v < ranges_end; ++v) {
    if (std::ranges::find(order, v) == order.end()) order.push_back(v);
  }
  const auto all = map.variables();
  std::vector<Expr> numbering;
  std::vector<Variable> ranges;
  for (std::size_t v = 0; v < all.size(); ++v) numbering.push_back(Expr::variable(static_cast<Index>(v)));
  for (std::size_t i = 0; i < order.size(); ++i) {
    numbering[static_cast<std::size_t>(order[i])] = Expr::variable(ranges_begin + static_cast<Index>(i));
    ranges.push_back(all[static_cast<std::size_t>(order[i])]);
  }
  Domain domain({all.begin(), all.begin() + ranges_begin}, std::move(ranges),
                {all.begin() + ranges_end, all.end()});
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, numbering), c.range);
  return IndexMap::make_unchecked(std::move(domain), renumbered(map.results(), numbering));
}

std::optional<Index> point_count(const IndexMap& map) {
  Index points = 1;
  for (const Variable& v : map.variables()) {
    const auto count = v.bounds.count();
    if (!count || mul_overflows(points, *count, points) || points > kMaxEnumeratedPoints) return std::nullopt;
  }
  return points;
}

/// The sorted pairs (start index, element), or nothing where a value is undefined.
std::optional<std::vector<std::vector<Index>>> enumerate_relation(const IndexMap& map, Index points) {
  std::vector<std::vector<Index>> relation;
  if (map.known_empty()) return relation;
  std::vector<Index> point;
  for (const Variable& v : map.variables()) point.push_back(v.bounds.lower);
  for (Index i = 0; i < points; ++i) {
    if (map.domain().constraints_satisfied(point)) {
      auto element = map.evaluate(point);
      if (!element) return std::nullopt;
      element->insert(element->begin(), point.begin(),
                      point.begin() + static_cast<std::ptrdiff_t>(map.dim_count()));
      relation.push_back(std::move(*element));
    }
    for (std::size_t v = point.size(); v-- > 0;) {
      if (++point[v] <= map.variables()[v].bounds.upper) break;
      point[v] = map.variables()[v].bounds.lower;
    }
  }
  std::ranges::sort(relation);
  relation.erase(std::ranges::unique(relation).begin(), relation.end());
  return relation;
}

bool same_by_enumeration(const IndexMap& a, const IndexMap& b) {
  const auto points_a = point_count(a);
  const auto points_b = point_count(b);
  if (!points_a || !points_b) return false;
  const bool functions =
      a.range_count() == 0 && b.range_count() == 0 && a.constraints().empty() && b.constraints().empty();
  if (functions && *points_a != *points_b) return false;
  if (functions && *points_a > 0) {
    // Most pairs differ at the first point already.
    std::vector<Index> point;
    for (const Variable& v : a.variables()) point.push_back(v.bounds.lower);
    if (b.domain().contains(point) && a.evaluate(point) != b.evaluate(point)) return false;
  }
  const auto relation_a = enumerate_relation(a, *points_a);
  if (!relation_a) return false;
  const auto relation_b = enumerate_relation(b, *points_b);
  return relation_b && *relation_a == *relation_b;
}

}  // namespace

OperandIndexing compose(const OperandIndexing& first, const OperandIndexing& second) {
  if (first.exactness == Exactness::unknown) return OperandIndexing::unknown(first.reason);
  if (second.exactness == Exactness::unknown) return OperandIndexing::unknown(second.reason);
  auto composed = compose(first.map, second.map);
  if (!composed) return OperandIndexing::unknown(composed.error().message);
  OperandIndexing x;
  x.map = *std::move(composed);
  x.exactness = std::max(first.exactness, second.exactness);
  if (x.exactness == Exactness::superset) x.reason = join_reasons(first.reason, second.reason);
  if (x.map.known_empty()) return normalize(std::move(x));
  if (!second.runtime.empty() || !second.replica.empty() || !first.runtime.empty() ||
      !first.replica.empty()) {
    const Domain& domain = x.map.domain();
    const std::size_t ranges = second.map.range_count();
    const std::size_t runtimes = second.map.runtime_count();
    // Variables of `second` stand before those of `first` in the composed map.
    const auto lift = [&](const IndexMap& map) {
      return map.domain().symbol_count() == 0 ? map : spread(map, domain, ranges, runtimes);
    };
    const auto follow = [&](const IndexMap& map) {
      auto over_all = spread(map, second.map.domain(), 0, 0);
      auto out = compose(first.map, over_all);
      return out ? *std::move(out) : IndexMap::empty(domain, map.results().size());
    };
    for (RuntimeValue value : second.runtime) {
      value.map = follow(value.map);
      value.hops += first.replica.size();
      x.runtime.push_back(std::move(value));
    }
    for (RuntimeValue value : first.runtime) {
      value.map = lift(value.map);
      x.runtime.push_back(std::move(value));
    }
    for (ReplicaHop hop : first.replica) {
      if (over_elements(hop)) hop.map = spread(hop.map, domain, ranges, runtimes);
      x.replica.push_back(std::move(hop));
    }
    for (ReplicaHop hop : second.replica) {
      if (over_elements(hop)) hop.map = follow(hop.map);
      x.replica.push_back(std::move(hop));
    }
    know_positions(x);
  }
  return normalize(std::move(x));
}

OperandIndexing normalize(OperandIndexing x) {
  if (x.exactness == Exactness::unknown) return x;
  x.map = simplify(x.map);
  if (!x.map.known_empty()) remove_unused(x);
  if (x.map.known_empty()) {
    x.map = keep_dimensions(x.map);
    x.runtime.clear();
    x.replica.clear();
    x.exactness = Exactness::exact;
    x.reason.clear();
    return x;
  }
  for (ReplicaHop& hop : x.replica) {
    if (over_elements(hop)) hop.map = simplify(without_idle_runtimes(hop.map));
  }
  for (RuntimeValue& value : x.runtime) {
    value.map = simplify(uses_symbols(value.map) ? value.map : keep_dimensions(value.map));
    if (value.map.domain().symbol_count() > 0 && !uses_symbols(value.map))
      value.map = keep_dimensions(value.map);
  }
  if (merge_runtime(x)) return normalize(std::move(x));
  return x;
}

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

bool same_relation(const OperandIndexing& a, const OperandIndexing& b) {
  if (a.exactness == Exactness::unknown || b.exactness == Exactness::unknown) {
    return a.exactness == b.exactness && a.reason == b.reason;
  }
  const bool same_values = a.runtime == b.runtime && a.replica == b.replica;
  if (same_values && a.map == b.map) return true;
  if (!a.runtime.empty() || !b.runtime.empty() || !a.replica.empty() || !b.replica.empty()) return false;
  if (a.map.dim_count() != b.map.dim_count() || a.map.results().size() != b.map.results().size())
    return false;
  if (a.map.range_count() > 1 && alike(a.map, b.map)) {
    const auto ordered_a = in_order_of_use(a.map);
    const auto ordered_b = in_order_of_use(b.map);
    if (ordered_a && ordered_b && *ordered_a == *ordered_b) return true;
  }
  return same_by_enumeration(a.map, b.map);
}

bool contained(const OperandIndexing& inner, const OperandIndexing& outer) {
  if (inner.exactness == Exactness::unknown || outer.exactness == Exactness::unknown) return false;
  if (inner.map.known_empty()) return true;
  if (outer.map.known_empty() || !inner.runtime.empty() || !outer.runtime.empty() || !inner.replica.empty() ||
      !outer.replica.empty()) {
    return false;
  }
  const IndexMap& a = inner.map;
  const IndexMap& b = outer.map;
  if (a.dim_count() != b.dim_count() || a.results().size() != b.results().size()) return false;
  for (std::size_t d = 0; d < a.dim_count(); ++d) {
    if (!b.variables()[d].bounds.contains(a.variables()[d].bounds)) return false;
  }
  // A range variable of `outer` that is a result itself takes the value of `inner`'s result there.
  std::vector<Expr> binding;
  std::vector<bool> bound(b.variables().size(), false);
  for (std::size_t v = 0; v < b.variables().size(); ++v) {
    binding.push_back(Expr::variable(static_cast<Index>(v)));
    bound[v] = v < b.dim_count();
  }
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const Expr result = b.results()[i];
    if (!result.is_variable() || bound[static_cast<std::size_t>(result.value())]) continue;
    const auto v = static_cast<std::size_t>(result.value());
    if (!b.variables()[v].bounds.contains(range(a.results()[i], a.domain()))) return false;
    binding[v] = a.results()[i];
    bound[v] = true;
  }
  const auto bind = [&](Expr e) -> std::optional<Expr> {
    for (const Index v : variables(e)) {
      if (!bound[static_cast<std::size_t>(v)]) return std::nullopt;
    }
    return simplify(substitute(e, binding), a.domain());
  };
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const auto value = bind(b.results()[i]);
    if (!value || !(*value == simplify(a.results()[i], a.domain()))) return false;
  }
  return std::ranges::all_of(b.constraints(), [&](const Constraint& c) {
    const auto value = bind(c.expr);
    return value && c.range.contains(range(*value, a.domain()));
  });
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
    // The same elements, known to be needed by one of the two ways: then they are needed.
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
