// SPDX-License-Identifier: Apache-2.0
#include "algebra/bit_space.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tessera::detail {
namespace {

std::set<std::uint64_t> vectors_of(const BitSpace& space) {
  std::set<std::uint64_t> out = {0};
  for (const std::uint64_t v : space.basis()) {
    const std::set<std::uint64_t> before = out;
    for (const std::uint64_t other : before) out.insert(other ^ v);
  }
  return out;
}

BitSpace random_space(std::mt19937_64& random, int bits) {
  BitSpace out;
  for (std::uint64_t count = random() % 5; count > 0; --count) out.add(random() % (std::uint64_t{1} << bits));
  return out;
}

TEST(BitSpace, SumsMeetsAndKernelsAreThoseOfTheSetsOfVectors) {
  const std::uint64_t seed = 20261123;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const BitSpace a = random_space(random, 7);
    const BitSpace b = random_space(random, 7);
    const std::set<std::uint64_t> in_a = vectors_of(a);
    const std::set<std::uint64_t> in_b = vectors_of(b);
    EXPECT_EQ(in_a.size(), std::size_t{1} << a.dim());
    std::set<std::uint64_t> both;
    std::set<std::uint64_t> sums;
    for (const std::uint64_t x : in_a) {
      if (in_b.contains(x)) both.insert(x);
      for (const std::uint64_t y : in_b) sums.insert(x ^ y);
    }
    EXPECT_EQ(vectors_of(a.meet(b)), both);
    EXPECT_EQ(vectors_of(a.sum(b)), sums);
    BitMap map;
    for (std::size_t k = 0; k < 7; ++k) map.image[k] = random() % 16;
    std::set<std::uint64_t> to_zero;
    for (const std::uint64_t x : in_a)
      if (map(x) == 0) to_zero.insert(x);
    EXPECT_EQ(vectors_of(kernel(a, map)), to_zero);
  }
}

TEST(BitSpace, KeepsAReducedBasisThatDependsOnTheSpaceOnly) {
  EXPECT_EQ(BitSpace({6, 3}), BitSpace({5, 3}));
  const BitSpace space = {6, 3};
  EXPECT_EQ(space.basis()[0], 3u);
  EXPECT_EQ(space.basis()[1], 5u);
  EXPECT_EQ(BitSpace::of_bits(0b1010).dim(), 2);
  BitSpace grown = {1};
  EXPECT_FALSE(grown.add(1));
  EXPECT_TRUE(grown.add(3));
}

}  // namespace
}  // namespace tessera::detail
