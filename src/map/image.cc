// SPDX-License-Identifier: Apache-2.0
#include "tessera/map/image.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "map/components.h"
#include "map/digit_solver.h"
#include "map/judge_isl.h"
#include "map/line_points.h"
#include "map/progression.h"
#include "tessera/map/enumerate.h"
#include "tessera/map/inverse.h"
#include "tessera/map/map_algebra.h"
#include "tessera/map/simplify.h"

namespace tessera {
namespace {

using Tuples = std::set<std::vector<Index>>;

constexpr std::size_t kMaxRuns = 8;  // of one result, listed as pieces of their own

// What is known about the values of one part.
struct PartImage {
  std::vector<Domain> pieces = {};  // over the part's results, as dimensions
  bool exact = true;
  Count count = {};
  std::string reason = {};  // where it is not exact
};

Domain free_domain(std::size_t rank) { return Domain(std::vector<Variable>(rank), {}, {}); }

// Evenly spaced values of a box without constraints.
std::optional<PartImage> evenly_spaced(const IndexMap& part) {
  if (part.results().size() != 1 || !part.constraints().empty()) return std::nullopt;
  const auto values = detail::progression(part.results()[0], part.domain());
  if (!values || values->last == kIndexMax) return std::nullopt;
  PartImage image{.count = {values->last + 1, values->last + 1}};
  Domain domain = free_domain(1);
  const Expr r = Expr::variable(0);
  domain.constrain(r, values->first, values->first + values->last * values->step);
  if (values->step > 1) {
    const Index offset = mod(values->first, values->step);
    domain.constrain(mod(r, values->step), offset, offset);
  }
  image.pieces.push_back(std::move(domain));
  return image;
}

// The digits of the results determine every variable: the image is where the inverse is defined.
std::optional<PartImage> by_digits(const IndexMap& part, const JudgeLimits& limits) {
  detail::DigitSolver solver(part);
  solver.solve();
  if (!solver.solved()) return std::nullopt;
  const IndexMap back = relational_inverse(part);
  if (back.range_count() > 0) return std::nullopt;
  PartImage image{.count = count_points(part, limits)};
  if (!back.known_empty()) image.pieces.push_back(back.domain());
  return image;
}

// The box of the tuples with one congruence per coordinate, when that describes exactly this many tuples.
std::optional<Domain> box_of_tuples(const Tuples& tuples, std::size_t rank) {
  Domain domain = free_domain(rank);
  Index product = 1;
  for (std::size_t r = 0; r < rank; ++r) {
    const Index first = (*tuples.begin())[r];
    Interval hull_of = Interval::point(first);
    Index step = 0;
    for (const auto& tuple : tuples) {
      hull_of = hull(hull_of, Interval::point(tuple[r]));
      const auto apart = checked_sub(tuple[r], first);
      if (!apart || *apart == kIndexMin) return std::nullopt;
      step = std::gcd(step, *apart);
    }
    const Expr v = Expr::variable(static_cast<Index>(r));
    domain.constrain(v, hull_of);
    if (step > 1) domain.constrain(mod(v, step), mod(first, step), mod(first, step));
    const auto width = checked_sub(hull_of.upper, hull_of.lower);
    if (!width) return std::nullopt;
    const std::optional<Index> count = step == 0 ? 1 : checked_add(*width / step, 1);
    if (!count || mul_overflows(product, *count, product)) return std::nullopt;
  }
  if (product != static_cast<Index>(tuples.size())) return std::nullopt;
  return domain;
}

// Runs of consecutive values of one result: equally long and equally far apart, or few.
std::optional<std::vector<Domain>> runs_of_tuples(const Tuples& tuples) {
  std::vector<Interval> runs;
  for (const auto& tuple : tuples) {
    if (!runs.empty() && runs.back().upper == tuple[0] - 1) {
      ++runs.back().upper;
    } else {
      runs.push_back(Interval::point(tuple[0]));
    }
  }
  const Expr r = Expr::variable(0);
  const auto length = [](Interval run) { return run.upper - run.lower; };
  bool regular = runs.size() > 1;
  const auto period = regular ? checked_sub(runs[1].lower, runs[0].lower) : std::nullopt;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    regular = regular && period && checked_sub(runs[i].lower, runs[i - 1].lower) == period &&
              length(runs[i]) == length(runs[0]);
  }
  std::vector<Domain> pieces;
  if (regular) {
    Domain domain = free_domain(1);
    domain.constrain(r, runs.front().lower, runs.back().upper);
    domain.constrain(mod(r - mod(runs.front().lower, *period), *period), 0, length(runs[0]));
    pieces.push_back(std::move(domain));
    return pieces;
  }
  if (runs.size() > kMaxRuns) return std::nullopt;
  for (const Interval run : runs) {
    Domain domain = free_domain(1);
    domain.constrain(r, run);
    pieces.push_back(std::move(domain));
  }
  return pieces;
}

std::optional<Tuples> enumerated(const IndexMap& part, Index limit) {
  const auto points = point_count(box_of(part.domain()));
  if (!points || *points > limit) return std::nullopt;
  Tuples tuples;
  MapEvaluator evaluator(part);
  for (BoxRows rows(box_of(part.domain())); rows.next();) {
    evaluator.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!evaluator.inside(i)) continue;
      if (auto value = evaluator.values(i)) tuples.insert(std::move(*value));
    }
  }
  return tuples;
}

// The box around known values.
PartImage box_around(const Tuples& tuples, std::size_t rank) {
  const auto size = static_cast<Index>(tuples.size());
  PartImage image{.exact = false, .count = {size, size}};
  Domain domain = free_domain(rank);
  for (std::size_t r = 0; r < rank; ++r) {
    Interval side = Interval::point((*tuples.begin())[r]);
    for (const auto& tuple : tuples) side = hull(side, Interval::point(tuple[r]));
    domain.constrain(Expr::variable(static_cast<Index>(r)), side);
  }
  image.pieces.push_back(std::move(domain));
  image.reason = fmt::format("the {} values have no short description", size);
  return image;
}

// Few values that isl does not describe soon have no description worth waiting for.
constexpr unsigned long kFewer = 20;

// What isl may spend on the part: each of its operations goes over a table with a row and a column for every
// quotient, so six congruences took half a minute.
unsigned long operations(const IndexMap& part, const JudgeLimits& limits) {
  std::uint64_t quotients = 0;
  for (const Expr e : part.results()) quotients += std::min<std::uint64_t>(size(e).divisions, 10000);
  for (const Constraint& c : part.constraints())
    quotients += std::min<std::uint64_t>(size(c.expr).divisions, 10000);
  return limits.isl_operations / (1 + quotients * quotients / 4);
}

// At least so many values has a part that has points: along one variable, the others at their last value.
Index values_of_one_variable(const IndexMap& part) {
  Index most = 1;
  const auto finite = [](const Variable& v) { return v.bounds.is_finite(); };
  if (!part.constraints().empty()) return most;
  if (part.results().size() == 1 && part.results()[0].is_variable()) {
    return point_count(box_of(part.domain())).value_or(kIndexMax);
  }
  if (!std::ranges::all_of(part.variables(), finite)) return most;
  for (std::size_t v = 0; v < part.variables().size(); ++v) {
    std::vector<Expr> line;
    for (const Variable& other : part.variables()) line.push_back(Expr::constant(other.bounds.upper));
    line[v] = Expr::variable(static_cast<Index>(v));
    Index longest = 0;
    for (const Expr e : part.results()) {
      const auto values = detail::progression(substitute(e, line), part.domain());
      if (!values) return most;  // there may be points without a value
      longest = std::max(longest, values->last);
    }
    most = std::max(most, checked_add(longest, 1).value_or(kIndexMax));
  }
  return most;
}

PartImage box_around(const IndexMap& part, const JudgeLimits& limits) {
  PartImage image{.exact = false};
  image.reason =
      fmt::format("enumeration stops at {} points and neither digits nor isl tell all values", limits.points);
  Domain domain = free_domain(part.results().size());
  std::optional<Index> most = 1;
  for (std::size_t r = 0; r < part.results().size(); ++r) {
    const Interval around = range(part.results()[r], part.domain());
    domain.constrain(Expr::variable(static_cast<Index>(r)), around);
    const auto count = around.count();
    most = most && count ? checked_mul(*most, *count) : std::nullopt;
  }
  image.pieces.push_back(std::move(domain));
  const Count points = count_points(part, limits);
  image.count = {points.lower > 0 ? values_of_one_variable(part) : 0, most};
  if (points.upper && (!most || *points.upper < *most)) image.count.upper = points.upper;
  return image;
}

PartImage image_of_part(const IndexMap& part, const JudgeLimits& limits, bool count_only) {
  if (auto values = evenly_spaced(part)) return *values;
  const std::size_t rank = part.results().size();
  const auto tuples = enumerated(part, limits.points);
  if (tuples) {
    const auto size = static_cast<Index>(tuples->size());
    PartImage image{.count = {size, size}};
    if (count_only || tuples->empty()) return image;
    if (auto box = box_of_tuples(*tuples, rank)) {
      image.pieces.push_back(std::move(*box));
      return image;
    }
  }
  if (auto digits = by_digits(part, limits)) return *digits;
  if (tuples) {
    const auto size = static_cast<Index>(tuples->size());
    PartImage image{.count = {size, size}};
    if (rank == 1) {
      if (auto runs = runs_of_tuples(*tuples)) {
        image.pieces = std::move(*runs);
        return image;
      }
    }
  }
  PartImage image = tuples ? box_around(*tuples, rank) : box_around(part, limits);
  if (count_only && tuples) return image;
  auto pieces = detail::isl_image(part, operations(part, limits) / (tuples ? kFewer : 1));
  if (!pieces) return image;
  std::vector<Domain> simplified;
  for (Domain& piece : *pieces) {
    for (std::size_t r = 0; r < rank; ++r) {
      piece.constrain(Expr::variable(static_cast<Index>(r)), image.pieces[0].variables()[r].bounds);
    }
    Domain simple = simplify(IndexMap::make_unchecked(piece, {})).domain();
    if (!simple.known_empty()) simplified.push_back(std::move(simple));
  }
  // A description whose steps leave 64 bits would miss values.
  const auto described = [&](const std::vector<Index>& value) {
    return std::ranges::any_of(simplified, [&](const Domain& piece) { return piece.contains(value); });
  };
  if (tuples && !std::ranges::all_of(*tuples, described)) return image;
  image.exact = true;
  image.pieces = std::move(simplified);
  if (!tuples && image.pieces.size() == 1) {
    const Count values = count_points(IndexMap::make_unchecked(image.pieces[0], {}), limits);
    if (values.exact()) image.count = values;
  }
  return image;
}

// The map over dimensions only, without variables that do not matter.
IndexMap reduced(const IndexMap& map) {
  return simplify(remove_unused_vars(simplify(symbols_to_dims(map))).map);
}

Count product(const Count& a, const Count& b) {
  Count out{checked_mul(a.lower, b.lower).value_or(kIndexMax), std::nullopt};
  if (a.upper && b.upper) out.upper = checked_mul(*a.upper, *b.upper);
  if (a.upper == Index{0} || b.upper == Index{0}) out.upper = 0;
  return out;
}

}  // namespace

Count count_points(const IndexMap& map, const JudgeLimits& limits) {
  Count total{1, 1};
  const IndexMap simple = simplify(map);
  if (simple.known_empty()) return {0, 0};
  for (const detail::Component& part : detail::components(simple, false)) {
    if (part.map.known_empty()) return {0, 0};
    const auto box = box_of(part.map.domain());
    const auto points = point_count(box);
    Count count{0, points};
    if (part.map.constraints().empty()) {
      count.lower = points.value_or(kIndexMax);
    } else if (points && *points <= limits.points) {
      Index inside = 0;
      MapEvaluator evaluator(part.map);
      for (BoxRows rows(box); rows.next();) {
        evaluator.run(rows);
        for (std::size_t i = 0; i < rows.size(); ++i) inside += evaluator.inside(i) ? 1 : 0;
      }
      count = {inside, inside};
    } else if (const auto inside = detail::count_by_lines(part.map.domain(), limits.points)) {
      count.lower = *inside;
      count.upper = inside;
    } else if (is_empty(part.map, limits).verdict == Verdict::no) {
      count.lower = 1;
    }
    total = product(total, count);
  }
  return total;
}

Count count_image(const IndexMap& map, const JudgeLimits& limits) {
  const IndexMap simple = reduced(map);
  if (simple.known_empty()) return {0, 0};
  Count total{1, 1};
  for (const detail::Component& part : detail::components(simple, true)) {
    total =
        product(total, part.map.known_empty() ? Count{0, 0} : image_of_part(part.map, limits, true).count);
  }
  return total;
}

Image image(const IndexMap& map, const JudgeLimits& limits) {
  Image out;
  const IndexMap simple = reduced(map);
  if (simple.known_empty()) return out;
  std::vector<Variable> names;
  for (std::size_t r = 0; r < map.results().size(); ++r) names.push_back({Interval{}, fmt::format("r{}", r)});
  out.pieces.push_back(Domain(std::move(names), {}, {}));
  for (const detail::Component& part : detail::components(simple, true)) {
    if (part.map.known_empty()) return {};
    const PartImage own = image_of_part(part.map, limits, false);
    if (!own.exact) {
      out.exact = false;
      out.reason = own.reason;
    }
    std::vector<Expr> places;
    for (const std::size_t r : part.results) places.push_back(Expr::variable(static_cast<Index>(r)));
    std::vector<Domain> combined;
    for (const Domain& have : out.pieces) {
      for (const Domain& piece : own.pieces) {
        Domain both = have;
        for (std::size_t i = 0; i < places.size(); ++i)
          both.constrain(places[i], piece.variables()[i].bounds);
        for (const Constraint& c : piece.constraints()) both.constrain(substitute(c.expr, places), c.range);
        combined.push_back(std::move(both));
      }
    }
    out.pieces = std::move(combined);
  }
  return out;
}

std::string to_string(const Image& image) {
  if (image.pieces.empty()) return "KNOWN EMPTY";
  std::string out;
  for (const Domain& piece : image.pieces) {
    if (!out.empty()) out += " or ";
    if (piece.variable_count() == 0) return "()";
    const std::string map = to_string(IndexMap::make_unchecked(piece, {}));
    constexpr std::string_view kDomain = "domain: ";
    out += map.substr(map.find(kDomain) + kDomain.size());
  }
  return out;
}

std::string to_string(const Count& count) {
  if (count.exact()) return fmt::format("{}", count.lower);
  if (!count.upper) return fmt::format("at least {}", count.lower);
  return fmt::format("between {} and {}", count.lower, *count.upper);
}

}  // namespace tessera
