// SPDX-License-Identifier: Apache-2.0
#include "notation/xla/tiled_from_digits.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "notation/to_digits.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/tiled_map.h"

namespace tessera {
namespace {

Digits digits_of(std::string_view text) { return to_digits(parse_layout(text).value()).value(); }

TensorType with(std::vector<Index> dims, TiledLayout layout) {
  return {.dtype = DType::f32,
          .dims = std::move(dims),
          .layout = std::make_shared<const TiledLayout>(std::move(layout))};
}

std::string tiled(const Digits& digits) {
  const auto found = to_tiled_layout(digits);
  if (!found) return found.error().message;
  return to_string(Layout::make(with({digits.box().begin(), digits.box().end()}, *found)).value());
}

// Checks that every list found gives the function.
std::string check_lists(const Digits& digits) {
  const auto lists = to_tiled_layouts(digits);
  if (!lists) return lists.error().message;
  for (const TiledLayout& list : *lists) {
    const TensorType type = with({digits.box().begin(), digits.box().end()}, list);
    const auto again = to_digits(type);
    if (!again || *again != digits) return to_string(Layout::make(type).value()) + " is another function";
  }
  return "";
}

TEST(RaiseTiledTest, RatiosThatAreNoWholeMultiplesTakeACombinedTile) {
  // Regression: these failed with `gap`, because only tiles without * were tried.
  EXPECT_EQ(tiled(digits_of("(8,3,3):(10,1,3)")), "f32[8,3,3]{1,2,0:T(*,10)}");
  EXPECT_EQ(tiled(digits_of("(8,4,4):(1,8,33)")), "f32[8,4,4]{0,1,2:T(*,33)}");
  for (const std::string_view text :
       {"((2,2),2):((1,9),2) crop (3,2)", "(4,8):(3,16)", "(3,3,3,3,3):(1,4,13,40,121)",
        "(2,2,2,2,2,2):(7,11,19,41,97,181)", "(1000,1000,1000):(3,3001,4000003)"})
    EXPECT_EQ(check_lists(digits_of(text)), "") << text;
}

TEST(RaiseTiledTest, ACombinedTileMayBeSmallerThanWhatItCombines) {
  // For the offsets 0, 2, 3, 5, the unit coordinate that remains after the tile comes first.
  EXPECT_EQ(check_lists(digits_of("(2,2):(2,3)")), "");
  // The two digits of the first dimension never take their largest values together, so they do not reach 12.
  EXPECT_EQ(check_lists(digits_of("((3,2),2):((1,10),12) crop (5,2)")), "");
}

TEST(RaiseTiledTest, DigitsThatOverlapAreRefused) {
  const auto found = to_tiled_layout(digits_of("(3,2):(2,3)"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, "gap");
  EXPECT_EQ(found.error().message,
            "the digits with strides up to 2 reach offset 4, which overlaps stride 3; tiles that cut inside "
            "a digit "
            "were not tried (gap)");
}

TEST(RaiseTiledTest, TheFewestTilesPadInsideEarlierOnes) {
  // Regression: the answers were T(8)(2)(3) and T(8,1)(2,1)(3,1), because padding inside an earlier tile was
  // not searched.
  EXPECT_EQ(tiled(digits_of("(3,(2,3)):(12,(1,3))")), "f32[3,6]{1,0:T(2)(4,3)}");
  EXPECT_EQ(tiled(digits_of("((2,2),4):((1,3),12)")), "f32[4,4]{0,1:T(2)(4,3)}");
  // A dimension of extent 1 or a leading entry can also provide padding.
  EXPECT_EQ(tiled(digits_of("f32[8]{0:T(3,4)}")), "f32[8]{0:T(3,4)}");
  EXPECT_EQ(tiled(digits_of("f32[5,2,4]{2,1,0:T(7)(5,1)}")), "f32[5,2,4]{2,1,0:T(1)(7,5)}");
}

std::size_t entries(const TiledLayout& layout) {
  std::size_t count = 0;
  for (const auto& tile : layout.tiles) count += tile.size();
  return count;
}

// Draws each field in its own statement, so that all compilers draw the same values.
TensorType random_tiled(std::mt19937_64& random, Index largest, std::size_t tiles) {
  const auto draw = [&](Index low, Index high) {
    return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const Index rank = draw(1, 3);
  std::vector<Index> dims;
  for (Index d = 0; d < rank; ++d) dims.push_back(draw(1, largest));
  TiledLayout layout{.minor_to_major = descending_order(dims.size())};
  for (std::size_t d = dims.size(); d-- > 1;) {
    const auto other = static_cast<std::size_t>(draw(0, static_cast<Index>(d)));
    std::swap(layout.minor_to_major[d], layout.minor_to_major[other]);
  }
  for (std::size_t t = 0; t < tiles; ++t) {
    std::vector<Index> tile;
    const Index length = draw(1, rank + 1);
    for (Index i = 0; i < length; ++i) {
      const bool star = draw(0, 4) == 0 && i + 1 < length;
      const Index size = draw(1, largest);
      tile.push_back(star ? kCombine : size);
    }
    layout.tiles.push_back(std::move(tile));
  }
  return with(std::move(dims), std::move(layout));
}

TEST(RaiseTiledTest, WhatWasATileListIsFoundAgain) {
  const std::uint64_t seed = 20250118;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 4000; ++i) {
    const TensorType type = random_tiled(random, 8, static_cast<std::size_t>(i % 3));
    const auto digits = to_digits(type);
    if (!digits) continue;  // entangled or irregular
    EXPECT_EQ(check_lists(*digits), "")
        << "seed " << seed << ", case " << i << ": " << to_string(Layout::make(type).value());
  }
}

TEST(RaiseTiledTest, NoListOfOneTileIsShorter) {
  const std::uint64_t seed = 20250119;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 4000; ++i) {
    const TensorType type = random_tiled(random, 8, 1);
    const auto digits = to_digits(type);
    if (!digits) continue;
    const TiledLayout found = to_tiled_layout(*digits).value();
    EXPECT_LE(found.tiles.size(), 1U) << to_string(Layout::make(type).value());
    EXPECT_LE(entries(found), entries(*type.layout)) << to_string(Layout::make(type).value());
  }
}

// Regression: unit coordinates that remain after tiles got their own entries, so that their number doubled
// with each tile: 20 digits gave 33 MB of text, 26 used up the memory.
TEST(RaiseTiledTest, ListsOfManyDigitsStayShort) {
  const std::uint64_t seed = 20251122;
  std::mt19937_64 random(seed);
  for (const std::size_t digits : {9, 13, 20, 30, 50}) {
    std::vector<std::size_t> order(digits);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random);
    std::string strides;
    for (const std::size_t bit : order)
      strides += fmt::format("{}{}", strides.empty() ? "" : ",", std::size_t{1} << bit);
    std::string twos = "2";
    for (std::size_t i = 1; i < digits; ++i) twos += ",2";
    const Digits wanted = digits_of(fmt::format("cute:(({})):(({}))", twos, strides));
    EXPECT_EQ(check_lists(wanted), "") << "seed " << seed;
    EXPECT_LE(entries(to_tiled_layout(wanted).value()), 4 * digits * digits) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tessera
