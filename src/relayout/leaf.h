// SPDX-License-Identifier: Apache-2.0
/// \file
/// The unit of work of a plan: a two-dimensional region inside a nest of loops, moved by one kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tessera/base/index.h"

namespace tessera::moving {

/// What a kernel may rely on. e = Leaf::run, the bytes that move together. Every kind is a special case of
/// `table`: for each row r, column c: move e bytes from src + rows.src(r) + cols.src(c) to dst + rows.dst(r)
/// + cols.dst(c). Entries of one region never share a destination byte.
enum class Kind : std::uint8_t {
  copy,          ///< any e >= 1; no tables. If cols.dst == e the destination of a row is contiguous
  transpose,     ///< e in 1,2,4,8,16; cols.src == e, rows.dst == e; no tables
  interleave,    ///< rows.count in 2,3,4; rows.dst == e, cols.src == e, cols.dst == rows.count * e
  deinterleave,  ///< cols.count in 2,3,4; cols.src == e, rows.dst == e, rows.src == cols.count * e
  block,         ///< as transpose; rows may have a source table and cols a destination table
  gather,        ///< cols.dst == e; cols may have a source table; any rows
  scatter,       ///< cols.src == e; cols may have a destination table; any rows
  table,         ///< no guarantee
  fill,          ///< writes the pattern of Leaf::pattern, repeated; run bytes each; src is not read
};

/// Entry i is i * src and i * dst bytes from the region's start, or src_table[i] and dst_table[i] if there is
/// a table. Source strides may be negative or 0; destination strides are >= 0.
struct Axis {
  Index count = 1;
  Index src = 0;
  Index dst = 0;
  const Index* src_table = nullptr;
  const Index* dst_table = nullptr;
};

/// A loop around the region; strides in bytes, signs as in Axis.
struct Loop {
  Index count = 1;
  Index src = 0;
  Index dst = 0;
};

inline constexpr std::size_t kMaxLoops = 12;

/// Decisions of the plan for the kernel; only hints, any value is correct.
struct Policy {
  bool stream = false;        ///< non-temporal stores if a whole line can be written
  bool stage = false;         ///< power-of-two source strides: read whole source lines into a buffer first
  bool prefetch = false;      ///< strided reads that the hardware does not prefetch
  bool source_order = false;  ///< walk the region along the source (else along the destination)
  /// Rows of source that a transpose reads side by side, rows and columns of a block; 0 lets the kernel
  /// choose, and every plan does. Tests set them, so that small regions are split too.
  std::int32_t band = 0;
  std::int32_t block_rows = 0;
  std::int32_t block_cols = 0;
};

struct Leaf;

/// How much of a leaf one call executes: counts of the outermost loop (1 if there is none), of the rows and
/// of the columns; the pointers point to the first of them. An axis with a table is never split.
struct Bounds {
  Index loop = 1;
  Index rows = 1;
  Index cols = 1;
};

/// Executes the leaf: all loops, edges and bands included. Reads no byte outside the elements of the region,
/// writes no byte outside it except slack (not even its old value: another thread may own it), needs no
/// alignment, does not allocate. After non-temporal stores it ends with a store fence.
using Kernel = void (*)(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds);

struct Leaf {
  Kind kind = Kind::table;
  Policy policy = {};
  Index run = 1;  ///< e
  Axis rows = {};
  Axis cols = {};
  std::uint32_t loops = 0;                 ///< number of `loop` entries
  std::array<Loop, kMaxLoops> loop = {};   ///< outermost first
  std::array<std::byte, 16> pattern = {};  ///< fill: repeats every 16 bytes, byte 0 at each run's start
  /// Bytes that may be overwritten with anything, so that a last line can be written whole. copy: after each
  /// run; interleave: after each region.
  Index slack = 0;
  Kernel kernel = nullptr;  ///< resolved when the plan is made
};

/// Contiguous bytes of the destination that slack follows.
inline Index stretch_of(const Leaf& leaf) {
  return leaf.kind == Kind::interleave ? leaf.rows.count * leaf.cols.count * leaf.run : leaf.run;
}

/// Slack that one call may use: none if it ends inside a stretch.
inline Index slack_of(const Leaf& leaf, const Bounds& bounds) {
  return leaf.kind == Kind::interleave && bounds.cols < leaf.cols.count ? 0 : leaf.slack;
}

}  // namespace tessera::moving
