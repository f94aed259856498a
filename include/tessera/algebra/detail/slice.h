// SPDX-License-Identifier: Apache-2.0
/// \file
/// Slices: fix some coordinates; the rest is a layout.
#pragma once

#include "tessera/algebra/detail/strided_layout.h"

namespace tessera {
namespace detail {
/// Copies the parts of the sub-tree that are paired with `_` (for dice, with integers) to `out`; returns
/// their number.
constexpr Outcome<Index> pieces(const Coord& c, Cursor cc, const StridedLayout& l, Cursor cl, bool holes,
                                LayoutBuilder& out) {
  const Profile& p = c.tuple.profile;
  if (p.is_leaf(cc.node)) {
    if (c.is_hole(cc.leaf) != holes) return Index{0};
    out.copy(l, cl);
    return Index{1};
  }
  if (l.profile.is_leaf(cl.node) || l.profile.rank(cl.node) != p.rank(cc.node)) {
    return refuse(Code::rank_mismatch, p.rank(cc.node), l.profile.rank(cl.node));
  }
  Index count = 0;
  Cursor mc = first_mode(p, cc);
  Cursor ml = first_mode(l.profile, cl);
  for (int i = p.rank(cc.node); i > 0; --i, mc = after(p, mc), ml = after(l.profile, ml)) {
    const Outcome<Index> n = pieces(c, mc, l, ml, holes, out);
    if (!n) return n;
    count += *n;
  }
  return count;
}

constexpr Outcome<StridedLayout> select_pieces(const Coord& c, const StridedLayout& l, bool holes) {
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  if (c.tuple.is_integer()) {
    if (c.is_hole(0) == holes) return l;
    build.tuple(0);
    return out;
  }
  const int node = build.tuple();
  const Outcome<Index> n = pieces(c, {}, l, {}, holes, build);
  if (!n) return n.error;
  build.set_rank(node, static_cast<int>(*n));
  out.error = build.profile.error();
  return out;
}

/// The modes of `l` paired with `_` in `c`, in one flat tuple; a sub-mode kept whole keeps its nesting.
/// Errors: rank_mismatch. Example: slice("((_,1),(_,0))", "((3,2),((2,3),2)):((4,1),((2,15),100))") ==
/// "(3,(2,3)):(4,(2,15))".
constexpr Outcome<StridedLayout> slice(const Coord& c, const StridedLayout& l) {
  return detail::select_pieces(c, l, true);
}

/// The modes of `l` paired with integers in `c`, otherwise like slice.
constexpr Outcome<StridedLayout> dice(const Coord& c, const StridedLayout& l) {
  return detail::select_pieces(c, l, false);
}

/// The slice S and the offset o with L(c) = o + S(x) when x fills the holes of c. Errors: rank_mismatch,
/// overflow.
constexpr Outcome<Slice> slice_and_offset(const Coord& c, const StridedLayout& l) {
  const Outcome<StridedLayout> rest = slice(c, l);
  if (!rest) return rest.error;
  const Outcome<IntTuple> at = evaluate(l, c.tuple);
  if (!at) return at.error;
  return Slice{*rest, *at};
}

}  // namespace detail

}  // namespace tessera
