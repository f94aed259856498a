// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/rearrangement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::detail {
namespace {

using ::testing::ElementsAre;

using Extents = std::vector<Index>;

std::vector<std::string> texts(const Rearrangement& r) {
  std::vector<std::string> out;
  for (const Expr& e : r.results()) out.push_back(to_string(e));
  return out;
}

TEST(Rearrangement, KeepsDigitsApart) {
  Rearrangement r(Extents{6, 4});
  r.reshape(Extents{2, 3, 4});
  r.transpose(Extents{2, 0, 1});
  EXPECT_THAT(texts(r), ElementsAre("v1", "v0 / 3", "v0 mod 3"));
  r.reshape(Extents{4, 6});
  EXPECT_THAT(texts(r), ElementsAre("v1", "v0")) << "adjacent digits of one dimension are merged";
}

TEST(Rearrangement, DimensionsOfSizeOneHaveNoDigits) {
  Rearrangement r(Extents{1, 4, 1});
  EXPECT_THAT(texts(r), ElementsAre("0", "v1", "0"));
  r.reshape(Extents{2, 1, 2});
  EXPECT_THAT(texts(r), ElementsAre("v1 / 2", "0", "v1 mod 2"));
  r.reshape(Extents{1, 4, 1});
  EXPECT_THAT(texts(r), ElementsAre("0", "v1", "0"));
  Rearrangement scalar((Extents()));
  scalar.reshape(Extents{1});
  EXPECT_THAT(texts(scalar), ElementsAre("0"));
}

TEST(Rearrangement, CountsDigitsBackwards) {
  Rearrangement r(Extents{6});
  r.reverse(Extents{0});
  EXPECT_THAT(texts(r), ElementsAre("-v0 + 5"));
  r.reshape(Extents{2, 3});
  EXPECT_THAT(texts(r), ElementsAre("-(v0 / 3) + 1", "-(v0 mod 3) + 2"));
  r.reverse(Extents{0, 1});
  r.reshape(Extents{6});
  EXPECT_THAT(texts(r), ElementsAre("v0"));
}

TEST(Rearrangement, WhereExtentsDoNotMeetDigitsAreOneNumber) {
  Rearrangement r(Extents{5, 3, 2});
  r.transpose(Extents{0, 2, 1});
  r.reshape(Extents{5, 3, 2});
  EXPECT_THAT(texts(r), ElementsAre("v0", "(v2 * 3 + v1) / 2", "(v2 * 3 + v1) mod 2"));
  r.reshape(Extents{5, 2, 3});
  EXPECT_THAT(texts(r), ElementsAre("v0", "v2", "v1")) << "and digits again where they do";
}

TEST(Rearrangement, EqualMovesAreEqual) {
  const auto moved = [](const Extents& last) {
    Rearrangement r(Extents{5, 3, 2});
    r.transpose(Extents{0, 2, 1});
    r.reshape(last);
    return r;
  };
  EXPECT_EQ(moved(Extents{5, 3, 2}), moved(Extents{5, 3, 2}));
  EXPECT_FALSE(moved(Extents{5, 3, 2}) == moved(Extents{5, 2, 3}));
  Rearrangement reversed = moved(Extents{5, 3, 2});
  reversed.reverse(Extents{0});
  EXPECT_FALSE(reversed == moved(Extents{5, 3, 2}));
  reversed.transpose(Extents{0, 1, 2});
  reversed.reverse(Extents{0});
  EXPECT_EQ(reversed, moved(Extents{5, 3, 2}));
}

// Each step nests blocks more deeply; as expressions they would double in size and reach any depth.
TEST(Rearrangement, SaysWhenNumbersLieTooDeepInNumbers) {
  Rearrangement r(Extents{35});
  for (int i = 0; i < 400 && !r.deep(); ++i) {
    r.reshape(Extents{5, 7});
    r.transpose(Extents{1, 0});
  }
  EXPECT_TRUE(r.deep());
}

}  // namespace
}  // namespace tessera::detail
