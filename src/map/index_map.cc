// SPDX-License-Identifier: Apache-2.0
#include "tessera/map/index_map.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/plural.h"

namespace tessera {
namespace {

Index largest_variable(Expr expr) {
  const auto used = variables(expr);
  return used.empty() ? -1 : used.back();
}

}  // namespace

Result<IndexMap> IndexMap::make(Domain domain, std::vector<Expr> results) {
  Index largest = -1;
  for (const Expr& e : results) largest = std::max(largest, largest_variable(e));
  for (const Constraint& c : domain.constraints()) largest = std::max(largest, largest_variable(c.expr));
  if (largest >= static_cast<Index>(domain.variable_count())) {
    return fail(Code::variable_mismatch,
                fmt::format("the expressions use variable {}, but the map has {}", largest,
                            detail::plural(domain.variable_count(), "variable")));
  }
  return make_unchecked(std::move(domain), std::move(results));
}

Result<IndexMap> IndexMap::make(Domain domain, VariableCounts counts, std::vector<Expr> results) {
  if (domain.dim_count() != counts.dims) {
    return fail(
        Code::variable_mismatch,
        fmt::format("number of dim vars ({}) must match the number of dimensions in the symbolic map ({})",
                    domain.dim_count(), counts.dims));
  }
  if (domain.symbol_count() != counts.symbols) {
    return fail(
        Code::variable_mismatch,
        fmt::format("number of range ({}) + runtime ({}) variables must match the number of symbols in the "
                    "symbolic map ({})",
                    domain.range_count(), domain.runtime_count(), counts.symbols));
  }
  return make(std::move(domain), std::move(results));
}

IndexMap IndexMap::make_unchecked(Domain domain, std::vector<Expr> results) {
  IndexMap map;
  map.domain_ = std::move(domain);
  map.results_ = std::move(results);
  if (map.domain_.known_empty()) std::ranges::fill(map.results_, Expr::constant(0));
  return map;
}

IndexMap IndexMap::identity(std::span<const Index> extents) {
  std::vector<Expr> results;
  results.reserve(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) results.push_back(Expr::variable(static_cast<Index>(i)));
  return make_unchecked(Domain::box(extents), std::move(results));
}

IndexMap IndexMap::empty(const Domain& domain, std::size_t result_count) {
  Domain none = domain;
  none.set_known_empty();
  return make_unchecked(std::move(none), std::vector<Expr>(result_count));
}

std::optional<std::vector<Index>> IndexMap::evaluate(std::span<const Index> values) const {
  std::vector<Index> out;
  out.reserve(results_.size());
  for (const Expr& e : results_) {
    const auto value = tessera::evaluate(e, values);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

bool IndexMap::is_identity() const {
  if (known_empty() || !constraints().empty() || results_.size() != dim_count()) return false;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (!results_[i].is_variable() || results_[i].value() != static_cast<Index>(i)) return false;
  }
  return true;
}

MapSize size(const IndexMap& map) {
  MapSize total;
  const auto add = [&](Expr e) {
    const ExprSize part = size(e);
    if (__builtin_add_overflow(total.operators, part.operators, &total.operators))
      total.operators = UINT64_MAX;
    if (__builtin_add_overflow(total.signs, part.signs, &total.signs)) total.signs = UINT64_MAX;
  };
  for (const Expr e : map.results()) add(e);
  for (const Constraint& c : map.constraints()) add(c.expr);
  if (__builtin_add_overflow(total.operators, map.constraints().size(), &total.operators)) {
    total.operators = UINT64_MAX;
  }
  return total;
}

}  // namespace tessera
