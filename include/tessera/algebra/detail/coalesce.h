// SPDX-License-Identifier: Apache-2.0
/// \file
/// coalesce and filter: the simplest layout with the same function, or with the same offsets.
#pragma once

#include "tessera/algebra/detail/modes.h"
#include "tessera/algebra/detail/trace.h"

namespace tessera {

namespace detail {

/// A list of modes without nesting. The arrays are not initialized: only the first `count` slots have values.
struct FlatModes {
  int count;
  Index extent[kMaxLeaves];
  Index stride[kMaxLeaves];
  BasisPath path[kMaxLeaves];

  constexpr void push(Index s, Index d, BasisPath p = 0) {
    extent[count] = s;
    stride[count] = d;
    path[count] = p;
    ++count;
  }
  /// A(x), where A has these modes and the last one is unbounded; false on overflow. x >= 0.
  constexpr bool extended(Index x, Index& sum) const {
    sum = 0;
    for (int i = 0; i < count && x != 0; ++i) {
      Index digit = x;
      if (i + 1 < count) {
        x = digit / extent[i];
        digit -= x * extent[i];
      }
      if (!multiply(digit, stride[i]) || add_overflows(sum, digit, sum)) return false;
    }
    return true;
  }
  constexpr bool has_basis() const {
    for (int i = 0; i < count; ++i) {
      if (path[i] != 0) return true;
    }
    return false;
  }
};

/// The modes as a layout: `1:0`, one integer mode, or a flat tuple.
constexpr void build_flat(const FlatModes& modes, LayoutBuilder& out) {
  if (modes.count == 0) return out.leaf(1, 0);
  if (modes.count > 1) out.tuple(modes.count);
  for (int i = 0; i < modes.count; ++i) out.leaf(modes.extent[i], modes.stride[i], modes.path[i]);
}

/// Appends a mode, merging it with the one before if s0 * d0 == d1. Where the product overflows, nothing is
/// merged.
template <class Trace>
constexpr void push_merged(FlatModes& out, Index s, Index d, BasisPath p, Trace trace) {
  if (d == 0) p = 0;
  if (out.count > 0) {
    const int i = out.count - 1;
    Index next = out.stride[i];
    if (out.path[i] == p && multiply(next, out.extent[i]) && next == d) {
      trace(StepKind::merge, out.extent[i], out.stride[i], s, d);
      out.extent[i] *= s;
      return;
    }
  }
  trace(StepKind::keep, s, d);
  out.push(s, d, p);
}

/// The merged modes of the sub-tree at `at`; `filtered` leaves out modes of stride 0.
template <tracer Trace = NoTrace>
constexpr void coalesce_modes(const StridedLayout& l, Cursor at, FlatModes& out, bool filtered = false,
                              Trace trace = {}) {
  const int end = after(l.profile, at).leaf;
  out.count = 0;
  for (int i = at.leaf; i < end; ++i) {
    if (l.extent[i] == 1) {
      trace(StepKind::drop_unit, l.extent[i], l.stride[i]);
    } else if (filtered && l.stride[i] == 0) {
      trace(StepKind::filter_zero, l.extent[i]);
    } else {
      push_merged(out, l.extent[i], l.stride[i], l.path[i], trace);
    }
  }
}

/// The merged modes of the same function on the extended domain, where the last mode is unbounded. A trailing
/// extent of 1 stays: in (4,3,1):(3,1,0) it keeps the mode of extent 3 bounded. Never empty.
constexpr void coalesce_extended(const StridedLayout& l, Cursor at, FlatModes& out) {
  const int end = after(l.profile, at).leaf;
  out.count = 0;
  for (int i = at.leaf; i < end; ++i) {
    if (l.extent[i] == 1 && i + 1 < end) continue;
    push_merged(out, l.extent[i], l.stride[i], l.path[i], NoTrace{});
  }
  if (out.count == 0) out.push(1, 0);
}

template <class Trace>
constexpr AlgebraError coalesce_by(const StridedLayout& l, Cursor at, const Profile& by, Cursor cb,
                                   bool filtered, LayoutBuilder& out, Trace trace) {
  if (by.is_leaf(cb.node)) {
    FlatModes modes;
    coalesce_modes(l, at, modes, filtered, trace);
    build_flat(modes, out);
    return {};
  }
  const int rank = l.profile.rank(at.node);
  const int named = by.rank(cb.node);
  if (named > rank) return refuse(Code::rank_mismatch, named, rank);
  out.tuple(rank);
  Cursor mb = first_mode(by, cb);
  AlgebraError error = {};
  int i = 0;
  for_each_mode(l.profile, at, [&](Cursor m) {
    if (error.failed) return;
    if (i++ >= named) return out.copy(l, m);
    error = coalesce_by(l, m, by, mb, filtered, out, trace);
    mb = after(by, mb);
  });
  return error;
}

template <class Trace>
constexpr Outcome<StridedLayout> coalesce_by(const StridedLayout& l, const Profile& by, bool filtered,
                                             Trace trace) {
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  out.error = coalesce_by(l, {}, by, {}, filtered, build, trace);
  if (out.ok()) out.error = build.profile.error();
  return out;
}

/// The simplest layout equal to `l` as a function of the 1-D coordinate on [0, size). Unique: two layouts of
/// the same size are the same function iff their coalesced forms are identical. Never fails, O(leaves).
/// Example: coalesce("(2,(1,6)):(1,(6,2))") == "12:1".
template <tracer Trace = NoTrace>
constexpr StridedLayout coalesce(const StridedLayout& l, Trace trace = {}) {
  detail::FlatModes modes;
  detail::coalesce_modes(l, {}, modes, false, trace);
  StridedLayout out;
  LayoutBuilder build(out);
  detail::build_flat(modes, build);
  return out;
}

/// Coalesces the sub-layout at every leaf of `profile`; modes beyond it stay unchanged. Errors:
/// rank_mismatch. Example: coalesce("(2,(1,6)):(1,(6,2))", "(1,1)") == "(2,6):(1,2)".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> coalesce(const StridedLayout& l, const Profile& profile, Trace trace = {}) {
  return detail::coalesce_by(l, profile, false, trace);
}

}  // namespace detail

/// The same shape with 1 for every extent of stride 0. Example: filter_zeros("(2,3):(1,0)") == "(2,1):(1,0)".
constexpr StridedLayout filter_zeros(const StridedLayout& l) {
  StridedLayout out = l;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.stride[i] == 0) out.extent[i] = 1;
  }
  return out;
}

namespace detail {

/// coalesce(filter_zeros(l)): each offset once, in order of first appearance. Never fails.
/// Example: filter("(2,3,4):(1,0,2)") == "8:1".
template <tracer Trace = NoTrace>
constexpr StridedLayout filter(const StridedLayout& l, Trace trace = {}) {
  detail::FlatModes modes;
  detail::coalesce_modes(l, {}, modes, true, trace);
  StridedLayout out;
  LayoutBuilder build(out);
  detail::build_flat(modes, build);
  return out;
}

/// filter of the sub-layout at every leaf of `profile`. Errors: rank_mismatch.
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> filter(const StridedLayout& l, const Profile& profile, Trace trace = {}) {
  return detail::coalesce_by(l, profile, true, trace);
}

}  // namespace detail

}  // namespace tessera
