// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/mdspan.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tessera/notation/cute.h"

namespace tessera {
namespace {

// The interface of std::extents, with every extent dynamic, for standard libraries before C++23.
template <std::size_t kRank, class I = int>
struct Extents {
  using index_type = I;
  using size_type = unsigned;
  using rank_type = std::size_t;
  I values[kRank] = {};

  template <class... N>
  explicit constexpr Extents(N... n) : values{static_cast<I>(n)...} {}
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

template <class E>
void expect_refusal(const StridedLayout& layout, const E& extents, const Diagnostic& expected,
                    Swizzle swizzle = Swizzle{0, 0, 0}) {
  const auto made = algebra::make_mapping(extents, layout, swizzle);
  ASSERT_FALSE(made.has_value()) << expected.message;
  EXPECT_EQ(made.error().code, expected.code) << expected.message;
  EXPECT_EQ(made.error().message, expected.message);
  EXPECT_EQ(made.error().witness, expected.witness) << expected.message;
  EXPECT_EQ(made.error().help, expected.help) << expected.message;
  EXPECT_FALSE(layout_tessera_dynamic::mapping<E>::fits(extents, layout, swizzle)) << expected.message;
}

TEST(Mdspan, ADynamicMappingRefusesWhatAnMdspanCannotHave) {
  constexpr StridedLayout kRows = "(4,8):(8,1)"_layout;
  expect_refusal(
      "(4,8):(-8,1)"_layout, Extents<2>(4, 8),
      {.code = Code::negative_stride,
       .message = "make_mapping((4,8), (4,8):(-8,1)): the stride of 4:-8 in dimension 0 is negative",
       .witness = "index 1 of dimension 0 has the offset -8"});
  expect_refusal(
      "(4,(2,4)):(8,(1,-2))"_layout, Extents<2>(4, 3),
      {.code = Code::negative_stride,
       .message = "make_mapping((4,3), (4,(2,4)):(8,(1,-2))): the stride of 4:-2 in dimension 1 is negative",
       .witness = "index 2 of dimension 1 has the offset -2"});
  expect_refusal(
      kRows, Extents<2>(5, 8),
      {.code = Code::index_out_of_range,
       .message = "make_mapping((5,8), (4,8):(8,1)): dimension 0 has the extent 5, but its mode has "
                  "the size 4",
       .witness = "index 4 of dimension 0 has no offset",
       .help = "use extents from 0 up to (4,8)"});
  expect_refusal(kRows, Extents<2>(-1, 8),
                 {.code = Code::index_out_of_range,
                  .message = "make_mapping((-1,8), (4,8):(8,1)): dimension 0 has the extent -1",
                  .help = "use extents from 0 up to (4,8)"});
  expect_refusal(
      "(4,8,2):(8,1,32)"_layout, Extents<2>(4, 8),
      {.code = Code::rank_mismatch,
       .message = "make_mapping((4,8), (4,8,2):(8,1,32)): the layout has 3 modes, but the mdspan has "
                  "2 dimensions",
       .help = "each top-level mode is one dimension: group the modes, or change the extents"});
  expect_refusal("(4,8):(1@0,1@1)"_layout, Extents<2>(4, 8),
                 {.code = Code::unsupported_codomain,
                  .message = "make_mapping((4,8), (4,8):(1@0,1@1)): an mdspan needs integer offsets, but the "
                             "strides are scaled bases"});
  expect_refusal(
      "((2,2,2,2,2,2,2,2,2),(2,2,2,2,2,2,2,2)):((1,3,7,15,31,63,127,255,511),(2,5,9,19,33,65,129,257))"_layout,
      Extents<2>(2, 2),
      {.code = Code::capacity,
       .message = "make_mapping((2,2), ((2,2,2,2,2,2,2,2,2),(2,2,2,2,2,2,2,2)):((1,3,7,15,31,63,127,"
                  "255,511),(2,5,9,19,33,65,129,257))): the modes have more than 16 digits after "
                  "adjacent digits are merged"});
}

TEST(Mdspan, ADynamicMappingNeedsAnIndexTypeForItsOffsets) {
  // 70000^2 exceeds int, but a part of it does not.
  constexpr StridedLayout kLarge = "(70000,70000):(70000,1)"_layout;
  const std::string help = "use extents with a wider index type";
  EXPECT_TRUE(algebra::make_mapping(Extents<2>(30000, 70000), kLarge).has_value());
  EXPECT_TRUE(algebra::make_mapping(Extents<2, long>(70000, 70000), kLarge).has_value());
  expect_refusal(
      kLarge, Extents<2>(70000, 70000),
      {.code = Code::overflow,
       .message = "make_mapping((70000,70000), (70000,70000):(70000,1)): 4900000000 offsets exceed "
                  "2147483647, the largest number of the index type",
       .help = help});
  expect_refusal(
      "(4,8):(3000000000,1)"_layout, Extents<2>(1, 8),
      {.code = Code::overflow,
       .message = "make_mapping((1,8), (4,8):(3000000000,1)): the stride 3000000000 in dimension 0 "
                  "exceeds 2147483647, the largest number of the index type",
       .help = help});
  // The offsets fit, but not the number of them, which required_span_size returns.
  using Bytes = Extents<1, signed char>;
  EXPECT_TRUE(algebra::make_mapping(Bytes(127), "128:1"_layout).has_value());
  expect_refusal(
      "(64,2):(2,1)"_layout, Extents<2, signed char>(64, 2),
      {.code = Code::overflow,
       .message = "make_mapping((64,2), (64,2):(2,1)): 128 offsets exceed 127, the largest number of "
                  "the index type",
       .help = help});
  // The swizzle stays inside its aligned blocks of 64.
  expect_refusal(
      "100:1"_layout, Bytes(100),
      {.code = Code::overflow,
       .message = "make_mapping((100), 100:1, Sw<3,0,3>): 128 offsets in blocks of the swizzle exceed "
                  "127, the largest number of the index type",
       .help = help},
      Swizzle{3, 0, 3});
}

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
