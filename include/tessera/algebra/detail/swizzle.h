// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations on swizzles.
#pragma once

#include "tessera/algebra/composed_layout.h"

namespace tessera {

namespace detail {
/// Sw<bits,base,shift>. Errors: bad_swizzle.
constexpr Outcome<Swizzle> make_swizzle(Index bits, Index base, Index shift) {
  const Index reach = shift < 0 ? -(shift + 1) : shift;  // at most |shift|, and never overflows
  if (bits < 0 || base < 0 || bits > 62 || base > 62 || reach > 62) {
    return refuse(Code::bad_swizzle, bits, shift);
  }
  const Index distance = shift < 0 ? -shift : shift;
  if (distance < bits || bits + base + distance > 62) return refuse(Code::bad_swizzle, bits, shift);
  return Swizzle{static_cast<int>(bits), static_cast<int>(base), static_cast<int>(shift)};
}

/// The swizzle that XORs the bits of `read` into those of `write`; (0,0) is Sw<0,0,0>. Errors: swizzle_masks
/// (no swizzle has these masks). Example: masks 0b1000 and 0b0100 give Sw<1,2,1>.
constexpr Outcome<Swizzle> swizzle_from_masks(Index read, Index write) {
  if (read == 0 && write == 0) return Swizzle{0, 0, 0};
  const AlgebraError no = refuse(Code::swizzle_masks, read, write);
  if (read <= 0 || write <= 0) return no;
  const int from = __builtin_ctzll(static_cast<unsigned long long>(read));
  const int to = __builtin_ctzll(static_cast<unsigned long long>(write));
  const int bits = __builtin_popcountll(static_cast<unsigned long long>(read));
  const Outcome<Swizzle> s = make_swizzle(bits, from < to ? from : to, from - to);
  if (!s || s->read_mask() != read || s->write_mask() != write) return no;
  return s;
}

/// The smallest power of two such that the swizzle maps every aligned block of that size onto itself.
constexpr Index block_of(const Swizzle& s) {
  return s.is_identity() ? 1 : Index{1} << (s.bits + s.base + (s.shift < 0 ? -s.shift : s.shift));
}

/// The composition of two swizzles as a single swizzle. Errors: swizzle_shift_mismatch, swizzle_masks (no
/// single swizzle equals their composition).
constexpr Outcome<Swizzle> swizzle_compose(const Swizzle& a, const Swizzle& b) {
  if (a.is_identity()) return b;
  if (b.is_identity()) return a;
  if (a.shift != b.shift) return refuse(Code::swizzle_shift_mismatch, a.shift, b.shift);
  const AlgebraError no =
      refuse(Code::swizzle_masks, a.read_mask() ^ b.read_mask(), a.write_mask() ^ b.write_mask());
  // If one swizzle writes bits that the other reads, the order matters, and XORing the masks would be wrong.
  if ((a.read_mask() & b.write_mask()) != 0 || (a.write_mask() & b.read_mask()) != 0) return no;
  return swizzle_from_masks(no.first, no.second);
}

/// k when n = 2^k, else -1.
constexpr int log2_exact(Index n) {
  return n > 0 && (n & (n - 1)) == 0 ? __builtin_ctzll(static_cast<unsigned long long>(n)) : -1;
}

/// The error for a swizzle of elements whose width changes by a factor that is not a power of two.
constexpr AlgebraError not_a_power_of_two(Index n) {
  AlgebraError e = refuse(Code::recast_divisibility, n, 2);
  e.reason = AlgebraReason::not_power_of_two;
  return e;
}

/// The swizzle of offsets in elements `n` times as wide, n = 2^k: M becomes M - k; if M < k, B shrinks.
/// Errors: recast_divisibility (n is not a power of two). Example: Sw<2,4,-4> by 8 is Sw<2,1,-4>.
constexpr Outcome<Swizzle> swizzle_upcast(const Swizzle& s, Index n) {
  const int k = detail::log2_exact(n);
  if (k < 0) return not_a_power_of_two(n);
  if (s.base >= k) return Swizzle{s.bits, s.base - k, s.shift};
  const int bits = s.bits + s.base - k;
  return Swizzle{bits > 0 ? bits : 0, 0, s.shift};
}
/// The swizzle of offsets in elements 1 / `n` as wide, n = 2^k: M becomes M + k. Errors: recast_divisibility
/// (n is not a power of two), bad_swizzle (beyond 62 bits).
constexpr Outcome<Swizzle> swizzle_downcast(const Swizzle& s, Index n) {
  const int k = detail::log2_exact(n);
  if (k < 0) return not_a_power_of_two(n);
  return make_swizzle(s.bits, s.base + k, s.shift);
}

}  // namespace detail

}  // namespace tessera
