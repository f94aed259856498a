// SPDX-License-Identifier: Apache-2.0
#include "tessera/placement/placement.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/index_walk.h"

namespace tessera {
namespace {

const std::vector<PlacementAxis> kWarpLane = {{"warp", AxisRole::place}, {"lane", AxisRole::place}};

Placement made(std::vector<Index> shape, std::vector<PlacementAxis> axes, PlacementDigits digits) {
  auto out = Placement::make(std::move(shape), std::move(axes), std::move(digits));
  EXPECT_TRUE(out.has_value()) << (out ? "" : out.error().message);
  return *std::move(out);
}

TEST(Placement, places_are_the_offset_plus_digits_plus_replicas) {
  const Placement p = made(
      {4, 2}, kWarpLane, {.index = {{4, {0, 2}}, {2, {1, 0}}}, .replicas = {{2, {4, 0}}}, .offset = {5, 0}});
  EXPECT_EQ(*places(p, std::vector<Index>{3, 1}), (std::vector<Place>{{6, 6}, {10, 6}}));
  EXPECT_EQ(to_string(*places(p, std::vector<Index>{3, 1}), p.axes()),
            "{warp 6, lane 6} and {warp 10, lane 6}");
}

TEST(Placement, refuses_digits_that_do_not_fill_the_shape) {
  const auto bad = Placement::make({4}, kWarpLane, {.index = {{2, {0, 1}}}, .offset = {0, 0}});
  EXPECT_EQ(bad.error().code, Code::shape_mismatch);
  const auto name = Placement::make({1}, {{"x"}, {"x"}}, {.offset = {0, 0}});
  EXPECT_EQ(name.error().code, Code::duplicate_name);
  const auto huge = Placement::make({4}, {{"x"}}, {.index = {{4, {Index{1} << 61}}}, .offset = {0}});
  EXPECT_EQ(huge.error().code, Code::overflow);
}

TEST(Placement, an_unnamed_memory_axis_is_0_but_an_unnamed_place_says_nothing) {
  const PlacementAxis m{"m", AxisRole::memory};
  const Placement with = made({2}, {kWarpLane[0], m}, {.index = {{2, {1, 0}}}, .offset = {0, 0}});
  const Placement without = made({2}, {kWarpLane[0]}, {.index = {{2, {1}}}, .offset = {0}});
  EXPECT_EQ(equal(with, without).verdict, Verdict::yes);
  const Placement memory = made({2}, {m}, {.index = {{2, {1}}}, .offset = {0}});
  EXPECT_EQ(equal(with, memory).reason, "axes");
}

TEST(Placement, sums_and_exclusive_ors_of_large_boxes_are_compared_by_structure) {
  const Index n = Index{1} << 40;
  const PlacementAxis m{"m", AxisRole::memory};
  PlacementDigits bits{.offset = {0}, .combination = DigitCombination::exclusive_or};
  for (Index b = n / 2; b >= 1; b /= 2) bits.index.push_back({2, {b}});
  const Placement by_bits = made({n}, {m}, bits);
  const Placement by_sum = made({n}, {m}, {.index = {{n, {1}}}, .offset = {0}});
  EXPECT_EQ(equal(by_bits, by_sum).verdict, Verdict::yes);
  bits.index[0].step[0] ^= 1;
  EXPECT_EQ(equal(made({n}, {m}, bits), by_sum).at, (std::vector<Index>{n / 2}));
}

// A random placement on two axes over one of few shapes.
Placement random_placement(std::mt19937& random, const std::vector<Index>& shape, bool exclusive) {
  const auto below = [&](int n) { return static_cast<Index>(random() % static_cast<unsigned>(n)); };
  const auto step = [&] { return exclusive ? below(8) : below(7) - 2; };
  PlacementDigits digits;
  digits.combination = exclusive ? DigitCombination::exclusive_or : DigitCombination::sum;
  Index rest = 1;
  for (const Index extent : shape) rest *= extent;
  while (rest > 1) {
    Index extent = exclusive ? 2 : 1 + below(static_cast<int>(rest));
    while (rest % extent != 0) ++extent;
    digits.index.push_back({extent, {step(), step()}});
    rest /= extent;
  }
  for (Index r = below(3); r > 0; --r)
    digits.replicas.push_back({exclusive ? 2 : 1 + below(3), {step(), step()}});
  digits.offset = {below(3) + (exclusive ? 0 : 16), below(3)};
  if (below(4) == 0) digits.swizzle = AxisSwizzle{0, {static_cast<int>(below(2)) + 1, 0, 2}};
  for (auto* list : {&digits.index, &digits.replicas}) {
    for (PlacementDigit& digit : *list) {
      if (digits.swizzle && digit.step[0] < 0) digit.step[0] = -digit.step[0];
    }
  }
  return made(shape, kWarpLane, std::move(digits));
}

TEST(Placement, equality_and_maps_agree_with_enumeration) {
  std::mt19937 random(20261129);
  int same = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Index> shape = round % 2 == 0 ? std::vector<Index>{4, 2} : std::vector<Index>{2, 3, 2};
    const bool exclusive = round % 4 == 0;
    const Placement a = random_placement(random, shape, exclusive);
    Placement b = random_placement(random, shape, exclusive && round % 8 == 0);
    if (round % 3 == 0) {  // nearly the same
      PlacementDigits digits = *a.digits();
      if (random() % 2 == 0 && !digits.index.empty()) digits.index.front().step[1] ^= 1;
      std::ranges::reverse(digits.replicas);
      b = made(shape, kWarpLane, digits);
    }
    const auto by_map = Placement::make(shape, kWarpLane, a.maps());
    ASSERT_TRUE(by_map.has_value());
    const PlacementEquality answer = equal(a, b);
    ASSERT_NE(answer.verdict, Verdict::undecided);
    std::vector<Index> index(shape.size(), 0);
    std::optional<std::vector<Index>> first;
    do {
      ASSERT_EQ(*places(a, index), *places(*by_map, index)) << round;
      if (!first && *places(a, index) != *places(b, index)) first = index;
    } while (detail::next_index(index, shape));
    ASSERT_EQ(answer.verdict == Verdict::yes, !first) << round;
    if (first) {
      ASSERT_EQ(answer.at, *first) << round;
      ASSERT_EQ(answer.a, *places(a, *first));
    }
    same += first ? 0 : 1;
    EXPECT_EQ(equal(a, *by_map).verdict, Verdict::yes);
  }
  EXPECT_GT(same, 200);
}

}  // namespace
}  // namespace tessera
