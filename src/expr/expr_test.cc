// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/expr.h"

#include <gtest/gtest.h>

#include <thread>

namespace tessera::expr_test {
namespace {

const Expr kX = Expr::variable(0);
const Expr kY = Expr::variable(1);

TEST(ExprTest, EqualStructureIsOneNode) {
  EXPECT_EQ((kX * 2 + kY).id(), (kX * 2 + kY).id());
  EXPECT_NE(kX + kY, kY + kX);
}

TEST(ExprTest, EqualStructureIsEqualAcrossThreads) {
  Expr other;
  std::thread([&] { other = floor_div(Expr::variable(0) * 2, 3); }).join();
  EXPECT_EQ(other, floor_div(kX * 2, 3));
  EXPECT_EQ(other + kY, floor_div(kX * 2, 3) + kY);
}

TEST(ExprTest, ConstructionFoldsConstantsAndNeutralElements) {
  EXPECT_EQ(kX + 0, kX);
  EXPECT_EQ(kX * 1, kX);
  EXPECT_EQ(kX * 0, Expr::constant(0));
  EXPECT_EQ(kX * 2 * 3, kX * 6);
  EXPECT_EQ(Expr::constant(2) + kX, kX + 2);
  EXPECT_EQ(floor_div(Expr::constant(-7), 2), Expr::constant(-4));
  EXPECT_EQ(mod(Expr::constant(-5), -2), Expr::constant(1));
}

TEST(ExprTest, FoldsThatWouldOverflowAreNotDone) {
  const Expr big = Expr::constant(kIndexMax) + 1;
  EXPECT_EQ(big.kind(), ExprKind::add);
  EXPECT_EQ(evaluate(big, {}), std::nullopt);
}

TEST(ExprTest, EvaluationRoundsTowardsMinusInfinityAndIsUndefinedOutsideTheIntegers) {
  const Index minus_seven[] = {-7};
  EXPECT_EQ(evaluate(floor_div(kX, 2), minus_seven), -4);
  EXPECT_EQ(evaluate(ceil_div(kX, 2), minus_seven), -3);
  EXPECT_EQ(evaluate(mod(kX, 4), minus_seven), 1);
  EXPECT_EQ(evaluate(floor_div(kX, 0), minus_seven), std::nullopt);
  EXPECT_EQ(evaluate(kY, minus_seven), std::nullopt);
}

TEST(ExprTest, SubstitutionReplacesVariablesAtOnce) {
  const Expr swap[] = {kY, kX};
  EXPECT_EQ(substitute(kX * 2 + kY, swap), kY * 2 + kX);
}

TEST(ExprTest, SharedNodesAreVisitedOnce) {
  Expr e = kX;
  for (int i = 0; i < 200; ++i) e = e + mod(e, 7);  // 2^200 tree nodes
  const Index one[] = {1};
  EXPECT_EQ(e.node_count(), UINT32_MAX);
  EXPECT_TRUE(evaluate(e, one).has_value());
  EXPECT_EQ(variables(e), std::vector<Index>{0});
}

// Variables with small numbers are a set of bits; larger numbers are found by a walk.
TEST(ExprTest, VariablesOfAnyNumberAreListed) {
  const Expr far = Expr::variable(100) + Expr::variable(63) * Expr::variable(62);
  EXPECT_EQ(variables(far), (std::vector<Index>{62, 63, 100}));
  EXPECT_EQ(variables(Expr::variable(62) + Expr::variable(0)), (std::vector<Index>{0, 62}));
  EXPECT_EQ(variables(Expr::constant(7)), std::vector<Index>{});
}

TEST(ExprTest, NodesKnowTheDivisorsOfTheirTree) {
  const Expr x = Expr::variable(0);
  const Expr by_zero = floor_div(x, Expr::constant(0)) + 1;
  EXPECT_TRUE(by_zero.node().divides_by_zero);
  EXPECT_FALSE(by_zero.node().divides_by_variable);
  const Expr by_variable = mod(x, x + 1) * 2;
  EXPECT_TRUE(by_variable.node().divides_by_variable);
  EXPECT_FALSE(by_variable.node().divides_by_zero);
  EXPECT_FALSE(mod(x, 3).node().divides_by_variable);
}

}  // namespace
}  // namespace tessera::expr_test
