// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/structure_text.h"

#include <gtest/gtest.h>

#include "expr/form/convert.h"
#include "expr/form/random_form_test.h"
#include "expr/spelling/spell.h"

namespace tessera::detail {
namespace {

// The text has the values of the expression, no more operators, and costs no more than the text of the normal
// form.
void check_own_words(Expr e) {
  testing_forms::BoxWorkspace ws;
  int budget = 100;
  EXPECT_LE(cost(structure_text(ws, e, Fewer::divisions, budget)), cost(spell(ws, convert(ws, e)))) << e;
  const Expr words = structure_expr(ws, e);
  EXPECT_LE(size(words).operators, size(e).operators) << e << " -> " << words;
  testing_forms::for_each_point(testing_forms::kBox, [&](const std::vector<Index>& point) {
    ASSERT_EQ(evaluate(words, point), evaluate(e, point)) << e << " -> " << words;
  });
}

TEST(StructureTextTest, KeepValuesAndNeverGrow) {
  std::mt19937 random(20240607);
  for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
    check_own_words(testing_forms::random_expr(random, 2 + i % 3));
  }
}

TEST(StructureTextTest, ShortTextsOfTheInputSurvive) {
  const Expr x = Expr::variable(0);
  const Expr digits = mod(mod(x, 9), 7);
  testing_forms::BoxWorkspace ws;
  EXPECT_EQ(structure_expr(ws, digits), digits);
  EXPECT_EQ(structure_expr(ws, mod(mod(x, 8), 4)), mod(x, 4));
}

}  // namespace
}  // namespace tessera::detail
