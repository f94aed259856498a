// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/tiled_map.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "base/index_walk.h"
#include "notation/from_digits.h"
#include "notation/to_digits.h"
#include "notation/xla/tiled_from_digits.h"

namespace tessera {
namespace {

using Shape = std::vector<Index>;

TensorType array(Shape dims, Shape minor_to_major, std::vector<Shape> tiles, Index tail = 1) {
  TiledLayout layout{
      .minor_to_major = std::move(minor_to_major), .tiles = std::move(tiles), .tail_align = tail};
  return {DType::f32, std::move(dims), {}, std::make_shared<const TiledLayout>(std::move(layout))};
}

TiledMap map_of(const TensorType& type) { return TiledMap::make(type).value(); }

TEST(TiledMapTest, APartialTileTakesAWholeTileOfMemory) {
  const TiledMap map = map_of(array({3, 5}, {1, 0}, {{2, 2}}));
  EXPECT_EQ(map.offset(Shape{2, 3}), 17);
  EXPECT_EQ(map.buffer_elements(), 24);
  EXPECT_EQ(map.padding_elements(), 9);
  EXPECT_EQ(map.padded_shape(), (Shape{4, 6}));
  EXPECT_TRUE(map.at(9)->is_padding());
  EXPECT_EQ(map.at(17)->index, (Shape{2, 3}));
}

TEST(TiledMapTest, RepeatedTilesPackRowsOfSixteenBitValues) {
  const TiledMap map = map_of(array({16, 256}, {1, 0}, {{8, 128}, {2, 1}}));
  EXPECT_EQ(map.offset(Shape{1, 0}), 1);
  EXPECT_EQ(map.offset(Shape{5, 130}), 1541);
  EXPECT_EQ(map.offset(Shape{15, 255}), 4095);
}

TEST(TiledMapTest, ALongTileActsOnDimensionsThatAreNotThere) {
  EXPECT_EQ(map_of(array({3}, {0}, {{8, 128}})).buffer_elements(), 1024);
  EXPECT_EQ(map_of(array({8}, {0}, {{2, 2}})).offset(Shape{5}), 9);
  EXPECT_EQ(map_of(array({8}, {0}, {{2, 1}})).offset(Shape{5}), 10);
  EXPECT_EQ(map_of(array({}, {}, {{128}})).buffer_elements(), 128);
}

TEST(TiledMapTest, CombinedDimensionsAreTiledAsOne) {
  const TiledMap map =
      map_of(array({2, 7, 8, 11, 10}, {4, 3, 2, 1, 0}, {{kCombine, kCombine, 2, kCombine, 3}}));
  EXPECT_EQ(map.offset(Shape{1, 3, 5, 7, 9}), 9484);
  EXPECT_EQ(map.buffer_elements(), 12432);
}

TEST(TiledMapTest, PaddingNamesTheTileThatCausedIt) {
  const TiledMap map = map_of(array({5}, {0}, {{4}, {3}}, 16));
  EXPECT_EQ(map.offset(Shape{4}), 6);
  EXPECT_EQ(map.at(4)->padding_of, 1);
  EXPECT_EQ(map.at(7)->padding_of, 0);
  EXPECT_EQ(map.at(12)->padding_of, TiledCell::kTail);
  EXPECT_EQ(map.at(16).error().code, Code::index_out_of_range);
}

TEST(TiledMapTest, SizesBeyondSixtyFourBitsAreRefused) {
  const Index huge = Index{1} << 62;
  EXPECT_EQ(TiledMap::make(array({huge, 1}, {1, 0}, {{8, 128}})).error().code, Code::overflow);
  EXPECT_EQ(map_of(array({huge, 0}, {1, 0}, {{8, 128}})).buffer_elements(), 0);
}

TEST(TiledMapTest, SplitsReportTheLargestPieces) {
  TensorType type = array({150, 200, 100}, {0, 1, 2}, {});
  TiledLayout layout = *type.layout;
  layout.splits = {{0, {30}}, {1, {40, 130}}};
  type.layout = std::make_shared<const TiledLayout>(layout);
  EXPECT_EQ(sizes(type)->split_dims, (Shape{150, 90, 70}));
}

class RandomTiles : public testing::Test {
 protected:
  static constexpr unsigned kSeed = 41;
  std::mt19937 random_{kSeed};

  Index pick(Index n) { return static_cast<Index>(random_() % static_cast<unsigned>(n)); }

  TensorType next() {
    Shape dims;
    for (Index n = 1 + pick(3); n > 0; --n) dims.push_back(1 + pick(9));
    Shape order(dims.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<Shape> tiles;
    for (Index n = pick(4); n > 0; --n) {
      Shape tile;
      for (Index r = 1 + pick(3); r > 0; --r) tile.push_back(pick(6) == 0 ? kCombine : 1 + pick(4));
      if (tile.back() == kCombine) tile.back() = 2;
      tiles.push_back(tile);
    }
    return array(dims, order, tiles);
  }
};

template <class Visit>
void for_each_index(const Shape& dims, const Visit& visit) {
  Shape index(dims.size(), 0);
  do {
    visit(index);
  } while (detail::next_index(index, dims));
}

// Law: at(offset(x)) is x, everything else is padding, and the symbolic map has the same values.
void check_inverse(const TensorType& type) {
  const TiledMap map = map_of(type);
  const IndexMap symbolic = map.to_index_map();
  Index elements = 0;
  for_each_index(type.dims, [&](const Shape& x) {
    const Index at = map.offset(x).value();
    EXPECT_EQ(map.at(at)->index, x);
    EXPECT_EQ(symbolic.evaluate(x)->front(), at);
  });
  for (Index o = 0; o < map.buffer_elements(); ++o) elements += !map.at(o)->is_padding();
  EXPECT_EQ(elements, map.elements());
}

// Law: the normal form has the map's values, and converting it back gives a layout with the same normal form.
void check_digits(const TensorType& type, int& without) {
  const auto digits = to_digits(type);
  if (!digits) {
    EXPECT_EQ(digits.error().code, Code::not_representable);
    ++without;
    return;
  }
  const TiledMap map = map_of(type);
  for_each_index(type.dims, [&](const Shape& x) { EXPECT_EQ(digits->offset(x), map.offset_unchecked(x)); });
  EXPECT_EQ(to_digits(digits->to_index_map()).value(), *digits);
  const auto found = to_tiled_layout(*digits);
  if (!found) {
    // The offsets of unevenly nested tiles can have digits by accident, with strides that no even tiling has.
    EXPECT_EQ(found.error().reason, "gap") << to_string(*digits);
    ++without;
    return;
  }
  const auto back =
      to_digits(TensorType{DType::f32, type.dims, {}, std::make_shared<const TiledLayout>(*found)});
  EXPECT_EQ(back.value(), *digits) << to_string(*digits) << " came back as " << to_string(*back) << " on "
                                   << testing::PrintToString(type.dims) << " from "
                                   << testing::PrintToString(found->minor_to_major)
                                   << testing::PrintToString(found->tiles);
  const auto packed = to_packed_layout(*digits);
  if (packed) {
    EXPECT_EQ(to_digits(*packed, type.dims).value(), *digits);
  } else {
    EXPECT_TRUE(packed.error().reason == "padding" || packed.error().reason == "order")
        << packed.error().reason;
  }
}

TEST_F(RandomTiles, AreInvertibleAndHaveTheDigitsOfTheirMap) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  int without = 0;
  for (int i = 0; i < 1500; ++i) {
    const TensorType type = next();
    check_inverse(type);
    check_digits(type, without);
  }
  EXPECT_GT(without, 10);
}

TEST(DigitsTest, LayoutsFarBeyondEnumerationKeepTheirDigits) {
  const TensorType type = array({Index{1} << 20, Index{1} << 20}, {1, 0}, {{8, 128}, {2, 1}});
  const Digits digits = to_digits(type).value();
  EXPECT_EQ(to_string(digits), "0,1,2,1 0,2,4,256 0,8,131072,8388608 1,1,128,2 1,128,8192,1024");
  EXPECT_EQ(to_tiled_layout(digits)->tiles, (std::vector<Shape>{{8, 128}, {2, 1}}));
}

TEST(DigitsTest, AnAccidentallyRegularTableIsFound) {
  // The offsets are 0 1 2 3 6: the second tile cuts the first one unevenly, yet two digits give these
  // offsets.
  EXPECT_EQ(to_string(to_digits(array({5}, {0}, {{4}, {3}})).value()), "0,1,4,1 0,4,2,6");
}

TEST(DigitsTest, AStraddlingCombinedTileIsEntangled) {
  const auto refused = to_digits(array({2, 3, 4}, {2, 1, 0}, {{kCombine, 2, 3}}));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, "entangled");
  EXPECT_FALSE(refused.error().witness.empty());
}

TEST(RaiseTest, OverlappingStridesShareAnOffsetOnlyInsideTheBox) {
  // 2 * 3 == 3 * 2, but with three rows and two columns no two indices share an offset.
  EXPECT_EQ(collision(*to_digits(Strides{{3, 2}, {2, 3}, 0}))->has_value(), false);
  const auto shared = collision(*to_digits(Strides{{4, 3}, {2, 3}, 0}));
  ASSERT_TRUE(shared->has_value());
  EXPECT_EQ((*shared)->first, (Shape{0, 2}));
  EXPECT_EQ((*shared)->second, (Shape{3, 0}));
}

TEST(RaiseTest, ASwizzleIsLinearWithoutDigits) {
  const auto swizzle = LinearLayout::make({{9, 18, 36}, {1, 2, 4}}).value();
  EXPECT_EQ(to_digits(swizzle).error().reason, "entangled");
  const std::vector<std::vector<std::size_t>> together = {{0, 1}};
  const Shape shape = swizzle.shape();
  EXPECT_EQ(to_linear_layout(
                shape, [&](std::span<const Index> x) { return swizzle.offset(x); }, together)
                .value(),
            swizzle);
}

TEST(RaiseTest, ACarryIsRefusedWithAnIndexThatShowsIt) {
  const auto refused = to_linear_layout(*to_digits(Strides{{4}, {3}, 0}));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, "carry");
  EXPECT_EQ(refused.error().witness, "(3)");  // its offset is 9, but 3 xor 6 is 5
}

}  // namespace
}  // namespace tessera
