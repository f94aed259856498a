// SPDX-License-Identifier: Apache-2.0
// Every kernel of every instruction set of this machine does what its scalar twin does, reads nothing else
// and writes nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "relayout/kernels/kernel.h"

namespace tessera::moving {
namespace {

using Random = std::mt19937_64;

Index pick(Random& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
}

// Bytes between two pages that nobody may touch; what is asked for ends at the second or begins at the first.
class GuardedBytes {
 public:
  explicit GuardedBytes(Index size)
      : page_(sysconf(_SC_PAGESIZE)), size_((size + page_ - 1) / page_ * page_) {
    void* all = mmap(nullptr, static_cast<std::size_t>(size_ + 2 * page_), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(all, MAP_FAILED);
    base_ = static_cast<std::byte*>(all) + page_;
    mprotect(base_ - page_, static_cast<std::size_t>(page_), PROT_NONE);
    mprotect(base_ + size_, static_cast<std::size_t>(page_), PROT_NONE);
  }
  ~GuardedBytes() { munmap(base_ - page_, static_cast<std::size_t>(size_ + 2 * page_)); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  std::byte* at_front() { return base_; }
  std::byte* at_back(Index size) { return base_ + size_ - size; }

 private:
  Index page_;
  Index size_;
  std::byte* base_;
};

struct Range {
  Index low = 0;
  Index high = 0;  // exclusive

  void widen(Index count, Index stride, const Index* table) {
    if (table != nullptr) {
      low += *std::min_element(table, table + count);
      high += *std::max_element(table, table + count);
    } else {
      low += std::min<Index>(0, (count - 1) * stride);
      high += std::max<Index>(0, (count - 1) * stride);
    }
  }
};

std::pair<Range, Range> ranges(const Leaf& leaf) {
  Range src{0, leaf.run};
  Range dst{0, leaf.run};
  for (const Axis& axis : {leaf.rows, leaf.cols}) {
    src.widen(axis.count, axis.src, axis.src_table);
    dst.widen(axis.count, axis.dst, axis.dst_table);
  }
  dst.high += leaf.slack;
  for (std::size_t i = 0; i < leaf.loops; ++i) {
    src.widen(leaf.loop[i].count, leaf.loop[i].src, nullptr);
    dst.widen(leaf.loop[i].count, leaf.loop[i].dst, nullptr);
  }
  return {src, dst};
}

std::string text(const Leaf& leaf) {
  std::string out =
      "kind " + std::to_string(static_cast<int>(leaf.kind)) + " run " + std::to_string(leaf.run);
  const auto add = [&](const char* name, Index count, Index src, Index dst) {
    out += std::string(" ") + name + " " + std::to_string(count) + ":" + std::to_string(src) + ":" +
           std::to_string(dst);
  };
  for (std::size_t i = 0; i < leaf.loops; ++i)
    add("loop", leaf.loop[i].count, leaf.loop[i].src, leaf.loop[i].dst);
  add("rows", leaf.rows.count, leaf.rows.src, leaf.rows.dst);
  add("cols", leaf.cols.count, leaf.cols.src, leaf.cols.dst);
  return out + (leaf.policy.stream ? " stream" : "") + (leaf.policy.stage ? " stage" : "");
}

// Slack may hold anything: what is there is expected.
void expect_slack(Leaf leaf, const std::byte* dst, std::byte* expected) {
  if (leaf.slack == 0) return;
  const Index stretch = stretch_of(leaf);
  if (leaf.kind == Kind::interleave) leaf.rows = leaf.cols = {};
  ASSERT_LE(leaf.loops, 1U);
  for (Index i = 0; i < (leaf.loops == 1 ? leaf.loop[0].count : 1); ++i) {
    for (Index r = 0; r < leaf.rows.count; ++r) {
      for (Index c = 0; c < leaf.cols.count; ++c) {
        const Index at = i * leaf.loop[0].dst + r * leaf.rows.dst + c * leaf.cols.dst + stretch;
        std::memcpy(expected + at, dst + at, static_cast<std::size_t>(leaf.slack));
      }
    }
  }
}

// The law: a kernel and the scalar twin leave the same bytes behind, whatever the two buffers lie next to.
void check_same_as_scalar(const Leaf& leaf, Isa isa) {
  const auto [src, dst] = ranges(leaf);
  GuardedBytes from(src.high - src.low);
  // Room around the destination: a store that strays is seen there, one that strays far hits the guard.
  const Index around = 256;
  const Index dst_size = dst.high - dst.low;
  GuardedBytes to(dst_size + around + 64);
  const Bounds bounds{leaf.loops > 0 ? leaf.loop[0].count : 1, leaf.rows.count, leaf.cols.count};
  for (const bool back : {false, true}) {
    std::byte* in = back ? from.at_back(src.high - src.low) : from.at_front();
    for (Index i = 0; i < src.high - src.low; ++i)
      in[i] = static_cast<std::byte>((i * 181 + (i >> 8) * 7 + 3) & 0xff);
    for (const Index shift : {Index{0}, leaf.run % 64, Index{33}}) {
      std::byte* out = back ? to.at_back(dst_size) : to.at_front() + shift;
      std::byte* area = back ? out - around : to.at_front();
      const auto area_size = static_cast<std::size_t>(dst_size + around);
      std::vector<std::byte> expected(area_size, std::byte{0xa5});
      std::memset(area, 0xa5, area_size);
      scalar_kernel(leaf, in - src.low, expected.data() + (out - area) - dst.low, bounds);
      kernel_for(leaf, isa)(leaf, in - src.low, out - dst.low, bounds);
      expect_slack(leaf, out - dst.low, expected.data() + (out - area) - dst.low);
      const auto differs = std::mismatch(expected.begin(), expected.end(), area).first - expected.begin();
      ASSERT_EQ(differs, static_cast<std::ptrdiff_t>(area_size))
          << text(leaf) << " isa " << to_string(isa) << " shift " << shift << (back ? " back" : " front");
      if (back) break;
    }
  }
}

void check_on_all(Leaf leaf) {
  for (const bool stream : {false, true}) {
    for (const bool stage : {false, true}) {
      if (stage && (!stream || leaf.kind != Kind::transpose)) continue;
      leaf.policy.stream = stream;
      leaf.policy.stage = stage;
      for (const Isa isa : available_isas()) {
        check_same_as_scalar(leaf, isa);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// The next stride of a destination: nothing overlaps, sometimes lines are whole and sometimes there is a gap.
Index grow(Random& random, Index bytes) {
  const Index way = pick(random, 0, 2);
  if (way == 0) return bytes;
  if (way == 1) return (bytes + 63) / 64 * 64;
  return bytes + pick(random, 0, 70);
}

// Loops around a region, some of them between its rows and its columns.
void add_loops(Random& random, Leaf& leaf, Index region_bytes, Index dst_bytes) {
  const Index loops = pick(random, 0, 2);
  Index dst = grow(random, dst_bytes);
  for (Index i = 0; i < loops; ++i) {
    Loop loop;
    loop.count = pick(random, 1, 3);
    loop.src = pick(random, -1, 1) * (region_bytes + pick(random, 0, 9));
    loop.dst = dst;
    dst = grow(random, dst * loop.count);
    leaf.loop[leaf.loops++] = loop;
  }
  std::reverse(leaf.loop.begin(), leaf.loop.begin() + leaf.loops);
}

Leaf random_transpose(Random& random, Index e, Index rows, Index cols) {
  Leaf leaf;
  leaf.kind = Kind::transpose;
  leaf.run = e;
  const Index pitch = cols * e + pick(random, 0, 1) * pick(random, 0, 80);
  leaf.rows = {rows, pick(random, 0, 4) == 0 ? -pitch : pitch, e, nullptr, nullptr};
  leaf.cols = {cols, e, grow(random, rows * e), nullptr, nullptr};
  if (pick(random, 0, 3) == 0) leaf.policy.band = static_cast<std::int32_t>(pick(random, 1, 40));
  if (pick(random, 0, 1) == 0) {
    leaf.policy.block_rows = static_cast<std::int32_t>(pick(random, 1, rows));
    leaf.policy.block_cols = static_cast<std::int32_t>(pick(random, 1, cols));
  }
  add_loops(random, leaf, pitch * rows, leaf.cols.dst * cols);
  return leaf;
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

TEST(Kernels, TransposeInSeveralBlocks) {
  Random random(2);
  check_on_all(random_transpose(random, 4, 300, 270));
  check_on_all(random_transpose(random, 1, 1100, 300));
  check_on_all(random_transpose(random, 2, 640, 130));
  check_on_all(random_transpose(random, 8, 150, 140));
}

// Bands of several squares, the last one lower, whose lines are whole: strips in a buffer are higher than a
// square, and those of the last band are not as high as those of the one before.
TEST(Kernels, TransposeInStripsOfSeveralSquares) {
  Random random(15);
  for (const Index e : {1, 2, 4, 8, 16}) {
    const Index side = 64 / e;
    for (const Index rows : {256 + side, 512 / e + side, 4 * side}) {
      for (const Index cols : {side, 2 * side + 1, 9 * side + side / 2}) {
        Leaf leaf;
        leaf.kind = Kind::transpose;
        leaf.run = e;
        const Index pitch = cols * e + pick(random, 0, 1) * pick(random, 0, 80);
        leaf.rows = {rows, pick(random, 0, 4) == 0 ? -pitch : pitch, e, nullptr, nullptr};
        leaf.cols = {cols, e, (rows * e + 63) / 64 * 64, nullptr, nullptr};
        leaf.loops = 1;
        leaf.loop[0] = {2, pick(random, 0, 1) == 0 ? cols * e : pitch * rows, leaf.cols.dst * cols};
        leaf.policy.band = static_cast<std::int32_t>(pick(random, 0, 1) * 2 * side);
        check_on_all(leaf);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Copies whose rows follow each other in the source and whose columns do in the destination, with elements
// that no vector has.
TEST(Kernels, TransposeElementsOfOddLengths) {
  Random random(13);
  for (const Index e : {3, 5, 6, 7, 9, 12, 13, 15}) {
    for (const Index rows : {1, 3, 4, 5, 64, 67, 130}) {
      for (const Index cols : {1, 2, 5, 6, 33, 66}) {
        Leaf leaf = random_transpose(random, e, rows, cols);
        leaf.kind = Kind::copy;
        std::swap(leaf.rows, leaf.cols);
        check_on_all(leaf);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Columns of several bands whose lines are put together out of two squares each.
TEST(Kernels, TransposeToLongColumnsThatBeginAnywhere) {
  Random random(12);
  for (const Index e : {1, 2, 4, 8, 16}) {
    const Index side = 64 / e;
    for (const Index rows : {2048 / e, 2048 / e + 1, 3 * side + 2048 / e - 1, Index{1100}}) {
      for (const Index cols : {side, side + 1, 2 * side + 3}) {
        Leaf leaf;
        leaf.kind = Kind::transpose;
        leaf.run = e;
        const Index pitch = cols * e + pick(random, 0, 1) * pick(random, 0, 80);
        leaf.rows = {rows, pick(random, 0, 4) == 0 ? -pitch : pitch, e, nullptr, nullptr};
        leaf.cols = {cols, e, rows * e + e * pick(random, 0, 5), nullptr, nullptr};
        leaf.loops = 1;
        leaf.loop[0] = {2, pitch * rows, leaf.cols.dst * cols + pick(random, 0, 1) * e};
        check_on_all(leaf);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Kernels, BlockWithTables) {
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const Index e = Index{1} << pick(random, 0, 4);
    const Index rows = pick(random, 1, 100);
    const Index cols = pick(random, 1, 100);
    Leaf leaf;
    leaf.kind = Kind::block;
    leaf.run = e;
    std::vector<Index> sources;
    std::vector<Index> destinations;
    const Index pitch = cols * e + pick(random, 0, 10);
    const Index out = grow(random, rows * e);
    for (Index r = 0; r < rows; ++r) sources.push_back(r * pitch);
    for (Index c = 0; c < cols; ++c) destinations.push_back(c * out);
    std::shuffle(sources.begin(), sources.end(), random);
    std::shuffle(destinations.begin(), destinations.end(), random);
    leaf.rows = {rows, pitch, e, pick(random, 0, 2) == 0 ? nullptr : sources.data(), nullptr};
    leaf.cols = {cols, e, out, nullptr, pick(random, 0, 2) == 0 ? nullptr : destinations.data()};
    add_loops(random, leaf, pitch * rows, out * cols);
    check_on_all(leaf);
    if (HasFatalFailure()) return;
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
    Leaf leaf;
    leaf.kind = Kind::block;
    leaf.run = 4;
    leaf.rows = {rows, 15 * 4, 4, nullptr, nullptr};
    leaf.cols = {15, 4, 0, nullptr, destinations.data()};
    add_loops(random, leaf, rows * 15 * 4, 3 * (5 * rows * 4 + 20));
    check_on_all(leaf);
    if (HasFatalFailure()) return;
  }
}

// More regions than a buffer holds, along the source and across it, in two stretches of the destination.
TEST(Kernels, SmallRegionsThatFollowEachOther) {
  Random random(10);
  for (const Index e : {1, 2, 4, 8}) {
    for (const Index rows : {3, 9, 16, 36}) {
      for (const Index cols : {4, 10, 20}) {
        const Index region = rows * cols * e;
        const Index count = 9000 / region + pick(random, 2, 9);
        const bool along = pick(random, 0, 1) == 0;
        Leaf leaf;
        leaf.kind = Kind::transpose;
        leaf.run = e;
        leaf.rows = {rows, cols * e, e, nullptr, nullptr};
        leaf.cols = {cols, e, rows * e, nullptr, nullptr};
        leaf.loops = 2;
        leaf.loop[0] = {2, along ? count * region : region, count * region + pick(random, 0, 70)};
        leaf.loop[1] = {count, along ? region : 2 * region, region};
        check_on_all(leaf);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// A visit of 900-byte stretches takes several regions; each goes on where the one before it ended.
TEST(Kernels, RegionsWhoseSourcesAreNextToEachOther) {
  for (const Index near : {2, 5}) {
    for (const Index gap : {0, 24}) {
      std::vector<Index> sources;
      for (Index r = 0; r < 75; ++r) sources.push_back(r % 15 * 60 + r / 15 * near * 900);
      Leaf leaf;
      leaf.kind = Kind::block;
      leaf.run = 4;
      leaf.rows = {75, 0, 4, sources.data(), nullptr};
      leaf.cols = {15, 4, 300, nullptr, nullptr};
      leaf.loops = 2;
      leaf.loop[0] = {3, 5 * near * 900, 4500};
      leaf.loop[1] = {near, 900, 3 * 4500 + gap};
      check_on_all(leaf);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Kernels, InterleaveAndBack) {
  Random random(4);
  for (const Index e : {1, 2, 4, 8, 16}) {
    for (const Index ways : {2, 3, 4}) {
      for (const Index count : {1, 2, 7, 16, 31, 64, 65, 127, 128, 1000}) {
        Leaf leaf;
        leaf.kind = Kind::interleave;
        leaf.run = e;
        const Index pitch = count * e + pick(random, 0, 9);
        leaf.rows = {ways, pitch, e, nullptr, nullptr};
        leaf.cols = {count, e, ways * e, nullptr, nullptr};
        add_loops(random, leaf, pitch * ways, ways * e * count);
        check_on_all(leaf);
        if (HasFatalFailure()) return;
        leaf = {};
        leaf.kind = Kind::deinterleave;
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

// Without a buffer where all lines are whole.
TEST(Kernels, InterleavePairsOfWholeLines) {
  for (const Index e : {1, 2, 4, 8}) {
    for (const Index count : {64, 128, 320}) {
      Leaf leaf;
      leaf.kind = Kind::interleave;
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

// What lies behind a stretch may be overwritten up to the end of its line, and nothing else.
TEST(Kernels, WritesWholeLinesIntoSlack) {
  for (const Index run : {1, 40, 64, 65, 127, 132, 200, 1000}) {
    Leaf leaf;
    leaf.kind = Kind::copy;
    leaf.run = run;
    leaf.slack = (64 - run % 64) % 64;
    leaf.rows = {5, 8 * run + 3, 8 * 1024, nullptr, nullptr};
    leaf.cols = {8, run, 1024, nullptr, nullptr};
    check_on_all(leaf);
    if (HasFatalFailure()) return;
  }
  for (const Index e : {1, 2, 4, 8}) {
    for (const Index ways : {2, 3, 4}) {
      for (const Index count : {1, 5, 33, 64, 127, 700}) {
        Leaf leaf;
        leaf.kind = Kind::interleave;
        leaf.run = e;
        leaf.slack = (64 - count * ways * e % 64) % 64;
        leaf.rows = {ways, count * e + 3, e, nullptr, nullptr};
        leaf.cols = {count, e, ways * e, nullptr, nullptr};
        leaf.loops = 1;
        leaf.loop[0] = {3, ways * count * e + 9, ways * count * e + leaf.slack + 128};
        check_on_all(leaf);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Rows of tiles: each column goes on with the next tile, and the pairs above each other take turns.
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
        leaf.kind = Kind::deinterleave;
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
    leaf.kind = Kind::interleave;
    leaf.run = e;
    leaf.rows = {3, 9000 * e, e, nullptr, nullptr};
    leaf.cols = {9000, e, 3 * e, nullptr, nullptr};
    check_on_all(leaf);
    std::swap(leaf.rows, leaf.cols);
    std::swap(leaf.rows.src, leaf.rows.dst);
    std::swap(leaf.cols.src, leaf.cols.dst);
    leaf.kind = Kind::deinterleave;
    check_on_all(leaf);
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
      Leaf leaf;
      leaf.kind = Kind::copy;
      leaf.run = run;
      const Index rows = pick(random, 1, 5);
      const Index cols = run > 2000 ? pick(random, 1, 3) : pick(random, 1, 40);
      const bool rows_inside = pick(random, 0, 1) == 0;
      const Index near = run + pick(random, 0, 1) * pick(random, 0, 20);
      leaf.cols.count = cols;
      leaf.rows.count = rows;
      leaf.cols.dst = side_by_side ? run : grow(random, run);
      leaf.rows.dst = grow(random, leaf.cols.dst * cols);
      leaf.cols.src = rows_inside ? near * rows : near;
      leaf.rows.src = rows_inside ? near : near * cols;
      if (pick(random, 0, 5) == 0) leaf.cols.src = -leaf.cols.src;
      add_loops(random, leaf, near * rows * cols, leaf.rows.dst * rows);
      check_on_all(leaf);
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
    Leaf leaf;
    leaf.run = e;
    leaf.rows = {rows, cols * e * 2, grow(random, cols * e), nullptr, nullptr};
    leaf.cols = {cols, e, e, nullptr, nullptr};
    const Index kind = pick(random, 0, 2);
    leaf.kind = kind == 0 ? Kind::gather : kind == 1 ? Kind::scatter : Kind::table;
    if (kind != 1) leaf.cols.src_table = sources.data();
    if (kind != 0) leaf.cols.dst_table = destinations.data();
    if (kind == 0 && pick(random, 0, 1) == 0) {
      leaf.cols.src_table = nullptr;
      leaf.cols.src = pick(random, -2, 2) * e;
    }
    add_loops(random, leaf, cols * e * 2 * rows, leaf.rows.dst * rows);
    check_on_all(leaf);
    if (HasFatalFailure()) return;
  }
}

TEST(Kernels, RunsBackwards) {
  Random random(14);
  for (const Index e : {1, 2, 4, 8, 16}) {
    for (const Index cols : {Index{1}, 16 / e, 16 / e + 1, 64 / e + 3, 4096 / e, 9000 / e}) {
      Leaf leaf;
      leaf.kind = Kind::gather;
      leaf.run = e;
      const Index rows = pick(random, 1, 4);
      const Index pitch = cols * e + pick(random, 0, 70);
      const Index out = grow(random, cols * e);
      leaf.rows = {rows, pick(random, 0, 1) == 0 ? pitch : -pitch, out, nullptr, nullptr};
      leaf.cols = {cols, -e, e, nullptr, nullptr};
      add_loops(random, leaf, pitch * rows, out * rows);
      check_on_all(leaf);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Kernels, FillRepeatsThePatternFromEachRun) {
  Random random(7);
  for (const Index run : {1, 3, 12, 15, 16, 17, 48, 63, 64, 65, 100, 128, 512, 700, 5000}) {
    Leaf leaf;
    leaf.kind = Kind::fill;
    leaf.run = run;
    for (std::size_t i = 0; i < 16; ++i) leaf.pattern[i] = static_cast<std::byte>(i + 1);
    leaf.cols.count = pick(random, 1, 3);
    leaf.cols.dst = grow(random, run);
    leaf.rows.count = pick(random, 1, 3);
    leaf.rows.dst = grow(random, leaf.cols.dst * leaf.cols.count);
    add_loops(random, leaf, 0, leaf.rows.dst * leaf.rows.count);
    for (std::size_t i = 0; i < leaf.loops; ++i) leaf.loop[i].src = 0;
    check_on_all(leaf);
    if (HasFatalFailure()) return;
  }
}

TEST(Kernels, BoundsCutRowsColumnsAndTheOutermostLoop) {
  Random random(8);
  Leaf leaf;
  leaf.kind = Kind::transpose;
  leaf.run = 4;
  leaf.rows = {70, 100 * 4, 4, nullptr, nullptr};
  leaf.cols = {100, 4, 70 * 4, nullptr, nullptr};
  leaf.loops = 1;
  leaf.loop[0] = {3, 28000, 28000};
  for (const bool stream : {false, true}) {
    leaf.policy.stream = stream;
    for (const Isa isa : available_isas()) {
      std::vector<std::byte> src(84000);
      for (auto& b : src) b = static_cast<std::byte>(random() & 0xff);
      std::vector<std::byte> expected(84000, std::byte{1});
      std::vector<std::byte> dst(84000, std::byte{1});
      const Bounds bounds{2, 41, 53};
      scalar_kernel(leaf, src.data(), expected.data(), bounds);
      kernel_for(leaf, isa)(leaf, src.data(), dst.data(), bounds);
      EXPECT_EQ(dst, expected) << to_string(isa);
    }
  }
}

}  // namespace
}  // namespace tessera::moving
