// SPDX-License-Identifier: Apache-2.0
#include "hlo/verify/verify_test.h"

namespace tessera {
namespace {

using verify_test::kComputations;
using verify_test::kValues;

// Counts that the header omits are not checked.
TEST(VerifyTest, TheHeaderSaysWhichReplicasThereAre) {
  const auto problem = [](std::string_view header, std::string_view line) {
    const ParsedModules parsed = parse_hlo(fmt::format("HloModule h{}{}ENTRY e {{{}\n  ROOT y = {}\n}}\n",
                                                       header, kComputations, kValues, line));
    if (parsed.diagnostics.empty()) return std::string();
    const Diagnostic& d = parsed.diagnostics[0];
    return fmt::format("{} at {}", d.message,
                       parsed.source->text().substr(d.span.begin, d.span.end - d.span.begin));
  };
  const std::string reduce = "f32[4,8] all-reduce(m), to_apply=add, replica_groups=";
  const std::string beyond = reduce + "{{0,1},{2,/*4*/99}}";
  EXPECT_EQ(problem("", beyond), "");
  EXPECT_EQ(problem(", replica_count=4", beyond),
            "replica 99 is out of range: the header has replica_count=4 at 99");
  EXPECT_EQ(problem(", replica_count=100", beyond), "");
  EXPECT_EQ(problem(", replica_count=1", beyond), "") << "a header that says nothing";
  EXPECT_EQ(problem(", num_partitions=4", beyond), "") << "the numbers are those of replicas";
  EXPECT_EQ(problem(", num_partitions=4", beyond + ", channel_id=1, use_global_device_ids=true"),
            "device 99 is out of range: the header has num_partitions=4 at 99");
  EXPECT_EQ(
      problem(", replica_count=25, num_partitions=4", beyond + ", channel_id=1, use_global_device_ids=true"),
      "");
  EXPECT_EQ(
      problem(", replica_count=11, num_partitions=9", beyond + ", channel_id=1, use_global_device_ids=true"),
      "device 99 is out of range: the header has replica_count=11, num_partitions=9 at 99");
  EXPECT_EQ(problem(", replica_count=4, num_partitions=100", beyond + ", channel_id=1"),
            "replica 99 is out of range: the header has replica_count=4 at 99");
  EXPECT_EQ(problem(", replica_count=4", reduce + "[1,8]<=[8]"),
            "replica 4 is out of range: the header has replica_count=4 at [1,8]<=[8]");
  const std::string permute = "f32[4,8] collective-permute(m), source_target_pairs=";
  EXPECT_EQ(problem(", replica_count=4", permute + "{{0,77}}"),
            "replica 77 is out of range: the header has replica_count=4 at 77");
  EXPECT_EQ(problem(", replica_count=4, num_partitions=78", permute + "{{0,77}}, channel_id=1"), "");
  EXPECT_EQ(problem(", num_partitions=8", permute + "{{0,77}}, channel_id=1"),
            "partition 77 is out of range: the header has num_partitions=8 at 77");
  EXPECT_EQ(problem("", permute + "{{0,1},{0,2}}"), "replica 0 is a source twice at 0");
  EXPECT_EQ(problem("", permute + "{{0,1},{2,1}}"), "replica 1 is a target twice at 1");
  const std::string gather = "f32[4,16] all-gather(m), dimensions={1}, replica_groups=";
  EXPECT_EQ(problem("", gather + "{{0,1},{2}}"),
            "groups have different sizes, 2 and 1, but all-gather gives all the same shape at {{0,1},{2}}");
  EXPECT_EQ(problem("", reduce + "{{0,1},{2}}"), "");
  EXPECT_EQ(problem("", reduce + "{{0,1},{}}"), "a group of 'replica_groups' is empty at {{0,1},{}}");
  EXPECT_EQ(problem(", replica_count=4", gather + "{}").substr(0, 47),
            "dimension 1 changes from 8 to 16, but a group o");
  EXPECT_EQ(problem(", replica_count=2", gather + "{}"), "");
  EXPECT_EQ(problem(", num_partitions=2", gather + "{{0}}, channel_id=1"), "")
      << "with all of its partitions";
  EXPECT_NE(problem("", "f32[4,8] all-to-all(m), dimensions={1}, replica_groups={{0,1},{2}}"), "");
  EXPECT_NE(problem("", "(f32[8], f32[8]) all-to-all(v, v), replica_groups={{0,1,2}}"), "");
  EXPECT_NE(problem("",
                    "f32[4,4] reduce-scatter(m), dimensions={1}, to_apply=add, "
                    "replica_groups={{0,1},{2}}"),
            "");
}

TEST(VerifyTest, TheHeaderAgreesWithTheEntry) {
  constexpr std::string_view kBody = "\nENTRY e { p = f32[4] parameter(0) ROOT r = s32[4] convert(p) }";
  const auto code = [&](std::string_view header) -> std::optional<Code> {
    const ParsedModules parsed = parse_hlo(fmt::format("HloModule m, {}{}", header, kBody));
    return parsed.diagnostics.empty() ? std::nullopt : std::optional(parsed.diagnostics[0].code);
  };
  EXPECT_EQ(code("entry_computation_layout={(f32[4]{0})->s32[4]{0}}"), std::nullopt);
  EXPECT_EQ(code("entry_computation_layout={(f32[5]{0})->s32[4]{0}}"), Code::shape_mismatch);
  EXPECT_EQ(code("entry_computation_layout={(f32[4]{0})->f32[4]{0}}"), Code::shape_mismatch);
  EXPECT_EQ(code("entry_computation_layout={()->s32[4]{0}}"), Code::operand_count);
  EXPECT_EQ(code("entry_computation_layout={(f32[4]{1})->s32[4]{0}}"), Code::m2m_range);
  EXPECT_EQ(code("mood=good"), Code::unknown_attribute);
  EXPECT_EQ(code("input_output_alias={ {}: (0, {}, may-alias) }"), std::nullopt);
  EXPECT_EQ(code("input_output_alias={ {}: (0, {}, must-alias) }, buffer_donor={ (0, {}) }"), std::nullopt);
  EXPECT_EQ(code("input_output_alias={ {3}: (0, {}, may-alias) }"), Code::index_out_of_range);
  EXPECT_EQ(code("input_output_alias={ {}: (7, {}, may-alias) }"), Code::index_out_of_range);
  EXPECT_EQ(code("input_output_alias={ {}: (0, {1}, may-alias) }"), Code::index_out_of_range);
  EXPECT_EQ(code("input_output_alias={ {}: (0, {}), {}: (0, {}) }"), Code::duplicate_name);
  EXPECT_EQ(code("input_output_alias={ {}: (0, {}, will-alias) }"), Code::bad_attribute);
  EXPECT_EQ(code("buffer_donor={ (9, {}) }"), Code::index_out_of_range);
  EXPECT_EQ(code("buffer_donor={ (0, {0}) }"), Code::index_out_of_range);
  EXPECT_EQ(code("buffer_donor={}"), std::nullopt);
}

}  // namespace
}  // namespace tessera
