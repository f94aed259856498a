// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/equations.h"

#include <gtest/gtest.h>

#include "expr/form/convert.h"
#include "expr/form/random_form_test.h"
#include "expr/spelling/spell.h"

namespace tessera::detail::equations_test {
namespace {

const Expr kX = Expr::variable(0);
const Expr kY = Expr::variable(1);

// Given the equation left = value, the text has the values of the expression and costs no more than without
// the equation.
Expr check_equation(Expr e, Expr left, Index value) {
  testing_forms::BoxWorkspace ws;
  const Form* const equation = convert(ws, left);
  ws.facts.push_back({equation, Interval::point(value)});
  ws.changed();
  const Form* const form = convert(ws, e);
  const Text found = spell_by_equations(ws, form);
  EXPECT_LE(cost(found), cost(spell(ws, form))) << e;
  const Expr text = to_expr(ws, found);
  testing_forms::for_each_point(testing_forms::kBox, [&](const std::vector<Index>& point) {
    if (evaluate(left, point) == value) {
      EXPECT_EQ(evaluate(text, point), evaluate(e, point)) << e << " -> " << text;
    }
  });
  return text;
}

TEST(EquationsTest, TextsHoldWhereTheEquationDoes) {
  std::mt19937 random(20240607);
  for (int i = 0; i < 1000 && !testing::Test::HasFailure(); ++i) {
    const Expr e = testing_forms::random_expr(random, 2 + i % 3);
    const Index value = static_cast<Index>(random() % 8);
    check_equation(e, kX + kY, value);
    check_equation(e, kX - floor_div(kX, 4) * 4 + kY, value);
  }
}

TEST(EquationsTest, TheShortestFormIsSpelled) {
  EXPECT_EQ(to_string(check_equation(kX * 2 + kY * 3, kX + kY, 5)), "v1 + 10");
  EXPECT_EQ(to_string(check_equation(floor_div(kX + kY, 2), kX + kY, 5)), "2");
}

}  // namespace
}  // namespace tessera::detail::equations_test
