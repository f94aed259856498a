// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/result_text.h"

#include <gtest/gtest.h>

#include "laws/simplify_laws.h"

namespace tessera {
namespace {

// The simplified text of a map, after checking that it keeps the values, also when parsed again.
std::string simplified(std::string_view text) {
  const auto map = parse_index_map(text);
  if (!map) return "not a map";
  const IndexMap simple = simplify(*map);
  std::mt19937_64 random(1);
  EXPECT_EQ(laws::check_same_meaning(*map, simple, random), "") << text;
  EXPECT_EQ(laws::check_text_has_values(*map, simple, random), "") << text;
  EXPECT_EQ(laws::check_idempotent(simple), "") << text;
  std::string results;
  for (const Expr e : simple.results()) results += (results.empty() ? "" : ", ") + to_string(e);
  return results;
}

// Sums were once printed variables first and constant last, so that an intermediate sum could overflow.
TEST(ResultTextTest, SumsNearTheEndStandInAnOrderThatHasValues) {
  EXPECT_EQ(simplified("(d0, d1) -> (d1 - d0 + (d1 - 1)), domain: d0 in [-26, -24], "
                       "d1 in [4611686018427387884, 4611686018427387891]"),
            "v1 - v0 + v1 - 1");
  EXPECT_EQ(simplified("(d0, d1) -> ((d0 * 7) / 3 + d1 mod 1000), domain: d0 in [0, 10], "
                       "d1 in [9223372036854775790, 9223372036854775800]"),
            "(v0 * 7) / 3 + v1 mod 1000");
}

// If every order of the shortest text overflows, each operand is shortened separately.
TEST(ResultTextTest, WhatMayNotBeAddedUpStaysApart) {
  EXPECT_EQ(simplified("(d0) -> (d0 + d0 mod 3), domain: d0 in [-4611686018427387924, -4611686018427387922]"),
            "v0 + v0 mod 3");
  EXPECT_EQ(simplified("(d0) -> (d0 - (d0 * -1) mod 1000), domain: d0 in [4611686018427387900, "
                       "4611686018427387909]"),
            "v0 - -v0 mod 1000");
}

// A sum in a sum is printed without parentheses: without normalization it once parsed back as another sum.
TEST(ResultTextTest, SumsInSumsAreOneSum) {
  EXPECT_EQ(simplified("(d0) -> (d0 * 2 - 9223372036854775807 + (d0 - 5)), domain: d0 in [0, 6]"),
            "v0 * 2 - 9223372036854775807 + v0 - 5");
  EXPECT_EQ(simplified("(d0) -> (d0 + (d0 * 2 - d0) + (d0 * -1) / 3), domain: d0 in [-4611686018427387910, "
                       "-4611686018427387904]"),
            "v0 + v0 * 2 - v0 + -v0 / 3");
}

// Regression: each call doubled the factors. For p = v0 / 6, r = (v0 + 3) / 6 and q = v0 / 3, the normal form
// replaced r by q - p, and then the constraint's equation replaced q by 2 * r - 1.
TEST(ResultTextTest, EquationsOfHalfAPeriodNameItsLowerHalf) {
  EXPECT_EQ(simplified("(d0) -> (((d0 + 3) / 6) * -4 + (d0 / 6) * 3), domain: d0 in [1, 29], "
                       "(d0 + 3) mod 6 in [0, 2]"),
            "-((v0 + 24) / 6)");
  EXPECT_EQ(
      simplified("(d0) -> (((((d0 + 2) mod 4) * 3 + 1) / 8) * 2 + ((((d0 + 2) mod 4) * 5 - 6) / 8) * 3 + "
                 "((d0 + 2) * 2 + 5) / 8), domain: d0 in [0, 7], (d0 + 2) mod 4 in [2, 3]"),
      "(v0 / 4) * -19 + v0 * 5 + 1");
}

// Regression: each call made the numbers larger, because the constraint's equation q = v0 / 2 * 3 + s0 - 3,
// where q is a quotient of that sum, put q into the result's quotient, which then held the sum again.
TEST(ResultTextTest, EquationsDoNotNestQuotients) {
  const auto map = parse_index_map(
      "(d0, d1)[s0, s1] -> (-(((d0 + s0) * -80 + (d0 mod 2) * 120 + s1 * 10 + 270) / 81) + d1 * 7), "
      "domain: d0 in [2, 5], d1 in [0, 0], s0 in [0, 2], s1 in [0, 3], "
      "(d0 + s0) * -8 + (d0 mod 2) * 12 + s1 in [-27, -19]");
  ASSERT_TRUE(map);
  EXPECT_EQ(to_string(simplify(*map, Points::preserve).results()[0]), "v1 * 7");
}

// A domain of a few points may lie on a line that no constraint names.
TEST(ResultTextTest, EquationsOfFewPointsAreFound) {
  EXPECT_EQ(
      simplified("(d0)[s0] -> (d0 * 2 + s0 - 1), domain: d0 in [0, 1], s0 in [0, 1], d0 * 2 + s0 in [1, 2]"),
      "v0");
  EXPECT_EQ(
      simplified("(d0, d1) -> (d0 * 3 + d1), domain: d0 in [0, 1], d1 in [0, 1], (d0 + d1) mod 2 in [0, 0]"),
      "v0 * 4");
}

// Constraints without common variables are decided one by one: their common box is too large to enumerate.
TEST(ResultTextTest, IndependentConstraintsAreDecidedAlone) {
  EXPECT_EQ(simplified("(d0, d1, d2)[s0, s1, s2] -> (d0 * 2 + s0 - 1, d1, d2), domain: d0 in [0, 1], "
                       "d1 in [0, 999], d2 in [0, 999], s0 in [0, 1], s1 in [0, 99], s2 in [0, 99], "
                       "d0 * 2 + s0 in [1, 2], d1 * 7 + s1 in [3, 5000], d2 * 7 + s2 in [3, 5000]"),
            "v0, v1, v2");
}

// On the points of the domain, 2 * floor((d0 + d1) / 2) is d0 + d1 - 1, although half of that is not an
// integer.
TEST(ResultTextTest, MultiplesOfQuotientsMayBeAffine) {
  EXPECT_EQ(
      simplified("(d0, d1)[s0] -> ((d0 + d1) mod 2 - 1), domain: d0 in [0, 6], d1 in [0, 3], s0 in [0, 1], "
                 "s0 * 2 + (-d1 + d0) mod 4 in [3, 3]"),
      "0");
}

TEST(ResultTextTest, ADigitThatCannotWrapLosesItsRemainder) {
  const auto map = parse_index_map(
      "(d0)[s0] -> (d0), domain: d0 in [2, 9], s0 in [0, 1], "
      "(s0 * 2 + d0 + 2) mod 12 in [6, 11]");
  ASSERT_TRUE(map);
  EXPECT_EQ(to_string(simplify(*map)),
            "(d0)[s0] -> (d0), domain: d0 in [2, 9], s0 in [0, 1], s0 * 2 + d0 in [4, 9]");
}

// Several variables have a joint range that is narrower than the sum of their ranges.
TEST(ResultTextTest, FactsBoundTheFinePartOfAQuotient) {
  EXPECT_EQ(simplified("(d2, d3)[s1] -> (((d2 * -24 - d3 - s1) / 1536) * -2), domain: d2 in [0, 127], "
                       "d3 in [0, 23], s1 in [0, 2], d3 + s1 in [1, 24]"),
            "(v0 / 64) * 2 + 2");
}

TEST(ResultTextTest, NestedQuotientsAreOne) {
  EXPECT_EQ(simplified(
                "(d0, d1, d2)[s0] -> ((d1 * 60 + d2 * 30 + s0 * 5 + d0 - 1) / 3 / 20), "
                "domain: d0 in [0, 4], d1 in [0, 3], d2 in [0, 3], s0 in [0, 5], (-d0 + s0) mod 3 in [2, 2]"),
            "(v2 * 30 + v3 * 5 + v0 - 1) / 60 + v1");
}

// A shorter text was not tried, because its coefficients were counted before they were grouped.
TEST(ResultTextTest, GroupsCoefficientsBeforeCounting) {
  EXPECT_EQ(simplified("(d0, d1, d2)[s0] -> (((d1 + s0) * 4 + d0 * 6 + d2) / 10 + d0), domain: d0 in [0, 1], "
                       "d1 in [0, 3], d2 in [0, 3], s0 in [0, 2]"),
            "((v1 + v3) * 4 + v0 * 16 + v2) / 10");
  EXPECT_EQ(simplified("(d0, d1, d2) -> ((d1 mod 4) * 2 - d0 - d1 * 4 - d2 * 8 + 31), domain: d0 in [0, 1], "
                       "d1 in [0, 7], d2 in [0, 1]"),
            "(v1 / 4 + v2) * -8 - v0 - v1 * 2 + 31");
}

TEST(ResultTextTest, RemaindersHaveNoMultiplesOfTheirModulus) {
  EXPECT_EQ(simplified("(d0, d1) -> (((d0 * 16 + d1 + 1536) / 12) mod 16), domain: d0 in [0, 47], "
                       "d1 in [0, 15]"),
            "((v0 * 16 + v1) / 12) mod 16");
}

TEST(ResultTextTest, FactorOfARemainderGoesInside) {
  EXPECT_EQ(simplified("(d0) -> (((d0 * 2 + 1) mod 5) * 4 + 1), domain: d0 in [0, 9]"),
            "(v0 * 8 + 5) mod 20");
  EXPECT_EQ(simplified("(d0) -> (((d0 + 2) mod 5) * -2 + 9), domain: d0 in [0, 9]"), "(v0 * 8 + 5) mod 10");
  EXPECT_EQ(simplified("(d0) -> ((d0 mod 5) * 4 + 1), domain: d0 in [0, 9]"), "(v0 mod 5) * 4 + 1");
}

// The quotient (d0 * 24 + 3) / 252 has a dividend of its own, so it was not seen as that of (d0 * 24 + d1 +
// 3).
TEST(ResultTextTest, QuotientsOfOtherDividendsGiveRemainders) {
  EXPECT_EQ(
      simplified("(d0, d1) -> (((d0 * 24 + 3) mod 252 + d1) / 63), domain: d0 in [0, 31], d1 in [0, 7]"),
      "((v0 * 24 + v1 + 3) / 63) mod 4");
  EXPECT_EQ(simplified("(d0, d1) -> (((d1 * 32 + d0) / 80) * 16 - (d1 / 20) * 128), domain: d0 in [0, 31], "
                       "d1 in [0, 25599]"),
            "(((v1 * 32 + v0) / 80) mod 8) * 16");
  EXPECT_EQ(
      simplified("(d0, d1){rt0} -> (((((d0 + 12) / 5) * 140 + d0 * 84 + d1 * 2 + rt0) / 350) * -5600 + "
                 "(((d0 + 2) / 5) * 5486040 + d0 * 3293584 + d1 * 78402 + rt0 * 39201 + 10979780) / "
                 "2450), domain: d0 in [0, 63], d1 in [0, 127], rt0 in [0, 16], ((d0 + 2) mod 5) * 784 + "
                 "d1 * 2 + rt0 in [0, 1707]"),
      "((((v0 + 2) / 5) * 5486040 + v0 * 3293584 + v1 * 78402 + v2 * 39201 + 10979780) / 2450) mod 5600");
  // The remainder is a digit of the sum, so it has the range of one.
  EXPECT_EQ(simplified("(d0) -> (((d0 * 3) / 10 - (d0 / 10) * 3) / 4), domain: d0 in [0, 16]"), "0");
  EXPECT_EQ(simplified("(d0) -> ((((d0 * 3) / 10) mod 3) / 4), domain: d0 in [0, 160]"), "0");
  EXPECT_EQ(simplified("(d0) -> (max(((d0 * 12 + 1) / 25) mod 2, 0)), domain: d0 in [-17, 14]"),
            "((v0 * 12 + 1) / 25) mod 2");
  // Without a division less, the sum keeps its digits.
  EXPECT_EQ(simplified("(d0, d1) -> (((d0 * 10 + d1) mod 15) * 8 + d0 / 96), domain: d0 in [0, 767], d1 in "
                       "[0, 99]"),
            "((v0 * 10 + v1) mod 15) * 8 + v0 / 96");
}

// The remainder stayed, because the range of the quotient assumed every residue of d1 * 7 + d0.
TEST(ResultTextTest, ConstraintsFixTheRemainderOfAQuotient) {
  EXPECT_EQ(simplified("(d0, d1) -> (((d1 * 7 + d0) / 4) mod 14), domain: d0 in [0, 6], d1 in [0, 7], "
                       "(-d1 + d0) mod 4 in [3, 3]"),
            "(v1 * 7 + v0) / 4");
}

// d1 + s0 is at most 5, although d1 * 2 + s0 in [1, 10] is not a multiple of it.
TEST(ResultTextTest, ConstraintsBoundMultiplesOfASum) {
  EXPECT_EQ(simplified("(d0, d1)[s0] -> (((d0 * 5 + d1 + s0 - 1) / 20) * -4 + d0), domain: d0 in [0, 7], "
                       "d1 in [0, 5], s0 in [0, 1], d1 * 2 + s0 in [1, 10]"),
            "v0 mod 4");
}

// Each call once multiplied the operands and the divisor by 16: that text is as short.
TEST(ResultTextTest, NumbersDoNotGrowWithEachCall) {
  const char* const map =
      "(d0) -> (max(d0 * 112 - 128, d0 * 128 - 160) / 64), domain: d0 in [-1, 3], d0 mod 2 in [1, 1]";
  EXPECT_EQ(simplified(map), "max(v0 * 112 - 128, v0 * 128 - 160) / 64");
}

// The numbers of the variables once decided between equally short texts, so that the two spatial dimensions
// of a square convolution had different forms.
TEST(ResultTextTest, TwinsUnderAnEquationReadAlike) {
  EXPECT_EQ(
      simplified("(d0, d1, d2, d3)[s0, s1] -> ((d1 + s0) / 2 - 1, (d2 + s1) / 2 - 1), domain: d0 in [0, 31], "
                 "d1 in [0, 13], d2 in [0, 13], d3 in [0, 255], s0 in [0, 2], s1 in [0, 2], "
                 "(d1 + s0) mod 2 in [0, 0], (d2 + s1) mod 2 in [0, 0]"),
      "(v1 + v4) / 2 - 1, (v2 + v5) / 2 - 1");
}

// The position in a row minus a start, d0 mod 30 - rt1, once became a remainder by divisors of the row's
// length.
TEST(ResultTextTest, AConstraintDoesNotMakeOtherRemainders) {
  EXPECT_EQ(simplified(
                "(d0){rt0, rt1} -> (d0 / 30 - rt0, d0 mod 30 - rt1), domain: d0 in [0, 599], rt0 in [0, 10], "
                "rt1 in [0, 24], d0 / 30 - rt0 in [0, 5], d0 mod 30 - rt1 in [0, 5]"),
            "-v1 + v0 / 30, -v2 + v0 mod 30");
}

// A constraint whose bounds cannot be moved once prevented the results from being simplified.
TEST(ResultTextTest, ConstraintsNearTheEndDoNotKeepResultsLong) {
  EXPECT_EQ(simplified("(d0, d1) -> (d1 * 2 + (d1 * -1) mod 1048576), domain: d0 in [9223372036854775776, "
                       "9223372036854775781], d1 in [3074457345618258613, 3074457345618258620], "
                       "d0 mod 1000 in [26, 373099458347041797]"),
            "v1 + 3074457345618608128");
}

// A constraint's divisor once entered an affine result, because a variable divided by a number that does not
// divide its coefficient counted as linear.
TEST(ResultTextTest, AffineResultsStayAffine) {
  EXPECT_EQ(simplified("(d0)[s0] -> (s0 * 2 - d0), domain: d0 in [0, 3], s0 in [-2, 0], "
                       "(d0 * -4 + s0 * 5) / 3 in [-4, -4], d0 mod 3 in [0, 0]"),
            "-v0 + v1 * 2");
}

}  // namespace
}  // namespace tessera
