// SPDX-License-Identifier: Apache-2.0
/// \file
/// The products of CuTe: copies of a layout, placed by a second layout.
#pragma once

#include "tessera/algebra/detail/divide.h"

namespace tessera {

namespace detail {
/// (A, composition(complement(A), T)), with the complement unbounded after A: mode 0 is A, mode 1 gives the
/// starts of the copies. By mode for `<…>`; the integer 1 is 1:0, `_` keeps a mode. Copies never overlap if A
/// is injective. Errors: those of complement (of A) and composition, rank_mismatch, unsupported_codomain.
/// Example: logical_product("(2,2):(4,1)", "6:1") == "((2,2),(2,3)):((4,1),(2,8))".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> logical_product(const StridedLayout& a, const Tiler& t, Trace trace = {}) {
  return detail::tile_by(detail::TileBy::product, a, t, trace);
}
/// ((A0,A1,…),(T0',T1',…)). Errors: as logical_product.
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> zipped_product(const StridedLayout& a, const Tiler& t, Trace trace = {}) {
  return detail::zip_halves(logical_product(a, t, trace), t, detail::Spread::none);
}
/// ((A0,A1,…),T0',T1',…). Errors: as logical_product.
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> tiled_product(const StridedLayout& a, const Tiler& t, Trace trace = {}) {
  return detail::zip_halves(logical_product(a, t, trace), t, detail::Spread::rest);
}
/// (A0,A1,…,T0',T1',…). Errors: as logical_product.
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> flat_product(const StridedLayout& a, const Tiler& t, Trace trace = {}) {
  return detail::zip_halves(logical_product(a, t, trace), t, detail::Spread::both);
}

/// `l` as a tuple of rank `rank`, with 1:0 at the end.
constexpr Outcome<StridedLayout> padded(const StridedLayout& l, int rank) {
  if (!l.profile.is_leaf()) return append_to_rank(l, rank);
  const Outcome<StridedLayout> tuple = concat(l);
  return tuple ? append_to_rank(*tuple, rank) : tuple;
}

enum class ProductOrder : std::uint8_t { blocked, raked };

template <class Trace>
constexpr Outcome<StridedLayout> ranked_product(const StridedLayout& a, const StridedLayout& t,
                                                ProductOrder how, Trace trace) {
  const int rank = a.rank() > t.rank() ? a.rank() : t.rank();
  const Outcome<StridedLayout> block = padded(a, rank);
  if (!block) return block;
  const Outcome<StridedLayout> grid = padded(t, rank);
  if (!grid) return grid;
  const Outcome<StridedLayout> both = logical_product(*block, *grid, trace);
  if (!both) return both;
  const StridedLayout tile = sublayout(*both, mode_at(both->profile, 0));
  const StridedLayout copies = sublayout(*both, mode_at(both->profile, 1));
  return how == ProductOrder::blocked ? zip(tile, copies) : zip(copies, tile);
}

/// Copies of A, arranged side by side by T, mode by mode: ((A0,T0'),(A1,T1'),…), ranks padded with 1:0.
/// Errors: as logical_product. Example: blocked_product("(2,5):(5,1)", "(3,4):(1,3)") ==
/// "((2,3),(5,4)):((5,10),(1,30))".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> blocked_product(const StridedLayout& a, const StridedLayout& t,
                                                 Trace trace = {}) {
  return detail::ranked_product(a, t, detail::ProductOrder::blocked, trace);
}
/// The copies of A interleaved: ((T0',A0),(T1',A1),…). Errors: as logical_product.
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> raked_product(const StridedLayout& a, const StridedLayout& t,
                                               Trace trace = {}) {
  return detail::ranked_product(a, t, detail::ProductOrder::raked, trace);
}

/// Covers a target shape with copies of a block, in a given order: the result's modes have the target's
/// extents. Errors: rank_mismatch (the block has more modes), tile_to_shape_divisibility (`leaf` is the mode,
/// `first` its extent in the block, `second` in the target), those of the product.
/// Example: tile_to_shape("(8,8):(8,1)", "(16,32)", Order::left) == "((8,2),(8,4)):((8,64),(1,128))".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> tile_to_shape(const StridedLayout& block, const IntTuple& target,
                                               const IntTuple& order, Trace trace = {}) {
  const int rank = target.rank();
  if (block.rank() > rank) return refuse(Code::rank_mismatch, block.rank(), rank);
  const Outcome<StridedLayout> tile = rank == 1 ? block : detail::padded(block, rank);
  if (!tile) return tile;
  Outcome<IntTuple> grid;
  IntTupleBuilder build(grid.value);
  if (!target.is_integer()) build.tuple(rank);
  Cursor mb = first_mode(tile->profile);
  Cursor mt = first_mode(target.profile);
  for (int i = 0; i < rank; ++i, mb = after(tile->profile, mb), mt = after(target.profile, mt)) {
    const Index b = tile->size_at(mb);
    const Outcome<Index> t = size(target, mt);
    if (!t) return t.error;
    if (*t < 1) return refuse(Code::bad_extent, *t, 0, i);
    if (*t % b != 0) return refuse(Code::tile_to_shape_divisibility, b, *t, i);
    build.leaf(*t / b);
  }
  grid.error = build.profile.error();
  if (!grid) return grid.error;
  const Outcome<StridedLayout> copies = make_ordered_layout(*grid, order);
  if (!copies) return copies;
  return blocked_product(*tile, *copies, trace);
}
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> tile_to_shape(const StridedLayout& block, const IntTuple& target,
                                               Order order, Trace trace = {}) {
  IntTuple by;
  IntTupleBuilder build(by);
  if (!target.is_integer()) build.tuple(target.rank());
  for (int i = 0; i < target.rank(); ++i) build.leaf(order == Order::left ? i : -i);
  if (const AlgebraError e = build.profile.error(); e.failed) return e;
  return tile_to_shape(block, target, by, trace);
}

}  // namespace detail

}  // namespace tessera
