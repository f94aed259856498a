// SPDX-License-Identifier: Apache-2.0
#include "hlo/metadata/metadata.h"

#include <gtest/gtest.h>

namespace tessera::detail {
namespace {

constexpr const char* kProgramWithFrames = R"(HloModule m

FileNames
1 "/home/me/model.py"
2 "/lib/linen \"x\".py"

FunctionNames
1 "step"
2 "Dense.__call__"

FileLocations
1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=2 end_column=9}
2 {file_name_id=2 function_name_id=2 line=271 end_line=271 column=2 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] negate(a), metadata={op_type="neg" op_name="jit(step)/transpose(jvp(A/B))/neg" stack_frame_id=2}
  c = f32[4] abs(b), metadata={op_name="jit(step)/abs", profile_type={1} source_file="old.py" source_line=7}
  d = f32[4] abs(c), metadata={op_name="x" stack_frame_id=9}
  ROOT t = f32[4] add(c, d)
})";

TEST(Metadata, FindsTheLineOfAnInstruction) {
  const ParsedModules parsed = parse_hlo(kProgramWithFrames);
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules[0];
  const auto at = [&](const char* name) -> const Instruction& { return *module.entry->find(name); };
  ModuleCode code(module);
  EXPECT_EQ(code.line(at("b")).text(), "/lib/linen \"x\".py:271");
  EXPECT_EQ(code.line(at("b")).function, "Dense.__call__");
  EXPECT_EQ(code.line(at("c")).text(), "old.py:7");
  EXPECT_FALSE(code.line(at("d")).known());
  EXPECT_FALSE(code.line(at("a")).known());
  EXPECT_EQ(code.scope(at("t")), "");
  const auto stack = code.stack(at("b"));
  ASSERT_EQ(stack.size(), 2U);
  EXPECT_EQ(stack[1].short_text(), "model.py:12");
  EXPECT_EQ(stack[1].function, "step");

  ModuleCode own(module, [](const std::string& file) { return file.starts_with("/home"); });
  EXPECT_EQ(own.line(at("b")).short_text(), "model.py:12");
}

TEST(Metadata, SplitsScopesOutsideOfParentheses) {
  const auto parts = scope_parts("jit(step)/transpose(jvp(A/B))//neg");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0], "jit(step)");
  EXPECT_EQ(parts[1], "transpose(jvp(A/B))");
  EXPECT_EQ(parts[2], "neg");
  EXPECT_TRUE(scope_parts("").empty());
  EXPECT_EQ(scope_parts("f)/a").size(), 2U);
}

TEST(Metadata, BrokenTablesGiveNoFrames) {
  EXPECT_EQ(StackFrames("").size(), 0U);
  EXPECT_EQ(StackFrames("StackFrames\n1 {file_location_id=").size(), 0U);
  EXPECT_EQ(StackFrames("StackFrames\n99999999 {file_location_id=1 parent_frame_id=1}").size(), 0U);
  const StackFrames loop("StackFrames\n1 {file_location_id=1 parent_frame_id=2}");
  ASSERT_NE(loop.find(1), nullptr);
  EXPECT_EQ(loop.find(1)->parent, 1);
  EXPECT_EQ(loop.find(1)->file, nullptr);
  EXPECT_EQ(loop.find(0), nullptr);
}

}  // namespace
}  // namespace tessera::detail
