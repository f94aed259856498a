// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gmock/gmock.h>

#include "hlo/parser/parser_test.h"
#include "hlo/syntax/attributes.h"
#include "hlo/syntax/printer.h"

namespace tessera {
namespace {

using parser_test::codes;
using parser_test::names;
using parser_test::parse;
using parser_test::root;

using testing::ElementsAre;

using testing::HasSubstr;

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

// Regression: recovery skipped the line with the brace, and a note said that the text ended inside.
TEST(ParserTest, ABraceOnTheLineOfABrokenInstructionClosesItsComputation) {
  for (const char* broken :
       {"negate(s1)", "reduce(x, x), dimensions={1}, to_apply=u8", "fusion(x), calls=f32",
        "transpose(x), dimensions={1,q}", "negate(x), metadata={op_name=\"}\"} zz"}) {
    for (const char* end : {" }", "\n}", " } // }", " } /* } */", " }\nf { ROOT a = f32[] parameter(0) }"}) {
      const std::string text =
          std::string("ENTRY e { x = f32[8,8] parameter(0) ROOT y = f32[8,8] ") + broken + end;
      const ParsedModules parsed = parse_hlo(text);
      ASSERT_FALSE(parsed.diagnostics.empty()) << text;
      for (const Diagnostic& one : parsed.diagnostics)
        EXPECT_TRUE(one.notes.empty()) << text << to_string(one);
      ASSERT_EQ(parsed.modules.size(), 1) << text;
      EXPECT_EQ(parsed.modules[0].computations.size(),
                std::string(end).find('f') == std::string::npos ? 1 : 2)
          << text;
    }
  }
}

TEST(ParserTest, AComputationLeftOpenEndsAtTheNextOne) {
  const auto parsed =
      parse("%a {\n  %x = f32[] parameter(0)\n\n%b (p: f32[]) -> f32[] {\n  %y = f32[] parameter(0)\n}\n");
  EXPECT_THAT(codes(parsed), ElementsAre(Code::syntax));
  EXPECT_EQ(parsed.modules[0].computations.size(), 2u);
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

// Found by fuzzing: the root was a dropped instruction, of which only the name had been parsed.
TEST(ParserTest, ARootBeforeAnOpenCommentIsNone) {
  const auto parsed = parse("ENTRY e { a = f32[2] parameter(0)\n ROOT b /* negate(a) }");
  ASSERT_EQ(parsed.modules.size(), 1U);
  EXPECT_EQ(root(parsed).name, "a");
  EXPECT_FALSE(parsed.ok());
}

// Regression: printing crashed for a computation whose instructions were all dropped, so that it had no root.
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

TEST(ParserTest, DiagnosticsBeyondTheLimitAreCounted) {
  std::string text = "ENTRY e {\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("  a{} = f32[2] negate(nothing{})\n", i, i);
  const ParsedModules parsed = parse_hlo(text + "}\n", {.verify = true, .max_diagnostics = 10});
  ASSERT_EQ(parsed.diagnostics.size(), 10u);
  EXPECT_THAT(parsed.diagnostics.back().notes, ElementsAre("40 further problems not shown"));
}

}  // namespace
}  // namespace tessera
