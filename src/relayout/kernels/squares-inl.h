// SPDX-License-Identifier: Apache-2.0
// Transposition in squares of 64 x 64 bytes in registers, for targets whose vectors are whole lines.
#if defined(TESSERA_RELAYOUT_SQUARES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_SQUARES_INL_H
#undef TESSERA_RELAYOUT_SQUARES_INL_H
#else
#define TESSERA_RELAYOUT_SQUARES_INL_H
#endif

#include "relayout/kernels/pieces-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
// True if a square of such elements fits in the registers, so that each source line is read once.
template <int E>
constexpr bool kHasSquares = E == 4 || E == 8;

// True if half a square fits in the registers. A square then takes two steps.
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

// Transposes half a square: bytes [at, at + 32) of each row become whole columns, column c in v[c]. Compared
// with whole squares, this halves the shuffles across lanes and separates loads that cross cache lines from
// the stores: 5 cycles a row instead of 12 on Zen 5.
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

// The mask of the first n >= 1 bytes of a line.
HWY_INLINE __mmask64 first_bytes(Size n) { return ~__mmask64{0} >> (kLine - n); }

// Loads `height` x `width` elements of a square and nothing outside. Repeats the last row for missing rows.
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

// Transposes a square of 64 x 64 bytes with plain stores.
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

// Like plain_square, for `height` x `width` elements. Not inlined, so that the code for whole squares keeps
// its registers.
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

// Transposes the square at row r and column c of a region. A square that crosses the edge is moved back so
// that it ends with the region. Only regions smaller than a square use masked loads and stores, which cost
// more than a whole square.
template <int E, class Rows, class Cols>
HWY_INLINE void square_of_region(const Rows& rows, Size row_count, const Cols& cols, Size col_count, Size r,
                                 Size c) {
  constexpr Size kSide = kLine / E;
  if (row_count >= kSide) r = std::min(r, row_count - kSide);
  // Roomy columns have space for the repeated last row.
  if (col_count >= kSide && (row_count >= kSide || Cols::kRoomy)) {
    c = std::min(c, col_count - kSide);
    plain_square<E>(rows.from(r), c * E, cols.from(c), r * E);
  } else if constexpr (kHasSquares<E>) {
    plain_part<E>(rows.from(r), c * E, std::min(kSide, row_count - r), cols.from(c), r * E,
                  std::min(kSide, col_count - c));
  }
}

// Transposes a region in squares: the outer loop goes over source lines, the inner one along the destination.
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

// Columns whose distance is a multiple of this map to the same sets of the L1 cache.
constexpr std::ptrdiff_t kSameSets = 4096;

// Like transpose_squares above, for strided axes, in blocks of 2 x 2 squares, because L2 transfers adjacent
// lines in pairs. Blocks, and squares within them, go along the side with the shorter stride. If columns
// would evict each other from L1, the function above is used instead. Not inlined, and takes copies of the
// axes, so that squares keep their registers.
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

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
