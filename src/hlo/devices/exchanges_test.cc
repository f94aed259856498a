// SPDX-License-Identifier: Apache-2.0
#include "hlo/devices/exchanges.h"

#include <gtest/gtest.h>

#include <string>

namespace tessera::detail {
namespace {

constexpr const char* kSumFunction =
    "sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }\n";

DeviceExchange exchange_in(const std::string& instructions, const std::string& header = "num_partitions=4") {
  const ParsedModules parsed =
      parse_hlo("HloModule m, " + header + "\n" + kSumFunction + "ENTRY e {\n" + instructions + "}");
  EXPECT_TRUE(parsed.ok()) << instructions;
  const DeviceExchanges all = device_exchanges(parsed.modules.at(0));
  EXPECT_EQ(all.exchanges.size(), 1U);
  DeviceExchange out = all.exchanges.at(0);
  out.instruction = nullptr;
  return out;
}

Count exact_exchange(Index n) { return {n, n}; }

TEST(Exchanges, AGatherReceivesWhatTheOthersHave) {
  const DeviceExchange x = exchange_in(
      "a = f32[8] parameter(0)\n ROOT g = f32[32] all-gather(a), replica_groups=[1,4]<=[4], dimensions={0}, "
      "channel_id=1, use_global_device_ids=true\n");
  EXPECT_EQ(x.members, 4);
  EXPECT_EQ(x.received, exact_exchange(96));
  EXPECT_EQ(x.ring, exact_exchange(96));
}

TEST(Exchanges, ARingReducesInTwoRounds) {
  const DeviceExchange x = exchange_in(
      "a = f32[8] parameter(0)\n ROOT g = f32[8] all-reduce(a), replica_groups={{0,1},{2,3}}, to_apply=sum, "
      "channel_id=1, use_global_device_ids=true\n");
  EXPECT_EQ(x.members, 2);
  EXPECT_EQ(x.received, exact_exchange(32));
  EXPECT_EQ(x.ring, exact_exchange(32));
  EXPECT_EQ(exchange_in("a = f32[8] parameter(0)\n ROOT g = f32[8] all-reduce(a), replica_groups=[1,4]<=[4], "
                        "to_apply=sum, channel_id=1, use_global_device_ids=true\n")
                .ring,
            exact_exchange(48));
}

TEST(Exchanges, ScatteringAndExchanging) {
  const DeviceExchange scattered = exchange_in(
      "a = f32[8] parameter(0)\n ROOT g = f32[2] reduce-scatter(a), replica_groups=[1,4]<=[4], to_apply=sum, "
      "dimensions={0}, channel_id=1, use_global_device_ids=true\n");
  EXPECT_EQ(scattered.received, exact_exchange(8));
  EXPECT_EQ(scattered.ring, exact_exchange(24));
  const DeviceExchange exchanged = exchange_in(
      "a = f32[8] parameter(0)\n ROOT g = f32[8] all-to-all(a), replica_groups={{0,1,2,3}}, dimensions={0}\n",
      "replica_count=4");
  EXPECT_EQ(exchanged.received, exact_exchange(24));
  EXPECT_EQ(exchanged.direct, exact_exchange(24));
  EXPECT_EQ(exchanged.ring, exact_exchange(48));
}

TEST(Exchanges, APermutationMayLeaveDevicesOut) {
  EXPECT_EQ(exchange_in("a = f32[8] parameter(0)\n ROOT g = f32[8] collective-permute(a), "
                        "source_target_pairs={{0,1},{1,0}}\n",
                        "replica_count=2")
                .received,
            exact_exchange(32));
  const DeviceExchange some = exchange_in(
      "a = f32[8] parameter(0)\n ROOT g = f32[8] collective-permute(a), source_target_pairs={{0,1}}\n",
      "replica_count=2");
  EXPECT_EQ(some.received.lower, 0);
  EXPECT_EQ(some.received.upper, 32);
  EXPECT_EQ(some.reason, "some devices receive nothing");
}

TEST(Exchanges, AnUnknownGroupGivesNoBound) {
  const DeviceExchange x = exchange_in(
      "a = f32[8] parameter(0)\n ROOT g = f32[8] all-reduce(a), replica_groups={}, to_apply=sum\n",
      "is_scheduled=true");
  EXPECT_EQ(x.members, 0);
  EXPECT_FALSE(x.received.upper.has_value());
  EXPECT_EQ(exchange_in("a = f32[8] parameter(0)\n ROOT g = f32[8] all-reduce(a), replica_groups={{0}}, "
                        "to_apply=sum\n",
                        "replica_count=1")
                .received,
            exact_exchange(0));
}

// Regression: XLA does not print a count of 1. A header with the number of partitions alone left the number
// of replicas unknown, and with it the size of the group of all devices.
TEST(Exchanges, TheCountThatTheHeaderLeavesOutIsOne) {
  const std::string all = "a = f32[8] parameter(0)\n ROOT g = f32[8] all-reduce(a), replica_groups={}, ";
  for (const char* global : {"", ", use_global_device_ids=true"}) {
    const std::string text = all + "to_apply=sum, channel_id=1" + global + "\n";
    EXPECT_EQ(exchange_in(text, "num_partitions=4").members, 4) << global;
    EXPECT_EQ(exchange_in(text, "replica_count=4").members, 4) << global;
    EXPECT_EQ(exchange_in(text, "replica_count=2, num_partitions=4").members, 8) << global;
    EXPECT_EQ(exchange_in(text, "is_scheduled=true").members, 0) << global;
  }
  EXPECT_EQ(exchange_in(all + "to_apply=sum\n", "num_partitions=4").received, exact_exchange(0));
}

TEST(Exchanges, CountTheStepsBetweenAStartAndItsEnd) {
  const std::string text =
      "a = f32[8] parameter(0)\n s = (f32[8], f32[16]) all-gather-start(a), replica_groups={{0,1}}, "
      "dimensions={0}\n b = f32[8] negate(a)\n c = f32[8] abs(b)\n d = f32[16] all-gather-done(s)\n"
      "ROOT t = (f32[8], f32[16]) tuple(c, d)\n";
  EXPECT_EQ(exchange_in(text, "is_scheduled=true, replica_count=2").overlapped, 2);
  EXPECT_EQ(exchange_in(text, "replica_count=2").overlapped, -1);
}

}  // namespace
}  // namespace tessera::detail
