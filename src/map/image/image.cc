// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "base/cancellation.h"
#include "expr/limits.h"
#include "map/inverse/digit_solver.h"
#include "map/inverse/inverse.h"
#include "map/judge/isl_image.h"
#include "map/judge/judge_isl.h"
#include "map/simplify/environment.h"
#include "map/values/components.h"
#include "map/values/enumerate.h"
#include "map/values/line_points.h"
#include "map/values/progression.h"
#include "map/values/value_set.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

using detail::ValueSet;

// The known values of one part.
struct PartImage {
  std::vector<Domain> pieces = {};  // over the part's results, as dimensions
  bool exact = true;
  Count count = {};
  std::string reason = {};  // if it is not exact
};

Domain free_domain(std::size_t rank) { return Domain(std::vector<Variable>(rank), {}, {}); }

// The image of one result with evenly spaced values, over a box without constraints.
std::optional<PartImage> evenly_spaced(const IndexMap& part) {
  if (part.results().size() != 1 || !part.constraints().empty()) return std::nullopt;
  const auto values = detail::progression(part.results()[0], box_of(part.domain()));
  if (!values || values->last == kIndexMax) return std::nullopt;
  PartImage image{.count = {values->last + 1, values->last + 1}};
  Domain domain = free_domain(1);
  const Expr r = Expr::variable(0);
  domain.constrain(r, {values->first, values->first + values->last * values->step});
  if (values->step > 1) {
    const Index offset = mod(values->first, values->step);
    domain.constrain(mod(r, values->step), {offset, offset});
  }
  image.pieces.push_back(std::move(domain));
  return image;
}

// If the digits of the results determine every variable, the image is the domain of the inverse.
std::optional<PartImage> by_digits(const IndexMap& part, const JudgeLimits& limits) {
  detail::DigitSolver solver(part);
  solver.solve();
  if (!solver.solved()) return std::nullopt;
  const IndexMap back = detail::inverse_relation(part);
  if (back.range_count() > 0) return std::nullopt;
  PartImage image{.count = count_points(part, limits)};
  if (!back.known_empty()) image.pieces.push_back(back.domain());
  return image;
}

// The interval of a result, and the step between its values: 0 if there is only one value.
struct Side {
  Interval values;
  Index step = 0;
};

std::vector<Side> sides_of(const ValueSet& values) {
  std::vector<Side> sides;
  values.for_each([&](std::span<const Index> tuple) {
    for (std::size_t r = 0; r < tuple.size(); ++r) {
      if (sides.size() == r) sides.push_back({Interval::point(tuple[r])});
      const auto apart = checked_sub(tuple[r], sides[r].values.lower);
      const bool fits = apart && *apart != kIndexMin;
      sides[r] = {hull(sides[r].values, Interval::point(tuple[r])),
                  fits ? std::gcd(sides[r].step, *apart) : 1};
    }
    return true;
  });
  return sides;
}

// The bounding box of the tuples, with one congruence per coordinate. Exact if it contains no other tuples.
PartImage box_around(const ValueSet& values) {
  PartImage image{.count = {values.size(), values.size()}};
  Domain domain = free_domain(values.rank());
  std::optional<Index> tuples = 1;
  std::size_t r = 0;
  for (const auto& [range, step] : sides_of(values)) {
    const Expr v = Expr::variable(static_cast<Index>(r++));
    domain.constrain(v, range);
    if (step > 1) domain.constrain(mod(v, step), {mod(range.lower, step), mod(range.lower, step)});
    const auto width = checked_sub(range.upper, range.lower);
    const std::optional<Index> count = !width ? width : step == 0 ? 1 : checked_add(*width / step, 1);
    tuples = tuples && count ? checked_mul(*tuples, *count) : std::nullopt;
  }
  image.exact = tuples == values.size();
  image.pieces.push_back(std::move(domain));
  return image;
}

// The runs of consecutive values of one result, if there are few or they have equal lengths and distances.
std::optional<std::vector<Domain>> runs_of_values(const ValueSet& values) {
  std::vector<Interval> runs;  // the first few
  Interval run;
  std::size_t count = 0;
  std::optional<Index> period;
  bool regular = true;
  const auto length = [](Interval of) { return of.upper - of.lower; };
  Interval previous;
  const auto end_run = [&] {
    if (count == 0) return;
    if (runs.size() < detail::kLimits.image_runs) runs.push_back(run);
    if (count == 2) period = checked_sub(run.lower, previous.lower);
    if (count >= 2) {
      regular = regular && period && checked_sub(run.lower, previous.lower) == period &&
                length(run) == length(runs[0]);
    }
    previous = run;
  };
  values.for_each([&](std::span<const Index> tuple) {
    if (count > 0 && run.upper == tuple[0] - 1) {
      ++run.upper;
    } else {
      end_run();
      run = Interval::point(tuple[0]);
      ++count;
    }
    return regular || count <= detail::kLimits.image_runs + 1;
  });
  end_run();
  const Expr r = Expr::variable(0);
  std::vector<Domain> pieces;
  if (regular && count > 1) {
    Domain domain = free_domain(1);
    domain.constrain(r, {runs.front().lower, run.upper});
    domain.constrain(mod(r - mod(runs.front().lower, *period), *period), {0, length(runs[0])});
    pieces.push_back(std::move(domain));
    return pieces;
  }
  if (count > detail::kLimits.image_runs) return std::nullopt;
  for (const Interval one : runs) {
    Domain domain = free_domain(1);
    domain.constrain(r, one);
    pieces.push_back(std::move(domain));
  }
  return pieces;
}

// The operations that isl may take to describe the values of a part. Each processes a table with a row and a
// column for every quotient and variable, and the numbers in it grow while variables are projected out. If
// isl does not find a description early, it takes minutes.
unsigned long operations(const IndexMap& part, const JudgeLimits& limits) {
  constexpr unsigned long kCost = 20;  // of an operation on an image, compared with a yes-or-no question
  const std::uint64_t columns = detail::isl_columns(part);
  return limits.isl_operations / kCost / (1 + columns * columns / 8);
}

// The reason why values that are known exactly are described only by a box.
std::string description_limit(const ValueSet& values, const IndexMap& part, const JudgeLimits& limits) {
  const auto isl = [&]() -> std::string {
    if (!judge_has_isl()) return "isl is not built in";
    if (values.size() > limits.points) return fmt::format("isl describes at most {}", limits.points);
    return fmt::format("{} isl operations", operations(part, limits));
  };
  return fmt::format("the {} values have no short description (limits: {} runs of values, {})", values.size(),
                     detail::kLimits.image_runs, isl());
}

// A lower bound on the number of values of a nonempty part: the number of values along one variable, with the
// other variables at their upper bounds.
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
      const auto values = detail::progression(substitute(e, line), box_of(part.domain()));
      if (!values) return most;  // there may be points without a value
      longest = std::max(longest, values->last);
    }
    most = std::max(most, checked_add(longest, 1).value_or(kIndexMax));
  }
  return most;
}

PartImage box_around(const IndexMap& part, const JudgeLimits& limits) {
  PartImage image{.exact = false};
  image.reason = detail::enumeration_limit(limits) + "; neither digits nor isl describe the values";
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

// The set of all values of a part, if the limits allow.
std::optional<ValueSet> known_values(const IndexMap& part, const JudgeLimits& limits) {
  if (part.results().size() == 1 && part.constraints().empty()) {
    if (auto values = detail::independent_values(part.results()[0], part.domain(), limits)) return values;
  }
  return detail::enumerated_values(part, limits);
}

// Whether every constraint of the pieces has a value at all points: without one, it would exclude a point.
bool are_described(std::span<const Domain> pieces, const IndexMap& part) {
  return std::ranges::all_of(pieces, [&](const Domain& piece) {
    return detail::has_values(IndexMap::make_unchecked(piece, {}), detail::infinite_bounds_after(part));
  });
}

PartImage image_of_part(const IndexMap& part, const JudgeLimits& limits, bool count_only) {
  if (auto evenly = evenly_spaced(part)) return *evenly;
  const std::size_t rank = part.results().size();
  const auto values = known_values(part, limits);
  PartImage image;
  if (values) {
    if (count_only || values->size() == 0) return {.count = {values->size(), values->size()}};
    image = box_around(*values);
    if (image.exact) return image;
    image.reason = description_limit(*values, part, limits);
  }
  const bool total = detail::has_values(part);
  if (auto digits = total ? by_digits(part, limits) : std::nullopt) {
    if (are_described(digits->pieces, part)) return *digits;
    image = box_around(part, limits);
    image.reason = "the digits of the values exceed 64 bits";
    image.count = digits->count;
    return image;
  }
  if (values && rank == 1) {
    if (auto runs = runs_of_values(*values)) {
      return {.pieces = std::move(*runs), .count = {values->size(), values->size()}};
    }
  }
  if (!values) image = box_around(part, limits);
  if (values && values->size() > limits.points) return image;  // too many to check against a description
  if (!values && !total) {
    image.reason = detail::enumeration_limit(limits) + "; " + detail::kMayLackValues;
    image.count.lower = 0;
    return image;
  }
  auto pieces = detail::isl_image(part, operations(part, limits));
  if (!pieces) return image;
  std::vector<Domain> simplified;
  for (Domain& piece : *pieces) {
    for (std::size_t r = 0; r < rank; ++r) {
      piece.constrain(Expr::variable(static_cast<Index>(r)), image.pieces[0].variables()[r].bounds);
    }
    Domain simple = simplify(IndexMap::make_unchecked(piece, {})).domain();
    if (!simple.known_empty()) simplified.push_back(std::move(simple));
  }
  // A description would miss values if its steps overflowed 64 bits.
  bool described = values || are_described(simplified, part);
  if (values) {
    described = std::ranges::all_of(simplified, [](const Domain& piece) {
      return detail::each_reads_as_itself(IndexMap::make_unchecked(piece, {}));
    });
    values->for_each([&](std::span<const Index> value) {
      described = described &&
                  std::ranges::any_of(simplified, [&](const Domain& piece) { return piece.contains(value); });
      return described;
    });
  }
  if (!described) {
    if (!values) image.reason = detail::enumeration_limit(limits) + "; isl's description exceeds 64 bits";
    return image;
  }
  image.exact = true;
  image.reason.clear();
  image.pieces = std::move(simplified);
  if (!values && image.pieces.size() == 1) {
    const Count count = count_points(IndexMap::make_unchecked(image.pieces[0], {}), limits);
    if (count.exact()) image.count = count;
  }
  return image;
}

// The map with all variables as dimensions, without unused ones.
IndexMap reduced(const IndexMap& map) {
  using detail::simplify_with_same_values;
  return simplify_with_same_values(remove_unused_vars(simplify_with_same_values(symbols_to_dims(map))).map);
}

Count product(const Count& a, const Count& b) {
  Count out{checked_mul(a.lower, b.lower).value_or(kIndexMax), std::nullopt,
            a.reason.empty() ? b.reason : a.reason};
  if (a.upper && b.upper) out.upper = checked_mul(*a.upper, *b.upper);
  if (a.upper == Index{0} || b.upper == Index{0}) out.upper = 0;
  if (out.exact()) out.reason.clear();
  if (!out.exact() && out.reason.empty()) out.reason = "the number exceeds 64 bits";
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
    } else if (detail::can_enumerate(part.map, limits, false)) {
      Index inside = 0;
      for_each_point(part.map, box, [&](const WalkedPoint&) { return ++inside, true; });
      count.lower = inside;
      if (!detail::cancelled()) count.upper = inside;
    } else if (const auto inside = detail::count_by_lines(part.map.domain(), limits.points)) {
      count.lower = *inside;
      count.upper = inside;
    } else if (is_empty(part.map, limits).verdict == Verdict::no) {
      count.lower = 1;
    }
    if (!count.exact()) {
      count.reason =
          part.map.constraints().empty() ? "the number exceeds 64 bits" : detail::enumeration_limit(limits);
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
    if (part.map.known_empty()) return {0, 0};
    PartImage own = image_of_part(part.map, limits, true);
    if (!own.count.exact() && own.count.reason.empty()) {
      own.count.reason = own.reason.empty() ? detail::enumeration_limit(limits) : std::move(own.reason);
    }
    total = product(total, own.count);
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
