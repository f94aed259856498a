// SPDX-License-Identifier: Apache-2.0
// Values that no text gives, made by a C++ caller. Each once crashed, did not end, or was accepted although
// it could not be used.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tessera/access/access.h"
#include "tessera/access/memory_target.h"
#include "tessera/notation/cute.h"
#include "tessera/notation/packed_layout.h"
#include "tessera/notation/sharding.h"
#include "tessera/notation/tensor_type.h"
#include "tessera/reshard/distribution.h"

namespace tessera {
namespace {

template <class T>
Code code_of(const Result<T>& result) {
  EXPECT_FALSE(result);
  return result ? Code::syntax : result.error().code;
}

TEST(HandBuiltValues, AShapeMayHaveAnExtentOf0) {
  const IntTuple shape = make_tuple(0, 3);
  EXPECT_EQ(code_of(algebra::idx2crd(IntTuple(3), shape)), Code::bad_extent);
  EXPECT_EQ(code_of(algebra::crd2crd(IntTuple(3), IntTuple(4), shape)), Code::bad_extent);
  EXPECT_TRUE(algebra::idx2crd(IntTuple(3), make_tuple(3, 0)));
}

TEST(HandBuiltValues, ChainsAreRecastByPositiveNumbers) {
  const auto chain = parse_cute_expression("Sw<1,0,1> o _2 o (4):(1)")->layout;
  for (const Index n : {Index{0}, Index{-1}}) {
    EXPECT_EQ(code_of(algebra::upcast(chain, n)), Code::bad_extent);
    EXPECT_EQ(code_of(algebra::downcast(chain, n)), Code::bad_extent);
  }
}

TEST(HandBuiltValues, PackedEntriesAreChecked) {
  using Kind = PackedDim::Kind;
  EXPECT_EQ(code_of(PackedLayout::make({{-1, Kind::dynamic, 0}})), Code::dim_out_of_range);
  EXPECT_EQ(code_of(PackedLayout::make({{256, Kind::dynamic, 0}})), Code::dim_out_of_range);
  EXPECT_EQ(code_of(PackedLayout::make({{0, Kind::dynamic, 5}})), Code::number_range);
  EXPECT_EQ(code_of(PackedLayout::make({{0, Kind::packed, -2}, {1, Kind::dynamic, 0}})), Code::number_range);
}

TEST(HandBuiltValues, GridsAndAccessesAreChecked) {
  const Layout warp = *parse_layout("32:1");
  EXPECT_EQ(code_of(count_grid({.lanes = warp, .warps = warp, .vector = 0})), Code::bad_extent);
  EXPECT_EQ(code_of(count_grid({.lanes = warp, .warps = warp, .element_bits = 0})), Code::unsupported_width);
  const std::vector<Access> accesses = {whole_layout(warp)};
  EXPECT_EQ(code_of(analyze_accesses(warp, accesses, {.segments = {0}})), Code::bad_option);
}

TEST(HandBuiltValues, DistributionsAreChecked) {
  const Distribution good = *parse_distribution("mesh[x=2] [x]");
  const auto bound = [](const Distribution& distribution) {
    return code_of(bind_distribution(distribution, {8}));
  };
  ASSERT_TRUE(bind_distribution(good, {8}));
  for (const CutRule rule : {CutRule::cyclic, CutRule::strided, CutRule::strided_padded}) {
    Distribution one = good;
    one.cuts[0].rule = rule;
    one.cuts[0].size = 0;
    EXPECT_EQ(bound(one), Code::bad_extent);
  }
  Distribution one = good;
  one.cuts[0].axes = {7};
  EXPECT_EQ(bound(one), Code::index_out_of_range);
  one = good;
  one.cuts[0].start = 2;
  EXPECT_EQ(bound(one), Code::index_out_of_range);
  one = good;
  one.cuts[0].order = -1;
  EXPECT_EQ(bound(one), Code::bad_permutation);
  one = good;
  one.cuts[0].rule = CutRule::sizes;
  EXPECT_EQ(bound(one), Code::value_count);
  one.cuts[0].sizes = {-1, 9};
  EXPECT_EQ(bound(one), Code::negative_dim);
  for (const std::vector<Index>& on : {std::vector<Index>{5}, {-5, 3}}) {
    one = good;
    one.on = on;
    EXPECT_EQ(bound(one), Code::index_out_of_range);
  }
  one = good;
  one.mesh.places = {};
  EXPECT_EQ(bound(one), Code::device_count);
  one.mesh.places = {0, -7};
  EXPECT_EQ(bound(one), Code::index_out_of_range);
  one = good;
  one.mesh.axes[0].size = 0;
  EXPECT_EQ(bound(one), Code::device_count);
  one = good;
  one.local.storage = LocalLayout::Storage::layout;
  EXPECT_EQ(bound(one), Code::missing_layout);
}

TEST(HandBuiltValues, ShardingsAndTypesCanBeReadBack) {
  EXPECT_EQ(code_of(Sharding::tiled({2}, std::vector<Index>{0, -1}, {})), Code::device_count);
  EXPECT_EQ(code_of(TensorType::make(DType::token, {3})), Code::nonarray_dims);
  EXPECT_EQ(code_of(TensorType::make(DType::opaque, {}, TiledLayout{})), Code::layout_on_nonarray);
}

// Messages once showed the product that had wrapped around, and equal ranks that "differ".
TEST(HandBuiltValues, MessagesShowTheOperands) {
  const auto message = [](const auto& result) { return result ? "" : result.error().message; };
  const StridedLayout wide = parse_cute_layout("1152921504606846976:1")->layout;
  EXPECT_EQ(message(algebra::downcast(wide, 8)),
            "downcast(1152921504606846976:1, 8): the result of 1152921504606846976 and 8 does not fit in 64 "
            "bits (leaf 0)");
  EXPECT_EQ(message(algebra::crd2idx(make_tuple(3), IntTuple(4))), "crd2idx((3), 4): the nesting differs");
  EXPECT_EQ(message(algebra::coalesce(ComposedLayout(Swizzle{1, 0, 1}))),
            "coalesce(Sw<1,0,1>): a swizzle has no shape");
  EXPECT_EQ(message(algebra::first_difference(parse_cute_layout("15:1")->layout, wide)),
            "first_difference(15:1, 1152921504606846976:1): the sizes 15 and 1152921504606846976 differ");
}

}  // namespace
}  // namespace tessera
