// SPDX-License-Identifier: Apache-2.0
#include "report/program/wastes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "report/program/step_clock.h"

namespace tessera::detail {
namespace {

struct Found {
  ParsedModules parsed;
  ProgramReport report;
  std::vector<Waste> wastes;

  const Waste* of(std::string_view kind, std::string_view name = {}) const {
    for (const Waste& waste : wastes)
      if (waste.kind == kind && (name.empty() || waste.instruction->name == name)) return &waste;
    return nullptr;
  }
};

std::unique_ptr<Found> wastes_of(const std::string& text, const char* chip = "bandwidth=1K,link=1K") {
  auto out = std::make_unique<Found>();
  out->parsed = parse_hlo(text);
  EXPECT_TRUE(out->parsed.ok()) << text;
  ReportOptions options;
  options.chip = *read_chip(chip);
  ReportBuilder builder(options);
  builder.add("p.hlo", out->parsed.modules.at(0), "", [] {});
  out->report = std::move(builder).finish();
  out->wastes = wastes(out->report, out->report.modules.at(0));
  return out;
}

TEST(Wastes, AStepThatComputesWhatAnotherHasComputedSavesItsTime) {
  const auto found = wastes_of(R"(ENTRY e { a = f32[250] parameter(0)
    x = f32[250] exponential(a), metadata={op_name="one"}
    y = f32[250] exponential(a), metadata={op_name="other"}
    z = f32[250] negate(a)
    b = f32[250] add(x, y)
    ROOT t = (f32[250], f32[250]) tuple(b, z) })");
  ASSERT_EQ(found->wastes.size(), 1U);
  const Waste& waste = found->wastes[0];
  EXPECT_EQ(waste.kind, "recomputed");
  EXPECT_EQ(waste.instruction->name, "y");
  EXPECT_EQ(waste.bytes, (Count{2000, 2000}));
  EXPECT_TRUE(waste.exact());
  EXPECT_DOUBLE_EQ(waste.seconds.upper, 2);
}

// Each update writes over an array of its own: with one array, one of them needs a copy.
TEST(Wastes, AnArrayThatIsWrittenOverMayNeedToBeComputedAgain) {
  const auto found = wastes_of(R"(ENTRY e { a = f32[250] parameter(0) u = f32[1] parameter(1)
    i = s32[] parameter(2) j = s32[] parameter(3)
    x = f32[250] exponential(a)
    y = f32[250] exponential(a)
    d = f32[250] dynamic-update-slice(x, u, i)
    f = f32[250] dynamic-update-slice(y, u, j)
    ROOT t = (f32[250], f32[250]) tuple(d, f) })");
  const Waste* const waste = found->of("recomputed", "y");
  ASSERT_NE(waste, nullptr);
  EXPECT_EQ(waste->bytes, (Count{0, 2000}));
  EXPECT_EQ(waste->seconds.lower, 0);
}

// Values that look alike and are not: other operands, random numbers, constants that the dump leaves out.
TEST(Wastes, OnlyWhatIsProvedToBeTheSameIsRecomputed) {
  EXPECT_EQ(wastes_of(R"(ENTRY e { a = f32[250] parameter(0) b = f32[250] parameter(1)
    x = f32[250] exponential(a) y = f32[250] exponential(b) ROOT s = f32[250] add(x, y) })")
                ->of("recomputed"),
            nullptr);
  EXPECT_EQ(wastes_of(R"(ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1)
    x = f32[250] rng(a, b), distribution=rng_uniform y = f32[250] rng(a, b), distribution=rng_uniform
    ROOT s = f32[250] add(x, y) })")
                ->of("recomputed"),
            nullptr);
  EXPECT_EQ(wastes_of(R"(ENTRY e { a = f32[250] constant({...}) b = f32[250] constant({...})
    x = f32[250] exponential(a) y = f32[250] exponential(b) ROOT s = f32[250] add(x, y) })")
                ->of("recomputed"),
            nullptr);
}

TEST(Wastes, FusionsAlikeOfTheSameValuesAreRecomputed) {
  const std::string text = R"(
    f { p = f32[250] parameter(0) q = f32[250] parameter(1) ROOT r = f32[250] subtract(p, q) }
    g { a = f32[250] parameter(0) b = f32[250] parameter(1) ROOT c = f32[250] subtract(a, b) }
    ENTRY e { a = f32[250] parameter(0) b = f32[250] parameter(1)
      x = f32[250] fusion(a, b), kind=kLoop, calls=f
      y = f32[250] fusion({}), kind=kLoop, calls=g
      ROOT t = f32[250] multiply(x, y) }})";
  const auto with = [&](const char* operands) {
    std::string out = text;
    out.replace(out.find("{}"), 2, operands);
    out.erase(out.rfind('}'));
    return out;
  };
  EXPECT_NE(wastes_of(with("a, b"))->of("recomputed"), nullptr);
  EXPECT_EQ(wastes_of(with("b, a"))->of("recomputed"), nullptr);
}

TEST(Wastes, AnAllGatherOfWhichAPartIsReadBringsTooMuch) {
  const std::string text = R"(HloModule m, num_partitions=4
    ENTRY e { a = f32[8,16] parameter(0)
      g = f32[32,16] all-gather(a), replica_groups={{0,1,2,3}}, dimensions={0}, channel_id=1, use_global_device_ids=true
      s = f32[32,4] slice(g), slice={[0:32], [4:8]}
      ROOT n = f32[32,4] negate(s) })";
  const auto found = wastes_of(text, "bandwidth=1M,link=1K");
  const Waste* waste = found->of("collectives");
  ASSERT_NE(waste, nullptr);
  // 24 rows of 16 arrive; 32 rows of 4 are read.
  EXPECT_EQ(waste->bytes.lower, (24 * 16 - 32 * 4) * 4);
  EXPECT_GE(waste->bytes.upper.value(), waste->bytes.lower);
  // Every device reads the same columns.
  EXPECT_THAT(waste->text, testing::HasSubstr("a smaller exchange"));
  EXPECT_DOUBLE_EQ(waste->seconds.lower, static_cast<double>(waste->bytes.lower) / 1000);
  // All of it is read or returned.
  std::string all = text;
  all.replace(all.find("slice={[0:32], [4:8]}"), 21, "slice={[0:32], [0:4]}");
  all.replace(all.find("ROOT n = f32[32,4] negate(s)"), 28, "ROOT t = (f32[32,4], f32[32,16]) tuple(s, g)");
  EXPECT_EQ(wastes_of(all)->of("collectives"), nullptr);
}

TEST(Wastes, APartForEachDeviceIsThatOfAReduceScatter) {
  const auto text_of = [](const char* start) {
    return R"(HloModule m, num_partitions=4
    s { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
    ENTRY e { a = f32[4096] parameter(0) k = u32[] parameter(1) i = u32[] )" +
           std::string(start) + R"( c = u32[] constant(1024) o = u32[] multiply(i, c)
      r = f32[4096] all-reduce(a), replica_groups={{0,1,2,3}}, channel_id=1, use_global_device_ids=true, to_apply=s
      d = f32[1024] dynamic-slice(r, o), dynamic_slice_sizes={1024}
      ROOT n = f32[1024] negate(d) })";
  };
  const auto own = wastes_of(text_of("partition-id()"));
  ASSERT_NE(own->of("collectives"), nullptr);
  EXPECT_THAT(own->of("collectives")->text, testing::HasSubstr("a reduce-scatter"));
  const auto given = wastes_of(text_of("negate(k)"));
  ASSERT_NE(given->of("collectives"), nullptr);
  EXPECT_THAT(given->of("collectives")->text, testing::HasSubstr("a smaller exchange"));
}

// Tuples, barriers and dependencies do not hide a step that reads all of it.
TEST(Wastes, AReaderUnderAnotherNameNeedsWhatAnAllGatherBrings) {
  for (const char* names : {"b = f32[16,32] bitcast(g) t = (f32[16,32], f32[8,16]) tuple(b, a) "
                            "x = f32[16,32] get-tuple-element(t), index=0",
                            "b = f32[16,32] bitcast(g) k = token[] after-all() "
                            "x = f32[16,32] add-dependency(b, k)",
                            "b = f32[16,32] bitcast(g) t = (f32[16,32]) tuple(b) u = (f32[16,32]) "
                            "opt-barrier(t) x = f32[16,32] get-tuple-element(u), index=0"}) {
    const std::string text = R"(HloModule m, num_partitions=4
    ENTRY e { a = f32[8,16] parameter(0)
      g = f32[32,16] all-gather(a), replica_groups={{0,1,2,3}}, dimensions={0}, channel_id=1, use_global_device_ids=true
      s = f32[1,16] slice(g), slice={[0:1], [0:16]}
      )" + std::string(names) +
                             " n = f32[16,32] negate(x) ROOT r = (f32[16,32], f32[1,16]) tuple(n, s) }";
    EXPECT_EQ(wastes_of(text)->of("collectives"), nullptr) << text;
  }
}

TEST(Wastes, WideCopiesOfNarrowNumbersAreCasts) {
  const auto found = wastes_of(R"(ENTRY e { a = bf16[100,100] parameter(0) b = f32[100,100] parameter(1)
    w = f32[100,100] convert(a)
    ROOT d = f32[100,100] dot(b, w), lhs_contracting_dims={1}, rhs_contracting_dims={0} })");
  const Waste* waste = found->of("casts");
  ASSERT_NE(waste, nullptr);
  EXPECT_EQ(waste->instruction->name, "w");
  // 20000 bytes less are written and read.
  EXPECT_EQ(waste->bytes, (Count{0, 40000}));
  EXPECT_DOUBLE_EQ(waste->seconds.upper, 40);
  EXPECT_EQ(waste->seconds.lower, 0);
  // An odd number of bytes of elements.
  EXPECT_THAT(
      wastes_of("ENTRY e { a = bf16[17] parameter(0) ROOT w = f32[17] convert(a) }")->of("casts")->text,
      testing::HasSubstr("68 B for 34 B"));
  EXPECT_EQ(wastes_of(R"(ENTRY e { a = f32[100,100] parameter(0)
    ROOT n = c64[100,100] convert(a) })")
                ->of("casts"),
            nullptr);
  EXPECT_EQ(wastes_of(R"(ENTRY e { a = f32[100,100] parameter(0)
    ROOT n = bf16[100,100] convert(a) })")
                ->of("casts"),
            nullptr);
}

TEST(Wastes, BroadcastsAndPaddingOfLargeArraysCostTheirReaders) {
  const auto found =
      wastes_of(R"(ENTRY e { a = f32[100] parameter(0) b = f32[100,60] parameter(1) z = f32[] constant(0)
    w = f32[100,100] broadcast(a), dimensions={1}
    p = f32[100,100] pad(b, z), padding=0_0x0_40
    ROOT d = f32[100,100] add(w, p) })");
  ASSERT_NE(found->of("broadcasts"), nullptr);
  EXPECT_EQ(found->of("broadcasts")->instruction->name, "w");
  EXPECT_GE(found->of("broadcasts")->bytes.upper.value(), 2 * (10000 - 100) * 4);
  ASSERT_NE(found->of("padding"), nullptr);
  EXPECT_EQ(found->of("padding")->instruction->name, "p");
  EXPECT_THAT(found->of("padding")->text, testing::HasSubstr("40% is padding"));
}

// Both steps are fusions; `use` is how the second reads the first.
std::string two_fusions(const std::string& use, const std::string& rest = "") {
  return R"(s { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
    f { p = f32[20,50] parameter(0) ROOT r = f32[20,50] exponential(p) }
    g { p = f32[20,50] parameter(0) z = f32[] constant(0) )" +
         use + R"( }
    ENTRY e { a = f32[20,50] parameter(0)
      x = f32[20,50] fusion(a), kind=kLoop, calls=f
      y = f32[20,50] fusion(x), kind=kLoop, calls=g )" +
         (rest.empty() ? "ROOT n = f32[20,50] negate(y)" : rest) + " }";
}

TEST(Wastes, AStepThatReadsEachElementOfAnotherOnceCouldBeOnePassWithIt) {
  const auto found = wastes_of(two_fusions("ROOT r = f32[20,50] add(p, p)"));
  const Waste* const waste = found->of("fusions", "y");
  ASSERT_NE(waste, nullptr);
  EXPECT_EQ(waste->bytes, (Count{8000, 8000}));
  EXPECT_TRUE(waste->exact());
  EXPECT_DOUBLE_EQ(waste->seconds.upper, 8);
  ASSERT_EQ(waste->maps.size(), 1U);
  EXPECT_EQ(found->report.maps[waste->maps[0]].find("(d0, d1) -> (d0, d1)") != std::string::npos, true);
}

// The update writes over x, which the one pass would read after it.
TEST(Wastes, APassThatMayNeedACopyMaySaveNothing) {
  const auto found = wastes_of(R"(f { p = f32[250] parameter(0) ROOT r = f32[250] negate(p) }
    g { p = f32[250] parameter(0) q = f32[250] parameter(1) ROOT r = f32[250] add(p, q) }
    ENTRY e { a = f32[250] parameter(0) u = f32[1] parameter(1) i = s32[] parameter(2)
      x = f32[250] exponential(a)
      y = f32[250] fusion(x), kind=kLoop, calls=f
      d = f32[250] dynamic-update-slice(x, u, i)
      ROOT z = f32[250] fusion(y, d), kind=kLoop, calls=g })");
  const Waste* const waste = found->of("fusions", "z");
  ASSERT_NE(waste, nullptr);
  EXPECT_EQ(waste->bytes, (Count{0, 2000}));
  EXPECT_EQ(waste->seconds.lower, 0);
}

TEST(Wastes, NothingIsComputedTwiceInOnePass) {
  // The sum of a row reads each element once for each element of the row.
  EXPECT_EQ(wastes_of(two_fusions(R"(m = f32[20] reduce(p, z), dimensions={1}, to_apply=s
    b = f32[20,50] broadcast(m), dimensions={0} ROOT r = f32[20,50] add(p, b))"))
                ->of("fusions", "y"),
            nullptr);
  // A sum over the array joined with itself: one map, and each element at two places.
  EXPECT_EQ(wastes_of(two_fusions(R"(c = f32[40,50] concatenate(p, p), dimensions={0}
    m = f32[50] reduce(c, z), dimensions={0}, to_apply=s
    ROOT r = f32[20,50] broadcast(m), dimensions={1})"))
                ->of("fusions", "y"),
            nullptr);
  // A part of the array, and an array that something else needs.
  EXPECT_EQ(wastes_of(two_fusions("h = f32[10,50] slice(p), slice={[0:10], [0:50]} ROOT r = f32[20,50] "
                                  "concatenate(h, h), dimensions={0}"))
                ->of("fusions", "y"),
            nullptr);
  EXPECT_EQ(
      wastes_of(two_fusions("ROOT r = f32[20,50] add(p, p)", "ROOT t = (f32[20,50], f32[20,50]) tuple(x, y)"))
          ->of("fusions", "y"),
      nullptr);
}

TEST(Wastes, ALayoutThatMakesACopyABitcastIsProposedIfItGains) {
  const std::string text = R"(ENTRY e { a = f32[20,50]{1,0} parameter(0)
      x = f32[20,50]{1,0} exponential(a)
      c = f32[20,50]{0,1} copy(x)
      n = f32[20,50]{0,1} negate(c) )";
  const auto found = wastes_of(text + "ROOT t = (f32[20,50]{0,1}) tuple(n) }");
  const Waste* const waste = found->of("layouts");
  ASSERT_NE(waste, nullptr);
  EXPECT_EQ(waste->instruction->name, "x");
  EXPECT_EQ(waste->bytes, (Count{8000, 8000}));
  EXPECT_THAT(waste->text, testing::HasSubstr("f32[20,50]{0,1}"));
  // Another reader would need the copy instead.
  EXPECT_EQ(
      wastes_of(text +
                "m = f32[20,50]{1,0} negate(x) ROOT t = (f32[20,50]{0,1}, f32[20,50]{1,0}) tuple(n, m) }")
          ->of("layouts"),
      nullptr);
}

// What updates in place, a library and a loop do not choose the order of what they return.
TEST(Wastes, OnlyAStepThatChoosesItsOrderGetsALayout) {
  const auto text_of = [](const char* maker) {
    return R"(b { s = (s32[], f32[20,50]{1,0}) parameter(0) i = s32[] get-tuple-element(s), index=0
      y = f32[20,50]{1,0} get-tuple-element(s), index=1 o = s32[] constant(1) j = s32[] add(i, o)
      n = f32[20,50]{1,0} negate(y) ROOT t = (s32[], f32[20,50]{1,0}) tuple(j, n) }
    c { s = (s32[], f32[20,50]{1,0}) parameter(0) i = s32[] get-tuple-element(s), index=0
      k = s32[] constant(3) ROOT l = pred[] compare(i, k), direction=LT }
    ENTRY e { a = f32[20,50]{1,0} parameter(0) u = f32[1,50]{1,0} parameter(1) z = s32[] constant(0)
      p = f32[20,50]{1,0} sine(a) t = (s32[], f32[20,50]{1,0}) tuple(z, p)
      x = f32[20,50]{1,0} )" +
           std::string(maker) + R"( c = f32[20,50]{0,1} copy(x) ROOT n = f32[20,50]{0,1} negate(c) })";
  };
  EXPECT_NE(wastes_of(text_of("exponential(p)"))->of("layouts", "x"), nullptr);
  for (const char* maker :
       {"dynamic-update-slice(p, u, z, z)", "custom-call(p), custom_call_target=\"f\"",
        "get-tuple-element(w), index=1 w = (s32[], f32[20,50]{1,0}) while(t), condition=c, body=b"}) {
    std::string text = text_of(maker);
    // The loop comes before what reads it.
    if (const auto loop = text.find(" w = "); loop != std::string::npos) {
      const std::string line = text.substr(loop, text.find("body=b") + 6 - loop);
      text.erase(loop, line.size());
      text.insert(text.find("      x = "), line + "\n");
    }
    EXPECT_EQ(wastes_of(text)->of("layouts", "x"), nullptr) << text;
  }
}

// A bitcast runs as often as the copy does.
TEST(Wastes, OtherReadersOfALoopsArrayCopyItBackInEachRun) {
  const auto found = wastes_of(R"(b { s = (s32[], f32[20,50]{1,0}) parameter(0)
      i = s32[] get-tuple-element(s), index=0 a = f32[20,50]{1,0} get-tuple-element(s), index=1
      o = s32[] constant(1) j = s32[] add(i, o)
      x = f32[20,50]{1,0} exponential(a)
      c = f32[20,50]{0,1} copy(x)
      n = f32[20,50]{0,1} negate(c)
      f = f32[1000]{0} bitcast(x)
      g = f32[1000]{0} sine(f)
      h = f32[20,50]{1,0} bitcast(g)
      m = f32[20,50]{1,0} add(h, n)
      ROOT t = (s32[], f32[20,50]{1,0}) tuple(j, m) }
    c { s = (s32[], f32[20,50]{1,0}) parameter(0) i = s32[] get-tuple-element(s), index=0
      k = s32[] constant(10) ROOT l = pred[] compare(i, k), direction=LT }
    ENTRY e { a = f32[20,50]{1,0} parameter(0) z = s32[] constant(0)
      t = (s32[], f32[20,50]{1,0}) tuple(z, a)
      ROOT w = (s32[], f32[20,50]{1,0}) while(t), condition=c, body=b })");
  EXPECT_EQ(found->of("layouts", "x"), nullptr);
}

TEST(Wastes, SecondsOrderThem) {
  const auto found = wastes_of(R"(ENTRY e { a = f32[1000] parameter(0) b = f32[500] parameter(1)
    x = f32[1000] exponential(a) y = f32[1000] exponential(a) c = f32[1000] add(x, y)
    u = f32[500] exponential(b) v = f32[500] exponential(b) d = f32[500] add(u, v)
    ROOT t = (f32[1000], f32[500]) tuple(c, d) })");
  ASSERT_EQ(found->wastes.size(), 2U);
  EXPECT_GT(found->wastes[0].seconds.upper, found->wastes[1].seconds.upper);
  EXPECT_EQ(found->wastes[0].instruction->name, "y");
}

// What is saved is the difference of two times that are computed anew.
TEST(Wastes, AStepSavesWhatItsTimeShrinksBy) {
  std::mt19937 random(20261129);
  const auto pick = [&] { return static_cast<Index>(random() % 1000 + 1); };
  for (int i = 0; i < 20000; ++i) {
    const Instruction op;
    const Chip chip{.bandwidth = 10, .link = 5};
    StepTime step{.instruction = &op};
    const auto memory = static_cast<double>(pick()) / 10;
    const auto compute = static_cast<double>(pick()) / 10;
    const auto link = static_cast<double>(pick() - 1) / 5;
    step.memory = {memory, memory};
    step.compute = {compute, compute};
    step.link = {link, link};
    step.time = step.total = {std::max({memory, compute, link}), std::max({memory, compute, link})};
    const ProgramTime time{.steps = {step}};
    const StepClock clock(&time, &chip);
    const Index bytes = pick();
    const double less = std::max(memory - static_cast<double>(bytes) / 10, 0.0);
    const double before = std::max({memory, compute, link});
    const Seconds saved = clock.without_bytes(op, {bytes, bytes});
    EXPECT_NEAR(saved.lower, before - std::max({less, compute, link}), 1e-9);
    EXPECT_NEAR(saved.upper, saved.lower, 1e-9);
    const double nearer = std::max(link - static_cast<double>(bytes) / 5, 0.0);
    EXPECT_NEAR(clock.without_link(op, {0, bytes}).upper, before - std::max({memory, compute, nearer}), 1e-9);
    EXPECT_EQ(clock.without_link(op, {0, bytes}).lower, 0);
    EXPECT_EQ(clock.without(op).upper, before);
  }
}

}  // namespace
}  // namespace tessera::detail
