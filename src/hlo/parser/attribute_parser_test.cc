// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gmock/gmock.h>

#include "hlo/parser/parser_test.h"
#include "hlo/syntax/attributes.h"
#include "hlo/syntax/printer.h"

namespace tessera {
namespace {

using parser_test::codes;
using parser_test::parse;
using parser_test::parse_clean;
using parser_test::root;

using testing::ElementsAre;

using testing::HasSubstr;

TEST(ParserTest, UnknownOpcodesAndAttributesAreKept) {
  const auto parsed =
      parse("ENTRY e {\n a = f32[2] parameter(0)\n ROOT b = f32[2] frob(a), color={x, \"}\"}, size=3\n}");
  EXPECT_THAT(codes(parsed),
              ElementsAre(Code::unknown_opcode, Code::unknown_attribute, Code::unknown_attribute));
  EXPECT_EQ(root(parsed).opcode, Opcode::unknown);
  EXPECT_EQ(root(parsed).opcode_text, "frob");
  EXPECT_EQ(root(parsed).attribute("color")->value, "{x, \"}\"}");
  EXPECT_EQ(root(parsed).operands.size(), 1u);
  EXPECT_FALSE(root(parsed).sound);
}

// Regression: each of these was accepted silently.
TEST(ParserTest, AttributesOfOtherOpcodesAreWarnedOf) {
  const auto key_of_warning = [](std::string_view line) {
    const auto parsed = parse(fmt::format("ENTRY e {{\n p = f32[4] parameter(0)\n ROOT r = {}\n}}", line));
    EXPECT_TRUE(parsed.ok()) << line;
    EXPECT_TRUE(root(parsed).sound) << line;
    std::string keys;
    for (const Diagnostic& d : parsed.diagnostics) {
      EXPECT_EQ(d.code, Code::unknown_attribute);
      EXPECT_EQ(d.severity, Severity::warning);
      EXPECT_FALSE(d.help.empty());
      keys += parsed.source->text().substr(d.span.begin, d.span.end - d.span.begin);
      keys += ' ';
    }
    return keys;
  };
  EXPECT_EQ(key_of_warning("f32[4] add(p, p), dimensions={0}, metadata={op_name=\"x\"}, k=3"),
            "dimensions k ");
  EXPECT_EQ(key_of_warning("f32[] dot(p, p), lhs_contracting_dims={0}, rhs_contracting_dims={0}, window={}"),
            "window ");
  // A start takes the attributes of its operation, and no others.
  EXPECT_EQ(key_of_warning("((f32[4]), f32[2], u32[]) slice-start(p), slice={[0:2]}, kind=kLoop"), "kind ");
  EXPECT_EQ(key_of_warning("((f32[4]), f32[2], u32[]) slice-start(p), slice={[0:2]}, "
                           "async_execution_thread=\"t\""),
            "");
}

TEST(ParserTest, HeaderAttributesAndTablesAreKept) {
  const auto parsed = parse_clean(
      "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, "
      "frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"fsdp\"=8]>}}\n\n"
      "FileNames\n1 \"/a.py\"\nFunctionNames\n1 \"f\"\nFileLocations\n1 {file_name_id=1 "
      "line=2}\nStackFrames\n"
      "1 {file_location_id=1 parent_frame_id=1}\n\nENTRY e { ROOT a = (f32[]) parameter(0) }");
  const HloModule& module = parsed.modules[0];
  ASSERT_EQ(module.attributes.size(), 3u);
  EXPECT_EQ(module.attributes[2].value, "{xla.sdy.meshes={mesh = #sdy.mesh<[\"fsdp\"=8]>}}");
  EXPECT_TRUE(module.stack_tables.starts_with("FileNames"));
  EXPECT_TRUE(module.stack_tables.ends_with("parent_frame_id=1}"));
}

TEST(ParserTest, StringsAndBraceTextHideBracketsAndCommas) {
  const auto parsed = parse_clean(
      R"(ENTRY e { ROOT a = f32[] custom-call(), custom_call_target="x{\"},y=\\", )"
      R"(backend_config={"a": "}", "b": [1, {"c": 2}]}, frontend_attributes={k="v}",j={"}": 1}}, )"
      R"(metadata={op_type="t" op_name="jit(f)/{" source_line=3 profile_type={1}} })");
  const Instruction& call = root(parsed);
  EXPECT_EQ(*read_string(*call.attribute("custom_call_target")), "x{\"},y=\\");
  EXPECT_EQ(call.attribute("backend_config")->value, R"({"a": "}", "b": [1, {"c": 2}]})");
  EXPECT_EQ(call.attributes.size(), 4u);
}

// Regression: a source line that is not a number was kept silently.
TEST(ParserTest, MetadataFieldsAreNumbersOrStrings) {
  const auto problem = [](std::string_view metadata) {
    const auto parsed =
        parse(fmt::format("ENTRY e {{ ROOT a = f32[] parameter(0), metadata={{{}}} }}", metadata));
    EXPECT_TRUE(root(parsed).sound) << "nothing follows from metadata";
    if (parsed.diagnostics.empty()) return std::string();
    const Diagnostic& d = parsed.diagnostics[0];
    EXPECT_EQ(d.code, Code::bad_attribute);
    return fmt::format("{} at {}", d.message,
                       parsed.source->text().substr(d.span.begin, d.span.end - d.span.begin));
  };
  EXPECT_EQ(problem("op_type='t', op_name=\"n\" source_line=3 stack_frame_id=7 preserve_layout=true"), "");
  EXPECT_EQ(problem("op_name=\"n\" source_line=x"), "'source_line' in metadata must be a number, not x at x");
  EXPECT_EQ(problem("source_end_column=\"3\""),
            "'source_end_column' in metadata must be a number, not \"3\" at \"3\"");
  EXPECT_EQ(problem("source_line=3x"), "'source_line' in metadata must be a number, not 3x at 3x");
  EXPECT_EQ(problem("op_name=jit"), "'op_name' in metadata must be a string, not jit at jit");
}

// XLA refuses both. Regression: they were accepted silently.
TEST(ParserTest, MetadataFieldsAreKnownAndGivenOnce) {
  const auto code = [](std::string_view metadata) {
    const auto parsed =
        parse(fmt::format("ENTRY e {{ ROOT a = f32[] parameter(0), metadata={{{}}} }}", metadata));
    EXPECT_EQ(parsed.diagnostics.size(), 1U);
    return parsed.diagnostics.at(0).code;
  };
  EXPECT_EQ(code("op_name=\"a\" op_name=\"b\""), Code::duplicate_name);
  EXPECT_EQ(code("op_nam=\"a\""), Code::unknown_attribute);
}

// Regression: the line break after the short form was part of the value and was printed.
TEST(ParserTest, ValuesEndWithTheirLastBracket) {
  const auto parsed = parse_clean(
      "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\nENTRY e { p = f32[4] "
      "parameter(0)\nROOT r = f32[4] all-reduce(p), to_apply=add, replica_groups=[1,8]<=[8]\n}");
  EXPECT_EQ(root(parsed).attribute("replica_groups")->value, "[1,8]<=[8]");
}

}  // namespace
}  // namespace tessera
