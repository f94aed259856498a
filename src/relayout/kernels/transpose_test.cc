// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "laws/kernel_laws.h"
#include "relayout/caches.h"

namespace tessera::moving {
namespace {

using testing_kernels::add_loops;
using testing_kernels::check_on_all;
using testing_kernels::grow;
using testing_kernels::pick;
using testing_kernels::Random;

Sweep random_transpose(Random& random, Index e, Index rows, Index cols) {
  Sweep sweep;
  sweep.mover = mover::Transpose{};
  sweep.run = e;
  const Index pitch = cols * e + pick(random, 0, 1) * pick(random, 0, 80);
  sweep.rows = {rows, pick(random, 0, 4) == 0 ? -pitch : pitch, e, nullptr, nullptr};
  sweep.cols = {cols, e, grow(random, rows * e), nullptr, nullptr};
  if (pick(random, 0, 3) == 0) sweep.policy.band = static_cast<std::int32_t>(pick(random, 1, 40));
  if (pick(random, 0, 1) == 0) {
    sweep.policy.block_rows = static_cast<std::int32_t>(pick(random, 1, rows));
    sweep.policy.block_cols = static_cast<std::int32_t>(pick(random, 1, cols));
  }
  add_loops(random, sweep, pitch * rows, sweep.cols.dst * cols);
  return sweep;
}

TEST(Kernels, TransposeEveryWidthAndShape) {
  Random random(1);
  for (const Index e : {1, 2, 4, 8, 16}) {
    const Index side = 64 / e;
    for (const Index rows : {Index{1}, Index{2}, Index{3}, side / 4, side / 4 + 1, side - 1, side, side + 1,
                             2 * side, 3 * side + 5, 5 * side}) {
      for (const Index cols :
           {Index{1}, Index{3}, side / 4, side - 1, side, side + 1, 2 * side + side / 2 + 1}) {
        if (rows < 1 || cols < 1) continue;
        check_on_all(random_transpose(random, e, rows, cols));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Block sizes and prefetch distances follow the L1 cache, and the result must be right for every cache size,
// on every kind of core.
TEST(Kernels, TransposeWithCachesOfAnySize) {
  const Caches own = caches();
  Random random(17);
  for (const Index l1 : {Index{1}, Index{12} << 10, Index{48} << 10, Index{1} << 20}) {
    // check_on_all also takes the other value.
    set_caches({.l1 = l1, .l2 = own.l2, .shares_fill_buffers = false});
    for (const Index e : {1, 2, 4, 8, 16}) {
      check_on_all(random_transpose(random, e, 9, 7));
      check_on_all(random_transpose(random, e, 64, 64 / e));
      check_on_all(random_transpose(random, e, 520 / e + 70, 130));
    }
  }
  set_caches(own);
}

TEST(Kernels, TransposeInSeveralBlocks) {
  Random random(2);
  check_on_all(random_transpose(random, 4, 300, 270));
  check_on_all(random_transpose(random, 1, 1100, 300));
  check_on_all(random_transpose(random, 2, 640, 130));
  check_on_all(random_transpose(random, 8, 150, 140));
}

// Staged transposition of whole lines: strips are several squares tall, and shorter in the last band.
TEST(Kernels, TransposeInStripsOfSeveralSquares) {
  Random random(15);
  for (const Index e : {1, 2, 4, 8, 16}) {
    const Index side = 64 / e;
    for (const Index rows : {256 + side, 512 / e + side, 4 * side}) {
      for (const Index cols : {side, 2 * side + 1, 9 * side + side / 2}) {
        Sweep sweep;
        sweep.mover = mover::Transpose{};
        sweep.run = e;
        const Index pitch = cols * e + pick(random, 0, 1) * pick(random, 0, 80);
        sweep.rows = {rows, pick(random, 0, 4) == 0 ? -pitch : pitch, e, nullptr, nullptr};
        sweep.cols = {cols, e, (rows * e + 63) / 64 * 64, nullptr, nullptr};
        sweep.loops = 1;
        sweep.loop[0] = {2, pick(random, 0, 1) == 0 ? cols * e : pitch * rows, sweep.cols.dst * cols};
        sweep.policy.band = static_cast<std::int32_t>(pick(random, 0, 1) * 2 * side);
        check_on_all(sweep);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Columns of more than a page, of rows that are close together or not.
TEST(Kernels, TransposeWithLongColumns) {
  Random random(21);
  for (const Index e : {1, 2, 4, 8, 16}) {
    const Index side = 64 / e;
    for (const Index cols : {side, 16 * side + 5}) {
      const Index rows = 4096 / e + 3 * side;
      Sweep sweep;
      sweep.mover = mover::Transpose{};
      sweep.run = e;
      const Index pitch = cols * e + pick(random, 0, 1) * 24;
      sweep.rows = {rows, pitch, e, nullptr, nullptr};
      sweep.cols = {cols, e, rows * e + pick(random, 0, 1) * 512, nullptr, nullptr};
      check_on_all(sweep);
      if (HasFatalFailure()) return;
    }
  }
}

// Transpositions, as copies, of elements whose size is not a power of two.
TEST(Kernels, TransposeElementsOfOddLengths) {
  Random random(13);
  for (const Index e : {3, 5, 6, 7, 9, 12, 13, 15}) {
    for (const Index rows : {1, 3, 4, 5, 64, 67, 130}) {
      for (const Index cols : {1, 2, 5, 6, 33, 66}) {
        Sweep sweep = random_transpose(random, e, rows, cols);
        sweep.mover = mover::Copy{};
        std::swap(sweep.rows, sweep.cols);
        check_on_all(sweep);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Long unaligned columns over several bands; each of their lines comes from two squares.
TEST(Kernels, TransposeToLongColumnsThatBeginAnywhere) {
  Random random(12);
  for (const Index e : {1, 2, 4, 8, 16}) {
    const Index side = 64 / e;
    for (const Index rows : {2048 / e, 2048 / e + 1, 3 * side + 2048 / e - 1, Index{1100}}) {
      for (const Index cols : {side, side + 1, 2 * side + 3}) {
        Sweep sweep;
        sweep.mover = mover::Transpose{};
        sweep.run = e;
        const Index pitch = cols * e + pick(random, 0, 1) * pick(random, 0, 80);
        sweep.rows = {rows, pick(random, 0, 4) == 0 ? -pitch : pitch, e, nullptr, nullptr};
        sweep.cols = {cols, e, rows * e + e * pick(random, 0, 5), nullptr, nullptr};
        sweep.loops = 1;
        sweep.loop[0] = {2, pitch * rows, sweep.cols.dst * cols + pick(random, 0, 1) * e};
        check_on_all(sweep);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::moving
