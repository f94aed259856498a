// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/padding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "map/values/enumerate.h"
#include "tessera/hlo/module.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {
namespace {

TensorType padded_type(std::string_view text) {
  const auto type = parse_hlo_type(text);
  EXPECT_TRUE(type) << text;
  return type->array();
}

PaddedArray padded(std::string_view text, TilingRule rule = TilingRule::tpu) {
  auto out = padded_array(padded_type(text), rule);
  EXPECT_TRUE(out) << text;
  return *out;
}

TEST(Padding, OfATpuArrayIsThatOfItsTiles) {
  const PaddedArray array = padded("f32[3,200]");
  EXPECT_EQ(array.elements, 2400);
  EXPECT_EQ(array.now, 2400);
  EXPECT_EQ(array.ruled.text, "f32[3,200]{1,0:T(8,128)}");
  EXPECT_EQ(array.ruled.bytes, 8 * 256 * 4);
  EXPECT_EQ(array.best.text, "f32[3,200]{1,0:T(1,128)}");
  EXPECT_EQ(array.best.bytes, 3 * 256 * 4);
  // Without tiles there is no padding to save: the rule's sizes are what it would take.
  EXPECT_EQ(array.saving(), 0);
}

TEST(Padding, OfAnArrayWithTilesIsComparedWithItsOwn) {
  const PaddedArray array = padded("bf16[128,3]{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(array.now, 128 * 128 * 2);
  EXPECT_EQ(array.best.text, "bf16[128,3]{0,1:T(4,128)(2,1)}");
  EXPECT_EQ(array.best.bytes, 4 * 128 * 2);
  EXPECT_EQ(array.saving(), (128 - 4) * 128 * 2);
  EXPECT_EQ(padded("bf16[8,128]{1,0:T(8,128)(2,1)}").saving(), 0);
}

TEST(Padding, MayBeAvoidedByJoiningDimensions) {
  const PaddedArray array = padded("f32[64,4,4]{2,1,0}");
  ASSERT_TRUE(array.joined);
  EXPECT_EQ(array.joined->bytes, 4096);
  EXPECT_LT(array.joined->bytes, array.best.bytes);
}

TEST(Padding, OfOneDnnIsThatOfTheBlockedDimension) {
  const PaddedArray array = padded("f32[2,30,7,7]", TilingRule::onednn);
  EXPECT_EQ(array.ruled.text, "f32[2,30,7,7]:aBcd16b");
  EXPECT_EQ(array.ruled.bytes, 2 * 32 * 49 * 4);
  // 30 in blocks of 16 or 4 are 32, 7 in blocks of 8 or 4 are 8, 2 in blocks of 4 are 4.
  EXPECT_EQ(array.best.bytes, 2 * 32 * 49 * 4);
  EXPECT_EQ(padded("f32[3,33]", TilingRule::onednn).best.text, "f32[3,33]:aB4b");
}

TEST(Padding, RulesHaveNames) {
  for (const TilingRule rule : {TilingRule::tpu, TilingRule::square, TilingRule::onednn})
    EXPECT_EQ(*parse_tiling_rule(to_string(rule)), rule);
  EXPECT_EQ(parse_tiling_rule("gpu").error().code, Code::bad_option);
  EXPECT_EQ(padded_array(padded_type("f32[?,3]"), TilingRule::tpu).error().code, Code::undefined_value);
}

// The size of every candidate by its definition: one more than the largest offset, rounded up to whole tiles.
// No order of the dimensions with the usual tile is smaller than the best, and every text parses back to its
// size.
TEST(Padding, BestIsTheSmallestOfRandomOrders) {
  constexpr unsigned kSeed = 20261123;
  for (unsigned i = 0; i < 200 && !HasFailure(); ++i) {
    std::mt19937 random(kSeed + i);
    std::vector<Index> dims;
    for (auto rank = 1 + random() % 4; rank > 0; --rank)
      dims.push_back(std::uniform_int_distribution<Index>(1, random() % 2 == 0 ? 9 : 300)(random));
    constexpr const char* kTypes[] = {"f32", "bf16", "s8"};
    const std::string_view dtype = kTypes[random() % 3];
    const std::string text = fmt::format("{}[{}]", dtype, fmt::join(dims, ","));
    SCOPED_TRACE(fmt::format("seed {}: {}", kSeed + i, text));
    const PaddedArray array = padded(text);
    std::vector<Index> order = descending_order(dims.size());
    std::ranges::shuffle(order, random);
    const std::string tiles = dims.size() == 1  ? (dtype == "f32"    ? "T(1024)"
                                                   : dtype == "bf16" ? "T(1024)(128)(2,1)"
                                                                     : "T(1024)(128)(4,1)")
                              : dtype == "f32"  ? "T(8,128)"
                              : dtype == "bf16" ? "T(8,128)(2,1)"
                                                : "T(8,128)(4,1)";
    Index bytes = dtype == "f32" ? 4 : dtype == "bf16" ? 2 : 1;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Index extent = dims[static_cast<std::size_t>(order[k])];
      const Index tile = dims.size() == 1 ? 1024 : k == 0 ? 128 : k == 1 ? 8 : 1;
      bytes *= ceil_div(extent, tile) * tile;
    }
    EXPECT_LE(array.best.bytes, bytes) << fmt::format("{{{}:{}}}", fmt::join(order, ","), tiles);
    EXPECT_GE(array.best.bytes, array.elements);
    if (order == descending_order(dims.size())) {
      EXPECT_EQ(array.ruled.bytes, bytes);
    }
    for (const PaddedLayout* one : {&array.ruled, &array.best}) {
      const auto layout = Layout::make(padded_type(one->text));
      ASSERT_TRUE(layout);
      EXPECT_EQ(layout->buffer_size().value() * layout->element_bits().value() / 8, one->bytes) << one->text;
    }
  }
}

TEST(PaddingReport, NamesTheBitcastsThatWouldMoveData) {
  const ParsedModules parsed = parse_hlo(R"(ENTRY e {
  x = f32[128,4,8]{2,1,0:T(8,128)} parameter(0)
  y = f32[128,4,8]{2,1,0:T(8,128)} negate(x)
  z = f32[128,1,4,8]{3,2,1,0:T(8,128)} bitcast(y)
  w = f32[8,128]{1,0:T(8,128)} parameter(1)
  v = f32[1,8,128]{2,1,0:T(8,128)} bitcast(w)
  ROOT t = (f32[128,1,4,8]{3,2,1,0:T(8,128)}, f32[1,8,128]{2,1,0:T(8,128)}) tuple(z, v)
})");
  ASSERT_TRUE(parsed.ok());
  const PaddingReport report = padding_report(parsed.modules[0], TilingRule::tpu);
  ASSERT_EQ(report.arrays.size(), 2);
  EXPECT_EQ(report.arrays[0].count, 2);
  EXPECT_EQ(report.arrays[0].first->name, "x");
  EXPECT_EQ(report.now, 2 * 128 * 8 * 128 * 4 + 4096);
  EXPECT_EQ(report.elements, 2 * 128 * 32 * 4 + 4096);
  ASSERT_EQ(report.lost.size(), 1);
  EXPECT_EQ(report.lost[0].instruction->name, "z");
  EXPECT_EQ(report.lost[0].bytes, 128 * 32 * 4);
}

}  // namespace
}  // namespace tessera
