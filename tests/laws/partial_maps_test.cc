// SPDX-License-Identifier: Apache-2.0
// Maps that lack values at some points of their domain, because a divisor is 0 there or a step exceeds 64
// bits. With limits that forbid enumeration, every answer must agree with all points, or say that it does not
// know.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "laws/random_seed.h"
#include "tessera/map/judge.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

using Tuple = std::vector<Index>;

constexpr JudgeLimits kNoEnumeration{.points = 0, .steps = 1 << 12, .cells = 0};
constexpr Index kFar = Index{1} << 62;

// Small intervals around 0 and around the numbers whose sums, doubles and negatives overflow.
Variable random_variable(std::mt19937_64& random) {
  const Index starts[] = {0, 0, -2, kFar - 2, -kFar - 2, kIndexMax - 4, kIndexMin + 1};
  const Index lower = starts[random() % std::size(starts)];
  return {Interval{lower, lower + static_cast<Index>(random() % 4)}};
}

Expr random_expr(std::mt19937_64& random, Index variables, int depth) {
  if (depth == 0) {
    const Index constants[] = {1, 2, 3, -1, -2, kFar, kIndexMax};
    if (random() % 3 == 0) return Expr::constant(constants[random() % std::size(constants)]);
    return Expr::variable(static_cast<Index>(random() % static_cast<std::uint64_t>(variables)));
  }
  const Expr a = random_expr(random, variables, depth - 1);
  const Expr b =
      random_expr(random, variables, static_cast<int>(random() % static_cast<std::uint64_t>(depth)));
  switch (random() % 9) {
    case 0:
      return floor_div(a, b);
    case 1:
      return ceil_div(a, b);
    case 2:
      return mod(a, b);
    case 3:
      return min(a, b);
    case 4:
      return max(a, b);
    case 5:
    case 6:
      return a * b;
    default:
      return random() % 2 == 0 ? a + b : a - b;
  }
}

// As it is read from its text; empty if it divides by the number 0, or has no points.
std::optional<IndexMap> random_map(std::mt19937_64& random, std::size_t results) {
  std::vector<Variable> dims(1 + random() % 2);
  for (Variable& v : dims) v = random_variable(random);
  const auto count = static_cast<Index>(dims.size());
  Domain domain(std::move(dims), {}, {});
  if (random() % 3 == 0) domain.constrain(random_expr(random, count, 2), {-2, random() % 2 == 0 ? 2 : kFar});
  std::vector<Expr> values;
  for (std::size_t r = 0; r < results; ++r)
    values.push_back(random_expr(random, count, static_cast<int>(1 + random() % 3)));
  const auto map = parse_index_map(to_string(IndexMap::make_unchecked(std::move(domain), std::move(values))));
  return map && !map->known_empty() ? std::optional(*map) : std::nullopt;
}

// All points of a box.
std::vector<Tuple> points_of(const Domain& box) {
  std::vector<Tuple> points{{}};
  for (const Variable& v : box.variables()) {
    std::vector<Tuple> longer;
    for (const Tuple& p : points) {
      for (Index x = v.bounds.lower; x <= v.bounds.upper; ++x) {
        longer.push_back(p);
        longer.back().push_back(x);
        if (x == kIndexMax) break;
      }
    }
    points = std::move(longer);
  }
  return points;
}

// The values of a map at the points of its domain that have one.
std::map<Tuple, Tuple> graph_of(const IndexMap& map) {
  std::map<Tuple, Tuple> graph;
  if (map.known_empty()) return graph;
  for (const Tuple& p : points_of(map.domain())) {
    if (!map.domain().contains(p)) continue;
    if (const auto value = map.evaluate(p)) graph[p] = *value;
  }
  return graph;
}

// A map that simplification, an unneeded step or a changed number makes from another.
std::optional<IndexMap> changed(std::mt19937_64& random, const IndexMap& map) {
  std::vector<Expr> results(map.results().begin(), map.results().end());
  switch (random() % 4) {
    case 0:
      return simplify(map);
    case 1:
      results[0] = floor_div(results[0] * 2, Expr::constant(2));
      break;
    case 2:
      results[0] = results[0] + mod(floor_div(Expr::constant(1), Expr::variable(0)), Expr::constant(1));
      break;
    default:
      results[0] = max(results[0], Expr::constant(-1));
  }
  const auto read = parse_index_map(to_string(IndexMap::make_unchecked(map.domain(), std::move(results))));
  return read ? std::optional(*read) : std::nullopt;
}

bool same_function(const IndexMap& a, const IndexMap& b) {
  std::set<Tuple> points;
  for (const IndexMap* map : {&a, &b}) {
    if (map->known_empty()) continue;
    for (Tuple& p : points_of(map->domain())) points.insert(std::move(p));
  }
  const auto first = graph_of(a);
  const auto second = graph_of(b);
  for (const Tuple& p : points) {
    const bool in_a = !a.known_empty() && a.domain().contains(p);
    const bool in_b = !b.known_empty() && b.domain().contains(p);
    if (in_a != in_b) return false;
  }
  return first == second;
}

template <class Check>
void for_each_map(const Check& check) {
  std::mt19937_64 random(laws::seed(1));
  for (std::uint64_t i = 0; i < laws::cases(4000) && !testing::Test::HasFailure(); ++i) {
    const auto map = random_map(random, 1 + random() % 2);
    if (!map) continue;
    SCOPED_TRACE(to_string(*map));
    check(random, *map);
  }
}

TEST(PartialMaps, EqualityAgreesWithAllPoints) {
  int decided = 0;
  for_each_map([&](std::mt19937_64& random, const IndexMap& map) {
    const auto other = changed(random, map);
    if (!other) return;
    const Equality answer = equal(map, *other, kNoEnumeration);
    if (answer.verdict == Verdict::undecided) return;
    ++decided;
    EXPECT_EQ(answer.verdict == Verdict::yes, same_function(map, *other)) << *other;
  });
  EXPECT_GT(decided, 1000);
}

TEST(PartialMaps, ImagesAndCountsHaveAllValuesAndNoOthers) {
  int exact = 0;
  for_each_map([&](std::mt19937_64&, const IndexMap& map) {
    std::set<Tuple> values;
    for (const auto& [point, value] : graph_of(map)) values.insert(value);
    const Count count = count_image(map, kNoEnumeration);
    const auto size = static_cast<Index>(values.size());
    EXPECT_LE(count.lower, size);
    EXPECT_GE(count.upper.value_or(size), size);
    const Image set = image(map, kNoEnumeration);
    const auto contained = [&](const Tuple& value) {
      return std::ranges::any_of(set.pieces, [&](const Domain& piece) { return piece.contains(value); });
    };
    for (const Tuple& value : values) EXPECT_TRUE(contained(value)) << to_string(set);
    if (!set.exact) return;
    ++exact;
    // Tuples near the values are in the image only if they are values.
    for (const Tuple& value : values) {
      for (std::size_t r = 0; r < value.size(); ++r) {
        for (const Index by : {-1, 1}) {
          Tuple near = value;
          if (!add_overflows(near[r], by, near[r]) && !values.contains(near)) {
            EXPECT_FALSE(contained(near)) << to_string(set);
          }
        }
      }
    }
  });
  EXPECT_GT(exact, 1000);
}

TEST(PartialMaps, InversesLeadBackFromEveryValue) {
  int inverted = 0;
  for_each_map([&](std::mt19937_64& random, const IndexMap& map) {
    const auto back = inverse(map, random() % 2 == 0 ? kNoEnumeration : JudgeLimits{});
    const auto graph = graph_of(map);
    std::map<Tuple, Tuple> points;
    for (const auto& [point, value] : graph) points[value] = point;
    if (!back) {
      EXPECT_TRUE(back.error().code == Code::undecided || points.size() < graph.size());
      return;
    }
    EXPECT_EQ(points.size(), graph.size()) << *back;
    if (back->range_count() > 0) return;
    ++inverted;
    for (const auto& [value, point] : points) {
      EXPECT_TRUE(back->domain().contains(value)) << *back;
      EXPECT_EQ(back->evaluate(value), point) << *back;
    }
  });
  EXPECT_GT(inverted, 500);
}

}  // namespace
}  // namespace tessera
