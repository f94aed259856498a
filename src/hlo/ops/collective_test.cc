// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "laws/map_examples.h"

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
       .runtime = {"position of this replica in its group"}});
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

TEST(CollectivePermuteMaps, KeepIndicesAndSayWhenSomeReplicaGetsNothing) {
  constexpr const char* kSame = "(d0) -> (d0), domain: d0 in [0, 5]";
  check_example({.hlo = "p0 = f32[6] parameter(0)\nROOT r = f32[6] collective-permute(p0), "
                        "source_target_pairs={{0,1},{1,0}}",
                 .maps = {kSame}});
  check_example(
      {.hlo = "p0 = f32[6] parameter(0)\nROOT r = f32[6] collective-permute(p0), source_target_pairs={{0,1}}",
       .maps = {kSame},
       .exactness = Exactness::superset});
  // Pairs may exchange their operands among themselves and leave other replicas out: those get zeros. The
  // header may say so, or a gap in the numbers.
  const auto header = [](const char* counts, const char* attributes) {
    return std::string("HloModule m") + counts +
           "\nENTRY e {\np0 = f32[6] parameter(0)\nROOT r = f32[6] collective-permute(p0), " + attributes +
           "\n}";
  };
  const std::string pair = "source_target_pairs={{0,1},{1,0}}";
  for (const Direction direction : {kToInput, kToOutput}) {
    const auto check = [&](const std::string& hlo, Exactness exactness) {
      SCOPED_TRACE(hlo);
      check_example({.hlo = hlo, .direction = direction, .maps = {kSame}, .exactness = exactness});
    };
    check(header(", replica_count=2", pair.c_str()), Exactness::exact);
    check(header(", replica_count=8", pair.c_str()), Exactness::superset);
    check(header(", num_partitions=8", (pair + ", channel_id=1").c_str()), Exactness::superset);
    check(header(", replica_count=8, num_partitions=2", (pair + ", channel_id=1").c_str()), Exactness::exact);
    check(header("", "source_target_pairs={{4,5},{5,4}}"), Exactness::superset);
    check(header("", "source_target_pairs={{0,2},{2,0}}"), Exactness::superset);
    check(header("", "source_target_pairs={{0,0},{0,1}}"), Exactness::superset);
  }
  check_example(
      {.hlo = "p0 = f32[6] parameter(0)\nROOT r = f32[6] collective-permute(p0), source_target_pairs={}",
       .maps = {"KNOWN EMPTY"}});
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
