// SPDX-License-Identifier: Apache-2.0
/// \file
/// The recasts of CuTe: the layout of the same memory in elements of another width.
#pragma once

#include "tessera/algebra/detail/strided_layout.h"

namespace tessera {

namespace detail {
/// Where a base may lie past the start of a wide element, in small elements: from `first` to `last`.
struct Alignments {
  Index first = 0;
  Index last = 0;
  constexpr bool some() const { return first <= last; }
  friend constexpr bool operator==(const Alignments&, const Alignments&) = default;
};

/// The alignments of the base at which the small elements that upcast(l, n) makes one lie in one wide
/// element: floor((base + l(c)) / n) is then floor(base / n) plus the value of the upcast. The small elements
/// of one wide element are spread over `first` offsets before their first and n - 1 - `last` after it.
/// Requires strides that are multiples or divisors of n. Example: upcast_alignments("8:-2", 4) is 2 to 3.
constexpr Alignments upcast_alignments(const StridedLayout& l, Index n) {
  Alignments out{0, n - 1};
  for (int i = 0; i < l.leaves(); ++i) {
    const Index d = detail::magnitude(l.stride[i]);
    if (d == 0 || d >= n) continue;
    const Index joined = l.extent[i] < n / d ? l.extent[i] : n / d;
    Index& end = l.stride[i] < 0 ? out.first : out.last;
    Index spread = (joined - 1) * d;
    if (l.stride[i] > 0) spread = -spread;
    end += spread;
  }
  return out;
}

/// `n` small elements become one. Per mode s:d with d != 0: extent ceil(s / ceil(n/|d|)), stride
/// sign(d) · ceil(|d| / n). Extents round up: see upcast_is_exact. Negative strides need a base that is not
/// at the start of a wide element: see upcast_alignments. Errors: recast_divisibility (neither of |d| and n
/// divides the other; with the reason window, the small elements that would become one are `first` offsets
/// wide, more than n), unsupported_codomain, bad_extent (n < 1). Example: upcast("(32,(32,4)):(32,(1,1024))",
/// 16) == "(32,(2,4)):(2,(1,64))".
constexpr Outcome<StridedLayout> upcast(const StridedLayout& l, Index n) {
  if (n < 1) return refuse(Code::bad_extent, n);
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  Outcome<StridedLayout> out = l;
  for (int i = 0; i < l.leaves(); ++i) {
    const Index d = detail::magnitude(l.stride[i]);
    if (d == 0) continue;
    if (d % n != 0 && n % d != 0) return refuse(Code::recast_divisibility, l.stride[i], n, i);
    out.value.extent[i] = ceil_div(l.extent[i], ceil_div(n, d));
    out.value.stride[i] = l.stride[i] < 0 ? -ceil_div(d, n) : ceil_div(d, n);
  }
  const Alignments base = upcast_alignments(l, n);
  if (!base.some()) {
    AlgebraError e = refuse(Code::recast_divisibility, base.first + n - base.last, n);
    e.reason = AlgebraReason::window;
    return e;
  }
  return out;
}

/// True when upcast by `n` rounds no extent. Errors: as upcast.
constexpr Outcome<bool> upcast_is_exact(const StridedLayout& l, Index n) {
  const Outcome<StridedLayout> wide = upcast(l, n);
  if (!wide) return wide.error;
  for (int i = 0; i < l.leaves(); ++i) {
    const Index d = detail::magnitude(l.stride[i]);
    if (d != 0 && l.extent[i] % ceil_div(n, d) != 0) return false;
  }
  return true;
}

/// The numbers of modes of stride 1 and of stride -1, which a downcast lengthens.
struct UnitModes {
  int positive = 0;
  int negative = 0;
};
constexpr UnitModes unit_modes(const StridedLayout& l) {
  UnitModes out;
  for (int i = 0; i < l.leaves(); ++i) {
    out.positive += l.stride[i] == 1 ? 1 : 0;
    out.negative += l.stride[i] == -1 ? 1 : 0;
  }
  return out;
}

/// Multiplies the extents of the modes of stride 1 or -1, and the other strides, by n.
constexpr Outcome<StridedLayout> subdivided(const StridedLayout& l, Index n) {
  Outcome<StridedLayout> out = l;
  for (int i = 0; i < l.leaves(); ++i) {
    Index& grows = detail::magnitude(l.stride[i]) == 1 ? out.value.extent[i] : out.value.stride[i];
    if (!detail::multiply(grows, n)) return refuse(Code::overflow, grows, n, i);
  }
  out.error = check_invariants(out.value);
  return out;
}

/// One element becomes `n` small ones, along the modes of stride 1 or -1; the other strides are multiplied by
/// n. The result covers the same memory only if exactly one mode has such a stride: as in CuTe, each one
/// grows. Along a mode of stride -1 the base becomes the last of its n small elements: it moves by n - 1.
/// Errors: downcast_no_unit_stride (no stride is exactly 1), unsupported_codomain, bad_extent (n < 1),
/// overflow. Example: downcast("(32,2):(2,1)", 16) == "(32,32):(32,1)".
constexpr Outcome<StridedLayout> downcast(const StridedLayout& l, Index n) {
  if (n < 1) return refuse(Code::bad_extent, n);
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  if (unit_modes(l).positive == 0) return refuse(Code::downcast_no_unit_stride, n);
  return subdivided(l, n);
}

/// The reduced ratio of two widths: one element of `old_bits` is `down` / `up` elements of `new_bits`.
struct WidthRatio {
  Index up = 1;
  Index down = 1;
};
constexpr WidthRatio width_ratio(Index old_bits, Index new_bits) {
  const Index g = gcd(old_bits, new_bits);
  return {new_bits / g, old_bits / g};
}

/// Recasts elements of old_bits to elements of new_bits: upcast and downcast by the reduced ratio new / old.
/// Errors: those of upcast and downcast; bad_extent (a width < 1).
/// Example: recast("(4,4):(4,1)", 16, 32) == "(4,2):(2,1)".
constexpr Outcome<StridedLayout> recast(const StridedLayout& l, Index old_bits, Index new_bits) {
  if (old_bits < 1 || new_bits < 1) return refuse(Code::bad_extent, old_bits < 1 ? old_bits : new_bits);
  const auto [up, down] = width_ratio(old_bits, new_bits);
  if (up == 1) return down == 1 ? Outcome<StridedLayout>(l) : downcast(l, down);
  const Outcome<StridedLayout> wide = upcast(l, up);
  return down == 1 || !wide ? wide : downcast(*wide, down);
}

}  // namespace detail

}  // namespace tessera
