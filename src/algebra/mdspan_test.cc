// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/mdspan.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "algebra/extents_test.h"

namespace tessera {
namespace {

using testing_mdspan::Extents;

template <StridedLayout L, std::size_t kRank>
using Mapping = typename layout_tessera<L>::template mapping<Extents<kRank>>;

using Tiled = Mapping<"((2,2),(2,3)):((2,12),(1,4))"_layout, 2>;
static_assert(Tiled().extents() == Extents<2>(4, 6) && Tiled()(2, 3) == 17);
static_assert(Tiled().required_span_size() == 24 && Tiled().is_exhaustive() && Tiled::is_always_unique());
static_assert(!Tiled::is_always_strided() && !Tiled::is_always_exhaustive());
// Smaller extents crop the layout, as in f32[3,5]{1,0:T(2,2)}.
static_assert(Tiled(Extents<2>(3, 5)).required_span_size() == 21 && !Tiled(Extents<2>(3, 5)).is_exhaustive());
static_assert(Tiled(Extents<2>(0, 5)).required_span_size() == 0);
static_assert(!Tiled::fits(Extents<2>(5, 5)) && Tiled::fits(Extents<2>(4, 6)));
static_assert(Tiled() == Tiled(Extents<2>(4, 6)) && !(Tiled() == Tiled(Extents<2>(3, 6))));

using Strided = Mapping<"((2,4),8):((8,16),1)"_layout, 2>;
static_assert(Strided::is_always_strided() && Strided().stride(0) == 8 && Strided().stride(1) == 1);
template <class M>
concept has_strides = requires(M m) { m.stride(0); };
static_assert(has_strides<Strided> && !has_strides<Tiled>);

static_assert(!Mapping<"(4,8):(0,1)"_layout, 2>::is_always_unique());
static_assert(Mapping<"(4,8):(0,1)"_layout, 2>().is_exhaustive());

template <class M>
void agrees_with_counting() {
  for (int rows = 0; rows <= M().extents().extent(0); ++rows) {
    for (int columns = 0; columns <= M().extents().extent(1); ++columns) {
      const M map(Extents<2>(rows, columns));
      std::vector<int> offsets;
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) offsets.push_back(map(i, j));
      }
      const std::set<int> image(offsets.begin(), offsets.end());
      const int span = image.empty() ? 0 : *image.rbegin() + 1;
      EXPECT_EQ(map.required_span_size(), span) << rows << " x " << columns;
      const bool covers = static_cast<int>(image.size()) == span;
      EXPECT_TRUE(!map.is_unique() || image.size() == offsets.size()) << rows << " x " << columns;
      EXPECT_TRUE(!map.is_exhaustive() || covers) << rows << " x " << columns;
      EXPECT_TRUE(!map.is_unique() || map.is_exhaustive() == covers) << rows << " x " << columns;
    }
  }
}

TEST(Mdspan, AMappingIsWhatCountingSaysAtEveryCrop) {
  agrees_with_counting<Tiled>();
  agrees_with_counting<Strided>();
  agrees_with_counting<Mapping<"((2,2,2),(3,2)):((24,1,6),(2,12))"_layout, 2>>();
  agrees_with_counting<Mapping<"((3,2),4):((5,1),0)"_layout, 2>>();
}

using Swizzled =
    typename layout_tessera<"(8,64):(64,1)"_layout, Swizzle{3, 3, 3}>::template mapping<Extents<2>>;
static_assert(Swizzled()(1, 0) == 72 && Swizzled().required_span_size() == 512 && Swizzled().is_exhaustive());
static_assert(Swizzled::is_always_unique() && !Swizzled::is_always_strided() && !has_strides<Swizzled>);

using Dynamic = layout_tessera_dynamic::mapping<Extents<2>>;

TEST(Mdspan, ASwizzledMappingIsWhatCountingSaysAtEveryCrop) {
  agrees_with_counting<
      typename layout_tessera<"(4,8):(8,1)"_layout, Swizzle{2, 0, 3}>::template mapping<Extents<2>>>();
  agrees_with_counting<
      typename layout_tessera<"(4,8):(9,1)"_layout, Swizzle{1, 2, -2}>::template mapping<Extents<2>>>();
}

// A run-time mapping agrees with the constant one of the same layout, at every crop.
template <class Constant>
void agrees_with_constant() {
  const Constant whole;
  for (int rows = 0; rows <= whole.extents().extent(0); ++rows) {
    for (int columns = 0; columns <= whole.extents().extent(1); ++columns) {
      const Constant constant(Extents<2>(rows, columns));
      const Dynamic dynamic(constant);
      EXPECT_EQ(dynamic.required_span_size(), constant.required_span_size()) << rows << " x " << columns;
      EXPECT_EQ(dynamic.is_unique(), constant.is_unique());
      EXPECT_EQ(dynamic.is_strided(), constant.is_strided());
      if (dynamic.is_exhaustive()) {
        EXPECT_TRUE(constant.is_exhaustive());
      }
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
          ASSERT_EQ(dynamic(i, j), constant(i, j)) << i << ", " << j;
        }
      }
    }
  }
}

TEST(Mdspan, ADynamicMappingAgreesWithTheConstantOne) {
  agrees_with_constant<Tiled>();
  agrees_with_constant<Strided>();
  agrees_with_constant<Mapping<"((2,2,2),(3,2)):((24,1,6),(2,12))"_layout, 2>>();
  agrees_with_constant<Mapping<"((3,2),4):((5,1),0)"_layout, 2>>();
  // Packed: the odd-even order of eight columns.
  agrees_with_constant<Mapping<"(3,(2,4)):(8,(4,1))"_layout, 2>>();
  agrees_with_constant<
      typename layout_tessera<"(4,8):(8,1)"_layout, Swizzle{2, 0, 3}>::template mapping<Extents<2>>>();
}

static_assert(Dynamic::fits(Extents<2>(4, 8), "(4,8):(8,1)"_layout));
static_assert(!Dynamic::fits(Extents<2>(5, 8), "(4,8):(8,1)"_layout));
static_assert(!Dynamic::fits(Extents<2>(4, 8), "(4,8):(-8,1)"_layout));

TEST(Mdspan, MappingsConvert) {
  const Tiled tiled(Extents<2>(3, 5));
  const Dynamic dynamic(tiled);
  EXPECT_EQ(dynamic, Dynamic(Extents<2>(3, 5), "((2,2),(2,3)):((2,12),(1,4))"_layout));
  EXPECT_FALSE(dynamic == Dynamic(Extents<2>(3, 5)));
  // Converts from and to the mapping of another policy.
  const Dynamic rows(Strided(Extents<2>(8, 8)));
  EXPECT_TRUE(rows.is_strided() && rows.stride(0) == 8 && rows.stride(1) == 1);
  EXPECT_EQ(Dynamic(Extents<2>(8, 8)), rows);
}

}  // namespace
}  // namespace tessera
