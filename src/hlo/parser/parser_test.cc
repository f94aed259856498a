// SPDX-License-Identifier: Apache-2.0
#include "hlo/parser/parser_test.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "hlo/syntax/attributes.h"
#include "hlo/syntax/printer.h"
#include "tessera/hlo/module.h"

namespace tessera {
namespace {

using parser_test::codes;
using parser_test::names;
using parser_test::parse;
using parser_test::parse_clean;
using parser_test::root;

using testing::ElementsAre;

using testing::HasSubstr;

TEST(ParserTest, PercentSignsMayBeLeftOut) {
  const auto with =
      parse_clean("ENTRY %e {\n  %a = f32[2]{0} parameter(0)\n  ROOT %b = f32[2]{0} negate(%a)\n}\n");
  const auto without = parse_clean("ENTRY e { a = f32[2]{0} parameter(0) ROOT b = f32[2]{0} negate(a) }");
  EXPECT_TRUE(equal(with.modules[0], without.modules[0]));
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

TEST(ParserTest, WrappedOpcodesAreAsynchronousOnes) {
  const auto parsed = parse_clean(
      "ENTRY e { a = f32[8] parameter(0) s = ((f32[8]), f32[2], u32[]) slice-start(a), slice={[0:2]}\n"
      "ROOT d = f32[2] slice-done(s) }");
  EXPECT_EQ(root(parsed).opcode, Opcode::async_done);
  EXPECT_EQ(root(parsed).opcode_text, "slice-done");
}

// Regression: the printer used the type of a root that did not exist.
TEST(ParserTest, ComputationsWithoutInstructionsArePrinted) {
  const auto parsed = parse("f { }\nENTRY e { }\n");
  EXPECT_FALSE(parsed.ok());
  for (const HloModule& module : parsed.modules) EXPECT_NE(to_string(module).find("%e"), std::string::npos);
}

TEST(ParserTest, LeadingHashLinesAreSkipped) {
  parse_clean("# RUN this\n# that\nENTRY e { a = f32[] parameter(0) }");
}

TEST(ParserTest, AZeroByteIsAnError) {
  const auto parsed = parse(std::string_view("ENTRY e { a = f32[] parameter(0) /*\0*/ }", 40));
  EXPECT_THAT(codes(parsed), ElementsAre(Code::syntax));
  EXPECT_THAT(parsed.diagnostics[0].message, HasSubstr("zero byte"));
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

// Regression: questions about a program with 20000 calls within calls overflowed the stack.
TEST(ParserTest, CallsWithinCallsHaveALimit) {
  const auto nested = [](int levels) {
    std::string text = "step.0 { p = f32[8] parameter(0) ROOT r = f32[8] negate(p) }\n";
    for (int i = 1; i <= levels; ++i)
      text += fmt::format("{} {{ p = f32[8] parameter(0) ROOT r = f32[8] call(p), to_apply=step.{} }}\n",
                          i == levels ? "ENTRY main" : fmt::format("step.{}", i), i - 1);
    return text;
  };
  EXPECT_THAT(codes(parse(nested(500))), testing::IsEmpty());
  EXPECT_THAT(codes(parse(nested(501))), testing::ElementsAre(Code::limit));
  EXPECT_THAT(codes(parse(nested(20000))), testing::Contains(Code::limit));
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
