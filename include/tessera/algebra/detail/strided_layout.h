// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations on strided layouts: building, checks, offsets, sizes of the codomain.
#pragma once

#include "tessera/algebra/detail/coordinate.h"

namespace tessera {

constexpr int path_levels(BasisPath path) {
  int levels = 0;
  for (; path != 0; path >>= 8) ++levels;
  return levels;
}
/// The index at a level; requires level < path_levels(path).
constexpr int path_index(BasisPath path, int level) {
  return static_cast<int>((path >> (8 * level)) & 0xff) - 1;
}
/// `path` with one more, innermost level.
constexpr BasisPath path_append(BasisPath path, int index) {
  return path | static_cast<BasisPath>(index + 1) << (8 * path_levels(path));
}
/// True if the component `inner` is part of the component `outer`, or equal to it.
constexpr bool path_contains(BasisPath outer, BasisPath inner) {
  const int levels = path_levels(outer);
  return levels == kMaxPathLevels ? outer == inner : (inner & ((BasisPath{1} << (8 * levels)) - 1)) == outer;
}

namespace detail {
/// Checks the three invariants of StridedLayout that its type does not enforce. Errors: bad_extent, overflow,
/// codomain_mismatch. O(leaves), O(leaves²) with coordinate strides.
constexpr AlgebraError check_invariants(const StridedLayout& l) {
  const int n = l.leaves();
  Index size = 1;
  Index span = 1;
  bool basis = false;
  for (int i = 0; i < n; ++i) {
    if (l.extent[i] < 1) return refuse(Code::bad_extent, l.extent[i], 0, i);
    if (mul_overflows(size, l.extent[i], size)) return refuse(Code::overflow, l.extent[i], l.stride[i], i);
    if (l.stride[i] == kIndexMin) return refuse(Code::overflow, l.extent[i], l.stride[i], i);
    basis = basis || l.path[i] != 0;
    Index reach = detail::magnitude(l.stride[i]);
    if (l.path[i] == 0 &&
        (mul_overflows(reach, l.extent[i] - 1, reach) || add_overflows(span, reach, span))) {
      return refuse(Code::overflow, l.extent[i], l.stride[i], i);
    }
  }
  if (!basis) return {};
  for (int i = 0; i < n; ++i) {
    if (l.path[i] == 0 && l.stride[i] != 0) return refuse(Code::codomain_mismatch, l.stride[i], 0, i);
    span = 1;
    for (int j = 0; j < n; ++j) {
      if (l.path[i] == 0 || l.path[j] == 0) continue;
      if (l.path[i] != l.path[j]) {
        if (path_contains(l.path[i], l.path[j])) {
          return refuse(Code::codomain_mismatch, l.stride[i], l.stride[j], i);
        }
        continue;
      }
      Index reach = detail::magnitude(l.stride[j]);
      if (mul_overflows(reach, l.extent[j] - 1, reach) || add_overflows(span, reach, span)) {
        return refuse(Code::overflow, l.extent[j], l.stride[j], j);
      }
    }
  }
  return {};
}

}  // namespace detail

/// Writes a StridedLayout in preorder; finish() checks the invariants.
struct LayoutBuilder {
  StridedLayout& out;
  ProfileBuilder profile;

  constexpr explicit LayoutBuilder(StridedLayout& target) : out(target), profile(target.profile) {
    out.extent[0] = 0;
  }
  constexpr int tuple(int rank = 0) { return profile.tuple(rank); }
  constexpr void set_rank(int node, int rank) { profile.set_rank(node, rank); }
  constexpr void leaf(Index extent, Index stride, BasisPath path = 0) {
    const int i = profile.leaf();
    if (i < 0) return;
    out.extent[i] = extent;
    out.stride[i] = stride;
    out.path[i] = path;
  }
  /// Copies the sub-tree of `l` at `at`.
  constexpr void copy(const StridedLayout& l, Cursor at = {}) {
    const Cursor end = after(l.profile, at);
    for (int n = at.node, i = at.leaf; n < end.node; ++n) {
      if (l.profile.is_leaf(n)) {
        leaf(l.extent[i], l.stride[i], l.path[i]);
        ++i;
      } else {
        tuple(l.profile.rank(n));
      }
    }
  }
  constexpr detail::AlgebraError finish() const {
    const detail::AlgebraError e = profile.error();
    return e.failed ? e : detail::check_invariants(out);
  }
};

namespace detail {
/// The layout of a congruent shape and integer stride. Errors: not_congruent, bad_extent, overflow.
constexpr Outcome<StridedLayout> make_strided(const IntTuple& shape, const IntTuple& stride) {
  if (!congruent(shape, stride)) return refuse(Code::not_congruent, shape.leaves(), stride.leaves());
  Outcome<StridedLayout> out;
  out.value.profile = shape.profile;
  out.value.extent[0] = 0;
  for (int i = 0; i < shape.leaves(); ++i) {
    out.value.extent[i] = shape.leaf[i];
    out.value.stride[i] = stride.leaf[i];
  }
  out.error = check_invariants(out.value);
  return out;
}

}  // namespace detail

/// `extent:stride` with one integer mode. Requires extent >= 1.
constexpr StridedLayout make_mode(Index extent, Index stride, BasisPath path = 0) {
  StridedLayout l;
  l.extent[0] = extent;
  l.stride[0] = stride;
  l.path[0] = path;
  return l;
}

namespace detail {

/// Builds the coordinate whose component at path[i] is value[i], and `filler` everywhere else.
constexpr void assemble(const BasisPath* path, const Index* value, int n, BasisPath prefix, Index filler,
                        IntTupleBuilder& out) {
  const int level = path_levels(prefix);
  int rank = -1;
  for (int i = 0; i < n; ++i) {
    if (path[i] == 0 || !path_contains(prefix, path[i])) continue;
    if (path[i] == prefix) return out.leaf(value[i]);
    const int index = path_index(path[i], level);
    if (index + 1 > rank) rank = index + 1;
  }
  if (rank < 0) return out.leaf(filler);
  out.tuple(rank);
  for (int i = 0; i < rank; ++i) assemble(path, value, n, path_append(prefix, i), filler, out);
}

/// The offset or coordinate with the given digit in every leaf, plus `start` in each component.
constexpr Outcome<IntTuple> combine(const StridedLayout& l, const Index* digit, Index start) {
  BasisPath path[kMaxLeaves] = {};
  Index sum[kMaxLeaves] = {};
  int n = 0;
  for (int i = 0; i < l.leaves(); ++i) {
    if (l.path[i] == 0 && l.stride[i] == 0) continue;
    int k = 0;
    while (k < n && path[k] != l.path[i]) ++k;
    if (k == n) {
      path[n] = l.path[i];
      sum[n++] = start;
    }
    Index part = digit[i];
    if (!multiply(part, l.stride[i]) || add_overflows(sum[k], part, sum[k])) {
      return refuse(Code::overflow, digit[i], l.stride[i], i);
    }
  }
  if (n == 0) return IntTuple(start);
  if (path[0] == 0) return IntTuple(sum[0]);
  Outcome<IntTuple> out;
  IntTupleBuilder build(out.value);
  assemble(path, sum, n, 0, start, build);
  out.error = build.profile.error();
  return out;
}

/// 1 + Σ (extent - 1) · |stride|, for each component of the codomain. Errors: capacity (more components than
/// fit in an IntTuple). Example: coshape("(4,(2,3)):(1@0,(1@0@1,2@1@1))") == "(4,(2,5))".
constexpr Outcome<IntTuple> coshape(const StridedLayout& l) {
  StridedLayout positive = l;
  Index digit[kMaxLeaves] = {};
  for (int i = 0; i < l.leaves(); ++i) {
    positive.stride[i] = detail::magnitude(l.stride[i]);
    digit[i] = l.extent[i] - 1;
  }
  return detail::combine(positive, digit, 1);
}

/// The product of coshape. For integer strides >= 0 this is 1 + the largest offset.
/// Errors: overflow, capacity (coordinate strides only). Example: cosize("4:-1") == 4.
constexpr Outcome<Index> cosize(const StridedLayout& l) {
  if (!l.has_basis()) {
    Index sum = 1;
    for (int i = 0; i < l.leaves(); ++i) sum += (l.extent[i] - 1) * detail::magnitude(l.stride[i]);
    return sum;
  }
  const Outcome<IntTuple> shape = coshape(l);
  if (!shape) return shape.error;
  return size(*shape);
}

/// The offset (or coordinate, for scaled bases) of any coordinate of the layout: an integer, a tuple or a
/// mixture of both. Errors: rank_mismatch, overflow. Exact, O(leaves). Example:
/// evaluate("(3,(2,3)):(3,(12,1))", "(1,5)") == 17.
constexpr Outcome<IntTuple> evaluate(const StridedLayout& l, const IntTuple& c) {
  const Outcome<IntTuple> digits = idx2crd(c, l.shape());
  if (!digits) return digits.error;
  return detail::combine(l, digits->leaf, 0);
}

/// The offset as an integer, for integer strides. Errors: rank_mismatch, overflow, unsupported_codomain.
constexpr Outcome<Index> offset(const StridedLayout& l, const IntTuple& c) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  const Outcome<IntTuple> at = evaluate(l, c);
  if (!at) return at.error;
  return at->leaf[0];
}

}  // namespace detail

}  // namespace tessera
