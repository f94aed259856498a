// SPDX-License-Identifier: Apache-2.0
// Vectors of 16-byte pieces, and the loads, stores and copies of lines that all kernels use. Compiled per
// target.
#if defined(TESSERA_RELAYOUT_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_VECTORS_INL_H
#undef TESSERA_RELAYOUT_VECTORS_INL_H
#else
#define TESSERA_RELAYOUT_VECTORS_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLine = 64;
constexpr std::size_t kPiece = 16;
// 16-byte pieces in the widest vector used: 4, 2 or 1.
constexpr int kLanes = HWY_MAX_BYTES >= 64 ? 4 : HWY_MAX_BYTES >= 32 ? 2 : 1;

template <int L>
using Bytes = hn::Simd<std::uint8_t, 16 * L, 0>;
template <int L>
using Vector = hn::Vec<Bytes<L>>;
using Line = Bytes<kLanes>;

HWY_INLINE const std::uint8_t* bytes(const std::byte* p) { return reinterpret_cast<const std::uint8_t*>(p); }
HWY_INLINE std::uint8_t* bytes(std::byte* p) { return reinterpret_cast<std::uint8_t*>(p); }

template <int L>
HWY_INLINE Vector<L> load(const std::byte* p) {
  return hn::LoadU(Bytes<L>(), bytes(p));
}

template <int L>
HWY_INLINE void store(Vector<L> v, std::byte* p) {
  hn::StoreU(v, Bytes<L>(), bytes(p));
}

// Loads a vector from L pieces at arbitrary addresses.
HWY_INLINE Vector<1> gather_pieces(const std::byte* a) { return load<1>(a); }
#if HWY_MAX_BYTES >= 32
HWY_INLINE Vector<2> gather_pieces(const std::byte* a, const std::byte* b) {
  return hn::Combine(Bytes<2>(), load<1>(b), load<1>(a));
}
#endif
#if HWY_MAX_BYTES >= 64
HWY_INLINE Vector<4> gather_pieces(const std::byte* a, const std::byte* b, const std::byte* c,
                                   const std::byte* d) {
  // Inserts from memory take no shuffle unit, unlike a join of two registers.
  __m512i v = _mm512_castsi128_si512(load<1>(a).raw);
  v = _mm512_inserti32x4(v, load<1>(b).raw, 1);
  v = _mm512_inserti32x4(v, load<1>(c).raw, 2);
  return Vector<4>{_mm512_inserti32x4(v, load<1>(d).raw, 3)};
}
#endif

template <int E>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using Type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using Type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using Type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using Type = std::uint64_t;
};

// Within each piece: interleaves the elements of the lower (upper) halves of a and b.
template <int E, int L>
HWY_INLINE Vector<L> interleave_lower(Vector<L> a, Vector<L> b) {
  const hn::Simd<typename UnsignedOf<E>::Type, 16 * L / E, 0> d;
  return hn::BitCast(Bytes<L>(), hn::InterleaveLower(d, hn::BitCast(d, a), hn::BitCast(d, b)));
}
template <int E, int L>
HWY_INLINE Vector<L> interleave_upper(Vector<L> a, Vector<L> b) {
  const hn::Simd<typename UnsignedOf<E>::Type, 16 * L / E, 0> d;
  return hn::BitCast(Bytes<L>(), hn::InterleaveUpper(d, hn::BitCast(d, a), hn::BitCast(d, b)));
}

// Streams the 64 bytes at `from` (any address) to the line at `to` (a multiple of 64).
HWY_INLINE void stream_line(const std::byte* from, std::byte* to) {
  HWY_UNROLL(4)
  for (int i = 0; i < 4; i += kLanes) {
    hn::Stream(load<kLanes>(from + 16 * i), Line(), bytes(to + 16 * i));
  }
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr bool kJoinsLines = true;
// Streams a line made of `held` bytes at `low` and the rest from `high`. Reads nothing else.
HWY_INLINE void stream_joined(const std::byte* low, std::size_t held, const std::byte* high, std::byte* to) {
  const __mmask64 mask = (__mmask64{1} << held) - 1;
  const __m512i v = _mm512_maskz_loadu_epi8(mask, low);
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_mask_loadu_epi8(v, ~mask, high - held));
}
// Streams a line whose first n <= 64 bytes come from `from`; the others become 0.
HWY_INLINE void stream_first(const std::byte* from, std::size_t n, std::byte* to) {
  const __mmask64 mask = ~__mmask64{0} >> (kLine - n);
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_maskz_loadu_epi8(mask, from));
}
#else
constexpr bool kJoinsLines = false;
HWY_INLINE void stream_first(const std::byte*, std::size_t, std::byte*) {}
HWY_INLINE void stream_joined(const std::byte*, std::size_t, const std::byte*, std::byte*) {}
#endif

HWY_INLINE void copy_line(const std::byte* from, std::byte* to) {
  HWY_UNROLL(4)
  for (int i = 0; i < 4; i += kLanes) store<kLanes>(load<kLanes>(from + 16 * i), to + 16 * i);
}

// Copies n < 64 bytes in at most two moves of each width, which may overlap.
HWY_INLINE void copy_below_line(const std::byte* from, std::byte* to, std::size_t n) {
  if (n >= 32) {
    const Vector<1> a = load<1>(from);
    const Vector<1> b = load<1>(from + 16);
    const Vector<1> c = load<1>(from + n - 32);
    const Vector<1> d = load<1>(from + n - 16);
    store<1>(a, to);
    store<1>(b, to + 16);
    store<1>(c, to + n - 32);
    store<1>(d, to + n - 16);
  } else if (n >= 16) {
    const Vector<1> a = load<1>(from);
    const Vector<1> b = load<1>(from + n - 16);
    store<1>(a, to);
    store<1>(b, to + n - 16);
  } else if (n >= 8) {
    std::uint64_t a;
    std::uint64_t b;
    std::memcpy(&a, from, 8);
    std::memcpy(&b, from + n - 8, 8);
    std::memcpy(to, &a, 8);
    std::memcpy(to + n - 8, &b, 8);
  } else if (n >= 4) {
    std::uint32_t a;
    std::uint32_t b;
    std::memcpy(&a, from, 4);
    std::memcpy(&b, from + n - 4, 4);
    std::memcpy(to, &a, 4);
    std::memcpy(to + n - 4, &b, 4);
  } else if (n >= 2) {
    std::uint16_t a;
    std::uint16_t b;
    std::memcpy(&a, from, 2);
    std::memcpy(&b, from + n - 2, 2);
    std::memcpy(to, &a, 2);
    std::memcpy(to + n - 2, &b, 2);
  } else if (n == 1) {
    *to = *from;
  }
}

// Copies n >= 64 bytes; the last line may overlap the one before it.
HWY_INLINE void copy_lines(const std::byte* from, std::byte* to, std::size_t n) {
  std::size_t i = 0;
  for (; i + 4 * kLine <= n; i += 4 * kLine) {
    HWY_UNROLL(4)
    for (std::size_t k = 0; k < 4; ++k) copy_line(from + i + k * kLine, to + i + k * kLine);
  }
  for (; i + kLine <= n; i += kLine) copy_line(from + i, to + i);
  if (i < n) copy_line(from + n - kLine, to + n - kLine);
}

HWY_INLINE void copy_bytes(const std::byte* from, std::byte* to, std::size_t n) {
  if (n < kLine) {
    copy_below_line(from, to, n);
  } else {
    copy_lines(from, to, n);
  }
}

// Writes whole lines of the destination with streaming stores, and the ends with plain stores.
HWY_INLINE void stream_bytes(const std::byte* from, std::byte* to, std::size_t n) {
  const std::size_t head = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
  if (n < head + kLine) return copy_bytes(from, to, n);
  copy_below_line(from, to, head);
  std::size_t i = head;
  for (; i + kLine <= n; i += kLine) stream_line(from + i, to + i);
  copy_below_line(from + i, to + i, n - i);
}

// Prefetches a line for reading; the address may be invalid. Always prefetches into L1, even far ahead: while
// streaming stores wait for memory, loads from L2 stall, which costs a fifth of the speed.
HWY_INLINE void prefetch(const std::byte* p) { __builtin_prefetch(p, 0, 3); }

// Prefetches the partial first and last lines that a later stream_bytes writes, so that these stores do
// not stall the ones after them.
HWY_INLINE void expect_ends(const std::byte* to, std::size_t n) {
  __builtin_prefetch(to, 1, 3);
  __builtin_prefetch(to + n, 1, 3);
}

HWY_INLINE void fence() { hwy::FlushStream(); }

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
