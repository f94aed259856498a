// SPDX-License-Identifier: Apache-2.0
// Transposition in pieces of 16 bytes, which hold K = 16 / E elements.
// A vector holds the same piece of rows r, r + K, r + 2K, r + 3K (as many as it has lanes). log2(K) rounds of
// interleaving turn K such vectors into K destination runs, each as long as a vector. No shuffle crosses a
// piece, so one scheme works for all vector widths.
#if defined(TESSERA_RELAYOUT_PIECES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_PIECES_INL_H
#undef TESSERA_RELAYOUT_PIECES_INL_H
#else
#define TESSERA_RELAYOUT_PIECES_INL_H
#endif

#include "relayout/kernels/regions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// Each round exchanges one bit of the row number with one bit of the position within a piece.
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

// Loads into v[k] the pieces at byte `at` of rows k, k + K, ..., one for each lane.
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

// Transposes K columns of K * L rows, from byte `at` of each row to byte `to` of each column.
template <int E, int L, class Rows, class Cols>
HWY_INLINE void transpose_tile(const Rows& rows, Size at, const Cols& cols, Size to) {
  constexpr Size K = 16 / E;
  Vector<L> v[K];
  gather_rows<E, L>(rows, at, v);
  transpose_pieces<E, L>(v);
  HWY_UNROLL(16)
  for (Size k = 0; k < K; ++k) store<L>(v[k], cols.at(k) + to);
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
