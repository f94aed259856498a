// SPDX-License-Identifier: Apache-2.0
#include "map/inverse/inverse.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/cancellation.h"
#include "base/plural.h"
#include "expr/limits.h"
#include "expr/questions/view.h"
#include "map/inverse/digit_solver.h"
#include "map/judge/injectivity.h"
#include "map/rebuild.h"
#include "map/simplify/environment.h"
#include "map/values/enumerate.h"
#include "map/values/value_set.h"
#include "map/variables.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

std::string show(const std::vector<Index>& point) { return fmt::format("({})", fmt::join(point, ", ")); }

// The relation of `map` from y to its variables, with the solver's values substituted. The undetermined
// variables become range variables.
IndexMap turned(const IndexMap& map, const detail::DigitSolver& solver) {
  const std::size_t variables = map.variables().size();
  const std::size_t results = map.results().size();
  detail::VariableLists lists;
  std::vector<Expr> places(variables + results);
  for (std::size_t i = 0; i < results; ++i) {
    lists.dims.push_back({range(map.results()[i], map.domain())});
    places[variables + i] = Expr::variable(static_cast<Index>(i));
  }
  for (const auto kind : {VariableKind::range, VariableKind::runtime}) {
    for (std::size_t v = 0; v < variables; ++v) {
      const bool runtime = map.domain().kind(v) == VariableKind::runtime;
      if ((kind == VariableKind::runtime) != runtime || (!runtime && solver.value(v))) continue;
      places[v] = Expr::variable(static_cast<Index>(lists.count()));
      lists.of(kind).push_back(map.variables()[v]);
      if (!runtime) lists.of(kind).back().name.clear();
    }
  }
  std::vector<Expr> values(variables);
  for (std::size_t v = 0; v < variables; ++v) {
    const bool runtime = map.domain().kind(v) == VariableKind::runtime;
    values[v] = solver.value(v) && !runtime ? substitute(*solver.value(v), places) : places[v];
  }
  Domain domain = std::move(lists).domain();
  if (map.known_empty()) return IndexMap::empty(domain, map.dim_count());
  // Every point of the relation has these values. Conversely, a point with these values is in the relation if
  // its variables are in the domain and its results are y.
  for (std::size_t v = 0; v < variables; ++v) domain.constrain(values[v], map.variables()[v].bounds);
  // What has no value holds nowhere.
  const auto substituted = [&](Expr given) {
    const Expr e = substitute(given, values);
    if (given.node().divides_by_variable && e.node().divides_by_zero) domain.set_known_empty();
    return e;
  };
  for (const Constraint& c : map.constraints()) domain.constrain(substituted(c.expr), c.range);
  const bool total = detail::has_values(map);
  for (std::size_t i = 0; i < results; ++i) {
    const Expr e = substituted(map.results()[i]);
    if (domain.known_empty()) return IndexMap::empty(domain, map.dim_count());
    const Expr difference = e - places[variables + i];
    domain.constrain(total ? simplify(difference, domain) : difference, {0, 0});
  }
  values.resize(map.dim_count());
  return IndexMap::make_unchecked(std::move(domain), std::move(values));
}

// Without the range variables that no result uses.
IndexMap without_unused_ranges(const IndexMap& map) {
  detail::VariableSet needed(map.results());
  for (std::size_t v = 0; v < map.variables().size(); ++v) {
    if (map.domain().kind(v) != VariableKind::range) needed.insert(v);
  }
  const auto removal = detail::remove_unneeded(map, std::move(needed));
  return removal ? removal->map : map;
}

IndexMap prepared(const IndexMap& map) {
  using detail::simplify_with_same_values;
  return simplify_with_same_values(without_unused_ranges(simplify_with_same_values(map)));
}

// The value of a range variable from an equation of `map` in which it has a constant factor.
struct Solution {
  std::size_t variable = 0;
  std::size_t equation = 0;
  Index factor = 0;
  Expr product;  // the factor times the variable
};

std::optional<Solution> find_solution(const IndexMap& map) {
  std::optional<Solution> best;  // the one with the smallest factor, because that divides most often
  const std::vector<Interval> box = box_of(map.domain());
  for (std::size_t i = 0; i < map.constraints().size(); ++i) {
    const Constraint& c = map.constraints()[i];
    if (!c.range.is_point()) continue;
    const auto view = detail::view(c.expr, box);
    if (!view) continue;
    for (std::size_t v = map.dim_count(); v < map.dim_count() + map.range_count(); ++v) {
      const auto variable = static_cast<Index>(v);
      const auto factor = view->coefficient(variable);
      if (!factor || *factor == 0 || *factor == kIndexMin) continue;
      if (best && std::abs(best->factor) <= std::abs(*factor)) continue;
      best = {v, i, *factor, Expr::constant(c.range.lower) - view->without(variable)};
    }
  }
  return best;
}

// Eliminates range variables that an equation determines.
IndexMap solved(IndexMap map) {
  for (int step = 0; step < detail::kLimits.inverse_eliminations; ++step) {
    const auto solution = find_solution(map);
    if (!solution) break;
    std::vector<Expr> values(map.variables().size());
    for (std::size_t v = 0; v < values.size(); ++v) values[v] = Expr::variable(static_cast<Index>(v));
    detail::VariableLists lists;
    for (std::size_t v = 0; v < values.size(); ++v)
      lists.of(map.domain().kind(v)).push_back(map.variables()[v]);
    Domain domain(std::move(lists.dims), std::move(lists.ranges), std::move(lists.runtimes));
    const Expr product = solution->product;
    values[solution->variable] = floor_div(product, solution->factor);
    domain.constrain(values[solution->variable], map.variables()[solution->variable].bounds);
    domain.constrain(mod(product, std::abs(solution->factor)), {0, 0});
    for (std::size_t i = 0; i < map.constraints().size(); ++i) {
      if (i == solution->equation) continue;
      const Constraint& c = map.constraints()[i];
      domain.constrain(substitute(c.expr, values), c.range);
    }
    std::vector<Expr> results;
    for (const Expr e : map.results()) results.push_back(substitute(e, values));
    map = simplify(
        without_unused_ranges(simplify(IndexMap::make_unchecked(std::move(domain), std::move(results)))));
  }
  return map;
}

}  // namespace

IndexMap detail::inverse_relation(const IndexMap& map) {
  const IndexMap simple = prepared(map);
  detail::DigitSolver solver(simple);
  solver.solve();
  solver.eliminate();
  return simplify(without_unused_ranges(simplify(turned(simple, solver))));
}

namespace {

// Whether the inverse has a value at every value of the map. Requires maps without symbols.
bool covers_values(const IndexMap& inverse, const IndexMap& map) {
  const bool covered = for_each_point(map, box_of(map.domain()), [&](const WalkedPoint& point) {
    const auto value = point.values();
    return !value || (inverse.domain().contains(*value) && inverse.evaluate(*value));
  });
  return covered && !detail::cancelled();
}

Failure numbers_too_large() {
  return fail(Code::undecided, "an inverse was found, but computes numbers that may exceed 64 bits", {},
              "give the variables smaller intervals, or use smaller factors");
}

// The inverse, unless its steps exceed 64 bits where the map has a value: there it would have none.
Result<IndexMap> with_values(const IndexMap& map, IndexMap inverse, const JudgeLimits& limits) {
  if (inverse.known_empty() || detail::each_stays_in_64_bits(inverse, detail::infinite_bounds_after(map)))
    return inverse;
  if (map.domain().symbol_count() + inverse.range_count() == 0 && detail::can_enumerate(map, limits, true) &&
      detail::each_reads_as_itself(inverse) && covers_values(inverse, map)) {
    return inverse;
  }
  return numbers_too_large();
}

}  // namespace

Result<IndexMap> relational_inverse(const IndexMap& map) {
  IndexMap relation = detail::inverse_relation(map);
  if (relation.known_empty() || detail::each_stays_in_64_bits(relation, detail::infinite_bounds_after(map)))
    return relation;
  return numbers_too_large();
}

Result<IndexMap> inverse(const IndexMap& map, const JudgeLimits& limits) {
  const IndexMap simple = prepared(map);
  detail::DigitSolver solver(simple);
  solver.solve();
  bool determined = true;
  for (std::size_t v = 0; v < simple.dim_count(); ++v) determined = determined && solver.value(v).has_value();
  if (!determined && !simple.known_empty()) {
    const detail::InjectivityAnswer injective = detail::is_injective(simple, limits);
    if (const auto& hit = injective.collision) {
      Diagnostic no{.code = Code::not_invertible,
                    .message = "the map has no inverse: two points have the same value"};
      no.witness =
          fmt::format("{} and {} both give {}", show(hit->first), show(hit->second), show(hit->value));
      no.help =
          "'tessera map inverse --relational' inverts any map as a relation; 'tessera map image' gives "
          "the set of results";
      return fail(std::move(no));
    }
    if (injective.verdict == Verdict::undecided) {
      return fail(Code::undecided,
                  "could not decide whether two points have the same value: " + injective.reason, {},
                  "the relational inverse gives all points with a value, one or many");
    }
    return with_values(map, solved(detail::inverse_relation(map)), limits);
  }
  return with_values(map, simplify(without_unused_ranges(simplify(turned(simple, solver)))), limits);
}

namespace {

Bijection enumerated_bijection(const IndexMap& map, std::span<const Interval> codomain,
                               const JudgeLimits& limits) {
  Bijection no{.verdict = Verdict::no};
  detail::ValueSet values({codomain.begin(), codomain.end()}, limits.cells);
  const bool one_to_one = for_each_point(map, box_of(map.domain()), [&](const WalkedPoint& point) {
    const auto value = point.values();
    const bool inside = value && std::ranges::equal(codomain, *value,
                                                    [](Interval side, Index v) { return side.contains(v); });
    const Index before = values.size();
    if (inside) values.insert(*value);
    if (values.size() > before) return true;
    const std::string gives =
        fmt::format("{} gives {}", show(point.coordinates()), value ? show(*value) : "no value");
    no.reason = inside ? "two points have the same value" : "a value lies outside the codomain";
    no.witness = inside ? gives + ", as a smaller point does" : gives;
    return false;
  });
  if (!one_to_one) return no;
  if (detail::cancelled()) return {.reason = std::string(detail::kCanceled)};
  if (point_count(codomain) == values.size()) return {.verdict = Verdict::yes};
  no.reason = fmt::format("{} cannot fill the codomain", detail::plural(values.size(), "point"));
  return no;
}

}  // namespace

Bijection verify_bijection(const IndexMap& map, std::span<const Interval> codomain,
                           const JudgeLimits& limits) {
  if (map.runtime_count() > 0) return {.reason = "the map depends on runtime variables"};
  if (map.results().size() != codomain.size()) {
    return {.verdict = Verdict::no,
            .reason = fmt::format("the map has {}, but the codomain has {}",
                                  detail::plural(map.results().size(), "result"),
                                  detail::plural(codomain.size(), "dimension"))};
  }
  const IndexMap flat = symbols_to_dims(map);
  if (detail::can_enumerate(flat, limits, true)) return enumerated_bijection(flat, codomain, limits);
  const IndexMap simple = simplify(flat);
  detail::DigitSolver solver(simple);
  solver.solve();
  if (!solver.solved()) {
    return {.reason = detail::enumeration_limit(limits) + "; the digits do not determine the variables"};
  }
  if (!detail::has_values(flat)) {
    return {.reason = detail::enumeration_limit(limits) + "; " + detail::kMayLackValues};
  }
  // The digits determine the variables, so the map is one-to-one onto its image, the domain of the inverse.
  const IndexMap image = IndexMap::make_unchecked(simplify(turned(simple, solver)).domain(), {});
  std::vector<Variable> sides;
  for (const Interval& side : codomain) sides.push_back({side});
  const Equality same = equal(image, IndexMap::make_unchecked(Domain(std::move(sides), {}, {}), {}), limits);
  Bijection answer{.verdict = same.verdict, .reason = same.reason};
  if (same.verdict == Verdict::no) {
    answer.reason = "the image is not the codomain";
    if (same.difference) answer.witness = show(same.difference->point);
  }
  return answer;
}

}  // namespace tessera
