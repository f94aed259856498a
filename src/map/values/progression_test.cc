// SPDX-License-Identifier: Apache-2.0
#include "map/values/progression.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "map/random_map_test.h"
#include "map/values/enumerate.h"
#include "map/values/line_points.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail::progression_test {
namespace {

const Expr kX = Expr::variable(0);
const Expr kY = Expr::variable(1);

std::set<Index> values_of(Expr e, const Domain& domain) {
  std::set<Index> values;
  for (BoxRows rows(box_of(domain)); rows.next();) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (const auto value = evaluate(e, rows.point(i))) values.insert(*value);
    }
  }
  return values;
}

// An expression in which each of the variables from `next` on occurs at most once.
Expr random_expr(std::mt19937& random, Index& next, Index variables, int depth) {
  const auto draw = [&](int lower, int upper) {
    return lower + static_cast<Index>(random() % static_cast<unsigned>(upper - lower + 1));
  };
  if (depth == 0 || next == variables) {
    return next < variables && random() % 4 != 0 ? Expr::variable(next++) : Expr::constant(draw(-9, 9));
  }
  const auto kind = random() % 5;
  const Expr lhs = random_expr(random, next, variables, depth - 1);
  if (kind < 2) return lhs + random_expr(random, next, variables, depth - 1);
  if (kind == 2) return lhs * draw(-4, 6);
  Index n = draw(-4, 9);
  if (n == 0) n = 12;
  return kind == 3 ? floor_div(lhs, n) : mod(lhs, n);
}

TEST(ProgressionTest, RandomExpressionsHaveTheValuesThatEnumerationFinds) {
  const unsigned seed = 20261122;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  int found = 0;
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    std::vector<Variable> variables;
    for (int v = 0; v < 3; ++v) {
      const auto lower = static_cast<Index>(random() % 30) - 15;
      const auto extent = static_cast<Index>(random() % 12);
      variables.push_back({Interval{lower, lower + extent}});
    }
    const Domain domain(std::move(variables), {}, {});
    Index next = 0;
    const Expr e = random_expr(random, next, 3, 4);
    const auto progression = detail::progression(e, box_of(domain));
    if (!progression) continue;
    ++found;
    std::set<Index> expected;
    for (Index n = 0; n <= progression->last; ++n)
      expected.insert(progression->first + n * progression->step);
    EXPECT_EQ(values_of(e, domain), expected) << to_string(e);
  }
  EXPECT_GT(found, 10000);
}

// The quotients and remainders of a tensor with more elements than the enumeration limit were once not
// counted.
TEST(ProgressionTest, QuotientsAndRemaindersOfLongVariablesAreCounted) {
  const auto count = [](Interval bounds, Expr e) {
    return to_string(count_image(IndexMap::make_unchecked(Domain({{bounds}, {{0, 8191}}}, {}, {}), {e})));
  };
  EXPECT_EQ(count({0, 1048576}, floor_div(kX, 2)), "524289");
  EXPECT_EQ(count({0, 8191}, floor_div(kX * 8192 + kY, 128)), "524288");
  EXPECT_EQ(count({0, 10000000}, mod(kX, 8)), "8");
  EXPECT_EQ(count({0, 1000000}, kX * kY), "between 1000001 and 8191000001");
  EXPECT_EQ(count({-kIndexMax, kIndexMax - 1}, kX), "at least 9223372036854775807");
}

// A point where a part of the sum overflows 64 bits has no value.
TEST(ProgressionTest, SumsThatLeave64BitsAreNoProgression) {
  const Domain domain({{{0, kIndexMax - 1}}, {{0, 10}}, {{0, 10}}}, {}, {});
  EXPECT_FALSE(progression(kX + kY - Expr::variable(2) * 20, box_of(domain)));
}

TEST(LinePointsTest, RandomDomainsHaveAsManyPointsAsEnumerationFinds) {
  const unsigned seed = 20261123;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  int found = 0;
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    std::vector<Variable> variables;
    for (int v = 0; v < 3; ++v) {
      const auto lower = static_cast<Index>(random() % 20) - 10;
      const auto extent = static_cast<Index>(random() % 16);
      variables.push_back({Interval{lower, lower + extent}});
    }
    Domain domain(std::move(variables), {}, {});
    const auto number = [&](int least, int most) {
      return least + static_cast<Index>(random() % static_cast<unsigned>(most - least + 1));
    };
    const auto variable = [&] { return Expr::variable(number(0, 2)); };
    for (auto n = 1 + random() % 3; n > 0; --n) {
      const Expr a = variable();
      const Expr b = variable();
      const Index k = number(-5, 5);
      const Index m = number(-5, 5);
      const Index modulus = number(1, 9);
      const auto kind = random() % 4;
      const Expr e = kind == 0   ? a * k + b * m
                     : kind == 1 ? mod(a * k + m, modulus)
                     : kind == 2 ? mod(a * k + m, modulus) * 2 + mod(a, modulus + 1)
                                 : floor_div(a, modulus) * m + b;
      const Index lower = number(-12, 6);
      domain.constrain(
          e, {random() % 5 == 0 ? kNegInf : lower, random() % 5 == 0 ? kPosInf : lower + number(0, 9)});
    }
    if (domain.known_empty()) continue;
    const auto counted = count_by_lines(domain, 1000);
    if (!counted) continue;
    ++found;
    Index inside = 0;
    for (BoxRows rows(box_of(domain)); rows.next();) {
      for (std::size_t p = 0; p < rows.size(); ++p) inside += domain.contains(rows.point(p)) ? 1 : 0;
    }
    EXPECT_EQ(*counted, inside) << to_string(IndexMap::make_unchecked(domain, {}));
  }
  EXPECT_GT(found, 1500);
}

TEST(LinePointsTest, LongLinesAreCountedAtOnce) {
  Domain triangle({{{0, 1000000}}, {{0, 1000000}}}, {}, {});
  triangle.constrain(kX - kY, {0, 1000000});
  EXPECT_EQ(count_by_lines(triangle, Index{1} << 20), 500001500001);
  Domain comb({{{0, 10000000000}}}, {}, {});
  comb.constrain(mod(kX, 8), {0, 0});
  comb.constrain(mod(kX + 1, 12), {0, 5});
  EXPECT_EQ(count_by_lines(comb, 1), 833333334);
}

}  // namespace
}  // namespace tessera::detail::progression_test
