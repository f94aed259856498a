// SPDX-License-Identifier: Apache-2.0
#include "map/variable_set.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "map/random_map_test.h"

namespace tessera {
namespace {

using detail::VariableSet;

// Members below and above 64, which are stored in different words.
TEST(VariableSetTest, AgreesWithASetOfNumbers) {
  constexpr std::uint32_t kSeed = 5;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    VariableSet a;
    VariableSet b;
    std::set<std::size_t> in_a;
    std::set<std::size_t> in_b;
    for (auto n = random() % 6; n > 0; --n) {
      const std::size_t v = random() % 200;
      const std::size_t w = random() % 70;
      a.insert(v);
      in_a.insert(v);
      b.insert(w);
      in_b.insert(w);
    }
    EXPECT_EQ(a.empty(), in_a.empty());
    bool intersects = false;
    bool contains = true;
    for (std::size_t v = 0; v < 300; ++v) {
      EXPECT_EQ(a.contains(v), in_a.contains(v));
      intersects = intersects || (in_a.contains(v) && in_b.contains(v));
      contains = contains && (in_a.contains(v) || !in_b.contains(v));
    }
    EXPECT_EQ(a.intersects(b), intersects);
    EXPECT_EQ(b.intersects(a), intersects);
    EXPECT_EQ(a.contains(b), contains);
    a.add(b);
    EXPECT_TRUE(a.contains(b));
    for (const std::size_t v : in_a) EXPECT_TRUE(a.contains(v));
  }
}

TEST(VariableSetTest, HasTheVariablesOfAnExpression) {
  constexpr std::uint32_t kSeed = 6;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    const Expr e = testing_maps::random_expr(random, 90, 4 + static_cast<int>(random() % 6));
    const VariableSet found(e);
    VariableSet expected;
    for (const Index v : variables(e)) expected.insert(static_cast<std::size_t>(v));
    EXPECT_TRUE(found.contains(expected) && expected.contains(found)) << e;
  }
  VariableSet some;
  for (const std::size_t v : {2U, 3U, 4U}) some.insert(v);
  EXPECT_TRUE(some.contains_all(2, 5));
  EXPECT_FALSE(some.contains_all(2, 6));
  EXPECT_TRUE(some.contains_all(9, 9));
}

}  // namespace
}  // namespace tessera
