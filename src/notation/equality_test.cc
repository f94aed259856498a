// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"
#include "tessera/text/index_map.h"

namespace tessera::equality_test {
namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }

std::string answer(std::string_view a, std::string_view b, EqualityNotion notion = EqualityNotion::map) {
  return to_string(equal(layout(a), layout(b), notion));
}

TEST(EqualityTest, OneFunctionInFourNotations) {
  const char* all[] = {"f32[4,8]{1,0:T(2,4)(2,1)}", "f32[4,8]{1,0:T(2,1)}", "4x8:[0, 1, 0 p(2)]",
                       "((2,2),8):((1,16),2)", "d0:1,16 d1:2,4,8"};
  for (const char* a : all) {
    for (const char* b : all) EXPECT_EQ(answer(a, b), "yes") << a << " " << b;
  }
  EXPECT_EQ(answer("6x8:[1, 0, 1 p(4)]", "(6,(4,2)):(4,(1,24))"), "yes");
}

TEST(EqualityTest, TheSmallestIndexThatDiffers) {
  EXPECT_EQ(answer("f32[4,8]{1,0:T(2,4)}", "f32[4,8]{1,0}"), "no at (0, 4): 8 and 4");
  EXPECT_EQ(answer("np:(4,8):(8,1) + 1", "(4,8):(8,1)"), "no at (0, 0): 1 and 0");
  EXPECT_EQ(answer("(4,8):(8,1)", "(4,8):(9,1)"), "no at (1, 0): 8 and 9");
  EXPECT_EQ(answer("(4,8):(8,1)", "(8,4):(4,1)"), "no: different_shape: the shapes are (4,8) and (8,4)");
  // The swizzled and the plain layout agree on the first row.
  EXPECT_EQ(answer("Sw<3,0,3> o _0 o (8,8):(8,1)", "(8,8):(8,1)"), "no at (1, 0): 9 and 8");
  EXPECT_EQ(answer("Sw<2,0,3> o _3 o (5,7):(8,1)", "np:(5,7):(8,1) + 3"), "no at (0, 5): 9 and 8");
  EXPECT_EQ(answer("f32[2,3,4]{2,1,0:T(*,2,3)}", "np:(2,3,4):(18,6,1)"), "no at (0, 0, 3): 6 and 3");
}

TEST(EqualityTest, SizesBeyondAnyTable) {
  EXPECT_EQ(
      answer("f32[1048576,1048576]{1,0:T(8,128)}", "((8,131072),(128,8192)):((128,1073741824),(1,1024))"),
      "no at (8, 0): 8388608 and 1073741824");
  EXPECT_EQ(answer("f32[1048576,1048576]{1,0:T(8,128)}", "((8,131072),(128,8192)):((128,8388608),(1,1024))"),
            "yes");
  EXPECT_EQ(answer("Sw<3,4,3> o _0 o (1048576,1048576):(1048576,1)",
                   "Sw<3,4,3> o _0 o ((2,524288),1048576):((1048576,2097152),1)"),
            "yes");
  EXPECT_EQ(answer("Sw<3,4,3> o _0 o (1048576,1048576):(1048576,1)", "(1048576,1048576):(1048576,1)"),
            "no at (0, 128): 144 and 128");
  EXPECT_EQ(answer("(d0) -> ((d0 / 4) / 8 + d0 * 0), domain: d0 in [0, 1099511627775]",
                   "(d0) -> (d0 / 32), domain: d0 in [0, 1099511627775]"),
            "yes");
}

TEST(EqualityTest, LargeEntangledLayoutsAreComparedBySets) {
  // 3 * 10^9 indices: the mixed dimensions are enumerated, the third is compared separately.
  EXPECT_EQ(answer("f32[1000,1000,3000]{2,1,0:T(*,7,128)}", "f32[1000,1000,3000]{2,1,0:T(*,7,128)(1,128)}"),
            "yes");
  EXPECT_EQ(answer("f32[1000,1000,3000]{2,1,0:T(*,7,128)}", "f32[1000,1000,3000]{2,1,0:T(*,8,128)}"),
            "no at (0, 0, 128): 896 and 1024");
}

TEST(EqualityTest, WhatIsTooLargeForATableIsProvedOtherwise) {
  // The dimensions interact, over 10^8 indices; the first difference comes after more than 2^20 indices.
  const char* half = "(d0, d1) -> ((d0 + d1) / 2), domain: d0 in [0, 9999], d1 in [0, 9999]";
  EXPECT_EQ(answer(half, "(d0, d1) -> ((d0 + d1 + 2) / 2 - 1), domain: d0 in [0, 9999], d1 in [0, 9999]"),
            "yes");
  if (!judge_has_isl()) GTEST_SKIP() << "isl is not built in";
  EXPECT_EQ(answer(half, "(d0, d1) -> ((d0 + d1) / 2 + d0 / 9999), domain: d0 in [0, 9999], d1 in [0, 9999]"),
            "no at (9999, 0): 4999 and 5000");
}

TEST(EqualityTest, UnitDimensionsMayBeIgnored) {
  const Layout a = layout("f32[4,1,8]");
  const Layout b = layout("(4,8):(8,1)");
  EXPECT_EQ(same_map(a, b).word, "different_shape");
  EXPECT_EQ(same_map(a, b, {.ignore_unit_dims = true}).verdict, Verdict::yes);
  const LayoutEquality no = same_map(a, layout("(1,4,1,8):(3,8,5,2)"), {.ignore_unit_dims = true});
  EXPECT_EQ(no.difference, (LayoutDifference{{0, 1}, 1, 2}));
  EXPECT_EQ(
      same_map(layout("Sw<1,0,1> o _0 o (2,1,2):(2,0,1)"), layout("d0:3 d1:1"), {.ignore_unit_dims = true})
          .verdict,
      Verdict::yes);
}

TEST(EqualityTest, TheNotionsDiffer) {
  EXPECT_EQ(answer("f32[4]", "f32[4]{0}", EqualityNotion::map), "yes");
  EXPECT_EQ(answer("f32[4]", "f32[4]{0}", EqualityNotion::text), "no: text: xla:f32[4] is not xla:f32[4]{0}");
  EXPECT_EQ(answer("f32[4]", "4:1", EqualityNotion::structure),
            "no: structure: the notations are xla and cute");
  EXPECT_EQ(answer("f32[4]", "f32[4]{0:L(8)}", EqualityNotion::storage),
            "no: buffer_size: the buffers have 4 and 8 elements");
  EXPECT_EQ(answer("f32[4]", "s16[4]", EqualityNotion::storage),
            "no: element_bits: elements have 32 bits and 16 bits");
  EXPECT_EQ(answer("f32[4]", "s32[4]", EqualityNotion::storage), "yes");
}

TEST(AccessMapTest, ATransposeReadsThroughTheLayout) {
  const IndexMap transpose =
      parse_index_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]").value();
  const Layout operand = layout("f32[4,8]{1,0:T(2,4)(2,1)}");
  EXPECT_EQ(to_string(access_map(transpose, operand).value()),
            "(d0, d1) -> ((d1 / 2) * 14 + d0 * 2 + d1), domain: d0 in [0, 7], d1 in [0, 3]");
  EXPECT_EQ(access_map(transpose, layout("(4,8,2):(1,4,32)")).error().code, Code::rank_mismatch);
}

TEST(AccessMapTest, MemoryToMemory) {
  const IndexMap transpose =
      parse_index_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]").value();
  const IndexMap moved = access_map(transpose, layout("f32[4,8]{1,0}"), layout("f32[8,4]{1,0}")).value();
  for (Index o = 0; o < 32; ++o)
    EXPECT_EQ(moved.evaluate(std::vector<Index>{o})->front(), (o % 4) * 8 + o / 4);
  EXPECT_EQ(access_map(transpose, layout("f32[4,8]{1,0}"), layout("f32[4,8]{1,0}")).error().code,
            Code::shape_mismatch);
}

TEST(AccessMapTest, ABitcastMovesNothing) {
  const IndexMap transpose =
      parse_index_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]").value();
  EXPECT_EQ(is_bitcast(transpose, layout("f32[8,4]{1,0}"), layout("f32[4,8]{0,1}"))->verdict, Verdict::yes);
  EXPECT_EQ(is_bitcast(transpose, layout("f32[8,4]{1,0}"), layout("f32[4,8]{1,0}"))->verdict, Verdict::no);
}

}  // namespace
}  // namespace tessera::equality_test
