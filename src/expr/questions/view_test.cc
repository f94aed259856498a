// SPDX-License-Identifier: Apache-2.0
#include "expr/questions/view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/form/random_form_test.h"

namespace tessera::detail {
namespace {

const Expr kV0 = Expr::variable(0);
const Expr kV1 = Expr::variable(1);

// `2 + 3*v0 + 1*(v1/2 mod 4)`: constant, then each term with its divisor and modulus.
std::string text(const std::optional<ExprView>& view) {
  if (!view) return "none";
  std::string out = fmt::format("{}", view->constant);
  for (const DigitTerm& term : view->terms) {
    out += fmt::format(" + {}*({}", term.coefficient, to_string(term.base));
    if (term.divisor != 1) out += fmt::format(" div {}", term.divisor);
    if (term.modulus != 0) out += fmt::format(" mod {}", term.modulus);
    out += term.at_least_zero ? " or 0)" : ")";
  }
  return out;
}

TEST(ExprView, IsASumOfDigits) {
  const std::vector<Interval> box = {{0, 31}, {0, 15}};
  EXPECT_EQ(text(view(kV0 * 8 + mod(kV1, 4) + 2, box)), "2 + 1*(v1 mod 4) + 8*(v0)");
  EXPECT_EQ(text(view(mod(floor_div(kV0, 2), 4) * 5 - kV1, box)), "0 + 5*(v0 div 2 mod 4) + -1*(v1)");
  EXPECT_EQ(text(view(floor_div(mod(kV0, 8), 2), box)), "0 + 1*(v0 div 2 mod 4)");
  EXPECT_EQ(text(view(mod(kV0 + kV1 * 3, 7), box)), "0 + 1*(v1 * 3 + v0 mod 7)");
  EXPECT_EQ(text(view(max(kV0, kV1), box)), "0 + 1*(v1) + 1*(-v1 + v0 or 0)");
  EXPECT_EQ(text(view(min(kV0 * 2 + kV1, Expr::constant(9)), box)), "9 + -1*(v0 * -2 - v1 + 9 or 0)");
  EXPECT_EQ(text(view(kV0 * kV1, box)), "0 + 1*(v0 * v1)");
}

// The shortest text of a reversed bit, (v0 + 1) mod 2, does not show the bit v0 mod 2.
TEST(ExprView, ReversedBitsAreBits) {
  const std::vector<Interval> box = {{0, 31}};
  EXPECT_EQ(text(view(mod(kV0 + 1, 2) * 4, box)), "4 + -4*(v0 mod 2)");
  EXPECT_EQ(text(view(mod(floor_div(kV0, 4) + 3, 2), box)), "1 + -1*(v0 div 4 mod 2)");
}

// Strides 1, 8 and 16 of the digits 4, 4, 2 are also (x mod 16) + 4 * floor(x / 4), whose terms
// overlap.
TEST(ExprView, TakesTheFinestDigits) {
  const std::vector<Interval> box = {{0, 31}};
  EXPECT_EQ(text(view(mod(kV0, 4) + mod(floor_div(kV0, 4), 4) * 8 + floor_div(kV0, 16) * 16, box)),
            "0 + 1*(v0 mod 4) + 8*(v0 div 4 mod 4) + 16*(v0 div 16)");
}

// The search for ranges limits the number of digits; a permutation of bits has one digit per bit.
TEST(ExprView, HasNoLimitOnDigits) {
  constexpr int kBits = 40;
  Expr reversed;
  for (int i = 0; i < kBits; ++i) {
    reversed = reversed + mod(floor_div(kV0, Index{1} << i), 2) * (Index{1} << (kBits - 1 - i));
  }
  const auto seen = view(reversed, std::vector<Interval>{{0, (Index{1} << kBits) - 1}});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->terms.size(), std::size_t{kBits});
  for (const DigitTerm& term : seen->terms) {
    EXPECT_EQ(term.coefficient * term.divisor, Index{1} << (kBits - 1));
    EXPECT_EQ(term.range, (Interval{0, 1}));
  }
}

TEST(ExprView, KnowsWhereThereMayBeNoValue) {
  const std::vector<Interval> small = {{0, 7}, {0, 7}};
  EXPECT_TRUE(view(kV0 * kV1, small)->has_values);
  EXPECT_FALSE(view(floor_div(kV0, kV1), small)->has_values) << "y may be 0";
  EXPECT_FALSE(view(mod(kV0 * (Index{1} << 61), 5), small)->has_values) << "a step overflows 64 bits";
}

TEST(ExprView, KnowsTheFactorsOfVariables) {
  const std::vector<Interval> box = {{0, 31}, {0, 15}};
  const auto seen = view((kV0 + kV1) * 3 - kV1 * 5 + mod(kV1, 4), box);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->coefficient(0), 3);
  EXPECT_EQ(seen->coefficient(1), std::nullopt) << "it also occurs in a remainder";
  EXPECT_EQ(seen->coefficient(2), 0);
}

TEST(ExprView, EqualsTheExpression) {
  const std::uint32_t seed = 20260711;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  int found = 0;
  for (int i = 0; i < 600; ++i) {
    const Expr e = testing_forms::random_expr(random, 4);
    const auto seen = view(e, testing_forms::kBox);
    if (!seen) continue;  // minima of maxima may take too long
    ++found;
    testing_forms::for_each_point(testing_forms::kBox, [&](const std::vector<Index>& point) {
      Index sum = seen->constant;
      for (const DigitTerm& term : seen->terms) {
        const auto digit = evaluate(term.digit(), point);
        ASSERT_TRUE(digit) << e;
        ASSERT_TRUE(term.range.contains(*digit)) << e;
        sum += term.coefficient * *digit;
      }
      ASSERT_EQ(evaluate(e, point), sum) << e;
      ASSERT_TRUE(seen->range.contains(sum)) << e;
    });
  }
  EXPECT_GT(found, 590);
}

}  // namespace
}  // namespace tessera::detail
