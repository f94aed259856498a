// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations on IntTuples: building, elements, sizes.
#pragma once

#include "tessera/algebra/strided_layout.h"

namespace tessera {

/// Writes an IntTuple in preorder.
struct IntTupleBuilder {
  IntTuple& out;
  ProfileBuilder profile;

  constexpr explicit IntTupleBuilder(IntTuple& target) : out(target), profile(target.profile) {}
  constexpr int tuple(int rank = 0) { return profile.tuple(rank); }
  constexpr void leaf(Index value) {
    const int i = profile.leaf();
    if (i >= 0) out.leaf[i] = value;
  }
  /// Copies the sub-tree of `t` at `at`.
  constexpr void copy(const IntTuple& t, Cursor at = {}) {
    const Cursor end = after(t.profile, at);
    for (int n = at.node, l = at.leaf; n < end.node; ++n) {
      if (t.profile.is_leaf(n)) {
        leaf(t.leaf[l++]);
      } else {
        tuple(t.profile.rank(n));
      }
    }
  }
};

namespace detail {
/// The element at a path of indices: get(t, i0, i1) is element i1 of element i0.
/// Errors: index_out_of_range. Example: get("(4,(3,6))", 1, 0) == 3.
template <class... I>
constexpr Outcome<IntTuple> get(const IntTuple& t, I... path) {
  Cursor at = {};
  AlgebraError error = {};
  const auto step = [&](Index i) {
    if (error.failed) return;
    const int rank = t.profile.rank(at.node);
    if (i < 0 || i >= rank) {
      error = refuse(Code::index_out_of_range, i, rank);
    } else {
      at = mode_at(t.profile, static_cast<int>(i), at);
    }
  };
  (step(static_cast<Index>(path)), ...);
  if (error.failed) return error;
  Outcome<IntTuple> out;
  IntTupleBuilder(out.value).copy(t, at);
  return out;
}

/// The product of the leaves of the sub-tree at `at`. size(()) is 1. Errors: overflow.
constexpr Outcome<Index> size(const IntTuple& t, Cursor at = {}) {
  const int end = after(t.profile, at).leaf;
  Index product = 1;
  for (int i = at.leaf; i < end; ++i) {
    const Index before = product;
    if (!detail::multiply(product, t.leaf[i])) return refuse(Code::overflow, before, t.leaf[i], i);
  }
  return product;
}

}  // namespace detail

/// compatible(a, b), written a ⪯ b: a is an integer equal to size(b), or both are tuples of the same rank
/// with compatible elements. Then every coordinate of a is a coordinate of b. A partial order. Example: 24 ⪯
/// (4,6) ⪯ ((2,2),6), but (2,2,3) is not compatible with (4,3).
constexpr bool compatible(const IntTuple& a, const IntTuple& b, Cursor ca = {}, Cursor cb = {}) {
  if (a.profile.is_leaf(ca.node)) {
    const detail::Outcome<Index> n = detail::size(b, cb);
    return n.ok() && a.leaf[ca.leaf] == *n;
  }
  if (b.profile.is_leaf(cb.node) || a.profile.rank(ca.node) != b.profile.rank(cb.node)) return false;
  Cursor ma = first_mode(a.profile, ca);
  Cursor mb = first_mode(b.profile, cb);
  for (int i = a.profile.rank(ca.node); i > 0; --i, ma = after(a.profile, ma), mb = after(b.profile, mb)) {
    if (!compatible(a, b, ma, mb)) return false;
  }
  return true;
}

}  // namespace tessera
