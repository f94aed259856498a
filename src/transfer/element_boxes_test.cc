// SPDX-License-Identifier: Apache-2.0
#include "transfer/element_boxes.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/index_walk.h"
#include "laws/random_distributions.h"
#include "transfer/row_blocks.h"

namespace tessera::transfer {
namespace {

std::vector<Index> small_shape(std::mt19937_64& random) {
  std::vector<Index> shape(1 + random() % 3);
  for (Index& extent : shape) extent = static_cast<Index>(1 + random() % 14);
  return shape;
}

// Where the elements of an array are, one at a time, by the parts and runs of a bound distribution.
TEST(ElementBoxes, SayWhereEveryElementIs) {
  std::mt19937_64 random(20261);
  for (int n = 0; n < 300; ++n) {
    const std::vector<Index> shape = small_shape(random);
    SCOPED_TRACE(n);
    std::vector<BoundDistribution> sides;
    for (int side = 0; side < 2; ++side) {
      const std::string text = laws::random_distribution(random, shape, 12);
      sides.push_back(*bind_distribution(*parse_distribution(text), shape, 12));
    }
    const ElementHolders formulas[] = {ElementHolders(sides[0]), ElementHolders(sides[1])};
    ElementAxes axes{.sizes = shape, .cuts = {}, .crops = {}, .alone = std::vector(shape.size(), false)};
    for (std::size_t d = 0; d < shape.size(); ++d) {
      for (const ElementHolders& side : formulas) {
        if (side.is_cut(d)) axes.cuts.push_back({&side, d, {0, {{d, 1}}}});
      }
    }
    std::set<std::vector<Index>> seen;
    Index size = 0;
    ASSERT_TRUE(for_each_element_box(axes, [&](const PlacedBox& box) -> Result<void> {
      size += box.size();
      std::vector<Index> extents;
      for (const ElementLoop& loop : box.loops) extents.push_back(loop.extent);
      std::vector<Index> turn(extents.size(), 0);
      const auto at = [&](std::span<const Index> turns) {
        std::vector<Index> index = box.first;
        for (std::size_t k = 0; k < turns.size(); ++k) {
          for (std::size_t d = 0; d < index.size(); ++d) index[d] += turns[k] * box.loops[k].step[d];
        }
        return index;
      };
      do {
        EXPECT_TRUE(seen.insert(at(turn)).second);
        for (const BoundDistribution& side : sides) {
          const auto first = *holders(side, box.first);
          const auto here = *holders(side, at(turn));
          EXPECT_EQ(here.size(), first.size());
          if (here.size() != first.size()) return {};
          for (std::size_t h = 0; h < here.size(); ++h) {
            EXPECT_EQ(here[h].place, first[h].place);
            std::vector<Index> local = first[h].local;
            for (std::size_t k = 0; k < turn.size(); ++k) {
              std::vector<Index> one(turn.size(), 0);
              one[k] = 1;
              const auto next = *holders(side, at(one));
              for (std::size_t d = 0; d < local.size(); ++d)
                local[d] += turn[k] * (next[h].local[d] - first[h].local[d]);
            }
            EXPECT_EQ(here[h].local, local);
          }
        }
      } while (detail::next_index(turn, extents));
      return {};
    }));
    ASSERT_EQ(std::ssize(seen), size);
    ASSERT_EQ(size, *detail::element_count(shape));
  }
}

// Axes of one sum, a crop, and an axis whose values name tensors.
TEST(ElementBoxes, KeepCropsAndNamesApart) {
  const PieceMap::Crop crop{{0, {{0, 4}, {1, 1}}}, 10};
  const ElementAxes axes{
      .sizes = {3, 4, 5, 2}, .cuts = {}, .crops = {crop}, .alone = {false, false, false, true}};
  Index size = 0;
  Index boxes = 0;
  ASSERT_TRUE(for_each_element_box(axes, [&](const PlacedBox& box) -> Result<void> {
    EXPECT_LT(box.first[0] * 4 + box.first[1], 10);
    for (const ElementLoop& loop : box.loops) EXPECT_EQ(loop.step[3], 0);
    size += box.size();
    ++boxes;
    return {};
  }));
  EXPECT_EQ(size, 100);
  EXPECT_EQ(boxes, 4);
}

// Regression: runs whose distances repeat became a box each, all in memory at once.
TEST(ElementBoxes, JoinRunsWhoseDistancesRepeat) {
  const std::vector<Index> shape = {420'000};
  const auto bound = [&](const std::string& text) {
    return ElementHolders(*bind_distribution(*parse_distribution(text), shape, 3));
  };
  const ElementHolders sides[] = {bound("mesh[a=2] [a(cyclic 3)]"), bound("mesh[a=3] [a(cyclic 7)]")};
  const ElementAxes axes{.sizes = shape,
                         .cuts = {{&sides[0], 0, {0, {{0, 1}}}}, {&sides[1], 0, {0, {{0, 1}}}}},
                         .crops = {},
                         .alone = {false}};
  Index size = 0;
  Index boxes = 0;
  ASSERT_TRUE(for_each_element_box(axes, [&](const PlacedBox& box) -> Result<void> {
    size += box.size();
    ++boxes;
    return {};
  }));
  EXPECT_EQ(size, 420'000);
  EXPECT_LT(boxes, 1000);  // of 180,000 runs
}

TEST(RowBlocks, AreRowsOfTheLayout) {
  const std::pair<std::string, RowBlocks> cases[] = {
      {"f32[6,40]{1,0}", {40, 1}},
      {"f32[6,40]{0,1}", {40, 6}},
      {"f32[6,40]{1,0:T(4,16)}", {16, 1}},
      {"f32[20,40]{0,1:T(8,4)}", {8, 4}},
      {"bf16[16,256]{1,0:T(8,128)(2,1)}", {128, 2}},
      {"cute:Sw<2,3,2> o _0 o (8,32):(32,1)", {4, 1}},  // blocks of 8 are not found
      {"cute:Sw<2,0,3> o _0 o (8,8):(8,1)", {1, 1}},
      {"f32[]", {1, 1}},
  };
  for (const auto& [text, expected] : cases) {
    const auto layout = parse_layout(text);
    ASSERT_TRUE(layout) << text;
    const RowBlocks rows = RowBlocks::of(*layout);
    EXPECT_EQ(rows.extent, expected.extent) << text;
    EXPECT_EQ(rows.step, expected.step) << text;
    if (layout->shape().empty()) continue;
    std::vector<Index> index(layout->shape().size(), 0);
    do {
      std::vector<Index> begin = index;
      begin.back() -= begin.back() % rows.extent;
      EXPECT_EQ(layout->offset(index), layout->offset(begin) + (index.back() - begin.back()) * rows.step);
    } while (detail::next_index(index, layout->shape()));
  }
}

}  // namespace
}  // namespace tessera::transfer
