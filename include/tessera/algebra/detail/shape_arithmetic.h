// SPDX-License-Identifier: Apache-2.0
/// \file
/// Division and remainder of shapes.
#pragma once

#include "tessera/algebra/detail/int_tuple.h"

namespace tessera {

namespace detail {

/// Requires a and b positive, and a mod b == 0 or b mod a == 0. Errors: bad_extent, shape_divisibility.
constexpr AlgebraError check_divides(Index a, Index b) {
  if (a < 1 || b < 1) return refuse(Code::bad_extent, a < 1 ? a : b);
  if (a % b != 0 && b % a != 0) return refuse(Code::shape_divisibility, a, b);
  return {};
}

enum class ShapeRule : std::uint8_t { exact, ceiling, remainder };

/// Divides the leaves of the sub-tree by `b`, one after another; `b` becomes the quotient that is left.
constexpr AlgebraError shape_fold(const IntTuple& a, Cursor at, Index& b, ShapeRule rule, IntTuple& out) {
  const int end = after(a.profile, at).leaf;
  for (int i = at.leaf; i < end; ++i) {
    const Index x = a.leaf[i];
    if (x < 1 || b < 1) return refuse(Code::bad_extent, x < 1 ? x : b, 0, i);
    if (rule != ShapeRule::ceiling) {
      AlgebraError e = check_divides(x, b);
      e.leaf = i;
      if (e.failed) return e;
    }
    out.leaf[i] = rule == ShapeRule::remainder ? (x < b ? x : b) : ceil_div(x, b);
    b = ceil_div(b, x);
  }
  return {};
}

constexpr AlgebraError shape_divide(const IntTuple& a, Cursor ca, const IntTuple& b, Cursor cb,
                                    ShapeRule rule, IntTuple& out) {
  if (b.profile.is_leaf(cb.node) || a.profile.is_leaf(ca.node)) {
    const Outcome<Index> n = size(b, cb);
    if (!n) return n.error;
    Index rest = *n;
    return shape_fold(a, ca, rest, rule, out);
  }
  const int rank = b.profile.rank(cb.node);
  if (a.profile.rank(ca.node) < rank || (rule == ShapeRule::exact && a.profile.rank(ca.node) != rank)) {
    return refuse(Code::rank_mismatch, a.profile.rank(ca.node), rank);
  }
  Cursor ma = first_mode(a.profile, ca);
  Cursor mb = first_mode(b.profile, cb);
  for (int i = 0; i < rank; ++i, ma = after(a.profile, ma), mb = after(b.profile, mb)) {
    const AlgebraError e = shape_divide(a, ma, b, mb, rule, out);
    if (e.failed) return e;
  }
  return {};
}

constexpr Outcome<IntTuple> shape_divide(const IntTuple& a, const IntTuple& b, ShapeRule rule) {
  Outcome<IntTuple> out = a;
  out.error = shape_divide(a, {}, b, {}, rule, out.value);
  return out;
}

/// Divides shape `a` by `b`. Tuple by tuple: element by element. Tuple by integer, from left to right: each
/// element x becomes x / b, and b becomes b / x. Integer by tuple: by the product of the tuple. In each step
/// one of the two numbers must divide the other, and quotients round up. Errors: shape_divisibility (the two
/// integers), rank_mismatch, bad_extent. Example: shape_div("(3,6,2,8)", 9) == "(1,2,2,8)".
constexpr Outcome<IntTuple> shape_div(const IntTuple& a, const IntTuple& b) {
  return detail::shape_divide(a, b, detail::ShapeRule::exact);
}

/// Keeps the first `b` elements: each element x becomes min(x, b), and b becomes ceil(b / x).
/// Errors: as shape_div. Example: shape_mod("(3,6,2,8)", 6) == "(3,2,1,1)".
constexpr Outcome<IntTuple> shape_mod(const IntTuple& a, Index b) {
  Outcome<IntTuple> out = a;
  out.error = detail::shape_fold(a, {}, b, detail::ShapeRule::remainder, out.value);
  return out;
}

using tessera::ceil_div;  // of integers

/// shape_div by ceiling division, without the divisibility requirement; missing elements of `b` are 1.
/// Errors: rank_mismatch (`b` longer), bad_extent. Example: ceil_div("(32,4,4)", 64) == "(1,2,4)".
constexpr Outcome<IntTuple> ceil_div(const IntTuple& a, const IntTuple& b) {
  return detail::shape_divide(a, b, detail::ShapeRule::ceiling);
}

}  // namespace detail

}  // namespace tessera
