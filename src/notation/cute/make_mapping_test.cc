// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "algebra/extents_test.h"
#include "tessera/algebra/static_layout.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

using testing_mdspan::Extents;

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

TEST(MakeMapping, RefusesWhatAnMdspanCannotHave) {
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

TEST(MakeMapping, NeedsAnIndexTypeForItsOffsets) {
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

}  // namespace
}  // namespace tessera
