// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>

#include "base/index_walk.h"
#include "notation/index_runs.h"
#include "tessera/notation/layout.h"

namespace tessera::offset_range_test {
namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }

const char* const kSmall[] = {
    "np:(4,6):(-7,2) + 30",
    "ll:d0:1,2 d1:4,7",
    "f32[50]{0:T(3)(2,2)}",
    "f32[7,5]{1,0:T(*,3)}",
    "f32[7,9]{1,0:T(*,2,3)(2,1)}",
    "Sw<2,0,3> o _0 o (5,7):(7,1)",
    "Sw<3,3,3> o _0 o (64,3):(64,1)",
    "Sw<2,1,2> o _3 o (9,5):(6,1)",
    "Sw<1,0,1> o _1 o (4):(2)",
    "Sw<2,1,3> o _5 o (5,7,3):(0,16,2)",
    "Sw<2,1,-3> o _0 o (5,7):(7,1)",
    "Sw<2,0,2> o _0 o Sw<1,1,3> o _2 o (3,11):(13,1)",
    "map:(d0, d1) -> ((d0 * 5 + d1) / 4 * 4 + (d0 * 5 + d1 * 3) mod 4), domain: d0 in [0, 8], d1 in [0, 4]",
    "map:(d0, d1) -> ((d0 * 3 - d1) floordiv 2 + min(d0, d1) * 4), domain: d0 in [0, 8], d1 in [0, 10]",
    "map:(d0, d1) -> (d0 * d1), domain: d0 in [0, 8], d1 in [0, 10]",
    "map:(d0) -> ((d0 mod 12) floordiv 5 * -7 + d0 floordiv 6), domain: d0 in [0, 40]",
};

TEST(OffsetRange, IsTheSmallestAndTheLargestOffset) {
  for (const char* text : kSmall) {
    const Layout l = layout(text);
    std::vector<Index> index(l.rank(), 0);
    Interval seen = Interval::point(l.offset(index));
    do {
      seen = hull(seen, Interval::point(l.offset(index)));
    } while (detail::next_index(index, l.shape()));
    EXPECT_EQ(offset_range(l).value(), seen) << text;
  }
}

// Regression: beyond 2^24 indices, the range was undecided.
TEST(OffsetRange, NeedsNoSearchWhereMostIsLoops) {
  EXPECT_EQ(layout("Sw<3,3,3> o _0 o (64,64,5000):(64,1,4096)").buffer_size().value(), 64 * 64 * 5000);
  EXPECT_EQ(layout("Sw<3,3,3> o _0 o (4096,4097):(4097,1)").buffer_size().value(), 4096 * 4097);
  EXPECT_EQ(layout("Sw<3,4,5> o _0 o (4096,4097):(4097,1)").buffer_size().value(), 4096 * 4097);
  // Regression: searching 51,300 indices for each offset of a block took five seconds.
  EXPECT_EQ(offset_range(layout("Sw<4,5,4> o _39 o (100,513):(0,0)")).value(), Interval::point(39));
  EXPECT_EQ(offset_range(layout("f32[100000000]{0:T(3)(2,2)}")).value(), (Interval{0, 133333332}));
}

// The offset is the sum of the contributions of the groups and of the runs without a group.
TEST(IndexRuns, AddUpToTheOffset) {
  for (const char* text : kSmall) {
    const Layout l = layout(text);
    const std::array sums{detail::summands(l)};
    const auto runs = detail::cut_runs(l.shape(), sums);
    std::vector<Index> index(l.rank(), 0);
    const Index start = l.offset(index);
    do {
      // Each group alone, with the rest of the index 0.
      Index sum = start;
      std::vector<std::vector<Index>> groups(runs.size(), std::vector<Index>(l.rank(), 0));
      for (std::size_t k = 0; k < runs.size(); ++k) {
        const Index value = index[runs[k].dim] / runs[k].unit % runs[k].count;
        if (runs[k].group == detail::DimRun::kAlone) {
          sum += value * runs[k].strides[0];
        } else {
          groups[runs[k].group][runs[k].dim] += value * runs[k].unit;
        }
      }
      for (const auto& own : groups) sum += l.offset(own) - start;
      ASSERT_EQ(l.offset(index), sum) << text;
    } while (detail::next_index(index, l.shape()));
  }
}

TEST(Collision, IsDecidedForLargeMapsWhosePartsStepOverEachOther) {
  const auto none =
      collision(layout("map:(d0, d1) -> ((d0 * 8000 + d1) floordiv 8 * 8 + (d0 * 8000 + d1 * 3) mod 8), "
                       "domain: d0 in [0, 7999], "
                       "d1 in [0, 7999]"));
  ASSERT_TRUE(none.has_value());
  EXPECT_FALSE(none->has_value());
}

// Regression: a map without digits whose parts interleave was undecided at any size.
TEST(Collision, IsEnumeratedForSmallMapsWithoutDigits) {
  const auto none =
      collision(layout("map:(d0, d1) -> ((d0 * 3 + d1 * 2) mod 8), domain: d0 in [0, 1], d1 in [0, 3]"));
  ASSERT_TRUE(none.has_value()) << none.error().message;
  EXPECT_FALSE(none->has_value());
  // Regression: this was undecided, because there are too many indices to enumerate.
  const auto unused =
      collision(layout("map:(d0, d1, d2) -> (max(d0, 2) + d2 * 154), domain: d0 in [0, 5], d1 in [0, 3], d2 "
                       "in [0, 536870995]"));
  ASSERT_TRUE(unused && *unused);
  EXPECT_EQ((*unused)->second, (std::vector<Index>{0, 1, 0}));
  const auto two = collision(layout("map:(d0) -> (d0 * d0 mod 7), domain: d0 in [0, 6]"));
  ASSERT_TRUE(two.has_value()) << two.error().message;
  ASSERT_TRUE(two->has_value());
  // The first index that shares its offset with an earlier one.
  EXPECT_EQ(**two, (std::pair(std::vector<Index>{3}, std::vector<Index>{4})));
}

}  // namespace
}  // namespace tessera::offset_range_test
