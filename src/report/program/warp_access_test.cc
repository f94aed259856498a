// SPDX-License-Identifier: Apache-2.0
#include "report/program/warp_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {
namespace {

WarpAccess access_of(const std::string& text, std::size_t operand = 0) {
  const ParsedModules parsed = parse_hlo(text);
  EXPECT_TRUE(parsed.ok()) << text;
  const Instruction& op = *parsed.modules.front().entry->root;
  const auto maps = output_to_input(op, {.operand = operand});
  EXPECT_TRUE(maps.has_value() && maps->size() == 1) << text;
  return warp_access(maps->front(), op.type.array(), op.operand_type(operand).array());
}

TEST(WarpAccess, OfRowsAndColumns) {
  const WarpAccess rows =
      access_of("ENTRY e {\n p = f32[64,64] parameter(0)\n ROOT r = f32[64,64] negate(p)\n}");
  EXPECT_EQ(rows.sectors, 512);
  EXPECT_EQ(rows.fewest, 512);
  const WarpAccess columns = access_of(
      "ENTRY e {\n p = f32[64,64] parameter(0)\n ROOT r = f32[64,64] transpose(p), dimensions={1,0}\n}");
  EXPECT_EQ(columns.sectors, 4096);
  EXPECT_EQ(columns.fewest, 512);
}

// Only the first warp was once counted, which said nothing about the others.
TEST(WarpAccess, CountsEveryWarp) {
  const WarpAccess large = access_of(
      "ENTRY e {\n p = f32[8192,4096] parameter(0)\n ROOT r = f32[4096,8192] transpose(p), "
      "dimensions={1,0}\n}");
  EXPECT_TRUE(large.exact());
  EXPECT_EQ(large.sectors, 8192 * 4096);
  EXPECT_EQ(large.fewest, 8192 * 4096 / 8);
  // Rows of 33 elements: most warps cross a row, at a place that changes from warp to warp.
  const WarpAccess crossing = access_of(
      "ENTRY e {\n p = f32[40,33] parameter(0)\n ROOT r = f32[30,32] slice(p), slice={[1:31], [1:33]}\n}");
  EXPECT_TRUE(crossing.exact());
  EXPECT_EQ(crossing.fewest, 120);
  Index sectors = 0;
  for (Index row = 1; row < 31; ++row)
    sectors += floor_div(4 * (33 * row + 32), 32) - floor_div(4 * (33 * row + 1), 32) + 1;
  EXPECT_EQ(crossing.sectors, sectors);
}

TEST(WarpAccess, SaysWhenItIsASample) {
  const WarpAccess access = access_of(
      "ENTRY e {\n p = f32[1001,997] parameter(0)\n ROOT r = f32[997,1001] transpose(p), "
      "dimensions={1,0}\n}");
  EXPECT_EQ(access.exactness(), "sample");
  EXPECT_GT(access.sampled, 16);
  EXPECT_GT(access.sectors, 7 * access.fewest);
}

TEST(WarpAccess, OfAReductionLetsTheLanesShareARow) {
  const WarpAccess access = access_of(R"(s {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY e {
  p = f32[64,64] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[64] reduce(p, z), dimensions={1}, to_apply=s
})");
  EXPECT_EQ(access.sectors, 512);
  EXPECT_EQ(access.fewest, 512);
  EXPECT_EQ(access.map, "(d0, d1) -> (d1, d0), domain: d0 in [0, 63], d1 in [0, 63]");
}

TEST(WarpAccess, IsUnknownForRunTimeAddressesAndTiles) {
  EXPECT_FALSE(access_of("ENTRY e {\n p = f32[64] parameter(0)\n i = s32[] parameter(1)\n"
                         " ROOT r = f32[32] dynamic-slice(p, i), dynamic_slice_sizes={32}\n}")
                   .known());
  EXPECT_FALSE(access_of("ENTRY e {\n p = f32[64,64] parameter(0)\n"
                         " ROOT r = f32[64,64]{1,0:T(8,128)} negate(p)\n}")
                   .known());
}

// Transposes of arrays with random layouts, compared with the offsets of each 32 elements of the result.
TEST(WarpAccess, AgreesWithEnumeration) {
  constexpr unsigned kSeed = 20261123;
  std::mt19937 random(kSeed);
  constexpr std::array<const char*, 4> kTypes = {"s8", "bf16", "f32", "f64"};
  for (int i = 0; i < 300; ++i) {
    const std::size_t kind = random() % kTypes.size();
    const Index bytes = Index{1} << kind;
    std::vector<Index> dims(3);
    for (Index& d : dims) d = 1 + static_cast<Index>(random() % 9);
    std::vector<Index> from{0, 1, 2};
    std::vector<Index> to{0, 1, 2};
    std::vector<Index> order{0, 1, 2};
    std::ranges::shuffle(from, random);
    std::ranges::shuffle(to, random);
    std::ranges::shuffle(order, random);
    std::vector<Index> moved;
    for (const Index d : order) moved.push_back(dims[static_cast<std::size_t>(d)]);
    const std::string text = fmt::format(
        "ENTRY e {{\n p = {0}[{1}]{{{2}}} parameter(0)\n ROOT r = {0}[{3}]{{{4}}} transpose(p), "
        "dimensions={{{5}}}\n}}",
        kTypes[kind], fmt::join(dims, ","), fmt::join(from, ","), fmt::join(moved, ","), fmt::join(to, ","),
        fmt::join(order, ","));
    SCOPED_TRACE(fmt::format("seed {}\n{}", kSeed, text));
    const WarpAccess access = access_of(text);
    ASSERT_TRUE(access.known()) << access.reason;
    const ParsedModules parsed = parse_hlo(text);
    const Instruction& op = *parsed.modules.front().entry->root;
    const Layout source = Layout::make(op.operand_type(0).array()).value();
    const Layout target = Layout::make(op.type.array()).value();
    std::map<Index, std::set<Index>> sectors;  // of each warp
    for (Index a = 0; a < moved[0]; ++a) {
      for (Index b = 0; b < moved[1]; ++b) {
        for (Index c = 0; c < moved[2]; ++c) {
          const std::array<Index, 3> index{a, b, c};
          std::array<Index, 3> back{};
          for (std::size_t d = 0; d < 3; ++d) back[static_cast<std::size_t>(order[d])] = index[d];
          sectors[target.offset({a, b, c}) / 32].insert(source.offset({back[0], back[1], back[2]}) * bytes /
                                                        32);
        }
      }
    }
    Index fetched = 0;
    for (const auto& [warp, own] : sectors) fetched += std::ssize(own);
    const Index elements = dims[0] * dims[1] * dims[2];
    EXPECT_EQ(access.sectors, fetched);
    EXPECT_EQ(access.fewest, elements / 32 * bytes + ceil_div(elements % 32 * bytes, 32));
  }
}

}  // namespace
}  // namespace tessera::detail
