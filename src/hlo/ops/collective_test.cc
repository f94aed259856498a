// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/collective.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "laws/map_examples.h"
#include "tessera/hlo/indexing.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"
#include "tessera/text/index_map.h"

namespace tessera::laws {
namespace {

TEST(AllGatherMaps, TellWhoseOperandIsRead) {
  constexpr const char* kHlo =
      "p0 = f32[128,128] parameter(0)\nROOT r = f32[128,256] all-gather(p0), replica_groups={{0,1},{2,3}}, "
      "dimensions={1}";
  check_example({.hlo = kHlo,
                 .maps = {"(d0, d1) -> (d0, d1 mod 128), domain: d0 in [0, 127], d1 in [0, 255]"},
                 .replica = {"(d0, d1) -> (d1 / 128), domain: d0 in [0, 127], d1 in [0, 255]"}});
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .maps =
           {"(d0, d1){rt0} -> (d0, rt0 * 128 + d1), domain: d0 in [0, 127], d1 in [0, 127], rt0 in [0, 1]"},
       .runtime = {"position of this replica in its group"},
       .replica = {"()[s0] -> (s0), domain: s0 in [0, 1]"}});
}

// Regression: the map read only this replica's own part and called that a superset.
TEST(AllReduceMaps, ReadEveryReplicaOfTheGroup) {
  const auto hlo = [](std::string_view groups) {
    return fmt::format(
        "HloModule m, replica_count=3\nf {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = "
        "f32[] "
        "add(a, b)\n}}\nENTRY e {{\n p0 = f32[4,4] parameter(0)\n ROOT r = f32[4,4] all-reduce(p0), "
        "replica_groups={}, to_apply=f\n}}",
        groups);
  };
  constexpr std::string_view kSame = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3]";
  for (const Direction direction : {kToInput, kToOutput}) {
    for (const std::string_view groups : {"{{0,2},{1}}", "{{1},{0,2}}"}) {
      check_example({.hlo = hlo(groups),
                     .direction = direction,
                     .maps = {kSame},
                     .replica = {"()[s0] -> (s0), domain: s0 in [0, 1]"}});
    }
    check_example({.hlo = hlo("{}"),
                   .direction = direction,
                   .maps = {kSame},
                   .replica = {"()[s0] -> (s0), domain: s0 in [0, 2]"}});
    check_example({.hlo = hlo("{{0},{1},{2}}"), .direction = direction, .maps = {kSame}});
  }
}

TEST(CollectiveGroups, AreEqualInOtherWordsAndOfTheSameKind) {
  const auto groups = [](std::string_view attributes) {
    const ParsedModules parsed =
        parse_hlo(fmt::format("HloModule m, replica_count=4, num_partitions=2\nf {{\n a = f32[] "
                              "parameter(0)\n b = f32[] parameter(1)\n"
                              " ROOT c = f32[] add(a, b)\n}}\nENTRY e {{\n p = f32[4] parameter(0)\n"
                              " ROOT r = f32[4] all-reduce(p), {}, to_apply=f\n}}",
                              attributes));
    EXPECT_TRUE(parsed.ok()) << attributes;
    return detail::collective_groups(*parsed.modules.at(0).entry->root);
  };
  EXPECT_EQ(groups("replica_groups={{0,1},{2,3}}"), groups("replica_groups=[2,2]<=[4]"));
  EXPECT_EQ(groups("replica_groups={{0,1},{2,3}}"), groups("replica_groups={{2,3},{0,1}}"));
  EXPECT_NE(groups("replica_groups={{0,1},{2,3}}"), groups("replica_groups={{1,0},{2,3}}"));
  EXPECT_EQ(groups("replica_groups={}"), groups("replica_groups={{0,1,2,3}}"));
  EXPECT_EQ(groups("replica_groups={}").size(), 4);
  EXPECT_NE(groups("replica_groups={{0,1},{2,3}}"),
            groups("replica_groups={{0,1},{2,3}}, channel_id=1, use_global_device_ids=true"));
  // Each replica takes part with all of its partitions.
  EXPECT_EQ(groups("replica_groups={{0},{1},{2},{3}}, channel_id=1").size(), 2);
  EXPECT_EQ(groups("replica_groups=[2,4]<=[8], channel_id=1, use_global_device_ids=true").text(),
            "[2,4]<=[8]");
}

TEST(ReduceScatterMaps, SweepTheGroupInTheReplicaMap) {
  const std::string hlo =
      "f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY e {\n p0 = f32[8,6] parameter(0)\n ROOT r = f32[4,6] reduce-scatter(p0), "
      "replica_groups={{0,1}}, "
      "dimensions={0}, to_apply=f\n}";
  check_example(
      {.hlo = hlo,
       .maps = {"(d0, d1)[s0]{rt0} -> (rt0 * 4 + d0, d1), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 1], "
                "rt0 in [0, 1]"},
       .runtime = {"position of this replica in its group"},
       .replica = {"(d0, d1)[s0] -> (s0), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 1]"}});
}

// Checks the replica hops of each member for these pairs, with or without a channel.
void check_permutation(const std::string& attributes, const std::vector<std::string>& to_input,
                       const std::vector<std::string>& to_output) {
  SCOPED_TRACE(attributes);
  const ParsedModules parsed = parse_hlo(
      "ENTRY e {\np0 = f32[6] parameter(0)\nROOT r = f32[6] collective-permute(p0), " + attributes + "\n}");
  ASSERT_TRUE(parsed.ok());
  const Instruction& root = *parsed.modules[0].entry->root;
  for (const bool back : {true, false}) {
    const auto set = back ? output_to_input(root, {}) : input_to_output(root, {});
    ASSERT_TRUE(set.has_value());
    std::vector<std::string> hops;
    for (const Indexing& x : *set) {
      EXPECT_EQ(to_string(x.map), "(d0) -> (d0), domain: d0 in [0, 5]");
      EXPECT_EQ(x.exactness, Exactness::exact);
      ASSERT_EQ(x.replica.size(), 1U);
      hops.push_back(to_string(x.replica[0].map));
      EXPECT_EQ(x.replica[0].from, attributes.find("channel_id") == std::string::npos
                                       ? ReplicaHop::From::replica
                                       : ReplicaHop::From::partition);
    }
    EXPECT_EQ(hops, back ? to_input : to_output);
  }
}

TEST(CollectivePermuteMaps, TellWhichReplicaIsRead) {
  check_permutation("source_target_pairs={{0,1},{1,0}}",
                    {"(replica) -> (-replica + 1), domain: replica in [0, 1]"},
                    {"(replica) -> (-replica + 1), domain: replica in [0, 1]"});
  check_permutation("source_target_pairs={{0,1},{1,2},{2,3},{3,0}}, channel_id=1",
                    {"(partition) -> ((partition + 3) mod 4), domain: partition in [0, 3]"},
                    {"(partition) -> ((partition + 1) mod 4), domain: partition in [0, 3]"});
  // Along the last axis of a mesh of 2 x 3.
  check_permutation("source_target_pairs={{0,1},{1,2},{2,0},{3,4},{4,5},{5,3}}",
                    {"(replica) -> ((replica / 3) * 3 + (replica + 2) mod 3), domain: replica in [0, 5]"},
                    {"(replica) -> ((replica / 3) * 3 + (replica + 1) mod 3), domain: replica in [0, 5]"});
}

TEST(CollectivePermuteMaps, LeaveOutTheReplicasThatGetZeros) {
  check_permutation("source_target_pairs={{0,1},{1,2}}",
                    {"(replica) -> (replica - 1), domain: replica in [1, 2]"},
                    {"(replica) -> (replica + 1), domain: replica in [0, 1]"});
  check_permutation("source_target_pairs={{0,1},{2,3},{4,5}}",
                    {"(replica) -> (replica - 1), domain: replica in [1, 5], replica mod 2 in [1, 1]"},
                    {"(replica) -> (replica + 1), domain: replica in [0, 4], replica mod 2 in [0, 0]"});
  // Pairs without a pattern.
  check_permutation(
      "source_target_pairs={{1,0},{7,1},{2,5}}",
      {"(replica) -> (1), domain: replica in [0, 0]", "(replica) -> (7), domain: replica in [1, 1]",
       "(replica) -> (2), domain: replica in [5, 5]"},
      {"(replica) -> (0), domain: replica in [1, 1]", "(replica) -> (5), domain: replica in [2, 2]",
       "(replica) -> (1), domain: replica in [7, 7]"});
  check_example(
      {.hlo = "p0 = f32[6] parameter(0)\nROOT r = f32[6] collective-permute(p0), source_target_pairs={}",
       .maps = {"KNOWN EMPTY"}});
}

TEST(CollectivePermuteMaps, OfSlicesAreUnknown) {
  const ParsedModules parsed = parse_hlo(
      "ENTRY e {\np = f32[6] parameter(0)\ni = (s32[]) parameter(1)\n"
      "ROOT r = f32[6] collective-permute(p, p, i, i), source_target_pairs={{0,1}}, slice_sizes={{2}}\n}");
  ASSERT_TRUE(parsed.ok());
  // Regression: the map read all of the first operand, at the same positions.
  for (std::size_t operand : {0U, 1U}) {
    EXPECT_EQ(exactness(output_to_input(*parsed.modules[0].entry->root, {.operand = operand}).value()),
              Exactness::unknown);
  }
}

TEST(AllToAllMaps, TakeTheSizeOfTheOnlyGroupFromTheHeader) {
  check_example({.hlo = "HloModule m, replica_count=2\nENTRY e {\np0 = f32[6] parameter(0)\n"
                        "ROOT r = f32[6] all-to-all(p0), replica_groups={}, dimensions={0}\n}",
                 .maps = {"(d0){rt0} -> (rt0 * 3 + d0 mod 3), domain: d0 in [0, 5], rt0 in [0, 1]"},
                 .runtime = {"position of this replica in its group"},
                 .replica = {"(d0) -> (d0 / 3), domain: d0 in [0, 5]"}});
}

TEST(AsynchronousMaps, ForwardTheMatchingElement) {
  constexpr const char* kHlo =
      "p0 = f32[8] parameter(0)\ns = (f32[8], f32[16]) all-gather-start(p0), replica_groups={{0,1}}, "
      "dimensions={0}\n"
      "ROOT r = f32[16] all-gather-done(s)";
  check_example({.hlo = kHlo, .maps = {"(d0) -> (d0), domain: d0 in [0, 15]"}});
}

}  // namespace
}  // namespace tessera::laws
