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

// The rows of a region from some byte on.
template <class Rows>
struct Shifted {
  Rows rows;
  Size bytes;

  HWY_INLINE const std::byte* at(Size r) const { return rows.at(r) + bytes; }
  HWY_INLINE Shifted from(Size r) const { return {rows.from(r), bytes}; }
};

// K columns of a line's height, past the caches; `to` bytes into each column.
template <int E, class Rows, class Cols>
HWY_INLINE void stream_columns(const Rows& rows, const Cols& cols, Size to) {
  constexpr Size K = 16 / E;
  if constexpr (kLanes == 4) {
    Vector<kLanes> v[K];
    gather_rows<E, kLanes>(rows, 0, v);
    transpose_pieces<E, kLanes>(v);
    HWY_UNROLL(16)
    for (Size k = 0; k < K; ++k) hn::Stream(v[k], Line(), bytes(cols.at(k) + to));
  } else {
    // Lines are put together first, so that each goes out in one go.
    alignas(64) std::byte lines[K * kLine];
    const Strided<std::byte> block{lines, kLine};
    HWY_UNROLL(4)
    for (Size lane = 0; lane < 4; lane += kLanes) {
      transpose_tile<E, kLanes>(rows.from(lane * K), 0, block, lane * kPiece);
    }
    for (Size k = 0; k < K; ++k) stream_line(lines + k * kLine, cols.at(k) + to);
  }
}

// One square of 64 x 64 bytes to whole lines. `between(r)` is called once for each row, spread over the work:
// what else there is to read must not come in bursts, or reads and writes take turns instead of going on side
// by side.
template <int E, class Rows, class Cols, class Between>
HWY_INLINE void stream_square(const Rows& rows, const Cols& cols, Size to, const Between& between) {
  constexpr Size K = 16 / E;
  for (Size c = 0; c < kLine / E; c += K) {
    for (Size r = c; r < c + K; ++r) between(r);
    stream_columns<E>(Shifted<Rows>{rows, c * E}, cols.from(c), to);
  }
}

// Asks for what the walk along the rows reads `ahead` bytes later: prefetchers of the hardware follow fewer
// rows than a band has.
template <class Rows>
struct Hint {
  Rows rows;
  std::ptrdiff_t ahead;

  HWY_INLINE void operator()(Size r) const { prefetch_l2(rows.at(r) + ahead); }
};

// Also reads the next square into a buffer, line by line.
template <class Rows>
struct StageNext {
  Rows rows;
  std::ptrdiff_t ahead;
  Rows next;
  std::byte* stage;

  HWY_INLINE void operator()(Size r) const {
    prefetch_l2(rows.at(r) + ahead);
    copy_line(next.at(r), stage + r * kLine);
  }
};

// The last columns, fewer than a line of the source holds.
template <int E, class Rows, class Cols>
HWY_INLINE void stream_last_columns(const Rows& rows, const Cols& cols, Size width, Size to) {
  constexpr Size K = 16 / E;
  alignas(64) std::byte stage[kLine / E * kLine];
  for (Size r = 0; r < kLine / E; ++r) copy_below_line(rows.at(r), stage + r * kLine, width * E);
  alignas(64) std::byte lines[K * kLine];
  const Strided<const std::byte> square{stage, kLine};
  for (Size c = 0; c < width; c += K) {
    HWY_UNROLL(4)
    for (Size lane = 0; lane < 4; lane += kLanes) {
      transpose_tile<E, kLanes>(square.from(lane * K), c * E, Strided<std::byte>{lines, kLine},
                                lane * kPiece);
    }
    for (Size k = 0; k < std::min(K, width - c); ++k) stream_line(lines + k * kLine, cols.at(c + k) + to);
  }
}

// Rows [first, last) of a region whose lines are whole, along the source.
template <int E, class Rows, class Cols>
void stream_band(const Rows& rows, Size first, Size last, const Cols& cols, Size col_count,
                 std::ptrdiff_t ahead) {
  constexpr Size kSide = kLine / E;
  Size col = 0;
  for (; col + kSide <= col_count; col += kSide) {
    for (Size row = first; row < last; row += kSide) {
      const Shifted<Rows> square{rows.from(row), col * E};
      stream_square<E>(square, cols.from(col), row * E, Hint<Shifted<Rows>>{square, ahead});
    }
  }
  if (col == col_count) return;
  for (Size row = first; row < last; row += kSide) {
    stream_last_columns<E>(Shifted<Rows>{rows.from(row), col * E}, cols.from(col), col_count - col, row * E);
  }
}

// The same for rows a large power of two apart, whose lines would push each other out of the first cache
// between one piece and the next: squares are read a line at a time into a buffer, each while the one before
// is written.
template <int E, class Rows, class Cols>
void stream_band_staged(const Rows& rows, Size first, Size last, const Cols& cols, Size col_count,
                        std::ptrdiff_t ahead) {
  constexpr Size kSide = kLine / E;
  const Size whole = col_count / kSide * kSide;
  if (whole > 0) {
    alignas(64) std::byte stages[2][kSide * kLine];
    Shifted<Rows> square{rows.from(first), 0};
    for (Size r = 0; r < kSide; ++r) copy_line(square.at(r), stages[0] + r * kLine);
    Size now = 0;
    for (Size col = 0; col < whole; col += kSide) {
      for (Size row = first; row < last; row += kSide) {
        // The last square of a band is read once more: it is there, and it costs nothing that could be
        // measured.
        Shifted<Rows> next = square;
        if (row + kSide < last) {
          next = {rows.from(row + kSide), col * E};
        } else if (col + kSide < whole) {
          next = {rows.from(first), (col + kSide) * E};
        }
        stream_square<E>(Strided<const std::byte>{stages[now], kLine}, cols.from(col), row * E,
                         StageNext<Shifted<Rows>>{square, ahead, next, stages[1 - now]});
        square = next;
        now = 1 - now;
      }
    }
  }
  if (whole == col_count) return;
  for (Size row = first; row < last; row += kSide) {
    stream_last_columns<E>(Shifted<Rows>{rows.from(row), whole * E}, cols.from(whole), col_count - whole,
                           row * E);
  }
}

// Lines are not whole where a column of the destination ends within one. Blocks are turned round in a buffer
// and leave it in long pieces.
constexpr Size kCombineBuffer = Size{144} << 10;

// A count cut into equal parts near `target`, each but the last a multiple of `unit`.
HWY_INLINE Size even_part(Size count, Size target, Size unit) {
  const Size parts = std::max<Size>(1, (count + target / 2) / target);
  return std::min(count, ((count + parts - 1) / parts + unit - 1) / unit * unit);
}

// Asks for the rows of a block line by line, one row after the other, a few lines at a time.
template <class Rows>
class BlockHint {
 public:
  HWY_INLINE BlockHint(const Rows& rows, Size row_count, Size bytes)
      : rows_(rows), row_count_(row_count), bytes_(bytes) {}

  HWY_INLINE void step(Size lines) {
    for (; lines > 0 && row_ < row_count_; --lines) {
      prefetch_l2(rows_.at(row_) + at_);
      at_ += kLine;
      if (at_ < bytes_) continue;
      at_ = 0;
      ++row_;
    }
  }

 private:
  Rows rows_;
  Size row_count_;
  Size bytes_;
  Size row_ = 0;
  Size at_ = 0;
};

// Column by column. While a block is written, the next one is asked for.
template <int E, class Rows, class Cols>
void combine_columns(const Rows& rows, Size row_count, const Cols& cols, Size col_count,
                     const Policy& policy) {
  alignas(64) std::byte buffer[kCombineBuffer];
  constexpr Size kSide = kLine / E;
  const Size block_rows =
      even_part(row_count, policy.block_rows > 0 ? static_cast<Size>(policy.block_rows) : 16 * kSide, kSide);
  // Columns that follow each other in the destination stay together, and leave together. Others lie a line
  // more apart than their rows need, so that they do not share cache sets.
  const bool dense = block_rows == row_count && col_count > 1 && cols.at(1) == cols.at(0) + row_count * E;
  const Size pitch = dense ? row_count * E : (block_rows * E + 2 * kLine - 1) / kLine * kLine;
  const Size block_cols = std::min({policy.block_cols > 0 ? static_cast<Size>(policy.block_cols) : 8 * kSide,
                                    std::max<Size>(1, kCombineBuffer / pitch), col_count});
  const Strided<std::byte> block{buffer, static_cast<std::ptrdiff_t>(pitch)};
  for (Size row = 0; row < row_count; row += block_rows) {
    const Size height = std::min(block_rows, row_count - row);
    for (Size col = 0; col < col_count; col += block_cols) {
      const Size width = std::min(block_cols, col_count - col);
      const auto pieces_from = [&](Size c) HWY_ATTR {
        Size n = 1;
        while (dense && c + n < width && cols.at(col + c + n) == cols.at(col + c) + n * pitch) ++n;
        return n;
      };
      for (Size c = 0; c < width; c += pieces_from(c)) {
        expect_ends(cols.at(col + c) + row * E, (pieces_from(c) - 1) * pitch + height * E);
      }
      transpose_plain<E>(Shifted<Rows>{rows.from(row), col * E}, height, block, width, width);
      // The next block lies to the right, or below at the left edge.
      const bool right = col + width < col_count;
      const Size next_row = right ? row : row + height;
      const Size next_at = right ? (col + width) * E : 0;
      const Size next_height = std::min(block_rows, row_count - next_row);
      const Size next_bytes = std::min(block_cols * E, col_count * E - next_at);
      BlockHint<Shifted<Rows>> hint({rows.from(next_row), next_at}, next_height, next_bytes);
      const Size lines = (next_bytes / kLine + 1) * next_height / width + 1;
      for (Size c = 0; c < width;) {
        const Size n = pieces_from(c);
        stream_bytes(buffer + c * pitch, cols.at(col + c) + row * E, (n - 1) * pitch + height * E);
        hint.step(n * lines);
        c += n;
      }
    }
  }
}

// Asks for the sources of a region, which are `compact` bytes in a row or lie anywhere.
template <int E, class Rows>
HWY_INLINE void hint_region(Rows rows, Size row_count, Size col_count, const std::byte* src, Size compact) {
  for (Size at = 0; at < compact; at += kLine) prefetch_l2(src + at);
  if (compact > 0) return;
  rows.base = src;
  for (Size r = 0; r < row_count; ++r) {
    for (Size at = 0; at < col_count * E; at += kLine) prefetch_l2(rows.at(r) + at);
  }
}

// Regions without gaps in the destination, each of at most half the buffer: as many as follow each other at
// once.
template <int E, class Rows>
void combine_regions(Rows rows, Size row_count, Size col_count, Following loops, const std::byte* src,
                     std::byte* dst) {
  alignas(64) std::byte buffers[2][kCombineBuffer / 2];
  const Size region = row_count * col_count * E;
  const Loop& next = loops.next;
  const Index batch = static_cast<Index>(std::max<Size>(1, (Size{8} << 10) / region));
  const Index ahead = static_cast<Index>(std::max<Size>(1, (Size{8} << 10) / region));
  // Sources that follow each other without gaps are lines in a row.
  const bool compact = std::abs(next.src) == static_cast<Index>(region);
  Departing departing;
  Size now = 0;
  do {
    for (Index first = 0; first < next.count; first += batch) {
      const Index count = std::min(batch, next.count - first);
      std::byte* buffer = buffers[now];
      for (Index i = 0; i < count; ++i) {
        hint_region<E>(rows, row_count, col_count, src + (first + i + ahead) * next.src,
                       compact ? region : 0);
        rows.base = src + (first + i) * next.src;
        const Strided<std::byte> cols{buffer + static_cast<Size>(i) * region,
                                      static_cast<std::ptrdiff_t>(row_count * E)};
        transpose_plain<E>(rows, row_count, cols, col_count, col_count);
      }
      departing.push({buffer, 0}, {dst + first * next.dst, 0}, 1, static_cast<Size>(count) * region);
      now = 1 - now;
    }
  } while (loops.others.next(src, dst));
  departing.flush();
}

// Streaming where lines are not whole.
template <int E, class Rows, class Cols>
void combine_leaf(const Leaf& leaf, Rows rows, Cols cols, const std::byte* src, std::byte* dst,
                  const Bounds& bounds) {
  const Size row_count = static_cast<Size>(bounds.rows);
  const Size col_count = static_cast<Size>(bounds.cols);
  const Size region = row_count * col_count * E;
  if (leaf.cols.dst_table == nullptr && leaf.cols.dst == bounds.rows * E && region <= kCombineBuffer / 2) {
    return combine_regions<E>(rows, row_count, col_count, following(leaf, bounds, region), src, dst);
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
  Size band = leaf.policy.band > 0 ? static_cast<Size>(leaf.policy.band)
              : row_count <= 64    ? row_count
                                   : std::max<Size>(32, 256 / E);
  std::ptrdiff_t ahead = 4 * kLine;
  const bool narrow =
      leaf.rows.src_table == nullptr && std::abs(leaf.rows.src) <= static_cast<Index>(8 * kLine);
  if (narrow && leaf.rows.src != 0) {
    // Rows so short that a band of them is one stretch of the source: the next one is what is read soon.
    if (leaf.policy.band == 0) band = (Size{32} << 10) / static_cast<Size>(std::abs(leaf.rows.src));
    ahead = static_cast<std::ptrdiff_t>(band) * leaf.rows.src;
  }
  const bool stage = leaf.policy.stage;
  band = std::max(kSide, (band + kSide - 1) / kSide * kSide);
  do {
    for (Size first = 0; first < row_count; first += band) {
      const Size last = std::min(row_count, first + band);
      do {
        rows.base = src;
        cols.base = dst;
        if (stage) {
          stream_band_staged<E>(rows, first, last, cols, col_count, ahead);
        } else {
          stream_band<E>(rows, first, last, cols, col_count, ahead);
        }
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
