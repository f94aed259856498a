// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "hlo/time/chips.h"
#include "hlo/time/roofline.h"

namespace tessera::detail {
namespace {

TEST(Chip, ReadsANameAndRates) {
  const auto h100 = read_chip("h100");
  ASSERT_TRUE(h100.has_value());
  EXPECT_EQ(h100->bandwidth, 3.35e12);
  EXPECT_EQ(h100->rate(OperationKind::product, DType::f16), h100->rate(OperationKind::product, DType::bf16));
  EXPECT_EQ(h100->rate(OperationKind::product, DType::f8e5m2),
            h100->rate(OperationKind::product, DType::f8e4m3fn));
  EXPECT_FALSE(h100->rate(OperationKind::arithmetic, DType::s32).has_value());
  const auto own = read_chip("bandwidth=2G,f32=1.5T,f32.arithmetic=500");
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->bandwidth, 2e9);
  EXPECT_EQ(own->rate(OperationKind::product, DType::f32), 1.5e12);
  EXPECT_EQ(own->rate(OperationKind::arithmetic, DType::f32), 500);
  const auto changed = read_chip("a100,bandwidth=1T");
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(changed->bandwidth, 1e12);
  EXPECT_EQ(changed->source, "NVIDIA A100 Tensor Core GPU Datasheet, else as given");
}

TEST(Chip, RefusesWhatIsNoRate) {
  for (const char* text :
       {"", "h101", "bandwidth", "bandwidth=", "bandwidth=-1", "bandwidth=1x", "bandwidth=nan", "bandwidth=0",
        "f33=1T", "token=1T", "h100,a100", "bandwidth=1T,", "f32.product=1T"})
    EXPECT_FALSE(read_chip(text).has_value()) << text;
}

TEST(Chip, OfThisMachineTheBandwidthIsMeasured) {
  const auto chip = read_chip("cpu,f32=1T");
  ASSERT_TRUE(chip.has_value());
  EXPECT_GT(chip->bandwidth.value_or(0), 1e8);
  EXPECT_EQ(chip->rate(OperationKind::product, DType::f32), 1e12);
  EXPECT_FALSE(chip->rate(OperationKind::arithmetic, DType::f32).has_value());
  EXPECT_FALSE(read_chip("h100,cpu").has_value());
}

TEST(Chip, EveryKnownChipHasASourceAndABandwidth) {
  for (const Chip& chip : known_chips()) {
    EXPECT_FALSE(chip.source.empty()) << chip.name;
    EXPECT_TRUE(chip.bandwidth && chip.memory) << chip.name;
    EXPECT_TRUE(chip.rate(OperationKind::product, DType::bf16).has_value()) << chip.name;
  }
}

TEST(Roofline, AStepWaitsForTheSlowerResource) {
  const ParsedModules parsed = parse_hlo(R"(ENTRY e { a = f32[100,100] parameter(0)
    d = f32[100,100] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT n = f32[100,100] negate(d) })");
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules[0];
  const auto chip = read_chip("bandwidth=1M,f32=1M,f32.arithmetic=1M");
  ASSERT_TRUE(chip.has_value());
  const ProgramTime time = program_time(program_traffic(module), program_work(module), *chip, {});
  ASSERT_EQ(time.steps.size(), 2U);
  EXPECT_EQ(time.steps[0].limit, Limit::compute);
  EXPECT_DOUBLE_EQ(time.steps[0].time.upper, 2.0);
  EXPECT_EQ(time.steps[1].limit, Limit::memory);
  EXPECT_DOUBLE_EQ(time.steps[1].time.lower, 0.08);
  EXPECT_DOUBLE_EQ(time.total.lower, 2.08);
  EXPECT_EQ(time.moving.upper, 0);
  EXPECT_EQ(time.unrated, "");
  EXPECT_EQ(time.rereading.upper, 0);
  const auto memory_only = read_chip("bandwidth=1M");
  const ProgramTime less = program_time(program_traffic(module), program_work(module), *memory_only, {});
  EXPECT_EQ(less.unrated, "f32 arithmetic, f32 products");
}

TEST(Roofline, AStepWithoutOperationsOnlyMovesData) {
  const ParsedModules parsed =
      parse_hlo("ENTRY e { a = f32[100,100] parameter(0) ROOT r = f32[100,100] reverse(a), dimensions={0} }");
  ASSERT_TRUE(parsed.ok());
  const auto chip = read_chip("bandwidth=1M");
  ASSERT_TRUE(chip.has_value());
  const HloModule& module = parsed.modules[0];
  EXPECT_DOUBLE_EQ(program_time(program_traffic(module), program_work(module), *chip, {}).moving.upper, 0.08);
}

// The exchange takes 3 us, or 30; the step next to it takes 8, and no more of it passes.
TEST(Roofline, AnExchangePassesWhileOtherStepsRun) {
  const ParsedModules parsed = parse_hlo(
      "ENTRY e { a = f32[100] parameter(0) n = f32[100] negate(a)\n"
      "ROOT r = f32[100] reverse(n), dimensions={0} }");
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules[0];
  const Instruction* const n = module.entry->find("n");
  const Instruction* const r = module.entry->find("r");
  const auto chip = read_chip("bandwidth=100M,link=100M");
  ASSERT_TRUE(chip.has_value());
  const auto hidden = [&](Index bytes, std::vector<const Instruction*> between) {
    return program_time(program_traffic(module), program_work(module), *chip, {{n, {bytes, bytes}, between}})
        .hidden.upper;
  };
  EXPECT_DOUBLE_EQ(hidden(300, {r}), 3e-6);
  EXPECT_DOUBLE_EQ(hidden(3000, {r}), 8e-6);
  EXPECT_DOUBLE_EQ(hidden(300, {}), 0);
  // Two exchanges at the same time share the links.
  const auto links = read_chip("link=100M");
  ASSERT_TRUE(links.has_value());
  const std::vector<StepLink> both = {{n, {300, 300}, {r}}, {r, {300, 300}, {n}}};
  const ProgramTime time = program_time(program_traffic(module), program_work(module), *links, both);
  EXPECT_DOUBLE_EQ(time.link.upper, 6e-6);
  EXPECT_DOUBLE_EQ(time.hidden.upper, 0);
}

TEST(Roofline, OverlappingWindowsAreReadAgain) {
  const ParsedModules parsed =
      parse_hlo(R"(f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
    ENTRY e { a = f32[100] parameter(0)
    z = f32[] constant(0)
    ROOT w = f32[99] reduce-window(a, z), window={size=2}, to_apply=f })");
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules[0];
  const auto chip = read_chip("bandwidth=1M");
  ASSERT_TRUE(chip.has_value());
  const ProgramTime time = program_time(program_traffic(module), program_work(module), *chip, {});
  // 2 * 99 reads of 100 elements.
  EXPECT_DOUBLE_EQ(time.rereading.upper, 98 * 4e-6);
}

}  // namespace
}  // namespace tessera::detail
