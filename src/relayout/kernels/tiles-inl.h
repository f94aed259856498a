// SPDX-License-Identifier: Apache-2.0
// Transposition: rows of the source become columns of the destination.
//
// A tile is cut into 16-byte pieces. A vector holds the same piece of rows r, r + K, r + 2K, r + 3K, where K
// = 16 / E elements make a piece; log2(K) rounds of interleaving within pieces turn K such vectors into K
// runs of the destination, each as long as a vector. No shuffle crosses a piece, so the scheme is one for all
// widths. Here: squares, tiles and regions with plain stores.
#if defined(TESSERA_RELAYOUT_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_TILES_INL_H
#undef TESSERA_RELAYOUT_TILES_INL_H
#else
#define TESSERA_RELAYOUT_TILES_INL_H
#endif

#include "relayout/kernels/regions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
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

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
// Elements whose square of 64 x 64 bytes fits into the registers: each line of the source is read once and
// whole.
template <int E>
constexpr bool kHasSquares = E == 4 || E == 8;

// Those whose half squares do, which are made in two goes.
template <int E>
constexpr bool kHasHalves = E <= 8;

// Lane j of vector i becomes lane i of vector j.
HWY_INLINE void transpose_lanes(Vector<4>& a, Vector<4>& b, Vector<4>& c, Vector<4>& d) {
  const __m512i ab_low = _mm512_shuffle_i64x2(a.raw, b.raw, 0x44);
  const __m512i ab_high = _mm512_shuffle_i64x2(a.raw, b.raw, 0xee);
  const __m512i cd_low = _mm512_shuffle_i64x2(c.raw, d.raw, 0x44);
  const __m512i cd_high = _mm512_shuffle_i64x2(c.raw, d.raw, 0xee);
  a.raw = _mm512_shuffle_i64x2(ab_low, cd_low, 0x88);
  b.raw = _mm512_shuffle_i64x2(ab_low, cd_low, 0xdd);
  c.raw = _mm512_shuffle_i64x2(ab_high, cd_high, 0x88);
  d.raw = _mm512_shuffle_i64x2(ab_high, cd_high, 0xdd);
}

// Row r of the square in v[r] becomes column r.
template <int E>
HWY_INLINE void transpose_square(Vector<4>* HWY_RESTRICT v) {
  constexpr int K = 16 / E;
  HWY_UNROLL(4)
  for (int group = 0; group < 4; ++group) transpose_pieces<E, 4>(v + group * K);
  HWY_UNROLL(4)
  for (int k = 0; k < K; ++k) transpose_lanes(v[k], v[K + k], v[2 * K + k], v[3 * K + k]);
}

// Half a square: the 32 bytes from `at` on of each row become whole columns, v[c] the column c. Half a line
// at a time takes half of the shuffles across lanes, and loads of whole lines that cross lines of the cache
// take turns with the stores: 12 cycles a row instead of 5.
template <int E, class Rows>
HWY_INLINE void transpose_half(const Rows& rows, Size at, Vector<4>* HWY_RESTRICT v) {
  constexpr Size K = 16 / E;
  HWY_UNROLL(16)
  for (Size k = 0; k < 2 * K; ++k) {
    const Size r = k / K * 2 * K + k % K;
    v[k].raw = _mm512_inserti64x4(_mm512_castsi256_si512(load<2>(rows.at(r) + at).raw),
                                  load<2>(rows.at(r + K) + at).raw, 1);
  }
  transpose_pieces<E, 4>(v);
  transpose_pieces<E, 4>(v + K);
  HWY_UNROLL(8)
  for (Size k = 0; k < K; ++k) {
    const __m512i low = v[k].raw;
    const __m512i high = v[K + k].raw;
    v[k].raw = _mm512_shuffle_i64x2(low, high, 0x88);
    v[K + k].raw = _mm512_shuffle_i64x2(low, high, 0xdd);
  }
}

// The first n >= 1 bytes of a line.
HWY_INLINE __mmask64 first_bytes(Size n) { return ~__mmask64{0} >> (kLine - n); }

// A part of a square: nothing outside of it is read; its last row stands in for those that it lacks.
template <int E, class Rows>
HWY_INLINE void load_part(const Rows& rows, Size at, Size height, Size width, Vector<4>* HWY_RESTRICT v) {
  const __mmask64 mask = first_bytes(width * E);
  HWY_UNROLL(16)
  for (Size r = 0; r < kLine / E; ++r) {
    v[r].raw = _mm512_maskz_loadu_epi8(mask, rows.at(std::min(r, height - 1)) + at);
  }
}
#else
template <int E>
constexpr bool kHasSquares = false;
template <int E>
constexpr bool kHasHalves = false;
#endif

// 64 x 64 bytes with plain stores.
template <int E, class Rows, class Cols>
HWY_INLINE void plain_square(const Rows& rows, Size at, const Cols& cols, Size to) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  constexpr Size kHalf = kLine / E / 2;
  HWY_UNROLL(2)
  for (Size half = 0; half < 2; ++half) {
    Vector<4> v[kHalf];
    transpose_half<E>(rows, at + half * kLine / 2, v);
    HWY_UNROLL(8)
    for (Size c = 0; c < kHalf; ++c) store<4>(v[c], cols.at(half * kHalf + c) + to);
  }
#else
  (void)rows, (void)at, (void)cols, (void)to;
#endif
}

// The same for a part of a square. Apart, so that whole squares keep their registers.
template <int E, class Rows, class Cols>
HWY_NOINLINE void plain_part(const Rows& rows, Size at, Size height, const Cols& cols, Size to, Size width) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  Vector<4> v[kLine / E];
  load_part<E>(rows, at, Cols::kRoomy ? kLine / E : height, width, v);
  transpose_square<E>(v);
  const __mmask64 mask = first_bytes(height * E);
  HWY_UNROLL(16)
  for (Size c = 0; c < kLine / E; ++c) {
    if (c >= width) break;
    if constexpr (Cols::kRoomy) {
      store<4>(v[c], cols.at(c) + to);
    } else {
      _mm512_mask_storeu_epi8(cols.at(c) + to, mask, v[c].raw);
    }
  }
#else
  (void)rows, (void)at, (void)height, (void)cols, (void)to, (void)width;
#endif
}

// The square at row r and column c of a region, or what there is of it. The last square of either axis is
// moved back so that it ends with the region; masks, which cost more than a square, are left for regions that
// are smaller.
template <int E, class Rows, class Cols>
HWY_INLINE void square_of_region(const Rows& rows, Size row_count, const Cols& cols, Size col_count, Size r,
                                 Size c) {
  constexpr Size kSide = kLine / E;
  if (row_count >= kSide) r = std::min(r, row_count - kSide);
  // Columns with room take what stands in the list behind the last row.
  if (col_count >= kSide && (row_count >= kSide || Cols::kRoomy)) {
    c = std::min(c, col_count - kSide);
    plain_square<E>(rows.from(r), c * E, cols.from(c), r * E);
  } else if constexpr (kHasSquares<E>) {
    plain_part<E>(rows.from(r), c * E, std::min(kSide, row_count - r), cols.from(c), r * E,
                  std::min(kSide, col_count - c));
  }
}

// Any region in squares, a line of the source at a time and along the destination.
template <int E, class Rows, class Cols, class Between>
void transpose_squares(const Rows& rows, Size row_count, const Cols& cols, Size col_count,
                       const Between& between) {
  constexpr Size kSide = kLine / E;
  for (Size c = 0; c < col_count; c += kSide) {
    for (Size r = 0; r < row_count; r += kSide) {
      square_of_region<E>(rows, row_count, cols, col_count, r, c);
      between(kSide);
    }
  }
}

// Columns this far apart, or a multiple, fall to the same sets of the first cache.
constexpr std::ptrdiff_t kSameSets = 4096;

// Where strides are known: in blocks of two lines each way, because lines next to each other come from the
// second-level cache together and go there together; blocks, and squares in them, along the side whose
// strides are shorter. Columns that would push each other out of the first cache are walked a line of the
// source at a time. Apart, and with copies of the axes, so that squares keep their registers.
template <int E, class Between>
HWY_NOINLINE void transpose_squares(const Strided<const std::byte> rows, Size row_count,
                                    const Strided<std::byte> cols, Size col_count, const Between& between) {
  constexpr Size kSide = kLine / E;
  const bool along_source = std::abs(rows.stride) > cols.stride;
  if (!along_source && cols.stride % kSameSets == 0) {
    return transpose_squares<E, Strided<const std::byte>, Strided<std::byte>>(rows, row_count, cols,
                                                                              col_count, between);
  }
  constexpr Size kBlock = 2 * kSide;
  const Size slow_count = along_source ? row_count : col_count;
  const Size fast_count = along_source ? col_count : row_count;
  for (Size slow_block = 0; slow_block < slow_count; slow_block += kBlock) {
    for (Size fast_block = 0; fast_block < fast_count; fast_block += kBlock) {
      for (Size slow = slow_block; slow < std::min(slow_count, slow_block + kBlock); slow += kSide) {
        for (Size fast = fast_block; fast < std::min(fast_count, fast_block + kBlock); fast += kSide) {
          square_of_region<E>(rows, row_count, cols, col_count, along_source ? slow : fast,
                              along_source ? fast : slow);
          between(kSide);
        }
      }
    }
  }
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

struct Nothing {
  HWY_INLINE void operator()(Size) const {}
};

// Any region with plain stores, a line of the source at a time and along the destination. Edges are written
// twice, with the same bytes. `between` is called between tiles, with the lines that the last one made.
template <int E, class Rows, class Cols, class Between = Nothing>
void transpose_plain(const Rows& rows, Size row_count, const Cols& cols, Size col_count,
                     const Between& between = {}) {
  constexpr Size K = 16 / E;
  constexpr Size group = kLine / E;
  if constexpr (kHasSquares<E>) {
    // A square that is less than half full is slower than tiles.
    if (std::min(row_count, col_count) > group / 2)
      return transpose_squares<E>(rows, row_count, cols, col_count, between);
  } else if constexpr (kHasHalves<E>) {
    if (std::min(row_count, col_count) >= group)
      return transpose_squares<E>(rows, row_count, cols, col_count, between);
  }
  if (row_count < K || col_count < K) return transpose_few<E>(rows, row_count, cols, col_count);
  constexpr Size kPause = 8;  // lines
  Size made = 0;              // bytes
  const auto pause = [&](Size bytes) HWY_ATTR {
    made += bytes;
    if (made < kPause * kLine) return;
    between(made / kLine);
    made = 0;
  };
  for (Size first = 0; first < col_count; first += group) {
    const Size last = std::min(col_count, std::max(first + group, K));
    const Size row_bytes = (last - first) * E;
    Size r = 0;
    for (; r + K * kLanes <= row_count; r += K * kLanes) {
      transpose_strip<E, kLanes>(rows, r, cols, first, last);
      pause(K * kLanes * row_bytes);
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
  std::ptrdiff_t bytes;

  HWY_INLINE Shifted(const Rows& all, Size by) : rows(all), bytes(static_cast<std::ptrdiff_t>(by)) {}
  HWY_INLINE const std::byte* at(Size r) const { return rows.at(r) + bytes; }
  HWY_INLINE Shifted from(Size r) const { return {rows.from(r), static_cast<Size>(bytes)}; }
};

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
