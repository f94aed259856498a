// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts as written, with the marks `_` of CuTe C++'s compile-time constants.
#pragma once

#include "tessera/algebra/detail/composed_layout.h"
#include "tessera/algebra/detail/construct.h"
#include "tessera/algebra/detail/tiler.h"

namespace tessera {
namespace detail {
/// The layout of a shape and strides with their marks. If `path` is not null, a nonzero path[i] makes stride
/// i a scaled basis. Errors: bad_extent, not_congruent, overflow, codomain_mismatch.
constexpr Outcome<TrackedLayout> make_tracked(const TrackedTuple& shape, const TrackedTuple& stride,
                                              const BasisPath* path = nullptr) {
  Outcome<TrackedLayout> out;
  StridedLayout& l = out.value.layout;
  const int n = shape.tuple.leaves();
  l.profile = shape.tuple.profile;
  for (int i = 0; i < n; ++i) {
    l.extent[i] = shape.tuple.leaf[i];
    if (l.extent[i] < 1) return refuse(Code::bad_extent, l.extent[i], 0, i);
  }
  if (!congruent(shape.tuple, stride.tuple)) return refuse(Code::not_congruent, n, stride.tuple.leaves());
  for (int i = 0; i < n; ++i) {
    l.stride[i] = stride.tuple.leaf[i];
    if (path != nullptr) l.path[i] = path[i];
  }
  out.value.marks = {shape.marks, stride.marks};
  out.error = check_invariants(l);
  return out;
}

/// The compact layout of a shape, from the left or the right. If a mark is set, the strides are marked as in
/// CuTe C++: the running product starts static, and only a static extent 1 gets stride 0. Errors: bad_extent,
/// overflow. Example: make_compact("(_2,4)", Order::left) is "(_2,4):(_1,_2)".
constexpr Outcome<TrackedLayout> make_compact(const TrackedTuple& shape, Order order) {
  Outcome<TrackedLayout> out;
  StridedLayout& l = out.value.layout;
  Marks& marks = out.value.marks;
  const int n = shape.tuple.leaves();
  l.profile = shape.tuple.profile;
  marks.extents = shape.marks;
  Index product = 1;
  bool is_static = true;
  for (int k = 0; k < n; ++k) {
    const int i = order == Order::left ? k : n - 1 - k;
    l.extent[i] = shape.tuple.leaf[i];
    if (l.extent[i] < 1) return refuse(Code::bad_extent, l.extent[i], 0, i);
    const bool unit = l.extent[i] == 1 && (marks.extent(i) || shape.marks == 0);
    l.stride[i] = unit ? 0 : product;
    if (shape.marks != 0 && (unit || is_static)) marks.strides |= std::uint64_t{1} << i;
    is_static = is_static && marks.extent(i);
    if (!detail::multiply(product, l.extent[i])) return refuse(Code::overflow, product, l.extent[i], i);
  }
  return out;
}

}  // namespace detail

}  // namespace tessera
