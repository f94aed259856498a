// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "tessera/notation/packed_layout.h"

namespace tessera {
namespace {

using Shape = std::vector<Index>;

PackedLayout packed(std::string_view text) {
  auto parsed = parse_packed_layout(text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << (parsed ? "" : to_string(parsed.error()));
  return parsed.value_or(PackedLayout());
}

std::vector<Index> row(std::string_view text, const Shape& shape, Index r) {
  std::vector<Index> offsets;
  for (Index c = 0; c < shape[1]; ++c) offsets.push_back(offset(packed(text), shape, Shape{r, c}).value());
  return offsets;
}

TEST(MorelloTest, TextIsReadAndPrintedInCanonicalForm) {
  EXPECT_EQ(to_string(packed(" [ 1,0 , 1 p( 4 )]")), "[1, 0, 1 p(4)]");
  EXPECT_EQ(to_string(packed("[0,2,3,1]")), "NHWC");
  EXPECT_EQ(to_string(packed("(NHWC, c2)")), "(NHWC, c2)");
  EXPECT_EQ(to_string(packed("[]")), "[]");
  EXPECT_EQ(to_string(*parse_shaped_packed_layout("6x8:[1,0,1p(4)]")), "6x8:[1, 0, 1 p(4)]");
}

TEST(MorelloTest, ErrorsPointAtTheOffendingByte) {
  const auto missing = parse_packed_layout("[1, 0 p4]");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Code::syntax);
  EXPECT_EQ(missing.error().span, (Span{7, 8}));
  EXPECT_EQ(parse_packed_layout("[300]").error().code, Code::dim_out_of_range);
  EXPECT_EQ(parse_packed_layout("[0 p(4294967296)]").error().code, Code::number_range);
}

TEST(MorelloTest, RulesOfTheConstructorAreChecked) {
  EXPECT_EQ(parse_packed_layout("[0, 0 p(2)]").error().code, Code::mergeable);
  EXPECT_TRUE(parse_packed_layout("([0, 0 p(2)], c1)").has_value());
  EXPECT_EQ(parse_packed_layout("[0 p(2), 0]").error().code, Code::dynamic_not_outermost);
  EXPECT_EQ(parse_packed_layout("[0, 1, 0]").error().code, Code::dynamic_repeated);
  EXPECT_EQ(parse_packed_layout("[0 oe(3)]").error().code, Code::oddeven_odd);
  EXPECT_EQ(parse_packed_layout("[0 p(1)]").error().code, Code::packed_one);
  EXPECT_EQ(parse_packed_layout("([0], c2)").error().code, Code::contig_range);
}

TEST(MorelloTest, APackOfColumnsInterleavesThem) {
  EXPECT_EQ(row("[1, 0, 1 p(4)]", {6, 8}, 1), (Shape{4, 5, 6, 7, 28, 29, 30, 31}));
}

TEST(MorelloTest, OddEvenStoresEvenPositionsFirst) {
  EXPECT_EQ(row("[0, 1 oe(8)]", {2, 8}, 0), (Shape{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(row("[0, 1 oe(8)]", {2, 8}, 1), (Shape{8, 12, 9, 13, 10, 14, 11, 15}));
}

TEST(MorelloTest, AnOddEvenStripOutsideAPackMovesWholePacks) {
  Shape column;
  for (Index r = 0; r < 8; ++r)
    column.push_back(offset(packed("[0 oe(4), 1, 0 p(2)]"), Shape{8, 3}, Shape{r, 0}).value());
  EXPECT_EQ(column, (Shape{0, 1, 12, 13, 6, 7, 18, 19}));
}

TEST(MorelloTest, PacksMayBeCutShortOnceAndMustDivideOtherwise) {
  EXPECT_EQ(expand(packed("[0, 1, 0 p(4)]"), Shape{2, 64}).value(), (Shape{1, 64, 2}));
  EXPECT_EQ(expand(packed("[1, 0, 1 p(4), 0 p(2), 1 p(4)]"), Shape{10, 6}).error().code,
            Code::not_applicable);
  EXPECT_EQ(expand(packed("[0, 1, 0 p(4), 2, 0 p(4)]"), Shape{2, 3, 5}).error().code, Code::not_applicable);
}

TEST(MorelloTest, ATileKeepsTheContiguityThatItsExtentsAllow) {
  EXPECT_EQ(to_string(*tile(packed("[1, 0, 1 p(4)]"), Shape{64, 64}, Shape{16, 2})), "([0, 1], c1)");
  EXPECT_EQ(to_string(*tile(packed("[0, 2, 1, 2 p(32)]"), Shape{2, 4, 64}, Shape{1, 4, 16})), "([1, 2], c1)");
  EXPECT_EQ(to_string(*canonicalize(packed("[1, 0, 1 p(8)]"), Shape{32, 8})), "[0, 1]");
}

TEST(MorelloTest, ContiguityOfATileThatStartsInsideAPackIsDecidedFromOffsets) {
  EXPECT_EQ(contiguous_exact(packed("[1, 0, 1 p(3)]"), Shape{6, 6}, Shape{6, 3}, Shape{0, 3}), true);
  EXPECT_EQ(contiguous_exact(packed("[1, 0, 1 p(3)]"), Shape{6, 6}, Shape{6, 3}, Shape{0, 2}), false);
}

// Law: the map is a bijection from the box to [0, elements).
void check_bijection(const PackedLayout& packed, const Shape& shape) {
  if (!expand(packed, shape)) return;
  std::vector<bool> hit(static_cast<std::size_t>(shape[0] * shape[1]), false);
  for (Index r = 0; r < shape[0]; ++r) {
    for (Index c = 0; c < shape[1]; ++c) {
      const auto at = static_cast<std::size_t>(offset(packed, shape, Shape{r, c}).value());
      ASSERT_LT(at, hit.size()) << to_string(packed);
      EXPECT_FALSE(hit[at]) << to_string(packed);
      hit[at] = true;
    }
  }
}

// Law: canonical text parses back to the same value, and canonicalize keeps the map.
void check_text_and_canonical(const PackedLayout& packed, const Shape& shape) {
  EXPECT_EQ(parse_packed_layout(to_string(packed)).value(), packed);
  const auto canonical = canonicalize(packed, shape);
  if (!canonical) return;
  EXPECT_EQ(canonicalize(*canonical, shape).value(), *canonical)
      << to_string(packed) << " on " << testing::PrintToString(shape) << " became " << to_string(*canonical)
      << ", then " << to_string(*canonicalize(*canonical, shape));
  for (Index r = 0; r < shape[0]; ++r) {
    for (Index c = 0; c < shape[1]; ++c) {
      EXPECT_EQ(offset(packed, shape, Shape{r, c}).value(), offset(*canonical, shape, Shape{r, c}).value())
          << to_string(packed) << " became " << to_string(*canonical);
    }
  }
}

TEST(MorelloTest, RandomLayoutsObeyTheLaws) {
  constexpr unsigned kSeed = 20260721;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const auto pick = [&](Index n) { return static_cast<Index>(random() % static_cast<unsigned>(n)); };
  int applicable = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<PackedDim> dims;
    for (Index n = 1 + pick(4); n > 0; --n) {
      const auto kind = static_cast<PackedDim::Kind>(pick(3));
      dims.push_back({pick(2), kind, kind == PackedDim::Kind::dynamic ? 0 : 2 * (1 + pick(3))});
    }
    const auto contig = static_cast<std::size_t>(pick(static_cast<Index>(dims.size()) + 1));
    const auto packed = PackedLayout::make(dims, contig);
    if (!packed) continue;
    const Shape shape = {1 + pick(16), 1 + pick(12)};
    applicable += expand(*packed, shape).has_value();
    check_bijection(*packed, shape);
    check_text_and_canonical(*packed, shape);
  }
  EXPECT_GT(applicable, 100);
}

}  // namespace
}  // namespace tessera
