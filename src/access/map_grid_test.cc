// SPDX-License-Identifier: Apache-2.0
#include "access/map_grid.h"

#include <gtest/gtest.h>

#include <random>

#include "tessera/access/access.h"
#include "tessera/text/index_map.h"

namespace tessera::detail {
namespace {

AccessReport counted(const Layout& layout, const Access& access, const AccessOptions& options) {
  const auto reports = analyze_accesses(layout, std::span(&access, 1), options);
  EXPECT_TRUE(reports.has_value()) << reports.error().message;
  return reports.value().each[0];
}

void expect_agreement(const Layout& layout, const Access& access, const AccessOptions& options,
                      const AccessSums& sums) {
  const AccessReport one_by_one = counted(layout, access, options);
  const GlobalMemoryReport& all = *one_by_one.global;
  EXPECT_EQ(sums.sum.requested, all.sum.requested);
  EXPECT_EQ(sums.sum.bytes, all.sum.bytes);
  EXPECT_EQ(sums.sum.sectors, all.sum.sectors);
  EXPECT_EQ(sums.sum.lines, all.sum.lines);
  EXPECT_EQ(sums.sum.ideal_sectors, all.sum.ideal_sectors);
  EXPECT_EQ(sums.sum.ideal_lines, all.sum.ideal_lines);
  EXPECT_EQ(sums.sum.segments, all.sum.segments);
  EXPECT_EQ(sums.sum.ideal_segments, all.sum.ideal_segments);
  EXPECT_EQ(sums.worst_sectors, all.worst_sectors);
  EXPECT_EQ(sums.worst_warp, all.worst_warp);
  EXPECT_EQ(sums.aligned, !one_by_one.misaligned.has_value());
  EXPECT_TRUE(sums.instructions == static_cast<__int128>(one_by_one.instructions));
}

// Kernels of every kind: warps that cross rows, guards, strides that meet the same residue, tails.
TEST(AccessInClosedForm, AgreesWithCountingOneByOne) {
  constexpr unsigned kSeed = 20261124;
  int closed = 0;
  for (unsigned i = 0; i < 3000 && !HasFailure(); ++i) {
    std::mt19937 random(kSeed + i);
    const auto n = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    const auto choose = [&](std::initializer_list<Index> from) {
      return from.begin()[static_cast<std::size_t>(n(0, std::ssize(from) - 1))];
    };
    const Index threads = choose({32, 64, 96, 128, 33, 100, 256, 1, 7});
    const Index rows = n(1, 9);
    const Expr thread = Expr::variable(0);
    const Expr a = Expr::variable(1);
    const Expr b = Expr::variable(2);
    Domain domain({{{0, threads - 1}}, {{0, rows - 1}}}, {{{n(0, 2), n(2, 6)}}}, {});
    const Index width = choose({32, 64, 16, 8, 40, 256});
    Expr e = mod(thread, width) * n(0, 5) + floor_div(thread, width) * n(0, 300) + a * n(0, 200) +
             mod(b, n(1, 4)) * n(0, 70) + floor_div(b, n(1, 3)) * n(0, 9);
    if (n(0, 3) == 0) e = e + mod(a + b, n(1, 4)) * n(0, 99);
    if (n(0, 5) == 0) e = e + mod(thread, 3);
    if (n(0, 2) == 0) domain.constrain(mod(thread, 32) + n(0, 3), {0, n(2, 40)});
    if (n(0, 2) == 0) domain.constrain(a + floor_div(thread, 32) * n(0, 2), {0, n(0, 9)});
    if (n(0, 3) == 0) domain.constrain(thread + a, {0, n(20, 300)});
    const IndexMap map = IndexMap::make_unchecked(domain, {e});
    const Layout array = *parse_layout("100000:" + std::to_string(n(1, 3)));
    const AccessOptions options{
        .element_bits = 8 * choose({1, 2, 4, 8, 16}), .shared = false, .segments = {n(1, 300), 64}};
    const Access access{.tv = map,
                        .active = n(0, 3) == 0 ? 0x0ff0f0ffu : ~std::uint64_t{0},
                        .base = n(0, 2) == 0 ? n(0, 200) : 0};
    const auto sums = count_in_closed_form(access, array, options, 4096);
    if (!sums) continue;
    ++closed;
    SCOPED_TRACE(testing::Message() << "seed " << kSeed + i << ": " << map);
    expect_agreement(array, access, options, *sums);
  }
  EXPECT_GT(closed, 1500);
}

TEST(AccessInClosedForm, AgreesForThreadValueLayoutsAndVectors) {
  constexpr unsigned kSeed = 20261125;
  int closed = 0;
  for (unsigned i = 0; i < 1500 && !HasFailure(); ++i) {
    std::mt19937 random(kSeed + i);
    const auto n = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    const std::string tv = "((" + std::to_string(n(1, 40)) + "," + std::to_string(n(1, 6)) + "),(4," +
                           std::to_string(n(1, 5)) + ")):((" + std::to_string(4 * n(0, 9)) + "," +
                           std::to_string(4 * n(0, 60)) + "),(" + std::to_string(n(0, 5) == 0 ? 2 : 1) + "," +
                           std::to_string(4 * n(0, 99)) + "))";
    const Layout box = *parse_layout("(64,512):(" + (n(0, 1) == 0 ? std::string("1,64)") : "512,1)"));
    const AccessOptions options{.element_bits = Index{8} << n(0, 2), .shared = false, .segments = {n(1, 99)}};
    const Access access{.tv = *parse_layout(tv), .vector = Index{1} << n(0, 2), .base = 4 * n(0, 9)};
    const auto sums = count_in_closed_form(access, box, options, 4096);
    if (!sums) continue;
    ++closed;
    SCOPED_TRACE(testing::Message() << "seed " << kSeed + i << ": " << tv << " vector " << access.vector);
    expect_agreement(box, access, options, *sums);
  }
  EXPECT_GT(closed, 200);
}

TEST(AccessInClosedForm, CountsWhatIsTooLargeToSample) {
  const Layout array = *parse_layout("f32[1048576,1048576]");
  const auto map = parse_index_map(
      "(d0, d1)[s0] -> (d0 + s0, d1), domain: d0 in [0, 1023], d1 in [0, 1048575], s0 in [0, 1047000]");
  const AccessReport report = counted(array, {.tv = *map}, {.shared = false});
  EXPECT_TRUE(report.sampled_of.has_value());
  EXPECT_TRUE(report.global->exact);
  const Index instructions = Index{32} * 1048576 * 1047001;
  EXPECT_EQ(report.global->sum.sectors, 32 * instructions);
  EXPECT_EQ(report.global->sum.ideal_sectors, 4 * instructions);
}

// One remainder depends on both lane and warp, so there is no closed form, and a sample must do.
TEST(AccessInClosedForm, LeavesAddressesThatAreNoSums) {
  const auto map = parse_index_map("(d0) -> (d0 * d0 mod 1000), domain: d0 in [0, 99]");
  EXPECT_FALSE(count_in_closed_form({.tv = *map}, *parse_layout("1000:1"), {.shared = false}, 4096));
}

}  // namespace
}  // namespace tessera::detail
