// SPDX-License-Identifier: Apache-2.0
// Copies of single elements, contiguous on at most one side, and the fill of padding.
#if defined(TESSERA_RELAYOUT_GATHER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_GATHER_INL_H
#undef TESSERA_RELAYOUT_GATHER_INL_H
#else
#define TESSERA_RELAYOUT_GATHER_INL_H
#endif

#include "relayout/kernels/regions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// Copies any sweep, element by element.
template <int E>
void table_kernel(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  Odometer loops = odometer(sweep, bounds);
  do {
    const Scattered<const std::byte> from_rows{src, sweep.rows.src, sweep.rows.src_table};
    const Scattered<std::byte> to_rows{dst, sweep.rows.dst, sweep.rows.dst_table};
    for (Size r = 0; r < static_cast<Size>(bounds.rows); ++r) {
      const Scattered<const std::byte> from{from_rows.at(r), sweep.cols.src, sweep.cols.src_table};
      const Scattered<std::byte> to{to_rows.at(r), sweep.cols.dst, sweep.cols.dst_table};
      for (Size c = 0; c < static_cast<Size>(bounds.cols); ++c) std::memcpy(to.at(c), from.at(c), E);
    }
  } while (loops.next(src, dst));
}

template <int E, class From>
HWY_INLINE void gather_row(const From& from, Size count, std::byte* to) {
  Size c = 0;
  for (; c + 4 <= count; c += 4) {
    HWY_UNROLL(4)
    for (Size k = 0; k < 4; ++k) std::memcpy(to + (c + k) * E, from.at(c + k), E);
  }
  for (; c < count; ++c) std::memcpy(to + c * E, from.at(c), E);
}

// Copies `count` elements in reverse: `from` is the first one of the destination and has the highest address.
template <int E>
HWY_INLINE void reverse_run(const std::byte* from, Size count, std::byte* to) {
  constexpr Size K = 16 / E;
  if (count < K) return gather_row<E>(Strided<const std::byte>{from, -E}, count, to);
  alignas(16) std::uint8_t backwards[16];
  for (Size i = 0; i < 16; ++i) backwards[i] = static_cast<std::uint8_t>((K - 1 - i / E) * E + i % E);
  const Vector<1> order = hn::Load(Bytes<1>(), backwards);
  const auto reverse_piece = [&](Size c) HWY_ATTR {
    store<1>(hn::TableLookupBytes(load<1>(from - (c + K - 1) * E), order), to + c * E);
  };
  Size c = 0;
  for (; c + K <= count; c += K) reverse_piece(c);
  if (c < count) reverse_piece(count - K);
}

// Copies source rows in reverse.
template <int E>
void reverse_sweep(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  constexpr Size kBytes = 4096;
  constexpr Size kChunk = kBytes / E;
  alignas(64) std::byte buffers[2][kBytes];
  const Size count = static_cast<Size>(bounds.cols);
  Departing departing;
  Size now = 0;
  Odometer loops = odometer(sweep, bounds);
  do {
    const Scattered<const std::byte> from_rows{src, sweep.rows.src, sweep.rows.src_table};
    const Scattered<std::byte> to_rows{dst, sweep.rows.dst, sweep.rows.dst_table};
    const Size row_count = static_cast<Size>(bounds.rows);
    for (Size r = 0; r < row_count; ++r) {
      for (Size at = 0; at < count; at += kChunk) {
        const Size n = std::min(kChunk, count - at);
        const std::byte* const from = from_rows.at(r) - at * E;
        std::byte* const to = to_rows.at(r) + at * E;
        if (!sweep.policy.stream) {
          reverse_run<E>(from, n, to);
          continue;
        }
        const std::byte* const next =
            at + n < count ? from - kBytes : from_rows.at(std::min(r + 1, row_count - 1));
        for (Size line = 0; line < n * E; line += kLine) prefetch(next - line);
        reverse_run<E>(from, n, buffers[now]);
        departing.push({buffers[now], 0}, {to, 0}, 1, n * E);
        now = 1 - now;
      }
    }
  } while (loops.next(src, dst));
  departing.flush();
  if (sweep.policy.stream) fence();
}

// Gathers each destination row from anywhere in the source.
template <int E>
void gather_kernel(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  constexpr Size kChunk = Size{4096} / E;
  alignas(64) std::byte buffer[kChunk * E];
  const Size count = static_cast<Size>(bounds.cols);
  const Index* table = sweep.cols.src_table;
  if (table == nullptr && sweep.cols.src == -E) return reverse_sweep<E>(sweep, src, dst, bounds);
  Odometer loops = odometer(sweep, bounds);
  do {
    const Scattered<const std::byte> from_rows{src, sweep.rows.src, sweep.rows.src_table};
    const Scattered<std::byte> to_rows{dst, sweep.rows.dst, sweep.rows.dst_table};
    for (Size r = 0; r < static_cast<Size>(bounds.rows); ++r) {
      const std::byte* from = from_rows.at(r);
      std::byte* to = to_rows.at(r);
      for (Size at = 0; at < count; at += kChunk) {
        const Size n = std::min(kChunk, count - at);
        std::byte* out = sweep.policy.stream ? buffer : to + at * E;
        if (table != nullptr) {
          gather_row<E>(Scattered<const std::byte>{from, 0, table + at}, n, out);
        } else {
          gather_row<E>(
              Strided<const std::byte>{from + static_cast<Index>(at) * sweep.cols.src, sweep.cols.src}, n,
              out);
        }
        if (sweep.policy.stream) stream_bytes(buffer, to + at * E, n * E);
      }
    }
  } while (loops.next(src, dst));
  if (sweep.policy.stream) fence();
}

inline void fill_kernel(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  // The pattern five times, so that a whole line can start at any byte of the first copy.
  alignas(64) std::byte pattern[5 * kPiece];
  const std::byte* given = std::get_if<mover::Fill>(&sweep.mover)->pattern.data();
  for (Size i = 0; i < 5; ++i) std::memcpy(pattern + i * kPiece, given, kPiece);
  const Size n = static_cast<Size>(sweep.run);
  Odometer loops = odometer(sweep, bounds);
  do {
    const Scattered<std::byte> rows{dst, sweep.rows.dst, sweep.rows.dst_table};
    for (Size r = 0; r < static_cast<Size>(bounds.rows); ++r) {
      const Scattered<std::byte> cols{rows.at(r), sweep.cols.dst, sweep.cols.dst_table};
      for (Size c = 0; c < static_cast<Size>(bounds.cols); ++c) {
        std::byte* to = cols.at(c);
        Size i = 0;
        if (sweep.policy.stream) {
          const Size head = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
          if (head + kLine <= n) {
            copy_below_line(pattern, to, head);
            for (i = head; i + kLine <= n; i += kLine) stream_line(pattern + head % kPiece, to + i);
          }
        }
        const std::byte* from = pattern + i % kPiece;
        for (; i + kLine <= n; i += kLine) copy_line(from, to + i);
        copy_below_line(from, to + i, n - i);
      }
    }
  } while (loops.next(src, dst));
  if (sweep.policy.stream) fence();
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
