// SPDX-License-Identifier: Apache-2.0
#include "hlo/indexing/compose_normalized.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/small_vector.h"
#include "expr/questions/quick.h"
#include "hlo/indexing/normalize.h"
#include "hlo/indexing/variables.h"
#include "hlo/limits.h"
#include "map/variable_set.h"
#include "tessera/hlo/indexing.h"

namespace tessera::detail {
namespace {

std::string join_reasons(const std::string& a, const std::string& b) {
  if (b.empty() || a.find(b) != std::string::npos) return a;
  if (a.empty()) return b;
  if (a.size() + b.size() > kHloLimits.indexing.reason_bytes) return a.ends_with("...") ? a : a + "; ...";
  return a + "; " + b;
}

bool is_known(const Indexing& x) { return x.exactness != Exactness::unknown && !x.map.known_empty(); }

/// Whether only the intervals of the variables restrict what is read: no constraints, runtime values or
/// replica hops.
bool is_plain(const Indexing& x) {
  return is_known(x) && x.map.constraints().empty() && x.runtime.empty() && x.replica.empty();
}

/// Whether every result of `first` is a valid index of `second`.
bool lands_inside(const IndexMap& first, const IndexMap& second) {
  const auto bounds = [&](Index v) { return first.variables()[static_cast<std::size_t>(v)].bounds; };
  for (std::size_t i = 0; i < second.dim_count(); ++i) {
    const auto values = quick_range(first.results()[i], bounds);
    if (!values || !values->is_finite() || !second.variables()[i].bounds.contains(*values)) return false;
  }
  return true;
}

bool has_name(const Variable& v) { return !v.name.empty(); }

/// Whether the composition only chooses among results of `first`, constants and range variables.
bool only_chooses(const IndexMap& first, const IndexMap& second) {
  return first.results().size() == second.dim_count() &&
         std::ranges::none_of(second.results(), &Expr::is_binary) && lands_inside(first, second) &&
         std::ranges::none_of(first.variables(), has_name) &&
         std::ranges::none_of(second.variables(), has_name);
}

/// The composed map without unused range variables, for plain indexings.
IndexMap chosen(const IndexMap& first, const IndexMap& second) {
  // Each result is a constant, a result of `first`, or a range variable of `second`.
  const std::size_t dims = second.dim_count();
  VariableSet of_first;
  VariableSet of_second;
  for (const Expr e : second.results()) {
    if (e.is_constant()) continue;
    const auto v = static_cast<std::size_t>(e.value());
    if (v < dims) {
      of_first.add(first.results()[v]);
    } else if (!second.variables()[v].bounds.is_point()) {
      of_second.insert(v);
    }
  }
  const std::size_t own = first.dim_count();
  const auto dimensions = first.variables().first(own);
  std::vector<Variable> all;
  all.reserve(own + second.range_count() + first.range_count());
  all.assign(dimensions.begin(), dimensions.end());
  SmallVector<Expr> of_symbols;  // by number among the range variables of `second`
  for (const Variable& variable : second.variables().subspan(dims)) {
    if (!of_second.contains(dims + of_symbols.size())) {
      of_symbols.push_back(Expr::constant(variable.bounds.lower));
      continue;
    }
    of_symbols.push_back(Expr::variable(static_cast<Index>(all.size())));
    all.push_back(variable);
  }
  SmallVector<Expr> numbering;  // of the variables of `first`
  bool moves = false;
  for (std::size_t v = 0; v < first.variables().size(); ++v) {
    const std::size_t place = v < own ? v : all.size();
    numbering.push_back(Expr::variable(static_cast<Index>(place)));
    if (v < own || !of_first.contains(v)) continue;
    moves = moves || place != v;
    all.push_back(first.variables()[v]);
  }
  std::vector<Expr> results;
  results.reserve(second.results().size());
  for (const Expr e : second.results()) {
    const auto v = e.is_constant() ? 0 : static_cast<std::size_t>(e.value());
    if (e.is_constant()) {
      results.push_back(e);
    } else if (v >= dims) {
      results.push_back(of_symbols[v - dims]);
    } else {
      results.push_back(moves ? substitute(first.results()[v], numbering) : first.results()[v]);
    }
  }
  const KindCounts counts{.dims = own, .ranges = all.size() - own};
  return IndexMap::make_unchecked(Domain::of(std::move(all), counts), std::move(results));
}

/// The composed map with the constraints of `first` and all variables.
IndexMap chosen_within(const IndexMap& first, const IndexMap& second) {
  const auto at = [](std::span<const Variable> all, std::size_t i) {
    return all.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const std::size_t dims = first.dim_count();
  const auto of_first = first.variables();
  const auto of_second = second.variables().subspan(second.dim_count());
  std::vector<Variable> all;
  all.reserve(of_first.size() + of_second.size());
  all.assign(of_first.begin(), at(of_first, dims));
  all.insert(all.end(), of_second.begin(), of_second.end());
  all.insert(all.end(), at(of_first, dims), of_first.end());
  const Domain wider =
      Domain::of(std::move(all), {.dims = dims, .ranges = second.range_count() + first.range_count()});
  const IndexMap from = spread(first, wider, {.range = second.range_count()});
  std::vector<Expr> results;
  for (const Expr e : second.results()) {
    const auto v = e.is_constant() ? 0 : static_cast<std::size_t>(e.value());
    if (!e.is_constant() && v < second.dim_count()) {
      results.push_back(from.results()[v]);
    } else if (e.is_constant() || second.variables()[v].bounds.is_point()) {
      results.push_back(e.is_constant() ? e : Expr::constant(second.variables()[v].bounds.lower));
    } else {
      results.push_back(Expr::variable(static_cast<Index>(dims + v - second.dim_count())));
    }
  }
  return IndexMap::make_unchecked(Domain(from.domain()), std::move(results));
}

}  // namespace

Indexing composed(const Indexing& first, const Indexing& second, IndexMap map) {
  Indexing x{.map = std::move(map), .exactness = std::max(first.exactness, second.exactness)};
  if (x.exactness == Exactness::superset) x.reason = join_reasons(first.reason, second.reason);
  return x;
}

Indexing compose_normalized(const Indexing& first, const Indexing& second) {
  if (!is_known(first) || !first.replica.empty() || !is_plain(second) ||
      !only_chooses(first.map, second.map)) {
    return compose(first, second);
  }
  if (is_plain(first)) return composed(first, second, chosen(first.map, second.map));
  Indexing x = composed(first, second, chosen_within(first.map, second.map));
  for (RuntimeValue value : first.runtime) {
    if (value.map.domain().symbol_count() > 0)
      value.map = spread(value.map, x.map.domain(), {.range = second.map.range_count()});
    x.runtime.push_back(std::move(value));
  }
  remove_unused_values(x);
  return x;
}

}  // namespace tessera::detail
