// SPDX-License-Identifier: Apache-2.0
// Transposition to whole lines past the caches.
#if defined(TESSERA_RELAYOUT_STREAM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_STREAM_INL_H
#undef TESSERA_RELAYOUT_STREAM_INL_H
#else
#define TESSERA_RELAYOUT_STREAM_INL_H
#endif

#include "relayout/kernels/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::relayout {
namespace HWY_NAMESPACE {

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

// One square of 64 x 64 bytes to whole lines, in pieces. `between(r)` is called once for each row, spread
// over the stores: what else there is to read must not come in bursts, or reads and writes take turns instead
// of going on side by side.
template <int E, class Rows, class Cols, class Between>
HWY_INLINE void stream_pieces(const Rows& rows, const Cols& cols, Size to, const Between& between) {
  constexpr Size K = 16 / E;
  for (Size c = 0; c < kLine / E; c += K) {
    for (Size r = c; r < c + K; ++r) between(r);
    stream_columns<E>(Shifted<Rows>{rows, c * E}, cols.from(c), to);
  }
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
template <int E, int kHalf, class Rows, class Cols, class Between>
HWY_INLINE void stream_half(const Rows& rows, const Cols& cols, Size to, const Between& between) {
  constexpr Size kCount = kLine / E / 2;
  Vector<4> v[kCount];
  transpose_half<E>(rows, kHalf * kLine / 2, v);
  HWY_UNROLL(32)
  for (Size c = kHalf * kCount; c < (kHalf + 1) * kCount; ++c) {
    between(c);
    hn::Stream(v[c - kHalf * kCount], Line(), bytes(cols.at(c) + to));
  }
}
#endif

// The same, whole lines of the source at a time where registers hold the square.
template <int E, class Rows, class Cols, class Between>
HWY_INLINE void stream_square(const Rows& rows, const Cols& cols, Size to, const Between& between) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (kHasHalves<E>) {
    stream_half<E, 0>(rows, cols, to, between);
    stream_half<E, 1>(rows, cols, to, between);
    return;
  }
#endif
  stream_pieces<E>(rows, cols, to, between);
}

// Asks for lines of rows that are read soon: prefetchers of the hardware follow fewer rows than a band has.
template <class Rows>
struct Hint {
  Rows rows;
  Size last;  // the last row there is
  Size at;

  HWY_INLINE void operator()(Size r) const { prefetch_l2(rows.at(std::min(r, last)) + at); }
};

// What a band asks for: its own rows `bytes` further on, and behind their end the start of those read next.
template <class Rows>
struct Ahead {
  Size bytes;
  Rows next;
  Size next_count;

  // While the square at `row` of the band and `at` bytes into its rows is transposed.
  HWY_INLINE Hint<Rows> hint(const Rows& band, Size row, Size at, Size width) const {
    const Size there = at + bytes;
    if (there < width) return {band.from(row), kLine, there};
    const Size first = std::min(row, next_count - 1);
    return {next.from(first), next_count - 1 - first, there - width};
  }
};

// Also reads the next square into a buffer, line by line.
template <class Rows>
struct StageNext {
  Hint<Rows> hint;
  Shifted<Rows> next;
  std::byte* stage;

  HWY_INLINE void operator()(Size r) const {
    hint(r);
    copy_line(next.at(r), stage + r * kLine);
  }
};

// The last columns, fewer than a line of the source holds.
template <int E, class Rows, class Cols, class Between>
HWY_INLINE void stream_last_columns(const Rows& rows, const Cols& cols, Size width, Size to,
                                    const Between& between) {
  constexpr Size K = 16 / E;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (kHasSquares<E>) {
    Vector<4> v[kLine / E];
    load_part<E>(rows, 0, kLine / E, width, v);
    transpose_square<E>(v);
    HWY_UNROLL(16)
    for (Size c = 0; c < kLine / E; ++c) {
      between(c);
      if (c < width) hn::Stream(v[c], Line(), bytes(cols.at(c) + to));
    }
    return;
  }
#endif
  alignas(64) std::byte stage[kLine / E * kLine];
  for (Size r = 0; r < kLine / E; ++r) {
    between(r);
    copy_below_line(rows.at(r), stage + r * kLine, width * E);
  }
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
                 const Ahead<Rows>& ahead) {
  constexpr Size kSide = kLine / E;
  const Rows band = rows.from(first);
  for (Size col = 0; col < col_count; col += kSide) {
    for (Size row = first; row < last; row += kSide) {
      const Shifted<Rows> square{rows.from(row), col * E};
      const Hint<Rows> hint = ahead.hint(band, row - first, col * E, col_count * E);
      if (col + kSide <= col_count) {
        stream_square<E>(square, cols.from(col), row * E, hint);
      } else {
        stream_last_columns<E>(square, cols.from(col), col_count - col, row * E, hint);
      }
    }
  }
}

// The same for rows a large power of two apart, whose lines would push each other out of the first cache
// between one piece and the next: squares are read a line at a time into a buffer, each while the one before
// is written.
template <int E, class Rows, class Cols>
void stream_band_staged(const Rows& rows, Size first, Size last, const Cols& cols, Size col_count,
                        const Ahead<Rows>& ahead) {
  constexpr Size kSide = kLine / E;
  const Size whole = col_count / kSide * kSide;
  const Rows band = rows.from(first);
  if (whole > 0) {
    alignas(64) std::byte stages[2][kSide * kLine];
    Shifted<Rows> square{band, 0};
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
          next = {band, (col + kSide) * E};
        }
        const Hint<Rows> hint = ahead.hint(band, row - first, col * E, col_count * E);
        stream_pieces<E>(Strided<const std::byte>{stages[now], kLine}, cols.from(col), row * E,
                         StageNext<Rows>{hint, next, stages[1 - now]});
        square = next;
        now = 1 - now;
      }
    }
  }
  if (whole == col_count) return;
  for (Size row = first; row < last; row += kSide) {
    stream_last_columns<E>(Shifted<Rows>{rows.from(row), whole * E}, cols.from(whole), col_count - whole,
                           row * E, ahead.hint(band, row - first, whole * E, col_count * E));
  }
}

// Columns this many bytes apart, or a multiple, fall to few memory channels; further apart than this, to a
// page of memory each.
constexpr Index kSameChannel = 512;
constexpr Index kNearColumns = Index{256} << 10;

// Few rows at a time are read best, but then lines leave one by one. That pays where neighbouring columns are
// near and fall to different channels; elsewhere the lines of a column leave a few at a time. Vectors shorter
// than a line read each line of a row several times, and never gain.
template <class Cols>
HWY_INLINE bool spreads(const Cols& cols, Size count) {
  for (Size c = 1; c < count; ++c) {
    const Index step = cols.at(c) - cols.at(c - 1);
    if (step % kSameChannel == 0 || std::abs(step) >= kNearColumns) return false;
    if constexpr (!requires { cols.table; }) break;
  }
  return true;
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
  cols.base = dst;
  Size band = leaf.policy.band > 0                      ? static_cast<Size>(leaf.policy.band)
              : kLanes == 4 && spreads(cols, col_count) ? Size{16}
              : row_count <= 64                         ? row_count
                                                        : std::max<Size>(64, 256 / E);
  const Size width = col_count * E;
  Size bytes_ahead = 4 * kLine;
  const bool narrow =
      leaf.rows.src_table == nullptr && std::abs(leaf.rows.src) <= static_cast<Index>(8 * kLine);
  if (narrow && leaf.rows.src != 0) {
    // Rows so short that a band of them is one stretch of the source: the next one is what is read soon.
    if (leaf.policy.band == 0) band = (Size{32} << 10) / static_cast<Size>(std::abs(leaf.rows.src));
    bytes_ahead = width;
  }
  const bool stage = leaf.policy.stage;
  band = std::max(kSide, (band + kSide - 1) / kSide * kSide);
  do {
    for (Size first = 0; first < row_count; first += band) {
      const Size last = std::min(row_count, first + band);
      bool more = true;
      while (more) {
        rows.base = src;
        cols.base = dst;
        more = inner.next(src, dst);
        // The next pass reads the same rows, or the next band, or the first one of the next loop.
        Ahead<Rows> ahead{bytes_ahead, rows, last - first};
        ahead.next.base = src;
        const bool further = !more && last < row_count;
        if (!more && !further) ahead.next.base = outer.peek(src);
        if (further) ahead.next_count = std::min(band, row_count - last);
        ahead.next = ahead.next.from(further ? last : more ? first : 0);
        if (stage) {
          stream_band_staged<E>(rows, first, last, cols, col_count, ahead);
        } else {
          stream_band<E>(rows, first, last, cols, col_count, ahead);
        }
      }
    }
  } while (outer.next(src, dst));
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::relayout
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
