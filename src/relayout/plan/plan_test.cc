// SPDX-License-Identifier: Apache-2.0
#include "tessera/relayout/plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "base/state_of.h"
#include "laws/plain_threads.h"
#include "relayout/plan/contract.h"
#include "relayout/state.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/relayout.h"

namespace tessera::plan_test {
namespace {

using ::testing::HasSubstr;
using testing_relayout::PlainThreads;

Layout layout(std::string_view text) { return parse_layout(text).value(); }

RelayoutPlan plan(std::string_view src, std::string_view dst, Index element_bytes, PlanOptions options = {}) {
  options.l2_bytes = Index{1} << 20;  // the texts do not depend on the machine
  return make_plan(layout(src), layout(dst), element_bytes, options).value();
}

Code refusal(std::string_view src, std::string_view dst, Index element_bytes = 4, PlanOptions options = {}) {
  const auto made = make_plan(layout(src), layout(dst), element_bytes, options);
  EXPECT_FALSE(made.has_value());
  return made ? Code::syntax : made.error().code;
}

TEST(RelayoutPlan, TransposesWholeMatricesInOneRegion) {
  EXPECT_EQ(plan("np:(64,48):(48,1)", "np:(64,48):(1,64)", 4).describe(),
            "relayout of 12288 bytes in elements of 4: reads 0 to 12288, writes 0 to 12288, padding keep, "
            "cached, 1 chunk\n"
            "transpose 4 bytes: src 0, dst 0, cut cols by 1\n"
            "  rows 64: src +192, dst +4\n"
            "  cols 48: src +4, dst +256\n");
}

TEST(RelayoutPlan, CutsRaggedTilesIntoABodyAndATail) {
  EXPECT_EQ(plan("f32[4000,4001]{1,0}", "f32[4000,4001]{1,0:T(8,128)}", 4).describe(),
            "relayout of 64016000 bytes in elements of 4: reads 0 to 64016000, writes 0 to 65535620, padding "
            "keep, streamed, 1 chunk of 30 slices\n"
            "copy 512 bytes: src 0, dst 0, stream, source order, cut loop by 1\n"
            "  loop 500: src +128032, dst +131072\n"
            "  rows 31: src +512, dst +4096\n"
            "  cols 8: src +16004, dst +512\n"
            "copy 132 bytes: src 15872, dst 126976, stream, source order, cut rows by 1\n"
            "  rows 500: src +128032, dst +131072\n"
            "  cols 8: src +16004, dst +512\n");
}

// Slack: the bytes from the last element of a row to the end of its cache line.
TEST(RelayoutPlan, WritesWholeLinesWherePaddingMayBecomeAnything) {
  const PlanOptions any{.padding = Padding::any};
  const auto slack = [&](std::string_view src, std::string_view dst, Index element_bytes) {
    const RelayoutPlan made = plan(src, dst, element_bytes, any);
    EXPECT_TRUE(verify(made, layout(src), layout(dst)).has_value()) << made.describe();
    std::vector<Index> of_parts;
    for (const moving::PlanPart& part : detail::state_of(made).parts) of_parts.push_back(part.sweep.slack());
    return of_parts;
  };
  const auto list = [](auto... values) { return std::vector<Index>{values...}; };
  EXPECT_EQ(slack("f32[4000,4001]{1,0}", "f32[4000,4001]{1,0:T(8,128)}", 4), list(0, 60));
  EXPECT_EQ(slack("bf16[4000,4001]{1,0}", "bf16[4000,4001]{1,0:T(8,128)(2,1)}", 2), list(0, 60));
  EXPECT_EQ(slack("f32[40000,40]{1,0}", "f32[40000,40]{1,0:T(8,128)}", 4), list(32));
  EXPECT_EQ(plan("f32[40000,40]{1,0}", "f32[40000,40]{1,0:T(8,128)}", 4, any).dst_range().end,
            40000 * 128 * 4 - (128 - 48) * 4);
  // No slack, because every seventh row is followed directly by the next one.
  EXPECT_EQ(slack("np:(9000,7,38):(266,38,1)", "np:(9000,7,38):(448,64,1)", 4), list(0));
  EXPECT_EQ(slack("np:(9000,7,48):(336,48,1)", "np:(9000,7,48):(432,64,1)", 4), list(0));
}

TEST(RelayoutPlan, InterleavesTheRowsOfPackedTiles) {
  EXPECT_THAT(plan("bf16[4096,4096]{1,0}", "bf16[4096,4096]{1,0:T(8,128)(2,1)}", 2).describe(),
              HasSubstr("interleave 2 bytes: src 0, dst 0, stream, source order, cut loop by 1\n"
                        "  loop 512: src +65536, dst +65536\n"
                        "  loop 4: src +16384, dst +512\n"
                        "  loop 32: src +256, dst +2048\n"
                        "  rows 2: src +8192, dst +2\n"
                        "  cols 128: src +2, dst +4\n"));
}

TEST(RelayoutPlan, GathersShortDigitsIntoAMacroBlock) {
  EXPECT_THAT(plan("f32[5,3,7,4,6,8]{5,4,3,2,1,0}", "f32[5,3,7,4,6,8]{0,1,2,3,4,5}", 4).describe(),
              HasSubstr("block 4 bytes: src 0, dst 0, prefetch\n"
                        "  rows 105: src 5:+16128 3:+5376 7:+768, dst +4\n"
                        "  cols 192: src +4, dst 8:+10080 6:+1680 4:+420\n"));
}

TEST(RelayoutPlan, GathersRowsWhereTilesWouldBeTiny) {
  EXPECT_THAT(plan("np:(10000,2,2):(4,2,1)", "np:(10000,2,2):(4,1,2)", 4).describe(),
              HasSubstr("gather 4 bytes: src 0, dst 0, cut rows by 1\n"
                        "  rows 625: src +256, dst +256\n"
                        "  cols 64: src 2:+8 2:+4 16:+16, dst +4\n"));
}

TEST(RelayoutPlan, CopiesWhatIsContiguousOnBothSidesAsOneRun) {
  EXPECT_THAT(plan("np:(4,6,5):(30,5,1)", "cute:(4,6,5):(30,5,1)", 2).describe(),
              HasSubstr("copy 240 bytes: src 0, dst 0\n"));
}

TEST(RelayoutPlan, TurnsNegativeStridesAround) {
  EXPECT_THAT(plan("np:(6):(-1) + 5", "np:(6):(-1) + 5", 8).describe(), HasSubstr("copy 48 bytes"));
  EXPECT_THAT(plan("np:(6):(1)", "np:(6):(-2) + 10", 8).describe(), HasSubstr("cols 6: src -8, dst +16\n"));
}

TEST(RelayoutPlan, CutsTilesThatDoNotDivideEachOtherByTables) {
  // Tiles of 3 and tiles of 2 together need a table of 6 entries.
  const RelayoutPlan made = plan("f32[60]{0:T(3)(2)}", "f32[60]{0:T(2)(4)}", 4);
  EXPECT_TRUE(verify(made, layout("f32[60]{0:T(3)(2)}"), layout("f32[60]{0:T(2)(4)}")).has_value());
}

TEST(RelayoutPlan, SplitsSwizzlesIntoRunsAndASmallTable) {
  const RelayoutPlan made = plan("cute:Sw<3,3,3> o _0 o (64,64):(64,1)", "np:(64,64):(64,1)", 2);
  for (const moving::PlanPart& part : detail::state_of(made).parts) {
    EXPECT_GE(part.sweep.run, 16);
    EXPECT_LE(part.sweep.cols.count, 64);
  }
  EXPECT_FALSE(detail::state_of(made).elementwise.has_value());
}

// A swizzle permutes within blocks of 512 offsets. For extents that are not powers of two, the table once
// covered the whole array, or the copy went element by element.
TEST(RelayoutPlan, SwizzledTilesAreOneTableAndLoopsAtAnyExtent) {
  for (const Index n : {1, 3, 4, 100, 4000, 4096, 5000}) {
    const std::string from = fmt::format("Sw<3,3,3> o _0 o (64,64,{}):(64,1,4096)", n);
    for (const char* order : {"1,0,2", "2,1,0", "0,1,2"}) {
      const std::string to = fmt::format("bf16[64,64,{}]{{{}}}", n, order);
      for (const bool there : {true, false}) {
        const RelayoutPlan made = there ? plan(from, to, 2) : plan(to, from, 2);
        EXPECT_FALSE(detail::state_of(made).elementwise.has_value());
        ASSERT_EQ(detail::state_of(made).parts.size(), 1) << made.describe();
        const moving::Sweep& sweep = detail::state_of(made).parts[0].sweep;
        for (const moving::SweepAxis* axis : {&sweep.rows, &sweep.cols}) {
          if (axis->src_table != nullptr || axis->dst_table != nullptr) {
            EXPECT_LE(axis->count, 64) << made.describe();
          }
        }
        EXPECT_EQ(made.src_range(), (ByteRange{0, 8192 * n}));
        EXPECT_EQ(made.dst_range(), (ByteRange{0, 8192 * n}));
        const auto proof =
            there ? verify(made, layout(from), layout(to)) : verify(made, layout(to), layout(from));
        EXPECT_TRUE(proof.has_value()) << made.describe();
      }
    }
  }
}

TEST(RelayoutPlan, TilingsThatRepeatAreATableAndALoop) {
  // Tiles of 3 inside tiles of 2 x 2: 6 elements in 8 cells, repeated.
  const RelayoutPlan made = plan("f32[6000000]{0:T(3)(2,2)}", "f32[6000000]", 4);
  EXPECT_EQ(made.describe(),
            "relayout of 24000000 bytes in elements of 4: reads 0 to 31999996, writes 0 to 24000000, padding "
            "keep, streamed, 1 chunk\n"
            "gather 4 bytes: src 0, dst 0, cut loop by 8\n"
            "  loop 1000000: src +32, dst +24\n"
            "  rows 2: src +8, dst +12\n"
            "  cols 3: src 2:+4 2:+16, dst +4\n");
}

// These maps were once refused, because they have more offsets than may be enumerated, although most of these
// form loops.
TEST(RelayoutPlan, LargeMapsWithoutDigitsHavePlansThatAreProved) {
  for (const auto& [src, dst] :
       {std::pair("Sw<3,3,3> o _0 o (4096,4097):(4097,1)", "bf16[4096,4097]"),
        std::pair("bf16[4096,4097]", "Sw<3,3,3> o _0 o (4096,4097):(4097,1)"),
        std::pair("Sw<3,4,5> o _0 o (4096,4097):(4097,1)", "bf16[4096,4097]"),
        std::pair(
            "np:(5000,5000):(5000,1)",
            "map:(d0, d1) -> ((d0 * 5000 + d1) floordiv 8 * 8 + (d0 * 5000 + d1 * 3) mod 8), domain: d0 "
            "in [0, 4999], d1 in [0, 4999]"),
        std::pair("bf16[40000,3001]{1,0:T(*,7)}", "bf16[40000,3001]"),
        std::pair("bf16[40000,3001]{1,0:T(*,2,7)}", "bf16[40000,3001]{0,1}"),
        std::pair("bf16[400,300]{1,0:T(*,2,7)(3,1)}", "bf16[400,300]{1,0:T(*,5,8)}")}) {
    const RelayoutPlan made = plan(src, dst, 2);
    EXPECT_TRUE(verify(made, layout(src), layout(dst)).has_value()) << src << " to " << dst;
  }
}

// Beyond 2^22 elements such destinations were once accepted, and two elements were written to one offset.
TEST(RelayoutPlan, RefusesLargeDestinationsThatShareAPlace) {
  for (const char* dst : {"np:(3000,3000):(2999,1)", "np:(3000,3000):(1500,1)", "np:(30000,30000):(29999,1)",
                          "Sw<3,3,3> o _0 o (3000,3000):(2999,1)",
                          "map:(d0, d1) -> ((d0 * 2999 + d1) floordiv 8 * 8 + (d0 * 2999 + d1 * 3) mod 8), "
                          "domain: d0 in [0, 2999], d1 in [0, 2999]"}) {
    const Layout to = layout(dst);
    const Strides rows{{to.shape().begin(), to.shape().end()}, {to.shape()[1], 1}, 0};
    const auto made = make_plan(Layout::make(rows).value(), to, 1);
    ASSERT_FALSE(made.has_value()) << dst;
    EXPECT_EQ(made.error().code, Code::broadcast) << dst;
  }
}

TEST(RelayoutPlan, KeepsThePromisesOfEachKind) {
  for (const auto& [src, dst] : {std::pair("np:(3,1000):(1000,1)", "np:(3,1000):(1,3)"),
                                 std::pair("np:(1000,3):(3,1)", "np:(1000,3):(1,1000)"),
                                 std::pair("np:(9,9,9):(81,9,1)", "np:(9,9,9):(1,9,81)"),
                                 std::pair("np:(40,40):(80,2)", "np:(40,40):(1,40)"),
                                 std::pair("np:(40,40):(40,1)", "np:(40,40):(2,80)")}) {
    for (const Index e : {1, 2, 3, 4, 6, 8, 12, 16}) {
      const RelayoutPlan made = plan(src, dst, e);
      for (const moving::PlanPart& part : detail::state_of(made).parts)
        EXPECT_EQ(moving::broken_promise(part.sweep), nullptr) << src << " to " << dst;
    }
  }
}

TEST(RelayoutPlan, MovesNothingOfAnEmptyBoxAndOneElementOfAScalar) {
  EXPECT_EQ(plan("np:(4,0,3):(0,0,0)", "np:(4,0,3):(7,7,7)", 4).payload_bytes(), 0);
  const RelayoutPlan one = plan("np:():() + 2", "np:():() + 1", 4);
  const std::vector<int> src = {1, 2, 3};
  std::vector<int> dst = {0, 0};
  run(one, src.data(), dst.data());
  EXPECT_EQ(dst, (std::vector<int>{0, 3}));
}

TEST(RelayoutPlan, RefusesWhatItCannotDo) {
  EXPECT_EQ(refusal("np:(2,3):(3,1)", "np:(3,2):(2,1)"), Code::different_shape);
  EXPECT_EQ(refusal("np:(2,3):(3,1)", "np:(2,3):(3,1)", 0), Code::unsupported_width);
  PlanOptions value;
  value.padding = Padding::value;
  EXPECT_EQ(refusal("np:(2,3):(3,1)", "np:(2,3):(3,1)", 17, value), Code::unsupported_width);
  EXPECT_EQ(refusal("np:(4):(1)", "np:(4):(1000000000000000000)", 16), Code::overflow);
}

TEST(RelayoutPlan, NamesTwoIndicesWhereTheDestinationRepeats) {
  const auto witness = [](std::string_view dst) {
    const Layout to = layout(dst);
    Strides plain{{to.shape().begin(), to.shape().end()}, std::vector<Index>(to.rank(), 1), 0};
    const auto made = make_plan(Layout::make(plain).value(), to, 4);
    EXPECT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, Code::broadcast);
    return made.error().witness;
  };
  EXPECT_EQ(witness("np:(2,3):(1,0)"), "(0, 0) and (0, 1) both lie at offset 0");
  EXPECT_EQ(witness("np:(3,4):(2,1)"), "(0, 2) and (1, 0) both lie at offset 2");
  EXPECT_EQ(witness("ll:d0:1,2 d1:4,7"), "(1, 3) and (2, 0) both lie at offset 2");
}

TEST(RelayoutPlan, AcceptsStridesThatCrossWithoutMeeting) {
  // Offsets 0 3 6 plus 0 5: the strides do not divide each other, yet all sums are distinct.
  EXPECT_TRUE(make_plan(layout("np:(3,2):(2,1)"), layout("np:(3,2):(3,5)"), 4).has_value());
}

TEST(RelayoutPlan, ChunksWriteTheirOwnRanges) {
  PlanOptions options;
  options.threads = 4;
  options.min_chunk_bytes = 1024;
  const RelayoutPlan made = plan("np:(64,64):(64,1)", "np:(64,64):(1,64)", 4, options);
  ASSERT_EQ(made.chunks(), 4);
  Index at = 0;
  for (Index chunk = 0; chunk < 4; ++chunk) {
    EXPECT_EQ(made.chunk_dst_range(chunk), (ByteRange{at, at + 4096}));
    at += 4096;
    EXPECT_LE(made.chunk_src_range(chunk).end, made.src_range().end);
  }
}

TEST(RelayoutPlan, CutsAtLinesOfTheDestination) {
  PlanOptions options;
  options.threads = 7;
  options.min_chunk_bytes = 1;
  const RelayoutPlan made = plan("np:(1000):(3)", "np:(1000):(1)", 4, options);
  for (Index chunk = 1; chunk < made.chunks(); ++chunk)
    EXPECT_EQ(made.chunk_dst_range(chunk).begin % 64, 0) << chunk;
}

// Threads once split the rows, and nearly every column of a chunk then shared a cache line with the next
// chunk.
TEST(RelayoutPlan, CutsTheAxisThatSharesNoLine) {
  PlanOptions options;
  options.threads = 2;
  const RelayoutPlan odd = plan("f32[4097,4099]", "f32[4097,4099]{0,1}", 4, options);
  EXPECT_THAT(odd.describe(), HasSubstr("cut cols by 16\n"));
  EXPECT_EQ(odd.chunk_dst_range(1).begin % 64, 0);
  EXPECT_EQ(odd.chunk_dst_range(0).end, odd.chunk_dst_range(1).begin);
  options.threads = 4;
  const RelayoutPlan tiles = plan("f32[4000,4001]{1,0:T(8,128)}", "f32[4000,4001]", 4, options);
  EXPECT_THAT(tiles.describe(), HasSubstr("cut loop by 2\n"));
}

TEST(RelayoutRun, ChecksBuffers) {
  const RelayoutPlan made = plan("np:(4,4):(4,1)", "np:(4,4):(1,8)", 4);
  std::vector<std::byte> memory(512);
  const std::span all(memory);
  EXPECT_TRUE(run_checked(made, all.subspan(0, 64), all.subspan(64, 112)).has_value());
  const auto small = run_checked(made, all.subspan(0, 64), all.subspan(64, 111));
  ASSERT_FALSE(small.has_value());
  EXPECT_EQ(small.error().code, Code::buffer_too_small);
  EXPECT_EQ(small.error().message, "the destination needs 112 bytes, but the buffer has 111");
  const auto overlap = run_checked(made, all.subspan(0, 64), all.subspan(63, 200));
  ASSERT_FALSE(overlap.has_value());
  EXPECT_EQ(overlap.error().code, Code::overlap);
}

TEST(RelayoutRun, ThreadsAgreeWithOne) {
  const std::size_t n = 1200;
  std::vector<std::uint32_t> src(n * n);
  std::iota(src.begin(), src.end(), 0U);
  std::vector<std::uint32_t> one(n * n);
  std::vector<std::uint32_t> many(n * n);
  PlanOptions options;
  options.threads = 4;
  const RelayoutPlan made = plan("np:(1200,1200):(1200,1)", "np:(1200,1200):(1,1200)", 4, options);
  ASSERT_GT(made.chunks(), 1);
  run(made, src.data(), one.data());
  const auto executor = parallel_executor(4);
  run(made, src.data(), many.data(), *executor);
  EXPECT_EQ(one, many);
  EXPECT_EQ(one[5 * n + 7], 7 * n + 5);
  std::ranges::fill(many, 0U);
  PlainThreads threads;
  run(made, src.data(), many.data(), threads);
  EXPECT_EQ(one, many);
}

// A request for a thousand threads once created a thousand, each with a stack.
TEST(RelayoutRun, ThreadsAreAtMostFourACore) {
  const int one = executor_threads(0);
  EXPECT_GE(one, 1);
  EXPECT_EQ(executor_threads(1), 1);
  EXPECT_EQ(executor_threads(1024), has_parallel_executor() ? std::min(1024, 4 * one) : 1);
  // Every chunk still runs, although there are fewer threads.
  std::vector<std::atomic<int>> runs(3000);
  parallel_executor(1024)->parallel_for(3000, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
  for (const auto& times : runs) EXPECT_EQ(times, 1);
}

// Plans whose elements overwrite a fill once always ran on one thread.
TEST(RelayoutRun, AFillBelowTheElementsRunsOnThreadsToo) {
  const std::size_t n = 400;
  std::vector<std::uint32_t> src(n * n);
  std::iota(src.begin(), src.end(), 1U);
  PlanOptions options{.padding = Padding::value, .threads = 4, .min_chunk_bytes = 4096};
  options.fill.fill(std::byte{0xff});
  for (const char* to : {"np:(400,400):(-403,1) + 160800", "Sw<3,2,3> o _0 o (400,400):(1,512)"}) {
    const RelayoutPlan made = plan("np:(400,400):(400,1)", to, 4, options);
    ASSERT_THAT(made.describe(), testing::HasSubstr("in order"));
    std::vector<std::uint32_t> one(static_cast<std::size_t>(made.dst_range().end) / 4);
    std::vector<std::uint32_t> many = one;
    run(made, src.data(), one.data());
    PlainThreads threads;
    run(made, src.data(), many.data(), threads);
    EXPECT_EQ(one, many);
    const auto at = static_cast<std::size_t>(layout(to).offset(std::vector<Index>{5, 7}));
    EXPECT_EQ(many[at], 5 * n + 7 + 1);
    EXPECT_EQ(std::ranges::count(many, 0xffff'ffffU), static_cast<std::ptrdiff_t>(many.size() - n * n));
  }
}

TEST(RelayoutRun, EveryElementThroughBothMapsIsTheLastResort) {
  const auto made = parse_plan(
      "relayout of 24 bytes in elements of 4: reads 0 to 24, writes 0 to 24, padding keep, cached, 1 chunk\n"
      "each element\n"
      "  from np:(2,3):(3,1)\n"
      "  to np:(2,3):(1,2)\n");
  ASSERT_TRUE(made.has_value());
  const std::vector<int> src = {0, 1, 2, 3, 4, 5};
  std::vector<int> dst(6);
  run(*made, src.data(), dst.data());
  EXPECT_EQ(dst, (std::vector<int>{0, 3, 1, 4, 2, 5}));
  EXPECT_TRUE(verify(*made, layout("np:(2,3):(3,1)"), layout("np:(2,3):(1,2)")).has_value());
  EXPECT_EQ(parse_plan(made->describe())->describe(), made->describe());
}

}  // namespace
}  // namespace tessera::plan_test
