// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string>
#include <thread>
#include <vector>

#include "hlo/walk/walk_test.h"

namespace tessera {
namespace {

/// Nested calls: each computation adds its argument to the rotated result of the previous computation.
std::string tower(int height) {
  std::string text = "f0 {\n  p = f32[32] parameter(0)\n  ROOT r = f32[32] negate(p)\n}\n";
  for (int i = 1; i < height; ++i) {
    text += fmt::format(
        "f{} {{\n  p = f32[32] parameter(0)\n  c = f32[32] call(p), to_apply=f{}\n  a = f32[31] slice(c), "
        "slice={{[1:32]}}\n  b = f32[1] slice(c), slice={{[0:1]}}\n  d = f32[32] concatenate(a, b), "
        "dimensions={{0}}\n  ROOT r = f32[32] add(p, d)\n}}\n",
        i, i - 1);
  }
  text += "ENTRY e {\n  v0 = f32[32] parameter(0)\n";
  for (int i = 0; i < height; ++i)
    text += fmt::format("  v{} = f32[32] call(v{}), to_apply=f{}\n", i + 1, i, i);
  return text + "}\n";
}

std::vector<IndexingSet> answers(ProgramIndexing program, const Computation& computation) {
  std::vector<IndexingSet> out;
  for (const auto& instruction : computation.instructions) {
    if (instruction->operands.empty()) continue;
    out.push_back(program.output_to_operand(*instruction, {}).value());
    out.push_back(program.operand_to_output(*instruction, {}).value());
  }
  return out;
}

TEST(SharedCallsTest, ThreadsThatShareCallsGiveTheSameAnswers) {
  const ParsedModules parsed = parse_hlo(tower(12));
  ASSERT_TRUE(parsed.ok());
  const Computation& entry = *parsed.modules.at(0).entry;
  const std::vector<IndexingSet> alone = answers(ProgramIndexing(), entry);
  const ProgramIndexing shared;
  std::vector<std::vector<IndexingSet>> together(4);
  std::vector<std::thread> threads;
  for (std::vector<IndexingSet>& out : together)
    threads.emplace_back([&] { out = answers(shared.for_another_thread(), entry); });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<IndexingSet>& out : together) EXPECT_EQ(out, alone);
}

// The shared maps live as long as any object uses them.
TEST(SharedCallsTest, AnObjectOutlivesTheOneThatItSharesWith) {
  const ParsedModules parsed = parse_hlo(tower(3));
  const Computation& entry = *parsed.modules.at(0).entry;
  const auto second = [&] {
    ProgramIndexing first;
    (void)first.output_to_operand(*entry.root, {});
    return first.for_another_thread();
  };
  EXPECT_EQ(answers(second(), entry), answers(ProgramIndexing(), entry));
}

}  // namespace
}  // namespace tessera
