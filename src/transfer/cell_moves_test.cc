// SPDX-License-Identifier: Apache-2.0
#include "transfer/cell_moves.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/index_walk.h"
#include "notation/to_digits.h"
#include "tessera/notation/layout.h"

namespace tessera::transfer {
namespace {

// Source offset of each target offset, by enumeration.
void add_pairs(const StridedMove& move, std::size_t loop, Index from, Index to, std::map<Index, Index>& out) {
  if (loop == move.loops.size()) {
    EXPECT_TRUE(out.emplace(to, from).second) << to << " is written twice";
    return;
  }
  for (Index i = 0; i < move.loops[loop].extent; ++i)
    add_pairs(move, loop + 1, from + i * move.loops[loop].from, to + i * move.loops[loop].to, out);
}

// A move of some elements of an array to consecutive places: a box with steps, dimensions in any order, whose
// loops are joined where they can be.
StridedMove random_part(std::span<const Index> shape, std::mt19937_64& random) {
  const auto below = [&](Index limit) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(limit));
  };
  const std::vector<Index> strides = detail::row_major_strides(shape);
  StridedMove move{.to = below(10)};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool whole = below(2) == 0;
    const Index first = whole ? 0 : below(shape[d]);
    const Index step = whole ? 1 : 1 + below(2);
    const Index extent = whole ? shape[d] : 1 + below((shape[d] - first - 1) / step + 1);
    move.from += first * strides[d];
    move.loops.push_back({extent, step * strides[d], 0});
  }
  if (below(3) == 0) std::ranges::shuffle(move.loops, random);
  Index to = 1;
  for (std::size_t k = move.loops.size(); k-- > 0; to *= move.loops[k].extent) move.loops[k].to = to;
  order_by_target(move);
  return move;
}

TEST(CellMoves, TakeElementsWhereTheLayoutHasThem) {
  const char* const texts[] = {
      "f32[6,10]{1,0:T(2,4)}",    "f32[5,7]{1,0:T(2,4)}",     "bf16[9,12]{1,0:T(8,128)(2,1)}",
      "f32[5,7,3]{0,2,1:T(2,2)}", "np:(4,6):(1,4)",           "np:(4,6):(-6,1) + 18",
      "f32[4,4,4]{2,1,0:T(4)}",   "pack:awq u4[4,16]",        "pack:marlin u4[32,64]",
      "scale:128x4 u8[200,12]",   "cute:((2,3),4):((1,8),2)", "f32[7]{0}",
  };
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    const auto layout = parse_layout(text);
    ASSERT_TRUE(layout) << layout.error().message;
    const auto digits = to_digits(*layout);
    ASSERT_TRUE(digits);
    for (int n = 0; n < 200; ++n) {
      const StridedMove move = random_part(layout->shape(), random);
      SCOPED_TRACE(to_string(move));
      std::map<Index, Index> expected;
      add_pairs(move, 0, move.from, move.to, expected);
      for (auto& [to, from] : expected)
        from = layout->offset(detail::index_with_number(layout->shape(), from));
      std::vector<StridedMove> moves;
      ASSERT_TRUE(from_cells(move, *digits, moves));
      std::map<Index, Index> found;
      for (const StridedMove& one : moves) add_pairs(one, 0, one.from, one.to, found);
      EXPECT_EQ(found, expected);

      // The other direction: from consecutive places.
      StridedMove back{move.to, move.from, {}};
      for (const StridedLoop& loop : move.loops) back.loops.push_back({loop.extent, loop.to, loop.from});
      moves.clear();
      ASSERT_TRUE(to_cells(back, *digits, moves));
      std::map<Index, Index> scattered;
      for (const StridedMove& one : moves) add_pairs(one, 0, one.from, one.to, scattered);
      std::map<Index, Index> inverse;
      for (const auto& [to, from] : expected) inverse.emplace(from, to);
      EXPECT_EQ(scattered, inverse);
    }
  }
}

// A whole tiled array moves in as many pieces as its tiles are cut, not in one piece for each row.
TEST(CellMoves, AreFew) {
  const auto layout = parse_layout("f32[1000,3000]{1,0:T(8,128)}");
  std::vector<StridedMove> moves;
  ASSERT_TRUE(from_cells({0, 0, {{3'000'000, 1, 1}}}, *to_digits(*layout), moves));
  EXPECT_LE(moves.size(), 4u);
  moves.clear();
  ASSERT_TRUE(from_cells({0, 0, {{1000, 3000, 100}, {100, 1, 1}}}, *to_digits(*layout), moves));
  EXPECT_EQ(moves.size(), 1u);
}

// Every third row of tiles of 8 rows, and steps that almost are a tile: a long way without an aligned place.
TEST(CellMoves, WithStepsThatDoNotDivideTilesAreFewOrDone) {
  const auto tiled = parse_layout("f32[900000,8]{1,0:T(8,4)}");
  for (const Index first : {0, 1, 2}) {
    std::vector<StridedMove> moves;
    ASSERT_TRUE(from_cells({first * 8, 0, {{300'000, 24, 8}, {8, 1, 1}}}, *to_digits(*tiled), moves));
    EXPECT_LE(moves.size(), 4u);
    Index elements = 0;
    for (const StridedMove& move : moves) elements += move.elements();
    EXPECT_EQ(elements, 2'400'000);
  }
  const auto large = parse_layout("f32[102300000,4]{1,0:T(1024,2)}");
  std::vector<StridedMove> moves;
  ASSERT_TRUE(from_cells({0, 0, {{100'000, 4092, 4}, {4, 1, 1}}}, *to_digits(*large), moves));
  EXPECT_LE(moves.size(), 100'000u);
}

}  // namespace
}  // namespace tessera::transfer
