// SPDX-License-Identifier: Apache-2.0
// Transposition: rows of the source become columns of the destination.
//
// A tile is cut into 16-byte pieces. A vector holds the same piece of rows r, r + K, r + 2K, r + 3K, where K
// = 16 / E elements make a piece; log2(K) rounds of interleaving within pieces turn K such vectors into K
// runs of the destination, each as long as a vector. No shuffle crosses a piece, so the scheme is one for all
// widths.
#if defined(TESSERA_RELAYOUT_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_TRANSPOSE_INL_H
#undef TESSERA_RELAYOUT_TRANSPOSE_INL_H
#else
#define TESSERA_RELAYOUT_TRANSPOSE_INL_H
#endif

#include "relayout/kernels/regions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::relayout {
namespace HWY_NAMESPACE {

// Each round moves one bit of the row number into the place within the vector and one bit of the place out.
template <int E, int L>
HWY_INLINE void transpose_pieces(Vector<L>* HWY_RESTRICT v) {
  constexpr int K = 16 / E;
  if constexpr (K > 1) {
    HWY_UNROLL(4)
    for (int round = 1; round < K; round *= 2) {
      Vector<L> w[K];
      HWY_UNROLL(8)
      for (int i = 0; i < K / 2; ++i) {
        w[2 * i] = interleave_lower<E, L>(v[i], v[i + K / 2]);
        w[2 * i + 1] = interleave_upper<E, L>(v[i], v[i + K / 2]);
      }
      HWY_UNROLL(16)
      for (int i = 0; i < K; ++i) v[i] = w[i];
    }
  }
}

// Vector k: the piece `at` bytes into rows k, k + K, ... of each lane.
template <int E, int L, class Rows>
HWY_INLINE void gather_rows(const Rows& rows, Size at, Vector<L>* HWY_RESTRICT v) {
  constexpr Size K = 16 / E;
  HWY_UNROLL(16)
  for (Size k = 0; k < K; ++k) {
    if constexpr (L == 1) {
      v[k] = gather_pieces(rows.at(k) + at);
    } else if constexpr (L == 2) {
      v[k] = gather_pieces(rows.at(k) + at, rows.at(k + K) + at);
    } else {
      v[k] = gather_pieces(rows.at(k) + at, rows.at(k + K) + at, rows.at(k + 2 * K) + at,
                           rows.at(k + 3 * K) + at);
    }
  }
}

// K columns of K * L rows; `at` bytes into each row, to `to` bytes into each column.
template <int E, int L, class Rows, class Cols>
HWY_INLINE void transpose_tile(const Rows& rows, Size at, const Cols& cols, Size to) {
  constexpr Size K = 16 / E;
  Vector<L> v[K];
  gather_rows<E, L>(rows, at, v);
  transpose_pieces<E, L>(v);
  HWY_UNROLL(16)
  for (Size k = 0; k < K; ++k) store<L>(v[k], cols.at(k) + to);
}

// Columns [first, last) of K * L rows: whole tiles, and the last one moved back so that it ends with the
// region.
template <int E, int L, class Rows, class Cols>
HWY_INLINE void transpose_strip(const Rows& rows, Size row, const Cols& cols, Size first, Size last) {
  constexpr Size K = 16 / E;
  const Rows here = rows.from(row);
  Size c = first;
  for (; c + K <= last; c += K) transpose_tile<E, L>(here, c * E, cols.from(c), row * E);
  if (c < last) transpose_tile<E, L>(here, (last - K) * E, cols.from(last - K), row * E);
}

template <int E, class Rows, class Cols>
void transpose_few(const Rows& rows, Size row_count, const Cols& cols, Size col_count) {
  for (Size c = 0; c < col_count; ++c) {
    std::byte* to = cols.at(c);
    for (Size r = 0; r < row_count; ++r) std::memcpy(to + r * E, rows.at(r) + c * E, E);
  }
}

// Any region with plain stores, `group` columns at a time: a line of the source for the walk along the
// destination, all of them for the walk along the source. Edges are written twice, with the same bytes.
template <int E, class Rows, class Cols>
void transpose_plain(const Rows& rows, Size row_count, const Cols& cols, Size col_count, Size group) {
  constexpr Size K = 16 / E;
  if (row_count < K || col_count < K) return transpose_few<E>(rows, row_count, cols, col_count);
  for (Size first = 0; first < col_count; first += group) {
    const Size last = std::min(col_count, std::max(first + group, K));
    Size r = 0;
    for (; r + K * kLanes <= row_count; r += K * kLanes) {
      transpose_strip<E, kLanes>(rows, r, cols, first, last);
    }
    if constexpr (kLanes == 4) {
      if (r + K * 2 <= row_count) {
        transpose_strip<E, 2>(rows, r, cols, first, last);
        r += K * 2;
      }
    }
    for (; r + K <= row_count; r += K) transpose_strip<E, 1>(rows, r, cols, first, last);
    if (r < row_count) transpose_strip<E, 1>(rows, row_count - K, cols, first, last);
  }
}

// The lines that the walk along the rows needs a few steps later. Prefetchers follow fewer rows than a band
// has.
template <int E, class Rows>
HWY_INLINE void prefetch_square(const Rows& here, Size at) {
  constexpr Size kAhead = 4 * kLine;
  for (Size r = 0; r < kLine / E; ++r) prefetch_l2(here.at(r) + at + kAhead);
}

// One square of 64 x 64 bytes to whole lines past the caches.
template <int E, class Rows, class Cols>
HWY_INLINE void stream_square(const Rows& rows, Size row, Size col, const Cols& cols) {
  constexpr Size K = 16 / E;
  const Rows here = rows.from(row);
  prefetch_square<E>(here, col * E);
  for (Size c = col; c < col + kLine / E; c += K) {
    const Cols to = cols.from(c);
    if constexpr (kLanes == 4) {
      Vector<kLanes> v[K];
      gather_rows<E, kLanes>(here, c * E, v);
      transpose_pieces<E, kLanes>(v);
      HWY_UNROLL(16)
      for (Size k = 0; k < K; ++k) hn::Stream(v[k], Line(), bytes(to.at(k) + row * E));
    } else {
      // Lines are put together first, so that each goes out in one go.
      alignas(64) std::byte lines[K * kLine];
      const Strided<std::byte> block{lines, kLine};
      HWY_UNROLL(4)
      for (Size lane = 0; lane < 4; lane += kLanes) {
        transpose_tile<E, kLanes>(here.from(lane * K), c * E, block, lane * kPiece);
      }
      for (Size k = 0; k < K; ++k) stream_line(lines + k * kLine, to.at(k) + row * E);
    }
  }
}

// The same through a copy of the square in the first cache: for rows a large power of two apart, whose lines
// would push each other out between one piece and the next, and for the last columns, whose pieces are not
// whole.
template <int E, class Rows, class Cols>
HWY_INLINE void stream_square_staged(const Rows& rows, Size row, Size col, const Cols& cols, Size width) {
  alignas(64) std::byte stage[kLine / E * kLine];
  const Rows here = rows.from(row);
  if (width == kLine / E) {
    prefetch_square<E>(here, col * E);
    for (Size r = 0; r < kLine / E; ++r) copy_line(here.at(r) + col * E, stage + r * kLine);
  } else {
    for (Size r = 0; r < kLine / E; ++r) copy_below_line(here.at(r) + col * E, stage + r * kLine, width * E);
  }
  // The square starts at row 0 and column 0 of the stage, so the destination moves instead.
  const Strided<const std::byte> square{stage, kLine};
  constexpr Size K = 16 / E;
  alignas(64) std::byte lines[K * kLine];
  const Strided<std::byte> block{lines, kLine};
  for (Size c = 0; c < width; c += K) {
    HWY_UNROLL(4)
    for (Size lane = 0; lane < 4; lane += kLanes) {
      transpose_tile<E, kLanes>(square.from(lane * K), c * E, block, lane * kPiece);
    }
    const Size n = std::min(K, width - c);
    for (Size k = 0; k < n; ++k) stream_line(lines + k * kLine, cols.at(col + c + k) + row * E);
  }
}

// Rows [first, last) of a region whose lines are whole, along the source.
template <int E, class Rows, class Cols>
void stream_band(const Rows& rows, Size first, Size last, const Cols& cols, Size col_count, bool staged) {
  constexpr Size kSide = kLine / E;
  Size col = 0;
  if (staged) {
    for (; col + kSide <= col_count; col += kSide) {
      for (Size row = first; row < last; row += kSide) stream_square_staged<E>(rows, row, col, cols, kSide);
    }
  } else {
    for (; col + kSide <= col_count; col += kSide) {
      for (Size row = first; row < last; row += kSide) stream_square<E>(rows, row, col, cols);
    }
  }
  if (col == col_count) return;
  for (Size row = first; row < last; row += kSide) {
    stream_square_staged<E>(rows, row, col, cols, col_count - col);
  }
}

// A region whose lines are not whole: blocks are turned round in a buffer and go out column by column.
template <int E, class Rows, class Cols>
void combine_region(const Rows& rows, Size row_count, const Cols& cols, Size col_count, Size block_rows,
                    Size block_cols) {
  constexpr Size kBuffer = Size{96} << 10;
  alignas(64) std::byte buffer[kBuffer];
  block_rows = std::min(block_rows, row_count);
  // A line more than the rows need, so that columns do not share cache sets.
  const Size pitch = (block_rows * E + 2 * kLine - 1) / kLine * kLine;
  block_cols = std::max<Size>(1, std::min({block_cols, kBuffer / pitch, col_count}));
  for (Size row = 0; row < row_count; row += block_rows) {
    const Size height = std::min(block_rows, row_count - row);
    for (Size col = 0; col < col_count; col += block_cols) {
      const Size width = std::min(block_cols, col_count - col);
      struct Shifted {
        Rows rows;
        Size bytes;
        HWY_INLINE const std::byte* at(Size r) const { return rows.at(r) + bytes; }
        HWY_INLINE Shifted from(Size r) const { return {rows.from(r), bytes}; }
      };
      const Strided<std::byte> block{buffer, static_cast<std::ptrdiff_t>(pitch)};
      transpose_plain<E>(Shifted{rows.from(row), col * E}, height, block, width, width);
      for (Size c = 0; c < width; ++c)
        stream_bytes(buffer + c * pitch, cols.at(col + c) + row * E, height * E);
    }
  }
}

template <int E, class Rows, class Cols>
HWY_INLINE void transpose_leaf(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  const Size row_count = static_cast<Size>(bounds.rows);
  const Size col_count = static_cast<Size>(bounds.cols);
  Rows rows;
  Cols cols;
  rows.stride = leaf.rows.src;
  cols.stride = leaf.cols.dst;
  if constexpr (requires { rows.table; }) {
    rows.table = leaf.rows.src_table;
    cols.table = leaf.cols.dst_table;
  }
  Odometer loops = odometer(leaf, bounds);
  if (!leaf.policy.stream) {
    do {
      rows.base = src;
      cols.base = dst;
      transpose_plain<E>(rows, row_count, cols, col_count, kLine / E);
    } while (loops.next(src, dst));
    return;
  }
  constexpr Size kSide = kLine / E;
  const bool whole_lines =
      row_count % kSide == 0 && on_line(dst) && loops_on_line(leaf) && axis_on_line(leaf.cols, col_count);
  if (!whole_lines) {
    const Policy& policy = leaf.policy;
    const Size block_rows = policy.block_rows > 0 ? static_cast<Size>(policy.block_rows) : Size{1024} / E;
    const Size block_cols = policy.block_cols > 0 ? static_cast<Size>(policy.block_cols) : Size{256} / E;
    do {
      rows.base = src;
      cols.base = dst;
      combine_region<E>(rows, row_count, cols, col_count, block_rows, block_cols);
    } while (loops.next(src, dst));
  } else {
    // Bands go around the loops that walk on along the rows of the source.
    Odometer outer;
    Odometer inner;
    for (Size i = 0; i < leaf.loops; ++i) {
      Loop loop = leaf.loop[i];
      if (i == 0) loop.count = bounds.loop;
      if (std::abs(loop.src) < std::abs(leaf.rows.src)) {
        inner.add(loop);
      } else {
        outer.add(loop);
      }
    }
    const Size band = leaf.policy.band > 0 ? (static_cast<Size>(leaf.policy.band) + kSide - 1) / kSide * kSide
                                           : std::max(kSide, Size{32});
    do {
      for (Size first = 0; first < row_count; first += band) {
        const Size last = std::min(row_count, first + band);
        do {
          rows.base = src;
          cols.base = dst;
          stream_band<E>(rows, first, last, cols, col_count, leaf.policy.stage);
        } while (inner.next(src, dst));
      }
    } while (outer.next(src, dst));
  }
  fence();
}

template <int E>
void transpose_kernel(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  transpose_leaf<E, Strided<const std::byte>, Strided<std::byte>>(leaf, src, dst, bounds);
}

template <int E>
void block_kernel(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  transpose_leaf<E, Scattered<const std::byte>, Scattered<std::byte>>(leaf, src, dst, bounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::relayout
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
