// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "laws/kernel_laws.h"

namespace tessera::moving {
namespace {

using testing_kernels::add_loops;
using testing_kernels::check_on_all;
using testing_kernels::grow;
using testing_kernels::pick;
using testing_kernels::Random;

TEST(Kernels, InterleaveAndBack) {
  Random random(4);
  for (const Index e : {1, 2, 4, 8, 16}) {
    for (const Index ways : {2, 3, 4}) {
      for (const Index count : {1, 2, 7, 16, 31, 64, 65, 127, 128, 1000}) {
        Sweep sweep;
        sweep.mover = mover::Interleave{};
        sweep.run = e;
        const Index pitch = count * e + pick(random, 0, 9);
        sweep.rows = {ways, pitch, e, nullptr, nullptr};
        sweep.cols = {count, e, ways * e, nullptr, nullptr};
        add_loops(random, sweep, pitch * ways, ways * e * count);
        check_on_all(sweep);
        if (HasFatalFailure()) return;
        sweep = {};
        sweep.mover = mover::Deinterleave{};
        sweep.run = e;
        sweep.rows = {count, ways * e, e, nullptr, nullptr};
        sweep.cols = {ways, e, grow(random, count * e), nullptr, nullptr};
        add_loops(random, sweep, ways * e * count, sweep.cols.dst * ways);
        check_on_all(sweep);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Pairs of rows of whole lines are interleaved without a buffer.
TEST(Kernels, InterleavePairsOfWholeLines) {
  for (const Index e : {1, 2, 4, 8}) {
    for (const Index count : {64, 128, 320}) {
      Sweep sweep;
      sweep.mover = mover::Interleave{};
      sweep.run = e;
      sweep.rows = {2, count * e + 3, e, nullptr, nullptr};
      sweep.cols = {count, e, 2 * e, nullptr, nullptr};
      sweep.loops = 1;
      sweep.loop[0] = {3, 2 * count * e + 9, 2 * count * e + 128};
      check_on_all(sweep);
      if (HasFatalFailure()) return;
    }
  }
}

// Rows of tiles: each column continues in the next tile, and pairs of adjacent rows take turns.
TEST(Kernels, DeinterleaveTilesOfRowsThatEndWithinLines) {
  Random random(11);
  for (const Index e : {1, 2, 4, 8}) {
    for (const Index ways : {2, 3, 4}) {
      for (const Index count : {5, 33, 128, 700}) {
        const Index tiles = pick(random, 2, 9);
        const Index pairs = pick(random, 1, 5);
        const Index tile = ways * count * e;
        const Index row = tiles * count * e + pick(random, 0, 70);
        Sweep sweep;
        sweep.mover = mover::Deinterleave{};
        sweep.run = e;
        sweep.rows = {count, ways * e, e, nullptr, nullptr};
        sweep.cols = {ways, e, row, nullptr, nullptr};
        sweep.loops = 3;
        sweep.loop[0] = {2, tiles * pairs * tile + 8, pairs * ways * row};
        sweep.loop[1] = {tiles, pairs * tile, count * e};
        sweep.loop[2] = {pairs, tile, ways * row};
        check_on_all(sweep);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Kernels, InterleaveInSeveralChunks) {
  for (const Index e : {1, 4}) {
    Sweep sweep;
    sweep.mover = mover::Interleave{};
    sweep.run = e;
    sweep.rows = {3, 9000 * e, e, nullptr, nullptr};
    sweep.cols = {9000, e, 3 * e, nullptr, nullptr};
    check_on_all(sweep);
    std::swap(sweep.rows, sweep.cols);
    std::swap(sweep.rows.src, sweep.rows.dst);
    std::swap(sweep.cols.src, sweep.cols.dst);
    sweep.mover = mover::Deinterleave{};
    check_on_all(sweep);
  }
}

}  // namespace
}  // namespace tessera::moving
