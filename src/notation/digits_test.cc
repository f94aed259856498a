// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/digits.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

using Point = std::span<const Index>;

std::string digits(std::vector<Index> box, const OffsetFunction& offset,
                   std::vector<std::vector<std::size_t>> groups = {}) {
  const auto found = digits_by_tables(std::move(box), offset, groups);
  return found ? to_string(*found) : found.error().reason + " " + found.error().witness;
}

// Regression: all values of a dimension were stored, with 16 bytes per index, regardless of the memory limit
// of a copy.
TEST(DigitsByTables, FindsWhatShowsBehindTheBeginningOfALongDimension) {
  EXPECT_EQ(digits({300000}, [](Point x) { return 5 * x[0] + 2; }), "2 + 0,1,300000,5");
  EXPECT_EQ(digits({300000}, [](Point x) { return x[0] % 200000 + x[0] / 200000 * 500000; }),
            "0,1,200000,1 0,200000,2,500000");
  EXPECT_EQ(digits({300000},
                   [](Point x) { return x[0] % 3 * 100000000 + x[0] / 3 % 50000 + x[0] / 150000 * 7000000; }),
            "0,1,3,100000000 0,3,50000,1 0,150000,2,7000000");
  EXPECT_EQ(digits({2, 300000}, [](Point x) { return x[0] * 300000 + x[1]; }, {{0, 1}}),
            "0,1,2,300000 1,1,300000,1");
}

TEST(DigitsByTables, SeesOneWrongValueNearTheEndOfALongDimension) {
  EXPECT_EQ(digits({300000}, [](Point x) { return x[0] + (x[0] == 299998 ? 1 : 0); }), "irregular ");
  EXPECT_EQ(
      digits({300000}, [](Point x) { return x[0] % 3 * 100000000 + x[0] / 3 + (x[0] == 299998 ? 1 : 0); }),
      "irregular ");
  const auto late = digits_by_tables(
      {2, 300000}, [](Point x) { return x[0] * 300000 + x[1] + (x[0] == 1 && x[1] == 299999 ? 1 : 0); },
      std::vector<std::vector<std::size_t>>{{0, 1}});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().reason, "entangled");
}

}  // namespace
}  // namespace tessera
