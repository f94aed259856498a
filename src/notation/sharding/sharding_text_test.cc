// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/notation/sharding.h"

namespace tessera::sharding_text_test {
namespace {

using Shape = std::vector<Index>;

Sharding sharding(std::string_view text) {
  auto parsed = parse_sharding(text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << (parsed ? "" : to_string(parsed.error()));
  return parsed.value_or(Sharding());
}

TEST(ShardingTest, ATransposedIotaNamesDevicesColumnByColumn) {
  const Sharding s = sharding("{devices=[2,2]<=[2,2]T(1,0)}");
  EXPECT_EQ(s.devices(), (Shape{0, 2, 1, 3}));
}

TEST(ShardingTest, EqualDeviceOrdersHaveOneSpelling) {
  EXPECT_EQ(to_string(sharding("{devices=[3,4,5]<=[3,4,5]T(0,1,2)}")), "{devices=[3,4,5]<=[60]}");
  EXPECT_EQ(to_string(sharding("{devices=[4,5,3]<=[3,4,5]T(1,2,0)}")), "{devices=[4,5,3]<=[3,20]T(1,0)}");
  EXPECT_EQ(to_string(sharding("{devices=[3,2,3]<=[3,2,3,1]T(3,0,2,1)}")),
            "{devices=[3,2,3]<=[3,2,3]T(0,2,1)}");
}

TEST(ShardingTest, AMeshBecomesATileAssignment) {
  EXPECT_EQ(to_string(sharding("{mesh['x'=2,'y'=4], [{'x'}, {}]}")),
            "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(to_string(sharding("{mesh['x'=2,'y'=4], [{'y'}, {'x'}]}")), "{devices=[4,2]<=[2,4]T(1,0)}");
  EXPECT_EQ(to_string(sharding("{mesh['x'=2,'y'=4], [{'y':(2)2}, {'x'}]}")),
            "{devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate}");
}

TEST(ShardingTest, WhatFollowsIsKeptAsWritten) {
  EXPECT_EQ(to_string(sharding("{devices=[2]<=[2]  shard_as 7}")), "{devices=[2]<=[2] shard_as 7}");
  EXPECT_EQ(to_string(sharding("{maximal device=3 metadata={op_name=\"}\"}}")),
            "{maximal device=3 metadata={op_name=\"}\"}}");
}

// Regression: any text was accepted at the end, so a misspelled word silently gave another sharding.
TEST(ShardingTest, NothingElseFollows) {
  for (const char* text :
       {"{devices=[2,2]<=[4] last_tile_dim_replicat}", "{replicatedx}", "{devices=[2]<=[2]T(0)}",
        "{mesh['x'=2,'y'=4], [{'x'} {'y'}]}", "{mesh['x'=2,'y'=4], [{'x' 'y'}]}"}) {
    const auto parsed = parse_sharding(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Code::syntax) << text;
  }
  // Replicated axes may be written; the printed text omits them.
  EXPECT_EQ(to_string(sharding("{mesh['x'=2,'y'=4], [{'x'}], replicated={'y'}}")),
            "{devices=[2,4]<=[8] last_tile_dim_replicate}");
}

// Regression: a name without quotes could have one inside, which a program reads as the start of a string;
// and a mesh without devices had more than 131072 of them, if it listed their numbers.
TEST(ShardingTest, MistakesOfAMeshAreNamed) {
  EXPECT_EQ(parse_sharding("{mesh[a'=3], [{}]}").error().code, Code::syntax);
  EXPECT_EQ(parse_sharding("{mesh['a'=0, device_ids=(0)], [{}]}").error().message,
            "the number of devices must be positive and fit in 64 bits");
}

TEST(ShardingTest, ATupleHasOneShardingAnElement) {
  const auto all = parse_shardings("{{replicated}, {devices=[2]<=[2]}}");
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->size(), 2u);
  EXPECT_EQ(parse_shardings("{}")->size(), 0u);
  EXPECT_EQ(parse_shardings("{manual}")->size(), 1u);
}

TEST(ShardingTest, ErrorsNameTheNumbers) {
  EXPECT_EQ(parse_sharding("{devices=[2,4]<=[6]}").error().code, Code::device_count);
  EXPECT_EQ(parse_sharding("{devices=[2,2]<=[2,2]T(0,0)}").error().code, Code::iota_perm);
  EXPECT_EQ(parse_sharding("{devices=[2,2]<=[2,2]}").error().code, Code::syntax);
  EXPECT_EQ(parse_sharding("{mesh['x'=2], [{'z'}]}").error().code, Code::unknown_name);
  EXPECT_EQ(parse_sharding("{mesh['x'=4], [{'x'}, {'x'}]}").error().code, Code::duplicate_name);
  EXPECT_EQ(parse_sharding("{mesh['x'=9223372036854775807,'y'=9], [{'x','y'}]}").error().code,
            Code::overflow);
}

}  // namespace
}  // namespace tessera::sharding_text_test
