// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/mdspan.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace tessera {
namespace {

// The interface of std::extents, with every extent dynamic, for standard libraries before C++23.
template <std::size_t kRank>
struct Extents {
  using index_type = int;
  using size_type = unsigned;
  using rank_type = std::size_t;
  int values[kRank] = {};

  template <class... I>
  explicit constexpr Extents(I... i) : values{static_cast<int>(i)...} {}
  static constexpr rank_type rank() { return kRank; }
  constexpr index_type extent(rank_type r) const { return values[r]; }
  friend constexpr bool operator==(const Extents&, const Extents&) = default;
};

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

}  // namespace
}  // namespace tessera
