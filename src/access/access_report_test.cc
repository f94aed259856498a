// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "access/thread_table.h"
#include "map/values/enumerate.h"
#include "tessera/access/access.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

// Counts one access by a map to a 1-D array.
Result<AccessReport> count_map(const IndexMap& map, Index elements, AccessOptions options = {},
                               Index base = 0) {
  const Layout array = *parse_layout(std::to_string(elements) + ":1");
  options.shared = false;
  const std::vector<Access> accesses = {{.tv = map, .base = base}};
  const auto reports = analyze_accesses(array, accesses, options);
  if (!reports) return fail(reports.error());
  return reports->each[0];
}

TEST(AccessByMap, NamesTheWorstInstruction) {
  const auto map = parse_index_map("(d0)[s0] -> (d0 * (s0 + 1)), domain: d0 in [0, 63], s0 in [0, 3]");
  const auto report = count_map(*map, 1000, {.segments = {128}});
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->instructions, 8u);
  EXPECT_EQ(report->global->sum.segments[0], 2 * (1 + 2 + 3 + 4));
  EXPECT_EQ(report->global->sum.ideal_segments[0], 8);
  EXPECT_EQ(report->global->sum.sectors, 2 * (4 + 8 + 12 + 16));
  EXPECT_EQ(report->global->worst_warp, 0);
  EXPECT_EQ(report->global->worst_instruction, 3u);
}

// Compares with the definition: for each value of the other variables, the number of distinct segments that
// the active lanes of each warp touch.
TEST(AccessByMap, AgreesWithEnumeration) {
  constexpr unsigned kSeed = 20261123;
  constexpr Index kElements = 1 << 14;
  for (unsigned i = 0; i < 200 && !HasFailure(); ++i) {
    std::mt19937 random(kSeed + i);
    const auto small = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    Domain domain({{{small(0, 5), small(5, 70)}}, {{0, small(0, 2)}}}, {{{0, small(0, 3)}}}, {});
    const Expr d0 = Expr::variable(0);
    const Expr e = mod(d0 * small(-9, 9) + Expr::variable(2) * small(0, 40), small(1, 900)) +
                   floor_div(d0, small(1, 40)) * small(0, 99) + Expr::variable(1) * small(-5, 5) + 10;
    if (random() % 2 == 0)
      domain.constrain(d0 + Expr::variable(2) * small(1, 9), {small(0, 9), small(9, 80)});
    const IndexMap map = IndexMap::make_unchecked(domain, {e});
    const Index bytes = Index{1} << small(0, 4);
    const Index segment = small(1, 160);
    const Index base = small(0, 64);
    std::map<std::vector<Index>, std::set<Index>> touched;
    for_each_point(map, box_of(domain), [&](const WalkedPoint& point) {
      std::vector<Index> of = point.coordinates();
      of[0] /= 32;
      for (Index b = 0; b < bytes; ++b) touched[of].insert(point.value(0) * bytes + base + b);
      return true;
    });
    Index segments = 0;
    Index minimum = 0;
    for (const auto& [of, all] : touched) {
      std::set<Index> pieces;
      for (const Index byte : all) pieces.insert(floor_div(byte, segment));
      segments += std::ssize(pieces);
      minimum += ceil_div(std::ssize(all), segment);
    }
    const auto got = count_map(map, kElements, {.element_bits = 8 * bytes, .segments = {segment}}, base);
    ASSERT_TRUE(got) << to_string(got.error());
    SCOPED_TRACE(testing::Message() << "seed " << kSeed + i << ": " << map);
    EXPECT_EQ(got->global->sum.segments[0], segments);
    EXPECT_EQ(got->global->sum.ideal_segments[0], minimum);
    EXPECT_EQ(got->instructions, touched.size());
  }
}

// An array of 2^34 elements is too large for a table of offsets. Such arrays were once refused.
TEST(AccessByMap, ReadsArraysOfAnySize) {
  const Layout array = *parse_layout("bf16[131072,131072]{1,0:T(8,128)(2,1)}");
  const auto map =
      parse_index_map("(d0)[s0] -> (d0 * 3 + 77777, 131000 + s0), domain: d0 in [0, 63], s0 in [0, 7]");
  const AccessOptions options{.element_bits = 16, .shared = false};
  const std::vector<Access> accesses = {{.tv = *map}};
  const auto reports = analyze_accesses(array, accesses, options);
  ASSERT_TRUE(reports) << to_string(reports.error());
  SegmentReport sum;
  for (Index s = 0; s < 8; ++s) {
    for (Index warp = 0; warp < 2; ++warp) {
      std::array<Index, 32> bytes;
      for (Index lane = 0; lane < 32; ++lane)
        bytes[static_cast<std::size_t>(lane)] =
            2 * array.offset(std::array{(32 * warp + lane) * 3 + 77777, 131000 + s});
      sum += count_segments({.bytes = bytes, .width = 2});
    }
  }
  EXPECT_EQ(reports->each[0].global->sum.sectors, sum.sectors);
  EXPECT_EQ(reports->each[0].global->sum.lines, sum.lines);
  EXPECT_FALSE(reports->each[0].sampled_of);
}

// Every row costs the same here, so the averages of the sample must be exact.
TEST(AccessByMap, SamplesWhatIsTooLarge) {
  const auto map = parse_index_map(
      "(d0, d1) -> (d1 * 4096 + d0 * 2), domain: d0 in [0, 1023], d1 in [0, 4194303], d0 + d1 in [0, "
      "4195000]");
  const auto report = count_map(*map, Index{1} << 40);
  ASSERT_TRUE(report) << to_string(report.error());
  ASSERT_TRUE(report->sampled_of);
  EXPECT_EQ(*report->sampled_of, 32 * (Index{1} << 22));
  EXPECT_EQ(report->warps, 32);
  EXPECT_GT(report->instructions, 30000u);
  const SegmentReport& sum = report->global->sum;
  EXPECT_EQ(sum.sectors, 8 * static_cast<Index>(report->instructions));
  EXPECT_FALSE(report->global->width);
  // The sample contains the last instruction, in which the constraint leaves few lanes active.
  const auto strided = *parse_layout("(33554433,2):(1,33554433)");
  const std::vector<Access> accesses = {{.tv = strided}};
  const auto last = analyze_accesses(*parse_layout("67108866:1"), accesses, {.shared = false});
  ASSERT_TRUE(last) << to_string(last.error());
  EXPECT_EQ(last->each[0].warps, 1048577);
  EXPECT_NE(last->each[0].global->sum.requested % 128, 0);
}

// The rows of a sample equal the corresponding rows of the whole table.
TEST(ThreadTable, SamplesTheSameIndices) {
  const std::vector<Index> box = {4096, 4096};
  const auto map = parse_index_map(
      "(d0, d1)[s0] -> (d1 * 2 + s0, (d0 * 5) mod 4096), domain: d0 in [0, 2089], d1 in [0, 1999], s0 in [0, "
      "1], "
      "d0 + d1 in [0, 4000]");
  const Access access{.tv = *map, .vector = 2};
  const auto sample = detail::thread_table(access, box, 32, detail::LargeAccess::sample);
  ASSERT_TRUE(sample) << to_string(sample.error());
  ASSERT_TRUE(sample->is_sample());
  EXPECT_EQ(sample->all_instructions, 66 * 2000);
  EXPECT_EQ(detail::thread_table(access, box, 32).error().code, Code::limit);
  std::set<std::vector<Index>> rows;  // computed from the definition, in whole warps
  for (Index warp = 0; warp < 66; ++warp) {
    for (Index pair = 0; pair < 2000; ++pair) {
      std::vector<Index> row = {warp};
      for (Index v = 2 * pair; v < 2 * pair + 2; ++v) {
        const Index d1 = v % 2000;
        const Index s0 = v / 2000;
        for (Index d0 = 32 * warp; d0 < 32 * warp + 32; ++d0) {
          const bool on = d0 <= 2089 && d0 + d1 <= 4000;
          row.push_back(on ? d1 * 2 + s0 + d0 * 5 % 4096 * 4096 : detail::kOff);
        }
      }
      rows.insert(row);
    }
  }
  for (Index k = 0; k < std::ssize(sample->sampled_warps); ++k) {
    std::vector<Index> row = {sample->sampled_warps[static_cast<std::size_t>(k)]};
    for (Index v = 0; v < 2; ++v)
      for (Index lane = 0; lane < 32; ++lane) row.push_back(sample->at(32 * k + lane, v));
    ASSERT_TRUE(rows.contains(row)) << k;
  }
}

// The report once assumed that offset 0 has the alignment of the buffer, and accepted vectors of 16 bytes
// that start at byte 4.
TEST(AccessReport, WidestVectorStartsAtTheBase) {
  const std::vector<Access> accesses = {{.tv = *parse_layout("(32,8):(8,1)"), .base = 4}};
  const auto reports = analyze_accesses(*parse_layout("256:1"), accesses, {.element_bits = 16});
  ASSERT_TRUE(reports);
  EXPECT_EQ(reports->each[0].global->width->vector, 2);
  EXPECT_EQ(reports->each[0].global->width->limit, VectorLimit::base);
}

// The offset and the base together may be aligned although neither is.
TEST(AccessReport, WidestVectorAddsTheOffsetToTheBase) {
  const std::vector<Access> accesses = {{.tv = *parse_layout("(32,8):(8,1)"), .base = 2}};
  const auto reports = analyze_accesses(*parse_layout("np:(256):(1) + 2"), accesses, {.element_bits = 8});
  ASSERT_TRUE(reports) << reports.error().message;
  EXPECT_EQ(reports->each[0].global->width->vector, 4);
  EXPECT_EQ(reports->each[0].global->width->limit, VectorLimit::alignment);
}

// If an access had no instructions, the counts for other segment sizes were once read from an empty list.
TEST(AccessReport, CountsNoPiecesOfNoInstructions) {
  const std::vector<Access> accesses = {{.tv = *parse_layout("32:1"), .active = 0}};
  const auto reports = analyze_accesses(*parse_layout("32:1"), accesses, {.segments = {64}});
  ASSERT_TRUE(reports);
  EXPECT_EQ(reports->each[0].global->sum.segments, std::vector<Index>{0});
}

// Elements of 4 bits touch the same bytes as half as many elements of 8 bits.
TEST(AccessReport, CountsElementsInsideBytes) {
  const auto count = [](const std::string& layout, const std::string& tv, Index bits, Index vector) {
    const std::vector<Access> accesses = {{.tv = *parse_layout(tv), .vector = vector}};
    return analyze_accesses(*parse_layout(layout), accesses, {.element_bits = bits});
  };
  const auto narrow = count("(64,32):(32,1)", "(64,32):(1,64)", 4, 8);
  const auto wide = count("(64,16):(16,1)", "(64,16):(1,64)", 8, 4);
  ASSERT_TRUE(narrow) << to_string(narrow.error());
  EXPECT_EQ(narrow->wavefronts, wide->wavefronts);
  EXPECT_EQ(narrow->floor, wide->floor);
  EXPECT_EQ(narrow->each[0].global->sum.sectors, wide->each[0].global->sum.sectors);
  EXPECT_EQ(narrow->each[0].global->width->vector, 2 * wide->each[0].global->width->vector);
  EXPECT_EQ(count("(64,32):(32,1)", "(64,32):(1,64)", 4, 1).error().code, Code::unsupported_width);
  EXPECT_EQ(count("(64,31):(31,1)", "(64,2):(1,64)", 4, 2).error().code, Code::unsupported_width);
}

}  // namespace
}  // namespace tessera
