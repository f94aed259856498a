// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "map/random_map_test.h"
#include "map/values/enumerate.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

using testing_maps::random_map;

const Expr kX = Expr::variable(0);

// A constraint whose divisor becomes 0 has no value, so it holds nowhere. Regression: it was printed as `100
// mod 0`, which does not parse.
TEST(ComposeTest, ConstraintsThatDivideByZeroLeaveNothing) {
  for (const Expr e : {mod(Expr::constant(100), kX), floor_div(Expr::variable(1), kX) + 3}) {
    Domain domain({{{0, 0}}, {{0, 9}}}, {}, {});
    domain.constrain(e, {0, 35});
    const IndexMap second = IndexMap::make_unchecked(domain, {kX});
    const IndexMap constant = IndexMap::make_unchecked(Domain({{{0, 9}}}, {}, {}), {Expr(), kX});
    EXPECT_TRUE(compose(constant, second)->known_empty()) << e;
  }
}

// A result that divides by 0 at every point has no value anywhere. Regression: it was printed as `10 / 0`,
// which does not parse.
TEST(ComposeTest, RefusesResultsThatDivideByZeroAtEveryPoint) {
  const IndexMap zero = IndexMap::make_unchecked(Domain({{{0, 3}}}, {}, {}), {Expr()});
  const auto quotient = [](Interval divisors) {
    return IndexMap::make_unchecked(Domain({{divisors}}, {}, {}), {kX, floor_div(Expr::constant(10), kX)});
  };
  const auto refused = compose(zero, quotient({0, 5}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::undefined_value);
  EXPECT_EQ(refused.error().message,
            "result 1 of the second map divides by 0 at every point of the first map");
  EXPECT_TRUE(compose(zero, quotient({1, 5}))->known_empty());
}

// compose(first, second) is defined exactly where first is defined and its values are in the domain of second
// (with the range variables of both), and has the value second(first(x)) there.
void check_compose(const IndexMap& first, const IndexMap& second) {
  const auto composed = compose(first, second);
  ASSERT_TRUE(composed);
  BoxRows rows([&] {  // x, ranges of second, ranges of first: the order of the composed map
    std::vector<Interval> box;
    const auto append = [&](const IndexMap& map, std::size_t begin, std::size_t count) {
      for (std::size_t i = begin; i < begin + count; ++i) box.push_back(map.variables()[i].bounds);
    };
    append(first, 0, first.dim_count());
    append(second, second.dim_count(), second.range_count());
    append(first, first.dim_count(), first.range_count());
    return box;
  }());
  while (rows.next()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<Index> point = rows.point(i);
      const auto dims = static_cast<std::ptrdiff_t>(first.dim_count());
      const auto seconds = static_cast<std::ptrdiff_t>(second.range_count());
      std::vector<Index> outer(point.begin(), point.begin() + dims);
      outer.insert(outer.end(), point.begin() + dims + seconds, point.end());
      std::optional<std::vector<Index>> value;
      if (first.domain().contains(outer)) {
        if (auto middle = first.evaluate(outer)) {
          middle->insert(middle->end(), point.begin() + dims, point.begin() + dims + seconds);
          if (second.domain().contains(*middle)) value = second.evaluate(*middle);
        }
      }
      const bool inside = composed->domain().contains(point);
      ASSERT_EQ(inside, value.has_value()) << first << "\n" << second << "\n" << *composed;
      if (inside) {
        ASSERT_EQ(composed->evaluate(point), value);
      }
    }
  }
}

TEST(ComposeTest, RandomMapsComposeAsTheirValuesDo) {
  const unsigned seed = 20250103;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 400 && !HasFatalFailure(); ++i) {
    const std::size_t middle = random() % 3;
    check_compose(random_map(random, 1 + random() % 2, random() % 2, middle),
                  random_map(random, middle, random() % 2, 1 + random() % 2));
  }
}

TEST(ComposeTest, AMapMayBeComposedWithItself) {
  // Regression: with the same object on both sides, its dimensions were mistaken for those of the second map
  // and lost.
  const IndexMap map =
      IndexMap::make_unchecked(Domain({{Interval{0, 9}}}, {{Interval{0, 2}}}, {}), {kX + Expr::variable(1)});
  EXPECT_EQ(to_string(*compose(map, map)),
            "(d0)[s0, s1] -> (d0 + s1 + s0), domain: d0 in [0, 9], s0 in [0, 2], s1 in [0, 2], "
            "d0 + s1 in [0, 9]");
  check_compose(map, map);
}

TEST(ComposeTest, RanksMustAgree) {
  const auto composed =
      compose(IndexMap::identity(std::vector<Index>{4}), IndexMap::identity(std::vector<Index>{4, 4}));
  ASSERT_FALSE(composed);
  EXPECT_EQ(composed.error().code, Code::rank_mismatch);
  EXPECT_EQ(composed.error().message, "the first map has 1 result, but the second map has 2 dimensions");
}

TEST(ComposeTest, ADuplicateNameGivesWayToTheDefault) {
  const IndexMap first =
      IndexMap::make_unchecked(Domain({{Interval{0, 3}}}, {{Interval{0, 1}, "k"}}, {}), {Expr::variable(1)});
  const IndexMap second = IndexMap::make_unchecked(Domain({{Interval{0, 1}}}, {{Interval{0, 2}, "k"}}, {}),
                                                   {kX + Expr::variable(1)});
  EXPECT_EQ(to_string(*compose(first, second)),
            "(d0)[k, s1] -> (s1 + k), domain: d0 in [0, 3], k in [0, 2], s1 in [0, 1]");
}

TEST(VariablesTest, AConstraintOverUnusedSymbolsGoesWithThemOnlyWhenItCanHold) {
  const auto with = [](Index residue) {
    Domain domain({{Interval{0, 3}}}, {{Interval{1, 2}}}, {});
    domain.constrain(mod(Expr::variable(1), 3), {residue, residue});
    return IndexMap::make_unchecked(std::move(domain), {kX});
  };
  EXPECT_EQ(to_string(remove_unused_symbols(with(1)).map), "(d0) -> (d0), domain: d0 in [0, 3]");
  EXPECT_TRUE(remove_unused_symbols(with(0)).map.known_empty());
}

// Removing unused variables does not change the map over the remaining variables.
TEST(VariablesTest, RemovingUnusedVariablesKeepsTheProjectionOfTheDomain) {
  std::mt19937 random(20250104);
  for (int round = 0; round < 300; ++round) {
    const IndexMap map = random_map(random, 1, 2, 1, 2);
    const Removal removal = remove_unused_vars(map);
    if (removal.removed.empty()) {
      EXPECT_EQ(removal.map, map);
      continue;
    }
    std::set<std::vector<Index>> projected;
    for (BoxRows rows(box_of(map.domain())); rows.next();) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto point = rows.point(i);
        if (!map.domain().contains(point)) continue;
        std::vector<Index> kept;
        for (std::size_t v = 0; v < point.size(); ++v) {
          if (!removal.removed[v]) kept.push_back(point[v]);
        }
        EXPECT_TRUE(removal.map.known_empty() || removal.map.evaluate(kept) == map.evaluate(point));
        projected.insert(std::move(kept));
      }
    }
    std::set<std::vector<Index>> remaining;
    if (!removal.map.known_empty()) {
      for (BoxRows rows(box_of(removal.map.domain())); rows.next();) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          if (removal.map.domain().contains(rows.point(i))) remaining.insert(rows.point(i));
        }
      }
    }
    EXPECT_EQ(projected, remaining) << map << "\n" << removal.map;
  }
}

TEST(VariablesTest, CompressingAUsedVariableIsRefused) {
  const IndexMap map = IndexMap::identity(std::vector<Index>{4, 5});
  EXPECT_EQ(compress_vars(map, {true, false}, {}).error().code, Code::variable_mismatch);
  EXPECT_EQ(compress_vars(map, {true}, {}).error().code, Code::value_count);
}

// s -> s * m + r maps the points of the rescaled map onto those of the original map, in order.
TEST(RescaleTest, RescaledMapsHaveTheSameValuesInTheSameOrder) {
  std::mt19937 random(20250105);
  for (int round = 0; round < 200; ++round) {
    const Index lower = testing_maps::small(random, -40, 10);
    Domain domain({}, {{Interval{lower, lower + testing_maps::small(random, 0, 60)}}}, {});
    for (int i = 0; i < 2; ++i) {
      const Index m = testing_maps::small(random, 2, 9);
      const Index r = testing_maps::small(random, 0, m - 1);
      domain.constrain(mod(kX + testing_maps::small(random, -3, 3), m), {r, r});
    }
    const IndexMap map = IndexMap::make_unchecked(std::move(domain), {kX * 3});
    const Rescaling rescaled = rescale_symbols(map);
    const auto values = [](const IndexMap& m) {
      std::vector<Index> out;
      if (m.known_empty()) return out;
      for (BoxRows rows(box_of(m.domain())); rows.next();) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          if (m.domain().contains(rows.point(i))) out.push_back(m.evaluate(rows.point(i))->front());
        }
      }
      return out;
    };
    EXPECT_EQ(values(map), values(rescaled.map)) << map << "\n" << rescaled.map;
    EXPECT_EQ(rescaled.changed, !map.known_empty());
    EXPECT_TRUE(rescaled.map.constraints().empty());
  }
}

}  // namespace
}  // namespace tessera
