// SPDX-License-Identifier: Apache-2.0
// Who holds an element by a sharding of XLA, compared with the definition of the notation.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/index_walk.h"
#include "tessera/notation/sharding.h"
#include "tessera/reshard/distribution.h"

namespace tessera::laws::sharding_holders_test {
namespace {

using Indices = std::vector<Index>;

BoundDistribution bound_to(std::string_view text, const Indices& shape) {
  const auto read = parse_distribution(text);
  EXPECT_TRUE(read) << text;
  auto bound = bind_distribution(*read, shape);
  EXPECT_TRUE(bound) << text;
  return *std::move(bound);
}

// The indices of a dimension that a device holds.
Indices held(const BoundDistribution& bound, Index device, std::size_t dim) {
  Indices out;
  const DimPart& part = bound.parts(dim)[bound.part({.shard = *bound.shard_of(device), .dim = dim})];
  for (const IndexRun& run : part.runs) {
    for (Index k = 0; k < run.count; ++k) {
      for (Index i = 0; i < run.length; ++i) out.push_back(run.lower + k * run.step + i);
    }
  }
  return out;
}

// An assignment of tiles to devices, whose last dimension may be one of copies.
struct Tiles {
  std::string text;
  Indices assignment;
  Indices devices;
};

Tiles random_tiles(std::size_t rank, std::mt19937_64& random) {
  Tiles out;
  const bool copies = random() % 2 == 0;
  Index count = 1;
  for (std::size_t d = 0; d < rank + (copies ? 1 : 0); ++d) {
    out.assignment.push_back(static_cast<Index>(random() % 4 + 1));
    count *= out.assignment.back();
  }
  for (Index device = 0; device < count; ++device) out.devices.push_back(device);
  std::ranges::shuffle(out.devices, random);
  out.text = fmt::format("{{devices=[{}]{}{}}}", fmt::join(out.assignment, ","), fmt::join(out.devices, ","),
                         copies ? " last_tile_dim_replicate" : "");
  return out;
}

TEST(ShardingHolders, AreThoseOfTheDefinition) {
  const std::uint64_t seed = 20250120;
  std::mt19937_64 random(seed);
  for (int n = 0; n < 2000; ++n) {
    Indices shape(random() % 3 + 1);
    for (Index& extent : shape) extent = static_cast<Index>(random() % 8);
    const Tiles tiles = random_tiles(shape.size(), random);
    if (tiles.devices.size() == 1) continue;  // written as maximal
    SCOPED_TRACE(fmt::format("seed {}, case {}: {} of [{}]", seed, n, tiles.text, fmt::join(shape, ",")));
    const BoundDistribution bound = bound_to(tiles.text, shape);
    Indices tile;
    Index shards = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      tile.push_back(ceil_div(shape[d], tiles.assignment[d]));
      shards *= tiles.assignment[d];
    }
    Indices place(tiles.assignment.size(), 0);
    std::size_t flat = 0;
    do {
      const Index device = tiles.devices[flat++];
      for (std::size_t d = 0; d < shape.size(); ++d) {
        Indices expected;
        for (Index i = place[d] * tile[d]; i < std::min((place[d] + 1) * tile[d], shape[d]); ++i)
          expected.push_back(i);
        ASSERT_EQ(held(bound, device, d), expected) << "device " << device;
      }
    } while (detail::next_index(place, tiles.assignment));
    ASSERT_FALSE(bound.shard_of(std::ssize(tiles.devices)));
    ASSERT_FALSE(bound.shard_of(-1));
    if (std::ranges::find(shape, 0) != shape.end()) continue;
    const std::size_t group = tiles.devices.size() / static_cast<std::size_t>(shards);
    Indices index(shape.size(), 0);
    do {
      std::size_t shard = 0;
      Indices local;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        shard = shard * static_cast<std::size_t>(tiles.assignment[d]) +
                static_cast<std::size_t>(index[d] / tile[d]);
        local.push_back(index[d] % tile[d]);
      }
      const auto begin = tiles.devices.begin() + static_cast<std::ptrdiff_t>(shard * group);
      Indices expected(begin, begin + static_cast<std::ptrdiff_t>(group));
      std::ranges::sort(expected);
      const auto found = holders(bound, index);
      ASSERT_TRUE(found);
      Indices devices;
      for (const ShardHolder& holder : *found) {
        devices.push_back(holder.place);
        ASSERT_EQ(holder.local, local);
      }
      ASSERT_EQ(devices, expected) << fmt::format("at {}", fmt::join(index, ","));
    } while (detail::next_index(index, shape));
  }
}

TEST(ShardingHolders, ATransposedIotaNamesDevicesColumnByColumn) {
  const auto found = holders(bound_to("{devices=[2,2]<=[2,2]T(1,0)}", {6, 10}), Indices{4, 7});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().place, 3);
  EXPECT_EQ(found->front().local, (Indices{1, 2}));
}

TEST(ShardingHolders, TheLastShardMayBeShortOrEmpty) {
  const BoundDistribution bound = bound_to("{devices=[4]<=[4]}", {5});
  EXPECT_EQ(held(bound, 2, 0), Indices{4});
  EXPECT_EQ(held(bound, 3, 0), Indices());
}

TEST(ShardingHolders, AManualShardingDoesNotSay) {
  EXPECT_EQ(parse_distribution("{manual}").error().code, Code::no_static_map);
}

// Law: an element is among those of each of its holders, at the given local index.
TEST(ShardingHolders, HoldTheirElements) {
  for (const char* text :
       {"{devices=[2,3]<=[3,2]T(1,0)}", "{devices=[3,1,2]5,4,3,2,1,0 last_tile_dim_replicate}",
        "{mesh['a'=2,'b'=2,'c'=3], [{'c'}, {'a'}]}"}) {
    const BoundDistribution bound = bound_to(text, {7, 5});
    Indices index(2, 0);
    do {
      const auto found = holders(bound, index);
      ASSERT_TRUE(found);
      EXPECT_FALSE(found->empty());
      for (const ShardHolder& holder : *found) {
        for (std::size_t d = 0; d < index.size(); ++d) {
          const Indices own = held(bound, holder.place, d);
          ASSERT_LT(holder.local[d], std::ssize(own)) << text;
          EXPECT_EQ(own[static_cast<std::size_t>(holder.local[d])], index[d]) << text;
        }
      }
    } while (detail::next_index(index, Indices{7, 5}));
  }
}

}  // namespace
}  // namespace tessera::laws::sharding_holders_test
