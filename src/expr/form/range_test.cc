// SPDX-License-Identifier: Apache-2.0
#include "expr/form/range.h"

#include <gtest/gtest.h>

namespace tessera::detail {
namespace {

constexpr Interval kWide{-(Index{1} << 62), Index{1} << 62};
constexpr Interval kEverything{kNegInf, kPosInf};

TEST(WideRangeTest, SumsAreExactFarBeyond64Bits) {
  WideRange sum(5);
  for (const Index factor : {Index{1} << 50, -(Index{1} << 50)}) sum.add(factor, Interval::point(1 << 20));
  sum.add(-3, {2, 4});
  EXPECT_EQ(sum.interval(), (Interval{-7, -1}));
  EXPECT_EQ(sum.divided(2), (Interval{-3, -1}));
  Index block = 0;
  EXPECT_TRUE(sum.one_block(8, block));
  EXPECT_EQ(block, -1);
  EXPECT_FALSE(sum.one_block(4, block));
}

// Bounds near 2^127 were once kept, and the difference of two of them overflowed 128 bits.
TEST(WideRangeTest, BoundsThatDoNotFitCountAsNone) {
  WideRange sum;
  for (int i = 0; i < 3; ++i) sum.add(kIndexMax, kWide);  // 3 * 2^125 on either side
  EXPECT_FALSE(sum.finite());
  EXPECT_EQ(sum.interval(), kEverything);
  WideRange scaled;
  scaled.add(Index{1} << 40, kWide);
  EXPECT_TRUE(scaled.finite());
  for (int i = 0; i < 4; ++i) scaled.scale(-(Index{1} << 40));
  EXPECT_FALSE(scaled.finite());
  EXPECT_EQ(scaled.interval(), kEverything);
  WideRange half;  // one side is lost, the other remains
  half.add(1, {0, kPosInf});
  half.add(-1, Interval::point(3));
  EXPECT_EQ(half.interval(), (Interval{-3, kPosInf}));
  half.scale(-1);
  EXPECT_EQ(half.interval(), (Interval{kNegInf, 3}));
}

// A lower bound beyond 2^63 was once mistaken for +infinity and remained so after a division.
TEST(WideRangeTest, BoundsBeyond64BitsStayOnTheirSide) {
  WideRange sum;
  sum.add(4, Interval::point(Index{1} << 62));
  EXPECT_EQ(sum.interval(), (Interval{kPosInf - 1, kPosInf}));
  sum.scale(-1);
  EXPECT_EQ(sum.interval(), (Interval{kNegInf, kNegInf + 1}));
  const Interval far = Interval::point(Index{1} << 62);
  for (const Interval r : {far + far, far * far, -(-far * far), -(-far + -far + -far)}) {
    EXPECT_EQ(r, (Interval{kPosInf - 1, kPosInf}));
    EXPECT_EQ(floor_div(r, 4), (Interval{(Index{1} << 61) - 1, kPosInf}));
    EXPECT_EQ(floor_div(-r, 4), (Interval{kNegInf, -(Index{1} << 61)}));
  }
  EXPECT_EQ(floor_div({kIndexMin, kIndexMin}, 2).upper, -(Index{1} << 62));
}

}  // namespace
}  // namespace tessera::detail
