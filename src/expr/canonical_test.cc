// SPDX-License-Identifier: Apache-2.0
#include "expr/canonical.h"

#include <gtest/gtest.h>

#include <random>

namespace tessera {
namespace {

const Expr kX = Expr::variable(0);
const Expr kY = Expr::variable(1);
const Expr kZ = Expr::variable(2);

Expr random_expr(std::mt19937& random, int depth) {
  const auto small = [&] { return static_cast<Index>(random() % 13) - 6; };
  if (depth == 0 || random() % 8 == 0) {
    return random() % 3 == 0 ? Expr::constant(small()) : Expr::variable(static_cast<Index>(random() % 3));
  }
  const Expr a = random_expr(random, depth - 1);
  switch (random() % 9) {
    case 0:
    case 1:
    case 2:
      return a + random_expr(random, depth - 1);
    case 3:
      return a * small();
    case 4:
      return a * random_expr(random, depth - 1);
    case 5:
      return Expr::binary(ExprKind::floor_div, a, Expr::constant(small()));
    case 6:
      return Expr::binary(ExprKind::mod, a, Expr::constant(small()));
    case 7:
      return Expr::binary(ExprKind::ceil_div, a, Expr::constant(small()));
    default:
      return random() % 2 == 0 ? min(a, random_expr(random, depth - 1))
                               : max(a, random_expr(random, depth - 1));
  }
}

// The canonical tree has the same value wherever the expression has one, and is its own canonical tree.
void check_canonical(Expr e) {
  const Expr c = canonical(e);
  EXPECT_EQ(canonical(c), c) << to_string(e) << " -> " << to_string(c) << " -> " << to_string(canonical(c));
  for (Index x = -7; x <= 7; x += 2) {
    for (Index y = -5; y <= 7; y += 3) {
      for (Index z = -4; z <= 4; ++z) {
        const Index point[] = {x, y, z};
        const auto value = evaluate(e, point);
        if (value) {
          ASSERT_EQ(evaluate(c, point), value)
              << to_string(e) << " -> " << to_string(c) << " at " << x << ", " << y << ", " << z;
        }
      }
    }
  }
}

// The multiple of a negative divisor that lies next to -2^63 once wrapped.
TEST(CanonicalTest, ConstantsAtTheEndOf64BitsSplitExactly) {
  const Expr e = floor_div(kX * 9 - kIndexMax, -9);
  const std::vector<Index> point = {kIndexMax / 9};
  EXPECT_EQ(evaluate(canonical(e), point), evaluate(e, point));
}

TEST(CanonicalTest, RandomTreesKeepTheirValuesAndCanonicalTreesStay) {
  const auto seed = 20250102u;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 4000 && !testing::Test::HasFailure(); ++i)
    check_canonical(random_expr(random, 1 + i % 5));
}

TEST(CanonicalTest, SumsAreFlatMergedAndSorted) {
  EXPECT_EQ(to_string(canonical(kY * 3 + kX * 2)), "v0 * 2 + v1 * 3");
  EXPECT_EQ(to_string(canonical((kX + 2) * 3)), "v0 * 3 + 6");
  EXPECT_EQ(to_string(canonical(floor_div(kX, 16) * 16 + mod(kX, 16))), "v0");
  EXPECT_EQ(to_string(canonical(max(kX, kX + 1))), "v0 + 1");
}

TEST(CanonicalTest, CommonFactorsLeaveQuotientsAndRemainders) {
  EXPECT_EQ(to_string(canonical(floor_div(kX * 4 - 5, 8))), "v0 / 2 - 1");
  EXPECT_EQ(to_string(canonical(floor_div(kX * 4 - 3, -8))), "v0 / -2");
  EXPECT_EQ(to_string(canonical(mod(kX * 8 + 3, 4))), "3");
  EXPECT_EQ(to_string(canonical(mod(mod(kX, 21), 7))), "v0 mod 7");
  EXPECT_EQ(to_string(canonical(ceil_div(kX, 4))), "(v0 + 3) / 4");
}

TEST(CanonicalTest, FoldsThatWouldOverflowAreNotDone) {
  const Expr e = kX * kIndexMax + kX * kIndexMax;
  EXPECT_EQ(canonical(e), e);
  const Expr quotient = Expr::binary(ExprKind::ceil_div, kX + kIndexMax, Expr::constant(3));
  const Index minus_nine[] = {-9};
  EXPECT_EQ(evaluate(canonical(quotient), minus_nine), evaluate(quotient, minus_nine));
}

// One product that did not fit once left the whole sum as it was written, and its own terms unmerged.
TEST(CanonicalTest, WhatDoesNotFitStaysApartOnItsOwn) {
  const Expr large = Expr::binary(ExprKind::mul, Expr::constant(kIndexMax), Expr::constant(2));
  EXPECT_EQ(to_string(canonical(kX + kY + large + kX)), "v0 * 2 + 9223372036854775807 * 2 + v1");
  EXPECT_EQ(canonical(large - large + kX), kX);
  EXPECT_EQ(canonical(kX * kIndexMax + kY + kX * kIndexMax - kX * kIndexMax), kX * kIndexMax + kY);
  EXPECT_EQ(canonical(kX + kIndexMax + 7 - kIndexMax), kX + 7);
}

TEST(CanonicalTest, SharedSumsCostTheirDistinctNodes) {
  Expr e = kX;
  for (int i = 0; i < 60; ++i) e = e + mod(e + kZ, 7);
  EXPECT_TRUE(canonical(e).is_binary());
}

// The reader makes the operand of a minus canonical: -(x ceildiv n) once had no value for a large n.
TEST(CanonicalTest, CeilingsKeepTheirPoints) {
  const Expr e = -ceil_div(Expr::variable(0), kIndexMax);
  for (const Index x : {-100, 0, 1, 100}) {
    const std::vector<Index> point = {x};
    EXPECT_EQ(evaluate(canonical(e), point), evaluate(e, point)) << x;
  }
}

// A divisor that is 0 everywhere was once written as 0, which no reader takes.
TEST(CanonicalTest, DivisorsThatVanishStayAsTheyAreWritten) {
  EXPECT_EQ(to_string(canonical(floor_div(kX, kY - kY) * -1)), "-(v0 / (v1 - v1))");
  EXPECT_EQ(to_string(canonical(mod(kX, kY - kY) + kX * 0)), "v0 mod (v1 - v1)");
}

}  // namespace
}  // namespace tessera
