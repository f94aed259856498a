// SPDX-License-Identifier: Apache-2.0
#include "relayout/kernels/scalar.h"

#include <cstring>

#include "relayout/element_sizes.h"

namespace tessera::moving {
namespace {

template <Index kBytes>
struct MoveBytes {
  static void element(const Sweep&, const std::byte* src, std::byte* dst) {
    std::memcpy(dst, src, static_cast<std::size_t>(kBytes));
  }
};

struct MoveRun {
  static void element(const Sweep& sweep, const std::byte* src, std::byte* dst) {
    std::memcpy(dst, src, static_cast<std::size_t>(sweep.run));
  }
};

struct FillRun {
  static void element(const Sweep& sweep, const std::byte*, std::byte* dst) {
    const auto& pattern = std::get_if<mover::Fill>(&sweep.mover)->pattern;
    for (Index i = 0; i < sweep.run; ++i) dst[i] = pattern[static_cast<std::size_t>(i % 16)];
  }
};

Index src_at(const SweepAxis& axis, Index i) { return axis.src_table ? axis.src_table[i] : i * axis.src; }
Index dst_at(const SweepAxis& axis, Index i) { return axis.dst_table ? axis.dst_table[i] : i * axis.dst; }

template <class Op>
void region(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  for (Index r = 0; r < bounds.rows; ++r) {
    const std::byte* row_src = src + src_at(sweep.rows, r);
    std::byte* row_dst = dst + dst_at(sweep.rows, r);
    for (Index c = 0; c < bounds.cols; ++c)
      Op::element(sweep, row_src + src_at(sweep.cols, c), row_dst + dst_at(sweep.cols, c));
  }
}

template <class Op>
void nest(const Sweep& sweep, std::uint32_t level, const std::byte* src, std::byte* dst,
          const SweepBounds& bounds) {
  if (level == sweep.loops) {
    region<Op>(sweep, src, dst, bounds);
    return;
  }
  const Loop& loop = sweep.loop[level];
  const Index count = level == 0 ? bounds.loop : loop.count;
  for (Index i = 0; i < count; ++i)
    nest<Op>(sweep, level + 1, src + i * loop.src, dst + i * loop.dst, bounds);
}

}  // namespace

void scalar_kernel(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  if (sweep.is<mover::Fill>()) return nest<FillRun>(sweep, 0, src, dst, bounds);
  const auto move =
      select_by_size<1, 2, 4, 8, 16>(sweep.run, [](auto size) { return &nest<MoveBytes<size()>>; });
  (move != nullptr ? move : &nest<MoveRun>)(sweep, 0, src, dst, bounds);
}

}  // namespace tessera::moving
