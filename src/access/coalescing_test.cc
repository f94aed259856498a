// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "access/offset_table.h"
#include "tessera/access/memory_target.h"

namespace tessera {
namespace {

// All values were once counted as lanes, each as wide as a vector.
TEST(Coalescing, GridsHaveVectorsOfValues) {
  for (const Index vector : {1, 2, 4}) {
    const Grid grid{.lanes = *parse_layout("(8,8):(9,1)"),
                    .warps = *parse_layout("(3,5):(100,7)"),
                    .values = 8,
                    .vector = vector,
                    .base = 12,
                    .limit = 300};
    const auto report = count_grid(grid);
    ASSERT_TRUE(report) << to_string(report.error());
    SegmentReport sum;
    for (Index warp = 0; warp < 15; ++warp) {
      for (Index value = 0; value < 8; value += vector) {
        std::vector<Index> bytes;
        std::uint64_t active = 0;
        for (Index lane = 0; lane < 8; ++lane) {
          const Index offset = lane * 9 + value + warp % 3 * 100 + warp / 3 * 7;
          if (offset < 300) active |= std::uint64_t{1} << lane;
          bytes.push_back(4 * offset + 12);
        }
        sum += count_segments({.bytes = bytes, .active = active, .width = static_cast<int>(4 * vector)});
      }
    }
    EXPECT_EQ(report->warps, 15);
    EXPECT_EQ(report->sum.sectors, sum.sectors);
    EXPECT_EQ(report->sum.bytes, sum.bytes);
    EXPECT_EQ(report->sum.requested, sum.requested);
  }
}

TEST(Coalescing, CountsThePiecesOfTheBytes) {
  const std::uint64_t seed = 9;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Index> bytes;
    for (int l = 0; l < 32; ++l) bytes.push_back(static_cast<Index>(random() % 2000) - 500);
    const LaneAddresses lanes{
        .bytes = bytes, .active = random(), .width = static_cast<int>(1 << random() % 6)};
    std::set<Index> all, sectors, lines, odd;
    for (std::size_t l = 0; l < 32; ++l)
      for (int b = 0; (lanes.active >> l & 1) != 0 && b < lanes.width; ++b) {
        all.insert(bytes[l] + b);
        sectors.insert(floor_div(bytes[l] + b, 32));
        lines.insert(floor_div(bytes[l] + b, 128));
        odd.insert(floor_div(bytes[l] + b, 24));
      }
    const Index sizes[] = {24};
    const SegmentReport report = count_segments(lanes, sizes);
    ASSERT_EQ(report.bytes, std::ssize(all));
    ASSERT_EQ(report.sectors, std::ssize(sectors));
    ASSERT_EQ(report.lines, std::ssize(lines));
    ASSERT_EQ(report.segments[0], std::ssize(odd));
  }
}

TEST(Coalescing, AGridIsTheSumOfItsWarps) {
  const std::uint64_t seed = 31;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 400; ++round) {
    const auto n = [&](Index most) {
      return static_cast<Index>(random() % static_cast<std::uint64_t>(most)) + 1;
    };
    const std::string text = "(" + std::to_string(n(5)) + "," + std::to_string(n(9)) + "," +
                             std::to_string(n(6)) + "):(" + std::to_string(n(70)) + "," +
                             std::to_string(n(900)) + "," + std::to_string(n(9000)) + ")";
    Grid grid{.lanes = *parse_layout("(8,4):(" + std::to_string(n(6)) + "," + std::to_string(n(60)) + ")"),
              .warps = *parse_layout(text),
              .element_bits = Index{8} << random() % 4,
              .base = static_cast<Index>(random() % 64)};
    if (random() % 2 == 0) grid.limit = static_cast<Index>(random() % 20000);
    grid.segments = {n(200), 64};
    const auto report = count_grid(grid);
    ASSERT_TRUE(report) << report.error().message;
    SegmentReport sum;
    Index worst = 0, worst_warp = 0;
    const std::vector<Index> lanes = *offset_table(grid.lanes, 64);
    for (Index w = 0; w < grid.warps.size(); ++w) {
      std::vector<Index> bytes;
      std::uint64_t active = 0;
      for (std::size_t l = 0; l < lanes.size(); ++l) {
        const Index at = lanes[l] + offset_at(grid.warps, w);
        if (!grid.limit || at < *grid.limit) active |= std::uint64_t{1} << l;
        bytes.push_back(at * grid.element_bits / 8 + grid.base);
      }
      const SegmentReport one =
          count_segments({.bytes = bytes, .active = active, .width = static_cast<int>(grid.element_bits / 8)},
                         grid.segments);
      sum += one;
      if (one.sectors > worst) worst = one.sectors, worst_warp = w;
    }
    ASSERT_EQ(report->sum.requested, sum.requested) << text;
    ASSERT_EQ(report->sum.bytes, sum.bytes) << text;
    ASSERT_EQ(report->sum.sectors, sum.sectors) << text;
    ASSERT_EQ(report->sum.lines, sum.lines) << text;
    ASSERT_EQ(report->sum.segments, sum.segments) << text << " " << grid.segments[0];
    ASSERT_EQ(report->sum.ideal_segments, sum.ideal_segments) << text;
    ASSERT_EQ(report->worst_sectors, worst) << text;
    ASSERT_EQ(report->worst_warp, worst_warp) << text;
  }
}

TEST(Coalescing, AGridOf2To40WarpsNeedsNoEnumeration) {
  const auto report =
      count_grid({.lanes = *parse_layout("32:1"), .warps = *parse_layout("(1048576,1048576):(32,33554433)")});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->warps, Index{1} << 40);
  EXPECT_EQ(report->sum.bytes, Index{128} << 40);
  EXPECT_EQ(report->worst_sectors, 5);
  EXPECT_EQ(report->worst_warp, 1048576);
}

TEST(Coalescing, AVectorIsAsWideAsTheFirstRuleAllows) {
  const auto width = [](std::string_view text, Index bytes, Index align = 256) {
    const Layout tv = *parse_layout(text);
    const std::vector<Index> offsets = *offset_table(tv, 4096);
    return widest_vector(
        {.offsets = offsets, .threads = tv.shape()[0], .element_bits = 8 * bytes, .base_align = align});
  };
  EXPECT_EQ(width("(32,8):(8,1)", 2).vector, 8);
  EXPECT_EQ(width("(32,8):(8,1)", 2).limit, VectorLimit::cap);
  EXPECT_EQ(width("(32,8):(8,1)", 2, 8).limit, VectorLimit::base);
  EXPECT_EQ(width("(32,4):(5,1)", 4).limit, VectorLimit::alignment);
  EXPECT_EQ(width("(32,4):(5,1)", 4).at, (std::pair<Index, Index>{1, 0}));
  EXPECT_EQ(width("(32,1):(1,0)", 4).limit, VectorLimit::values);
  EXPECT_EQ(width("Sw<3,2,3> o _0 o (32,8):(32,1)", 2).at, (std::pair<Index, Index>{1, 4}));
}

}  // namespace
}  // namespace tessera
