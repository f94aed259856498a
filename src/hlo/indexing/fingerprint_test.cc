// SPDX-License-Identifier: Apache-2.0
#include "hlo/indexing/fingerprint.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "hlo/indexing/indexing_set.h"
#include "map/random_map_test.h"
#include "tessera/hlo/indexing.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

using detail::Fingerprint;

Indexing map_of(const std::string& text) { return {.map = *parse_index_map(text)}; }

TEST(FingerprintTest, SetsOfRandomMapsAreTheSameWithAndWithoutThem) {
  constexpr std::uint32_t kSeed = 17;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  std::size_t dropped = 0;
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    IndexingSet plain;
    IndexingSet set;
    std::vector<Fingerprint> fingerprints;
    for (int member = 0; member < 12; ++member) {
      Indexing x = normalize({.map = testing_maps::random_map(random, 1, random() % 3, 1, 1)});
      const bool added = insert(plain, x);
      EXPECT_EQ(detail::insert(set, fingerprints, x), added) << to_string(x.map);
      dropped += added ? 0 : 1;
    }
    EXPECT_EQ(plain, set);
  }
  EXPECT_GT(dropped, 100U);
}

TEST(FingerprintTest, MembersThatDifferNeedNoComparison) {
  std::vector<Indexing> members;
  for (int i = 0; i < 8; ++i) {
    members.push_back(
        map_of(fmt::format("(d0, d1) -> (d0 + {0}, d1), domain: d0 in [0, 7], d1 in [0, 7]", i)));
    members.push_back(map_of(fmt::format("(d0, d1) -> (d0, d1), domain: d0 in [{0}, {0}], d1 in [0, 7]", i)));
    members.push_back(map_of(fmt::format(
        "(d0, d1)[s0] -> (d0, s0 + {0}), domain: d0 in [0, 7], d1 in [0, 7], s0 in [0, 999]", i)));
  }
  int pairs = 0;
  for (const Indexing& a : members) {
    for (const Indexing& b : members) pairs += may_be_same(Fingerprint(a), Fingerprint(b)) ? 1 : 0;
  }
  // Each member matches itself. Of the 8 with many elements, all but the first have the same form.
  EXPECT_EQ(pairs, 24 + 7 * 6);
}

// Intervals such as [0, 0] and [2, 2] had one hash, and start indices on the diagonal did not tell two
// dimensions from each other. A full set of the maps of 250 calls compared 762 such pairs point by point.
TEST(FingerprintTest, ShortIntervalsAndExchangedDimensionsDiffer) {
  std::vector<Indexing> boxes;
  for (Index lower = 0; lower < 8; ++lower) {
    for (Index upper = lower; upper < 8; ++upper) {
      boxes.push_back(
          map_of(fmt::format("(d0, d1) -> (63, d1), domain: d0 in [{}, {}], d1 in [1, 2]", lower, upper)));
    }
  }
  std::size_t pairs = 0;
  for (const Indexing& a : boxes) {
    for (const Indexing& b : boxes) pairs += may_be_same(Fingerprint(a), Fingerprint(b)) ? 1U : 0U;
  }
  EXPECT_EQ(pairs, boxes.size());
  for (const Index upper : {1, 3, 63}) {
    const auto square = [&](const char* results) {
      return map_of(fmt::format("(d0, d1) -> ({0}), domain: d0 in [0, {1}], d1 in [0, {1}]", results, upper));
    };
    EXPECT_FALSE(
        may_be_same(Fingerprint(square("d0 + 60, d1 + 60")), Fingerprint(square("d1 + 60, d0 + 60"))))
        << upper;
  }
}

TEST(FingerprintTest, OneRelationInTwoFormsMayBeTheSame) {
  // The bounds of one map equal the constraint of the other.
  const Indexing box = map_of("(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 7]");
  const Indexing constrained =
      map_of("(d0, d1) -> (d0), domain: d0 in [0, 7], d1 in [0, 7], d0 * 2 in [0, 7]");
  EXPECT_TRUE(may_be_same(Fingerprint(box), Fingerprint(constrained)));
  EXPECT_TRUE(same_relation(box, constrained));
  const Indexing swapped =
      map_of("(d0)[s0, s1] -> (s1, s0), domain: d0 in [0, 9], s0 in [0, 99], s1 in [0, 49]");
  const Indexing ordered =
      map_of("(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 9], s0 in [0, 49], s1 in [0, 99]");
  EXPECT_TRUE(may_be_same(Fingerprint(swapped), Fingerprint(ordered)));
  EXPECT_TRUE(same_relation(swapped, ordered));
}

}  // namespace
}  // namespace tessera
