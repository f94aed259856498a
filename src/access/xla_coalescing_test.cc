// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/access/memory_target.h"
#include "tessera/notation/tensor_type.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

IndexMap warp_map(std::string_view text) {
  auto map = parse_index_map(text);
  EXPECT_TRUE(map) << text;
  return *map;
}

TEST(XlaCoalescing, LooksAtTheFirstWarpOnly) {
  EXPECT_TRUE(coalesced_by_xla_rule(warp_map("(d0) -> (d0 + (d0 / 32) * d0), domain: d0 in [0, 63]"), 4));
  EXPECT_FALSE(coalesced_by_xla_rule(warp_map("(d0) -> (d0 * 2), domain: d0 in [0, 31]"), 4));
  EXPECT_FALSE(coalesced_by_xla_rule(std::nullopt, 4));
}

TEST(TileBandwidth, StopsAtTheFirstPartOfADimension) {
  const auto type = parse_hlo_type("f32[8,4,16]{1,2,0}");
  const std::vector<Index> tile = {2, 4, 8};
  EXPECT_EQ(tile_bandwidth(type->array(), tile, {}, 64).value(), 1.0);
  const std::vector<Index> strides = {1, 2, 1};
  EXPECT_EQ(tile_bandwidth(type->array(), tile, strides, 64).value(), 4.0 / 64);
  EXPECT_EQ(tile_bandwidth(type->array(), {}, {}, 64).error().code, Code::rank_mismatch);
}

}  // namespace
}  // namespace tessera
