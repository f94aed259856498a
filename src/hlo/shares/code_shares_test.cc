// SPDX-License-Identifier: Apache-2.0
#include "hlo/shares/code_shares.h"

#include <gtest/gtest.h>

#include <string>

#include "map/image/image_union.h"

namespace tessera::detail {
namespace {

constexpr const char* kSharedLines = R"(HloModule m
f {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  n = f32[8] negate(x), metadata={op_name="jit(f)/a/neg" source_file="m.py" source_line=1}
  ROOT s = f32[8] add(n, y), metadata={op_name="jit(f)/b/add" source_file="m.py" source_line=2}
}
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  z = f32[8] fusion(x, y), kind=kLoop, calls=f, metadata={op_name="jit(f)/b/add" source_file="m.py" source_line=2}
  ROOT w = f32[8] exponential(z)
})";

CodeShares shares_of(const HloModule& module, ShareKey key) {
  ModuleCode code(module);
  return code_shares(module, program_traffic(module), nullptr, key, code);
}

const CodeShare* share_named(const CodeShares& shares, const std::string& name) {
  for (const CodeShare& share : shares.shares)
    if (share.name == name) return &share;
  return nullptr;
}

Count exact_share(Index n) { return {n, n}; }

TEST(CodeShares, AFusionBelongsToTheLinesOfWhatItContains) {
  const ParsedModules parsed = parse_hlo(kSharedLines);
  ASSERT_TRUE(parsed.ok());
  const CodeShares shares = shares_of(parsed.modules[0], ShareKey::source);
  ASSERT_EQ(shares.shares.size(), 3U);
  const CodeShare* const first = share_named(shares, "m.py:1");
  const CodeShare* const second = share_named(shares, "m.py:2");
  const CodeShare* const none = share_named(shares, "");
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  ASSERT_NE(none, nullptr);
  EXPECT_EQ(first->minimum, exact_share(32));
  EXPECT_EQ(second->minimum, exact_share(64));
  EXPECT_EQ(none->minimum, exact_share(64));
  EXPECT_EQ(first->work.flops(), exact_share(8));
  EXPECT_EQ(none->work.transcendentals(), exact_share(8));
  EXPECT_EQ(first->steps, 1U);
  EXPECT_EQ(shares.steps, 2U);
  EXPECT_EQ(second->example, "e/z");
}

// Regression: the bytes of an array in a tuple in a tuple belonged to the reader of another one.
TEST(CodeShares, AnArrayInANestedTupleBelongsToItsReader) {
  const ParsedModules parsed = parse_hlo(R"(f {
    p = ((f32[8], f32[16]), f32[32]) parameter(0)
    q = (f32[8], f32[16]) get-tuple-element(p), index=0
    a = f32[32] get-tuple-element(p), index=1
    b = f32[16] get-tuple-element(q), index=1
    n = f32[32] negate(a), metadata={op_name="wide"}
    m = f32[16] negate(b), metadata={op_name="narrow"}
    ROOT t = (f32[32], f32[16]) tuple(n, m)
  }
  ENTRY e {
    p = ((f32[8], f32[16]), f32[32]) parameter(0)
    ROOT z = (f32[32], f32[16]) fusion(p), kind=kLoop, calls=f
  })");
  ASSERT_TRUE(parsed.ok());
  const CodeShares shares = shares_of(parsed.modules[0], ShareKey::scope);
  ASSERT_NE(share_named(shares, "wide"), nullptr);
  ASSERT_NE(share_named(shares, "narrow"), nullptr);
  EXPECT_EQ(share_named(shares, "wide")->minimum, exact_share(256));
  EXPECT_EQ(share_named(shares, "narrow")->minimum, exact_share(128));
}

TEST(CodeShares, TimesAddUpToThatOfTheProgram) {
  const ParsedModules parsed = parse_hlo(kSharedLines);
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules[0];
  const ProgramTraffic traffic = program_traffic(module);
  const ProgramWork work = program_work(module);
  const ProgramTime time = program_time(traffic, work, *read_chip("bandwidth=1K,f32.arithmetic=1K"), {});
  ModuleCode code(module);
  const CodeShares shares = code_shares(module, traffic, nullptr, ShareKey::source, code, {&work, &time});
  double sum = 0;
  for (const CodeShare& share : shares.shares) sum += share.seconds;
  EXPECT_NEAR(sum, time.total.upper, 1e-12);
  // The fusion waits for 96 bytes, of which 32 are those of the first line.
  EXPECT_NEAR(share_named(shares, "m.py:1")->seconds, 0.032, 1e-12);
}

TEST(CodeShares, ScopesAreATree) {
  const ParsedModules parsed = parse_hlo(kSharedLines);
  const CodeShares shares = shares_of(parsed.modules[0], ShareKey::scope);
  ASSERT_EQ(shares.shares.size(), 4U);
  EXPECT_EQ(shares.shares[0].name, "jit(f)");
  EXPECT_EQ(shares.shares[0].minimum, exact_share(96));
  EXPECT_EQ(shares.shares[0].steps, 1U);
  EXPECT_EQ(shares.shares[1].name, "b/add");
  EXPECT_EQ(shares.shares[1].depth, 1U);
  EXPECT_EQ(shares.shares[2].name, "a/neg");
  EXPECT_EQ(shares.shares[3].name, "");
}

// The shares add up to the totals, whatever the key.
void check_shares_add_up(const HloModule& module) {
  for (const ShareKey key : {ShareKey::source, ShareKey::scope, ShareKey::opcode}) {
    const CodeShares shares = shares_of(module, key);
    Count moved{0, 0};
    Count minimum{0, 0};
    Work work;
    for (const CodeShare& share : shares.shares) {
      if (share.depth > 0) continue;
      moved = sum(moved, share.moved);
      minimum = sum(minimum, share.minimum);
      work.add(share.work);
    }
    const ProgramTraffic traffic = program_traffic(module);
    EXPECT_EQ(moved.lower, traffic.moved.lower);
    EXPECT_EQ(moved.upper, traffic.moved.upper);
    EXPECT_EQ(minimum.lower, traffic.minimum.lower);
    EXPECT_EQ(minimum.upper, traffic.minimum.upper);
    EXPECT_EQ(work.flops().lower, shares.work.flops().lower);
    EXPECT_EQ(work.flops().upper, shares.work.flops().upper);
    EXPECT_EQ(work.transcendentals().lower, shares.work.transcendentals().lower);
  }
}

TEST(CodeShares, FusionsThatShareComputationsAreCountedOnceEach) {
  // Each level runs the one before twice.
  std::string text = "HloModule m\ng0 { x = f32[8] parameter(0) ROOT n = f32[8] negate(x) }\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string last = "kind=kLoop, calls=g" + std::to_string(i - 1);
    text += "g" + std::to_string(i) + " { x = f32[8] parameter(0) a = f32[8] fusion(x), " + last +
            " ROOT b = f32[8] fusion(a), " + last + " }\n";
  }
  const ParsedModules parsed = parse_hlo(
      text + "ENTRY e { x = f32[8] parameter(0) ROOT y = f32[8] fusion(x), kind=kLoop, calls=g40 }");
  ASSERT_TRUE(parsed.ok());
  const CodeShares shares = shares_of(parsed.modules[0], ShareKey::opcode);
  const CodeShare* const negations = share_named(shares, "negate");
  ASSERT_NE(negations, nullptr);
  EXPECT_EQ(negations->work.flops(), exact_share(8 * (Index{1} << 40)));
  EXPECT_EQ(shares.work.flops(), negations->work.flops());
}

TEST(CodeShares, AddUpToTheTotals) {
  check_shares_add_up(parse_hlo(kSharedLines).modules[0]);
  for (const char* name : {"transformer_block_gpu", "kv_cache_decode", "scan_layers", "sharded_mlp",
                           "transformer_block_tpu", "convolution_stage_gpu", "embedding_gather"}) {
    SCOPED_TRACE(name);
    const auto source = read_file(std::string(TESSERA_SOURCE_DIR) + "/examples/hlo/" + name + ".hlo");
    ASSERT_TRUE(source.has_value());
    for (const HloModule& module : parse_hlo(*source).modules) check_shares_add_up(module);
  }
}

}  // namespace
}  // namespace tessera::detail
