// SPDX-License-Identifier: Apache-2.0
// The number of points at which two random maps differ, against an evaluation of every point.
// TESSERA_LAW_CASES is the number of pairs (default 2,000).
#include "map/image/differences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <string>

#include "laws/random_seed.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

Index floored(Index a, Index b) { return a / b - (a % b != 0 && a % b < 0 ? 1 : 0); }
Index rest(Index a, Index b) { return a - floored(a, b) * b; }

// floor((d0 + a) / n) * times + (d0 + a) mod m + d1 * step, on a box.
struct Map {
  Index a, n, times, m, step, low, high, other;

  bool inside(Index d0, Index d1) const { return d0 >= low && d0 <= high && d1 >= 0 && d1 <= other; }
  Index at(Index d0, Index d1) const { return floored(d0 + a, n) * times + rest(d0 + a, m) + d1 * step; }
  std::string text() const {
    const auto s = [](Index i) { return std::to_string(i); };
    return "(d0, d1) -> ((d0 + " + s(a) + ") / " + s(n) + " * " + s(times) + " + (d0 + " + s(a) + ") mod " +
           s(m) + " + d1 * " + s(step) + "), domain: d0 in [" + s(low) + ", " + s(high) + "], d1 in [0, " +
           s(other) + "]";
  }
};

TEST(DifferencesLaw, AreThoseOfAllPoints) {
  std::mt19937_64 random(laws::seed(35));
  const auto pick = [&](Index low, Index high) {
    return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const auto count = laws::environment("TESSERA_LAW_CASES", 2000);
  Index exact = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    Map a{pick(-3, 3), pick(1, 6), pick(1, 6), pick(1, 8), pick(-2, 3), 0, pick(0, 30), pick(0, 5)};
    a.low = pick(0, a.high);
    Map b = a;
    if (random() % 2 == 0) b.m = pick(1, 8);
    if (random() % 2 == 0) b.times = pick(1, 6);
    if (random() % 3 == 0) b.low = pick(0, b.high);
    if (random() % 3 == 0) b.other = pick(0, 5);
    Index differing = 0;
    for (Index d0 = 0; d0 <= 40; ++d0)
      for (Index d1 = 0; d1 <= 6; ++d1)
        differing +=
            a.inside(d0, d1) != b.inside(d0, d1) || (a.inside(d0, d1) && a.at(d0, d1) != b.at(d0, d1));
    const IndexMap first = *parse_index_map(a.text());
    const IndexMap second = *parse_index_map(b.text());
    ASSERT_EQ(count_differences(first, second), (Count{differing, differing})) << a.text() << "\n"
                                                                               << b.text();
    // Without enumeration of the box.
    const Count by_parts = count_differences(first, second, {.points = 1});
    ASSERT_LE(by_parts.lower, differing) << a.text() << "\n" << b.text();
    if (by_parts.upper) {
      ASSERT_GE(*by_parts.upper, differing) << a.text() << "\n" << b.text();
    }
    exact += by_parts.exact();
  }
  std::cout << exact << " of " << count << " counted without enumeration\n";
}

// A box that is too large to enumerate: only the values from 8 on differ.
TEST(DifferencesLaw, AreCountedOnLargeBoxes) {
  const IndexMap a = *parse_index_map("(d0, d1) -> (d0), domain: d0 in [0, 1048575], d1 in [0, 1048575]");
  const IndexMap b =
      *parse_index_map("(d0, d1) -> (d0 mod 8), domain: d0 in [0, 1048575], d1 in [0, 1048575]");
  const Index differing = (Index{1} << 40) - (Index{8} << 20);
  EXPECT_EQ(count_differences(a, b), (Count{differing, differing}));
}

}  // namespace
}  // namespace tessera
