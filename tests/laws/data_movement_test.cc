// SPDX-License-Identifier: Apache-2.0
// Random programs whose elements are followed one by one: which steps only move elements, how many change
// their place in memory, and which chains cancel. TESSERA_SEED, TESSERA_LAW_CASES: the number of programs
// (default 2,000).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hlo/analysis/copies.h"
#include "laws/array_placement.h"
#include "laws/random_seed.h"
#include "laws/traced_program.h"
#include "tessera/hlo/module.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::laws {
namespace {

std::size_t place(Index i) { return static_cast<std::size_t>(i); }

/// How often each case occurred. If a case never occurred, the test proves nothing about it.
struct Coverage {
  Index moving = 0;
  Index still = 0;
  Index computing = 0;
  Index partly_computed = 0;
  Index counted = 0;
  Index together = 0;  // results whose bytes lie together in the operand
  Index mixed = 0;
  Index chains = 0;
  Index cancelling = 0;
};

Placement placed(const TracedArray& x) { return placement(parse_hlo_type(type_of(x))->array()); }

/// The arrays that have the bytes of another one, in its order: results of reshapes.
using Renamed = std::map<std::string, std::string>;

std::string origin_of(std::string name, const Renamed& renamed) {
  for (auto at = renamed.find(name); at != renamed.end(); at = renamed.find(name)) name = at->second;
  return name;
}

void check_step(const TracedStep& step, const Movement* listed, Renamed& renamed, Coverage& coverage) {
  const std::vector<Index>& from = step.result.from;
  const bool computed = std::ranges::find(from, kComputed) != from.end();
  const bool of_operand = std::ranges::any_of(from, [](Index f) { return f >= 0 || f == kAtRunTime; });
  const bool run_time = std::ranges::find(from, kAtRunTime) != from.end();
  std::set<Index> sources;
  for (const Index f : from)
    if (f >= 0) sources.insert(f / 1000);
  const bool constants = std::ranges::find(from, kConstant) != from.end();
  coverage.computing += computed ? 1 : 0;
  // A scalar of padding is an operand of the step, too.
  const bool moves = !computed && (of_operand || (step.plain && constants));
  if (step.operation == "reshape" && listed == nullptr && moves) {
    const Placement a = placed(step.operands[0]);
    const Placement b = placed(step.result);
    EXPECT_EQ(a.cells, b.cells) << step.name;
    for (std::size_t e = 0; e < from.size(); ++e)
      EXPECT_EQ(b.places[e], a.places[place(from[e] % 1000)]) << step.name;
    renamed[step.name] = step.operands[0].name;
    return;
  }
  EXPECT_EQ(listed != nullptr, moves) << step.name << (moves ? " only moves elements" : " computes");
  if (listed == nullptr || !moves || run_time) return;
  const BitcastAnswer& answer = listed->answer;
  // A pad that leaves nothing of its operand may be undecided: a scalar as large as the result is left.
  if (!of_operand) return;
  // The start may not matter, but that is not looked for.
  if (step.at_run_time && answer.verdict == Verdict::undecided) return;
  EXPECT_NE(answer.verdict, Verdict::undecided) << step.name << ": " << answer.reason;
  bool same = sources.size() == 1 && !constants;
  const Placement after = placed(step.result);
  std::set<Index> distances;
  Index moved = 0;
  if (same) {
    const Placement before = placed(step.operands[place(*sources.begin())]);
    same = before.cells == after.cells;
    for (std::size_t e = 0; e < from.size(); ++e) {
      const Index distance = before.places[place(from[e] % 1000)] - after.places[e];
      distances.insert(distance);
      moved += distance != 0 ? 1 : 0;
    }
    same = same && moved == 0;
    if (answer.moved_bytes) {
      EXPECT_EQ(*answer.moved_bytes, 4 * moved) << step.name;
      ++coverage.counted;
    }
    if (answer.start_bit) {
      EXPECT_EQ(distances, std::set<Index>{*answer.start_bit / 32}) << step.name;
      ++coverage.together;
    }
  } else {
    EXPECT_FALSE(answer.start_bit.has_value()) << step.name;
    ++coverage.mixed;
  }
  EXPECT_EQ(answer.verdict, same ? Verdict::yes : Verdict::no) << step.name;
  EXPECT_EQ(answer.bytes, 4 * std::ssize(from)) << step.name;
  // An array that is given twice is read once, under whatever names. A reshape keeps the numbers of elements.
  std::set<std::pair<std::string, Index>> used;
  for (const Index f : from)
    if (f >= 0) used.emplace(origin_of(step.operands[place(f / 1000)].name, renamed), f % 1000);
  // Without the indices and the padding, which are operands, too.
  EXPECT_GE(listed->once, 4 * (std::ssize(used) + std::ssize(from))) << step.name;
  EXPECT_LE(listed->once, 4 * (std::ssize(used) + std::ssize(from)) + 32) << step.name;
  (same ? coverage.still : coverage.moving) += 1;
}

void check_chains(const CopiesReport& report, const std::map<std::string, const TracedStep*>& steps,
                  Coverage& coverage) {
  for (const MovementChain& chain : report.chains) {
    ++coverage.chains;
    EXPECT_LE(chain.saving, chain.traffic);
    EXPECT_GT(chain.saving, 0);
    // From the last result back to the first operand.
    const TracedStep& first = *steps.at(std::string(chain.instructions.front()->name));
    const TracedStep& last = *steps.at(std::string(chain.instructions.back()->name));
    std::vector<Index> from(last.result.from.size());
    std::iota(from.begin(), from.end(), 0);
    std::set<Index> operands;
    for (auto op = chain.instructions.rbegin(); op != chain.instructions.rend(); ++op) {
      const TracedStep& step = *steps.at(std::string((*op)->name));
      operands.clear();
      for (Index& f : from) {
        const Index next = step.result.from[place(f)];
        const bool padding = step.operation == "pad" && next == kConstant;
        ASSERT_TRUE(padding || next >= 0) << step.name << " does not only move elements of operands";
        operands.insert(padding ? std::ssize(step.operands) - 1 : next / 1000);
        f = padding ? 0 : next % 1000;
      }
      ASSERT_EQ(operands.size(), 1U) << step.name << " moves elements of several operands";
    }
    const TracedArray& source = first.operands[place(*operands.begin())];
    const Placement before = placed(source);
    const Placement after = placed(last.result);
    bool same = before.cells == after.cells;
    for (std::size_t e = 0; e < from.size(); ++e)
      same = same && after.places[e] == before.places[place(from[e])];
    EXPECT_EQ(chain.answer.verdict == Verdict::yes, same);
    // The program cannot return the buffer of a parameter that is not donated, or of a constant.
    const bool kept = chain.instructions.back()->is_root && (source.name[0] == 'p' || source.name[0] == 'z');
    EXPECT_EQ(chain.cancels(), same && !kept);
    coverage.cancelling += chain.cancels() ? 1 : 0;
  }
}

TEST(DataMovement, IsThatOfEveryElement) {
  const std::uint64_t first = seed(20261128);
  const std::uint64_t count = environment("TESSERA_LAW_CASES", 2000);
  Coverage coverage;
  for (std::uint64_t i = 0; i < count && !HasFailure(); ++i) {
    const TracedProgram program = traced_program(first + i);
    SCOPED_TRACE(fmt::format("seed {}\n{}", first + i, program.text));
    const ParsedModules parsed = parse_hlo(program.text);
    for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d);
    ASSERT_TRUE(parsed.ok());
    const CopiesReport report = copies_report(parsed.modules[0]);
    std::map<std::string, const Movement*> listed;
    for (const Movement& movement : report.movements)
      listed[std::string(movement.instruction->name)] = &movement;
    std::map<std::string, const TracedStep*> steps;
    Renamed renamed;
    for (const TracedStep& step : program.steps) {
      steps[step.name] = &step;
      const auto found = listed.find(step.name);
      check_step(step, found == listed.end() ? nullptr : found->second, renamed, coverage);
      if (found != listed.end()) listed.erase(found);
    }
    EXPECT_TRUE(listed.empty()) << listed.begin()->first << " is listed, but does not move anything";
    check_chains(report, steps, coverage);
    EXPECT_LE(report.saving + report.bitcast_savings, report.traffic);
  }
  if (count < 2000) return;
  EXPECT_GT(coverage.moving, 300);
  EXPECT_GT(coverage.still, 50);
  EXPECT_GT(coverage.computing, 300);
  EXPECT_GT(coverage.counted, 200);
  EXPECT_GT(coverage.together, 100);
  EXPECT_GT(coverage.mixed, 50);
  EXPECT_GT(coverage.chains, 20);
  EXPECT_GT(coverage.cancelling, 5);
}

}  // namespace
}  // namespace tessera::laws
