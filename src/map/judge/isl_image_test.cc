// SPDX-License-Identifier: Apache-2.0
#include "map/judge/isl_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "map/random_map_test.h"
#include "map/values/enumerate.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

// The pieces contain exactly the values of the map's only result; values nearby are checked, too.
void check_image(const IndexMap& map) {
  std::set<Index> values;
  for (BoxRows rows(box_of(map.domain())); rows.next();) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto point = rows.point(i);
      if (map.domain().contains(point)) values.insert(map.evaluate(point)->front());
    }
  }
  const auto pieces = isl_image(map, 1'000'000);
  ASSERT_TRUE(pieces) << to_string(map);
  const Index low = values.empty() ? 0 : *values.begin();
  const Index high = values.empty() ? 0 : *values.rbegin();
  for (Index v = low - 3; v <= high + 3; ++v) {
    const bool inside =
        std::ranges::any_of(*pieces, [&](const Domain& piece) { return piece.contains(std::vector{v}); });
    EXPECT_EQ(inside, values.contains(v)) << v << " of " << to_string(map);
  }
}

TEST(IslImageTest, PiecesHoldTheValuesAndNoOthers) {
  if (!judge_has_isl()) GTEST_SKIP() << "isl is not built in";
  std::mt19937 random(20240607);
  for (int i = 0; i < 200 && !testing::Test::HasFailure(); ++i) {
    const auto dims = 1 + random() % 2;
    check_image(testing_maps::random_map(random, dims, 0, 1));
  }
}

// Regression: isl merged {0, 1} and the even numbers into an interval.
TEST(IslImageTest, AMaximumOfUnequalStepsKeepsItsGaps) {
  if (!judge_has_isl()) GTEST_SKIP() << "isl is not built in";
  const Expr x = Expr::variable(0);
  const Expr y = Expr::variable(1);
  check_image(IndexMap::make_unchecked(Domain({{{0, 3}}, {{0, 2}}}, {}, {}), {max(x - 2, y + y)}));
}

// Regression: the last piece of a sum with gaps was unbounded.
TEST(IslImageTest, PiecesEndWhereTheMapEnds) {
  if (!judge_has_isl()) GTEST_SKIP() << "isl is not built in";
  const Expr x = Expr::variable(0);
  const Expr y = Expr::variable(1);
  const Domain box({{{0, 1000000}}, {{0, 1000000}}}, {}, {});
  const Image found = image(IndexMap::make_unchecked(box, {x * 3 + y * 5}));
  EXPECT_TRUE(found.exact);
  ASSERT_FALSE(found.pieces.empty());
  for (const Domain& piece : found.pieces) EXPECT_LE(piece.variables()[0].bounds.upper, 8000000);
}

}  // namespace
}  // namespace tessera::detail
