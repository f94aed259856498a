// SPDX-License-Identifier: Apache-2.0
#include "map/image/image_union.h"

#include <gtest/gtest.h>

#include <vector>

#include "tessera/text/index_map.h"

namespace tessera {
namespace {

// Regression: two progressions whose steps have no common multiple in 64 bits were taken for disjoint, and a
// wrong count was called exact.
TEST(ImageUnionTest, ProgressionsWithOneCommonValueShareIt) {
  for (const Index step : {Index{6}, Index{1} << 31, Index{1} << 32, Index{1} << 60}) {
    std::vector<IndexMap> maps;
    for (const Index own : {step, step + 1}) {
      Domain domain({{{0, 1}}}, {}, {});
      maps.push_back(IndexMap::make_unchecked(std::move(domain), {Expr::variable(0) * own}));
    }
    const Count count = detail::count_image_union(maps);
    EXPECT_TRUE(count.exact());
    EXPECT_EQ(count.lower, 3) << step;
  }
}

}  // namespace
}  // namespace tessera
