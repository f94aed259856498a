// SPDX-License-Identifier: Apache-2.0
// Transposition of regions with plain stores, in squares or in tiles of 16-byte pieces. Rows of the source
// become columns of the destination.
#if defined(TESSERA_RELAYOUT_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_TILES_INL_H
#undef TESSERA_RELAYOUT_TILES_INL_H
#else
#define TESSERA_RELAYOUT_TILES_INL_H
#endif

#include "relayout/kernels/squares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// Transposes columns [first, last) of K * L rows in whole tiles; the last tile is moved back so that it ends
// at `last`.
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

// Transposes any region: the outer loop goes over source lines, the inner one along the destination. Edges
// may be written twice, with the same bytes. Calls `between(n)` between tiles after every n lines, so that
// callers can interleave other memory traffic.
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

// Rows that each start some bytes later.
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
