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
        Leaf leaf;
        leaf.mover = mover::Interleave{};
        leaf.run = e;
        const Index pitch = count * e + pick(random, 0, 9);
        leaf.rows = {ways, pitch, e, nullptr, nullptr};
        leaf.cols = {count, e, ways * e, nullptr, nullptr};
        add_loops(random, leaf, pitch * ways, ways * e * count);
        check_on_all(leaf);
        if (HasFatalFailure()) return;
        leaf = {};
        leaf.mover = mover::Deinterleave{};
        leaf.run = e;
        leaf.rows = {count, ways * e, e, nullptr, nullptr};
        leaf.cols = {ways, e, grow(random, count * e), nullptr, nullptr};
        add_loops(random, leaf, ways * e * count, leaf.cols.dst * ways);
        check_on_all(leaf);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Pairs of rows of whole lines are interleaved without a buffer.
TEST(Kernels, InterleavePairsOfWholeLines) {
  for (const Index e : {1, 2, 4, 8}) {
    for (const Index count : {64, 128, 320}) {
      Leaf leaf;
      leaf.mover = mover::Interleave{};
      leaf.run = e;
      leaf.rows = {2, count * e + 3, e, nullptr, nullptr};
      leaf.cols = {count, e, 2 * e, nullptr, nullptr};
      leaf.loops = 1;
      leaf.loop[0] = {3, 2 * count * e + 9, 2 * count * e + 128};
      check_on_all(leaf);
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
        Leaf leaf;
        leaf.mover = mover::Deinterleave{};
        leaf.run = e;
        leaf.rows = {count, ways * e, e, nullptr, nullptr};
        leaf.cols = {ways, e, row, nullptr, nullptr};
        leaf.loops = 3;
        leaf.loop[0] = {2, tiles * pairs * tile + 8, pairs * ways * row};
        leaf.loop[1] = {tiles, pairs * tile, count * e};
        leaf.loop[2] = {pairs, tile, ways * row};
        check_on_all(leaf);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Kernels, InterleaveInSeveralChunks) {
  for (const Index e : {1, 4}) {
    Leaf leaf;
    leaf.mover = mover::Interleave{};
    leaf.run = e;
    leaf.rows = {3, 9000 * e, e, nullptr, nullptr};
    leaf.cols = {9000, e, 3 * e, nullptr, nullptr};
    check_on_all(leaf);
    std::swap(leaf.rows, leaf.cols);
    std::swap(leaf.rows.src, leaf.rows.dst);
    std::swap(leaf.cols.src, leaf.cols.dst);
    leaf.mover = mover::Deinterleave{};
    check_on_all(leaf);
  }
}

}  // namespace
}  // namespace tessera::moving
