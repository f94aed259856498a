// SPDX-License-Identifier: Apache-2.0
#include "expr/questions/quick.h"

#include <gtest/gtest.h>

#include <vector>

#include "expr/form/random_form_test.h"

namespace tessera::detail {
namespace {

using testing_forms::for_each_point;
using testing_forms::kBox;
using testing_forms::random_expr;

TEST(QuickTest, TheRangeHasAllValuesAndTheFactorIsTheSlope) {
  std::mt19937 random(11);
  int ranges = 0;
  int factors = 0;
  for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
    const Expr e = random_expr(random, 1 + i % 4);
    const auto range = quick_range(e, [](Index v) { return kBox[static_cast<std::size_t>(v)]; });
    const auto factor = quick_factor(e, 0);
    ranges += range ? 1 : 0;
    factors += factor ? 1 : 0;
    for_each_point(kBox, [&](const std::vector<Index>& point) {
      const auto value = evaluate(e, point);
      if (range) {
        ASSERT_TRUE(value && range->contains(*value)) << e;
      }
      if (!factor || !value) return;
      const std::vector<Index> next{point[0] + 1, point[1]};
      EXPECT_EQ(evaluate(e, next), *value + *factor) << e;
    });
  }
  EXPECT_GT(ranges, 500);
  EXPECT_GT(factors, 500);
}

TEST(QuickTest, RangesOfOtherOperationsAreEmpty) {
  const auto bounds = [](Index) { return Interval{1, 7}; };
  const Expr x = Expr::variable(0);
  EXPECT_EQ(quick_range(floor_div(x * 4 + 3, 2), bounds), (Interval{3, 15}));
  EXPECT_EQ(quick_range(mod(x, 4), bounds), (Interval{0, 3}));
  EXPECT_EQ(quick_range(mod(x, Expr::variable(1)), bounds), std::nullopt);
  EXPECT_EQ(quick_range(floor_div(x, -2), bounds), std::nullopt);
  EXPECT_EQ(quick_range(x, [](Index) { return Interval{kNegInf, 7}; }), (Interval{kNegInf, 7}));
}

TEST(QuickTest, FactorsOverflowOrAreHidden) {
  const Expr x = Expr::variable(0);
  const Expr far = Expr::variable(70);
  EXPECT_EQ(quick_factor(x * 3 + far * 5 + x, 0), 4);
  EXPECT_EQ(quick_factor(x * 3 + far * 5, 70), 5);
  EXPECT_EQ(quick_factor(floor_div(far, 2) + x, 70), std::nullopt);
  EXPECT_EQ(quick_factor(floor_div(far, 2) + x, 1), 0);
  EXPECT_EQ(quick_factor(x * kIndexMax + x, 0), std::nullopt);
}

TEST(QuickTest, RenamedTextsAreTheSame) {
  const Expr x = Expr::variable(0);
  const Expr y = Expr::variable(1);
  const auto own = [](Index v) { return v; };
  const auto swapped = [](Index v) { return 1 - v; };
  EXPECT_TRUE(same_renamed(x * 2 + mod(y, 3), y * 2 + mod(x, 3), own, swapped));
  EXPECT_FALSE(same_renamed(x * 2 + mod(y, 3), y * 2 + mod(x, 3), own, own));
  EXPECT_FALSE(same_renamed(x * 2 + mod(y, 3), y * 2 + mod(x, 4), own, swapped));
  std::vector<Index> seen;
  for_each_variable(x * 2 + mod(y, 3) + x, [&](Index v) { seen.push_back(v); });
  EXPECT_EQ(seen, (std::vector<Index>{0, 1, 0}));
  EXPECT_TRUE(is_variable_mod(mod(x, 4)));
  EXPECT_FALSE(is_variable_mod(mod(x * 3, 4)) || is_variable_mod(x) || is_variable_mod(mod(x, y)));
}

}  // namespace
}  // namespace tessera::detail
