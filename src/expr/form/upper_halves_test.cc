// SPDX-License-Identifier: Apache-2.0
#include "expr/form/upper_halves.h"

#include <gtest/gtest.h>

#include "expr/form/convert.h"
#include "expr/form/floor_div.h"
#include "expr/form/random_form_test.h"
#include "expr/spelling/spell.h"

namespace tessera::detail {
namespace {

const Expr kFirst = Expr::variable(0);
const Expr kSecond = Expr::variable(1);

using Rewrite = const Form* (*)(Workspace&, const Form*);

std::string rewritten(Rewrite rewrite, Expr e, const std::vector<Interval>& box = {{0, 31}, {0, 7}}) {
  testing_forms::BoxWorkspace ws(box);
  return to_string(to_expr(ws, spell(ws, rewrite(ws, convert(ws, e)))));
}

TEST(UpperHalves, AreMergedNextToTheLowerOnes) {
  EXPECT_EQ(rewritten(merge_pairs, floor_div(kFirst, 8) * 3 + floor_div(kFirst + 4, 8) * 3), "(v0 / 4) * 3");
  EXPECT_EQ(rewritten(merge_pairs, floor_div(kFirst, 8) * 2 + floor_div(kFirst + 4, 8) * 3 + kSecond),
            "(v0 / 4) * 3 - v0 / 8 + v1");
}

TEST(UpperHalves, TwoQuotientsWithOneEdgeAreOne) {
  EXPECT_EQ(rewritten(merge_pairs, floor_div(kFirst + 16, 32) - floor_div(kFirst, 16)), "0");
  EXPECT_EQ(rewritten(merge_pairs, floor_div(kFirst + 4, 24) * 2 - floor_div(kFirst + 14, 34)),
            "(v0 + 4) / 24");
  EXPECT_EQ(rewritten(merge_pairs, floor_div(kFirst + 16, 32) - floor_div(kFirst, 15)),
            "-(v0 / 15) + (v0 + 16) / 32")
      << "the second has three values";
}

TEST(UpperHalves, AreDifferencesOfDigits) {
  testing_forms::BoxWorkspace ws({{0, 31}, {0, 7}});
  const Form* const digits = in_digits(ws, convert(ws, floor_div(kFirst + 4, 8)));
  ASSERT_EQ(digits->size, 2U);
  EXPECT_EQ(digits->terms()[0].atom->number, 4) << "v0 / 4";
  EXPECT_EQ(digits->terms()[1].atom->number, 8) << "-(v0 / 8)";
  EXPECT_EQ(digits->terms()[1].coefficient, -1);
  EXPECT_EQ(rewritten(in_digits, floor_div(kFirst + 16, 32) * 5), "(v0 / 16) * 5");
  EXPECT_EQ(rewritten(in_digits, floor_div(kFirst + 3, 32)), "(v0 + 3) / 32") << "29 does not divide 32";
  EXPECT_EQ(rewritten(in_digits, floor_div(kFirst + 3, 8) + kSecond), "(v0 + 3) / 8 + v1");
}

// Sums of quotients, some of which are in the dividends of others.
Expr random_sum(std::mt19937& random) {
  const auto draw = [&](int low, int high) {
    return low + static_cast<Index>(random() % static_cast<unsigned>(high - low + 1));
  };
  const auto quotient = [&](Expr inside) { return floor_div(inside + draw(-9, 9), 2 * draw(1, 8)); };
  Expr sum;
  Expr last = kFirst;
  for (int i = 0; i < 4; ++i) {
    last = quotient(random() % 2 == 0 ? kFirst * draw(1, 3) : kFirst + last * draw(-4, 4));
    sum = sum + last * draw(-4, 4);
  }
  return random() % 2 == 0 ? sum : sum + kFirst + kSecond * draw(-4, 4);
}

// Regression: for x + floor((x + 4) / 8) * 4 in the dividend of an upper half, its replacement has a multiple
// of floor((x + 4) / 8). If that was another term, and an upper half itself, the multiple was lost.
TEST(UpperHalves, KeepTheValues) {
  const std::vector<Interval> box = {{-9, 30}, {0, 1}};
  std::mt19937 random(20261127);
  const Expr q = floor_div(kFirst + 4, 8);
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    const Expr e = i == 0 ? floor_div(kFirst + q * 4 + 3, 6) + q * 3 : random_sum(random);
    for (const Rewrite rewrite : {merge_pairs, without_upper_halves, in_digits}) {
      testing_forms::BoxWorkspace ws(box);
      const Expr text = to_expr(ws, spell(ws, rewrite(ws, convert(ws, e))));
      testing_forms::for_each_point(box, [&](const std::vector<Index>& point) {
        EXPECT_EQ(evaluate(text, point), evaluate(e, point)) << e << " -> " << text << " at " << point[0];
      });
    }
  }
}

}  // namespace
}  // namespace tessera::detail
