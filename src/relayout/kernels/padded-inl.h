// SPDX-License-Identifier: Apache-2.0
// Transposition of elements of 3 to 15 bytes whose size is not a power of two: each is widened to the next
// power of two, transposed, and narrowed again.
#if defined(TESSERA_RELAYOUT_PADDED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_PADDED_INL_H
#undef TESSERA_RELAYOUT_PADDED_INL_H
#else
#define TESSERA_RELAYOUT_PADDED_INL_H
#endif

#include "relayout/kernels/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// Transposes tiles of K x K elements of `bytes` bytes, each widened to P = 16 / K bytes.
template <int P>
class PaddedTile {
 public:
  static constexpr Size K = 16 / P;

  explicit PaddedTile(Size bytes) : bytes_(bytes), back_(16 - K * bytes) {
    alignas(16) std::uint8_t widen[16];
    alignas(16) std::uint8_t widen_last[16];
    alignas(16) std::uint8_t narrow[16];
    for (Size i = 0; i < 16; ++i) {
      const Size from = i / P * bytes + std::min(i % P, bytes - 1);
      widen[i] = static_cast<std::uint8_t>(from);
      widen_last[i] = static_cast<std::uint8_t>(from + back_);
      narrow[i] = static_cast<std::uint8_t>(i < K * bytes ? i / bytes * P + i % bytes : 0);
    }
    widen_ = hn::Load(Bytes<1>(), widen);
    widen_last_ = hn::Load(Bytes<1>(), widen_last);
    narrow_ = hn::Load(Bytes<1>(), narrow);
  }

  // Transposes K elements from column `col` on of each of K rows. Reads 16 bytes of each row, none of them
  // past column `cols`. May write up to 7 bytes after the K elements of each column.
  HWY_INLINE void move(const Strided<const std::byte>& rows, Size col, Size cols,
                       const Strided<std::byte>& columns, Size row) const {
    const bool last = col * bytes_ + 16 > cols * bytes_;
    const Size at = col * bytes_ - (last ? back_ : 0);
    const Vector<1> widen = last ? widen_last_ : widen_;
    Vector<1> v[K];
    HWY_UNROLL(4)
    for (Size k = 0; k < K; ++k) v[k] = hn::TableLookupBytes(load<1>(rows.at(k) + at), widen);
    transpose_pieces<P, 1>(v);
    HWY_UNROLL(4)
    for (Size k = 0; k < K; ++k)
      store<1>(hn::TableLookupBytes(v[k], narrow_), columns.at(col + k) + row * bytes_);
  }

 private:
  Size bytes_;
  Size back_;  // bytes of a vector that K elements do not use
  Vector<1> widen_;
  Vector<1> widen_last_;
  Vector<1> narrow_;
};

// Writes the columns of a block from a buffer to the destination, a few at a time.
struct LeavingColumns {
  Strided<const std::byte> from = {};
  Strided<std::byte> to = {};
  Size count = 0;
  Size bytes = 0;
  bool stream = false;

  HWY_INLINE void step(Size columns) {
    const Size now = std::min(columns, count);
    for (Size c = 0; c < now; ++c) {
      if (stream) {
        stream_bytes(from.at(c), to.at(c), bytes);
      } else {
        copy_bytes(from.at(c), to.at(c), bytes);
      }
    }
    from = from.from(now);
    to = to.from(now);
    count -= now;
  }
};

// Executes a copy sweep whose columns are contiguous in the destination and whose rows are contiguous in the
// source, as a transposition: the sweep's rows become the columns of the transposition. Each block is
// transposed into one buffer while the other is written and the next block is prefetched. The last blocks are
// moved back so that they end with the region.
template <int P>
void padded_sweep(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  constexpr Size kBuffer = Size{32} << 10;
  alignas(64) std::byte buffers[2][kBuffer];
  const Size n = static_cast<Size>(sweep.run);
  const Size row_count = static_cast<Size>(bounds.cols);
  const Size col_count = static_cast<Size>(bounds.rows);
  // Columns start at line boundaries. Each takes 448 to 1024 bytes, including an extra line against cache set
  // conflicts.
  const Size height = std::min<Size>(row_count, P == 4 ? 128 : 64);
  const Size width = std::min<Size>(col_count, P == 16 ? 32 : 64);
  const Size pitch = (height * n + 2 * kLine - 1) / kLine * kLine;
  const PaddedTile<P> tile(n);
  constexpr Size K = 16 / P;
  LeavingColumns leaving;
  Size now = 0;
  Odometer loops = odometer(sweep, bounds);
  do {
    const auto block_rows = [&](Size row, Size col) HWY_ATTR {
      return Strided<const std::byte>{src + static_cast<Index>(row) * sweep.cols.src + col * n,
                                      sweep.cols.src};
    };
    for (Size next_row = 0; next_row < row_count; next_row += height) {
      const Size row = std::min(next_row, row_count - height);
      for (Size next_col = 0; next_col < col_count; next_col += width) {
        const Size col = std::min(next_col, col_count - width);
        const auto rows = block_rows(row, col);
        const auto ahead =
            col + width < col_count ? block_rows(row, col + width) : block_rows(row + height, 0);
        const Strided<std::byte> columns{buffers[now], static_cast<std::ptrdiff_t>(pitch)};
        for (Size below = 0; below < height; below += K) {
          const Size r = std::min(below, height - K);
          for (Size c = 0; c < width; c += K)
            tile.move(rows.from(r), std::min(c, width - K), width, columns, r);
          for (Size k = 0; k < K; ++k) {
            for (Size line = 0; line < width * n; line += kLine) prefetch(ahead.at(r + k) + line);
          }
          leaving.step((width * K + height - 1) / height);
        }
        leaving.step(width);
        leaving = {{buffers[now], static_cast<std::ptrdiff_t>(pitch)},
                   {dst + row * n + static_cast<Index>(col) * sweep.rows.dst, sweep.rows.dst},
                   width,
                   height * n,
                   sweep.policy.stream};
        now = 1 - now;
      }
    }
  } while (loops.next(src, dst));
  leaving.step(leaving.count);
  if (sweep.policy.stream) fence();
}

// Returns false without copying if elements have another size or there are too few of them.
HWY_INLINE bool transpose_padded(const Sweep& sweep, const std::byte* src, std::byte* dst,
                                 const SweepBounds& bounds) {
  const Index n = sweep.run;
  if (n < 3 || n > 15 || (n & (n - 1)) == 0) return false;
  if (sweep.cols.dst != n || sweep.rows.src != n) return false;
  if (bounds.cols < 4 || bounds.rows * n < 16) return false;
  const auto padded = n < 4 ? padded_sweep<4> : n < 8 ? padded_sweep<8> : padded_sweep<16>;
  padded(sweep, src, dst, bounds);
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
