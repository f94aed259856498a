// SPDX-License-Identifier: Apache-2.0
#include "notation/axe/axe_of_triton.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/index_walk.h"

namespace tessera::detail {
namespace {

std::map<std::string, Index> by_name(const Place& place, std::span<const PlacementAxis> axes) {
  std::map<std::string, Index> out;
  for (std::size_t a = 0; a < axes.size(); ++a) out[axes[a].name] = place[a];
  return out;
}

// The places of each element are the registers that hold it.
void check_owners(const std::string& text) {
  SCOPED_TRACE(text);
  const auto layout = parse_triton_layout(text);
  ASSERT_TRUE(layout);
  const auto axe = axe_of_triton(*layout);
  ASSERT_TRUE(axe) << axe.error().message;
  EXPECT_EQ(axe->shape, *layout->shape);
  const auto placed = placement(*axe);
  const auto bases = triton_bases(*layout);
  ASSERT_TRUE(placed && bases);
  const Index lanes = Index{1} << bases->of("lane").size();
  std::vector<Index> index(axe->shape.size(), 0);
  do {
    std::set<std::map<std::string, Index>> expected;
    const auto holders = triton_holders(*bases, index, 1 << 16);
    ASSERT_TRUE(holders);
    for (const TritonPlace& place : holders->places) {
      std::map<std::string, Index> one = {{"m", place.reg}};
      if (placed->axis("tx")) one["tx"] = place.lane + lanes * place.warp;
      if (placed->axis("laneid")) one["laneid"] = place.lane;
      if (placed->axis("warpid")) one["warpid"] = place.warp;
      if (placed->axis("cbx")) one["cbx"] = place.block;
      expected.insert(std::move(one));
    }
    std::set<std::map<std::string, Index>> got;
    const auto found = places(*placed, index);
    ASSERT_TRUE(found);
    for (const Place& place : *found) {
      auto one = by_name(place, placed->axes());
      one.emplace("m", 0);
      got.insert(std::move(one));
    }
    ASSERT_EQ(got, expected);
  } while (next_index(index, axe->shape));
}

TEST(AxeOfTriton, PlacesAreOwners) {
  for (const char* const text : {
           "16x16:BlockedLayout([1,2],[4,8],[2,1],[1,0])",
           "8x8:BlockedLayout([1,2],[8,8],[2,1],[1,0])",
           "4x4:BlockedLayout([4,4],[1,1],[1,1],[1,0])",
           "2x8:BlockedLayout([1,1],[4,4],[2,2],[0,1])",
           "16x16:BlockedLayout([1,2],[4,8],[1,1],[1,0],[[1,0]])",
           "16:SliceLayout(1, BlockedLayout([1,8],[4,8],[4,1],[1,0]))",
           "32x32:NVMMADistributedLayout([2,0],[2,2],[16,8])",
           "16x32:DotOperandLayout(0, NVMMADistributedLayout([2,0],[2,2],[16,8]), 2)",
       })
    check_owners(text);
}

TEST(AxeOfTriton, RefusesWhatAnIteratorCannotMove) {
  const auto layout = parse_triton_layout(
      "4x4:#ttg.generic_linear<{register = [[0, 1], [0, 2]], lane = [[1, 0]], warp = [[3, 1]], block = []}>");
  ASSERT_TRUE(layout);
  const auto axe = axe_of_triton(*layout);
  ASSERT_FALSE(axe);
  EXPECT_EQ(axe.error().reason, "axes");
}

}  // namespace
}  // namespace tessera::detail
