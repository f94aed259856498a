// SPDX-License-Identifier: Apache-2.0
#include "base/index_walk.h"

#include <gmock/gmock.h>

#include <string>

namespace tessera::detail {
namespace {

using ::testing::ElementsAre;
using Indices = std::vector<Index>;

// The indices that a walk visits after the first one, and the index after the last one.
template <class Next>
std::vector<Indices> walked(Indices index, const Next& next) {
  std::vector<Indices> out;
  while (next(index)) out.push_back(index);
  out.push_back(index);
  return out;
}

TEST(IndexWalk, VisitsABoxWithTheLastDimensionFastest) {
  const Indices begin = {1, 5};
  const Indices end = {3, 7};
  EXPECT_THAT(walked(begin, [&](Indices& index) { return next_index(index, begin, end); }),
              ElementsAre(Indices{1, 6}, Indices{2, 5}, Indices{2, 6}, begin));
  const Indices extents = {2, 1, 2};
  EXPECT_THAT(walked({0, 0, 0}, [&](Indices& index) { return next_index(index, extents); }),
              ElementsAre(Indices{0, 0, 1}, Indices{1, 0, 0}, Indices{1, 0, 1}, Indices{0, 0, 0}));
}

TEST(IndexWalk, VisitsTheFirstDimensionFastest) {
  const Indices extents = {2, 2};
  EXPECT_THAT(walked({0, 0}, [&](Indices& index) { return next_index_first_fastest(index, extents); }),
              ElementsAre(Indices{1, 0}, Indices{0, 1}, Indices{1, 1}, Indices{0, 0}));
}

TEST(IndexWalk, StepsOverSeveralValues) {
  Index digit = 2;
  EXPECT_TRUE(next_step(digit, 2, 9, 3));
  EXPECT_TRUE(next_step(digit, 2, 9, 3));
  EXPECT_EQ(digit, 8);
  EXPECT_FALSE(next_step(digit, 2, 9, 3));
  EXPECT_EQ(digit, 2);
}

TEST(IndexWalk, VisitsSomeDimensionsInTheirOrder) {
  const Indices extents = {2, 9, 2};
  const std::vector<std::size_t> dims = {2, 0};
  EXPECT_THAT(walked({0, 4, 0}, [&](Indices& index) { return next_index_of(dims, index, extents); }),
              ElementsAre(Indices{1, 4, 0}, Indices{0, 4, 1}, Indices{1, 4, 1}, Indices{0, 4, 0}));
}

TEST(IndexWalk, OneIndexHasNoDimensions) {
  Indices none;
  EXPECT_FALSE(next_index(none, none));
  EXPECT_FALSE(next_index(none, none, none));
  EXPECT_FALSE(next_index_of({}, none, none));
  EXPECT_FALSE(next_index_first_fastest(none, none));
  EXPECT_THAT(index_with_number({}, 0), ElementsAre());
  EXPECT_THAT(index_with_number_first_fastest({}, 0), ElementsAre());
}

TEST(IndexWalk, NumbersAnIndexAsItVisitsIt) {
  const Indices extents = {3, 1, 4, 2};
  Indices last_fastest(4, 0);
  Indices first_fastest(4, 0);
  for (Index number = 0; number < 24; ++number) {
    EXPECT_EQ(index_with_number(extents, number), last_fastest);
    EXPECT_EQ(index_with_number_first_fastest(extents, number), first_fastest);
    EXPECT_EQ(next_index(last_fastest, extents), number < 23);
    EXPECT_EQ(next_index_first_fastest(first_fastest, extents), number < 23);
  }
}

TEST(IndexWalk, WalksOverPlacesInLists) {
  const std::vector<std::string> lists = {"ab", "x", "12"};
  std::vector<std::size_t> at(lists.size(), 0);
  const auto advance = [&](std::size_t d) { return next_value(at[d], 0, lists[d].size()); };
  std::string last_fastest;
  std::string first_fastest;
  const auto add = [&](std::string& out) {
    for (std::size_t d = 0; d < lists.size(); ++d) out += lists[d][at[d]];
    out += ' ';
  };
  do {
    add(last_fastest);
  } while (advance_last(lists.size(), advance));
  do {
    add(first_fastest);
  } while (advance_first(lists.size(), advance));
  EXPECT_EQ(last_fastest, "ax1 ax2 bx1 bx2 ");
  EXPECT_EQ(first_fastest, "ax1 bx1 ax2 bx2 ");
}

}  // namespace
}  // namespace tessera::detail
