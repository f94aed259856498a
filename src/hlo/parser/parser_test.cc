// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/parser.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "laws/hlo_laws.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/printer.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ParsedModules parse(std::string_view text) {
  ParsedModules parsed = parse_hlo(text);
  EXPECT_EQ(check_parsed(parsed), "");
  EXPECT_EQ(check_round_trip(parsed), "");
  return parsed;
}

// The one module of a text without any diagnostic.
ParsedModules parse_clean(std::string_view text) {
  ParsedModules parsed = parse(text);
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << render(d, *parsed.source);
  return parsed;
}

std::vector<Code> codes(const ParsedModules& parsed) {
  std::vector<Code> out;
  for (const Diagnostic& d : parsed.diagnostics) out.push_back(d.code);
  return out;
}

const Instruction& root(const ParsedModules& parsed) { return *parsed.modules.at(0).entry->root; }

std::vector<std::string_view> names(const Computation& computation) {
  std::vector<std::string_view> out;
  for (const auto& instruction : computation.instructions) out.push_back(instruction->name);
  return out;
}

TEST(ParserTest, PercentSignsMayBeLeftOut) {
  const auto with =
      parse_clean("ENTRY %e {\n  %a = f32[2]{0} parameter(0)\n  ROOT %b = f32[2]{0} negate(%a)\n}\n");
  const auto without = parse_clean("ENTRY e { a = f32[2]{0} parameter(0) ROOT b = f32[2]{0} negate(a) }");
  EXPECT_TRUE(equal(with.modules[0], without.modules[0]));
}

// Found by fuzzing: the root was a dropped instruction, of which only the name could be parsed.
TEST(ParserTest, ARootBeforeAnOpenCommentIsNone) {
  const auto parsed = parse("ENTRY e { a = f32[2] parameter(0)\n ROOT b /* negate(a) }");
  ASSERT_EQ(parsed.modules.size(), 1U);
  EXPECT_EQ(root(parsed).name, "a");
  EXPECT_FALSE(parsed.ok());
}

TEST(ParserTest, ABareListOfInstructionsIsTheEntry) {
  const auto parsed = parse_clean("a = f32[2] parameter(0)\nROOT b = f32[2] negate(a)\n");
  EXPECT_EQ(parsed.modules[0].entry->name, "main");
  EXPECT_EQ(root(parsed).name, "b");
}

TEST(ParserTest, WithoutEntryAndRootTheLastOnesAre) {
  const auto parsed =
      parse_clean("a { x = f32[] parameter(0) }\nb { y = f32[] parameter(0) z = f32[] negate(y) }");
  EXPECT_EQ(parsed.modules[0].entry->name, "b");
  EXPECT_EQ(root(parsed).name, "z");
}

TEST(ParserTest, TheRootNeedNotBeTheLastInstruction) {
  EXPECT_EQ(root(parse_clean("ENTRY e { ROOT a = f32[] parameter(0) b = f32[] negate(a) }")).name, "a");
}

TEST(ParserTest, ModulesAreSeparatedByALineOrByTheNextHeader) {
  const auto parsed = parse_clean(
      "HloModule one\nENTRY a { x = f32[] parameter(0) }\n// -----\n\n// -----\nHloModule two\nENTRY a { x = "
      "f32[] "
      "parameter(0) }\nHloModule three\nENTRY a { x = f32[] parameter(0) }\n");
  ASSERT_EQ(parsed.modules.size(), 3u);
  EXPECT_EQ(parsed.modules[2].name, "three");
}

TEST(ParserTest, NestedOperandsBecomeInstructionsOfTheirOwn) {
  const auto parsed = parse_clean(
      "ENTRY e { negate.1 = f32[2] parameter(0) ROOT r = f32[2] add(negate.1, f32[2] negate(f32[2] "
      "abs(negate.1))) }");
  EXPECT_THAT(names(*parsed.modules[0].entry), ElementsAre("negate.1", "abs.1", "negate.2", "r"));
  EXPECT_EQ(root(parsed).operands[1].instruction->name, "negate.2");
}

TEST(ParserTest, ComputationsInAttributesGetFreeNames) {
  const auto parsed = parse_clean(R"(
region { x = f32[] parameter(0) }
ENTRY e {
  p = f32[8] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply={
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT s = f32[] add(a, b)
  }
})");
  const Computation* called = called_by(root(parsed), "to_apply");
  ASSERT_NE(called, nullptr);
  EXPECT_EQ(called->name, "region.1");
  EXPECT_EQ(called->root->name, "s");
}

TEST(ParserTest, MissingTypesFollowFromTheOperands) {
  const auto parsed = parse_clean(R"(
ENTRY e {
  a = f32[4,8]{1,0} parameter(0)
  b = transpose(a), dimensions={1,0}
  c = compare(b, b), direction=LT
  d = slice(c), slice={[0:8:2], [1:3]}
  ROOT e = tuple(d, a)
})");
  EXPECT_EQ(to_string(root(parsed).type), "(pred[4,2], f32[4,8]{1,0})");
}

TEST(ParserTest, TupleElementsAreOperandsWithANumberSign) {
  const auto parsed =
      parse_clean("ENTRY e { t = (f32[2], s32[3]) parameter(0) ROOT r = s32[3] negate(t#1) }");
  EXPECT_EQ(root(parsed).operands[0].tuple_index, 1);
  EXPECT_EQ(to_string(root(parsed).operand_type(0)), "s32[3]");
}

// Regression: only one `#` was accepted.
TEST(ParserTest, ElementsOfTuplesInTuplesAreOperands) {
  const auto parsed = parse_clean(
      "ENTRY e { t = (f32[2], (s32[], f32[3], (f32[4]))) parameter(0) n = f32[3] negate(t#1#1)\n"
      "ROOT r = ((f32[4]), f32[4], (s32[], f32[3], (f32[4]))) tuple(t#1#2, f32[4] %t#1#2#0, t#1) }");
  const Instruction& n = *parsed.modules[0].entry->instructions[1];
  EXPECT_EQ(to_string(n), "%n = f32[3] negate(%t#1#1)");
  EXPECT_EQ(n.operands[0].tuple_index, 1);
  ASSERT_NE(n.operands[0].inner, nullptr);
  EXPECT_EQ(*n.operands[0].inner, (TupleStep{1, nullptr}));
  EXPECT_EQ(to_string(root(parsed).operand_type(0)), "(f32[4])");
  EXPECT_EQ(to_string(root(parsed).operand_type(1)), "f32[4]");
  const auto part = [](std::string_view operand) {
    return parse_clean(fmt::format(
        "ENTRY e {{ t = (f32[2], (f32[2], f32[2])) parameter(0) ROOT r = f32[2] negate({}) }}", operand));
  };
  EXPECT_TRUE(equal(part("t#1#1").modules[0], part("%t # 1 # 1").modules[0]));
  EXPECT_FALSE(equal(part("t#1#1").modules[0], part("t#1#0").modules[0]));
}

TEST(ParserTest, EveryIndexIsWithinItsTuple) {
  const auto message = [](std::string_view operand) {
    const auto parsed = parse(fmt::format(
        "ENTRY e {{ t = (f32[2], (s32[], f32[3])) parameter(0) ROOT r = f32[3] negate({}) }}", operand));
    EXPECT_FALSE(root(parsed).sound);
    return parsed.ok() ? "" : parsed.diagnostics[0].message;
  };
  EXPECT_EQ(message("t#2#0"), "'t' has 2 elements, so index 2 is out of range");
  EXPECT_EQ(message("t#1#2"), "'t#1' has 2 elements, so index 2 is out of range");
  EXPECT_EQ(message("t#1#-1"), "'t#1' has 2 elements, so index -1 is out of range");
  EXPECT_EQ(message("t#1#1#0"), "'t#1#1' is f32[3], not a tuple");
  EXPECT_EQ(message("f32[2] t#1#1"), "operand 't' is written as f32[2], but it is f32[3]");
  EXPECT_EQ(message("t#1#"), "expected the number of a tuple element after '#', got ')'");
}

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

TEST(ParserTest, AnUnknownElementTypeDoesNotLoseTheLine) {
  const auto parsed = parse(
      "ENTRY e {\n a = f32[2] parameter(0)\n b = q32[2]{0} negate(a)\n ROOT t = (f32[2], /*index=1*/ q32[]) "
      "tuple(a, "
      "b), sharding={replicated}\n}");
  EXPECT_THAT(codes(parsed), ElementsAre(Code::unknown_type, Code::unknown_type));
  EXPECT_EQ(root(parsed).opcode, Opcode::tuple);
  EXPECT_EQ(root(parsed).operands.size(), 2u);
  EXPECT_EQ(to_string(root(parsed)),
            "ROOT %t = (f32[2], /*index=1*/ q32[]) tuple(%a, %b), sharding={replicated}");
}

TEST(ParserTest, WrappedOpcodesAreAsynchronousOnes) {
  const auto parsed = parse_clean(
      "ENTRY e { a = f32[8] parameter(0) s = ((f32[8]), f32[2], u32[]) slice-start(a), slice={[0:2]}\n"
      "ROOT d = f32[2] slice-done(s) }");
  EXPECT_EQ(root(parsed).opcode, Opcode::async_done);
  EXPECT_EQ(root(parsed).opcode_text, "slice-done");
}

TEST(ParserTest, ABrokenInstructionDoesNotSpoilTheOthers) {
  const auto parsed = parse(
      "ENTRY e {\n  a = f32[4 parameter(0)\n  b = f32[4] negate(a)\n  c = f32[4] parameter(0)\n  ROOT d = "
      "f32[4] "
      "negate(c)\n}\n");
  EXPECT_THAT(codes(parsed), ElementsAre(Code::syntax));
  const Computation& entry = *parsed.modules[0].entry;
  EXPECT_THAT(names(entry), ElementsAre("a", "b", "c", "d"));
  EXPECT_FALSE(entry.instructions[1]->sound) << "its operand has no type";
  EXPECT_TRUE(entry.instructions[3]->sound);
}

TEST(ParserTest, ABracketLeftOpenEndsAtTheNextInstruction) {
  const auto parsed = parse(
      "ENTRY e {\n  a = f32[4] parameter(0), origin={{\"x\" 1}\n  b = f32[4] add(a, a\n  ROOT c = f32[4] "
      "negate(a)\n}\n");
  EXPECT_THAT(codes(parsed), ElementsAre(Code::syntax, Code::syntax));
  EXPECT_EQ(root(parsed).name, "c");
  EXPECT_TRUE(root(parsed).sound);
}

TEST(ParserTest, AComputationLeftOpenEndsAtTheNextOne) {
  const auto parsed =
      parse("%a {\n  %x = f32[] parameter(0)\n\n%b (p: f32[]) -> f32[] {\n  %y = f32[] parameter(0)\n}\n");
  EXPECT_THAT(codes(parsed), ElementsAre(Code::syntax));
  EXPECT_EQ(parsed.modules[0].computations.size(), 2u);
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
  EXPECT_EQ(problem("op_name=\"n\" source_line=x"), "'source_line' in metadata must be a number, got x at x");
  EXPECT_EQ(problem("source_end_column=\"3\""),
            "'source_end_column' in metadata must be a number, got \"3\" at \"3\"");
  EXPECT_EQ(problem("source_line=3x"), "'source_line' in metadata must be a number, got 3x at 3x");
  EXPECT_EQ(problem("op_name=jit"), "'op_name' in metadata must be a string, got jit at jit");
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

// Regression: the printer used the type of a root that did not exist.
TEST(ParserTest, ComputationsWithoutInstructionsArePrinted) {
  const auto parsed = parse("f { }\nENTRY e { }\n");
  EXPECT_FALSE(parsed.ok());
  for (const HloModule& module : parsed.modules) EXPECT_NE(to_string(module).find("%e"), std::string::npos);
}

// Regression: the line break after the short form was part of the value and was printed.
TEST(ParserTest, ValuesEndWithTheirLastBracket) {
  const auto parsed = parse_clean(
      "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\nENTRY e { p = f32[4] "
      "parameter(0)\nROOT r = f32[4] all-reduce(p), to_apply=add, replica_groups=[1,8]<=[8]\n}");
  EXPECT_EQ(root(parsed).attribute("replica_groups")->value, "[1,8]<=[8]");
}

TEST(ParserTest, LeadingHashLinesAreSkipped) {
  parse_clean("# RUN this\n# that\nENTRY e { a = f32[] parameter(0) }");
}

TEST(ParserTest, AZeroByteIsAnError) {
  const auto parsed = parse(std::string_view("ENTRY e { a = f32[] parameter(0) /*\0*/ }", 40));
  EXPECT_THAT(codes(parsed), ElementsAre(Code::syntax));
  EXPECT_THAT(parsed.diagnostics[0].message, HasSubstr("zero byte"));
}

TEST(ParserTest, DiagnosticsBeyondTheLimitAreCounted) {
  std::string text = "ENTRY e {\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("  a{} = f32[2] negate(nothing{})\n", i, i);
  const ParsedModules parsed = parse_hlo(text + "}\n", {.verify = true, .max_diagnostics = 10});
  ASSERT_EQ(parsed.diagnostics.size(), 10u);
  EXPECT_THAT(parsed.diagnostics.back().notes, ElementsAre("40 further problems not shown"));
}

TEST(ParserTest, TuplesOfAThousandElementsAndLongLines) {
  std::string type = "(";
  std::string operands;
  for (int i = 0; i < 1199; ++i) {
    type += fmt::format("{}f32[{}]{{0}}", i == 0 ? "" : ", ", i + 1);
    operands += fmt::format("{}%p{}", i == 0 ? "" : ", ", i);
  }
  type += ")";
  std::string text = "ENTRY e {\n";
  for (int i = 0; i < 1199; ++i) text += fmt::format("  %p{} = f32[{}]{{0}} parameter({})\n", i, i + 1, i);
  text += fmt::format("  ROOT %t = {} tuple({}), frontend_attributes={{a=\"{}\"}}\n}}\n", type, operands,
                      std::string(150000, 'x'));
  EXPECT_EQ(root(parse_clean(text)).operands.size(), 1199u);
}

TEST(ParserTest, NestingHasALimit) {
  std::string text = "ENTRY e { a = f32[] parameter(0) ROOT b = f32[] negate(";
  for (int i = 0; i < 100000; ++i) text += "negate(";
  EXPECT_THAT(codes(parse(text)), testing::Contains(Code::limit));
  text = "ENTRY e {\n";
  for (int i = 0; i < 100000; ++i) text += "b = f32[] call(), to_apply={";
  EXPECT_THAT(codes(parse(text)), testing::Contains(Code::limit));
  EXPECT_FALSE(parse("ENTRY e { a = " + std::string(1000000, '(')).ok());
  EXPECT_FALSE(parse("ENTRY e { a = f32[] parameter(0), x=" + std::string(1000000, '{')).ok());
}

// Each line doubles the previous type. Regression: sixty lines exhausted memory.
TEST(ParserTest, TypesThatAreLeftOutHaveALimit) {
  std::string wide = "ENTRY e {\n t0 = f32[4] parameter(0)\n";
  std::string deep = wide;
  for (int i = 0; i < 1000; ++i) {
    wide += fmt::format(" t{} = tuple(t{}, t{})\n", i + 1, i, i);
    deep += fmt::format(" t{} = tuple(t{})\n", i + 1, i);
  }
  EXPECT_THAT(codes(parse(wide + "}")), testing::Contains(Code::limit));
  EXPECT_THAT(codes(parse(deep + "}")), testing::Contains(Code::limit));
}

// Regression: printing crashed for a computation without a root, whose instructions were all dropped.
TEST(ParserTest, AModuleOfAFaultyTextIsPrinted) {
  for (const std::string_view text :
       {"ENTRY e { }", "ENTRY e { x y }", "ENTRY e {\n  ROOT p{ = f32[] parameter(0)\n}\n"}) {
    const ParsedModules parsed = parse(std::string(text));
    EXPECT_FALSE(parsed.ok());
    for (const HloModule& module : parsed.modules) EXPECT_THAT(to_string(module), testing::HasSubstr("{"));
  }
}

// Regression: each of these texts took quadratic time, because the parser read the rest again after every
// error.
TEST(ParserTest, ManyErrorsCostNoMoreThanOne) {
  for (const std::string_view line :
       {"a = f32[] add(), x={\n", "a = f32[] add(\n", "a = f32[/*\n", "a = f32[] constant({\n",
        "a = f32[] f(), b=\"\n", "%a (\n", "a {\n", "a = f32[] add(b)\n",
        "a = f32[2] add(), to_apply={ a = \n", "\\\"\\\"\\\"\n", "}\n", "\n", "/**/\n", "b\n", " /*\n"}) {
    for (const std::string_view start :
         {"ENTRY e {\n", "ENTRY e {\na = f32[\n", "ENTRY e { a = f32[] add(), origin={"}) {
      std::string text(start);
      while (text.size() < 400000) text += line;
      EXPECT_FALSE(parse_hlo(text).ok()) << start << line;
    }
  }
}

TEST(ParserTest, HugeExtentsCostNothing) {
  const auto parsed = parse(
      "ENTRY e {\n a = f32[9223372036854775807] constant({1})\n b = s8[9223372036854775807] iota(), "
      "iota_dimension=0\n"
      " c = s8[4] slice(b), slice={[0:9223372036854775807:4611686018427387904]}\n"
      " d = f32[] parameter(9223372036854775807)\n e = s8[1] pad(b, b), padding=9223372036854775807_1_1\n}");
  EXPECT_EQ(codes(parsed).size(), 4u);
}

}  // namespace
}  // namespace tessera
