// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "laws/cute_layouts.h"
#include "tessera/algebra/detail/shape_arithmetic.h"
#include "tessera/algebra/strided_layout.h"

namespace tessera {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using laws::shown;
using laws::T;

TEST(IntTuple, ARankOneTupleIsNotAnInteger) {
  EXPECT_FALSE(T("(2)") == T("2"));
  EXPECT_EQ(T("(2)").rank(), 1);
  EXPECT_EQ(depth(T("(2)")), 1);
  EXPECT_EQ(depth(T("2")), 0);
  EXPECT_EQ(depth(T("(3,(6,2),8)")), 2);
}

TEST(IntTuple, SizeIsTheProductOrAnOverflow) {
  EXPECT_EQ(*size(T("(3,(6,2),8)")), 288);
  EXPECT_EQ(size(T("(4294967296,4294967296)")).error.code, Code::overflow);
}

TEST(IntTuple, GetFollowsAPath) {
  EXPECT_EQ(shown(get(T("(4,(3,6))"), 1, 0)), "3");
  EXPECT_EQ(shown(get(T("(4,(3,6))"), 1)), "(3,6)");
  EXPECT_EQ(shown(get(T("7"), 0)), "7");
  EXPECT_EQ(shown(get(T("(4,(3,6))"), 2)), "index_out_of_range");
  EXPECT_EQ(shown(get(T("(4,(3,6))"), 1, -1)), "index_out_of_range");
}

TEST(IntTuple, CompatibleIsAPartialOrderOfShapes) {
  EXPECT_TRUE(compatible(T("24"), T("(4,6)")));
  EXPECT_FALSE(compatible(T("24"), T("32")));
  EXPECT_TRUE(compatible(T("(4,6)"), T("((2,2),6)")));
  EXPECT_TRUE(compatible(T("((2,2),6)"), T("((2,2),(3,2))")));
  EXPECT_FALSE(compatible(T("((2,3),4)"), T("((2,2),(3,2))")));
  EXPECT_TRUE(compatible(T("24"), T("(24)")));
  EXPECT_FALSE(compatible(T("(24)"), T("24")));
  EXPECT_FALSE(compatible(T("(2,2,3)"), T("(4,3)")));
}

TEST(IntTuple, WeakCongruenceRefinesTheNesting) {
  EXPECT_TRUE(weakly_congruent(T("1"), T("(2,3)")));
  EXPECT_TRUE(weakly_congruent(T("(1,6)"), T("((5,6),2)")));
  EXPECT_FALSE(weakly_congruent(T("(1,6)"), T("(1,2,3)")));
  EXPECT_FALSE(congruent(T("(1,6)"), T("((5,6),2)")));
}

TEST(Coordinates, TheLeftmostModeRunsFastestAndTheLastTakesTheRest) {
  const IntTuple s = T("(3,(2,3))");
  EXPECT_EQ(shown(idx2crd(1, s)), "(1,(0,0))");
  EXPECT_EQ(shown(idx2crd(16, s)), "(1,(1,2))");
  EXPECT_EQ(shown(idx2crd(T("(1,5)"), s)), "(1,(1,2))");
  EXPECT_EQ(*crd2idx(T("(1,5)"), s), 16);
  EXPECT_EQ(shown(idx2crd(4, T("(1,2)"))), "(0,4)");
  EXPECT_EQ(shown(idx2crd(-16, s)), "(-1,(-1,-2))");
  EXPECT_EQ(shown(idx2crd(T("(1,2,3)"), s)), "rank_mismatch");
  EXPECT_EQ(shown(idx2crd(T("(1,(1,1))"), T("(3,6)"))), "rank_mismatch");
}

TEST(Coordinates, TheSmallestIntegerHasDigitsToo) {
  const Outcome<IntTuple> c = idx2crd(kIndexMin, T("(2,4)"));
  ASSERT_TRUE(c);
  EXPECT_EQ(c->leaf[0], 0);
  EXPECT_EQ(c->leaf[1], kIndexMin / 2);
}

TEST(Coordinates, ColexicographicalOrderIsTheOrderOfTheIndices) {
  const IntTuple s = T("(3,(2,3))");
  for (Index i = 0; i < 18; ++i) {
    for (Index j = 0; j < 18; ++j) {
      EXPECT_EQ(colex_less(*idx2crd(i, s), *idx2crd(j, s)), i < j);
    }
  }
  EXPECT_TRUE(lex_less(T("(0,5)"), T("(1,0)")));
  EXPECT_FALSE(elem_less(T("(0,5)"), T("(1,5)")));
}

TEST(ShapeArithmetic, DivisionTakesModesOutFromTheLeft) {
  EXPECT_EQ(shown(shape_div(T("(3,6,2,8)"), 9)), "(1,2,2,8)");
  EXPECT_EQ(shown(shape_div(T("(3,6,2,8)"), 72)), "(1,1,1,4)");
  EXPECT_EQ(shown(shape_div(T("(42,16,3)"), 6)), "(7,16,3)");
  EXPECT_EQ(shown(shape_mod(T("(3,6,2,8)"), 9)), "(3,3,1,1)");
  EXPECT_EQ(shown(shape_mod(T("(1,2,2,8)"), 16)), "(1,2,2,4)");
  EXPECT_EQ(shown(ceil_div(T("(32,4,4)"), 64)), "(1,2,4)");
  EXPECT_EQ(shown(ceil_div(T("(3,5)"), 2)), "(2,5)");
  EXPECT_EQ(shown(shape_div(T("6"), 4)), "shape_divisibility");
  EXPECT_EQ(shown(shape_div(T("(6,2)"), T("(2,2,2)"))), "rank_mismatch");
}

TEST(ShapeArithmetic, ExtentsBelowOneAreRefused) {
  EXPECT_EQ(shown(shape_div(T("(6,2)"), 0)), "bad_extent");
  EXPECT_EQ(shown(shape_mod(T("(6,2)"), -1)), "bad_extent");
  EXPECT_EQ(shown(ceil_div(T("(6,0)"), 2)), "bad_extent");
}

}  // namespace
}  // namespace tessera
