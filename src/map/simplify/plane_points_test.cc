// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/plane_points.h"

#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <vector>

#include "tessera/map/simplify.h"

namespace tessera {
namespace {

using detail::HalfPlane;

bool found_by_looking(const std::vector<HalfPlane>& planes, Index extent) {
  for (Index x = -extent; x <= extent; ++x) {
    for (Index y = -extent; y <= extent; ++y) {
      bool inside = true;
      for (const HalfPlane& h : planes) inside = inside && h.a * x + h.b * y <= h.c;
      if (inside) return true;
    }
  }
  return false;
}

TEST(PlanePointsTest, AgreesWithLookingAtEveryPointOfRandomPolygons) {
  constexpr std::uint64_t kSeed = 7;
  std::cout << "seed " << kSeed << "\n";
  std::mt19937_64 random(kSeed);
  const auto pick = [&](Index low, Index high) {
    return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  int without = 0;
  for (int i = 0; i < 5000; ++i) {
    constexpr Index kExtent = 20;
    std::vector<HalfPlane> planes = {{1, 0, kExtent}, {-1, 0, kExtent}, {0, 1, kExtent}, {0, -1, kExtent}};
    for (int k = 0; k < 3; ++k) {
      const Index a = pick(-30, 30);
      const Index b = pick(-30, 30);
      const Index c = pick(-60, 60);
      planes.push_back({a, b, c});
      if (random() % 2 == 0) planes.push_back({-a, -b, pick(0, 12) - c});  // a strip, often without a point
    }
    const bool expected = found_by_looking(planes, kExtent);
    without += !expected;
    const auto found = detail::has_integer_point(planes);
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(*found, expected) << "case " << i;
  }
  EXPECT_GT(without, 500);  // both answers occur
}

TEST(PlanePointsTest, SimplifyFindsTwoVariableSystemsThatAreEmptyThoughLarge) {
  const Expr x = Expr::variable(0);
  const Expr y = Expr::variable(1);
  const Domain box({{Interval{0, 1000000}}, {Interval{0, 1000000}}}, {}, {});
  Domain thin = box;  // 7y < 5x < 7y + 1 and the like: no integer between
  thin.constrain(x * 1001 - y * 1000, 1, 1);
  thin.constrain(x * 999 - y * 1000, 1, 1);
  EXPECT_TRUE(simplify(IndexMap::make_unchecked(thin, {x})).known_empty());
  Domain strip = box;
  strip.constrain(x * 6 - y * 10, 1, 1);
  EXPECT_TRUE(simplify(IndexMap::make_unchecked(strip, {x})).known_empty());
  Domain alive = box;
  alive.constrain(x * 1001 - y * 1000, 1, 1);
  EXPECT_FALSE(simplify(IndexMap::make_unchecked(alive, {x})).known_empty());
}

}  // namespace
}  // namespace tessera
