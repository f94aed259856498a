// SPDX-License-Identifier: Apache-2.0
/// \file
/// The recasts of CuTe: the layout of the same memory in elements of another width.
#pragma once

#include "tessera/algebra/detail/strided_layout.h"

namespace tessera {

namespace detail {
/// `n` small elements become one. Per mode s:d with d != 0: extent ceil(s / ceil(n/|d|)), stride
/// sign(d) · ceil(|d| / n). Extents round up: see upcast_is_exact.
/// Errors: recast_divisibility (neither of |d| and n divides the other), unsupported_codomain, bad_extent (n
/// < 1). Example: upcast("(32,(32,4)):(32,(1,1024))", 16) == "(32,(2,4)):(2,(1,64))".
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

/// How far upcast moves the smallest offset of modes with negative stride: the sum over the leaves of
/// min(0, (s_old - s_new) · d), in old elements, at most 0. Errors: as upcast.
constexpr Outcome<Index> upcast_base_shift(const StridedLayout& l, Index n) {
  const Outcome<StridedLayout> wide = upcast(l, n);
  if (!wide) return wide.error;
  Index shift = 0;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.stride[i] < 0) shift += (l.extent[i] - wide->extent[i]) * l.stride[i];
  }
  return shift;
}

/// One element becomes `n` small ones, along the modes of stride 1 or -1; the other strides are multiplied by
/// n. The result covers the same memory only if one mode with an extent above 1 has such a stride: as in
/// CuTe, each one grows. Errors: downcast_no_unit_stride (no stride is exactly 1), unsupported_codomain,
/// bad_extent (n < 1), overflow. Example: downcast("(32,2):(2,1)", 16) == "(32,32):(32,1)".
constexpr Outcome<StridedLayout> downcast(const StridedLayout& l, Index n) {
  if (n < 1) return refuse(Code::bad_extent, n);
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  Outcome<StridedLayout> out = l;
  bool unit = false;
  for (int i = 0; i < l.leaves(); ++i) {
    unit = unit || l.stride[i] == 1;
    Index& grows = detail::magnitude(l.stride[i]) == 1 ? out.value.extent[i] : out.value.stride[i];
    if (!detail::multiply(grows, n)) return refuse(Code::overflow, grows, n, i);
  }
  if (!unit) return refuse(Code::downcast_no_unit_stride, n);
  out.error = check_invariants(out.value);
  return out;
}

/// Recasts elements of old_bits to elements of new_bits: upcast and downcast by the reduced ratio new / old.
/// Errors: those of upcast and downcast; bad_extent (a width < 1).
/// Example: recast("(4,4):(4,1)", 16, 32) == "(4,2):(2,1)".
constexpr Outcome<StridedLayout> recast(const StridedLayout& l, Index old_bits, Index new_bits) {
  if (old_bits < 1 || new_bits < 1) return refuse(Code::bad_extent, old_bits < 1 ? old_bits : new_bits);
  Index g = old_bits;
  for (Index b = new_bits; b != 0;) {
    const Index rest = g % b;
    g = b;
    b = rest;
  }
  const Index up = new_bits / g;
  const Index down = old_bits / g;
  if (up == 1) return down == 1 ? Outcome<StridedLayout>(l) : downcast(l, down);
  const Outcome<StridedLayout> wide = upcast(l, up);
  return down == 1 || !wide ? wide : downcast(*wide, down);
}

}  // namespace detail

}  // namespace tessera
