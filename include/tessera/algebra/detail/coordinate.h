// SPDX-License-Identifier: Apache-2.0
/// \file
/// Coordinates of a shape: integers, tuples, or any mixture of both, with the leftmost mode fastest.
#pragma once

#include "tessera/algebra/detail/int_tuple.h"
#include "tessera/algebra/detail/split_digits.h"
#include "tessera/algebra/operands.h"

namespace tessera {

namespace detail {
constexpr AlgebraError idx2crd(const IntTuple& c, Cursor cc, const IntTuple& s, Cursor cs, IntTuple& out) {
  if (c.profile.is_leaf(cc.node)) {
    const int end = after(s.profile, cs).leaf;
    for (int i = cs.leaf; i + 1 < end; ++i) {
      if (s.leaf[i] < 1) return refuse(Code::bad_extent, s.leaf[i], 0, i);
    }
    split_digits(s.leaf, cs.leaf, end, c.leaf[cc.leaf], [&](int i, Index digit) { out.leaf[i] = digit; });
    return {};
  }
  const int rank = c.profile.rank(cc.node);
  if (s.profile.is_leaf(cs.node) || s.profile.rank(cs.node) != rank) {
    return refuse(Code::rank_mismatch, rank, s.profile.rank(cs.node));
  }
  Cursor mc = first_mode(c.profile, cc);
  Cursor ms = first_mode(s.profile, cs);
  for (int i = 0; i < rank; ++i, mc = after(c.profile, mc), ms = after(s.profile, ms)) {
    const AlgebraError e = idx2crd(c, mc, s, ms, out);
    if (e.failed) return e;
  }
  return {};
}

constexpr Outcome<Index> crd2idx(const IntTuple& c, Cursor cc, const IntTuple& s, Cursor cs) {
  if (c.profile.is_leaf(cc.node)) return c.leaf[cc.leaf];
  const int rank = c.profile.rank(cc.node);
  if (s.profile.is_leaf(cs.node) || s.profile.rank(cs.node) != rank) {
    return refuse(Code::rank_mismatch, rank, s.profile.rank(cs.node));
  }
  // Horner's rule from the right, computed from the left with a running weight.
  Index sum = 0;
  Index weight = 1;
  Cursor mc = first_mode(c.profile, cc);
  Cursor ms = first_mode(s.profile, cs);
  for (int i = 0; i < rank; ++i, mc = after(c.profile, mc), ms = after(s.profile, ms)) {
    const Outcome<Index> digit = crd2idx(c, mc, s, ms);
    if (!digit) return digit;
    Index part = weight;
    if (!multiply(part, *digit) || add_overflows(sum, part, sum)) {
      return refuse(Code::overflow, weight, *digit);
    }
    const Outcome<Index> extent = tessera::detail::size(s, ms);
    if (!extent) return extent;
    if (i + 1 < rank && !multiply(weight, *extent)) return refuse(Code::overflow, weight, *extent);
  }
  return sum;
}

/// The natural coordinate (one integer per leaf of `s`) of any coordinate of `s`. The last mode is unbounded:
/// it takes the rest, without mod. Errors: rank_mismatch, bad_extent (an extent < 1 before the last). Exact,
/// O(leaves). Example: idx2crd(16, "(3,(2,3))")
/// == "(1,(1,2))".
constexpr Outcome<IntTuple> idx2crd(const IntTuple& c, const IntTuple& s) {
  Outcome<IntTuple> out;
  out.value.profile = s.profile;
  out.error = detail::idx2crd(c, {}, s, {}, out.value);
  return out;
}

/// The 1-D coordinate of any coordinate of `s`; the inverse of idx2crd. Errors: rank_mismatch, overflow.
/// Example: crd2idx("(1,5)", "(3,(2,3))") == 16.
constexpr Outcome<Index> crd2idx(const IntTuple& c, const IntTuple& s) {
  return detail::crd2idx(c, {}, s, {});
}

/// The coordinate of `to` with the same 1-D coordinate as `c` has in `from`. Errors: as crd2idx, idx2crd.
constexpr Outcome<IntTuple> crd2crd(const IntTuple& c, const IntTuple& from, const IntTuple& to) {
  const Outcome<Index> i = crd2idx(c, from);
  if (!i) return i.error;
  return idx2crd(*i, to);
}

}  // namespace detail

/// Compares congruent coordinates, the last element first. For coordinates of one shape, colex_less(a, b) is
/// crd2idx(a) < crd2idx(b).
constexpr bool colex_less(const IntTuple& a, const IntTuple& b) {
  for (int i = a.leaves() - 1; i >= 0; --i) {
    if (a.leaf[i] != b.leaf[i]) return a.leaf[i] < b.leaf[i];
  }
  return false;
}
/// Compares congruent coordinates, the first element first.
constexpr bool lex_less(const IntTuple& a, const IntTuple& b) {
  for (int i = 0; i < a.leaves(); ++i) {
    if (a.leaf[i] != b.leaf[i]) return a.leaf[i] < b.leaf[i];
  }
  return false;
}
/// Whether every element of `a` is less than that of the congruent `b`.
constexpr bool elem_less(const IntTuple& a, const IntTuple& b) {
  for (int i = 0; i < a.leaves(); ++i) {
    if (a.leaf[i] >= b.leaf[i]) return false;
  }
  return true;
}

}  // namespace tessera
