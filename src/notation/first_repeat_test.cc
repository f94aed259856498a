// SPDX-License-Identifier: Apache-2.0
#include "notation/first_repeat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "notation/limits.h"

namespace tessera::detail {
namespace {

std::optional<std::pair<Index, Index>> repeat_by_search(const std::vector<Index>& values) {
  std::map<Index, Index> first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [at, is_new] = first.emplace(values[i], static_cast<Index>(i));
    if (!is_new) return std::pair(at->second, static_cast<Index>(i));
  }
  return std::nullopt;
}

EachValue each_of(const std::vector<Index>& values) {
  return [&](const std::function<bool(Index)>& visit) { (void)std::ranges::all_of(values, visit); };
}

TEST(FirstRepeat, IsTheFirstOfSortedAndOfMarkedValues) {
  const unsigned seed = 5;
  std::mt19937 random(seed);
  int repeats = 0;
  for (const Index step : {Index{1}, Index{1} << 40}) {
    for (int round = 0; round < 300; ++round) {
      std::vector<Index> values(random() % 40);
      for (Index& value : values) value = (static_cast<Index>(random() % 400) - 200) * step;
      const RepeatSearch search = first_repeat(std::ssize(values), each_of(values));
      ASSERT_TRUE(search.decided);
      const auto expected = repeat_by_search(values);
      ASSERT_EQ(search.found.has_value(), expected.has_value()) << "seed " << seed << " round " << round;
      if (!expected) continue;
      ++repeats;
      EXPECT_EQ(search.found->first, expected->first);
      EXPECT_EQ(search.found->second, expected->second);
    }
  }
  EXPECT_GT(repeats, 100);
}

TEST(FirstRepeat, IsUndecidedForTooManyValues) {
  const auto never = [](const std::function<bool(Index)>&) { FAIL() << "looks at a value"; };
  EXPECT_FALSE(first_repeat(kNotationLimits.collisions.marked + 1, never).decided);
  const auto far = [](const std::function<bool(Index)>& visit) {
    for (Index i = 0; i <= kNotationLimits.collisions.sorted && visit(i * 1024); ++i) {
    }
  };
  EXPECT_FALSE(first_repeat(kNotationLimits.collisions.sorted + 1, far).decided);
}

}  // namespace
}  // namespace tessera::detail
