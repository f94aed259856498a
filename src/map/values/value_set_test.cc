// SPDX-License-Identifier: Apache-2.0
#include "map/values/value_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "map/values/enumerate.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

Index pick(std::mt19937& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

// An expression with each variable once: sums of multiples inside remainders, quotients, minima and maxima.
Expr independent(std::mt19937& random, Index& next, Index count, int depth) {
  if (depth == 0)
    return next < count ? Expr::variable(next++) * pick(random, -9, 9) : Expr::constant(pick(random, -5, 5));
  Expr sum = independent(random, next, count, depth - 1);
  for (auto i = random() % 3; i > 0; --i) sum = sum + independent(random, next, count, depth - 1);
  switch (random() % 6) {
    case 0:
      return mod(sum, pick(random, 1, 70));
    case 1:
      return floor_div(sum, pick(random, 1, 6));
    case 2:
      return min(sum, Expr::constant(pick(random, -20, 20)));
    case 3:
      return max(sum, Expr::constant(pick(random, -20, 20))) * pick(random, -3, 3);
    default:
      return sum;
  }
}

TEST(ValueSetTest, IndependentValuesAreThoseThatEnumerationFinds) {
  constexpr unsigned kSeed = 20240607;
  std::mt19937 random(kSeed);
  int found = 0;
  for (int i = 0; i < 600; ++i) {
    std::vector<Variable> dims;
    for (int v = 0; v < 4; ++v) {
      const Index lower = pick(random, -6, 3);
      dims.push_back({Interval{lower, lower + pick(random, 0, 9)}});
    }
    Index next = 0;
    const Expr e = independent(random, next, 4, 1 + i % 3);
    const IndexMap map = IndexMap::make_unchecked(Domain(dims, {}, {}), {e});
    const auto values = detail::independent_values(e, map.domain(), {});
    if (!values) continue;
    ++found;
    std::set<Index> expected;
    MapEvaluator evaluator(map);
    for (BoxRows rows(box_of(map.domain())); rows.next();) {
      evaluator.run(rows);
      for (std::size_t k = 0; k < rows.size(); ++k) expected.insert(evaluator.value(0, k));
    }
    std::set<Index> got;
    values->for_each([&](std::span<const Index> tuple) { return got.insert(tuple[0]).second; });
    ASSERT_EQ(got, expected) << "seed " << kSeed << ", case " << i << ": " << to_string(e);
    ASSERT_EQ(values->size(), static_cast<Index>(expected.size()));
  }
  EXPECT_GT(found, 200);  // enumeration handles two sums in a sum
}

TEST(ValueSetTest, AVariableThatOccursTwiceIsRefused) {
  const Expr x = Expr::variable(0);
  const Domain box = Domain::box(std::vector<Index>{10});
  EXPECT_FALSE(detail::independent_values(mod(x * 3, 7) + floor_div(x, 2), box, {}));
  EXPECT_FALSE(detail::independent_values(mod(x * 3, 7), box, {.cells = 3}));
}

// Regression: the first of these ran for minutes, because its box has too many points to enumerate and isl
// computed its values.
TEST(ValueSetTest, RemaindersOfSumsOverLargeBoxesAreCounted) {
  const Expr x = Expr::variable(0);
  const Expr y = Expr::variable(1);
  const auto count = [](std::vector<Index> extents, std::vector<Expr> results, const JudgeLimits& limits) {
    return count_image(IndexMap::make_unchecked(Domain::box(extents), std::move(results)), limits);
  };
  const Expr sum = mod(x * 7919 + y * 104729, 1000003);
  EXPECT_EQ(to_string(count({1501, 1001}, {sum}, {})), "945565");
  EXPECT_EQ(to_string(count({1001, 1001}, {sum}, {})), "691537");
  EXPECT_EQ(to_string(count({Index{1} << 40, Index{1} << 40}, {sum}, {})), "1000003");
  const std::vector<Expr> two{mod(x * 3 + y * 5, 1003), floor_div(x + y, 7)};
  const Count bound = count({5000, 5000}, two, {.points = 1 << 10, .steps = 1 << 20});
  EXPECT_FALSE(bound.exact());
  EXPECT_NE(bound.reason.find("1048576 steps"), std::string::npos) << bound.reason;
  const Count less = count({200, 200}, two, {});
  EXPECT_TRUE(less.exact());
}

}  // namespace
}  // namespace tessera
