// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/fold_runtime.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera::fold_runtime_test {
namespace {

// A computation with a slice whose start is its second parameter, and a caller that passes a known start.
constexpr std::string_view kProgram = R"(f {
  p0 = f32[100] parameter(0)
  p1 = s32[] parameter(1)
  ROOT r = f32[10] dynamic-slice(p0, p1), dynamic_slice_sizes={10}
}
ENTRY e {
  p0 = f32[100] parameter(0)
  c = s32[] constant(95)
  ROOT r = f32[10] fusion(p0, c), kind=kLoop, calls=f
})";

TEST(FoldRuntime, LooksThroughParametersWhereTheCallerIsKnown) {
  const ParsedModules parsed = parse_hlo(kProgram);
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules[0];
  const Instruction& slice = *module.find("f")->root;
  auto maps = output_to_input(slice, {});
  ASSERT_EQ(maps->front().runtime.size(), 1U);
  Indexing indexing = maps->front();
  EXPECT_FALSE(fold_runtime(indexing));
  const Instruction& caller = *module.entry->root;
  const FoldOptions options{
      .elements = {.resolve = [&](const Operand& parameter) {
        return std::optional(
            caller.operands[static_cast<std::size_t>(parameter.instruction->parameter_number)]);
      }}};
  EXPECT_TRUE(fold_runtime(indexing, options));
  EXPECT_TRUE(indexing.runtime.empty());
  // Clamped to the last position where ten elements fit.
  EXPECT_EQ(to_string(simplify(indexing.map)), "(d0) -> (d0 + 90), domain: d0 in [0, 9]");
}

TEST(FoldRuntime, PutsInTheOnlyValueWhereAsked) {
  const ParsedModules parsed =
      parse_hlo(std::string_view("ENTRY e {\np0 = f32[5,10] parameter(0)\np1 = s32[] parameter(1)\nROOT r = "
                                 "f32[5,2] dynamic-slice(p0, p1, p1), "
                                 "dynamic_slice_sizes={5,2}\n}"));
  Indexing indexing = output_to_input(*parsed.modules[0].entry->root, {})->front();
  ASSERT_EQ(indexing.runtime.size(), 2U);
  EXPECT_TRUE(fold_runtime(indexing, {.single_values = true}));
  ASSERT_EQ(indexing.runtime.size(), 1U);
  EXPECT_EQ(to_string(simplify(indexing.map)),
            "(d0, d1){rt0} -> (d0, d1 + rt0), domain: d0 in [0, 4], d1 in [0, 1], rt0 in [0, 8]");
}

TEST(FoldRuntime, KeepsTheIntervalOfAVariableThatWasNarrowed) {
  // Positions outside [3, 5] read nothing; the constant is 0, so nothing is read at all.
  const ParsedModules parsed = parse_hlo(std::string_view(
      "ENTRY e {\np0 = f32[100] parameter(0)\nc = s32[] constant(0)\nROOT r = f32[10] dynamic-slice(p0, c), "
      "dynamic_slice_sizes={10}\n}"));
  const Instruction& constant = *parsed.modules[0].entry->find("c");
  Indexing indexing;
  indexing.map = *parse_index_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [3, 5]");
  indexing.runtime.push_back(
      {.source = &constant, .map = *parse_index_map("(d0) -> (), domain: d0 in [0, 9]"), .clamp = {0, 90}});
  EXPECT_TRUE(fold_runtime(indexing));
  EXPECT_TRUE(indexing.map.known_empty());
}

// A dynamic-slice that starts at the last of `count` values, each `operation` of the one before with itself.
Indexing after_chain(int count, std::string_view operation) {
  std::string text = "ENTRY e {\np0 = f32[100] parameter(0)\na0 = s64[] constant(1)\n";
  for (int i = 1; i <= count; ++i) text += fmt::format("a{0} = s64[] {2}(a{1}, a{1})\n", i, i - 1, operation);
  text += fmt::format("ROOT r = f32[10] dynamic-slice(p0, a{}), dynamic_slice_sizes={{10}}\n}}", count);
  const ParsedModules parsed = parse_hlo(std::string_view(text));
  return output_to_input(*parsed.modules[0].entry->root, {})->front();
}

TEST(FoldRuntime, ComputesSharedValuesOnce) {
  // Sixty additions of a value to itself: a tree of 2^60 constants, whose sum is 2^60.
  EXPECT_EQ(to_string(after_chain(60, "add").map), "(d0) -> (d0 + 90), domain: d0 in [0, 9]");
  // The sum leaves the type.
  EXPECT_EQ(after_chain(64, "add").map.runtime_count(), 1U);
}

TEST(FoldRuntime, StopsAtLongArithmetic) { EXPECT_EQ(after_chain(300, "maximum").map.runtime_count(), 1U); }

}  // namespace
}  // namespace tessera::fold_runtime_test
