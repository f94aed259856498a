// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/spell.h"

#include <gtest/gtest.h>

#include "expr/form/convert.h"
#include "expr/form/random_form_test.h"
#include "expr/form/rebuild.h"
#include "expr/spelling/read_back.h"

namespace tessera::detail::spell_test {
namespace {

const Expr kX = Expr::variable(0);
const Expr kY = Expr::variable(1);

std::string text(Expr e) {
  testing_forms::BoxWorkspace ws;
  return to_string(to_expr(ws, spell(ws, convert(ws, e))));
}

// The text has the values of the expression, and its cost is the cost of the text.
void check_spelling(Expr e) {
  testing_forms::BoxWorkspace ws;
  const Text found = spell(ws, convert(ws, e));
  const Expr text = to_expr(ws, found);
  testing_forms::for_each_point(testing_forms::kBox, [&](const std::vector<Index>& point) {
    ASSERT_EQ(evaluate(text, point), evaluate(e, point)) << e << " -> " << text;
  });
  EXPECT_EQ(divisions(cost(found)), size(text).divisions) << e << " -> " << text;
  EXPECT_EQ(operators(cost(found)), size(text).operators) << e << " -> " << text;
}

TEST(SpellTest, TextsHaveTheValuesAndTheCostOfTheirForms) {
  std::mt19937 random(20240607);
  for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
    check_spelling(testing_forms::random_expr(random, 2 + i % 3));
  }
}

// Reading a text back gives the form of its expression.
TEST(SpellTest, TextsAreReadBackLikeTheirExpressions) {
  std::mt19937 random(20261125);
  for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
    testing_forms::BoxWorkspace ws;
    const Text text = spell(ws, convert(ws, testing_forms::random_expr(random, 2 + i % 3)));
    const Expr expr = to_expr(ws, text);
    EXPECT_EQ(read_back(ws, text), convert(ws, expr)) << expr;
  }
}

TEST(SpellTest, QuotientsJoinWhatStandsBesideThem) {
  EXPECT_EQ(text(kX - floor_div(kX, 4) * 4), "v0 mod 4");
  EXPECT_EQ(text(kX * 3 + floor_div(kX * 2 + kY, 4) * 3), "((v0 * 6 + v1) / 4) * 3");
  EXPECT_EQ(text(kX * 3 + floor_div(kX + kY, 4) * 3), "((v0 + v1) / 4 + v0) * 3");
  EXPECT_EQ(text(floor_div(kY, 2) - floor_div(kY, 4)), "(v1 + 2) / 4");
  EXPECT_EQ(text(floor_div(kX, 4) * -1 + 2), "-(v0 / 4) + 2");
}

TEST(SpellTest, ExtremaMeetTheirOperandsAgain) {
  EXPECT_EQ(text(max(kX, kY)), "max(v0, v1)");
  EXPECT_EQ(text(min(kX * 2 + kY, kY + 3)), "min(v0 * 2, 3) + v1");
}

TEST(SpellTest, EqualCoefficientsShareTheirMultiplication) {
  EXPECT_EQ(text(kX * 4 + kY * 4 + 8), "(v0 + v1 + 2) * 4");
  EXPECT_EQ(text(kX * 4 - kY * 4), "(-v1 + v0) * 4");
}

}  // namespace
}  // namespace tessera::detail::spell_test
