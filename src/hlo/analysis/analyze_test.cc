// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/analyze.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tessera/hlo/module.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kProgram = R"(
f0 { p = f32[4,2] parameter(0) ROOT t = f32[2,4] transpose(p), dimensions={1,0} }
ENTRY e {
  a = f32[4,2] parameter(0)
  z = f32[] constant(0)
  b = f32[6,2] pad(a, z), padding=1_1x0_0
  c = f32[6,2] custom-call(b), custom_call_target="foo"
  ROOT f = f32[2,4] fusion(a), kind=kLoop, calls=f0
})";

/// The whole result as text.
std::string text(const InstructionIndexing& one) {
  std::string out = fmt::format("{}\n", one.instruction->name);
  for (const PairIndexing& pair : one.pairs) {
    out += fmt::format(" {} <- {}:", pair.output, pair.operand);
    for (const Indexing& x : pair.maps) {
      out += x.exactness == Exactness::unknown ? " unknown" : " " + to_string(x.map);
      for (const RuntimeValue& r : x.runtime) out += to_string(r.map);
      for (const ReplicaHop& hop : x.replica) out += to_string(hop.map);
      out += fmt::format(" {} {}", x.leaf, x.reason);
    }
    out += "\n";
  }
  return out;
}

std::vector<std::string> names(const HloModule& module, const AnalyzeOptions& options) {
  std::vector<std::string> out;
  analyze(module, options, [&](InstructionIndexing&& one) { out.emplace_back(one.instruction->name); });
  return out;
}

TEST(AnalyzeTest, InstructionsComeInTheOrderOfTheModuleAndAreCounted) {
  const ParsedModules parsed = parse_hlo(kProgram);
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules.at(0);
  EXPECT_THAT(names(module, {}), ElementsAre("p", "t", "a", "z", "b", "c", "f"));
  const AnalyzeStats stats = analyze(module, {}, {});
  EXPECT_EQ(stats.instructions, 7U);
  EXPECT_EQ(stats.analyzed, 4U);
  EXPECT_EQ(stats.exact, 2U);
  EXPECT_EQ(stats.superset, 1U);
  EXPECT_EQ(stats.unknown, 1U);
  EXPECT_EQ(stats.maps, 4U);
  ASSERT_EQ(stats.shortfalls.size(), 2U);
  EXPECT_EQ(stats.shortfalls[0].opcode, "custom-call");
  EXPECT_EQ(stats.shortfalls[0].exactness, Exactness::unknown);
  EXPECT_EQ(stats.shortfalls[1].opcode, "pad");
  AnalyzeStats twice = stats;
  twice += stats;
  EXPECT_EQ(twice.analyzed, 8U);
  EXPECT_EQ(twice.shortfalls[1].count, 2U);
}

TEST(AnalyzeTest, OptionsChooseInstructions) {
  const ParsedModules parsed = parse_hlo(kProgram);
  const HloModule& module = parsed.modules.at(0);
  EXPECT_THAT(names(module, {.op = "pad"}), ElementsAre("b"));
  EXPECT_THAT(names(module, {.op = "c"}), ElementsAre("c"));
  EXPECT_THAT(names(module, {.computation = "f0"}), ElementsAre("p", "t"));
  EXPECT_THAT(names(module, {.fused = true}), ElementsAre("a", "z", "b", "c", "f"));
  EXPECT_THAT(names(module, {.computation = "f0", .fused = true}), ElementsAre("p", "t"));
}

TEST(AnalyzeTest, PairsThatDoNotDependOnEachOtherAreNotListed) {
  const ParsedModules parsed = parse_hlo(R"(ENTRY e {
  a = f32[4] parameter(0)
  b = f32[5] parameter(1)
  ROOT r = (f32[4], f32[5]) tuple(a, b)
})");
  std::string all;
  for (const auto direction : {IndexingDirection::output_to_input, IndexingDirection::input_to_output}) {
    analyze(parsed.modules.at(0), {.direction = direction, .op = "tuple"},
            [&](InstructionIndexing&& one) { all += text(one); });
  }
  EXPECT_EQ(all,
            "r\n 0 <- 0: (d0) -> (d0), domain: d0 in [0, 3] -1 \n 1 <- 1: "
            "(d0) -> (d0), domain: d0 in [0, 4] -1 \n"
            "r\n 0 <- 0: (d0) -> (d0), domain: d0 in [0, 3] -1 \n 1 <- 1: "
            "(d0) -> (d0), domain: d0 in [0, 4] -1 \n");
}

// Regression: the function of a reduce-start was skipped like the computations of other starts, so no answer
// covered it.
TEST(AnalyzeTest, OnlyWhatIsWalkedThroughIsLeftOut) {
  const ParsedModules parsed = parse_hlo(R"(
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
wrapped { p = f32[8] parameter(0) ROOT n = f32[8] negate(p) }
called { p = f32[8] parameter(0) ROOT n = f32[8] tanh(p) }
ENTRY e {
  p = f32[8] parameter(0)
  z = f32[] constant(0)
  r = ((f32[8], f32[]), f32[], u32[]) reduce-start(p, z), dimensions={0}, to_apply=sum
  a = ((f32[8]), f32[8], u32[]) async-start(p), calls=wrapped
  ROOT c = ((f32[8]), f32[8], u32[]) call-start(p), to_apply=called
})");
  ASSERT_TRUE(parsed.ok());
  std::string seen;
  const AnalyzeStats stats = analyze(parsed.modules.at(0), {.fused = true}, [&](InstructionIndexing&& one) {
    seen += fmt::format("{}/{} ", one.instruction->parent->name, one.instruction->name);
  });
  EXPECT_EQ(seen, "sum/x sum/y sum/s e/p e/z e/r e/a e/c ");
  EXPECT_EQ(stats.unknown, 0U);
}

TEST(AnalyzeTest, ThreadsDoNotChangeWhatIsSaid) {
  const std::filesystem::path folder = std::filesystem::path(TESSERA_SOURCE_DIR) / "examples" / "hlo";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    ++files;
    const auto source = read_file(entry.path().string());
    ASSERT_TRUE(source.has_value());
    const ParsedModules parsed = parse_hlo(*source);
    for (const HloModule& module : parsed.modules) {
      for (const auto direction : {IndexingDirection::output_to_input, IndexingDirection::input_to_output}) {
        std::string one_thread;
        std::string three;
        const auto a = analyze(module, {.direction = direction, .threads = 1},
                               [&](InstructionIndexing&& one) { one_thread += text(one); });
        const auto b = analyze(module, {.direction = direction, .threads = 3},
                               [&](InstructionIndexing&& one) { three += text(one); });
        EXPECT_EQ(one_thread, three) << entry.path();
        EXPECT_EQ(a.maps, b.maps);
        EXPECT_EQ(a.shortfalls, b.shortfalls);
      }
    }
  }
  EXPECT_GT(files, 0U);
}

// The programs above are too short for two threads.
TEST(AnalyzeTest, ThreadsHandOnInTheOrderOfTheModule) {
  std::string text = "ENTRY e {\n  v0 = f32[1000] parameter(0)\n";
  constexpr int kInstructions = 6000;
  for (int i = 1; i < kInstructions; ++i) {
    text += i % 7 == 0 ? fmt::format("  v{} = f32[1000] custom-call(v{}), custom_call_target=\"f{}\"\n", i,
                                     i - 1, i % 3)
                       : fmt::format("  v{} = f32[1000] reverse(v{}), dimensions={{0}}\n", i, i - 1);
  }
  const ParsedModules parsed = parse_hlo(text + "}\n");
  ASSERT_TRUE(parsed.ok());
  const auto one = analyze(parsed.modules.at(0), {}, {});
  for (const std::size_t threads : {2, 3, 8}) {
    int next = 0;
    const auto stats = analyze(parsed.modules.at(0), {.threads = threads}, [&](InstructionIndexing&& maps) {
      EXPECT_EQ(maps.instruction->name, fmt::format("v{}", next++));
    });
    EXPECT_EQ(next, kInstructions);
    EXPECT_EQ(stats.exact, one.exact);
    EXPECT_EQ(stats.maps, one.maps);
    EXPECT_EQ(stats.shortfalls, one.shortfalls);
  }
}

TEST(AnalyzeTest, ATupleOfThousandsIsLinear) {
  std::string types;
  std::string operands;
  std::string text = "ENTRY e {\n";
  constexpr int kElements = 3000;
  for (int i = 0; i < kElements; ++i) {
    text += fmt::format("  p{0} = f32[2] parameter({0})\n", i);
    types += i == 0 ? "f32[2]" : ", f32[2]";
    operands += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
  }
  text += fmt::format("  t = ({}) tuple({})\n", types, operands);
  for (int i = 0; i < kElements; ++i)
    text += fmt::format("  g{0} = f32[2] get-tuple-element(t), index={0}\n", i);
  text += "  ROOT r = f32[2] negate(g0)\n}\n";
  const ParsedModules parsed = parse_hlo(text);
  ASSERT_TRUE(parsed.ok());
  for (const auto direction : {IndexingDirection::output_to_input, IndexingDirection::input_to_output}) {
    const AnalyzeStats stats = analyze(parsed.modules.at(0), {.direction = direction}, {});
    EXPECT_EQ(stats.maps, 2U * kElements + 1U);
    EXPECT_LT(stats.seconds, 10.0);
  }
}

// Regression: the time to compute all pairs of results and operands was cubic.
TEST(AnalyzeTest, ACollectiveOfThousandsIsLinear) {
  std::string types;
  std::string operands;
  std::string text =
      "f { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }\nENTRY e {\n";
  constexpr int kElements = 2000;
  for (int i = 0; i < kElements; ++i) {
    text += fmt::format("  p{0} = f32[2] parameter({0})\n", i);
    types += i == 0 ? "f32[2]" : ", f32[2]";
    operands += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
  }
  text +=
      fmt::format("  ROOT r = ({}) all-reduce({}), replica_groups={{}}, to_apply=f\n}}\n", types, operands);
  const ParsedModules parsed = parse_hlo(text);
  ASSERT_TRUE(parsed.ok());
  for (const auto direction : {IndexingDirection::output_to_input, IndexingDirection::input_to_output}) {
    std::uint32_t next = 0;
    analyze(parsed.modules.at(0), {.direction = direction, .op = "r"}, [&](InstructionIndexing&& one) {
      EXPECT_EQ(one.exactness, Exactness::exact);
      for (const PairIndexing& pair : one.pairs) {
        EXPECT_EQ(pair.output, next);
        EXPECT_EQ(pair.operand, next++);
      }
    });
    EXPECT_EQ(next, kElements);
  }
}

// Regression: an instruction whose operands all have unknown names was counted as exact, like one without
// operands.
TEST(AnalyzeTest, InstructionsThatLostTheirOperandsAreUnknown) {
  const ParsedModules parsed =
      parse_hlo("ENTRY e {\na = f32[2,3] parameter(0)\nROOT b = f32[3,2] transpose(aa), dimensions={1,0}\n}");
  ASSERT_FALSE(parsed.ok());
  std::string all;
  for (const auto direction : {IndexingDirection::output_to_input, IndexingDirection::input_to_output}) {
    const AnalyzeStats stats = analyze(parsed.modules.at(0), {.direction = direction},
                                       [&](InstructionIndexing&& one) { all += text(one); });
    EXPECT_EQ(stats.analyzed, 1U);
    EXPECT_EQ(stats.unknown, 1U);
  }
  EXPECT_EQ(all,
            "a\nb\n 0 <- 0: unknown -1 the instruction has an error\na\nb\n 0 <- 0: unknown -1 the "
            "instruction has an error\n");
}

// Regression: a loop over a tuple of more than 512 arrays was unknown, because of the number of possible
// pairs.
TEST(Analyze, ALoopOverManyArraysIsAnsweredForThoseThatItHandsOn) {
  constexpr int kArrays = 600;
  std::string type = "(f32[4]";
  std::string parts = "g0";
  std::string elements = "  g0 = f32[4] get-tuple-element(t), index=0\n";
  for (int i = 1; i < kArrays; ++i) {
    type += ", f32[4]";
    parts += fmt::format(", g{}", i);
    elements += fmt::format("  g{} = f32[4] get-tuple-element(t), index={}\n", i, i);
  }
  type += ")";
  const std::string text = fmt::format(
      "body {{\n  t = {0} parameter(0)\n{1}  ROOT r = {0} tuple({2})\n}}\n"
      "condition {{\n  t = {0} parameter(0)\n  ROOT p = pred[] constant(false)\n}}\n"
      "ENTRY e {{\n  t = {0} parameter(0)\n  ROOT w = {0} while(t), condition=condition, body=body\n}}\n",
      type, elements, parts);
  const ParsedModules parsed = parse_hlo(text);
  ASSERT_TRUE(parsed.diagnostics.empty());
  for (const IndexingDirection direction :
       {IndexingDirection::output_to_input, IndexingDirection::input_to_output}) {
    const AnalyzeStats stats =
        analyze(parsed.modules[0], {.direction = direction, .op = "while"}, [&](InstructionIndexing&& maps) {
          ASSERT_EQ(maps.pairs.size(), static_cast<std::size_t>(kArrays));
          for (const PairIndexing& pair : maps.pairs) {
            ASSERT_EQ(pair.maps.size(), 1U);
            EXPECT_EQ(pair.maps[0].leaf, static_cast<std::int32_t>(pair.output));
          }
        });
    EXPECT_EQ(stats.exact, 1U);
    EXPECT_EQ(stats.maps, static_cast<std::uint64_t>(kArrays));
  }
}

}  // namespace
}  // namespace tessera
