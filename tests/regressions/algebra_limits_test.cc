// SPDX-License-Identifier: Apache-2.0
// Operands at the limits of a layout (64 leaves, 192 leaves and brackets, 63 bits) that once gave a wrong
// answer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tessera/eval/evaluator.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

/// The value of the text, or the code of its error.
std::string value(const std::string& text) {
  Evaluator calculator;
  const Evaluation result = calculator.evaluate(text);
  return result.error ? std::string(to_string(result.error->code)) : to_string(result.answers.back().value);
}

/// `count` times the text, separated by commas.
std::string repeated(const char* text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("{}{}", i == 0 ? "" : ",", text);
  return out;
}

/// The text in `count` pairs of brackets.
std::string nested(const std::string& text, int count) {
  return std::string(static_cast<std::size_t>(count), '(') + text +
         std::string(static_cast<std::size_t>(count), ')');
}

// The emulation of CuTe ignored that the tiler and its complement together did not fit, and went on with a
// layout that lacked leaves.
TEST(AlgebraLimits, EmulatedDividesThatDoNotFitAreRefused) {
  const auto leaves = [](int units) {
    return fmt::format("size(cute.logical_divide(8:1,({},2):({},_1)))", repeated("_1", units),
                       repeated("_0", units));
  };
  EXPECT_EQ(value(leaves(62)), "8");
  EXPECT_EQ(value(leaves(63)), "capacity");
  const auto brackets = [](int count) {
    return fmt::format("size(cute.logical_divide(_8:_1,{}:{}))", nested("_2", count), nested("_1", count));
  };
  EXPECT_EQ(value(brackets(180)), "8");
  EXPECT_EQ(value(brackets(190)), "capacity");
  const auto holes = [](int modes) {
    return fmt::format("size(cute.complement(({}):({}),64))", repeated("1", modes), repeated("_2", modes));
  };
  EXPECT_EQ(value(holes(63)), "64");
  EXPECT_EQ(value(holes(64)), "capacity");
}

// The emulation went on after a hole of size 0, and divided by it.
TEST(AlgebraLimits, EmulatedDividesByOverlappingTilersAreRefused) {
  EXPECT_EQ(value("cute.logical_divide((_8,_8):(_1,_9),(_2,_2):(_1,_1))"), "non_injective");
  EXPECT_EQ(value("cute.logical_divide((_8,_8):(_1,_9),_2:_-4611686018427387904)"), "overflow");
}

// The inverse of a chain negates its offsets, and -2^63 became itself.
TEST(AlgebraLimits, InversesOfChainsWithTheSmallestOffsetOverflow) {
  EXPECT_EQ(value("right_inverse(Sw<1,0,1> o -9223372036854775808 o Sw<1,0,1>)"), "overflow");
  EXPECT_EQ(value("left_inverse(8:1 o -9223372036854775808 o 8:1)"), "overflow");
  EXPECT_EQ(value("left_inverse(8:1 o -9223372036854775807 o 8:1)"), "8:1 o _9223372036854775807 o 8:1");
}

// A hint was made from a stride that no layout can have, so it could not be typed.
TEST(AlgebraLimits, HintsOfRefusedCompositionsAreLayouts) {
  Evaluator calculator;
  const Evaluation result = calculator.evaluate("composition((4,6,8):(2,3,5),(6,2):(1,9223372036854775801))");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->help.find("9223372036854775801"), std::string::npos) << result.error->help;
}

// The sizes of the modes fit, but not the layout; the message said that no layout has the values.
TEST(AlgebraLimits, ChainsWhoseLayoutDoesNotFitAreNotCalledOtherFunctions) {
  const auto chain = [](int units) {
    return fmt::format("size(simplify((4,3,3):(1,10,100) o 0 o ((6,6),{}):((1,6),{})))", repeated("1", units),
                       repeated("0", units));
  };
  EXPECT_EQ(value(chain(61)), "36");
  EXPECT_EQ(value(chain(62)), "capacity");
}

// An answer of a peer that does not fit was reported as a refusal.
TEST(AlgebraLimits, AnswersOfPeersThatDoNotFitAreNotRefusals) {
  const std::string text = fmt::format("composition_check((8,2,4,5):(4,2,16,64),({},2,5):({},8,8))",
                                       repeated("1", 62), repeated("0", 62));
  const std::string report = value(text);
  EXPECT_NE(report.find("pycute: an answer of more numbers than fit"), std::string::npos) << report;
}

// A swizzle that a recast makes the identity was kept, so the text of the result read back as another value.
TEST(AlgebraLimits, RecastsDropSwizzlesThatDoNothing) {
  EXPECT_EQ(value("upcast(Sw<1,0,2> o (8,8):(8,1),2)"), "(8,4):(4,1)");
}

}  // namespace
}  // namespace tessera
