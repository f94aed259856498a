// SPDX-License-Identifier: Apache-2.0
#include "laws/kernel_laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "laws/guarded_memory.h"
#include "relayout/caches.h"
#include "relayout/kernels/scalar.h"
#include "tessera/relayout/plan.h"

namespace tessera::testing_kernels {
namespace {

using moving::Loop;
using moving::Sweep;
using moving::SweepAxis;
using moving::SweepBounds;
namespace mover = moving::mover;
using testing_support::GuardedMemory;

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

std::pair<Range, Range> ranges(const Sweep& sweep) {
  Range src{0, sweep.run};
  Range dst{0, sweep.run};
  for (const SweepAxis& axis : {sweep.rows, sweep.cols}) {
    src.widen(axis.count, axis.src, axis.src_table);
    dst.widen(axis.count, axis.dst, axis.dst_table);
  }
  dst.high += sweep.slack();
  for (std::size_t i = 0; i < sweep.loops; ++i) {
    src.widen(sweep.loop[i].count, sweep.loop[i].src, nullptr);
    dst.widen(sweep.loop[i].count, sweep.loop[i].dst, nullptr);
  }
  return {src, dst};
}

std::string text(const Sweep& sweep) {
  std::string out = "kind " + std::to_string(sweep.mover.index()) + " run " + std::to_string(sweep.run);
  const auto add = [&](const char* name, Index count, Index src, Index dst) {
    out += std::string(" ") + name + " " + std::to_string(count) + ":" + std::to_string(src) + ":" +
           std::to_string(dst);
  };
  for (std::size_t i = 0; i < sweep.loops; ++i)
    add("loop", sweep.loop[i].count, sweep.loop[i].src, sweep.loop[i].dst);
  add("rows", sweep.rows.count, sweep.rows.src, sweep.rows.dst);
  add("cols", sweep.cols.count, sweep.cols.src, sweep.cols.dst);
  return out + (sweep.policy.stream ? " stream" : "") + (sweep.policy.stage ? " stage" : "");
}

// Slack may contain any bytes.
void expect_slack(Sweep sweep, const std::byte* dst, std::byte* expected) {
  if (sweep.slack() == 0) return;
  const Index stretch = moving::stretch_of(sweep);
  if (sweep.is<mover::Interleave>()) sweep.rows = sweep.cols = {};
  ASSERT_LE(sweep.loops, 1U);
  for (Index i = 0; i < (sweep.loops == 1 ? sweep.loop[0].count : 1); ++i) {
    for (Index r = 0; r < sweep.rows.count; ++r) {
      for (Index c = 0; c < sweep.cols.count; ++c) {
        const Index at = i * sweep.loop[0].dst + r * sweep.rows.dst + c * sweep.cols.dst + stretch;
        std::memcpy(expected + at, dst + at, static_cast<std::size_t>(sweep.slack()));
      }
    }
  }
}

// Checks that a kernel and the scalar kernel write the same bytes, at any alignment of the two buffers.
void check_same_as_scalar(const Sweep& sweep, Isa isa) {
  const auto [src, dst] = ranges(sweep);
  const auto src_size = static_cast<std::size_t>(src.high - src.low);
  const auto dst_size = static_cast<std::size_t>(dst.high - dst.low);
  GuardedMemory from(src_size);
  // A margin around the destination reveals stray stores. Guard pages catch stores further away.
  constexpr std::size_t kAround = 256;
  GuardedMemory to(dst_size + kAround + 64);
  const SweepBounds bounds{sweep.loops > 0 ? sweep.loop[0].count : 1, sweep.rows.count, sweep.cols.count};
  for (const bool back : {false, true}) {
    std::byte* in = from.place(src_size, back, 0);
    for (std::size_t i = 0; i < src_size; ++i)
      in[i] = static_cast<std::byte>((i * 181 + (i >> 8) * 7 + 3) & 0xff);
    for (const std::size_t shift :
         {std::size_t{0}, static_cast<std::size_t>(sweep.run % 64), std::size_t{33}}) {
      std::byte* out = to.place(dst_size, back, back ? 0 : shift);
      std::byte* area = out - (back ? kAround : shift);
      const std::size_t area_size = dst_size + kAround;
      std::vector<std::byte> expected(area_size, std::byte{0xa5});
      std::memset(area, 0xa5, area_size);
      moving::scalar_kernel(sweep, in - src.low, expected.data() + (out - area) - dst.low, bounds);
      moving::kernel_for(sweep, isa)(sweep, in - src.low, out - dst.low, bounds);
      expect_slack(sweep, out - dst.low, expected.data() + (out - area) - dst.low);
      const auto differs = std::mismatch(expected.begin(), expected.end(), area).first - expected.begin();
      ASSERT_EQ(differs, static_cast<std::ptrdiff_t>(area_size))
          << text(sweep) << " isa " << to_string(isa) << " shift " << shift << (back ? " back" : " front");
      if (back) break;
    }
  }
}

// How streamed transpositions read depends on L1 and on whether loads and stores share fill buffers. Checks
// this machine and the other kinds.
void check_on_every_machine(const Sweep& sweep, Isa isa) {
  check_same_as_scalar(sweep, isa);
  if (!sweep.policy.stream || !sweep.is<mover::Transpose, mover::Block>()) return;
  const moving::Caches own = moving::caches();
  moving::Caches direct = own;
  direct.shares_fill_buffers = true;
  moving::Caches large = own;
  large.shares_fill_buffers = false;
  large.l1 = std::max(own.l1, Index{48} << 10);
  moving::Caches small = large;
  small.l1 = std::min(own.l1, Index{32} << 10);
  for (const moving::Caches& other : {direct, large, small}) {
    if (other.shares_fill_buffers == own.shares_fill_buffers && other.l1 == own.l1) continue;
    moving::set_caches(other);
    check_same_as_scalar(sweep, isa);
  }
  moving::set_caches(own);
}

}  // namespace

Index pick(Random& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
}

void check_on_all(Sweep sweep) {
  for (const bool stream : {false, true}) {
    for (const bool stage : {false, true}) {
      if (stage && (!stream || !sweep.is<mover::Transpose, mover::Block>())) continue;
      sweep.policy.stream = stream;
      sweep.policy.stage = stage;
      for (const Isa isa : available_isas()) check_on_every_machine(sweep, isa);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

Index grow(Random& random, Index bytes) {
  const Index way = pick(random, 0, 2);
  if (way == 0) return bytes;
  if (way == 1) return (bytes + 63) / 64 * 64;
  return bytes + pick(random, 0, 70);
}

void add_loops(Random& random, Sweep& sweep, Index region_bytes, Index dst_bytes) {
  const Index loops = pick(random, 0, 2);
  Index dst = grow(random, dst_bytes);
  for (Index i = 0; i < loops; ++i) {
    Loop loop;
    loop.count = pick(random, 1, 3);
    loop.src = pick(random, -1, 1) * (region_bytes + pick(random, 0, 9));
    loop.dst = dst;
    dst = grow(random, dst * loop.count);
    sweep.loop[sweep.loops++] = loop;
  }
  std::reverse(sweep.loop.begin(), sweep.loop.begin() + sweep.loops);
}

}  // namespace tessera::testing_kernels
