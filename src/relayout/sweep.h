// SPDX-License-Identifier: Apache-2.0
/// \file
/// The unit of work of a plan: a two-dimensional region inside a nest of loops, moved by one kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "relayout/limits.h"
#include "tessera/base/index.h"

namespace tessera::moving {

/// What moves the region of a sweep, and so what its kernel may rely on. Let e = Sweep::run, the number of
/// bytes that move together. Every mover but the fill is a special case of `Table`, which for each row r and
/// column c moves e bytes from src + rows.src(r) + cols.src(c) to dst + rows.dst(r) + cols.dst(c). Entries of
/// one region never share a destination byte.
namespace mover {

/// Any e >= 1; no tables. If cols.dst == e the destination of a row is contiguous.
struct Copy {
  /// So many bytes after each run may be overwritten with anything, so that its last line is written whole.
  Index slack = 0;
};
/// e in 1,2,4,8,16; cols.src == e, rows.dst == e; no tables.
struct Transpose {};
/// rows.count in 2,3,4; rows.dst == e, cols.src == e, cols.dst == rows.count * e.
struct Interleave {
  Index slack = 0;  ///< as in Copy, after each region
};
/// cols.count in 2,3,4; cols.src == e, rows.dst == e, rows.src == cols.count * e.
struct Deinterleave {};
/// Like Transpose, but rows may have a source table, cols a destination table.
struct Block {};
/// cols.dst == e; cols may have a source table; any rows.
struct Gather {};
/// cols.src == e; cols may have a destination table; any rows.
struct Scatter {};
/// No guarantee.
struct Table {};
/// Writes the pattern repeatedly, e bytes each; does not read src.
struct Fill {
  std::array<std::byte, 16> pattern = {};  ///< repeats every 16 bytes, byte 0 at each run's start
};

}  // namespace mover

using Mover = std::variant<mover::Copy, mover::Transpose, mover::Interleave, mover::Deinterleave,
                           mover::Block, mover::Gather, mover::Scatter, mover::Table, mover::Fill>;

/// The slack of the movers that can have some, otherwise null.
template <class AnyMover>
auto* slack_in(AnyMover& any) {
  using Slack = std::conditional_t<std::is_const_v<AnyMover>, const Index, Index>;
  return std::visit(
      [](auto& one) -> Slack* {
        if constexpr (requires { one.slack; }) return &one.slack;
        return nullptr;
      },
      any);
}

/// The rows or columns of a region. Entry i is i * src and i * dst bytes from the region's start, or, with
/// tables, src_table[i] and dst_table[i]. Source strides may be negative or 0; destination strides are >= 0.
struct SweepAxis {
  Index count = 1;
  Index src = 0;
  Index dst = 0;
  const Index* src_table = nullptr;
  const Index* dst_table = nullptr;
};

/// A loop around the region. Strides are in bytes, with signs as in SweepAxis.
struct Loop {
  Index count = 1;
  Index src = 0;
  Index dst = 0;
};

/// The plan's hints to the kernel. Every value gives a correct copy.
struct Policy {
  bool stream = false;        ///< non-temporal stores if a whole line can be written
  bool stage = false;         ///< read whole source lines into a buffer first, because they share cache sets
  bool prefetch = false;      ///< reads are strided, so the hardware does not prefetch them
  bool source_order = false;  ///< walk the region along the source (else along the destination)
  /// Source rows that a transpose reads side by side; rows and columns of a block. 0, as in every plan, lets
  /// the kernel choose. Only tests set them, to split small regions.
  std::int32_t band = 0;
  std::int32_t block_rows = 0;
  std::int32_t block_cols = 0;
};

struct Sweep;

/// How much of a sweep one call executes: this many passes of the outermost loop (1 if there is none), rows
/// and columns, starting at the pointers of the call. An axis with a table is never split.
struct SweepBounds {
  Index loop = 1;
  Index rows = 1;
  Index cols = 1;
};

/// Executes the sweep within the bounds. Reads only the bytes of its elements. Writes only these and slack:
/// it does not even write back the old value of any other byte, which another thread may own. Needs no
/// alignment and does not allocate. After non-temporal stores it ends with a store fence.
using Kernel = void (*)(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds);

/// The rows and columns of a region, and the loops around it, which one kernel goes through.
struct Sweep {
  Mover mover = mover::Table{};
  Policy policy = {};
  Index run = 1;  ///< e
  SweepAxis rows = {};
  SweepAxis cols = {};
  std::uint32_t loops = 0;                            ///< number of `loop` entries
  std::array<Loop, kRelayoutLimits.loops> loop = {};  ///< outermost first
  Kernel kernel = nullptr;                            ///< resolved when the plan is made

  /// Whether one of these moves the region.
  template <class... Movers>
  bool is() const {
    return (std::holds_alternative<Movers>(mover) || ...);
  }
  /// Bytes that may be overwritten after each contiguous stretch.
  Index slack() const {
    const Index* bytes = slack_in(mover);
    return bytes != nullptr ? *bytes : 0;
  }
};

/// The length of the contiguous destination stretch before the slack.
inline Index stretch_of(const Sweep& sweep) {
  return sweep.is<mover::Interleave>() ? sweep.rows.count * sweep.cols.count * sweep.run : sweep.run;
}

/// The slack that one call may overwrite: none if the call ends inside a stretch.
inline Index slack_of(const Sweep& sweep, const SweepBounds& bounds) {
  return sweep.is<mover::Interleave>() && bounds.cols < sweep.cols.count ? 0 : sweep.slack();
}

}  // namespace tessera::moving
