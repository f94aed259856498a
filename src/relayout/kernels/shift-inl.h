// SPDX-License-Identifier: Apache-2.0
// Streaming transposition into long columns that begin anywhere within lines. Squares are transposed in
// registers; a line of a column takes its first elements from one square and the others from the next one
// below.
#if defined(TESSERA_RELAYOUT_SHIFT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_SHIFT_INL_H
#undef TESSERA_RELAYOUT_SHIFT_INL_H
#else
#define TESSERA_RELAYOUT_SHIFT_INL_H
#endif

#include "relayout/kernels/stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// Shorter columns are combined in a buffer instead, because each has two partial lines, which are expensive
// to write directly.
constexpr Size kShiftedColumn = Size{2} << 10;

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
// For single bytes, selecting from two vectors needs VBMI.
template <int E>
constexpr bool kHasShifts = kHasHalves<E> && (E > 1 || HWY_TARGET == HWY_AVX3_DL);

// Rows of a band. The last square of the band above is read again, for the lines that begin in it.
constexpr Size kShiftedBand = 512;

// The line of elements that starts at element `at` of two consecutive vectors.
template <int E>
HWY_INLINE __m512i elements_from(__m512i low, __m512i high, std::uint32_t at) {
  if constexpr (E == 1) {
    alignas(64) static constexpr auto kIota = [] {
      std::array<std::uint8_t, 64> iota{};
      for (std::uint8_t i = 0; i < 64; ++i) iota[i] = i;
      return iota;
    }();
    const __m512i index =
        _mm512_add_epi8(_mm512_load_si512(kIota.data()), _mm512_set1_epi8(static_cast<char>(at)));
    return _mm512_permutex2var_epi8(low, index, high);
  } else if constexpr (E == 2) {
    alignas(64) static constexpr auto kIota = [] {
      std::array<std::uint16_t, 32> iota{};
      for (std::uint16_t i = 0; i < 32; ++i) iota[i] = i;
      return iota;
    }();
    const __m512i index =
        _mm512_add_epi16(_mm512_load_si512(kIota.data()), _mm512_set1_epi16(static_cast<short>(at)));
    return _mm512_permutex2var_epi16(low, index, high);
  } else if constexpr (E == 4) {
    const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i index = _mm512_add_epi32(iota, _mm512_set1_epi32(static_cast<int>(at)));
    return _mm512_permutex2var_epi32(low, index, high);
  } else {
    const __m512i iota = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i index = _mm512_add_epi64(iota, _mm512_set1_epi64(at));
    return _mm512_permutex2var_epi64(low, index, high);
  }
}

// Writes the columns of one square's width, from the top row down.
template <int E>
class ShiftedColumns {
 public:
  static constexpr Size kSide = kLine / E;

  HWY_INLINE ShiftedColumns(const Strided<std::byte>& cols, Size row_count) : bytes_(row_count * E) {
    for (Size c = 0; c < kSide; ++c) {
      column_[c] = cols.at(c);
      held_[c] = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(column_[c]) % kLine);
    }
  }

  // Loads the square above a band. Only the lines that begin in it and end in the band need it.
  template <class Rows>
  HWY_INLINE void begin(const Rows& rows) {
    put<0>(rows, [](Size) HWY_ATTR {}, [](Size, __m512i, __m512i) HWY_ATTR {});
    put<1>(rows, [](Size) HWY_ATTR {}, [](Size, __m512i, __m512i) HWY_ATTR {});
  }

  // Writes the lines that end in the square at `row`, which are all whole.
  template <class Rows, class Between>
  HWY_INLINE void lines(const Rows& rows, Size row, const Between& between) {
    const auto line = [&](Size c, __m512i before, __m512i now) HWY_ATTR {
      const __m512i v = elements_from<E>(before, now, static_cast<std::uint32_t>(kSide) - held_[c] / E);
      _mm512_stream_si512(reinterpret_cast<__m512i*>(column_[c] + row * E - held_[c]), v);
    };
    put<0>(rows, between, line);
    put<1>(rows, between, line);
  }

  // Like lines(), but for the ends of columns, where lines are partial. `row` may be past the last row.
  template <class Rows>
  HWY_NOINLINE void ends(const Rows& rows, Size row) {
    const auto line = [&](Size c, __m512i before, __m512i now) HWY_ATTR {
      const __m512i v = elements_from<E>(before, now, static_cast<std::uint32_t>(kSide) - held_[c] / E);
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row * E) - held_[c];
      const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(bytes_) - at;
      if (left <= 0) return;
      __mmask64 mask =
          left < static_cast<std::ptrdiff_t>(kLine) ? first_bytes(static_cast<Size>(left)) : ~__mmask64{0};
      if (at < 0) mask &= ~__mmask64{0} << -at;
      _mm512_mask_storeu_epi8(column_[c] + at, mask, v);
    };
    const auto nothing = [](Size) HWY_ATTR {};
    put<0>(rows, nothing, line);
    put<1>(rows, nothing, line);
  }

 private:
  template <int kHalf, class Rows, class Between, class Use>
  HWY_INLINE void put(const Rows& rows, const Between& between, const Use& use) {
    constexpr Size kCount = kSide / 2;
    Vector<4> v[kCount];
    transpose_half<E>(rows, kHalf * kLine / 2, v);
    HWY_UNROLL(32)
    for (Size i = 0; i < kCount; ++i) {
      const Size c = kHalf * kCount + i;
      between(c);
      std::byte* const slot = before_ + c * kLine;
      const __m512i before = _mm512_load_si512(slot);
      _mm512_store_si512(slot, v[i].raw);
      use(c, before, v[i].raw);
    }
  }

  Size bytes_;
  std::array<std::byte*, kSide> column_;
  std::array<std::uint32_t, kSide> held_;
  alignas(64) std::byte before_[kSide * kLine] = {};
};

// A list of rows that returns the last row for all later indices.
template <class Rows>
struct Clamped {
  Rows rows;
  Size last;
  HWY_INLINE const std::byte* at(Size r) const { return rows.at(std::min(r, last)); }
};

// Transposes one region in bands of rows. Within a band, squares follow the source rows.
template <int E>
void shift_region(const Strided<const std::byte>& rows, Size row_count, const Strided<std::byte>& cols,
                  Size col_count) {
  using Rows = Strided<const std::byte>;
  constexpr Size kSide = kLine / E;
  const Size whole_rows = row_count / kSide * kSide;
  for (Size first = 0; first < whole_rows; first += kShiftedBand) {
    const Size last = std::min(whole_rows, first + kShiftedBand);
    const Size start = first - std::min(first, kSide);  // includes the square that is read again
    const bool lower = last < whole_rows;
    const Ahead<Rows> ahead{4 * kLine, rows.from(lower ? last - kSide : start),
                            lower ? std::min(kShiftedBand + kSide, row_count - last + kSide) : last - start};
    for (Size to = 0; to < col_count; to += kSide) {
      // If fewer columns are left than a square has, repeat some.
      const Size col = std::min(to, col_count - kSide);
      ShiftedColumns<E> columns(cols.from(col), row_count);
      const Shifted<Rows> here{rows, col * E};
      const Rows band = rows.from(start);
      if (first > 0) {
        const Hint<Rows> hint = ahead.hint(band, 0, col * E, col_count * E);
        for (Size r = 0; r < kSide; ++r) hint(r);
        columns.begin(here.from(start));
      } else {
        columns.ends(here, 0);
      }
      for (Size row = first == 0 ? kSide : first; row < last; row += kSide) {
        columns.lines(here.from(row), row, ahead.hint(band, row - start, col * E, col_count * E));
      }
      if (lower) continue;
      // The last rows, fewer than a square, and the lines that end after them.
      for (Size row = whole_rows; row < row_count + kSide; row += kSide) {
        const Size at = std::min(row, row_count - 1);
        columns.ends(Clamped<Shifted<Rows>>{here.from(at), row_count - 1 - at}, row);
      }
    }
  }
}

// True if destination elements are aligned to their size in every pass, so that lines end between elements.
template <int E>
HWY_INLINE bool is_aligned(const Sweep& sweep, const std::byte* dst) {
  const auto whole = [](Index offset) HWY_ATTR { return offset % E == 0; };
  bool all = reinterpret_cast<std::uintptr_t>(dst) % E == 0 && whole(sweep.cols.dst);
  for (Size i = 0; i < sweep.loops; ++i) all = all && whole(sweep.loop[i].dst);
  return all;
}

// Returns false without copying if columns are short or elements are not aligned to their size.
template <int E>
bool shift_sweep(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  if constexpr (kHasShifts<E>) {
    const Size row_count = static_cast<Size>(bounds.rows);
    const Size col_count = static_cast<Size>(bounds.cols);
    if (row_count * E < kShiftedColumn || col_count < kLine / E || !is_aligned<E>(sweep, dst)) return false;
    Odometer loops = odometer(sweep, bounds);
    do {
      shift_region<E>({src, sweep.rows.src}, row_count, {dst, sweep.cols.dst}, col_count);
    } while (loops.next(src, dst));
    return true;
  }
  return false;
}
#else
template <int E>
HWY_INLINE bool shift_sweep(const Sweep&, const std::byte*, std::byte*, const SweepBounds&) {
  return false;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
