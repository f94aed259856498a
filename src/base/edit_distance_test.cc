// SPDX-License-Identifier: Apache-2.0
#include "base/edit_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace tessera::detail {
namespace {

TEST(EditDistance, CountsChangesAdditionsRemovalsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abd"), 1u);
  EXPECT_EQ(edit_distance("abc", "acb"), 1u);
  EXPECT_EQ(edit_distance("abc", "ac"), 1u);
  EXPECT_EQ(edit_distance("convert", "covnret"), 2u);
}

// The words at distance 1 are exactly those that one edit makes.
TEST(EditDistance, IsOneForTheWordsThatOneEditMakes) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  const auto word = [&] {
    std::string out(random() % 5, 'a');
    for (char& c : out) c = static_cast<char>('a' + random() % 2);
    return out;
  };
  for (int i = 0; i < 2000; ++i) {
    const std::string a = word();
    std::set<std::string> edits;
    for (std::size_t at = 0; at <= a.size(); ++at) {
      for (const char c : {'a', 'b'}) {
        edits.insert(a.substr(0, at) + c + a.substr(at));
        if (at < a.size()) edits.insert(a.substr(0, at) + c + a.substr(at + 1));
      }
      if (at < a.size()) edits.insert(a.substr(0, at) + a.substr(at + 1));
      if (at + 1 < a.size()) {
        std::string swapped = a;
        std::swap(swapped[at], swapped[at + 1]);
        edits.insert(swapped);
      }
    }
    edits.erase(a);
    const std::string b = word();
    EXPECT_EQ(edit_distance(a, b) == 1, edits.contains(b)) << a << ' ' << b << " seed " << kSeed;
    EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
  }
}

}  // namespace
}  // namespace tessera::detail
