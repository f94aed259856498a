// SPDX-License-Identifier: Apache-2.0
#include "expr/fits.h"

#include <gtest/gtest.h>

#include "expr/random_form_test.h"

namespace tessera::detail {
namespace {

const Expr kX = Expr::variable(0);
const Expr kY = Expr::variable(1);
constexpr Index kMiddle = Index{1} << 62;

// A text that fits has a value everywhere; one that fits like another has one wherever the other does.
void check_fits(Expr text, Expr from, const std::vector<Interval>& box) {
  Workspace& ws = testing_forms::start(box);
  const bool fits_alone = fits(ws, text);
  const auto ordered = ordered_to_fit(ws, text, from);
  testing_forms::for_each_point(box, [&](const std::vector<Index>& point) {
    const auto value = evaluate(from, point);
    EXPECT_TRUE(!fits_alone || evaluate(text, point)) << text;
    EXPECT_TRUE(!ordered || !value || evaluate(*ordered, point) == value) << text << " -> " << *ordered;
  });
}

TEST(FitsTest, WhatFitsHasValues) {
  std::mt19937 random(20240607);
  const Index ends[] = {kIndexMin + 1, -kMiddle - 2, -3, kMiddle - 2, kIndexMax - 6};
  for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
    const Index x = ends[random() % std::size(ends)];
    const Index y = ends[random() % std::size(ends)];
    const Expr e = testing_forms::random_expr(random, 2 + i % 3);
    check_fits(e, e, {{x, x + 5}, {y, y + 5}});
  }
}

TEST(FitsTest, TheFirstOrderThatFitsIsTaken) {
  const std::vector<Interval> box = {{kMiddle - 3, kMiddle + 3}, {0, 5}};
  Workspace& ws = testing_forms::start(box);
  const Expr sum = kX + kX - kMiddle;
  EXPECT_FALSE(fits(ws, sum));
  EXPECT_EQ(ordered_to_fit(ws, sum, kX - kMiddle + kX), kX - kMiddle + kX);
  EXPECT_TRUE(fits_like(ws, sum, sum));
  EXPECT_EQ(ordered_to_fit(ws, kX + (kY - 1), kX + (kY - 1)), kX + kY - 1);
  EXPECT_EQ(ordered_to_fit(ws, mod(kX * 2, 8), mod(kX, 4) * 2), std::nullopt);
}

// 2^63 - 1 was once mistaken for no bound.
TEST(FitsTest, AQuotientAtTheEndIsNoUnboundedOne) {
  Workspace& ws = testing_forms::start({{kIndexMin + 1, kIndexMin + 6}, {0, 3}});
  EXPECT_FALSE(fits(ws, floor_div(kX, -1) + mod(kX, 5)));
  EXPECT_TRUE(fits(ws, floor_div(kX, -1)));
}

}  // namespace
}  // namespace tessera::detail
