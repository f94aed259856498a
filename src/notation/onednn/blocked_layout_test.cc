// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/blocked_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/index_walk.h"
#include "laws/layout_laws.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {
namespace {

using Index64 = std::vector<Index>;

BlockedLayout random_blocked(std::mt19937_64& random) {
  const auto pick = [&](Index low, Index high) {
    return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  BlockedLayout out;
  const Index rank = pick(1, 5);
  for (Index d = 0; d < rank; ++d) {
    out.shape.push_back(pick(1, 7));
    out.order.insert(out.order.begin() + pick(0, d), d);
  }
  for (Index k = pick(0, 4); k > 0; --k) out.blocks.push_back({pick(0, rank - 1), pick(2, 5)});
  if (pick(0, 3) == 0) out.dtype = DType::bf16;
  if (pick(0, 2) != 0) return out;
  std::vector<Index> block(out.shape.size(), 1);
  for (const auto& [dim, size] : out.blocks) block[static_cast<std::size_t>(dim)] *= size;
  Index filled = 1;
  for (std::size_t d = 0; d < block.size(); ++d) {
    out.padded.push_back((ceil_div(out.shape[d], block[d]) + pick(0, 2)) * block[d]);
    filled *= block[d];
  }
  out.strides.resize(block.size());
  for (std::size_t k = block.size(); k-- > 0;) {
    const auto d = static_cast<std::size_t>(out.order[k]);
    out.strides[d] = filled + pick(0, 3);
    if (out.padded[d] > block[d]) filled = out.strides[d] * (out.padded[d] / block[d]);
  }
  if (pick(0, 1) == 0) out.padded.clear();
  return out;
}

TEST(BlockedLayoutTest, RandomTagsAgreeWithTheDefinitionConvertAndReadBack) {
  const std::uint64_t seed = 20261123;
  std::mt19937_64 random(seed);
  int converted = 0;
  for (int i = 0; i < 400; ++i) {
    const BlockedLayout blocked = random_blocked(random);
    const std::string text = to_string(blocked);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i) + ": " + text);
    ASSERT_EQ(parse_blocked_layout(text).value(), blocked);
    const Layout layout = Layout::make(blocked).value();
    ASSERT_EQ(parse_layout(text).value(), layout);
    ASSERT_EQ(parse_layout(to_prefixed_string(layout)).value(), layout);
    Index64 index(blocked.shape.size(), 0);
    Index largest = 0;
    do {
      const Index offset = laws::blocked_offset(blocked, index);
      ASSERT_EQ(layout.offset(index), offset) << testing::PrintToString(index);
      ASSERT_EQ(lower(layout).evaluate(index), Index64{offset});
      largest = std::max(largest, offset);
    } while (detail::next_index(index, blocked.shape));
    EXPECT_LT(largest, layout.buffer_size().value());
    for (const Notation to : all_notations()) {
      const auto other = convert(layout, to);
      if (!other) continue;
      ++converted;
      ASSERT_EQ(same_map(layout, other->layout).verdict, Verdict::yes) << to_string(other->layout);
      // Converting back may give another tag, but must give the same function.
      const auto back = convert(other->layout, Notation::onednn);
      ASSERT_TRUE(back) << to_string(other->layout) << ": " << back.error().message;
      ASSERT_EQ(same_map(layout, back->layout).verdict, Verdict::yes) << to_string(back->layout);
    }
  }
  EXPECT_GT(converted, 1500);
}

std::string tag_of(std::string_view text) {
  const auto converted = convert(parse_layout(text).value(), Notation::onednn);
  return converted ? to_string(converted->layout) : converted.error().message;
}

// The tags that the vendor documents for these arrays.
TEST(BlockedLayoutTest, TiledArraysHaveTheirTags) {
  EXPECT_EQ(tag_of("f32[2,32,5,5]{3,2,1,0:T(16,1,1)}"), "f32[2,32,5,5]:aBcd16b");
  EXPECT_EQ(tag_of("f32[32,8,3,3]{1,3,2,0:T(16,1,1,1)}"), "f32[32,8,3,3]:Acdb16a");
  EXPECT_EQ(tag_of("f32[32,32,3,3]{3,2,1,0:T(16,16,1,1)}"), "f32[32,32,3,3]:ABcd16a16b");
  EXPECT_EQ(tag_of("f32[32,32,3,3]{3,2,1,0:T(16,16,1,1)(16,1,1,1)}"), "f32[32,32,3,3]:ABcd16b16a");
  EXPECT_EQ(tag_of("s8[32,32,3,3]{3,2,1,0:T(16,16,1,1)(16,4,1,1)}"), "s8[32,32,3,3]:ABcd4b16a4b");
  // BA16a16b2a and BA16a64b4a without the block that continues its dimension.
  EXPECT_EQ(tag_of("bf16[64,32]{0,1:T(16,32)(16,2)}"), "bf16[64,32]:BA16b2a");
  EXPECT_EQ(tag_of("s8[128,128]{0,1:T(64,64)(64,4)}"), "s8[128,128]:BA64b4a");
  EXPECT_EQ(tag_of("np:(4,6):(1,4)"), "4x6:ba");
  EXPECT_EQ(tag_of("f32[3,5]{1,0:T(2,8)}"), "f32[3,5]:AB2a8b");
  EXPECT_EQ(tag_of("np:(2,4):(6,1)"), "2x4:aB6b");
  // The dimension of extent 1 takes the padding after dimension c.
  EXPECT_EQ(tag_of("np:(2,1,3):(16,7,4)"), "2x1x3:aBC4c4b");
}

TEST(BlockedLayoutTest, NamesOfDimensionsAreLetters) {
  const auto tag = [](std::string_view text) { return format_tag(parse_blocked_layout(text).value()); };
  EXPECT_EQ(tag("2x32x7x7:nChw16c"), "aBcd16b");
  EXPECT_EQ(tag("2x32x7x7:nhwc"), "acdb");
  EXPECT_EQ(tag("64x64x3x3:OIhw4i16o4i"), "ABcd4b16a4b");
  EXPECT_EQ(tag("64x64x3x3:hwio"), "cdba");
  EXPECT_EQ(tag("2x64x64x3x3:gOIhw16i16o"), "aBCde16c16b");
  EXPECT_EQ(tag("5x2x8:ntc"), "bac");
  EXPECT_EQ(tag("1x1x8x4x8:ldgoi"), "abdec");
  EXPECT_EQ(tag("2x32x7x7:aBx16b"), "aBcd16b");
  EXPECT_EQ(tag("2x32x7x7:axb"), "acdb");
  EXPECT_EQ(tag("f32 [ 2, 32 ] : ab"), "ab");
}

TEST(BlockedLayoutTest, AChannelCountThatIsNoMultipleOfTheBlockIsPadded) {
  const Layout layout = parse_layout("f32[2,20,7,7]:nChw16c").value();
  EXPECT_EQ(layout.buffer_size().value(), 2 * 32 * 7 * 7);
  EXPECT_EQ(layout.offset({1, 17, 2, 3}), (((1 * 2 + 1) * 7 + 2) * 7 + 3) * 16 + 1);
  EXPECT_EQ(layout.element_bits(), 32);
  EXPECT_EQ(indices_at(layout, 1 * 7 * 7 * 16 + 5)->indices.size(), 0U);
  EXPECT_EQ(to_string(*transpose(layout, std::vector<Index>{0, 2, 3, 1})), "f32[2,7,7,20]:aDbc16d");
}

// A descriptor of oneDNN has padded dimensions and outer strides, which no tag could hold.
TEST(BlockedLayoutTest, OuterStridesAndPaddedDimensionsAreRead) {
  const std::string text = "2x20x7x7:aBcd16b:4096x1024x112x16 padded 2x48x8x7";
  const Layout layout = parse_layout(text).value();
  EXPECT_EQ(to_string(layout), text);
  EXPECT_EQ(layout.offset({1, 17, 2, 3}), 4096 + 1024 + 2 * 112 + 3 * 16 + 1);
  EXPECT_EQ(layout.buffer_size().value(), 2 * 4096);
  const Layout dense = parse_layout("f32[2,20,7,7]:nChw16c padded 2x48x8x7").value();
  EXPECT_EQ(dense.buffer_size().value(), 2 * 48 * 8 * 7);
  EXPECT_EQ(dense.offset({1, 17, 2, 3}), (((1 * 3 + 1) * 8 + 2) * 7 + 3) * 16 + 1);
  EXPECT_EQ(to_string(*transpose(layout, std::vector<Index>{0, 2, 3, 1})),
            "2x7x7x20:aDbc16d:4096x112x16x1024 padded 2x8x7x48");
  EXPECT_EQ(parse_layout("4x8:ab:0x1").value().offset({3, 5}), 5);
  EXPECT_EQ(parse_layout("dnn:4x8:ab:9,1").value().offset({3, 5}), 32);
  EXPECT_EQ(tag_of("np:(4):(2)"), "4:a:2");
  EXPECT_EQ(tag_of("np:(4,2):(1,0)"), "4x2:ba:1x0");
  EXPECT_EQ(tag_of("((2,2)):((1,3))"), "4:A2a:3");
  EXPECT_EQ(tag_of("np:(2,1,3):(17,1,5)"), "2x1x3:abc:17x15x5");
  EXPECT_EQ(tag_of("(2,(4,2),3):(100,(1,25),8)"), "2x8x3:aBc4b:100x25x8");
}

struct Refused {
  std::string_view text;
  Code code;
  std::uint32_t begin;
  std::uint32_t end;
  std::string_view help;
};

TEST(BlockedLayoutTest, ErrorsPointToTheLetterAndOfferAWayOut) {
  const Refused cases[] = {
      {"2x32x7x7:abcd16b", Code::syntax, 10, 11, "write aBcd16b"},
      {"2x32x7x7:aBcd", Code::syntax, 10, 11, "write abcd"},
      {"2x32x7x7:aBcd16B", Code::syntax, 15, 16, "write it in lower case: 16b"},
      {"2x32x7x7:aBcd1b", Code::bad_extent, 13, 14, ""},
      {"2x32x7x7:aBcd16", Code::syntax, 15, 15, ""},
      {"2x32x7x7:aBcd16e", Code::syntax, 15, 16, ""},
      {"2x32x7:aBcd16b", Code::rank_mismatch, 7, 11, ""},
      {"2x32x7x7:abbd", Code::syntax, 11, 12, ""},
      {"2x32x7x7:abce", Code::syntax, 12, 13, "not named: d"},
      {"2x32x7x7:abzd", Code::syntax, 11, 12, ""},
      {"2x32:aB4611686018427387904b", Code::number_range, 7, 26, ""},
      {"aBcd16b", Code::missing_layout, 0, 7, "write the shape before it: 2x32x7x7:aBcd16b"},
      {"f33[2,3]:ab", Code::unknown_type, 0, 3, ""},
      {"f32[2,3]{1,0}:ab", Code::syntax, 13, 14, ""},
      {"token[2]:a", Code::layout_on_nonarray, 0, 10, ""},
      {"9223372036854775807x2:Ab16a", Code::overflow, 0, 27, ""},
      {"2x20:aB16b:64x16 padded 2x24", Code::bad_extent, 26, 28, "pad it to 32 or another multiple of 16"},
      {"2x20:aB16b:64x16 padded 1x32", Code::bad_extent, 24, 25, "pad it to 2 or more"},
      {"2x20:aB16b:64x15", Code::bad_extent, 14, 16, ""},
      {"2x20:aB16b:16x64", Code::bad_extent, 11, 13, ""},
      {"2x20:aB16b:64", Code::rank_mismatch, 11, 13, ""},
      {"2x20:aB16b padded 2x32x1", Code::rank_mismatch, 18, 24, ""},
      {"2x20:aB16b:64x16 2x32", Code::syntax, 17, 18, ""},
      {"2x20:aB16b:64x16 padded", Code::syntax, 23, 23, ""},
      {"2x20:aB16b:4611686018427387904x16", Code::overflow, 0, 33, ""},
  };
  for (const Refused& one : cases) {
    const auto layout = parse_layout(one.text);
    ASSERT_FALSE(layout) << one.text;
    EXPECT_EQ(layout.error().code, one.code) << one.text << ": " << layout.error().message;
    EXPECT_EQ(layout.error().span.begin, one.begin) << one.text << ": " << layout.error().message;
    EXPECT_EQ(layout.error().span.end, one.end) << one.text << ": " << layout.error().message;
    if (!one.help.empty()) {
      EXPECT_EQ(layout.error().help, one.help) << one.text;
    }
  }
}

TEST(BlockedLayoutTest, FunctionsWithoutATagAreRefused) {
  const auto reason = [](std::string_view text) {
    return convert(parse_layout(text).value(), Notation::onednn).error().reason;
  };
  EXPECT_EQ(reason("np:(4):(1) + 1"), "offset");
  EXPECT_EQ(reason("np:(4,2):(1,1)"), "broadcast");
  EXPECT_EQ(reason("np:(4):(-1) + 3"), "offset");
  EXPECT_EQ(reason("((2,2)):((2,5))"), "padding");
  EXPECT_EQ(reason("((2,2,2),2):((2,5,20),1)"), "nesting");
  EXPECT_EQ(reason("np:(3,2):(2,3)"), "nesting");
  // Found by the law of conversions: a tag needs the digits of a dimension in ascending order.
  EXPECT_EQ(reason("16:[0, 0 oe(4), 0 p(4)]"), "order");
  EXPECT_EQ(reason("Sw<2,0,2> o _0 o (4,4):(4,1)"), "entangled");
}

}  // namespace
}  // namespace tessera
