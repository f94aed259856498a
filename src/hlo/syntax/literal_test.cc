// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/literal.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "tessera/hlo/module.h"

namespace tessera {
namespace {

// Keeps the module of a constant alive.
struct Constant {
  ParsedModules parsed;
  const Instruction& instruction() const { return *parsed.modules.at(0).entry->root; }
  std::optional<Index> at(std::initializer_list<Index> place) const {
    return integer_element(instruction(), std::vector<Index>(place));
  }
};

Constant constant(std::string_view type, std::string_view literal) {
  return {parse_hlo(fmt::format("ENTRY e {{ ROOT c = {} constant({}) }}", type, literal))};
}

bool reads(std::string_view type, std::string_view literal) { return constant(type, literal).parsed.ok(); }

TEST(LiteralTest, ElementsAreInRowMajorOrder) {
  const Constant c = constant("s32[2,3]{0,1}", "{ {1, 2, 3}, /*i0=1*/ {-4, 5, 6} }");
  EXPECT_EQ(c.at({0, 2}), 3);
  EXPECT_EQ(c.at({1, 0}), -4);
  EXPECT_EQ(c.at({2, 0}), std::nullopt);
  EXPECT_EQ(c.at({1}), std::nullopt);
}

TEST(LiteralTest, ElidedAndRealValuesAreUnknown) {
  EXPECT_EQ(constant("s32[4]", "{...}").at({0}), std::nullopt);
  EXPECT_EQ(constant("f32[1]", "{3}").at({0}), std::nullopt);
  EXPECT_EQ(integer_splat(constant("s32[4]", "{...}").instruction()), std::nullopt);
}

TEST(LiteralTest, SplatsAreFound) {
  EXPECT_EQ(integer_splat(constant("s32[]", "7").instruction()), 7);
  EXPECT_EQ(integer_splat(constant("s32[2,2]", "{{7,7},{7,7}}").instruction()), 7);
  EXPECT_EQ(integer_splat(constant("s32[2,2]", "{{7,7},{7,8}}").instruction()), std::nullopt);
  EXPECT_EQ(integer_splat(constant("pred[2]", "{true,1}").instruction()), 1);
  EXPECT_EQ(integer_splat(constant("s32[0]", "{}").instruction()), std::nullopt);
  EXPECT_EQ(constant("s32[2,2]", "5").at({1, 1}), 5) << "one scalar for all elements";
}

TEST(LiteralTest, UnsignedValuesOutside64SignedBitsAreUnknown) {
  const Constant c = constant("u64[2]", "{18446744073709551615, 3}");
  EXPECT_TRUE(c.parsed.ok());
  EXPECT_EQ(c.at({0}), std::nullopt);
  EXPECT_EQ(c.at({1}), 3);
}

TEST(LiteralTest, RealNumbersMustBeFiniteInTheirType) {
  EXPECT_TRUE(reads("f16[]", "65519.9"));
  EXPECT_FALSE(reads("f16[]", "65520"));
  EXPECT_TRUE(reads("bf16[]", "3.39e38"));
  EXPECT_FALSE(reads("bf16[]", "-3.4e38"));
  EXPECT_TRUE(reads("f32[]", "3.4028235e+38"));
  EXPECT_FALSE(reads("f32[]", "1e39"));
  EXPECT_FALSE(reads("c64[]", "(0, 1e39)"));
  EXPECT_TRUE(reads("f64[]", "1e308"));
  EXPECT_FALSE(reads("f64[]", "1e309"));
  EXPECT_TRUE(reads("f64[]", "-1e-400")) << "too small is 0";
  EXPECT_TRUE(reads("f32[]", "0." + std::string(500, '0') + "1"));
  EXPECT_FALSE(reads("f64[]", std::string(500, '9')));
  EXPECT_TRUE(reads("f32[3]", "{inf, -inf, nan}"));
}

TEST(LiteralTest, ScalarsMustFitTheirType) {
  EXPECT_TRUE(reads("s8[]", "-128"));
  EXPECT_FALSE(reads("s8[]", "-129"));
  EXPECT_TRUE(reads("u4[]", "15"));
  EXPECT_FALSE(reads("u4[]", "-1"));
  EXPECT_TRUE(reads("s64[]", "-9223372036854775808"));
  EXPECT_FALSE(reads("s64[]", "9223372036854775808"));
  EXPECT_FALSE(reads("s32[]", "1.5"));
  EXPECT_FALSE(reads("pred[]", "2"));
  EXPECT_FALSE(reads("s32[]", "true"));
  EXPECT_TRUE(reads("f32[]", "-1.5e-3"));
  EXPECT_TRUE(reads("f32[]", "-nan"));
  EXPECT_TRUE(reads("f32[]", "nan(0x7fc00001)"));
  EXPECT_FALSE(reads("f32[]", "nan(7)"));
  EXPECT_FALSE(reads("f32[]", "1e"));
  EXPECT_TRUE(reads("c64[2]", "{(1, -2), (inf, 0.5)}"));
  EXPECT_FALSE(reads("token[]", "1"));
}

TEST(LiteralTest, CountsAndNestingFollowTheType) {
  EXPECT_TRUE(reads("f32[0,3]", "{}"));
  EXPECT_TRUE(reads("f32[2,0]", "{ {}, {} }"));
  EXPECT_FALSE(reads("f32[2,2]", "{ {1, 2}, {3} }"));
  EXPECT_FALSE(reads("f32[2,2]", "{ 1, 2 }"));
  EXPECT_FALSE(reads("f32[2]", "{ {1}, {2} }"));
  EXPECT_FALSE(reads("f32[]", "{...}"));
  EXPECT_TRUE(reads("(s32[], f32[2])", "(1, {2, 3})"));
  EXPECT_TRUE(reads("(s32[], f32[2])", "(s32[] 1, f32[2]{0} {2, 3})"));
  EXPECT_FALSE(reads("(s32[])", "(1, 2)"));
}

}  // namespace
}  // namespace tessera
