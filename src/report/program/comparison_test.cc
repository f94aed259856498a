// SPDX-License-Identifier: Apache-2.0
#include "report/program/comparison.h"

#include <gtest/gtest.h>

#include "tessera/hlo/module.h"

namespace tessera::detail {
namespace {

ProgramReport report_of(const ParsedModules& parsed) {
  ReportBuilder builder({});
  for (const HloModule& module : parsed.modules) builder.add("p.hlo", module, "", [] {});
  return std::move(builder).finish();
}

struct Compared {
  ParsedModules old_program;
  ParsedModules new_program;
  ProgramReport before;
  ProgramReport after;
  ProgramComparison result;

  Compared(const std::string& old_text, const std::string& new_text)
      : old_program(parse_hlo(old_text)),
        new_program(parse_hlo(new_text)),
        before(report_of(old_program)),
        after(report_of(new_program)),
        result(compare_programs(before, after)) {}
};

TEST(CompareProgramsTest, WorseStepsComeFirst) {
  const Compared both(R"(ENTRY e {
  p = f32[64] parameter(0)
  q = f32[64] parameter(1)
  a = f32[64] negate(p)
  b = f32[64] add(a, p)
  ROOT c = f32[64] add(b, a)
})",
                      R"(ENTRY e {
  p = f32[64] parameter(0)
  q = f32[64] parameter(1)
  a = f32[64] add(p, q)
  b = f32[64] negate(a)
  ROOT c = f32[64] add(b, a)
})");
  ASSERT_EQ(both.result.changes.size(), 2);
  EXPECT_EQ(both.result.changes[0].after->instruction->name, "a");
  EXPECT_EQ(both.result.changes[0].difference(), 256);
  EXPECT_EQ(both.result.changes[1].difference(), -256);
  EXPECT_EQ(both.result.matched, 3);
  EXPECT_TRUE(both.result.changes[0].exact());
}

TEST(CompareProgramsTest, NumbersAndLayoutsDoNotHideAMatch) {
  const Compared both(R"(ENTRY e {
  p = f32[8,8]{1,0} parameter(0)
  q.3 = f32[8,8]{1,0} negate(p)
  ROOT copy.7 = f32[8,8]{1,0} copy(q.3)
})",
                      R"(ENTRY e {
  p = f32[8,8]{1,0} parameter(0)
  q.9 = f32[8,8]{0,1} negate(p)
  ROOT copy.2 = f32[8,8]{1,0} copy(q.9)
})");
  EXPECT_TRUE(both.result.changes.empty());
  EXPECT_EQ(both.result.matched, 2);
}

TEST(CompareProgramsTest, StepsOfOneProgramAreNewOrGone) {
  const Compared both("ENTRY e {\n p = f32[8] parameter(0)\n ROOT a = f32[8] negate(p)\n}",
                      "ENTRY e {\n p = f32[4] parameter(0)\n ROOT b = f32[4] sine(p)\n}");
  EXPECT_EQ(both.result.added, 1);
  EXPECT_EQ(both.result.removed, 1);
  EXPECT_EQ(both.result.matched, 0);
  EXPECT_EQ(both.result.changes[0].before, nullptr);
  EXPECT_EQ(both.result.changes[1].after, nullptr);
}

}  // namespace
}  // namespace tessera::detail
