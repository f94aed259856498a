// SPDX-License-Identifier: Apache-2.0
#include "map/parts.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "map/random_map_test.h"
#include "map/values/enumerate.h"

namespace tessera {
namespace {

using detail::simplify_parts;
using testing_maps::random_map;

// simplify_parts(map) has the same points as the map, and the same values on them.
void check_simplify_parts(const IndexMap& map) {
  const IndexMap simple = simplify_parts(map);
  ASSERT_EQ(simple.dim_count(), map.dim_count());
  ASSERT_EQ(simple.range_count(), map.range_count());
  BoxRows rows(box_of(map.domain()));
  while (rows.next()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<Index> point = rows.point(i);
      const auto value = map.domain().contains(point) ? map.evaluate(point) : std::nullopt;
      const auto found = simple.domain().contains(point) ? simple.evaluate(point) : std::nullopt;
      ASSERT_EQ(value, found) << map << "\n" << simple;
    }
  }
}

TEST(PartsTest, KeepPointsAndValues) {
  constexpr std::uint32_t kSeed = 41;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  for (int i = 0; i < 2000 && !HasFailure(); ++i)
    check_simplify_parts(random_map(random, 1 + random() % 3, random() % 3, random() % 4, 2));
}

// Every order of requests finds the same texts, although a thread remembers parts.
TEST(PartsTest, AnswersDoNotDependOnEarlierOnes) {
  constexpr std::uint32_t kSeed = 42;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  std::vector<IndexMap> maps;
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) {
    maps.push_back(random_map(random, 2, 1, 2, 2));
    texts.push_back(to_string(simplify_parts(maps.back())));
  }
  for (std::size_t i = maps.size(); i-- > 0;) ASSERT_EQ(to_string(simplify_parts(maps[i])), texts[i]);
}

}  // namespace
}  // namespace tessera
