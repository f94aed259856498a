// SPDX-License-Identifier: Apache-2.0
#include "hlo/parser/type_texts.h"

#include <gtest/gtest.h>

#include <string>

#include "tessera/hlo/module.h"

namespace tessera::detail {
namespace {

TEST(TypeTexts, SeesWhereATypeEnds) {
  for (const std::string type :
       {"f32[]", "f32[2,3]{1,0}", "bf16[8,128]{1,0:T(8,128)(2,1)S(1)}", "pred[<=4,?]", "()", "token[]",
        "(f32[2], (s32[], u8[3]{0}), /*index=5*/f32[])"})
    EXPECT_EQ(TypeTexts::extent(type + " add(a, b)"), type);
  EXPECT_EQ(TypeTexts::extent("f32[2], b: s32[])"), "f32[2]") << "a parameter of a signature";
}

TEST(TypeTexts, LeavesTheRestToTheReader) {
  for (const char* text : {"", "f32", "f32[2", "f32[2]{1,0", "f32[2\n] add(a)", "(f32[2], f32",
                           "f32[2] {0} add(a)", "f32[2]/**/{0} add(a)", "f32[2]{ 0} add(a)", "f32[2]{\n",
                           "f32[2] {", "f32 [2] add(a)", "b(f32[2]) add(a)", "[2] add(a)", "f32[2]"})
    EXPECT_EQ(TypeTexts::extent(text), "") << text;
}

TEST(TypeTexts, AnInvalidTypeIsReportedAtEachPlace) {
  // The second layout is not a permutation; the third type is that of the first line again.
  const ParsedModules parsed = parse_hlo(R"(ENTRY e {
  a = f32[2,3]{1,0} parameter(0)
  b = f32[2,3]{1,1} negate(a)
  c = f32[2,3]{1,1} negate(a)
  ROOT d = f32[2,3]{1,0} negate(a)
})");
  ASSERT_EQ(parsed.diagnostics.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(parsed.diagnostics[i].code, Code::m2m_duplicate);
    EXPECT_EQ(parsed.source->position(parsed.diagnostics[i].span.begin).line, 3 + i);
  }
  const Computation& entry = *parsed.modules[0].entry;
  EXPECT_EQ(entry.instructions[3]->type, entry.instructions[0]->type);
}

TEST(TypeTexts, TheSameTextWithAndWithoutALayoutAfterABlank) {
  const ParsedModules parsed = parse_hlo(R"(ENTRY e {
  a = f32[2,3] parameter(0)
  b = f32[2,3] {0,1} negate(a)
  c = f32[2,3] /*x*/ {0,1} negate(a)
  ROOT d = f32[2,3] negate(a)
})");
  EXPECT_TRUE(parsed.ok());
  const auto& lines = parsed.modules[0].entry->instructions;
  EXPECT_EQ(to_string(lines[1]->type), "f32[2,3]{0,1}");
  EXPECT_EQ(to_string(lines[2]->type), "f32[2,3]{0,1}");
  EXPECT_EQ(to_string(lines[3]->type), "f32[2,3]");
}

TEST(TypeTexts, TuplesOfOneTextShareTheirElements) {
  const ParsedModules parsed = parse_hlo(R"(ENTRY e {
  a = f32[2] parameter(0)
  b = (f32[2], f32[2]) tuple(a, a)
  ROOT c = (f32[2], f32[2]) tuple(a, a)
})");
  const auto& lines = parsed.modules[0].entry->instructions;
  EXPECT_EQ(lines[1]->type.elements().data(), lines[2]->type.elements().data());
}

}  // namespace
}  // namespace tessera::detail
