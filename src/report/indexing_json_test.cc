// SPDX-License-Identifier: Apache-2.0
#include "report/indexing_json.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/indexing_text.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

// Regression: two members with equal map texts appeared in the order in which they were found.
TEST(IndexingJson, DoesNotDependOnTheOrderInWhichMapsWereFound) {
  const ParsedModules parsed = parse_hlo(std::string_view(R"(
f {
  x = f32[8] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  a = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
  b = f32[4] dynamic-slice(x, j), dynamic_slice_sizes={4}
  ROOT r = f32[4] add(b, a)
}
ENTRY e {
  x = f32[8] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  ROOT q = f32[4] fusion(x, i, j), kind=kLoop, calls=f
})"));
  ASSERT_TRUE(parsed.diagnostics.empty());
  const Instruction& fusion = *parsed.modules[0].entry->root;
  const auto maps = output_to_input(fusion, {});
  ASSERT_EQ(maps->size(), 2U);
  ASSERT_EQ(to_string(maps->at(0).map), to_string(maps->at(1).map));
  InstructionIndexing found{.instruction = &fusion, .pairs = {{.output = 0, .operand = 0, .maps = *maps}}};
  const std::string text = to_json({.file = "f", .module = "m"}, found, IndexingDirection::output_to_input);
  std::ranges::reverse(found.pairs[0].maps);
  EXPECT_EQ(to_json({.file = "f", .module = "m"}, found, IndexingDirection::output_to_input), text);
  EXPECT_LT(text.find("\"source\":\"i\""), text.find("\"source\":\"j\""));
}

// Regression: the variables for two groups on the path were both printed as s0, the name of the map's own
// variable.
TEST(IndexingText, VariablesOfDifferentGroupsHaveDifferentNames) {
  const ParsedModules parsed = parse_hlo(std::string_view(R"(HloModule m, replica_count=4
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
g {
  a = f32[4] parameter(0)
  b = f32[4] all-reduce(a), replica_groups={{0,1},{2,3}}, to_apply=add
  ROOT c = f32[1] reduce-scatter(b), dimensions={0}, replica_groups={{3,1,0,2}}, to_apply=add
}
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[1] call(a), to_apply=g
})"));
  ASSERT_TRUE(parsed.diagnostics.empty());
  const auto maps = output_to_input(*parsed.modules[0].entry->root, {});
  ASSERT_EQ(maps->size(), 1U);
  EXPECT_NE(to_text(maps->at(0)).find("\n()[s1] -> (s1), domain: s1 in [0, 1]"), std::string::npos);
  EXPECT_NE(to_json(maps->at(0)).find("\"()[s1] -> (s1), domain: s1 in [0, 1]\""), std::string::npos);
}

}  // namespace
}  // namespace tessera
