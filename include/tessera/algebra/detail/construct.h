// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes layouts from shapes: compact, ordered, like another layout, identity.
#pragma once

#include "tessera/algebra/detail/strided_layout.h"

namespace tessera {
namespace detail {
/// The compact layout of a shape: exclusive prefix products over the leaves, from the left or the right. An
/// extent of 1 gets stride 0. Errors: bad_extent, overflow. Example: make_layout("(4,8,1,2)") ==
/// "(4,8,1,2):(1,4,0,32)".
constexpr Outcome<StridedLayout> make_layout(const IntTuple& shape, Order order = Order::left) {
  Outcome<StridedLayout> out;
  StridedLayout& l = out.value;
  l.profile = shape.profile;
  l.extent[0] = 0;
  const int n = shape.leaves();
  Index product = 1;
  for (int k = 0; k < n; ++k) {
    const int i = order == Order::left ? k : n - 1 - k;
    l.extent[i] = shape.leaf[i];
    if (shape.leaf[i] < 1) return refuse(Code::bad_extent, shape.leaf[i], 0, i);
    l.stride[i] = shape.leaf[i] == 1 ? 0 : product;
    const Index before = product;
    if (!detail::multiply(product, shape.leaf[i])) return refuse(Code::overflow, before, shape.leaf[i], i);
  }
  return out;
}

/// The compact layout of a shape in a given order. `order` is weakly congruent with `shape`: each of its
/// leaves covers a part of the shape. The parts are ordered by (leaf value, position), and each part is
/// compact from the left. Errors: rank_mismatch, bad_extent, overflow. Example: make_ordered_layout("(4,8)",
/// "(1,0)") == "(4,8):(8,1)".
constexpr Outcome<StridedLayout> make_ordered_layout(const IntTuple& shape, const IntTuple& order) {
  if (!weakly_congruent(order, shape)) {
    return refuse(Code::rank_mismatch, order.rank(), shape.rank());
  }
  Outcome<StridedLayout> out = make_layout(shape);
  if (!out) return out;
  // The leaves [begin[k], begin[k + 1]) of the shape belong to leaf k of the order.
  int begin[kMaxLeaves + 1] = {};
  int parts = 0;
  Cursor at = {};
  for (int n = 0; n < order.profile.nodes; ++n) {
    if (order.profile.is_leaf(n)) {
      begin[parts++] = at.leaf;
      at = after(shape.profile, at);
    } else {
      at = first_mode(shape.profile, at);
    }
  }
  begin[parts] = shape.leaves();
  bool done[kMaxLeaves] = {};
  Index product = 1;
  for (int k = 0; k < parts; ++k) {
    int next = -1;
    for (int p = 0; p < parts; ++p) {
      if (!done[p] && (next < 0 || order.leaf[p] < order.leaf[next])) next = p;
    }
    done[next] = true;
    for (int i = begin[next]; i < begin[next + 1]; ++i) {
      out.value.stride[i] = shape.leaf[i] == 1 ? 0 : product;
      product *= shape.leaf[i];  // cannot overflow: divides the size, which make_layout checked
    }
  }
  return out;
}

/// The layout with the shape of `l` and compact strides in the order of its strides (by absolute value, ties
/// by position). Strides of 0 stay 0, and their extents are ignored. Errors: unsupported_codomain. Example:
/// make_layout_like("(4,8):(100,1)") == "(4,8):(8,1)".
constexpr Outcome<StridedLayout> make_layout_like(const StridedLayout& l) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  Outcome<StridedLayout> out = l;
  bool done[kMaxLeaves] = {};
  Index product = 1;
  for (int k = 0; k < l.leaves(); ++k) {
    int next = -1;
    for (int i = 0; i < l.leaves(); ++i) {
      if (!done[i] && (next < 0 || detail::magnitude(l.stride[i]) < detail::magnitude(l.stride[next])))
        next = i;
    }
    done[next] = true;
    if (l.stride[next] == 0) continue;
    out.value.stride[next] = l.extent[next] == 1 ? 0 : product;
    product *= l.extent[next];
  }
  return out;
}

constexpr AlgebraError identity_strides(StridedLayout& l, Cursor at, BasisPath prefix) {
  if (l.profile.is_leaf(at.node)) {
    l.stride[at.leaf] = 1;
    l.path[at.leaf] = prefix;
    return {};
  }
  if (path_levels(prefix) == kMaxPathLevels) {
    return refuse(Code::capacity, kMaxPathLevels + 1, kMaxPathLevels);
  }
  Cursor mode = first_mode(l.profile, at);
  for (int i = 0; i < l.profile.rank(at.node); ++i, mode = after(l.profile, mode)) {
    const AlgebraError e = identity_strides(l, mode, path_append(prefix, i));
    if (e.failed) return e;
  }
  return {};
}

/// The layout that maps each coordinate of a shape to its natural coordinate: every leaf steps along its own
/// component. Errors: bad_extent, overflow, capacity (nested deeper than kMaxPathLevels). Example:
/// identity_layout("(4,(2,3))") == "(4,(2,3)):(1@0,(1@0@1,1@1@1))".
constexpr Outcome<StridedLayout> identity_layout(const IntTuple& shape) {
  Outcome<StridedLayout> out = make_layout(shape);
  if (!out) return out;
  const AlgebraError e = detail::identity_strides(out.value, {}, 0);
  if (e.failed) return e;
  return out;
}

}  // namespace detail

}  // namespace tessera
