// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations on chains.
#pragma once

#include "tessera/algebra/detail/product.h"
#include "tessera/algebra/detail/recast.h"
#include "tessera/algebra/detail/slice.h"
#include "tessera/algebra/detail/swizzle.h"
#include "tessera/algebra/detail/vector_width.h"

namespace tessera {

namespace detail {

/// Applies the parts before `end` to `value`, from right to left. Errors: overflow, unsupported_codomain (a
/// swizzle of a value < 0).
constexpr Outcome<Index> push(const ComposedLayout& c, int end, Index value) {
  for (int i = end - 1; i >= 0; --i) {
    const ComposedPart& p = c.part[i];
    const Index before = value;
    if (add_overflows(before, p.offset, value)) return refuse(Code::overflow, before, p.offset);
    if (p.kind == ComposedPart::Kind::swizzle) {
      if (value < 0) return refuse(Code::unsupported_codomain, value);
      value = p.swizzle(value);
    } else {
      const Outcome<Index> at = offset(p.layout, value);
      if (!at) return at;
      value = *at;
    }
  }
  return value;
}

/// Whether a chain drops the part, unless it is the last one.
constexpr bool does_nothing(const ComposedPart& p) {
  return p.kind == ComposedPart::Kind::swizzle && p.swizzle.is_identity() && p.offset == 0;
}

/// The chain without these parts.
constexpr ComposedLayout without_idle_parts(const ComposedLayout& c) {
  ComposedLayout out;
  out.parts = 0;
  for (int i = 0; i < c.parts; ++i) {
    if (i + 1 == c.parts || !does_nothing(c.part[i])) out.part[out.parts++] = c.part[i];
  }
  return out;
}

/// Appends the parts of `inner`, preceded by an offset, to those of `outer`.
constexpr Outcome<ComposedLayout> chain(const ComposedLayout& outer, Index x, const ComposedLayout& inner) {
  Outcome<ComposedLayout> out;
  ComposedLayout& c = out.value;
  c.parts = 0;
  const auto add = [&](const ComposedPart& p, bool last) {
    if (!last && does_nothing(p)) return true;
    if (c.parts == ComposedLayout::kMaxParts) return false;
    c.part[c.parts++] = p;
    return true;
  };
  for (int i = 0; i < outer.parts; ++i) {
    ComposedPart p = outer.part[i];
    if (i + 1 == outer.parts) p.offset = x;
    if (!add(p, false)) return refuse(Code::capacity, outer.parts + inner.parts, ComposedLayout::kMaxParts);
  }
  for (int i = 0; i < inner.parts; ++i) {
    if (!add(inner.part[i], i + 1 == inner.parts)) {
      return refuse(Code::capacity, outer.parts + inner.parts, ComposedLayout::kMaxParts);
    }
  }
  return out;
}

/// `c` with another last layout.
constexpr Outcome<ComposedLayout> with_domain(const ComposedLayout& c, const Outcome<StridedLayout>& l) {
  if (!l) return l.error;
  Outcome<ComposedLayout> out = c;
  out.value.part[c.parts - 1].layout = *l;
  return out;
}

/// The value at the 1-D coordinate `i` of the domain, or at the integer i >= 0 when the last part is a
/// swizzle. Errors: overflow, unsupported_codomain (coordinate strides, or a negative value into a swizzle).
/// Example: "Sw<3,0,3> o _0 o (8,8):(8,1)" at 1 is 9.
constexpr Outcome<Index> offset(const ComposedLayout& c, Index i) { return detail::push(c, c.parts, i); }

/// The value at any coordinate of the domain. Errors: as above, rank_mismatch.
constexpr Outcome<Index> offset(const ComposedLayout& c, const IntTuple& at) {
  if (!c.has_domain()) {
    return at.is_integer() ? offset(c, at.leaf[0]) : refuse(Code::rank_mismatch, at.rank(), 1);
  }
  const Outcome<Index> inner = offset(c.domain(), at);
  if (!inner) return inner;
  return detail::push(c, c.parts - 1, *inner);
}

/// A o x o B: c -> A(x + B(c)). Identity swizzles with offset 0 vanish. Errors: capacity (more than 4 parts).
/// Example: make_composed(Sw<3,4,3>, 0, "(8,64):(64,1)") prints "Sw<3,4,3> o _0 o (8,64):(64,1)".
template <class A, class B>
constexpr Outcome<ComposedLayout> make_composed(const A& a, Index x, const B& b) {
  return detail::chain(ComposedLayout(a), x, ComposedLayout(b));
}

/// Sw o _0 o L, or L itself for the identity.
constexpr ComposedLayout composition(const Swizzle& s, const StridedLayout& l) {
  return *detail::make_composed(s, 0, l);
}

/// Operations that act on the domain: (A o x o L) with L replaced by op(L, …). Errors: those of the
/// operation; rank_mismatch when the last part is a swizzle.
#define TESSERA_ON_DOMAIN(op)                                                          \
  template <class... Args>                                                             \
  constexpr Outcome<ComposedLayout> op(const ComposedLayout& c, const Args&... args) { \
    if (!c.has_domain()) return refuse(Code::rank_mismatch, 0, 0);                     \
    return detail::with_domain(c, op(c.domain(), args...));                            \
  }
TESSERA_ON_DOMAIN(composition)
TESSERA_ON_DOMAIN(coalesce)
TESSERA_ON_DOMAIN(filter)
TESSERA_ON_DOMAIN(flatten)
TESSERA_ON_DOMAIN(group)
TESSERA_ON_DOMAIN(take)
TESSERA_ON_DOMAIN(append)
TESSERA_ON_DOMAIN(logical_divide)
TESSERA_ON_DOMAIN(zipped_divide)
TESSERA_ON_DOMAIN(tiled_divide)
TESSERA_ON_DOMAIN(flat_divide)
TESSERA_ON_DOMAIN(logical_product)
TESSERA_ON_DOMAIN(zipped_product)
TESSERA_ON_DOMAIN(tiled_product)
TESSERA_ON_DOMAIN(flat_product)
TESSERA_ON_DOMAIN(blocked_product)
TESSERA_ON_DOMAIN(raked_product)
TESSERA_ON_DOMAIN(tile_to_shape)
#undef TESSERA_ON_DOMAIN

/// The chain with a slice of its domain as its last layout: A o (x + offset) o layout. The offset stays
/// inside A, because A is not additive. Errors: unsupported_codomain (the offset is a coordinate), overflow.
constexpr Outcome<ComposedLayout> with_slice(const ComposedLayout& c, const Slice& slice) {
  if (!slice.offset.is_integer()) return refuse(Code::unsupported_codomain);
  const Index fixed = slice.offset.leaf[0];
  Outcome<ComposedLayout> out = with_domain(c, slice.layout);
  if (c.parts == 1) return fixed == 0 ? out : make_composed(Swizzle{0, 0, 0}, fixed, slice.layout);
  const Index x = c.part[c.parts - 2].offset;
  if (add_overflows(x, fixed, out.value.part[c.parts - 2].offset)) return refuse(Code::overflow, x, fixed);
  return without_idle_parts(out.value);
}

/// The slice of a composed layout: A o (x + L(c with 0 in the holes)) o slice(c, L). Errors: as
/// slice_and_offset and with_slice; rank_mismatch when there is no domain.
constexpr Outcome<ComposedLayout> slice(const Coord& c, const ComposedLayout& l) {
  if (!l.has_domain()) return refuse(Code::rank_mismatch, c.tuple.rank(), 0);
  const Outcome<Slice> part = slice_and_offset(c, l.domain());
  if (!part) return part.error;
  return with_slice(l, *part);
}

/// The chain in reverse order, each part replaced by its inverse and each offset by its negative.
template <class Invert>
constexpr Outcome<ComposedLayout> inverted(const ComposedLayout& c, Invert&& invert) {
  Outcome<ComposedLayout> out;
  out.value.parts = c.parts;
  for (int i = 0; i < c.parts; ++i) {
    ComposedPart& p = out.value.part[c.parts - 1 - i];
    p = c.part[i];
    if (p.kind == ComposedPart::Kind::layout) {
      const Outcome<StridedLayout> inverse = invert(p.layout);
      if (!inverse) return inverse.error;
      p.layout = *inverse;
    }
    p.offset = 0;
    if (i > 0 && sub_overflows(Index{0}, c.part[i - 1].offset, p.offset))
      return refuse(Code::overflow, 0, c.part[i - 1].offset);
  }
  out.value = without_idle_parts(out.value);
  return out;
}

/// right_inverse(Sw o x o L) = right_inverse(L) o -x o Sw, a function of integers >= 0. It is an inverse if
/// the chain is a permutation of its coordinates. Errors: as for layouts.
constexpr Outcome<ComposedLayout> right_inverse(const ComposedLayout& c) {
  return detail::inverted(c, [](const StridedLayout& l) { return right_inverse(l); });
}

/// Whether every part before the last is a swizzle.
constexpr bool only_swizzles_before_domain(const ComposedLayout& c) {
  for (int i = 0; i + 1 < c.parts; ++i) {
    if (c.part[i].kind != ComposedPart::Kind::swizzle) return false;
  }
  return true;
}
/// Whether `holds(R(C(k)), k, C(k))` for every coordinate k of C. Errors: undecided and those of offset.
template <class Holds>
constexpr Outcome<bool> always_holds(const ComposedLayout& c, const ComposedLayout& r, Holds&& holds) {
  const Index n = c.size();
  Index limit = evaluation_limit();
  if (n > limit) return refuse(Code::undecided, n, limit);
  for (Index k = 0; k < n; ++k) {
    const Outcome<Index> value = offset(c, k);
    if (!value) return value.error;
    const Outcome<Index> back = offset(r, *value);
    if (!back || !holds(*back, k, *value)) return false;
  }
  return true;
}

/// The inverse from the inverses of the parts, if `holds`, else one layout that a search finds.
template <class Holds>
constexpr Outcome<ComposedLayout> inverse_of_parts(const ComposedLayout& c,
                                                   const Outcome<ComposedLayout>& parts, Shared shared,
                                                   Holds&& holds) {
  if (!c.has_domain() || (parts && only_swizzles_before_domain(c))) return parts;
  if (parts) {
    const Outcome<bool> right = always_holds(c, *parts, holds);
    if (!right) return right.error;
    if (*right) return parts;
  }
  Index limit = evaluation_limit();
  for (Index k = 0; k < c.size() && k < limit; ++k) {
    const Outcome<Index> value = offset(c, k);
    if (!value) return value.error;
  }
  const Outcome<StridedLayout> found = find_inverse([&](Index k) { return *offset(c, k); }, c.size(), shared);
  if (found) return ComposedLayout(*found);
  // That the chain in reverse has an offset beyond 64 bits says more than that a search ended.
  const bool overflows = !parts && parts.error.code == Code::overflow;
  return overflows && found.error.code == Code::undecided ? parts.error : found.error;
}

/// R with R(C(i)) = i for every coordinate i of C. A swizzle is its own inverse; a layout before another part
/// is checked by evaluation, because its arguments may exceed its size. Where that fails, one layout that a
/// search finds. Errors: as for layouts.
constexpr Outcome<ComposedLayout> left_inverse(const ComposedLayout& c) {
  return detail::inverse_of_parts(c,
                                  detail::inverted(c, [](const StridedLayout& l) { return left_inverse(l); }),
                                  Shared::no, [](Index back, Index k, Index) { return back == k; });
}
/// R with C(R(C(i))) = C(i) for every coordinate i of C, like left_inverse, but coordinates may share an
/// offset. Errors: undecided (with the reason search, none was found by this method), not_invertible (no
/// layout is an inverse), those of offset.
constexpr Outcome<ComposedLayout> generalized_inverse(const ComposedLayout& c) {
  return detail::inverse_of_parts(
      c, detail::inverted(c, [](const StridedLayout& l) { return generalized_inverse(l); }), Shared::first,
      [&](Index back, Index, Index value) {
        const Outcome<Index> again = offset(c, back);
        return again && *again == value;
      });
}
/// The complement of the domain layout. Errors: as complement.
constexpr Outcome<StridedLayout> complement(const ComposedLayout& c, const IntTuple& cotarget) {
  if (!c.has_domain()) return refuse(Code::rank_mismatch, 0, 0);
  return complement(c.domain(), cotarget);
}

/// f(k) == g(k) for all k < n, by evaluation. Errors: undecided.
template <class F, class G>
constexpr Outcome<bool> same_values(F&& f, G&& g, Index n) {
  Index limit = evaluation_limit();
  if (n > limit) return refuse(Code::undecided, n, limit);
  for (Index k = 0; k < n; ++k) {
    const Outcome<Index> a = f(k);
    const Outcome<Index> b = g(k);
    if (!a.ok() || !b.ok() || *a != *b) return false;
  }
  return true;
}

/// c -> L(Sw(c)) on the coordinates of L: `Sw' o _0 o L` when that is the same function, else `L o _0 o Sw`.
/// Equality is proved by evaluation; a domain beyond evaluation_limit() gets the second form. Errors:
/// unsupported_codomain. Example: composition("(2,2):(2,1)", Sw<1,1,3>) is "Sw<1,0,3> o _0 o (2,2):(2,1)".
constexpr Outcome<ComposedLayout> composition(const StridedLayout& l, const Swizzle& s) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  const Outcome<ComposedLayout> general = make_composed(l, 0, s);
  const Outcome<Index> read = offset(l, s.read_mask());
  const Outcome<Index> write = offset(l, s.write_mask());
  if (!read || !write) return general;
  const Outcome<Swizzle> pushed = swizzle_from_masks(*read, *write);
  if (!pushed) return general;
  const Outcome<ComposedLayout> through = make_composed(*pushed, 0, l);
  const Outcome<bool> same = detail::same_values([&](Index k) { return offset(*through, k); },
                                                 [&](Index k) { return offset(*general, k); }, l.size());
  return same.ok() && *same ? through : general;
}

/// c -> L(C(c)) for a chain C; a swizzle moves to the left of L where that is the same function. Errors:
/// nonzero_offset (an offset between a swizzle of C and its domain), capacity, those of composition.
constexpr Outcome<ComposedLayout> composition(const StridedLayout& l, const ComposedLayout& c) {
  if (c.parts == 1) {
    if (c.has_domain()) {
      const Outcome<StridedLayout> both = composition(l, c.domain());
      return both ? Outcome<ComposedLayout>(ComposedLayout(*both)) : both.error;
    }
    return composition(l, c.last().swizzle);
  }
  if (c.part[0].kind != ComposedPart::Kind::swizzle) return make_composed(l, 0, c);
  if (c.part[0].offset != 0) return refuse(Code::nonzero_offset, c.part[0].offset);
  const Outcome<ComposedLayout> outer = composition(l, c.part[0].swizzle);
  if (!outer) return outer;
  ComposedLayout rest;
  rest.parts = c.parts - 1;
  for (int i = 0; i < rest.parts; ++i) rest.part[i] = c.part[i + 1];
  // Moving the swizzle is right only if every inner value is a coordinate of L.
  const bool inside = outer->has_domain() && rest.parts == 1 && rest.has_domain() &&
                      !rest.domain().has_basis() && image_min(rest.domain()) >= 0 &&
                      image_max(rest.domain()) < l.size();
  if (inside) {
    const Outcome<ComposedLayout> moved =
        detail::with_domain(*outer, composition(outer->domain(), rest.domain()));
    if (moved) return moved;
  }
  return make_composed(l, 0, c);
}

}  // namespace detail

/// The first swizzle (the identity if the chain begins with a layout), and the last layout.
constexpr Swizzle swizzle_portion(const ComposedLayout& c) {
  return c.part[0].kind == ComposedPart::Kind::swizzle ? c.part[0].swizzle : Swizzle{};
}

namespace detail {
constexpr Outcome<StridedLayout> nonswizzle_portion(const ComposedLayout& c) {
  if (!c.has_domain()) return refuse(Code::rank_mismatch, 0, 0);
  return c.domain();
}

/// upcast of swizzle, offset and layout together: at every coordinate the wide element that holds the small
/// one. A swizzle that writes bits below n also permutes the small elements inside wide ones: see
/// upcast_keeps_order. Errors: those of upcast; recast_divisibility also with the reasons alignment (the
/// offset `first` is not at an alignment of upcast_alignments, or not a multiple of n after a swizzle that
/// permutes small elements), split_element (a swizzle reads bits below n and may move small elements of one
/// wide element to several) and not_power_of_two (n, with a swizzle); unsupported_codomain (a layout before
/// another part).
constexpr Outcome<ComposedLayout> upcast(const ComposedLayout& c, Index n) {
  if (n < 1) return refuse(Code::bad_extent, n);
  const auto no = [&](AlgebraReason reason, Index first) {
    AlgebraError e = refuse(Code::recast_divisibility, first, n);
    e.reason = reason;
    return e;
  };
  ComposedLayout wide = c;
  for (int i = 0; i < c.parts; ++i) {
    const ComposedPart& p = c.part[i];
    if (p.kind != ComposedPart::Kind::swizzle || p.swizzle.is_identity()) continue;
    if (log2_exact(n) < 0) return not_a_power_of_two(n);
    if (p.swizzle.shift < 0 && (p.swizzle.read_mask() & (n - 1)) != 0)
      return no(AlgebraReason::split_element, Index{1} << p.swizzle.base);
  }
  // Where the small elements of one wide element lie: from `low` to `high` past its start.
  Index low = 0;
  Index high = n - 1;
  for (int i = c.parts; i-- > 0;) {
    ComposedPart& p = wide.part[i];
    if (p.kind == ComposedPart::Kind::layout) {
      // Only the last part takes coordinates; an earlier layout would have to scale its arguments as well.
      if (i + 1 < c.parts) return refuse(Code::unsupported_codomain);
      const Outcome<StridedLayout> l = upcast(c.domain(), n);
      if (!l) return l.error;
      const Alignments base = upcast_alignments(c.domain(), n);
      low = -base.first;
      high = n - 1 - base.last;
      p.layout = *l;
      continue;
    }
    low += mod(p.offset, n);
    high += mod(p.offset, n);
    if (low < 0 || high >= n) return no(AlgebraReason::alignment, p.offset);
    p.offset = floor_div(p.offset, n);
    if (p.swizzle.is_identity()) continue;
    if ((p.swizzle.write_mask() & (n - 1)) != 0) {
      low = 0;
      high = n - 1;
    }
    p.swizzle = *swizzle_upcast(p.swizzle, n);
  }
  return without_idle_parts(wide);
}

/// Whether the small elements of each wide element keep their order in upcast(c, n): no swizzle changes an
/// offset below n. By evaluation of every coordinate. Errors: undecided, those of offset.
constexpr Outcome<bool> upcast_keeps_order(const ComposedLayout& c, Index n) {
  bool may_change = false;
  ComposedLayout straight = c;
  for (int i = 0; i < c.parts; ++i) {
    const ComposedPart& p = c.part[i];
    if (p.kind != ComposedPart::Kind::swizzle || (p.swizzle.write_mask() & (n - 1)) == 0) continue;
    may_change = may_change || !p.swizzle.is_identity();
    straight.part[i].swizzle = Swizzle{0, 0, 0};
  }
  if (!may_change) return true;
  if (!c.has_domain()) return false;
  Index limit = evaluation_limit();
  if (c.size() > limit) return refuse(Code::undecided, c.size(), limit);
  for (Index k = 0; k < c.size(); ++k) {
    const Outcome<Index> value = offset(c, k);
    const Outcome<Index> plain = offset(straight, k);
    if (!value) return value.error;
    if (!plain || mod(*value, n) != mod(*plain, n)) return false;
  }
  return true;
}

/// downcast of swizzle, offset and layout together; the offset before the last layout also moves to the last
/// small element of its wide one for each mode of stride -1. Errors: downcast_no_unit_stride (no stride is 1
/// or -1), as downcast, overflow; not_power_of_two (n, with a swizzle).
constexpr Outcome<ComposedLayout> downcast(const ComposedLayout& c, Index n) {
  if (n < 1) return refuse(Code::bad_extent, n);
  ComposedLayout fine = c;
  Index moved = 0;
  for (int i = c.parts; i-- > 0;) {
    ComposedPart& p = fine.part[i];
    if (p.kind == ComposedPart::Kind::layout) {
      if (i + 1 < c.parts) return refuse(Code::unsupported_codomain);
      const UnitModes unit = unit_modes(c.domain());
      const bool based = c.parts > 1 && unit.negative > 0;
      const Outcome<StridedLayout> l =
          based && !c.domain().has_basis() ? subdivided(c.domain(), n) : downcast(c.domain(), n);
      if (!l) return l.error;
      p.layout = *l;
      moved = based ? unit.negative : 0;
      if (!multiply(moved, n - 1)) return refuse(Code::overflow, moved, n - 1);
      continue;
    }
    if (!multiply(p.offset, n)) return refuse(Code::overflow, p.offset, n);
    if (add_overflows(p.offset, moved, p.offset)) return refuse(Code::overflow, p.offset, moved);
    moved = 0;
    if (p.swizzle.is_identity()) continue;
    const Outcome<Swizzle> s = swizzle_downcast(p.swizzle, n);
    if (!s) return s.error;
    p.swizzle = *s;
  }
  return without_idle_parts(fine);
}

/// Recasts the elements of a chain from old_bits to new_bits, as recast of a layout. Errors: those of upcast
/// and downcast; bad_extent (a width < 1).
constexpr Outcome<ComposedLayout> recast(const ComposedLayout& c, Index old_bits, Index new_bits) {
  if (old_bits < 1 || new_bits < 1) return refuse(Code::bad_extent, old_bits < 1 ? old_bits : new_bits);
  const auto [up, down] = width_ratio(old_bits, new_bits);
  if (up == 1) return down == 1 ? Outcome<ComposedLayout>(c) : downcast(c, down);
  const Outcome<ComposedLayout> wide = upcast(c, up);
  return down == 1 || !wide ? wide : downcast(*wide, down);
}

/// The sizes of the top-level modes.
constexpr Outcome<IntTuple> mode_sizes(const StridedLayout& l) {
  Outcome<IntTuple> sizes;
  IntTupleBuilder build(sizes.value);
  build.tuple(l.rank());
  Cursor mode = first_mode(l.profile);
  for (int i = 0; i < l.rank(); ++i, mode = after(l.profile, mode)) build.leaf(l.size_at(mode));
  sizes.error = build.profile.error();
  return sizes;
}

/// The plain layout with C(c) = offset + layout(c), if there is one, reconstructed from the values of C. Its
/// modes are nested like the shape of C; if no layout with this nesting has the values, only the top-level
/// modes correspond. Exact. Errors: not_representable (with the smallest coordinate where no layout agrees),
/// undecided, rank_mismatch (no domain), those of offset.
constexpr Outcome<OffsetLayout> simplify(const ComposedLayout& c) {
  if (!c.has_domain()) return refuse(Code::rank_mismatch, 0, 0);
  const Index n = c.size();
  Index limit = evaluation_limit();
  if (n > limit) return refuse(Code::undecided, n, limit);
  for (Index k = 0; k < n; ++k) {
    const Outcome<Index> value = offset(c, k);
    if (!value) return value.error;
  }
  const Outcome<StridedLayout> flat = recognise([&](Index k) { return *offset(c, k); }, n);
  if (!flat) return flat.error;
  const Outcome<StridedLayout> compact = make_layout(c.domain().shape());
  if (!compact) return compact.error;
  Outcome<StridedLayout> shaped = composition(*flat, *compact);
  if (!shaped) {
    // No layout with this nesting has the values: keep only the sizes of the top-level modes.
    const Outcome<IntTuple> sizes = detail::mode_sizes(c.domain());
    if (!sizes) return sizes.error;
    const Outcome<StridedLayout> whole = make_layout(*sizes);
    if (!whole) return whole.error;
    const Outcome<StridedLayout> by_mode = composition(*flat, *whole);
    if (!by_mode) return by_mode.error.code == Code::not_representable ? shaped.error : by_mode.error;
    shaped = by_mode;
  }
  return OffsetLayout{*shaped, *offset(c, Index{0})};
}

/// Reduces the length `n` of a vector that is contiguous in the last layout until the parts before it keep
/// the vector contiguous at every multiple of the length. A swizzle keeps aligned blocks of 2^base elements.
constexpr Outcome<Index> kept_run(const ComposedLayout& c, Index n) {
  if (!c.has_domain() || c.domain().has_basis()) return refuse(Code::unsupported_codomain);
  Index low = image_min(c.domain());
  Index high = image_max(c.domain());
  for (int i = c.parts - 1; i-- > 0;) {
    const ComposedPart& p = c.part[i];
    if (add_overflows(low, p.offset, low) || add_overflows(high, p.offset, high))
      return refuse(Code::overflow, high, p.offset);
    if (p.kind != ComposedPart::Kind::swizzle || low < 0) return refuse(Code::unsupported_codomain);
    // The swizzle changes nothing if every offset is below the bits that it reads.
    const Index lowest_read = Index{1} << (p.swizzle.base + (p.swizzle.shift > 0 ? p.swizzle.shift : 0));
    if (p.swizzle.is_identity() || high < lowest_read) continue;
    const Outcome<Index> alignment = max_alignment(c.domain());
    if (!alignment) return alignment;
    for (const Index other : {Index{1} << p.swizzle.base, magnitude(p.offset), *alignment}) n = gcd(n, other);
    low = 0;
    high |= block_of(p.swizzle) - 1;
  }
  return n;
}

/// The longest vector of coordinates whose offsets are contiguous in both chains, at the start and at every
/// multiple of its length: max_common_layout of the two last layouts, cut to the blocks of 2^base elements of
/// each swizzle that changes an offset. If the chains agree in everything before their last layouts, they
/// permute memory in the same way, and the result is that of the last layouts.
/// Errors: unsupported_codomain (a layout before another part, coordinate strides), rank_mismatch (no
/// domain), overflow. Example: Sw<3,3,3> o _0 o (8,64):(64,1) and (8,64):(64,1) share 8 elements.
constexpr Outcome<StridedLayout> max_common_layout(const ComposedLayout& a, const ComposedLayout& b) {
  if (!a.has_domain() || !b.has_domain()) return refuse(Code::rank_mismatch, 0, 0);
  const Outcome<StridedLayout> common = max_common_layout(a.domain(), b.domain());
  if (!common) return common;
  bool cancel = a.parts == b.parts;
  for (int i = 0; i + 1 < a.parts && cancel; ++i) cancel = a.part[i] == b.part[i];
  if (cancel) return common;
  const Outcome<Index> in_a = detail::kept_run(a, common->size());
  if (!in_a) return in_a.error;
  const Outcome<Index> in_both = detail::kept_run(b, *in_a);
  if (!in_both) return in_both.error;
  if (*in_both == common->size()) return common;
  if (*in_both == 1) return StridedLayout{};
  return composition(*common, make_mode(*in_both, 1));
}
constexpr Outcome<Index> max_common_vector(const ComposedLayout& a, const ComposedLayout& b) {
  const Outcome<StridedLayout> common = max_common_layout(a, b);
  if (!common) return common.error;
  return common->size();
}

/// The least value over all coordinates in the order `less`, by evaluation.
template <class Less>
constexpr Outcome<Index> least_value(const ComposedLayout& c, Less&& less) {
  const Index n = c.size();
  Index limit = evaluation_limit();
  if (n > limit) return refuse(Code::undecided, n, limit);
  Outcome<Index> least = offset(c, Index{0});
  for (Index k = 1; k < n && least; ++k) {
    const Outcome<Index> value = offset(c, k);
    if (!value || less(*value, *least)) least = value;
  }
  return least;
}

/// The smallest and the largest value. Exact: by evaluation unless the chain is one layout. Errors:
/// undecided, rank_mismatch (no domain), those of offset.
constexpr Outcome<Index> image_min(const ComposedLayout& c) {
  if (!c.has_domain()) return refuse(Code::rank_mismatch, 0, 0);
  if (c.parts == 1) return image_min(c.domain());
  return detail::least_value(c, [](Index a, Index b) { return a < b; });
}
constexpr Outcome<Index> image_max(const ComposedLayout& c) {
  if (!c.has_domain()) return refuse(Code::rank_mismatch, 0, 0);
  if (c.parts == 1) return image_max(c.domain());
  return detail::least_value(c, [](Index a, Index b) { return a > b; });
}

}  // namespace detail

}  // namespace tessera
