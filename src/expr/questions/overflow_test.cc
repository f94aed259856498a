// SPDX-License-Identifier: Apache-2.0
#include "expr/questions/overflow.h"

#include <gtest/gtest.h>

#include "expr/form/random_form_test.h"

namespace tessera::detail {
namespace {

const Expr kX = Expr::variable(0);
const Expr kY = Expr::variable(1);
constexpr Index kMiddle = Index{1} << 62;

void check_stays(Expr e, const std::vector<Interval>& box) {
  testing_forms::BoxWorkspace ws(box);
  const bool stays = stays_in_64_bits(ws, e);
  testing_forms::for_each_point(
      box, [&](const std::vector<Index>& point) { EXPECT_TRUE(!stays || evaluate(e, point)) << e; });
}

TEST(OverflowTest, WhatStaysHasValues) {
  std::mt19937 random(20240607);
  const Index ends[] = {kIndexMin + 1, -kMiddle - 2, -3, kMiddle - 2, kIndexMax - 6};
  for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
    const Index x = ends[random() % std::size(ends)];
    const Index y = ends[random() % std::size(ends)];
    const Expr e = testing_forms::random_expr(random, 2 + i % 3);
    check_stays(e, {{x, x + 5}, {y, y + 5}});
  }
}

TEST(OverflowTest, TheOrderOfASumDecides) {
  testing_forms::BoxWorkspace ws({{kMiddle - 3, kMiddle + 3}, {0, 5}});
  EXPECT_FALSE(stays_in_64_bits(ws, kX + kX - kMiddle));
  EXPECT_TRUE(stays_in_64_bits(ws, kX - kMiddle + kX));
  // Parsing the text gives (x - 2^62 + x) - 2^62, which has a different intermediate sum.
  const Expr nested = (kX - kMiddle) + (kX - kMiddle);
  EXPECT_TRUE(stays_in_64_bits(ws, nested));
  EXPECT_FALSE(text_stays_in_64_bits(ws, nested));
}

// 2^63 - 1 was once mistaken for no bound.
TEST(OverflowTest, AQuotientAtTheEndIsNoUnboundedOne) {
  testing_forms::BoxWorkspace ws({{kIndexMin + 1, kIndexMin + 6}, {0, 3}});
  EXPECT_FALSE(stays_in_64_bits(ws, floor_div(kX, -1) + mod(kX, 5)));
  EXPECT_TRUE(stays_in_64_bits(ws, floor_div(kX, -1)));
}

}  // namespace
}  // namespace tessera::detail
