// SPDX-License-Identifier: Apache-2.0
// Whether one indexing relates a subset of what another relates.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tessera/hlo/indexing.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMaxCornerNodes = 16;  // of a result that is compared at corners

/// Whether the two have the same value at every start index that both have.
bool same_value(const RuntimeValue& a, const RuntimeValue& b) {
  if (a.map.domain().symbol_count() > 0 || b.map.domain().symbol_count() > 0) return false;
  return a.source == b.source && a.tuple_index == b.tuple_index && a.inner == b.inner && a.text == b.text &&
         a.clamp == b.clamp && a.calls == b.calls && a.hops == b.hops && a.groups == b.groups &&
         std::ranges::equal(a.map.results(), b.map.results());
}

/// A corner of the box of a map. Constraints often exclude the first and the last point of the box, so the
/// dimensions and the other variables have an end each.
class Corner {
 public:
  Corner(const IndexMap& map, bool last_index, bool last_symbols) {
    point_.reserve(map.variables().size());
    for (std::size_t v = 0; v < map.variables().size(); ++v) {
      const Interval bounds = map.variables()[v].bounds;
      point_.push_back((v < map.dim_count() ? last_index : last_symbols) ? bounds.upper : bounds.lower);
    }
  }

  std::span<const Index> point() const { return point_; }
  std::optional<Index> operator()(Expr e) const { return evaluate(e, point_); }

 private:
  std::vector<Index> point_;
};

/// Whether `b` reads no element that `a` reads at the corner of `a`. Looks only at results of `b` that are
/// constants, single variables, or the same for all elements of a start index.
bool misses(const IndexMap& b, const IndexMap& a, const Corner& corner) {
  const auto is_dimension = [&](Index v) { return v < static_cast<Index>(b.dim_count()); };
  const auto only_dimensions = [&](const auto& self, Expr e) -> bool {
    if (e.is_binary()) return self(self, e.lhs()) && self(self, e.rhs());
    return e.is_constant() || is_dimension(e.value());
  };
  const auto is_range = [&](Index v) { return v < static_cast<Index>(b.dim_count() + b.range_count()); };
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const Expr e = b.results()[i];
    const auto value = corner(a.results()[i]);
    if (!value) continue;
    if (e.is_variable() && !is_dimension(e.value())) {
      const Interval bounds = b.variables()[static_cast<std::size_t>(e.value())].bounds;
      if (is_range(e.value()) && !bounds.contains(*value)) return true;
    } else if (e.node_count() <= kMaxCornerNodes && only_dimensions(only_dimensions, e)) {
      // The dimensions of both maps are the same, and come first.
      const auto expected = corner(e);
      if (expected && *expected != *value) return true;
    }
  }
  return false;
}

/// The corners that are in the domain of `a`; empty if `b` misses an element that `a` reads at one of them.
std::optional<std::vector<Corner>> common_corners(const IndexMap& a, const IndexMap& b) {
  std::vector<Corner> out;
  out.reserve(4);
  for (const bool last_index : {false, true}) {
    for (const bool last_symbols : {false, true}) {
      if (last_symbols && a.domain().symbol_count() == 0) continue;
      Corner corner(a, last_index, last_symbols);
      if (!a.domain().constraints_satisfied(corner.point())) continue;
      if (misses(b, a, corner)) return std::nullopt;
      out.push_back(std::move(corner));
    }
  }
  return out;
}

/// Whether all values of the expression are in the interval. Looks at the constraints only if that is needed.
bool lies_in(Expr e, const Domain& domain, Interval values) {
  return values.contains(range(e, domain, false)) || values.contains(range(e, domain));
}

}  // namespace

bool contained(const Indexing& inner, const Indexing& outer) {
  if (inner.exactness == Exactness::unknown || outer.exactness == Exactness::unknown) return false;
  if (inner.map.known_empty()) return true;
  if (outer.map.known_empty() || !inner.replica.empty() || !outer.replica.empty()) return false;
  const IndexMap& a = inner.map;
  const IndexMap& b = outer.map;
  if (a.dim_count() != b.dim_count() || a.results().size() != b.results().size()) return false;
  for (std::size_t d = 0; d < a.dim_count(); ++d) {
    if (!b.variables()[d].bounds.contains(a.variables()[d].bounds)) return false;
  }
  const auto corners = common_corners(a, b);
  if (!corners) return false;
  // A range variable that is a result of `outer` takes the value of that result of `inner`.
  std::vector<Expr> binding;
  std::vector<bool> bound(b.variables().size(), false);
  for (std::size_t v = 0; v < b.variables().size(); ++v) {
    binding.push_back(Expr::variable(static_cast<Index>(v)));
    bound[v] = v < b.dim_count();
  }
  // A runtime variable of `outer` must be one of `inner` with the same value.
  const std::size_t runtimes_a = a.dim_count() + a.range_count();
  const std::size_t runtimes_b = b.dim_count() + b.range_count();
  for (std::size_t i = 0; i < outer.runtime.size(); ++i) {
    const auto same = std::ranges::find_if(
        inner.runtime, [&](const RuntimeValue& x) { return same_value(x, outer.runtime[i]); });
    if (same == inner.runtime.end()) return false;
    const std::size_t v = runtimes_b + i;
    const std::size_t w = runtimes_a + static_cast<std::size_t>(same - inner.runtime.begin());
    if (!b.variables()[v].bounds.contains(a.variables()[w].bounds)) return false;
    binding[v] = Expr::variable(static_cast<Index>(w));
    bound[v] = true;
  }
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const Expr result = b.results()[i];
    if (!result.is_variable() || bound[static_cast<std::size_t>(result.value())]) continue;
    const auto v = static_cast<std::size_t>(result.value());
    if (!lies_in(a.results()[i], a.domain(), b.variables()[v].bounds)) return false;
    binding[v] = a.results()[i];
    bound[v] = true;
  }
  // Every other range variable of `outer` takes the value of `inner`'s range variable with the same number.
  for (std::size_t r = 0; r < std::min(a.range_count(), b.range_count()); ++r) {
    const std::size_t v = b.dim_count() + r;
    const std::size_t w = a.dim_count() + r;
    if (bound[v] || !b.variables()[v].bounds.contains(a.variables()[w].bounds)) continue;
    binding[v] = Expr::variable(static_cast<Index>(w));
    bound[v] = true;
  }
  const auto is_bound = [&](Expr e) {
    return std::ranges::all_of(variables(e), [&](Index v) { return bound[static_cast<std::size_t>(v)]; });
  };
  if (!std::ranges::all_of(b.results(), is_bound) ||
      !std::ranges::all_of(b.constraints(), is_bound, &Constraint::expr)) {
    return false;
  }
  // One simplification of everything that must be equal, or lie in an interval, over the domain of `inner`.
  std::vector<Expr> exprs;
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const Expr value = substitute(b.results()[i], binding);
    if (!(value == a.results()[i])) exprs.push_back(value - a.results()[i]);
  }
  const auto differs_at = [&](const Corner& corner) {
    return std::ranges::any_of(exprs, [&](Expr e) { return corner(e).value_or(0) != 0; });
  };
  if (std::ranges::any_of(*corners, differs_at)) return false;
  const std::size_t equalities = exprs.size();
  for (const Constraint& c : b.constraints()) exprs.push_back(substitute(c.expr, binding));
  if (exprs.empty()) return true;
  const IndexMap simple = simplify(IndexMap::make_unchecked(a.domain(), std::move(exprs)));
  const auto values = simple.results();
  if (!std::ranges::all_of(values.first(equalities), [](Expr e) { return e.is_constant(0); })) return false;
  return std::ranges::equal(
      b.constraints(), values.subspan(equalities), [&](const Constraint& c, Expr value) {
        const auto implies = [&](const Constraint& own) {
          return own.expr == value && c.range.contains(own.range);
        };
        return std::ranges::any_of(a.constraints(), implies) || lies_in(value, a.domain(), c.range);
      });
}

}  // namespace tessera
