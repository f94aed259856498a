// SPDX-License-Identifier: Apache-2.0
#include "reshard/pieces/piece_boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/index_walk.h"
#include "reshard/plan/gather.h"
#include "reshard/plan/message_boxes.h"

namespace tessera {
namespace {

// A cell of a stored tensor: name, place, offset.
using Cell = std::tuple<std::string, Index, Index>;

// Adds the moves of a box, element by element.
void add_moves(const PieceBox& piece, std::map<Cell, Cell>& out) {
  std::vector<Index> at(piece.box.loops.size(), 0);
  do {
    Index from = piece.box.from;
    Index to = piece.box.to;
    for (std::size_t k = 0; k < at.size(); ++k) {
      from += at[k] * piece.box.loops[k].from;
      to += at[k] * piece.box.loops[k].to;
    }
    const bool fresh =
        out.emplace(Cell{piece.to.name, piece.to.place, to}, Cell{piece.from.name, piece.from.place, from})
            .second;
    EXPECT_TRUE(fresh) << piece.to.name << " at " << to << " is written twice";
  } while (detail::advance_last(
      at.size(), [&](std::size_t k) { return detail::next_value(at[k], 0, piece.box.loops[k].extent); }));
}

struct Sides {
  std::vector<std::pair<std::string, std::string>> from;
  std::vector<std::pair<std::string, std::string>> to;
  PieceCopies copies = {};
  std::string from_sharding = {};
  std::string to_sharding = {};
};

// Compares the boxes with PieceMatch::before and after, element by element.
void check(const std::vector<std::pair<std::string, std::string>>& axes, const Sides& sides) {
  AxisSizes sizes;
  for (const auto& [name, text] : axes) {
    if (text[0] == '(') {
      ASSERT_TRUE(sizes.add(name, std::string_view(text)));
    } else {
      ASSERT_TRUE(sizes.add(name, static_cast<Index>(std::stoll(text))));
    }
  }
  ASSERT_TRUE(sizes.resolve());
  const auto read = [&](const auto& list, const std::string& sharding) {
    std::vector<PieceTensor> out;
    for (const auto& [name, text] : list) {
      auto expression = parse_axis_expression(text, sizes);
      EXPECT_TRUE(expression) << text;
      PieceTensor tensor{name, *expression};
      if (!sharding.empty())
        tensor.on = *bind_distribution(*parse_distribution(sharding), tensor.axes.shape());
      out.push_back(std::move(tensor));
    }
    return out;
  };
  auto match = PieceMatch::make(read(sides.from, sides.from_sharding), read(sides.to, sides.to_sharding),
                                sizes, sides.copies);
  ASSERT_TRUE(match) << match.error().message;
  std::map<Cell, Cell> moves;
  ASSERT_TRUE(for_each_piece_box(*match, [&](const PieceBox& box) { add_moves(box, moves); }));
  std::size_t cells = 0;
  for (const MatchedPiece& piece : match->pieces()) {
    std::vector<Index> at(piece.axes.size(), 0);
    do {
      const auto before = match->before(piece.name, at);
      const auto after = match->after(piece.name, at);
      if (before && after) {
        for (const PieceLocation& location : *after) {
          ++cells;
          const auto moved = moves.find({location.tensor, location.place.value_or(0), location.offset});
          ASSERT_NE(moved, moves.end()) << location.tensor << " at " << location.offset;
          bool found = false;
          for (const PieceLocation& source : *before) {
            found = found || moved->second == Cell{source.tensor, source.place.value_or(0), source.offset};
          }
          EXPECT_TRUE(found) << piece.name << " comes from the wrong cell";
        }
      }
    } while (detail::advance_last(
        at.size(), [&](std::size_t k) { return detail::next_value(at[k], 0, piece.axes[k].size); }));
  }
  EXPECT_EQ(cells, moves.size());
}

TEST(PieceBoxes, MoveEveryElementToItsCells) {
  // Three tensors become one tensor, stripes, or slabs.
  const std::vector<std::pair<std::string, std::string>> qkv = {
      {"g", "4"}, {"h", "2"}, {"d", "3"}, {"n", "5"}};
  const std::vector<std::pair<std::string, std::string>> apart = {
      {"q", "q: [(g h d) n]"}, {"k", "k: [(g d) n]"}, {"v", "v: [(g d) n]"}};
  check(qkv, {apart, {{"qkv", "[(q: g h d | k: g d | v: g d) n]"}}});
  check(qkv, {{{"qkv", "[(g (q: h d | k: d | v: d)) n]"}}, apart});
  check({{"g", "(t gi)"}, {"t", "2"}, {"gi", "2"}, {"h", "2"}, {"d", "3"}, {"n", "5"}},
        {apart, {{"qkv", "t @ [(q: gi h d | k: gi d | v: gi d) n]"}}});
  // Alternating rows; a tensor for each expert; padded and cropped rows.
  check({{"f", "6"}, {"n", "5"}},
        {{{"gate", "gate: [f n]"}, {"up", "up: [f n]"}}, {{"both", "[(f (gate: 1 | up: 1)) n]"}}});
  check({{"e", "3"}, {"f", "4"}, {"n", "2"}}, {{{"experts.{e}.w", "[f n]"}}, {{"experts", "[e f n]"}}});
  check({{"e", "3"}, {"f", "4"}, {"n", "2"}}, {{{"experts", "[e n f]"}}, {{"experts.{e}.w", "[f n]"}}});
  check({{"v", "(t vi) crop 17"}, {"t", "4"}, {"vi", "5"}, {"n", "3"}},
        {{{"w", "[v n]"}}, {{"w", "t @ [vi n]"}}});
  check({{"v", "5"}, {"n", "3"}}, {{{"w", "[v n]"}}, {{"w", "[(v | _=3) n]"}}});
  // A tile order whose loops do not join, with a crop.
  check({{"m", "(R r4 r32) crop 300"},
         {"R", "3"},
         {"r4", "4"},
         {"r32", "32"},
         {"k", "(C c4)"},
         {"C", "2"},
         {"c4", "4"}},
        {{{"s", "[m k]"}}, {{"s", "[(R C r32 r4 c4)]"}}});
}

TEST(PieceBoxes, CutPiecesByShardings) {
  const std::vector<std::pair<std::string, std::string>> fused = {{"x", "[(gate: f | up: f) n]"}};
  const std::vector<std::pair<std::string, std::string>> apart = {{"g", "gate: [f n]"}, {"u", "up: [f n]"}};
  const std::vector<std::pair<std::string, std::string>> axes = {{"f", "7"}, {"n", "4"}};
  check(axes, {.from = fused, .to = apart, .from_sharding = "DeviceMesh((4)) [Shard(0)]"});
  check(axes, {.from = fused, .to = apart, .from_sharding = "DeviceMesh((2, 2)) [Shard(1), Replicate()]"});
  check(axes, {.from = apart, .to = fused, .to_sharding = "mesh[p=2,q=2] [p(cyclic 2), q]"});
  check(axes, {.from = fused,
               .to = {{"y", "[(f (gate: 1 | up: 1)) n]"}},
               .from_sharding = "mesh[t=3] [t(strided 2), -]",
               .to_sharding = "DeviceMesh((2, 2)) [Shard(0), Shard(0)]"});
  check(axes, {.from = apart,
               .to = fused,
               .from_sharding = "{replicated}",
               .to_sharding = "DeviceMesh((2)) [Replicate()]"});
}

TEST(PieceBoxes, WriteEveryCopyAndReadOne) {
  check({{"g", "2"}, {"r", "2"}, {"h", "(r hr)"}, {"hr", "2"}, {"d", "3"}},
        {.from = {{"q", "q: [(g h d)]"}, {"k", "k: [(g d)]"}},
         .to = {{"w", "g r @ [(q: hr d | k: d)]"}},
         .copies = {{"k", {"r"}}}});
  check({{"g", "2"}, {"r", "2"}, {"h", "(r hr)"}, {"hr", "2"}, {"d", "3"}},
        {.from = {{"w", "g r @ [(q: hr d | k: d)]"}},
         .to = {{"q", "q: [(g h d)]"}, {"k", "k: [(g d)]"}},
         .copies = {{"k", {"r"}}}});
}

// Compares with the holders of each element: every cell of every place is written once, from a holder.
TEST(PlaceBoxes, FillTheShardOfEveryPlace) {
  const char* const texts[] = {"DeviceMesh((2, 2)) [Shard(0), Shard(0)]",
                               "{devices=[4,1]<=[4]}",
                               "DeviceMesh((2, 2)) [Replicate(), Shard(1)]",
                               "mesh[p=2,q=3] [p(cyclic 2 from 1), q(cyclic 1)]",
                               "DeviceMesh((3, 2)) [_StridedShard(dim=0, sf=2), Shard(dim=0)]",
                               "mesh[] [-, -] on 3",
                               "mesh[r=3] [-, r(sizes 3,0,4)]"};
  for (const char* from : texts) {
    for (const char* to : texts) {
      const ReshardArray array{"", 16, *bind_distribution(*parse_distribution(from), {9, 7}),
                               *bind_distribution(*parse_distribution(to), {9, 7})};
      std::map<std::pair<Index, Index>, std::pair<Index, Index>> moves;
      ASSERT_TRUE(for_each_place_box(array, [&](const PlaceBox& place) {
        const StridedMove box =
            strided(place.box, detail::row_major_strides(*array.from.local_shape(place.from)),
                    detail::row_major_strides(*array.to.local_shape(place.to)));
        PieceBox piece{{}, {0, "", place.from}, {0, "", place.to}, box, {}};
        std::map<Cell, Cell> cells;
        add_moves(piece, cells);
        for (const auto& [target, source] : cells) {
          EXPECT_TRUE(moves
                          .emplace(std::pair(place.to, std::get<2>(target)),
                                   std::pair(place.from, std::get<2>(source)))
                          .second);
        }
      }));
      std::size_t cells = 0;
      for (Index i = 0; i < 9; ++i) {
        for (Index j = 0; j < 7; ++j) {
          const auto before = holders(array.from, std::vector<Index>{i, j});
          const auto after = holders(array.to, std::vector<Index>{i, j});
          for (const ShardHolder& holder : *after) {
            ++cells;
            const auto moved = moves.find({holder.place, holder.offset});
            ASSERT_NE(moved, moves.end()) << from << " to " << to;
            EXPECT_TRUE(std::ranges::any_of(*before,
                                            [&](const ShardHolder& source) {
                                              return moved->second == std::pair(source.place, source.offset);
                                            }))
                << from << " to " << to;
          }
        }
      }
      EXPECT_EQ(cells, moves.size()) << from << " to " << to;
    }
  }
}

}  // namespace
}  // namespace tessera
