// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

TEST(SubMap, TakesConsecutiveResults) {
  const IndexMap map =
      *parse_index_map("(d0, d1) -> (d0, d1 * 2, d0 + d1), domain: d0 in [0, 2], d1 in [0, 3]");
  const auto text = [&](ResultRange results) { return to_string(*sub_map(map, results)); };
  EXPECT_EQ(text({.start = 1}), "(d0, d1) -> (d1 * 2), domain: d0 in [0, 2], d1 in [0, 3]");
  EXPECT_EQ(text({}), "(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 3]");
  EXPECT_EQ(text({.start = 1, .count = 2}),
            "(d0, d1) -> (d1 * 2, d0 + d1), domain: d0 in [0, 2], d1 in [0, 3]");
  EXPECT_EQ(text({.start = 3, .count = 0}), "(d0, d1) -> (), domain: d0 in [0, 2], d1 in [0, 3]");
  EXPECT_EQ(sub_map(map, {.count = 3}).value(), map);
}

TEST(SubMap, RefusesResultsThatDoNotExist) {
  const IndexMap map = *parse_index_map("(d0) -> (d0, d0 + 1), domain: d0 in [0, 2]");
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  for (const ResultRange results :
       {ResultRange{.start = 2}, ResultRange{.start = 3, .count = 0}, ResultRange{.count = 3},
        ResultRange{.start = 1, .count = kHuge}, ResultRange{.start = kHuge, .count = 2}}) {
    const auto some = sub_map(map, results);
    ASSERT_FALSE(some) << results.start << ", " << results.count;
    EXPECT_EQ(some.error().code, Code::index_out_of_range);
  }
}

}  // namespace
}  // namespace tessera
