// SPDX-License-Identifier: Apache-2.0
// Two, three or four rows become one row of pairs, triples or quadruples, and back.
#if defined(TESSERA_RELAYOUT_INTERLEAVE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_INTERLEAVE_INL_H
#undef TESSERA_RELAYOUT_INTERLEAVE_INL_H
#else
#define TESSERA_RELAYOUT_INTERLEAVE_INL_H
#endif

#include "relayout/kernels/regions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::relayout {
namespace HWY_NAMESPACE {

template <int E>
using Element = typename UnsignedOf<E>::Type;
template <int E>
using Elements = hn::Simd<Element<E>, 16 * kLanes / E, 0>;

template <int E>
HWY_INLINE const Element<E>* elements(const std::byte* p) {
  return reinterpret_cast<const Element<E>*>(p);
}
template <int E>
HWY_INLINE Element<E>* elements(std::byte* p) {
  return reinterpret_cast<Element<E>*>(p);
}

// One vector of each row, from column `at`, to `to`.
template <int E, int K>
HWY_INLINE void interleave_vectors(const Strided<const std::byte>& rows, Size at, std::byte* to) {
  const Elements<E> d;
  const auto a = hn::LoadU(d, elements<E>(rows.at(0) + at * E));
  const auto b = hn::LoadU(d, elements<E>(rows.at(1) + at * E));
  if constexpr (K == 2) {
    hn::StoreInterleaved2(a, b, d, elements<E>(to));
  } else {
    const auto c = hn::LoadU(d, elements<E>(rows.at(2) + at * E));
    if constexpr (K == 3) {
      hn::StoreInterleaved3(a, b, c, d, elements<E>(to));
    } else {
      hn::StoreInterleaved4(a, b, c, hn::LoadU(d, elements<E>(rows.at(3) + at * E)), d, elements<E>(to));
    }
  }
}

// `count` columns of K rows; the last vector may cover columns twice.
template <int E, int K>
HWY_INLINE void interleave(const Strided<const std::byte>& rows, Size count, std::byte* to) {
  constexpr Size kCount = 16 * kLanes / E;
  if (count < kCount) {
    for (Size c = 0; c < count; ++c) {
      for (Size k = 0; k < K; ++k) std::memcpy(to + (c * K + k) * E, rows.at(k) + c * E, E);
    }
    return;
  }
  Size c = 0;
  for (; c + kCount <= count; c += kCount) interleave_vectors<E, K>(rows, c, to + c * K * E);
  if (c < count) interleave_vectors<E, K>(rows, count - kCount, to + (count - kCount) * K * E);
}

template <int E, int K>
void interleave_kernel(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  // Whole lines of the destination and whole vectors of the source.
  constexpr Size kChunk = Size{4096} / E;
  alignas(64) std::byte buffer[kChunk * K * E];
  const Size count = static_cast<Size>(bounds.cols);
  Odometer loops = odometer(leaf, bounds);
  if (!leaf.policy.stream) {
    do {
      interleave<E, K>({src, leaf.rows.src}, count, dst);
    } while (loops.next(src, dst));
    return;
  }
  do {
    for (Size at = 0; at < count; at += kChunk) {
      const Size n = std::min(kChunk, count - at);
      interleave<E, K>({src + at * E, leaf.rows.src}, n, buffer);
      stream_bytes(buffer, dst + at * K * E, n * K * E);
    }
  } while (loops.next(src, dst));
  fence();
}

// One vector of each column from K * vector bytes at `from`.
template <int E, int K>
HWY_INLINE void deinterleave_vectors(const std::byte* from, const Strided<std::byte>& cols, Size at) {
  const Elements<E> d;
  hn::Vec<Elements<E>> a;
  hn::Vec<Elements<E>> b;
  if constexpr (K == 2) {
    hn::LoadInterleaved2(d, elements<E>(from), a, b);
  } else {
    hn::Vec<Elements<E>> c;
    if constexpr (K == 3) {
      hn::LoadInterleaved3(d, elements<E>(from), a, b, c);
    } else {
      hn::Vec<Elements<E>> last;
      hn::LoadInterleaved4(d, elements<E>(from), a, b, c, last);
      hn::StoreU(last, d, elements<E>(cols.at(3) + at * E));
    }
    hn::StoreU(c, d, elements<E>(cols.at(2) + at * E));
  }
  hn::StoreU(a, d, elements<E>(cols.at(0) + at * E));
  hn::StoreU(b, d, elements<E>(cols.at(1) + at * E));
}

template <int E, int K>
HWY_INLINE void deinterleave(const std::byte* from, const Strided<std::byte>& cols, Size count) {
  constexpr Size kCount = 16 * kLanes / E;
  if (count < kCount) {
    for (Size r = 0; r < count; ++r) {
      for (Size k = 0; k < K; ++k) std::memcpy(cols.at(k) + r * E, from + (r * K + k) * E, E);
    }
    return;
  }
  Size r = 0;
  for (; r + kCount <= count; r += kCount) deinterleave_vectors<E, K>(from + r * K * E, cols, r);
  if (r < count) deinterleave_vectors<E, K>(from + (count - kCount) * K * E, cols, count - kCount);
}

template <int E, int K>
void deinterleave_kernel(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds) {
  constexpr Size kChunk = Size{4096} / E;
  // A line more, so that the columns do not share cache sets.
  constexpr Size kPitch = kChunk * E + kLine;
  alignas(64) std::byte buffer[K * kPitch];
  const Size count = static_cast<Size>(bounds.rows);
  Odometer loops = odometer(leaf, bounds);
  if (!leaf.policy.stream) {
    do {
      deinterleave<E, K>(src, {dst, leaf.cols.dst}, count);
    } while (loops.next(src, dst));
    return;
  }
  do {
    for (Size at = 0; at < count; at += kChunk) {
      const Size n = std::min(kChunk, count - at);
      deinterleave<E, K>(src + at * K * E, {buffer, kPitch}, n);
      for (Size k = 0; k < K; ++k) {
        stream_bytes(buffer + k * kPitch, dst + static_cast<Index>(k) * leaf.cols.dst + at * E, n * E);
      }
    }
  } while (loops.next(src, dst));
  fence();
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::relayout
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
