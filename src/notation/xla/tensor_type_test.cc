// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/tensor_type.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(TensorTypeTest, MakeRefusesWhatMakesNoSense) {
  EXPECT_TRUE(TensorType::make(DType::f32, {2, 0, 3}).has_value());
  EXPECT_EQ(TensorType::make(DType::f32, {-1}).error().code, Code::negative_dim);
  EXPECT_EQ(TensorType::make(DType::f32, {2, 3}, TiledLayout{.minor_to_major = {0}}).error().code,
            Code::rank_mismatch);
  EXPECT_EQ(TensorType::make(DType::f32, {2, 3}, TiledLayout{.minor_to_major = {0, 0}}).error().code,
            Code::m2m_duplicate);
}

TEST(TensorTypeTest, ElementCountIsExactOrAbsent) {
  EXPECT_EQ((TensorType{.dims = {52000, 1000000}}).element_count(), 52000000000);
  EXPECT_EQ((TensorType{.dims = {}}).element_count(), 1);
  EXPECT_EQ((TensorType{.dims = {Index{1} << 32, Index{1} << 31}}).element_count(), std::nullopt);
  EXPECT_EQ((TensorType{.dims = {Index{1} << 32, Index{1} << 31, 0}}).element_count(), std::nullopt);
  EXPECT_EQ((TensorType{.dims = {-1, 2}, .dim_kinds = {DimKind::unbounded, DimKind::fixed}}).element_count(),
            std::nullopt);
}

TEST(TensorTypeTest, WithoutALayoutTheLastDimensionIsTheFastest) {
  EXPECT_EQ((TensorType{.dims = {2, 3, 4}}).minor_to_major(), (std::vector<Index>{2, 1, 0}));
}

TEST(TensorTypeTest, LayoutsAreComparedByValue) {
  const auto a = TensorType::make(DType::f32, {2, 3}, TiledLayout{.minor_to_major = {0, 1}});
  const auto b = TensorType::make(DType::f32, {2, 3}, TiledLayout{.minor_to_major = {0, 1}});
  const auto c =
      TensorType::make(DType::f32, {2, 3}, TiledLayout{.minor_to_major = {0, 1}, .memory_space = 1});
  EXPECT_EQ(*a, *b);
  EXPECT_NE(*a, *c);
}

}  // namespace
}  // namespace tessera
