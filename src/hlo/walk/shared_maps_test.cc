// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/shared_maps.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tessera {
namespace {

using detail::SharedMaps;

Indexing identity(Index extent) { return {.map = IndexMap::identity(std::vector<Index>{extent})}; }

TEST(SharedMapsTest, AChangeIsNotSeenByCopies) {
  SharedMaps first(identity(4));
  SharedMaps second = first;
  EXPECT_TRUE(first.shares_with(second));
  second.edit().maps.push_back(identity(5));
  EXPECT_FALSE(first.shares_with(second));
  EXPECT_EQ(first.get(), IndexingSet{identity(4)});
  EXPECT_EQ(second.get(), (IndexingSet{identity(4), identity(5)}));
}

TEST(SharedMapsTest, TakingLeavesCopiesAsTheyAre) {
  SharedMaps first(identity(4));
  const SharedMaps second = first;
  EXPECT_EQ(std::move(first).take(), IndexingSet{identity(4)});
  EXPECT_EQ(second.get(), IndexingSet{identity(4)});
}

TEST(SharedMapsTest, AnEmptySetHasNoMaps) {
  SharedMaps none;
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.get().empty());
  EXPECT_TRUE(none.edit().maps.empty());
  EXPECT_TRUE(std::move(none).take().empty());
}

}  // namespace
}  // namespace tessera
