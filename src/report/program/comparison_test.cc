// SPDX-License-Identifier: Apache-2.0
#include "report/program/comparison.h"

#include <gtest/gtest.h>

#include <string>

#include "tessera/hlo/module.h"

namespace tessera::detail {
namespace {

ProgramReport report_of(const ParsedModules& parsed, const ReportOptions& options = {}) {
  ReportBuilder builder(options);
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

// The order of the steps changes the last digits of a line's time.
TEST(CompareProgramsTest, ALineOfTheSameStepsInAnotherOrderIsTheSame) {
  constexpr int kSteps = 40;
  const auto program = [](bool reversed) {
    const auto type = [](int i) { return "f32[" + std::to_string(100 + 37 * i) + "]"; };
    std::string out = "ENTRY e {\n";
    std::string types;
    std::string names;
    for (int i = 0; i < kSteps; ++i) {
      const std::string name = std::to_string(i);
      out += "p" + name + " = " + type(i) + " parameter(" + name + ")\n";
      types += (i == 0 ? "" : ", ") + type(i);
      names += (i == 0 ? "x" : ", x") + name;
    }
    for (int k = 0; k < kSteps; ++k) {
      const int i = reversed ? kSteps - 1 - k : k;
      const std::string name = std::to_string(i);
      out += "x" + name + " = " + type(i) + " negate(p" + name +
             "), metadata={op_name=\"f\" source_file=\"a.py\" source_line=3}\n";
    }
    return out + "ROOT t = (" + types + ") tuple(" + names + ")\n}";
  };
  const ParsedModules old_program = parse_hlo(program(false));
  const ParsedModules new_program = parse_hlo(program(true));
  ReportOptions options;
  options.chip = *read_chip("h100");
  const ProgramReport before = report_of(old_program, options);
  const ProgramReport after = report_of(new_program, options);
  const ProgramComparison result = compare_programs(before, after);
  EXPECT_TRUE(result.timed);
  EXPECT_EQ(result.matched, kSteps);
  EXPECT_TRUE(result.lines.empty());
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
