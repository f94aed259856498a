// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tessera/notation/tensor_type.h"

namespace tessera {
namespace {

std::string canonical(std::string_view text, ShapeMode mode = ShapeMode::strict) {
  const auto type = parse_hlo_type(text, mode);
  return type ? to_string(*type) : to_string(type.error());
}

Code code_of(std::string_view text, ShapeMode mode = ShapeMode::strict) {
  const auto type = parse_hlo_type(text, mode);
  EXPECT_FALSE(type.has_value()) << text;
  return type ? Code::file_read : type.error().code;
}

// parse(print(t)) == t, and printing the parsed type again gives the same text.
void check_round_trip(const HloType& type) {
  const std::string text = to_string(type);
  const auto again = parse_hlo_type(text);
  ASSERT_TRUE(again.has_value()) << text << ": " << again.error().message;
  EXPECT_EQ(*again, type) << text;
  EXPECT_EQ(to_string(*again), text);
}

TEST(XlaShapeTest, PrintsTheCanonicalForm) {
  EXPECT_EQ(canonical("f32[3,5]"), "f32[3,5]");
  EXPECT_EQ(canonical(" f32 [ 3 , 5 ] /* x */ { 1 , 0 } // end"), "f32[3,5]{1,0}");
  EXPECT_EQ(canonical("f32[3,5]{1,0:}"), "f32[3,5]{1,0}");
  EXPECT_EQ(canonical("bf16[16,256]{1,0:T(8,128)(2,1)L(1)E(0)S(1)SC(0:1,2)(1:30)M(64)}"),
            "bf16[16,256]{1,0:T(8,128)(2,1)S(1)SC(0:1,2)(1:30)M(64)}");
  EXPECT_EQ(canonical("f32[2,3,4]{2,1,0:T(*,2,4)}"), "f32[2,3,4]{2,1,0:T(*,2,4)}");
  EXPECT_EQ(canonical("s32[<=4,?]"), "s32[<=4,?]");
  EXPECT_EQ(canonical("f32[0]"), "f32[0]");
  EXPECT_EQ(canonical("f32[3,5]{1,0:D(D,D)}"), "f32[3,5]{1,0}");
  EXPECT_EQ(canonical("token[]"), "token[]");
  EXPECT_EQ(canonical("b( u8[16]{0} )"), "b(u8[16]{0})");
}

TEST(XlaShapeTest, AScalarHasALayoutOnlyWithParts) {
  EXPECT_EQ(canonical("f32[]{:}"), "f32[]");
  EXPECT_EQ(canonical("u32[]{:T(128)}"), "u32[]{:T(128)}");
  EXPECT_EQ(*parse_hlo_type("f32[]{:}"), *parse_hlo_type("f32[]"));
}

TEST(XlaShapeTest, TuplesNumberEveryFifthElement) {
  EXPECT_EQ(canonical("()"), "()");
  EXPECT_EQ(canonical("(f32[],f32[],f32[],f32[],f32[],(s8[2]),token[])"),
            "(f32[], f32[], f32[], f32[], f32[], /*index=5*/(s8[2]), token[])");
}

TEST(XlaShapeTest, AbsentAndDefaultLayoutsDiffer) {
  EXPECT_NE(*parse_hlo_type("f32[3,5]"), *parse_hlo_type("f32[3,5]{1,0}"));
  EXPECT_EQ(parse_hlo_type("f32[3,5]")->array().minor_to_major(),
            parse_hlo_type("f32[3,5]{1,0}")->array().minor_to_major());
}

TEST(XlaShapeTest, TheFirstOffendingTokenDecidesTheCode) {
  EXPECT_EQ(code_of(""), Code::syntax);
  EXPECT_EQ(code_of("f32[3,5"), Code::syntax);
  EXPECT_EQ(code_of("f32[3x5]"), Code::syntax);
  EXPECT_EQ(code_of("f32[]{}"), Code::syntax);
  EXPECT_EQ(code_of("f32[3]{0} f32[3]"), Code::syntax);
  EXPECT_EQ(code_of("f32[3,5]{1,0:S(1)T(2)}"), Code::syntax);
  EXPECT_EQ(code_of("f32[3,5]{1,0:TL(2)}"), Code::syntax);
  EXPECT_EQ(code_of("/* open f32[3]"), Code::syntax);
  EXPECT_EQ(code_of("F32[3]"), Code::unknown_type);
  EXPECT_EQ(code_of("tuple[]"), Code::unknown_type);
  EXPECT_EQ(code_of("f32[-1,99999999999999999999]"), Code::negative_dim);
  EXPECT_EQ(code_of("f32[99999999999999999999]"), Code::number_range);
  EXPECT_EQ(code_of("f32[3,5]{0}"), Code::rank_mismatch);
  EXPECT_EQ(code_of("token[3]"), Code::nonarray_dims);
  EXPECT_EQ(code_of("opaque[]{0}"), Code::layout_on_nonarray);
  EXPECT_EQ(code_of("b(token[])"), Code::buffer_element);
  EXPECT_EQ(code_of("f32[3,5]{1,0:#(s32)}"), Code::index_type);
  EXPECT_EQ(code_of("f32[3,5]{1,0:#(u32)}"), Code::sparse_only);
  EXPECT_EQ(code_of("f32[3,5]{0:D(C,D)}"), Code::sparse_only) << "before the wrong rank";
}

TEST(XlaShapeTest, NonsenseLayoutsAreRefusedInTheStatedOrder) {
  EXPECT_EQ(code_of("f32[4294967296,4294967296]{1,1}"), Code::overflow);
  EXPECT_EQ(code_of("f64[9223372036854775807]"), Code::overflow) << "its bytes do not fit";
  EXPECT_EQ(code_of("f32[4294967296,4294967296,0]"), Code::overflow) << "the 0 comes too late";
  EXPECT_EQ(code_of("f32[3,5]{2,2:L(0)}"), Code::m2m_range);
  EXPECT_EQ(code_of("f32[3,5]{1,1:L(0)}"), Code::m2m_duplicate);
  EXPECT_EQ(code_of("f32[3,5]{1,0:T(0)L(0)}"), Code::tail_align);
  EXPECT_EQ(code_of("f32[3,5]{1,0:T()(0)}"), Code::tile_empty);
  EXPECT_EQ(code_of("f32[3,5]{1,0:T(0,*)}"), Code::tile_entry);
  EXPECT_EQ(code_of("f32[3,5]{1,0:T(-9223372036854775808,2)}"), Code::tile_entry) << "not the mark of '*'";
  EXPECT_EQ(code_of("f32[3,5]{1,0:T(2,*)E(-1)}"), Code::tile_trailing_star);
  EXPECT_EQ(code_of("f32[3,5]{1,0:E(-1)S(-1)}"), Code::element_bits);
  EXPECT_EQ(code_of("f32[3,5]{1,0:S(-1)M(-1)}"), Code::memory_space);
  EXPECT_EQ(code_of("f32[3,5]{1,0:SC(2:1)M(-1)}"), Code::metadata_prefix);
  EXPECT_EQ(code_of("f32[3,5]{1,0:SC(2:1)}"), Code::split_dim_range);
  EXPECT_EQ(code_of("f32[3,5]{1,0:SC(0:1)(0:2)}"), Code::split_dim_duplicate);
  EXPECT_EQ(code_of("f32[3,5]{1,0:SC(1:3,2)}"), Code::split_order);
  EXPECT_EQ(code_of("f32[3,5]{0,1:SC(0:5)}"), Code::split_range) << "physical dimension 0 has extent 5";
}

TEST(XlaShapeTest, LenientReadsTheOlderDocumentation) {
  EXPECT_EQ(canonical("F32[3,5]{1,0:T(2,2)}", ShapeMode::lenient), "f32[3,5]{1,0:T(2,2)}");
  EXPECT_EQ(canonical("BF16[3,5]{1,0:S(1)T(\xe2\x88\x97,2)}", ShapeMode::lenient),
            "bf16[3,5]{1,0:T(*,2)S(1)}");
  EXPECT_EQ(code_of("f32[3,5]{1,0:S(1)S(1)}", ShapeMode::lenient), Code::syntax);
  EXPECT_EQ(code_of("f32[3,5]{1,0:T(\xe2\x88\x97,2)}"), Code::syntax);
}

TEST(XlaShapeTest, ErrorsPointAtTheToken) {
  const auto type = parse_hlo_type("(f32[3], q8[2])");
  ASSERT_FALSE(type.has_value());
  EXPECT_EQ(type.error().span, (Span{9, 11}));
}

TEST(XlaShapeTest, NestingEndsAt500Levels) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '(') + "f32[]" + std::string(levels, ')');
  };
  EXPECT_TRUE(parse_hlo_type(nested(500)).has_value());
  EXPECT_EQ(code_of(nested(501)), Code::depth);
  EXPECT_EQ(code_of(std::string(1000000, '(')), Code::depth);
}

TEST(XlaShapeTest, ATypeInsideALongerTextEndsWhereItEnds) {
  HloType type;
  const std::string_view signature = "x -> f32[] {";
  EXPECT_EQ(*read_hlo_type_at(signature, 5, type), 10u) << "this brace opens a computation";
  EXPECT_EQ(*read_hlo_type_at("f32[2]{0} %a", 0, type), 9u);
}

// Makes random types with every part of the grammar. The seed is printed on failure.
class RandomType {
 public:
  explicit RandomType(unsigned seed) : random_(seed) {}

  HloType type(int depth = 0) {
    const Index kind = pick(0, depth < 3 ? 5 : 3);
    if (kind == 5) {
      std::vector<HloType> elements;
      for (Index i = pick(0, 8); i > 0; --i) elements.push_back(type(depth + 1));
      return HloType::tuple(std::move(elements));
    }
    if (kind == 4) return HloType::buffer(HloType(array()));
    if (kind == 3 && pick(0, 3) == 0) return HloType(TensorType{.dtype = DType::token});
    return HloType(array());
  }

 private:
  Index pick(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }

  TensorType array() {
    TensorType type{.dtype = static_cast<DType>(pick(0, static_cast<Index>(DType::token) - 1))};
    const Index rank = pick(0, 4);
    bool open = false;
    for (Index i = 0; i < rank; ++i) {
      const Index kind = pick(0, 9);
      type.dims.push_back(kind == 9 ? -1 : pick(0, 20));
      type.dim_kinds.push_back(kind == 9   ? DimKind::unbounded
                               : kind == 8 ? DimKind::bounded
                                           : DimKind::fixed);
      open |= kind >= 8;
    }
    if (!open) type.dim_kinds.clear();
    if (pick(0, 2) == 0) return type;
    TiledLayout layout{.minor_to_major = descending_order(type.rank())};
    std::shuffle(layout.minor_to_major.begin(), layout.minor_to_major.end(), random_);
    for (Index t = pick(0, 2); t > 0; --t) {
      auto& tile = layout.tiles.emplace_back();
      for (Index n = pick(1, 3); n > 0; --n) tile.push_back(n > 1 && pick(0, 3) == 0 ? kCombine : pick(1, 9));
    }
    if (pick(0, 3) == 0) layout.tail_align = pick(1, 128);
    if (pick(0, 3) == 0) layout.element_bits = pick(0, 64);
    if (pick(0, 3) == 0) layout.memory_space = pick(0, 6);
    if (pick(0, 3) == 0) layout.metadata_prefix_bytes = pick(0, 1024);
    if (type.rank() > 0 && pick(0, 3) == 0) {
      const Index extent = type.dims[static_cast<std::size_t>(layout.minor_to_major.back())];
      if (extent > 2) layout.splits.push_back({0, {1, 2}});
    }
    if (type.rank() > 0 || !layout.is_plain()) type.layout = std::make_shared<const TiledLayout>(layout);
    return type;
  }

  std::mt19937 random_;
};

TEST(XlaShapeTest, ReadingWhatWasPrintedGivesTheSameType) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    check_round_trip(RandomType(seed).type());
    if (testing::Test::HasFailure()) return;
  }
}

TEST(XlaShapeTest, CutOffTextsAreErrors) {
  const std::string text =
      "(bf16[<=16,256]{1,0:T(8,*,128)(2,1)L(2)E(16)S(1)SC(0:1,2)M(64)}, /*index=1*/b(token[]))";
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(parse_hlo_type(text.substr(0, length)).has_value()) << length;
  }
}

}  // namespace
}  // namespace tessera
