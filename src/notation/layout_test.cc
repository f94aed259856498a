// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/layout.h"

#include <gtest/gtest.h>

#include "tessera/notation/conversion.h"

namespace tessera::layout_test {
namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }

Index at(std::string_view text, std::vector<Index> index) { return layout(text).offset(index); }

TEST(LayoutTest, OneOffsetFromEveryNotation) {
  EXPECT_EQ(at("f32[3,5]{1,0:T(2,2)}", {2, 3}), 17);
  EXPECT_EQ(at("f32[2,3,4]{2,1,0:T(*,2,3)}", {1, 1, 0}), 24);
  EXPECT_EQ(at("((2,2),(2,3)):((2,12),(1,4)) crop (3,5)", {2, 3}), 17);
  EXPECT_EQ(at("Sw<3,0,3> o _0 o (8,8):(8,1)", {1, 0}), 9);
  EXPECT_EQ(at("6x8:[1, 0, 1 p(4)]", {1, 5}), 29);
  EXPECT_EQ(at("np:(6,8):(1,6) + 7", {5, 7}), 54);
  EXPECT_EQ(at("d0:9,18,36 d1:1,2,4", {3, 1}), 26);
  EXPECT_EQ(at("(d0, d1) -> (max(d0, d1) + d1 mod 3), domain: d0 in [0, 5], d1 in [0, 7]", {5, 2}), 7);
}

TEST(LayoutTest, TheBufferIsWhatTheNotationSaysOrWhatTheOffsetsReach) {
  EXPECT_EQ(layout("f32[3,5]{1,0:T(2,2)}").buffer_size(), 24);
  EXPECT_EQ(layout("((2,2),(2,3)):((2,12),(1,4)) crop (3,5)").buffer_size(), 21);
  EXPECT_EQ(layout("((2,2),(2,3)):((2,12),(1,4))").buffer_size(), 24);
  EXPECT_EQ(layout("6x8:[1, 0]").buffer_size(), 48);
  EXPECT_EQ(layout("np:(4):(-2) + 6").buffer_size(), 7);
  EXPECT_EQ(layout("np:(4):(-2)").buffer_size().error().code, Code::not_applicable);
  EXPECT_EQ(layout("np:(0,4):(1,1)").buffer_size(), 0);
  EXPECT_EQ(layout("d0:9,18,36 d1:1,2,4").buffer_size(), 64);
  EXPECT_EQ(layout("Sw<2,0,3> o _3 o (5,7):(8,1)").buffer_size(), 42);
  // With a crop the last index need not have the largest offset: crop (6) keeps 0 10 20 30 4 14, which ends
  // at 14.
  EXPECT_EQ(layout("((4,2)):((10,4)) crop (6)").buffer_size(), 31);
}

TEST(LayoutTest, ElementsHaveAWidthWhereTheTypeIsKnown) {
  EXPECT_EQ(layout("bf16[4]").element_bits(), 16);
  EXPECT_EQ(layout("s4[4]{0:E(8)}").element_bits(), 8);
  EXPECT_EQ(layout("4:1").element_bits(), std::nullopt);
}

TEST(LayoutTest, StructureComparesFieldByField) {
  EXPECT_EQ(layout("(4,8):(8,1)"), layout("cute:(4, 8) : (8, 1)"));
  EXPECT_FALSE(layout("(4,8):(8,1)") == layout("np:(4,8):(8,1)"));
  EXPECT_FALSE(layout("(4,8):(8,1) crop (3,8)") == layout("(4,8):(8,1)"));
}

TEST(LayoutTest, ChainsLowerToSumsModuloTwo) {
  EXPECT_EQ(linear_form(layout("Sw<3,0,3> o _0 o (8,8):(8,1)")), layout("d0:9,18,36 d1:1,2,4").linear()[0]);
  EXPECT_EQ(linear_form(layout("Sw<3,0,3> o _1 o (8,8):(8,1)")), std::nullopt);
  // In a chain, a layout may get negative inputs; layouts are odd functions.
  const Layout odd = layout("(2,4):(8,1) o _0 o 5:-1");
  const IndexMap map = lower(odd);
  for (Index x = 0; x < 5; ++x) {
    EXPECT_EQ(map.evaluate(std::vector<Index>{x})->front(), odd.offset(std::vector<Index>{x}));
  }
}

TEST(LayoutTest, LargeLinearLayoutsAreConvictedWithoutATable) {
  // 2^40 indices are too many to enumerate; the witness is the first index at which bases share a bit.
  const Layout large = layout(
      "d0:1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536,131072,262144,524288 "
      "d1:1048576,2097152,4194304,8388608,16777216,33554432,67108864,134217728,268435456,536870912,"
      "1073741824,"
      "2147483648,4294967296,8589934592,17179869184,34359738368,68719476736,137438953472,274877906944,8");
  const auto digits = to_digits(large);
  ASSERT_FALSE(digits.has_value());
  EXPECT_EQ(digits.error().reason, "entangled");
  EXPECT_EQ(digits.error().witness,
            "(8, 524288) has offset 0, but the offsets of its coordinates add up to 16");
}

// Bounds of parts once decided whether offsets are too large, although the parts cancel.
TEST(LayoutTest, OffsetsAreBoundedBySumsOfTheirParts) {
  const Layout map = layout(
      "(d0) -> (d0 * 2000000000000000000 - (d0 / 2) * 4000000000000000000 + d0 mod 3), domain: d0 in [0, 3]");
  EXPECT_EQ(map.offset({1}), 2000000000000000001);
  EXPECT_EQ(map.offset({3}), 2000000000000000000);
  const Layout linear = layout("ll:d0:576460752303423488,343,682,1 d1:188");
  const auto converted = convert(linear, Notation::map);
  ASSERT_TRUE(converted.has_value()) << converted.error().message;
  for (Index x = 0; x < 16; ++x) {
    for (Index y = 0; y < 2; ++y) EXPECT_EQ(converted->layout.offset({x, y}), linear.offset({x, y}));
  }
  const auto refused = [](std::string_view text) { return parse_layout(text).error().code; };
  EXPECT_EQ(refused("(d0) -> (d0 * 5000000000000000000), domain: d0 in [0, 1]"), Code::overflow);
  EXPECT_EQ(
      refused("(d0, d1) -> ((d0 / 2) * d1 * 4000000000 + d1), domain: d0 in [0, 3], d1 in [0, 1999999999]"),
      Code::undecided);
}

TEST(LayoutTest, LargeIrregularDimensionsShowInTheirBeginning) {
  EXPECT_EQ(to_digits(layout("f32[99999999]{0:T(3)(8,16,2)(2)}")).error().reason, "irregular");
}

}  // namespace
}  // namespace tessera::layout_test
