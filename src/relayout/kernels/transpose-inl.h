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

// A hint for the lines that the walk reads `ahead` bytes later. Prefetchers of the hardware follow fewer rows
// than a band has.
template <int E, class Rows>
HWY_INLINE void prefetch_square(const Rows& here, Size at, std::ptrdiff_t ahead) {
  for (Size r = 0; r < kLine / E; ++r) prefetch_l2(here.at(r) + at + ahead);
}

// One square of 64 x 64 bytes to whole lines past the caches.
template <int E, class Rows, class Cols>
HWY_INLINE void stream_square(const Rows& rows, Size row, Size col, const Cols& cols, std::ptrdiff_t ahead) {
  constexpr Size K = 16 / E;
  const Rows here = rows.from(row);
  prefetch_square<E>(here, col * E, ahead);
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
HWY_INLINE void stream_square_staged(const Rows& rows, Size row, Size col, const Cols& cols, Size width,
                                     std::ptrdiff_t ahead) {
  alignas(64) std::byte stage[kLine / E * kLine];
  const Rows here = rows.from(row);
  if (width == kLine / E) {
    prefetch_square<E>(here, col * E, ahead);
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
void stream_band(const Rows& rows, Size first, Size last, const Cols& cols, Size col_count, bool staged,
                 std::ptrdiff_t ahead) {
  constexpr Size kSide = kLine / E;
  Size col = 0;
  if (staged) {
    for (; col + kSide <= col_count; col += kSide) {
      for (Size row = first; row < last; row += kSide)
        stream_square_staged<E>(rows, row, col, cols, kSide, ahead);
    }
  } else {
    for (; col + kSide <= col_count; col += kSide) {
      for (Size row = first; row < last; row += kSide) stream_square<E>(rows, row, col, cols, ahead);
    }
  }
  if (col == col_count) return;
  for (Size row = first; row < last; row += kSide) {
    stream_square_staged<E>(rows, row, col, cols, col_count - col, ahead);
  }
}

// The rows of a region from some byte on.
template <class Rows>
struct Shifted {
  Rows rows;
  Size bytes;

  HWY_INLINE const std::byte* at(Size r) const { return rows.at(r) + bytes; }
  HWY_INLINE Shifted from(Size r) const { return {rows.from(r), bytes}; }
};

// Lines are not whole where a column of the destination ends within one. Blocks are turned round in this
// buffer and leave it in long pieces.
constexpr Size kCombineBuffer = Size{96} << 10;

// A count cut into equal parts near `target`, each but the last a multiple of `unit`.
HWY_INLINE Size even_part(Size count, Size target, Size unit) {
  const Size parts = std::max<Size>(1, (count + target / 2) / target);
  return ((count + parts - 1) / parts + unit - 1) / unit * unit;
}

// Column by column.
template <int E, class Rows, class Cols>
void combine_columns(const Rows& rows, Size row_count, const Cols& cols, Size col_count,
                     const Policy& policy) {
  alignas(64) std::byte buffer[kCombineBuffer];
  constexpr Size kSide = kLine / E;
  const Size block_rows = std::min(
      row_count,
      even_part(row_count, policy.block_rows > 0 ? static_cast<Size>(policy.block_rows) : 16 * kSide, kSide));
  // A line more than the rows need, so that columns do not share cache sets.
  const Size pitch = (block_rows * E + 2 * kLine - 1) / kLine * kLine;
  const Size fitting = std::max<Size>(1, kCombineBuffer / pitch);
  const Size block_cols =
      std::min(fitting, policy.block_cols > 0 ? static_cast<Size>(policy.block_cols) : 4 * kSide);
  for (Size row = 0; row < row_count; row += block_rows) {
    const Size height = std::min(block_rows, row_count - row);
    for (Size col = 0; col < col_count; col += block_cols) {
      const Size width = std::min(block_cols, col_count - col);
      for (Size r = 0; r < height; r += kSide) {
        const Size n = std::min(kSide, height - r);
        const Shifted<Rows> strip{rows.from(row + r), col * E};
        // What the next block reads of these rows.
        for (Size k = 0; k < n; ++k) {
          for (Size at = 0; at < width * E; at += kLine) prefetch_l2(strip.at(k) + width * E + at);
        }
        transpose_plain<E>(strip, n, Strided<std::byte>{buffer + r * E, static_cast<std::ptrdiff_t>(pitch)},
                           width, width);
      }
      for (Size c = 0; c < width; ++c)
        stream_bytes(buffer + c * pitch, cols.at(col + c) + row * E, height * E);
    }
  }
}

// Regions without gaps in the destination, each of at most half the buffer: as many as follow each other at
// once.
template <int E, class Rows>
void combine_regions(Rows rows, Size row_count, Size col_count, Odometer loops, Loop next,
                     const std::byte* src, std::byte* dst) {
  alignas(64) std::byte buffer[kCombineBuffer];
  const Size region = row_count * col_count * E;
  const Index batch = static_cast<Index>(std::max<Size>(1, kCombineBuffer / 6 / region));
  do {
    for (Index first = 0; first < next.count; first += batch) {
      const Index last = std::min(next.count, first + batch);
      for (Index i = first; i < last; ++i) {
        rows.base = src + i * next.src;
        const Strided<std::byte> cols{buffer + static_cast<Size>(i - first) * region,
                                      static_cast<std::ptrdiff_t>(row_count * E)};
        transpose_plain<E>(rows, row_count, cols, col_count, col_count);
      }
      stream_bytes(buffer, dst + first * static_cast<Index>(region),
                   static_cast<Size>(last - first) * region);
    }
  } while (loops.next(src, dst));
}

// Streaming where lines are not whole.
template <int E, class Rows, class Cols>
void combine_leaf(const Leaf& leaf, Rows rows, Cols cols, const std::byte* src, std::byte* dst,
                  const Bounds& bounds) {
  const Size row_count = static_cast<Size>(bounds.rows);
  const Size col_count = static_cast<Size>(bounds.cols);
  const Size region = row_count * col_count * E;
  if (leaf.cols.dst_table == nullptr && leaf.cols.dst == bounds.rows * E && region <= kCombineBuffer / 2) {
    Odometer loops;
    Loop next;
    for (Size i = 0; i < leaf.loops; ++i) {
      Loop loop = leaf.loop[i];
      if (i == 0) loop.count = bounds.loop;
      if (loop.count > 1 && loop.dst == static_cast<Index>(region)) {
        next = loop;
      } else {
        loops.add(loop);
      }
    }
    return combine_regions<E>(rows, row_count, col_count, loops, next, src, dst);
  }
  Odometer loops = odometer(leaf, bounds);
  do {
    rows.base = src;
    cols.base = dst;
    combine_columns<E>(rows, row_count, cols, col_count, leaf.policy);
  } while (loops.next(src, dst));
}

// Streaming of whole lines, in bands of rows.
template <int E, class Rows, class Cols>
void stream_leaf(const Leaf& leaf, Rows rows, Cols cols, const std::byte* src, std::byte* dst,
                 const Bounds& bounds) {
  constexpr Size kSide = kLine / E;
  const Size row_count = static_cast<Size>(bounds.rows);
  const Size col_count = static_cast<Size>(bounds.cols);
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
  Size band = leaf.policy.band > 0 ? static_cast<Size>(leaf.policy.band) : row_count <= 64 ? row_count : 32;
  std::ptrdiff_t ahead = 4 * kLine;
  const bool narrow =
      leaf.rows.src_table == nullptr && std::abs(leaf.rows.src) <= static_cast<Index>(8 * kLine);
  if (narrow && leaf.rows.src != 0) {
    // Rows so short that a band of them is one stretch of the source: the next one is what is read soon.
    if (leaf.policy.band == 0) band = (Size{32} << 10) / static_cast<Size>(std::abs(leaf.rows.src));
    ahead = static_cast<std::ptrdiff_t>(band) * leaf.rows.src;
  }
  band = std::max(kSide, (band + kSide - 1) / kSide * kSide);
  do {
    for (Size first = 0; first < row_count; first += band) {
      const Size last = std::min(row_count, first + band);
      do {
        rows.base = src;
        cols.base = dst;
        stream_band<E>(rows, first, last, cols, col_count, leaf.policy.stage, ahead);
      } while (inner.next(src, dst));
    }
  } while (outer.next(src, dst));
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
  if (!leaf.policy.stream) {
    Odometer loops = odometer(leaf, bounds);
    do {
      rows.base = src;
      cols.base = dst;
      transpose_plain<E>(rows, row_count, cols, col_count, kLine / E);
    } while (loops.next(src, dst));
    return;
  }
  const bool whole_lines = row_count % (kLine / E) == 0 && on_line(dst) && loops_on_line(leaf) &&
                           axis_on_line(leaf.cols, col_count);
  if (whole_lines) {
    stream_leaf<E>(leaf, rows, cols, src, dst, bounds);
  } else {
    combine_leaf<E>(leaf, rows, cols, src, dst, bounds);
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
