// SPDX-License-Identifier: Apache-2.0
/// \file
/// complement: where the repetitions of a layout start inside a larger codomain.
#pragma once

#include "tessera/algebra/detail/coalesce.h"
#include "tessera/algebra/detail/shape_arithmetic.h"

namespace tessera {

namespace detail {

/// A stable sort by stride, ascending. `order[k]` is the mode in position k.
constexpr void order_by_stride(const FlatModes& modes, int* order) {
  for (int k = 0; k < modes.count; ++k) {
    int i = k;
    for (; i > 0 && modes.stride[order[i - 1]] > modes.stride[k]; --i) order[i] = order[i - 1];
    order[i] = k;
  }
}

/// Appends the gaps of complement(L) below its last stride to `out`; `cursor` becomes the first offset that
/// is not covered.
template <class Trace>
constexpr AlgebraError complement_holes(const StridedLayout& l, FlatModes& out, Index& cursor, bool& tiling,
                                        Trace trace) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  FlatModes modes;
  coalesce_modes(l, {}, modes, true);
  int order[kMaxLeaves] = {};
  order_by_stride(modes, order);
  out.count = 0;
  cursor = 1;
  tiling = true;
  for (int k = 0; k < modes.count; ++k) {
    const Index s = modes.extent[order[k]];
    const Index d = modes.stride[order[k]];
    if (d < 0) return refuse(Code::negative_stride, s, d, order[k]);
    if (d < cursor) {
      AlgebraError e = refuse(Code::non_injective, d, cursor, order[k]);
      e.witness = k == 0 ? 0 : order[k - 1];
      return e;
    }
    trace(StepKind::sorted, s, d);
    if (d % cursor != 0) {
      tiling = false;
      trace(StepKind::not_tiling, d, cursor);
    }
    trace(StepKind::hole, d, cursor, d / cursor, cursor);
    if (d / cursor > 1) push_merged(out, d / cursor, cursor, 0, NoTrace{});
    cursor = d;
    if (!multiply(cursor, s)) return refuse(Code::overflow, d, s);
  }
  return {};
}

/// The layout R of the starts of copies of `l` in a codomain of the size of `cotarget`: (l, R) reaches
/// cotarget, R's offsets increase, and R and l have only the offset 0 in common. If cotarget is a shape, each
/// of its modes is divided separately, rounding up. If a stride is not a multiple of the range covered below
/// it, the gap is rounded down and some offsets stay unused (see complement_tiles). Errors: non_injective
/// (two modes overlap), negative_stride, unsupported_codomain, overflow. O(modes²). Example:
/// complement("4:2", 24) == "(2,3):(1,8)".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> complement(const StridedLayout& l, const IntTuple& cotarget,
                                            Trace trace = {}) {
  detail::FlatModes modes;
  Index cursor = 1;
  bool tiling = true;
  const AlgebraError e = detail::complement_holes(l, modes, cursor, tiling, trace);
  if (e.failed) return e;
  const Outcome<IntTuple> rest = ceil_div(cotarget, cursor);
  if (!rest) return rest.error;
  const Outcome<Index> copies = size(*rest);
  if (!copies) return copies.error;
  trace(StepKind::rest, *copies, cursor);
  if (*copies > 1) detail::push_merged(modes, *copies, cursor, 0, NoTrace{});
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  detail::build_flat(modes, build);
  return detail::finish(out, build);
}

/// complement(l, cosize(filter(l))): only the gaps between the offsets of `l`. Errors: as above. Example:
/// complement("(2,2):(1,6)") == "3:2".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> complement(const StridedLayout& l, Trace trace = {}) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  return complement(l, *cosize(filter(l)), trace);
}

/// The complement without an end: a trailing `1:cursor` mode gives the start of the next copy. Errors: as
/// complement. Example: complement_open("4:2") == "(2,1):(1,8)".
constexpr Outcome<StridedLayout> complement_open(const StridedLayout& l) {
  detail::FlatModes modes;
  Index cursor = 1;
  bool tiling = true;
  const AlgebraError e = detail::complement_holes(l, modes, cursor, tiling, NoTrace{});
  if (e.failed) return e;
  modes.push(1, cursor);
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  detail::build_flat(modes, build);
  return detail::finish(out, build);
}

/// Whether complement(l) fills the gaps exactly: every stride is a multiple of the range covered below it.
/// Errors: as complement.
constexpr Outcome<bool> complement_tiles(const StridedLayout& l) {
  detail::FlatModes modes;
  Index cursor = 1;
  bool tiling = true;
  const AlgebraError e = detail::complement_holes(l, modes, cursor, tiling, NoTrace{});
  if (e.failed) return e;
  return tiling;
}

}  // namespace detail

}  // namespace tessera
