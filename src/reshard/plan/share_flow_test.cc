// SPDX-License-Identifier: Apache-2.0
#include "reshard/plan/share_flow.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::detail {
namespace {

std::vector<Index> loads(const std::vector<ShareGroup>& groups, const std::vector<std::vector<Index>>& shares,
                         std::vector<Index> fixed) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Index sum = 0;
    for (std::size_t m = 0; m < groups[g].places.size(); ++m) {
      sum += shares[g][m];
      fixed[static_cast<std::size_t>(groups[g].places[m])] += shares[g][m];
    }
    EXPECT_EQ(sum, groups[g].demand);
  }
  return fixed;
}

TEST(ShareFlow, TakesLoadFromTheBusiestPlace) {
  const std::vector<ShareGroup> groups = {{{0, 1}, 6}, {{1, 2}, 6}, {{2}, 1}};
  const std::vector<Index> found = loads(groups, least_shares(groups, {4, 0, 0}), {4, 0, 0});
  EXPECT_EQ(*std::ranges::max_element(found), 6);
}

// The flow was once pushed by recursion, as deep as its path: 200,000 calls here, more than a stack holds.
TEST(ShareFlow, FollowsAPathThroughEveryGroup) {
  constexpr Index kGroups = 100'000;
  std::vector<ShareGroup> groups;
  for (Index g = 0; g < kGroups; ++g) groups.push_back({{g, g + 1}, 2});
  // Place 0 must send this itself, so each group moves its demand one place on, up to the last place.
  groups.push_back({{0}, 2});
  const std::vector<Index> fixed(kGroups + 1, 0);
  const std::vector<Index> found = loads(groups, least_shares(groups, fixed), fixed);
  EXPECT_EQ(*std::ranges::max_element(found), 2);
}

}  // namespace
}  // namespace tessera::detail
