// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "map/values/enumerate.h"
#include "tessera/access/coalescing.h"
#include "tessera/notation/hlo_type.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

IndexMap warp_map(std::string_view text) {
  auto map = parse_index_map(text);
  EXPECT_TRUE(map) << text;
  return *map;
}

TEST(MapCoalescing, NamesTheWorstInstruction) {
  const auto report =
      count_map(warp_map("(d0)[s0] -> (d0 * (s0 + 1)), domain: d0 in [0, 63], s0 in [0, 3]"), 4);
  EXPECT_EQ(report->instructions, 8);
  EXPECT_EQ(report->segments, 2 * (1 + 2 + 3 + 4));
  EXPECT_EQ(report->minimum, 8);
  EXPECT_EQ(report->sum.sectors, 2 * (4 + 8 + 12 + 16));
  EXPECT_EQ(report->worst, (std::vector<Index>{0, 3}));
}

TEST(MapCoalescing, RefusesMapsThatAreNotAnAddress) {
  EXPECT_EQ(count_map(warp_map("() -> (3)"), 4).error().code, Code::rank_mismatch);
  EXPECT_EQ(count_map(warp_map("(d0) -> (d0, d0), domain: d0 in [0, 3]"), 4).error().code,
            Code::rank_mismatch);
  EXPECT_EQ(count_map(warp_map("(d0, d1) -> (d0 + d1), domain: d0 in [0, 31], d1 in [0, 99999999]"), 4)
                .error()
                .code,
            Code::limit);
}

// By the definition: the different segments of the active lanes of each warp, for each value of the others.
TEST(MapCoalescing, AgreesWithEnumeration) {
  constexpr unsigned kSeed = 20261123;
  for (unsigned i = 0; i < 200 && !HasFailure(); ++i) {
    std::mt19937 random(kSeed + i);
    const auto small = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    Domain domain({{{0, small(0, 70)}}, {{0, small(0, 2)}}}, {{{0, small(0, 3)}}}, {});
    const Expr d0 = Expr::variable(0);
    const Expr e = mod(d0 * small(-9, 9) + Expr::variable(2) * small(0, 40), small(1, 900)) +
                   floor_div(d0, small(1, 40)) * small(0, 99) + Expr::variable(1) * small(-5, 5);
    if (random() % 2 == 0) domain.constrain(d0 + Expr::variable(2) * small(1, 9), small(0, 9), small(9, 80));
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
    const auto got = count_map(map, bytes, segment, base);
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->segments, segments) << "seed " << kSeed + i << ": " << map;
    EXPECT_EQ(got->minimum, minimum) << "seed " << kSeed + i << ": " << map;
    EXPECT_EQ(got->instructions, std::ssize(touched)) << "seed " << kSeed + i << ": " << map;
  }
}

TEST(MapCoalescing, XlaLooksAtTheFirstWarpOnly) {
  EXPECT_TRUE(coalesced_by_xla_rule(warp_map("(d0) -> (d0 + (d0 / 32) * d0), domain: d0 in [0, 63]"), 4));
  EXPECT_FALSE(coalesced_by_xla_rule(warp_map("(d0) -> (d0 * 2), domain: d0 in [0, 31]"), 4));
  EXPECT_FALSE(coalesced_by_xla_rule(std::nullopt, 4));
}

TEST(TileBandwidth, StopsAtTheFirstPartOfADimension) {
  const auto type = parse_hlo_type("f32[8,4,16]{1,2,0}");
  const std::vector<Index> tile = {2, 4, 8};
  EXPECT_EQ(tile_bandwidth(type->array(), tile, {}, 64).value(), 1.0);
  const std::vector<Index> strides = {1, 2, 1};
  EXPECT_EQ(tile_bandwidth(type->array(), tile, strides, 64).value(), 4.0 / 64);
  EXPECT_EQ(tile_bandwidth(type->array(), {}, {}, 64).error().code, Code::rank_mismatch);
}

}  // namespace
}  // namespace tessera
