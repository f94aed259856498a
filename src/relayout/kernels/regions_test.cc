// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "laws/kernel_laws.h"

namespace tessera::moving {
namespace {

using testing_kernels::add_loops;
using testing_kernels::check_on_all;
using testing_kernels::grow;
using testing_kernels::pick;
using testing_kernels::Random;

TEST(Kernels, BlockWithTables) {
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const Index e = Index{1} << pick(random, 0, 4);
    const Index rows = pick(random, 1, 100);
    const Index cols = pick(random, 1, 100);
    Sweep sweep;
    sweep.mover = mover::Block{};
    sweep.run = e;
    std::vector<Index> sources;
    std::vector<Index> destinations;
    const Index pitch = cols * e + pick(random, 0, 10);
    const Index out = grow(random, rows * e);
    for (Index r = 0; r < rows; ++r) sources.push_back(r * pitch);
    for (Index c = 0; c < cols; ++c) destinations.push_back(c * out);
    std::shuffle(sources.begin(), sources.end(), random);
    std::shuffle(destinations.begin(), destinations.end(), random);
    sweep.rows = {rows, pitch, e, pick(random, 0, 2) == 0 ? nullptr : sources.data(), nullptr};
    sweep.cols = {cols, e, out, nullptr, pick(random, 0, 2) == 0 ? nullptr : destinations.data()};
    add_loops(random, sweep, pitch * rows, out * cols);
    check_on_all(sweep);
    if (HasFatalFailure()) return;
  }
}

// Columns of whole lines, short or over several bands, some of which the next pass of a loop continues.
TEST(Kernels, BlockWhoseColumnsAreWholeLines) {
  Random random(19);
  for (const Index e : {1, 2, 4, 8, 16}) {
    const Index side = 64 / e;
    for (const Index rows : {side, 3 * side, 512 / e + side}) {
      for (const Index cols : {side, 2 * side + 3, Index{300}}) {
        const Index column = rows * e;
        const Index passes = pick(random, 1, 3);
        const Index pitch = cols * e + pick(random, 0, 1) * 4;
        std::vector<Index> sources;
        std::vector<Index> destinations;
        for (Index r = 0; r < rows; ++r) sources.push_back(r * pitch);
        for (Index c = 0; c < cols; ++c) destinations.push_back(c * passes * column);
        std::shuffle(sources.begin(), sources.end(), random);
        std::shuffle(destinations.begin() + pick(random, 0, 1), destinations.end(), random);
        Sweep sweep;
        sweep.mover = mover::Block{};
        sweep.run = e;
        sweep.rows = {rows, pick(random, 0, 1) == 0 ? pitch : -pitch, e, nullptr, nullptr};
        sweep.cols = {cols, e, passes * column, nullptr, nullptr};
        if (pick(random, 0, 2) != 0) sweep.rows.src_table = sources.data();
        if (pick(random, 0, 2) != 0) sweep.cols.dst_table = destinations.data();
        sweep.loops = 2;
        sweep.loop[0] = {2, pick(random, 0, 1) == 0 ? cols * e : 3 * pitch * rows, passes * column * cols};
        sweep.loop[1] = {passes, pick(random, -1, 1) * pitch * rows, column};
        check_on_all(sweep);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Kernels, BlockWhoseColumnsPartlyFollowEachOther) {
  Random random(9);
  for (const Index rows : {4, 15, 16, 40}) {
    // Three groups of five columns without gaps, the groups in any order.
    std::vector<Index> destinations;
    for (const Index group : {2, 0, 1}) {
      for (Index c = 0; c < 5; ++c) destinations.push_back(group * (5 * rows * 4 + 20) + c * rows * 4);
    }
    Sweep sweep;
    sweep.mover = mover::Block{};
    sweep.run = 4;
    sweep.rows = {rows, 15 * 4, 4, nullptr, nullptr};
    sweep.cols = {15, 4, 0, nullptr, destinations.data()};
    add_loops(random, sweep, rows * 15 * 4, 3 * (5 * rows * 4 + 20));
    check_on_all(sweep);
    if (HasFatalFailure()) return;
  }
}

// More small regions than a buffer holds, contiguous or not in the source, in two stretches of the
// destination.
TEST(Kernels, SmallRegionsThatFollowEachOther) {
  Random random(10);
  for (const Index e : {1, 2, 4, 8}) {
    for (const Index rows : {3, 9, 16, 36}) {
      for (const Index cols : {4, 10, 20}) {
        const Index region = rows * cols * e;
        const Index count = 9000 / region + pick(random, 2, 9);
        const bool along = pick(random, 0, 1) == 0;
        Sweep sweep;
        sweep.mover = mover::Transpose{};
        sweep.run = e;
        sweep.rows = {rows, cols * e, e, nullptr, nullptr};
        sweep.cols = {cols, e, rows * e, nullptr, nullptr};
        sweep.loops = 2;
        sweep.loop[0] = {2, along ? count * region : region, count * region + pick(random, 0, 70)};
        sweep.loop[1] = {count, along ? region : 2 * region, region};
        check_on_all(sweep);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// One visit takes several 900-byte regions, each of which continues the previous one in the source.
TEST(Kernels, RegionsWhoseSourcesAreNextToEachOther) {
  for (const Index near : {2, 5}) {
    for (const Index gap : {0, 24}) {
      std::vector<Index> sources;
      for (Index r = 0; r < 75; ++r) sources.push_back(r % 15 * 60 + r / 15 * near * 900);
      Sweep sweep;
      sweep.mover = mover::Block{};
      sweep.run = 4;
      sweep.rows = {75, 0, 4, sources.data(), nullptr};
      sweep.cols = {15, 4, 300, nullptr, nullptr};
      sweep.loops = 2;
      sweep.loop[0] = {3, 5 * near * 900, 4500};
      sweep.loop[1] = {near, 900, 3 * 4500 + gap};
      check_on_all(sweep);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tessera::moving
