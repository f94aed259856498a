// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/plural.h"
#include "expr/questions/divisors.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

std::string text(Interval interval) { return fmt::format("[{}, {}]", interval.lower, interval.upper); }

std::string text(Expr expr, const Domain& domain) {
  return to_string(expr, [&](Index number) { return domain.name(static_cast<std::size_t>(number)); });
}

using detail::plural;

Failure wrong_count(const Domain& domain, std::size_t given) {
  const std::size_t dims = domain.dim_count();
  std::string message =
      fmt::format("the map has {}, but the point has {}", plural(dims, "dimension"), plural(given, "value"));
  Diagnostic diagnostic{.code = Code::value_count, .message = std::move(message)};
  diagnostic.help = fmt::format("give {}", plural(dims, "value"));
  if (domain.symbol_count() > 0) {
    diagnostic.help += fmt::format(", or {} with the range and runtime variables", domain.variable_count());
  }
  return fail(std::move(diagnostic));
}

// Whether the expression has no value at the point; `folded` is the expression with the point substituted.
// Folding leaves divisions by 0 and overflows as they are, but x * 0 is 0 for an x without a value.
bool has_no_value(Expr expr, Expr folded, std::span<const Index> point) {
  if (folded.node().divides_by_zero || detail::lacks_value(folded)) return true;
  const auto fixed = [&](Index v) { return v < std::ssize(point); };
  return std::ranges::all_of(variables(expr), fixed) && !evaluate(expr, point);
}

// The error for `expr`, which has no value at the point. `folded` is `expr` with the point substituted.
Failure undefined_at_point(Expr expr, Expr folded, const Domain& domain) {
  const char* const why = folded.node().divides_by_zero ? "a division by 0"
                          : folded.is_constant()        ? "a step divides by 0 or does not fit in 64 bits"
                                                        : "it does not fit in 64 bits";
  return fail(Code::undefined_value,
              fmt::format("{} has no value at this point: {}", text(expr, domain), why), {},
              folded.node().divides_by_zero ? "choose a point where no divisor is 0" : "");
}

// The error for a point that lacks `wanted`.
Failure outside(const std::string& why, const std::string& wanted) {
  return fail(Code::undefined_value, "the point is outside the domain: " + why, {},
              "choose a point of the domain, with " + wanted);
}

}  // namespace

Result<IndexMap> fix_variables(const IndexMap& map, std::span<const Index> values) {
  const Domain& domain = map.domain();
  if (values.size() != domain.dim_count() && values.size() != domain.variable_count()) {
    return wrong_count(domain, values.size());
  }
  if (domain.known_empty()) return fail(Code::undefined_value, "the map has no points");

  std::vector<Expr> replacements;
  std::vector<Variable> ranges;
  std::vector<Variable> runtimes;
  for (std::size_t i = 0; i < domain.variable_count(); ++i) {
    const Variable& variable = domain.variables()[i];
    if (i >= values.size()) {
      replacements.push_back(Expr::variable(static_cast<Index>(i - values.size())));
      (domain.kind(i) == VariableKind::range ? ranges : runtimes).push_back(variable);
      continue;
    }
    if (!variable.bounds.contains(values[i])) {
      return outside(fmt::format("{} = {} is not in {}", domain.name(i), values[i], text(variable.bounds)),
                     fmt::format("{} in {}", domain.name(i), text(variable.bounds)));
    }
    replacements.push_back(Expr::constant(values[i]));
  }

  Domain rest({}, std::move(ranges), std::move(runtimes));
  for (const Constraint& constraint : domain.constraints()) {
    const Expr expr = substitute(constraint.expr, replacements);
    if (has_no_value(constraint.expr, expr, values)) return undefined_at_point(constraint.expr, expr, domain);
    rest.constrain(expr, constraint.range);
    if (!rest.known_empty()) continue;
    const std::string written = text(constraint.expr, domain);
    return outside(expr.is_constant()
                       ? fmt::format("{} = {} is not in {}", written, expr.value(), text(constraint.range))
                       : fmt::format("{} is never in {}", written, text(constraint.range)),
                   fmt::format("{} in {}", written, text(constraint.range)));
  }
  std::vector<Expr> results;
  for (const Expr result : map.results()) {
    const Expr expr = substitute(result, replacements);
    if (has_no_value(result, expr, values)) return undefined_at_point(result, expr, domain);
    results.push_back(expr);
  }
  IndexMap at = simplify(IndexMap::make_unchecked(std::move(rest), std::move(results)));
  if (at.known_empty()) {
    return fail(Code::undefined_value,
                "the point is outside the domain: no values of the other variables satisfy the constraints",
                {}, "choose a point for which the other variables have values");
  }
  return at;
}

}  // namespace tessera
