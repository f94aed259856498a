// SPDX-License-Identifier: Apache-2.0
// Interleaves two, three or four rows into one row of pairs, triples or quadruples, and back.
#if defined(TESSERA_RELAYOUT_INTERLEAVE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_INTERLEAVE_INL_H
#undef TESSERA_RELAYOUT_INTERLEAVE_INL_H
#else
#define TESSERA_RELAYOUT_INTERLEAVE_INL_H
#endif

#include "relayout/kernels/sequence-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

template <int E>
using Lane = typename UnsignedOf<E>::Type;
template <int E>
using Elements = hn::Simd<Lane<E>, 16 * kLanes / E, 0>;

template <int E>
HWY_INLINE const Lane<E>* elements(const std::byte* p) {
  return reinterpret_cast<const Lane<E>*>(p);
}
template <int E>
HWY_INLINE Lane<E>* elements(std::byte* p) {
  return reinterpret_cast<Lane<E>*>(p);
}

// Interleaves one vector of each of K rows, from column `at` on.
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

// Interleaves `count` columns of K rows; the last vector may repeat columns. Not inlined, so that the loop
// around it is compiled once for all E and K.
template <int E, int K>
HWY_NOINLINE void interleave(Strided<const std::byte> rows, Size count, std::byte* to) {
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

// How far ahead the lines of a row are prefetched.
constexpr Size kAhead = 32 * kLine;

// Bytes of each row that one step interleaves, from one region or from several consecutive ones.
constexpr Size kChunkBytes = 2048;
constexpr Size kWays = 4;

using InterleaveRows = void (*)(Strided<const std::byte> rows, Size count, std::byte* to);

template <int E>
InterleaveRows interleave_of(Size ways) {
  return ways == 2 ? interleave<E, 2> : ways == 3 ? interleave<E, 3> : interleave<E, 4>;
}

HWY_INLINE InterleaveRows interleave_of(Size element, Size ways) {
  return select_by_size<1, 2, 4, 8>(static_cast<Index>(element),
                                    [&](auto size) { return interleave_of<size()>(ways); });
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
// Interleaves two rows directly into whole lines; each line takes half a vector of each row.
template <int E>
class PairStream {
 public:
  static constexpr bool kPossible = E > 1;
  static constexpr Size kCount = kLine / E;

  PairStream() {
    alignas(64) Lane<E> low[kCount];
    for (Size i = 0; i < kCount; ++i) low[i] = static_cast<Lane<E>>(i / 2 + i % 2 * kCount);
    low_ = _mm512_load_si512(low);
    for (Size i = 0; i < kCount; ++i) low[i] = static_cast<Lane<E>>(low[i] + kCount / 2);
    high_ = _mm512_load_si512(low);
  }

  HWY_INLINE void operator()(const std::byte* a, const std::byte* b, std::byte* to) const {
    const __m512i va = _mm512_loadu_si512(a);
    const __m512i vb = _mm512_loadu_si512(b);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), pick(va, low_, vb));
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + kLine), pick(va, high_, vb));
  }

 private:
  HWY_INLINE static __m512i pick(__m512i a, __m512i index, __m512i b) {
    if constexpr (E == 2) return _mm512_permutex2var_epi16(a, index, b);
    if constexpr (E == 4) return _mm512_permutex2var_epi32(a, index, b);
    return _mm512_permutex2var_epi64(a, index, b);
  }

  __m512i low_;
  __m512i high_;
};
#else
// PairStream for vectors shorter than a line.
template <int E>
class PairStream {
 public:
  static constexpr bool kPossible = true;
  static constexpr Size kCount = kLine / E;

  HWY_INLINE void operator()(const std::byte* a, const std::byte* b, std::byte* to) const {
    HWY_UNROLL(4)
    for (Size i = 0; i < kLine; i += kVector) {
      const Vector<kLanes> va = load<kLanes>(a + i);
      const Vector<kLanes> vb = load<kLanes>(b + i);
      const Vector<kLanes> low = interleave_lower<E, kLanes>(va, vb);
      const Vector<kLanes> high = interleave_upper<E, kLanes>(va, vb);
      if constexpr (kLanes == 1) {
        hn::Stream(low, Line(), bytes(to + 2 * i));
        hn::Stream(high, Line(), bytes(to + 2 * i + kVector));
      } else {
        hn::Stream(hn::ConcatLowerLower(Line(), high, low), Line(), bytes(to + 2 * i));
        hn::Stream(hn::ConcatUpperUpper(Line(), high, low), Line(), bytes(to + 2 * i + kVector));
      }
    }
  }

 private:
  static constexpr Size kVector = 16 * kLanes;
};
#endif

// Interleaves two rows of whole lines without a buffer.
template <int E>
void interleave_pairs(Odometer loops, Index row_stride, Size count, const std::byte* src, std::byte* dst) {
  const PairStream<E> pairs;
  do {
    for (Size c = 0; c < count; c += PairStream<E>::kCount) {
      const std::byte* from = src + c * E;
      prefetch(from + kAhead);
      prefetch(from + row_stride + kAhead);
      pairs(from, from + row_stride, dst + 2 * c * E);
    }
  } while (loops.next(src, dst));
}

// Returns false without copying unless rows consist of whole lines.
template <int E>
bool stream_pairs(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  if constexpr (PairStream<E>::kPossible) {
    const Size count = static_cast<Size>(bounds.cols);
    if (count % PairStream<E>::kCount != 0) return false;
    interleave_pairs<E>(odometer(sweep, bounds), sweep.rows.src, count, src, dst);
    return true;
  } else {
    return false;
  }
}

HWY_INLINE bool stream_pairs(const Sweep& sweep, const std::byte* src, std::byte* dst,
                             const SweepBounds& bounds) {
  using Stream = bool (*)(const Sweep&, const std::byte*, std::byte*, const SweepBounds&);
  const auto stream =
      select_by_size<1, 2, 4, 8>(sweep.run, [](auto size) -> Stream { return stream_pairs<size()>; });
  return stream(sweep, src, dst, bounds);
}

inline void interleave_kernel(const Sweep& sweep, const std::byte* src, std::byte* dst,
                              const SweepBounds& bounds) {
  alignas(64) std::byte buffers[2][kChunkBytes * kWays];
  const Size element = static_cast<Size>(sweep.run);
  const Size ways = static_cast<Size>(sweep.rows.count);
  const Size group = ways * element;
  const InterleaveRows combine = interleave_of(element, ways);
  const Size count = static_cast<Size>(bounds.cols);
  if (!sweep.policy.stream) {
    Odometer loops = odometer(sweep, bounds);
    do {
      combine({src, sweep.rows.src}, count, dst);
    } while (loops.next(src, dst));
    return;
  }
  // Whole lines can be written in short pieces, in source order. Partial ones are collected into longer
  // pieces.
  const Size rest = (kLine - count * group % kLine) % kLine;
  const bool whole_lines =
      static_cast<Index>(rest) <= slack_of(sweep, bounds) && on_line(dst) && loops_on_line(sweep);
  if (whole_lines && ways == 2 && stream_pairs(sweep, src, dst, bounds)) return fence();
  Following loops = following(sweep, bounds, whole_lines ? 0 : count * group);
  const Loop& next = loops.next;
  const Size chunk = (whole_lines ? kChunkBytes / 8 : kChunkBytes) / element;
  const Index batch = static_cast<Index>(std::max<Size>(1, chunk / count));
  Departing departing;
  Size now = 0;
  do {
    for (Index first = 0; first < next.count; first += batch) {
      const Index regions = std::min(batch, next.count - first);
      for (Size at = 0; at < count; at += chunk) {
        const Size n = std::min(chunk, count - at);
        for (Index i = 0; i < regions; ++i) {
          const std::byte* from = src + (first + i) * next.src + at * element;
          for (Size k = 0; k < ways; ++k) {
            for (Size line = 0; line < n * element; line += kLine) {
              prefetch(from + static_cast<Index>(k) * sweep.rows.src + kAhead + line);
            }
          }
          combine({from, sweep.rows.src}, n, buffers[now] + static_cast<Size>(i) * n * group);
        }
        // Fill slack with 0.
        const Size more = whole_lines && at + n == count ? rest : 0;
        std::memset(buffers[now] + static_cast<Size>(regions) * n * group, 0, more);
        departing.push({buffers[now], 0}, {dst + first * next.dst + at * group, 0}, 1,
                       static_cast<Size>(regions) * n * group + more);
        now = 1 - now;
      }
    }
  } while (loops.others.next(src, dst));
  departing.flush();
  fence();
}

// The destinations of K columns.
template <int K>
struct Columns {
  std::array<std::byte*, K> to;
  HWY_INLINE std::byte* at(Size k) const { return to[k]; }
};

template <int K>
HWY_INLINE Columns<K> columns_at(std::byte* base, Index stride) {
  Columns<K> columns;
  for (Size k = 0; k < K; ++k) columns.to[k] = base + static_cast<Index>(k) * stride;
  return columns;
}

// Splits K vectors at `from` into one vector for each column.
template <int E, int K>
HWY_INLINE void deinterleave_vectors(const std::byte* from, const Columns<K>& cols, Size at) {
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
HWY_INLINE void deinterleave(const std::byte* from, const Columns<K>& cols, Size count) {
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

// For columns with partial lines. Each column is written as a Sequence, which continues into the next region
// if the destination does. Regions with adjacent sources take turns, each with its own sequences.
template <int E, int K>
void deinterleave_sequences(const Sweep& sweep, const std::byte* src, std::byte* dst,
                            const SweepBounds& bounds) {
  constexpr Index kSideBySide = 8;
  constexpr Size kStep = 512;
  const Size bytes = static_cast<Size>(bounds.rows) * E;
  const Following loops = following(sweep, bounds, bytes);
  Odometer walk;
  Loop near;
  for (Size i = 0; i < sweep.loops; ++i) {
    Loop loop = sweep.loop[i];
    if (i == 0) loop.count = bounds.loop;
    if (loop.dst == loops.next.dst) continue;
    if (i + 1 == sweep.loops && loop.count * K <= kSideBySide) {
      near = loop;
    } else {
      walk.add(loop);
    }
  }
  walk.add(loops.next);
  walk.add(near);
  // Prefetch `distance` bytes after `ahead`.
  Odometer later = walk;
  const std::byte* ahead = src;
  std::byte* nowhere = dst;
  Size distance = 2 * kAhead;
  for (; distance >= bytes * K; distance -= bytes * K) later.next(ahead, nowhere);
  Sequence<kStep> columns[kSideBySide];
  for (auto& column : columns) column.expect(bytes * static_cast<Size>(loops.next.count));
  Size first = 0;
  do {
    for (Size at = 0; at < bytes; at += kStep) {
      const Size n = std::min(kStep, bytes - at);
      for (Size line = 0; line < n * K; line += kLine) prefetch(ahead + distance + at * K + line);
      Columns<K> to;
      for (Size k = 0; k < K; ++k)
        to.to[k] = columns[first + k].place(dst + static_cast<Index>(k) * sweep.cols.dst + at, n);
      deinterleave<E, K>(src + at * K, to, n / E);
      for (Size k = 0; k < K; ++k) columns[first + k].step(n / kLine + 1);
    }
    later.next(ahead, nowhere);
    first += K;
    if (first == K * static_cast<Size>(near.count)) first = 0;
  } while (walk.next(src, dst));
  for (auto& column : columns) column.finish();
}

template <int E, int K>
void deinterleave_kernel(const Sweep& sweep, const std::byte* src, std::byte* dst,
                         const SweepBounds& bounds) {
  const Size count = static_cast<Size>(bounds.rows);
  Odometer loops = odometer(sweep, bounds);
  if (!sweep.policy.stream) {
    do {
      deinterleave<E, K>(src, columns_at<K>(dst, sweep.cols.dst), count);
    } while (loops.next(src, dst));
    return;
  }
  const bool whole_lines = on_line(dst) && on_line(static_cast<std::ptrdiff_t>(count * E)) &&
                           on_line(sweep.cols.dst) && loops_on_line(sweep);
  if (!whole_lines) {
    deinterleave_sequences<E, K>(sweep, src, dst, bounds);
    return fence();
  }
  // Whole lines can be written in short pieces, in source order.
  constexpr Size kStep = kChunkBytes / 8 / E;
  // The extra line keeps the columns out of the same cache sets.
  constexpr Size kPitch = kStep * E + kLine;
  alignas(64) std::byte buffers[2][K * kPitch];
  Departing departing;
  Size now = 0;
  do {
    for (Size at = 0; at < count; at += kStep) {
      const Size n = std::min(kStep, count - at);
      const std::byte* from = src + at * K * E;
      for (Size line = 0; line < n * K * E; line += kLine) prefetch(from + 2 * kAhead + line);
      deinterleave<E, K>(from, columns_at<K>(buffers[now], kPitch), n);
      departing.push({buffers[now], kPitch}, {dst + at * E, sweep.cols.dst}, K, n * E);
      now = 1 - now;
    }
  } while (loops.next(src, dst));
  departing.flush();
  fence();
}

template <int E>
Kernel deinterleave_of(Size ways) {
  return ways == 2   ? deinterleave_kernel<E, 2>
         : ways == 3 ? deinterleave_kernel<E, 3>
                     : deinterleave_kernel<E, 4>;
}

HWY_INLINE Kernel deinterleave_of(Size element, Size ways) {
  return select_by_size<1, 2, 4, 8>(static_cast<Index>(element),
                                    [&](auto size) { return deinterleave_of<size()>(ways); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
