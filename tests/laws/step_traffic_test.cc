// SPDX-License-Identifier: Apache-2.0
// The traffic of steps of random programs against sets of elements of buffers. TESSERA_LAW_CASES is the
// number of programs, TESSERA_SEED the first seed.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "laws/random_seed.h"
#include "laws/traffic_program.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/traffic.h"

namespace tessera::laws {
namespace {

constexpr Index kElementBytes = 4;

struct StepCoverage {
  Index steps = 0;
  Index fusions = 0;
  Index shared = 0;
  Index in_place = 0;
  Index copied = 0;
  Index undecided = 0;
  Index recomputed = 0;
  Index counted = 0;
};

bool count_holds(const Count& count, Index value) {
  return count.lower <= value && (!count.upper || value <= *count.upper);
}

void check_written(const StepTraffic& step, const StepTruth& truth, StepCoverage& coverage) {
  const Index whole = kElementBytes * truth.result;
  if (truth.update < 0) {
    EXPECT_EQ(step.written, (Count{whole, whole}));
    EXPECT_FALSE(step.in_place);
    return;
  }
  const Index update = kElementBytes * truth.update;
  if (step.in_place) {
    EXPECT_TRUE(truth.may_overwrite || (truth.open && !truth.must_copy)) << "in place";
    EXPECT_EQ(step.written, (Count{update, update}));
    ++coverage.in_place;
  } else if (step.written.exact()) {
    EXPECT_TRUE(truth.must_copy || update == whole) << "not in place";
    EXPECT_EQ(step.written.lower, whole);
    ++coverage.copied;
  } else {
    EXPECT_EQ(step.written.lower, update);
    EXPECT_EQ(step.written.upper, whole);
    EXPECT_FALSE(truth.must_copy);
    EXPECT_FALSE(truth.may_overwrite && !truth.open);
    ++coverage.undecided;
  }
}

void check_step(const StepTraffic& step, const StepTruth& truth, StepCoverage& coverage) {
  SCOPED_TRACE(fmt::format("{}: read {}, used {}, written {}; used {}, at most {} read, update {} of {}",
                           truth.name, to_string(step.read), to_string(step.used), to_string(step.written),
                           kElementBytes * truth.used, kElementBytes * truth.most_reads, truth.update,
                           truth.result));
  check_written(step, truth, coverage);
  ++coverage.steps;
  const bool fusion = step.instruction->opcode == Opcode::fusion;
  coverage.fusions += fusion ? 1 : 0;
  coverage.recomputed += step.inlined.lower > step.read.upper.value_or(0) ? 1 : 0;
  for (const OperandReads& x : step.operands) {
    coverage.shared += x.also.empty() ? 0 : 1;
    if (truth.at_runtime) continue;
    EXPECT_EQ(x.reads.reachable, x.reads.used) << x.operand;
  }
  // In place, the updated operand is not read: the truth has what a copy reads.
  const Index kept = step.in_place ? truth.result - truth.update : 0;
  const Index used = kElementBytes * (truth.used - kept);
  const Index most = kElementBytes * (truth.most_reads - kept);
  if (truth.update < 0 || step.in_place || step.written.exact()) {
    EXPECT_TRUE(count_holds(step.used, used)) << used;
    EXPECT_LE(used, step.read.upper.value_or(used));
  } else {
    EXPECT_TRUE(count_holds(step.used, kElementBytes * (truth.used - truth.result + truth.update)) ||
                count_holds(step.used, kElementBytes * truth.used));
  }
  EXPECT_LE(step.read.lower, most);
  if (truth.at_runtime) return;
  EXPECT_TRUE(step.used.exact());
  EXPECT_TRUE(step.read.exact());
  EXPECT_LE(step.read.upper.value_or(kIndexMax), most);
  EXPECT_GE(step.read.lower, used);
  if (truth.loop_reads >= 0) {
    EXPECT_EQ(step.read.lower, kElementBytes * truth.loop_reads);
    ++coverage.counted;
  }
  EXPECT_EQ(step.exactness, Exactness::exact);
  EXPECT_TRUE(step.reason.empty()) << step.reason;
}

TEST(StepTraffic, OfRandomProgramsIsThatOfTheirBuffers) {
  const std::uint64_t first = seed(20261128);
  const std::uint64_t programs = environment("TESSERA_LAW_CASES", 1000);
  StepCoverage coverage;
  for (std::uint64_t i = 0; i < programs && !testing::Test::HasFailure(); ++i) {
    std::mt19937_64 random(first + i);
    const TrafficProgram program = random_traffic_program(random);
    SCOPED_TRACE(fmt::format("seed {}\n{}", first + i, program.text));
    const ParsedModules parsed = parse_hlo(program.text);
    ASSERT_TRUE(parsed.ok()) << to_string(parsed.diagnostics.at(0));
    const ProgramTraffic traffic = program_traffic(parsed.modules.at(0));
    EXPECT_EQ(traffic.steps.size(), program.steps.size());
    Count moved{0, 0};
    for (const StepTruth& truth : program.steps) {
      const auto step = std::ranges::find(traffic.steps, truth.name,
                                          [](const StepTraffic& x) { return x.instruction->name; });
      ASSERT_NE(step, traffic.steps.end()) << truth.name;
      check_step(*step, truth, coverage);
    }
    // A fusion moves no more than its instructions would one by one.
    EXPECT_LE(traffic.moved.lower, kElementBytes * program.unfused);
  }
  if (programs < 1000) return;
  EXPECT_GT(coverage.fusions, 500);
  EXPECT_GT(coverage.shared, 100);
  EXPECT_GT(coverage.in_place, 20);
  EXPECT_GT(coverage.copied, 50);
  EXPECT_GT(coverage.undecided, 5);
  EXPECT_GT(coverage.recomputed, 50);
  EXPECT_GT(coverage.counted, 200);
}

}  // namespace
}  // namespace tessera::laws
