// SPDX-License-Identifier: Apache-2.0
#include "hlo/operations/work.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "hlo/operations/program_work.h"
#include "hlo/operations/window_overlap.h"

namespace tessera::detail {
namespace {

ProgramWork work_of(const std::string& text) {
  const ParsedModules parsed = parse_hlo(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return program_work(parsed.modules.at(0));
}

Count exact_work(Index n) { return {n, n}; }

TEST(Work, CountsTheProductsOfADot) {
  const ProgramWork work = work_of(R"(ENTRY e {
    a = bf16[4,8] parameter(0)
    b = bf16[8,2] parameter(1)
    d = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT t = f32[4,2] tanh(d)
  })");
  ASSERT_EQ(work.steps.size(), 2U);
  EXPECT_EQ(work.total.flops(), exact_work(2 * 4 * 8 * 2));
  EXPECT_EQ(work.total.counts().at({OperationKind::product, DType::bf16}), exact_work(128));
  EXPECT_EQ(work.total.transcendentals(), exact_work(8));
  EXPECT_TRUE(work.total.exact());
}

// Regression: the number of steps was read from the first input, which a scan of carries alone lacks.
TEST(Work, AScanWithoutInputsCountsTheStepsOfItsOutput) {
  const auto flops = [](const char* type, int dim) {
    return work_of(fmt::format(R"(step {{
      c = f32[2] parameter(0)
      s = f32[2] add(c, c)
      ROOT t = (f32[2], f32[2]) tuple(s, s)
    }}
    ENTRY e {{
      z = f32[2] parameter(0)
      ROOT r = ({}, f32[2]) scan(z), dimensions={{{}}}, num_carries=1, to_apply=step
    }})",
                               type, dim))
        .total.flops();
  };
  EXPECT_EQ(flops("f32[4,2]", 0), exact_work(8));
  EXPECT_EQ(flops("f32[2,3]", 1), exact_work(6));
}

TEST(Work, ADotOfComplexNumbersIsEightOperationsForEachPair) {
  EXPECT_EQ(work_of(R"(ENTRY e { a = c64[3] parameter(0)
    ROOT d = c64[] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0} })")
                .total.flops(),
            exact_work(24));
}

TEST(Work, AConvolutionLeavesPaddingOut) {
  // Without padding each output has three products; the two outer ones lose one each.
  EXPECT_EQ(work_of(R"(ENTRY e { a = f32[1,5,1] parameter(0)
    k = f32[3,1,1] parameter(1)
    ROOT c = f32[1,5,1] convolution(a, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f })")
                .total.flops(),
            exact_work(2 * (2 + 3 + 3 + 3 + 2)));
}

TEST(Work, OperationsOnExtentsOfRunTimeAreNoExactZero) {
  const Work sort = work_of(R"(f { x = f32[] parameter(0) y = f32[] parameter(1)
    ROOT z = pred[] compare(x, y), direction=LT }
    ENTRY e { a = f32[?] parameter(0) ROOT r = f32[?] sort(a), dimensions={0}, to_apply=f })")
                        .total;
  EXPECT_FALSE(sort.exact());
  EXPECT_FALSE(sort.operations().upper);
  const Work cholesky = work_of(R"(ENTRY e { a = f32[<=4,4,4] parameter(0)
    ROOT r = f32[<=4,4,4] cholesky(a), lower=true })")
                            .total;
  EXPECT_FALSE(cholesky.exact());
}

TEST(Work, FusionsThatNestTooDeepAreUnknown) {
  std::string text = "g0 { x = f32[8] parameter(0) ROOT n = f32[8] negate(x) }\n";
  for (int i = 1; i <= 450; ++i) {
    const std::string last = std::to_string(i - 1);
    text += "g" + std::to_string(i) +
            " { x = f32[8] parameter(0) ROOT b = f32[8] fusion(x), kind=kLoop, calls=g" + last + " }\n";
  }
  const Work work =
      work_of(text + "ENTRY e { x = f32[8] parameter(0) ROOT y = f32[8] fusion(x), kind=kLoop, calls=g450 }")
          .total;
  EXPECT_FALSE(work.exact());
  EXPECT_FALSE(work.flops().upper);
}

TEST(Work, AReductionCombinesOnceLessThanItsElements) {
  EXPECT_EQ(work_of(R"(f { x = s32[] parameter(0) y = s32[] parameter(1) ROOT z = s32[] maximum(x, y) }
    ENTRY e { a = s32[4,8] parameter(0)
    i = s32[] constant(0)
    ROOT r = s32[4] reduce(a, i), dimensions={1}, to_apply=f })")
                .total.integer_operations(),
            exact_work(28));
}

TEST(Work, ALoopMultipliesItsBody) {
  const ProgramWork work = work_of(R"(
    c { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(10)
      ROOT l = pred[] compare(i, n), direction=LT }
    b { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0
      x = f32[8] get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
      y = f32[8] multiply(x, x) ROOT t = (s32[], f32[8]) tuple(j, y) }
    ENTRY e { x = f32[8] parameter(0) z = s32[] constant(0) s = (s32[], f32[8]) tuple(z, x)
      ROOT w = (s32[], f32[8]) while(s), condition=c, body=b })");
  EXPECT_EQ(work.total.flops(), exact_work(80));
  EXPECT_EQ(work.total.integer_operations(), exact_work(10 + 11));
}

TEST(Work, SaysWhatIsNotKnown) {
  const ProgramWork work = work_of(R"(ENTRY e { a = f32[8] parameter(0)
    b = f32[8] negate(a)
    ROOT c = f32[8] custom-call(b), custom_call_target="mystery" })");
  EXPECT_EQ(work.total.flops().lower, 8);
  EXPECT_FALSE(work.total.flops().upper.has_value());
  EXPECT_EQ(work.total.reason(), "the operations of custom call target mystery are unknown");
}

// Loops and calls whose computations are not known may compute anything.
TEST(Work, OfAnUnknownComputationHasNoBound) {
  for (const char* step : {"while(x), condition=gone, body=gone", "call(x), to_apply=gone",
                           "conditional(p, x, x), true_computation=gone, false_computation=gone"}) {
    const ParsedModules parsed =
        parse_hlo("ENTRY e { x = f32[8] parameter(0) p = pred[] parameter(1) ROOT r = f32[8] " +
                  std::string(step) + " }");
    ASSERT_EQ(parsed.modules.size(), 1U) << step;
    const ProgramWork work = program_work(parsed.modules[0]);
    EXPECT_EQ(work.total.flops().lower, 0) << step;
    EXPECT_FALSE(work.total.flops().upper) << step;
  }
}

// Every pair of an output and a window element, one by one.
WindowOverlap walked_places(Index in, Index out, const WindowDim& w) {
  Index pairs = 0;
  Index covered = 0;
  for (Index o = 0; o < out; ++o) {
    Index here = 0;
    for (Index k = 0; k < w.size; ++k)
      for (Index x = 0; x < in; ++x)
        here += o * w.stride + k * w.rhs_dilate - w.pad_low == x * w.lhs_dilate ? 1 : 0;
    pairs += here;
    covered += here > 0 ? 1 : 0;
  }
  return {exact_work(pairs), exact_work(covered)};
}

TEST(WindowOverlap, AreThoseOfAWalkOverAllPairs) {
  for (const Index in : {0, 1, 4, 7})
    for (const Index out : {0, 1, 3, 6})
      for (const Index size : {1, 2, 5})
        for (const Index stride : {1, 2, 3})
          for (const Index pad : {-2, 0, 3})
            for (const Index lhs : {1, 2, 4, 6})
              for (const Index rhs : {1, 2, 3, 4}) {
                const WindowDim w{size, stride, pad, 0, lhs, rhs, false};
                const WindowOverlap expected = walked_places(in, out, w);
                const WindowOverlap places = window_overlap({in, out, w});
                ASSERT_EQ(places.pairs, expected.pairs) << in << " " << out << " " << size << " " << stride
                                                        << " " << pad << " " << lhs << " " << rhs;
                ASSERT_EQ(places.covered, expected.covered);
              }
}

TEST(WindowOverlap, OfLongWindowsAreBounds) {
  const WindowOverlap places = window_overlap({Index{1} << 30, Index{1} << 30, {.size = Index{1} << 30}});
  EXPECT_EQ(places.pairs.lower, 0);
  EXPECT_FALSE(places.pairs.exact());
  // A short window over a long array is exact.
  const WindowOverlap wide = window_overlap({Index{1} << 30, (Index{1} << 30) - 2, {.size = 3}});
  EXPECT_EQ(wide.pairs, exact_work(3 * ((Index{1} << 30) - 2)));
  EXPECT_EQ(wide.covered, exact_work((Index{1} << 30) - 2));
}

}  // namespace
}  // namespace tessera::detail
