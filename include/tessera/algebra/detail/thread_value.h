// SPDX-License-Identifier: Apache-2.0
/// \file
/// Thread-value layouts, tiles and partitions.
#pragma once

#include "tessera/algebra/detail/inverse.h"
#include "tessera/algebra/detail/product.h"
#include "tessera/algebra/detail/slice.h"

namespace tessera {
namespace detail {
/// The TV layout of `threads` (tile coordinate -> thread) and `values` (tile coordinate -> value), both
/// compact. raked_product(threads, values) maps a tile coordinate to t + |T|·v; the result is its
/// right_inverse on (|T|,|V|). Errors: those of the product and composition. Example:
/// make_layout_tv("(4,8):(8,1)", "(2,2):(1,2)") has tile (8,16) and layout "((8,4),(2,2)):((16,2),(1,8))".
template <tracer Trace = NoTrace>
constexpr Outcome<ThreadValue> make_layout_tv(const StridedLayout& threads, const StridedLayout& values,
                                              Trace trace = {}) {
  const Outcome<StridedLayout> mn = raked_product(threads, values, trace);
  if (!mn) return mn.error;
  const Outcome<StridedLayout> inverse = right_inverse(*mn, trace);
  if (!inverse) return inverse.error;
  const Outcome<StridedLayout> domain = make_layout(make_tuple(threads.size(), values.size()));
  if (!domain) return domain.error;
  const Outcome<StridedLayout> tv = composition(*inverse, *domain, trace);
  if (!tv) return tv.error;
  ThreadValue out{*tv, {}, inverse->size() == threads.size() * values.size()};
  IntTupleBuilder build(out.tile);
  build.tuple(mn->rank());
  detail::for_each_mode(mn->profile, {}, [&](Cursor m) { build.leaf(mn->size_at(m)); });
  return out;
}

/// `c` as a coordinate of the sub-tree at `at`: missing trailing elements become `_`.
constexpr Outcome<Coord> completed(const Coord& c, const Profile& p, Cursor at) {
  if (c.tuple.is_integer() || p.is_leaf(at.node)) return c;
  const int rank = p.rank(at.node);
  const int given = c.tuple.rank();
  if (given > rank) return refuse(Code::rank_mismatch, given, rank);
  Outcome<Coord> out = c;
  IntTupleBuilder build(out.value.tuple);
  build.tuple(rank);
  for_each_mode(c.tuple.profile, {}, [&](Cursor m) { build.copy(c.tuple, m); });
  for (int i = given; i < rank; ++i) {
    out.value.set_hole(build.out.leaves());
    build.leaf(0);
  }
  out.error = build.profile.error();
  return out;
}

/// One `_` per mode of the sub-tree, so that slicing yields its modes flat; a sub-tree of rank 1 gets a
/// single `_`.
constexpr int all_holes(const Profile& p, Cursor at, Coord& out, IntTupleBuilder& build) {
  const int rank = p.rank(at.node);
  if (rank != 1) build.tuple(rank);
  for (int i = 0; i < rank; ++i) {
    out.set_hole(out.tuple.leaves());
    build.leaf(0);
  }
  return rank;
}

enum class Keep : std::uint8_t { tile, rest };

template <class Trace>
constexpr Outcome<Slice> partition(const StridedLayout& l, const Tiler& tiler, const Coord& c, Keep keep,
                                   Trace trace) {
  const Outcome<StridedLayout> zipped = zipped_divide(l, tiler, trace);
  if (!zipped) return zipped.error;
  const Cursor kept = mode_at(zipped->profile, keep == Keep::tile ? 0 : 1);
  const Cursor fixed = mode_at(zipped->profile, keep == Keep::tile ? 1 : 0);
  const Outcome<Coord> full = completed(c, zipped->profile, fixed);
  if (!full) return full.error;
  Coord both;
  IntTupleBuilder build(both.tuple);
  build.tuple(2);
  const auto add_fixed = [&] {
    const int at = both.tuple.leaves();
    for (int i = 0; i < full->tuple.leaves(); ++i) {
      if (full->is_hole(i)) both.set_hole(at + i);
    }
    build.copy(full->tuple);
  };
  if (keep == Keep::rest) add_fixed();
  all_holes(zipped->profile, kept, both, build);
  if (keep == Keep::tile) add_fixed();
  const AlgebraError e = build.profile.error();
  if (e.failed) return e;
  return slice_and_offset(both, *zipped);
}

/// The tile at `coord` in the grid of tiles: zipped_divide with the rest sliced at `coord`. Missing trailing
/// coordinates are `_`. Errors: those of zipped_divide and slice_and_offset.
/// Example: local_tile("(6,6,12):(48,1152,1)", "<1,2,12>", "(2,_,0)") is "(1,2,12,3):(0,1152,1,2304)" at 96.
template <tracer Trace = NoTrace>
constexpr Outcome<Slice> local_tile(const StridedLayout& l, const Tiler& tiler, const Coord& coord,
                                    Trace trace = {}) {
  return detail::partition(l, tiler, coord, detail::Keep::tile, trace);
}
/// local_tile under CuTe's other name.
template <tracer Trace = NoTrace>
constexpr Outcome<Slice> inner_partition(const StridedLayout& l, const Tiler& tiler, const Coord& coord,
                                         Trace trace = {}) {
  return detail::partition(l, tiler, coord, detail::Keep::tile, trace);
}
/// The elements at `coord` of every tile: zipped_divide with the tile sliced at `coord`. Errors: as
/// local_tile.
template <tracer Trace = NoTrace>
constexpr Outcome<Slice> outer_partition(const StridedLayout& l, const Tiler& tiler, const Coord& coord,
                                         Trace trace = {}) {
  return detail::partition(l, tiler, coord, detail::Keep::rest, trace);
}

/// The elements of thread `index` when tiles of the shape of `threads` cover L: outer_partition by the mode
/// sizes of `threads`, at the thread's coordinate, which is (index / stride) mod extent in each leaf. Errors:
/// as local_tile; negative_stride (a stride of `threads` < 1 with extent > 1). Example:
/// local_partition("(6,6,12):(48,1152,1)", "(2,2,4):(1,2,4)", 2) is "(3,3,3):(96,2304,4)" at 1152.
template <tracer Trace = NoTrace>
constexpr Outcome<Slice> local_partition(const StridedLayout& l, const StridedLayout& threads, Index index,
                                         Trace trace = {}) {
  if (threads.has_basis()) return refuse(Code::unsupported_codomain);
  IntTuple sizes;
  IntTupleBuilder tile(sizes);
  Coord c;
  IntTupleBuilder coord(c.tuple);
  const int rank = threads.rank();
  tile.tuple(rank);
  coord.tuple(rank);
  AlgebraError error = {};
  detail::for_each_mode(threads.profile, {}, [&](Cursor m) {
    tile.leaf(threads.size_at(m));
    const int end = after(threads.profile, m).leaf;
    Index at = 0;
    Index weight = 1;
    for (int i = m.leaf; i < end; ++i) {
      const Index s = threads.extent[i];
      if (s > 1) {
        if (threads.stride[i] < 1) {
          error = refuse(Code::negative_stride, s, threads.stride[i], i);
          return;
        }
        at += mod(floor_div(index, threads.stride[i]), s) * weight;
      }
      weight *= s;
    }
    coord.leaf(at);
  });
  if (!error.failed) error = tile.profile.error();
  if (error.failed) return error;
  const Outcome<Tiler> tiler = shape_tiler(sizes);
  if (!tiler) return tiler.error;
  return outer_partition(l, *tiler, c, trace);
}

/// The layout of the modes that a projection keeps; bit i of `keep` is mode i. For partitions that ignore a
/// mode (`X` in CuTe). Errors: rank_mismatch when no mode is kept.
constexpr Outcome<StridedLayout> project(const StridedLayout& l, std::uint64_t keep) {
  Index modes[kMaxLeaves] = {};
  int n = 0;
  for (int i = 0; i < l.rank() && i < kMaxLeaves; ++i) {
    if (((keep >> i) & 1) != 0) modes[n++] = i;
  }
  if (n == 0) return refuse(Code::rank_mismatch, 0, l.rank());
  return select(l, modes, n);
}

/// Turns a TV layout of offsets, such as the table of an MMA atom, into a TV layout of coordinates of `data`:
/// composes it with the layout from offsets to coordinates. Correct only for offsets that `data` takes.
/// Errors: those of generalized_inverse and composition.
constexpr Outcome<StridedLayout> tv_of_addresses(const StridedLayout& data, const StridedLayout& tv) {
  const Outcome<StridedLayout> inverse = generalized_inverse(data);
  if (!inverse) return inverse;
  const Outcome<StridedLayout> capped = append(*inverse, StridedLayout{});
  if (!capped) return capped;
  return composition(*capped, tv);
}

}  // namespace detail

}  // namespace tessera
