// SPDX-License-Identifier: Apache-2.0
/// \file
/// The divides of CuTe: cut a layout into tiles.
#pragma once

#include "tessera/algebra/detail/complement.h"
#include "tessera/algebra/detail/composition.h"
#include "tessera/algebra/detail/construct.h"

namespace tessera {

namespace detail {

/// Terminal `i` of a tiler; divides and products read the integer 1 as 1:0.
constexpr StridedLayout divisor(const Tiler& t, int i) {
  StridedLayout l = terminal(t, i);
  if (t.kind[i] == Tiler::Kind::integer && l.extent[0] == 1) l.stride[0] = 0;
  return l;
}

/// Appends logical_divide(sub-tree, t): composition with (t, complement(t, shape(coalesce(l)))).
template <class Trace>
constexpr AlgebraError divide_one(const StridedLayout& l, Cursor at, const StridedLayout& t,
                                  LayoutBuilder& out, Trace trace) {
  FlatModes modes;
  coalesce_modes(l, at, modes);
  StridedLayout whole;
  LayoutBuilder build(whole);
  build_flat(modes, build);
  const Outcome<StridedLayout> rest = complement(t, whole.shape(), trace);
  if (!rest) return rest.error;
  trace(StepKind::divide_tiler, t.size(), rest->size());
  const Outcome<StridedLayout> both = concat(t, *rest);
  if (!both) return both.error;
  return compose(l, at, *both, out, trace);
}

/// Appends logical_product(sub-tree, t): the sub-tree, and composition(complement, t) with an unbounded last
/// mode.
template <class Trace>
constexpr AlgebraError multiply_one(const StridedLayout& l, Cursor at, const StridedLayout& t,
                                    LayoutBuilder& out, Trace trace) {
  if (l.has_basis() || t.has_basis()) return refuse(Code::unsupported_codomain);
  const StridedLayout a = sublayout(l, at);
  Index reach = a.size();
  const Index copies = *cosize(t);
  if (!multiply(reach, copies)) return refuse(Code::overflow, a.size(), copies);
  const Outcome<StridedLayout> rest = complement(a, reach, trace);
  if (!rest) return rest.error;
  out.tuple(2);
  out.copy(a);
  if (copies <= rest->size()) return compose(*rest, {}, t, out, trace);
  // If a gap was rounded down, the last mode of complement() may lie inside a gap, and more copies there
  // would overlap `a`. Further copies start after `a`.
  const Outcome<StridedLayout> starts = complement_open(a);
  if (!starts) return starts.error;
  return compose(*starts, {}, t, out, trace);
}

enum class TileBy : std::uint8_t { divide, product };

/// logical_divide or logical_product by mode; modes beyond the tiler are kept.
template <class Trace>
constexpr AlgebraError tile_by(TileBy what, const StridedLayout& l, Cursor at, const Tiler& t, Cursor ct,
                               LayoutBuilder& out, Trace trace) {
  if (t.nesting.is_leaf(ct.node)) {
    if (t.kind[ct.leaf] == Tiler::Kind::everything) {
      out.copy(l, at);
      return {};
    }
    return what == TileBy::divide ? divide_one(l, at, divisor(t, ct.leaf), out, trace)
                                  : multiply_one(l, at, divisor(t, ct.leaf), out, trace);
  }
  const int rank = l.profile.rank(at.node);
  const int named = t.nesting.rank(ct.node);
  if (named > rank) return refuse(Code::rank_mismatch, named, rank);
  out.tuple(rank);
  Cursor mt = first_mode(t.nesting, ct);
  AlgebraError error = {};
  int i = 0;
  for_each_mode(l.profile, at, [&](Cursor m) {
    if (error.failed) return;
    if (i++ >= named) return out.copy(l, m);
    error = tile_by(what, l, m, t, mt, out, trace);
    mt = after(t.nesting, mt);
  });
  return error;
}

template <class Trace>
constexpr Outcome<StridedLayout> tile_by(TileBy what, const StridedLayout& l, const Tiler& t, Trace trace) {
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  out.error = tile_by(what, l, {}, t, {}, build, trace);
  if (out.ok()) out.error = build.finish();
  return out;
}

/// One half of a zipped result: the tiles (part 0) or the rests (part 1) of `l`, which tile_by made with `t`.
constexpr void copy_half(const StridedLayout& l, Cursor at, const Tiler& t, Cursor ct, int part,
                         LayoutBuilder& out) {
  if (t.nesting.is_leaf(ct.node)) {
    if (t.kind[ct.leaf] == Tiler::Kind::everything) return part == 0 ? out.leaf(1, 0) : out.copy(l, at);
    return out.copy(l, mode_at(l.profile, part, at));
  }
  const int named = t.nesting.rank(ct.node);
  out.tuple(part == 0 ? named : l.profile.rank(at.node));
  Cursor mt = first_mode(t.nesting, ct);
  int i = 0;
  for_each_mode(l.profile, at, [&](Cursor m) {
    if (i++ < named) {
      copy_half(l, m, t, mt, part, out);
      mt = after(t.nesting, mt);
    } else if (part == 1) {
      out.copy(l, m);
    }
  });
}

/// Which halves of ((tiles),(rests)) zip_halves unpacks into the top level.
enum class Spread : std::uint8_t { none, rest, both };

constexpr Outcome<StridedLayout> zip_halves(const Outcome<StridedLayout>& l, const Tiler& t, Spread spread) {
  if (!l) return l;
  Outcome<StridedLayout> zipped;
  LayoutBuilder build(zipped.value);
  build.tuple(2);
  copy_half(*l, {}, t, {}, 0, build);
  copy_half(*l, {}, t, {}, 1, build);
  zipped.error = build.profile.error();
  if (spread == Spread::none || !zipped) return zipped;
  Outcome<StridedLayout> out;
  LayoutBuilder flat(out.value);
  const int top = flat.tuple();
  int rank = 0;
  for (int part = 0; part < 2; ++part) {
    const Cursor half = mode_at(zipped->profile, part);
    if (part == 0 && spread == Spread::rest) {
      flat.copy(*zipped, half);
      ++rank;
    } else {
      for_each_mode(zipped->profile, half, [&](Cursor m) { flat.copy(*zipped, m); });
      rank += zipped->profile.rank(half.node);
    }
  }
  flat.set_rank(top, rank);
  return out;
}

/// Each mode (or the whole layout, for a tiler that is one layout or an integer) split into (tile, rest):
/// composition(L, (T, complement(T, shape(coalesce(L))))). Modes beyond a by-mode tiler stay.
/// The result may cover more than L when T does not divide it: size(result) - size(L) is the overhang.
/// Errors: those of complement (of T) and composition; rank_mismatch (tiler longer than L).
/// Example: logical_divide("(4,2,3):(2,1,8)", "4:2") == "((2,2),(2,3)):((4,1),(2,8))".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> logical_divide(const StridedLayout& l, const Tiler& t, Trace trace = {}) {
  return detail::tile_by(detail::TileBy::divide, l, t, trace);
}
/// ((tiles),(rests)): mode 0 is composition(L, T), and tile number j starts at R(0,j). Errors: as
/// logical_divide. Example: zipped_divide("(8,8):(1,8)", "<2,4>") == "((2,4),(4,2)):((1,8),(2,32))".
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> zipped_divide(const StridedLayout& l, const Tiler& t, Trace trace = {}) {
  return detail::zip_halves(logical_divide(l, t, trace), t, detail::Spread::none);
}
/// ((tiles),rest0,rest1,…). Errors: as logical_divide.
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> tiled_divide(const StridedLayout& l, const Tiler& t, Trace trace = {}) {
  return detail::zip_halves(logical_divide(l, t, trace), t, detail::Spread::rest);
}
/// (tile0,tile1,…,rest0,rest1,…). Errors: as logical_divide.
template <tracer Trace = NoTrace>
constexpr Outcome<StridedLayout> flat_divide(const StridedLayout& l, const Tiler& t, Trace trace = {}) {
  return detail::zip_halves(logical_divide(l, t, trace), t, detail::Spread::both);
}

}  // namespace detail

/// True when copies of the tiler cover each coordinate of the shape exactly once. The number of copies is
/// size(ceil_div(shape, n)) for an integer n, and size(complement(T, shape)) for a layout T, whose holes the
/// complement must fill. A by-mode tiler must do so in every mode; one longer than the shape never does.
constexpr bool evenly_divides(const IntTuple& shape, const Tiler& t, Cursor cs = {}, Cursor ct = {}) {
  const detail::Outcome<Index> n = detail::size(shape, cs);
  if (!n) return false;
  if (t.nesting.is_leaf(ct.node)) {
    if (t.kind[ct.leaf] == Tiler::Kind::everything) return true;
    const StridedLayout tile = detail::divisor(t, ct.leaf);
    IntTuple part;
    IntTupleBuilder(part).copy(shape, cs);
    Index covered = tile.size();
    detail::Outcome<Index> copies;
    if (t.kind[ct.leaf] == Tiler::Kind::integer) {
      const detail::Outcome<IntTuple> rest = detail::ceil_div(part, covered);
      if (!rest) return false;
      copies = detail::size(*rest);
    } else {
      const detail::Outcome<StridedLayout> rest = detail::complement(tile, part);
      const detail::Outcome<bool> filled = detail::complement_tiles(tile);
      if (!rest || !filled || !*filled) return false;
      copies = rest->size();
    }
    return copies.ok() && detail::multiply(covered, *copies) && covered == *n;
  }
  const int named = t.nesting.rank(ct.node);
  if (named > shape.profile.rank(cs.node)) return false;
  Cursor ms = first_mode(shape.profile, cs);
  Cursor mt = first_mode(t.nesting, ct);
  for (int i = 0; i < named; ++i, ms = after(shape.profile, ms), mt = after(t.nesting, mt)) {
    if (!evenly_divides(shape, t, ms, mt)) return false;
  }
  return true;
}

namespace detail {
/// `n` elements distributed over a shape by gcd, from the left, as a layout into its 1-D coordinates.
/// Errors: bad_extent, overflow. Example: domain_distribute("(15,14)", 6) == "(3,2):(1,15)".
constexpr Outcome<StridedLayout> domain_distribute(const IntTuple& shape, Index n) {
  if (n < 1) return refuse(Code::bad_extent, n);
  const Outcome<StridedLayout> compact = make_layout(shape);
  if (!compact) return compact;
  detail::FlatModes modes;
  modes.count = 0;
  for (int i = 0; i < shape.leaves(); ++i) {
    const Index g = detail::gcd(n, shape.leaf[i]);
    n /= g;
    if (g > 1) detail::push_merged(modes, g, compact->stride[i], 0, NoTrace{});
  }
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  detail::build_flat(modes, build);
  return out;
}

}  // namespace detail

}  // namespace tessera
