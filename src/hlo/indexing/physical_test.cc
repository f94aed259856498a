// SPDX-License-Identifier: Apache-2.0
#include "hlo/indexing/physical.h"

#include <gtest/gtest.h>

#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

TensorType tensor(std::vector<Index> dims, std::vector<Index> minor_to_major,
                  std::vector<std::vector<Index>> tiles = {}) {
  TensorType type{.dtype = DType::f32, .dims = std::move(dims)};
  type.layout = std::make_shared<TiledLayout>(
      TiledLayout{.minor_to_major = std::move(minor_to_major), .tiles = std::move(tiles)});
  return type;
}

TEST(PhysicalTest, LogicalToPhysicalListsDimensionsFromMajorToMinor) {
  EXPECT_EQ(to_string(*logical_to_physical(tensor({10, 20, 30}, {1, 0, 2}))),
            "(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]");
  EXPECT_EQ(to_string(*logical_to_physical(tensor({}, {}))), "() -> ()");
}

TEST(PhysicalTest, PhysicalToLogicalIsItsInverse) {
  EXPECT_EQ(to_string(*physical_to_logical(tensor({10, 20, 30}, {1, 0, 2}))),
            "(d0, d1, d2) -> (d1, d2, d0), domain: d0 in [0, 29], d1 in [0, 9], d2 in [0, 19]");
}

TEST(PhysicalTest, ToLinearSumsTheStridesOfTheLayout) {
  EXPECT_EQ(to_string(*to_linear(tensor({4, 8}, {1, 0}))),
            "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]");
  EXPECT_EQ(to_string(*to_linear(tensor({4, 8}, {0, 1}))),
            "(d0, d1) -> (d1 * 4 + d0), domain: d0 in [0, 3], d1 in [0, 7]");
  EXPECT_EQ(to_string(*to_linear(tensor({2, 3, 4}, {0, 2, 1}))),
            "(d0, d1, d2) -> (d1 * 8 + d2 * 2 + d0), domain: d0 in [0, 1], d1 in [0, 2], d2 in [0, 3]");
}

TEST(PhysicalTest, OffsetsOfAllElementsAreDistinctAndWithoutGaps) {
  const TensorType type = tensor({3, 1, 4, 2}, {2, 0, 3, 1});
  const IndexMap map = *to_linear(type);
  std::vector<bool> seen(24);
  for (Index a = 0; a < 3; ++a) {
    for (Index c = 0; c < 4; ++c) {
      for (Index d = 0; d < 2; ++d) {
        const std::vector<Index> point{a, 0, c, d};
        seen.at(static_cast<std::size_t>(map.evaluate(point)->at(0))) = true;
      }
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 24);
}

TEST(PhysicalTest, TilesUnboundedDimensionsAndOverflowAreRefused) {
  const auto tiled = logical_to_physical(tensor({16, 256}, {1, 0}, {{8, 128}}));
  ASSERT_FALSE(tiled.has_value());
  EXPECT_EQ(tiled.error().code, Code::not_representable);
  EXPECT_EQ(tiled.error().reason, "tiles");
  EXPECT_EQ(to_linear(tensor({-1, 2}, {1, 0})).error().code, Code::undefined_value);
  const Index big = Index{1} << 40;
  EXPECT_EQ(to_linear(tensor({big, big}, {1, 0})).error().code, Code::overflow);
  EXPECT_TRUE(to_linear(tensor({big, big, 0}, {2, 1, 0}))->known_empty());
}

TEST(PhysicalTest, AnElementwiseOperationWithAnotherLayoutPermutesPhysically) {
  const ParsedModules parsed = parse_hlo(
      "ENTRY e {\n  p0 = f32[10,20,30] parameter(0)\n  ROOT v0 = f32[10,20,30]{1,0,2} exponential(p0)\n}");
  const Instruction& v0 = *parsed.modules.at(0).entry->root;
  const auto physical =
      in_physical_form(*output_to_input(v0, {}), v0.type.array(), v0.operand_type(0).array());
  ASSERT_TRUE(physical.has_value());
  ASSERT_EQ(physical->size(), 1U);
  EXPECT_EQ(to_string(physical->at(0).map),
            "(d0, d1, d2) -> (d1, d2, d0), domain: d0 in [0, 29], d1 in [0, 9], d2 in [0, 19]");
}

}  // namespace
}  // namespace tessera
