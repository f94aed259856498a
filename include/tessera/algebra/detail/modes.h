// SPDX-License-Identifier: Apache-2.0
/// \file
/// Takes layouts apart into modes and combines modes. Every function is O(leaves).
#pragma once

#include "tessera/algebra/detail/strided_layout.h"

namespace tessera {

namespace detail {
/// `out` if the builder has no error, else its error.
constexpr Outcome<StridedLayout>& finish(Outcome<StridedLayout>& out, const LayoutBuilder& build) {
  out.error = build.finish();
  return out;
}
/// Checks 0 <= begin < end <= rank.
constexpr AlgebraError check_range(Index begin, Index end, int rank) {
  if (begin < 0 || begin > rank) return refuse(Code::index_out_of_range, begin, rank);
  if (end < 0 || end > rank) return refuse(Code::index_out_of_range, end, rank);
  if (begin >= end) return refuse(Code::empty_range, begin, end);
  return {};
}
/// Calls visit(cursor) for each mode of the tuple at `at`, or once for a leaf.
template <class Visit>
constexpr void for_each_mode(const Profile& p, Cursor at, Visit&& visit) {
  Cursor mode = first_mode(p, at);
  for (int i = p.rank(at.node); i > 0; --i, mode = after(p, mode)) visit(mode);
}

/// The sub-tree at `at` as a layout.
constexpr StridedLayout sublayout(const StridedLayout& l, Cursor at) {
  StridedLayout out;
  LayoutBuilder(out).copy(l, at);
  return out;
}

/// Mode `i`. Errors: index_out_of_range. Example: mode("(4,(3,6)):(1,(4,12))", 1) == "(3,6):(4,12)".
constexpr Outcome<StridedLayout> mode(const StridedLayout& l, Index i) {
  if (i < 0 || i >= l.rank()) return refuse(Code::index_out_of_range, i, l.rank());
  return sublayout(l, mode_at(l.profile, static_cast<int>(i)));
}

/// The mode at a path of `levels` indices, outermost first. Errors: index_out_of_range.
constexpr Outcome<StridedLayout> sublayout(const StridedLayout& l, const Index* path, int levels) {
  Cursor at = {};
  for (int k = 0; k < levels; ++k) {
    const int rank = l.profile.rank(at.node);
    if (path[k] < 0 || path[k] >= rank) return refuse(Code::index_out_of_range, path[k], rank);
    at = mode_at(l.profile, static_cast<int>(path[k]), at);
  }
  return sublayout(l, at);
}

/// The tuple of `count` named modes. Errors: index_out_of_range, empty_range (count is 0). Example:
/// select("(2,3,5,7):(1,2,6,30)", {1,3}) == "(3,7):(2,30)".
constexpr Outcome<StridedLayout> select(const StridedLayout& l, const Index* modes, int count) {
  if (count < 1) return refuse(Code::empty_range, 0, 0);
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  build.tuple(count);
  for (int k = 0; k < count; ++k) {
    if (modes[k] < 0 || modes[k] >= l.rank()) return refuse(Code::index_out_of_range, modes[k], l.rank());
    build.copy(l, mode_at(l.profile, static_cast<int>(modes[k])));
  }
  return detail::finish(out, build);
}

/// Modes begin..end-1 as a tuple. Errors: index_out_of_range, empty_range.
constexpr Outcome<StridedLayout> take(const StridedLayout& l, Index begin, Index end) {
  const AlgebraError e = detail::check_range(begin, end, l.rank());
  if (e.failed) return e;
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  build.tuple(static_cast<int>(end - begin));
  Cursor at = mode_at(l.profile, static_cast<int>(begin));
  for (Index i = begin; i < end; ++i, at = after(l.profile, at)) build.copy(l, at);
  return detail::finish(out, build);
}

/// Each layout becomes one mode: concat(3:1, 4:3) == (3,4):(1,3). A single argument gets parentheses:
/// (3):(1). Errors: capacity, overflow, codomain_mismatch.
template <class... L>
constexpr Outcome<StridedLayout> concat(const L&... layouts) {
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  build.tuple(static_cast<int>(sizeof...(L)));
  (build.copy(layouts), ...);
  return detail::finish(out, build);
}

/// Appends `x` as one more mode. Errors: capacity, overflow, codomain_mismatch. Example:
/// append(3:1, 4:3) == (3,4):(1,3).
constexpr Outcome<StridedLayout> append(const StridedLayout& l, const StridedLayout& x) {
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  build.tuple(l.rank() + 1);
  detail::for_each_mode(l.profile, {}, [&](Cursor at) { build.copy(l, at); });
  build.copy(x);
  return detail::finish(out, build);
}

/// Inserts `x` as one more mode at the start. Errors: as append.
constexpr Outcome<StridedLayout> prepend(const StridedLayout& l, const StridedLayout& x) {
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  build.tuple(l.rank() + 1);
  build.copy(x);
  detail::for_each_mode(l.profile, {}, [&](Cursor at) { build.copy(l, at); });
  return detail::finish(out, build);
}

/// Appends `x` until the rank is `rank`. Errors: rank_mismatch (the rank is already larger), those of append.
/// Example: append_to_rank(4:2, 3) == (4,1,1):(2,0,0).
constexpr Outcome<StridedLayout> append_to_rank(const StridedLayout& l, Index rank,
                                                const StridedLayout& x = {}) {
  if (rank < l.rank()) return refuse(Code::rank_mismatch, l.rank(), rank);
  if (rank > kMaxLeaves) return refuse(Code::capacity, rank, kMaxLeaves);
  if (rank == l.rank()) return l;
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  build.tuple(static_cast<int>(rank));
  detail::for_each_mode(l.profile, {}, [&](Cursor at) { build.copy(l, at); });
  for (Index i = l.rank(); i < rank; ++i) build.copy(x);
  return detail::finish(out, build);
}

/// Replaces mode `i` by `x`. Errors: index_out_of_range, those of append.
constexpr Outcome<StridedLayout> replace(const StridedLayout& l, Index i, const StridedLayout& x) {
  if (i < 0 || i >= l.rank()) return refuse(Code::index_out_of_range, i, l.rank());
  if (l.profile.is_leaf()) return x;
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  build.tuple(l.rank());
  Index k = 0;
  detail::for_each_mode(l.profile, {}, [&](Cursor at) { k++ == i ? build.copy(x) : build.copy(l, at); });
  return detail::finish(out, build);
}

/// Modes begin..end-1 become one nested mode. Errors: index_out_of_range, empty_range, capacity.
/// Example: group("(2,3,5,7):(1,2,6,30)", 0, 2) == "((2,3),5,7):((1,2),6,30)".
constexpr Outcome<StridedLayout> group(const StridedLayout& l, Index begin, Index end) {
  const AlgebraError e = detail::check_range(begin, end, l.rank());
  if (e.failed) return e;
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  build.tuple(static_cast<int>(l.rank() - (end - begin) + 1));
  Index k = 0;
  detail::for_each_mode(l.profile, {}, [&](Cursor at) {
    if (k++ == begin) build.tuple(static_cast<int>(end - begin));
    build.copy(l, at);
  });
  return detail::finish(out, build);
}

/// The leaves in order, as a tuple of depth 1; an integer stays an integer. Example:
/// flatten("((2,3),5):((1,2),6)") == "(2,3,5):(1,2,6)".
constexpr StridedLayout flatten(const StridedLayout& l) {
  if (l.profile.is_leaf()) return l;
  StridedLayout out = l;
  out.profile = {};
  ProfileBuilder build(out.profile);
  build.tuple(l.leaves());
  for (int i = 0; i < l.leaves(); ++i) build.leaf();
  return out;
}

/// The leaves of `l` in the nesting of `profile`; the inverse of flatten. Errors: rank_mismatch (leaf
/// counts).
constexpr Outcome<StridedLayout> unflatten(const StridedLayout& l, const Profile& profile) {
  if (l.leaves() != profile.leaves) return refuse(Code::rank_mismatch, l.leaves(), profile.leaves);
  Outcome<StridedLayout> out = l;
  out.value.profile = profile;
  return out;
}

/// ((A0,B0),(A1,B1),…). Errors: rank_mismatch, those of append.
/// Example: zip("(2,3):(1,2)", "(4,5):(6,24)") == "((2,4),(3,5)):((1,6),(2,24))".
constexpr Outcome<StridedLayout> zip(const StridedLayout& a, const StridedLayout& b) {
  if (a.rank() != b.rank()) return refuse(Code::rank_mismatch, a.rank(), b.rank());
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  build.tuple(a.rank());
  Cursor at = first_mode(b.profile);
  detail::for_each_mode(a.profile, {}, [&](Cursor m) {
    build.tuple(2);
    build.copy(a, m);
    build.copy(b, at);
    at = after(b.profile, at);
  });
  return detail::finish(out, build);
}

}  // namespace detail

}  // namespace tessera
