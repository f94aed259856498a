// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "laws/kernel_laws.h"
#if TESSERA_HAVE_HWY
#include "relayout/kernels/scalar.h"
#include "relayout/kernels/targets.h"
// targets.h says which targets to leave out, so it comes first.
#include <hwy/targets.h>
#endif

namespace tessera::moving {
namespace {

using testing_kernels::add_loops;
using testing_kernels::check_on_all;
using testing_kernels::grow;
using testing_kernels::pick;
using testing_kernels::Random;

#if TESSERA_HAVE_HWY && HWY_ARCH_X86
// On x86 the library asks the compiler's library what this core runs; Highway must agree, for the instruction
// sets that this build has kernels for. AVX3_DL has kernels where AVX3 has.
TEST(Kernels, AvailableInstructionSetsAreThoseOfHighway) {
  const std::int64_t supported = hwy::SupportedTargets();
  const auto runs = [&](std::int64_t kernels, std::int64_t target) {
    return (HWY_TARGETS & kernels) != 0 && (supported & target) != 0;
  };
  EXPECT_EQ(isa_available(Isa::sse4), runs(HWY_SSE4, HWY_SSE4));
  EXPECT_EQ(isa_available(Isa::avx2), runs(HWY_AVX2, HWY_AVX2));
  EXPECT_EQ(isa_available(Isa::avx512), runs(HWY_AVX3, HWY_AVX3));
  EXPECT_EQ(isa_available(Isa::avx512_dl), runs(HWY_AVX3, HWY_AVX3_DL));
}
#endif

// Kernels may overwrite the slack after a stretch, up to the end of its line, and nothing else.
TEST(Kernels, WritesWholeLinesIntoSlack) {
  for (const Index run : {1, 40, 64, 65, 127, 132, 200, 1000}) {
    Sweep sweep;
    sweep.mover = mover::Copy{.slack = (64 - run % 64) % 64};
    sweep.run = run;
    sweep.rows = {5, 8 * run + 3, 8 * 1024, nullptr, nullptr};
    sweep.cols = {8, run, 1024, nullptr, nullptr};
    check_on_all(sweep);
    if (HasFatalFailure()) return;
  }
  for (const Index e : {1, 2, 4, 8}) {
    for (const Index ways : {2, 3, 4}) {
      for (const Index count : {1, 5, 33, 64, 127, 700}) {
        Sweep sweep;
        sweep.mover = mover::Interleave{.slack = (64 - count * ways * e % 64) % 64};
        sweep.run = e;
        sweep.rows = {ways, count * e + 3, e, nullptr, nullptr};
        sweep.cols = {count, e, ways * e, nullptr, nullptr};
        sweep.loops = 1;
        sweep.loop[0] = {3, ways * count * e + 9, ways * count * e + sweep.slack() + 128};
        check_on_all(sweep);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Kernels, CopyEveryRun) {
  Random random(5);
  std::vector<Index> runs;
  for (Index run = 1; run <= 70; ++run) runs.push_back(run);
  for (const Index run : {96, 127, 128, 191, 255, 256, 300, 512, 1000, 1024, 1420, 4096, 5000, 9000})
    runs.push_back(run);
  for (const Index run : runs) {
    for (const bool side_by_side : {false, true}) {
      Sweep sweep;
      sweep.mover = mover::Copy{};
      sweep.run = run;
      const Index rows = pick(random, 1, 5);
      const Index cols = run > 2000 ? pick(random, 1, 3) : pick(random, 1, 40);
      const bool rows_inside = pick(random, 0, 1) == 0;
      const Index near = run + pick(random, 0, 1) * pick(random, 0, 20);
      sweep.cols.count = cols;
      sweep.rows.count = rows;
      sweep.cols.dst = side_by_side ? run : grow(random, run);
      sweep.rows.dst = grow(random, sweep.cols.dst * cols);
      sweep.cols.src = rows_inside ? near * rows : near;
      sweep.rows.src = rows_inside ? near : near * cols;
      if (pick(random, 0, 5) == 0) sweep.cols.src = -sweep.cols.src;
      add_loops(random, sweep, near * rows * cols, sweep.rows.dst * rows);
      check_on_all(sweep);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Kernels, GatherScatterAndTables) {
  Random random(6);
  for (int i = 0; i < 60; ++i) {
    const Index e =
        std::vector<Index>{1, 2, 3, 4, 6, 8, 12, 16}[static_cast<std::size_t>(pick(random, 0, 7))];
    const Index rows = pick(random, 1, 6);
    const Index cols = i % 10 == 0 ? 3000 : pick(random, 1, 200);
    std::vector<Index> sources;
    std::vector<Index> destinations;
    for (Index c = 0; c < cols; ++c) {
      sources.push_back(c * e);
      destinations.push_back(c * e);
    }
    std::shuffle(sources.begin(), sources.end(), random);
    std::shuffle(destinations.begin(), destinations.end(), random);
    Sweep sweep;
    sweep.run = e;
    sweep.rows = {rows, cols * e * 2, grow(random, cols * e), nullptr, nullptr};
    sweep.cols = {cols, e, e, nullptr, nullptr};
    const Index kind = pick(random, 0, 2);
    if (kind == 0) sweep.mover = mover::Gather{};
    if (kind == 1) sweep.mover = mover::Scatter{};
    if (kind == 2) sweep.mover = mover::Table{};
    if (kind != 1) sweep.cols.src_table = sources.data();
    if (kind != 0) sweep.cols.dst_table = destinations.data();
    if (kind == 0 && pick(random, 0, 1) == 0) {
      sweep.cols.src_table = nullptr;
      sweep.cols.src = pick(random, -2, 2) * e;
    }
    add_loops(random, sweep, cols * e * 2 * rows, sweep.rows.dst * rows);
    check_on_all(sweep);
    if (HasFatalFailure()) return;
  }
}

TEST(Kernels, RunsBackwards) {
  Random random(14);
  for (const Index e : {1, 2, 4, 8, 16}) {
    for (const Index cols : {Index{1}, 16 / e, 16 / e + 1, 64 / e + 3, 4096 / e, 9000 / e}) {
      Sweep sweep;
      sweep.mover = mover::Gather{};
      sweep.run = e;
      const Index rows = pick(random, 1, 4);
      const Index pitch = cols * e + pick(random, 0, 70);
      const Index out = grow(random, cols * e);
      sweep.rows = {rows, pick(random, 0, 1) == 0 ? pitch : -pitch, out, nullptr, nullptr};
      sweep.cols = {cols, -e, e, nullptr, nullptr};
      add_loops(random, sweep, pitch * rows, out * rows);
      check_on_all(sweep);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Kernels, FillRepeatsThePatternFromEachRun) {
  Random random(7);
  for (const Index run : {1, 3, 12, 15, 16, 17, 48, 63, 64, 65, 100, 128, 512, 700, 5000}) {
    Sweep sweep;
    mover::Fill fill;
    for (std::size_t i = 0; i < 16; ++i) fill.pattern[i] = static_cast<std::byte>(i + 1);
    sweep.mover = fill;
    sweep.run = run;
    sweep.cols.count = pick(random, 1, 3);
    sweep.cols.dst = grow(random, run);
    sweep.rows.count = pick(random, 1, 3);
    sweep.rows.dst = grow(random, sweep.cols.dst * sweep.cols.count);
    add_loops(random, sweep, 0, sweep.rows.dst * sweep.rows.count);
    for (std::size_t i = 0; i < sweep.loops; ++i) sweep.loop[i].src = 0;
    check_on_all(sweep);
    if (HasFatalFailure()) return;
  }
}

TEST(Kernels, BoundsCutRowsColumnsAndTheOutermostLoop) {
  Random random(8);
  Sweep sweep;
  sweep.mover = mover::Transpose{};
  sweep.run = 4;
  sweep.rows = {70, 100 * 4, 4, nullptr, nullptr};
  sweep.cols = {100, 4, 70 * 4, nullptr, nullptr};
  sweep.loops = 1;
  sweep.loop[0] = {3, 28000, 28000};
  for (const bool stream : {false, true}) {
    sweep.policy.stream = stream;
    for (const Isa isa : available_isas()) {
      std::vector<std::byte> src(84000);
      for (auto& b : src) b = static_cast<std::byte>(random() & 0xff);
      std::vector<std::byte> expected(84000, std::byte{1});
      std::vector<std::byte> dst(84000, std::byte{1});
      const SweepBounds bounds{2, 41, 53};
      scalar_kernel(sweep, src.data(), expected.data(), bounds);
      kernel_for(sweep, isa)(sweep, src.data(), dst.data(), bounds);
      EXPECT_EQ(dst, expected) << to_string(isa);
    }
  }
}

}  // namespace
}  // namespace tessera::moving
