// SPDX-License-Identifier: Apache-2.0
/// \file
/// The post-conditions of the layout algebra as functions, shared by examples, random cases and fuzzers.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "laws/cute_layouts.h"
#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/detail/equality.h"
#include "tessera/algebra/detail/linear.h"
#include "tessera/algebra/detail/thread_value.h"

namespace tessera::laws {

using Held = testing::AssertionResult;
inline Held held() { return testing::AssertionSuccess(); }
template <class... Part>
Held broken(const Part&... parts) {
  Held no = testing::AssertionFailure();
  ((no << parts << ' '), ...);
  return no;
}

inline std::vector<Index> values(const StridedLayout& l) {
  std::vector<Index> out;
  for (Index i = 0; i < l.size(); ++i) out.push_back(defined_offset(l, i));
  return out;
}

/// operator(), evaluate() at the natural coordinate and the definition agree; crd2idx inverts idx2crd.
inline Held check_evaluation(const StridedLayout& l) {
  for (Index i = 0; i < l.size(); ++i) {
    const Index wanted = defined_offset(l, i);
    const Outcome<IntTuple> c = idx2crd(i, l.shape());
    if (l(i) != wanted || l(-i) != -wanted) return broken(to_string(l), "at", i);
    if (!c || *offset(l, *c) != wanted) return broken(to_string(l), "at natural coordinate of", i);
    if (*crd2idx(*c, l.shape()) != i) return broken("crd2idx(idx2crd) of", i, "in", to_string(l));
  }
  return held();
}

inline Held check_facts(const StridedLayout& l) {
  const std::vector<Index> v = values(l);
  if (image_min(l) != *std::min_element(v.begin(), v.end())) return broken("image_min of", to_string(l));
  if (image_max(l) != *std::max_element(v.begin(), v.end())) return broken("image_max of", to_string(l));
  if (*cosize(l) != 1 + image_max(l) - image_min(l)) return broken("cosize of", to_string(l));
  return held();
}

/// coalesce() gives the layout of the same function with the fewest modes.
inline Held check_coalesce(const StridedLayout& l) {
  const StridedLayout r = coalesce(l);
  if (values(r) != values(l)) return broken(to_string(l), "became", to_string(r));
  if (depth(r) > 1 || (depth(r) == 1 && r.rank() == 1)) return broken("nested:", to_string(r));
  for (int i = 0; i < r.leaves(); ++i) {
    if (r.extent[i] == 1 && !(r == StridedLayout{})) return broken("extent 1 in", to_string(r));
    if (i > 0 && r.extent[i - 1] * r.stride[i - 1] == r.stride[i]) return broken("mergeable:", to_string(r));
  }
  if (!(coalesce(r) == r)) return broken("not idempotent:", to_string(r));
  return held();
}

/// filter() keeps the set of offsets; if its result is injective, each offset appears once.
inline Held check_filter(const StridedLayout& l) {
  const std::vector<Index> all = values(l);
  const std::vector<Index> kept = values(filter(l));
  if (std::set(all.begin(), all.end()) != std::set(kept.begin(), kept.end()))
    return broken("filter of", to_string(l));
  const StridedLayout null = nullspace(l);
  for (const Index at : values(null)) {
    if (defined_offset(l, at) != 0) return broken("nullspace of", to_string(l), "has", at);
  }
  if (null.size() * filter(l).size() != l.size()) return broken("size of the nullspace of", to_string(l));
  return held();
}

/// The values A(B(c)) for all c, with the last mode of A unbounded, by the definition.
inline std::vector<Index> composed_values(const StridedLayout& a, const StridedLayout& b) {
  std::vector<Index> out;
  for (const Index x : values(b)) out.push_back(defined_offset(a, x));
  return out;
}

/// The oracle for compositions: recognizes each leaf of B from its values alone, then compares all
/// coordinates. Empty if no layout exists.
inline std::optional<StridedLayout> oracle_composition(const StridedLayout& a, const StridedLayout& b) {
  StridedLayout out;
  LayoutBuilder build(out);
  int leaf = 0;
  for (int node = 0; node < b.profile.nodes; ++node) {
    if (!b.profile.is_leaf(node)) {
      build.tuple(b.profile.rank(node));
      continue;
    }
    const Index s = b.extent[leaf];
    const Index d = b.stride[leaf++];
    if (s == 1) {
      build.leaf(1, defined_offset(a, d));
      continue;
    }
    const Outcome<StridedLayout> r = recognise([&](Index k) { return defined_offset(a, k * d); }, s);
    if (!r) return std::nullopt;
    build.copy(*r);
  }
  if (values(out) != composed_values(a, b)) return std::nullopt;
  return out;
}

/// Whether some layout of size n has the values f(0) … f(last): tries every ordered factorization of n.
template <class F>
bool some_layout_agrees(F&& f, Index n, Index last, std::vector<Index> extents = {}) {
  Index done = 1;
  for (const Index e : extents) done *= e;
  if (done == n || done > last) {
    for (Index k = 0; k <= last; ++k) {
      Index sum = 0;
      Index weight = 1;
      for (std::size_t i = 0; i < extents.size(); ++i) {
        const Index digit = i + 1 < extents.size() || done < n ? k / weight % extents[i] : k / weight;
        sum += digit * (weight <= last ? f(weight) : 0);
        weight *= extents[i];
      }
      if (sum != f(k)) return false;
    }
    return true;
  }
  for (Index e = 2; e <= n / done; ++e) {
    if (n / done % e != 0) continue;
    std::vector<Index> more = extents;
    more.push_back(e);
    if (some_layout_agrees(f, n, last, more)) return true;
  }
  return false;
}

/// Succeeds exactly if a layout exists, and returns it. The witness of a refusal is a coordinate where every
/// layout with the right values before it is wrong.
inline Held check_composition(const StridedLayout& a, const StridedLayout& b) {
  const std::string call = to_string(a) + " o " + to_string(b);
  const Outcome<StridedLayout> r = composition(a, b);
  const std::optional<StridedLayout> wanted = oracle_composition(a, b);
  if (!r) {
    if (r.error.code != AlgebraCode::not_representable) return broken(call, "gave", word(r.error.code));
    if (wanted) return broken(call, "is", to_string(*wanted), "but was refused");
    const Index k = r.error.witness;
    if (r.error.leaf < 0) {
      const Index x = defined_offset(b, k);
      if (defined_offset(a, x) != r.error.first || r.error.first == r.error.second)
        return broken(call, "carry witness", k);
    } else {
      const Index d = b.stride[r.error.leaf];
      const Index n = b.extent[r.error.leaf];
      const auto value = [&](Index i) { return defined_offset(a, i * d); };
      if (k < 1 || k >= n || value(k) != r.error.first) return broken(call, "witness", k);
      if (some_layout_agrees(value, n, k)) return broken(call, "witness", k, "is not final");
      if (!some_layout_agrees(value, n, k - 1)) return broken(call, "witness", k, "is not the smallest");
    }
    return held();
  }
  if (!wanted) return broken(call, "has no layout, but gave", to_string(*r));
  if (!(*r == *wanted)) return broken(call, "is", to_string(*wanted), "not", to_string(*r));
  if (!compatible(b.shape(), r->shape())) return broken(call, "has an incompatible shape", to_string(*r));
  return held();
}

/// (A o B) o C and A o (B o C) are equal functions if both exist and nothing leaves its domain.
inline Held check_associativity(const StridedLayout& a, const StridedLayout& b, const StridedLayout& c) {
  if (image_min(c) < 0 || image_max(c) >= b.size() || image_min(b) < 0 || image_max(b) >= a.size())
    return held();
  const Outcome<StridedLayout> ab = composition(a, b);
  const Outcome<StridedLayout> bc = composition(b, c);
  if (!ab || !bc) return held();
  const Outcome<StridedLayout> left = composition(*ab, c);
  const Outcome<StridedLayout> right = composition(a, *bc);
  if (!left || !right) return held();
  return equal_function(*left, *right) ? held() : broken(to_string(a), to_string(b), to_string(c));
}

/// The complement's repetitions of L are increasing, disjoint from L except at 0, and together with L cover
/// the codomain.
inline Held check_complement(const StridedLayout& l, Index cotarget) {
  const std::string call = "complement(" + to_string(l) + ", " + std::to_string(cotarget) + ")";
  const Outcome<StridedLayout> r = complement(l, cotarget);
  const StridedLayout f = filter(l);
  if (!r) {
    if (r.error.code == AlgebraCode::negative_stride) return held();
    if (r.error.code != AlgebraCode::non_injective) return broken(call, shown(r));
    // Refused only if modes overlap: some stride is inside the span of the smaller strides.
    std::vector<std::pair<Index, Index>> modes;
    for (int i = 0; i < f.leaves(); ++i) modes.emplace_back(f.stride[i], f.extent[i]);
    std::sort(modes.begin(), modes.end());
    for (std::size_t i = 1; i < modes.size(); ++i) {
      if (modes[i].first < modes[i - 1].first * modes[i - 1].second) return held();
    }
    return broken(call, "refused without overlap");
  }
  const std::vector<Index> own = values(f);
  const std::set<Index> offsets(own.begin(), own.end());
  Index before = -1;
  for (const Index at : values(*r)) {
    if (at <= before) return broken(call, "does not increase:", to_string(*r));
    if (at != 0 && offsets.contains(at)) return broken(call, "has the offset", at, "of the layout");
    before = at;
  }
  const Outcome<StridedLayout> both = concat(f, *r);
  if (!both) return broken(call, shown(both));
  const bool tiles = *complement_tiles(l);
  if (tiles && *cosize(*both) < cotarget) return broken(call, "does not reach", to_string(*r));
  if (tiles && injectivity(f).ok() && injectivity(f)->injective && !injectivity(*both)->injective) {
    return broken(call, "overlaps", to_string(*both));
  }
  if (tiles && r->size() < cotarget / std::max<Index>(1, f.size()))
    return broken(call, "is too small:", to_string(*r));
  return held();
}

inline Held check_right_inverse(const StridedLayout& l) {
  const StridedLayout r = *right_inverse(l);
  for (Index i = 0; i < r.size(); ++i) {
    if (defined_offset(l, defined_offset(r, i)) != i)
      return broken("right_inverse of", to_string(l), "at", i);
  }
  return held();
}

inline Held check_left_inverse(const StridedLayout& l) {
  const Outcome<StridedLayout> r = left_inverse(l);
  if (!r) return held();
  const bool one_to_one = injectivity(l)->injective;
  for (Index i = 0; i < l.size(); ++i) {
    const Index at = defined_offset(*r, defined_offset(l, i));
    if (defined_offset(l, at) != defined_offset(l, i))
      return broken("left_inverse of", to_string(l), "at", i);
    if (one_to_one && at != i) return broken("left_inverse of injective", to_string(l), "at", i);
  }
  return held();
}

inline Held check_max_common(const StridedLayout& a, const StridedLayout& b) {
  const Outcome<StridedLayout> r = max_common_layout(a, b);
  if (!r) return broken(to_string(a), to_string(b), shown(r));
  const Index size = std::min(a.size(), b.size());
  for (Index i = 0; i < r->size(); ++i) {
    const Index at = defined_offset(*r, i);
    if (at >= size || defined_offset(a, at) != i || defined_offset(b, at) != i)
      return broken(to_string(a), to_string(b), "at", i);
  }
  if (max_common_layout(b, a)->size() != r->size())
    return broken(to_string(a), to_string(b), "in the other order");
  // At least as long as the vector along the right inverse of one of them, cut to whole modes.
  const Outcome<StridedLayout> inverse = right_inverse(b);
  Index prefix = 0;
  const auto agrees = [&](Index c) { return c < size && defined_offset(a, c) == prefix; };
  while (prefix < inverse->size() && agrees((*inverse)(prefix))) ++prefix;
  Index whole = 1;
  for (int i = 0; i < inverse->leaves() && inverse->extent[i] <= prefix / whole; ++i)
    whole *= inverse->extent[i];
  if (r->size() < whole * (prefix / whole)) {
    return broken(to_string(a), to_string(b), "the vector", to_string(*r), "is not the longest,", prefix);
  }
  return held();
}

/// Mode 0 is composition(L, T); with an exact tiler every offset of L appears as often as before.
inline Held check_divide(const StridedLayout& l, const Tiler& t) {
  const std::string call = "zipped_divide(" + to_string(l) + ", " + to_string(t) + ")";
  const Outcome<StridedLayout> r = zipped_divide(l, t);
  if (!r) return held();
  const Outcome<StridedLayout> tile = composition(l, t);
  if (!tile || values(*mode(*r, 0)) != values(*tile))
    return broken(call, "has the tile", to_string(*mode(*r, 0)));
  const Outcome<StridedLayout> logical = logical_divide(l, t);
  const Outcome<StridedLayout> tiled = tiled_divide(l, t);
  const Outcome<StridedLayout> flat = flat_divide(l, t);
  if (!logical || !tiled || !flat) return broken(call, "without its other spellings");
  for (const StridedLayout& other : {*logical, *tiled, *flat}) {
    std::vector<Index> x = values(other);
    std::vector<Index> y = values(*r);
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    if (x != y) return broken(call, "differs from", to_string(other));
  }
  // evenly_divides() only counts; a tile with holes that its complement cannot fill may still miss offsets.
  const bool fills =
      t.by_mode() || (complement_tiles(terminal(t, 0)).ok() && *complement_tiles(terminal(t, 0)));
  if (fills && evenly_divides(l.shape(), t)) {
    std::vector<Index> x = values(l);
    std::vector<Index> y = values(*r);
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    if (x != y) return broken(call, "loses offsets:", to_string(*r));
  }
  return held();
}

/// Mode 0 is A, mode 1 refines T, and copies of an injective A do not overlap.
inline Held check_product(const StridedLayout& a, const StridedLayout& t) {
  const std::string call = "logical_product(" + to_string(a) + ", " + to_string(t) + ")";
  const Outcome<StridedLayout> r = logical_product(a, t);
  if (!r) return held();
  if (r->rank() != 2 || !(*mode(*r, 0) == a)) return broken(call, "is", to_string(*r));
  if (!compatible(t.shape(), mode(*r, 1)->shape())) return broken(call, "is", to_string(*r));
  const bool apart =
      injectivity(a)->injective && injectivity(t).ok() && injectivity(t)->injective && image_min(t) >= 0;
  if (apart && !injectivity(*r)->injective) return broken(call, "overlaps:", to_string(*r));
  return held();
}

inline Held check_blocked_product(const StridedLayout& a, const StridedLayout& t) {
  const Outcome<StridedLayout> blocked = blocked_product(a, t);
  const Outcome<StridedLayout> raked = raked_product(a, t);
  if (blocked.ok() != raked.ok()) return broken(to_string(a), to_string(t), "only one product exists");
  if (!blocked) return held();
  for (int i = 0; i < blocked->rank(); ++i) {
    const StridedLayout x = *mode(*blocked, i);
    const StridedLayout y = *mode(*raked, i);
    if (!(*mode(x, 0) == *mode(y, 1)) || !(*mode(x, 1) == *mode(y, 0)))
      return broken(to_string(*blocked), to_string(*raked));
  }
  return held();
}

/// The values of an exact upcast are those of the layout at the first element of each vector, divided.
inline Held check_recast(const StridedLayout& l, Index n) {
  const Outcome<StridedLayout> wide = upcast(l, n);
  if (!wide || !*upcast_is_exact(l, n)) return held();
  std::set<Index> wanted;
  for (const Index v : values(l)) wanted.insert(floor_div(v, n));
  std::set<Index> got;
  const Index shift = *upcast_base_shift(l, n);
  for (const Index v : values(*wide)) got.insert(v + floor_div(shift, n));
  const bool aligned = shift % n == 0 && image_min(l) >= 0;
  if (aligned && *max_alignment(l) % n == 0 && got != wanted)
    return broken("upcast of", to_string(l), "by", n);
  // Downcasting grows every mode of stride 1 or -1, so it inverts an upcast only if there is exactly one such
  // mode.
  int unit_modes = 0;
  for (int i = 0; i < wide->leaves(); ++i) unit_modes += std::abs(wide->stride[i]) == 1;
  const Outcome<StridedLayout> back = downcast(*wide, n);
  if (unit_modes == 1 && aligned && back && *max_alignment(l) % n == 0) {
    std::vector<Index> x = values(l);
    std::vector<Index> y = values(*back);
    if (std::set(x.begin(), x.end()) != std::set(y.begin(), y.end()))
      return broken("downcast of upcast of", to_string(l), n);
  }
  return held();
}

/// The yes-or-no questions agree with brute force.
inline Held check_questions(const StridedLayout& l) {
  const std::vector<Index> v = values(l);
  const std::set<Index> image(v.begin(), v.end());
  const Outcome<Injectivity> answer = injectivity(l);
  if (!answer) return broken("injectivity of", to_string(l), shown(Outcome<StridedLayout>(answer.error)));
  if (answer->injective != (image.size() == v.size())) return broken("injectivity of", to_string(l));
  if (!answer->injective && (answer->first == answer->second || l(answer->first) != l(answer->second))) {
    return broken("collision of", to_string(l));
  }
  const bool permutation = image.size() == v.size() && *image.begin() == 0 && *image.rbegin() + 1 == l.size();
  if (is_bijective(l) != permutation) return broken("is_bijective of", to_string(l));
  if (const Outcome<Index> missing = first_missing_offset(l)) {
    Index wanted = 0;
    while (image.contains(wanted)) ++wanted;
    if (*missing != wanted) return broken("first_missing_offset of", to_string(l));
  }
  const Outcome<bool> whole = is_contiguous(l);
  if (whole && *whole != (static_cast<Index>(image.size()) == *image.rbegin() + 1)) {
    return broken("is_contiguous of", to_string(l));
  }
  return held();
}

inline Held check_first_difference(const StridedLayout& a, const StridedLayout& b) {
  const Outcome<Index> at = first_difference(a, b);
  if (a.size() != b.size()) return at.ok() ? broken("sizes differ") : held();
  Index wanted = -1;
  for (Index i = 0; i < a.size() && wanted < 0; ++i) {
    if (defined_offset(a, i) != defined_offset(b, i)) wanted = i;
  }
  return *at == wanted ? held() : broken(to_string(a), to_string(b), "differ at", wanted, "not", *at);
}

/// For a slice S of L at c: L(c with x in its holes) = offset + S(x).
inline Held check_slice(const Coord& c, const StridedLayout& l) {
  const Outcome<Slice> s = slice_and_offset(c, l);
  if (!s) return broken("slice of", to_string(l), "by", to_string(c), word(s.error.code));
  const StridedLayout& rest = s->layout;
  for (Index k = 0; k < rest.size(); ++k) {
    // Each hole takes the 1-D coordinate of its mode of the slice; the first hole runs fastest.
    IntTuple filled = c.tuple;
    Index left = k;
    Cursor m = c.tuple.is_integer() ? Cursor{} : first_mode(rest.profile);
    for (int i = 0; i < filled.leaves(); ++i) {
      if (!c.is_hole(i)) continue;
      filled.leaf[i] = left % rest.size_at(m);
      left /= rest.size_at(m);
      m = after(rest.profile, m);
    }
    const Outcome<Index> whole = offset(l, filled);
    if (!whole || *whole != s->offset.leaf[0] + defined_offset(rest, k)) {
      return broken("slice of", to_string(l), "by", to_string(c), "at", k);
    }
  }
  return held();
}

inline Held check_swizzle(const Swizzle& s, Index x, Index y) {
  if (s(s(x)) != x) return broken(to_string(s), "is not an involution at", x);
  if (s(x ^ y) != (s(x) ^ s(y))) return broken(to_string(s), "is not linear at", x, y);
  const Index block = Index{1} << (s.bits + s.base + std::abs(s.shift));
  if (s(x) / block != x / block) return broken(to_string(s), "leaves the block of", x);
  return held();
}

/// The bases give every value, and from_linear() rebuilds the function from them.
inline Held check_linear(const ComposedLayout& c) {
  const Outcome<LinearBases> table = to_linear(c);
  if (!table) return broken("to_linear of", to_string(c), word(table.error.code));
  for (Index i = 0; i < c.size(); ++i) {
    if ((*table)(i) != *offset(c, i)) return broken("to_linear of", to_string(c), "at", i);
  }
  const Outcome<ComposedLayout> back = from_linear(*table);
  if (!back) return broken("from_linear of", to_string(c), word(back.error.code));
  for (Index i = 0; i < c.size(); ++i) {
    if (*offset(*back, i) != *offset(c, i)) return broken("from_linear of", to_string(c), "at", i);
  }
  return held();
}

/// right_inverse() of a swizzled bijection is its inverse.
inline Held check_composed_inverse(const ComposedLayout& c) {
  const Outcome<ComposedLayout> r = right_inverse(c);
  if (!r) return broken("right_inverse of", to_string(c));
  for (Index i = 0; i < c.size(); ++i) {
    const Outcome<Index> at = offset(*r, i);
    if (!at || *offset(c, *at) != i) return broken("right_inverse of", to_string(c), "at", i);
  }
  return held();
}

/// A TV layout of compact threads and values is a bijection onto its tile, and gives the owner of each
/// element.
inline Held check_thread_value(const StridedLayout& threads, const StridedLayout& vals) {
  const Outcome<ThreadValue> tv = make_layout_tv(threads, vals);
  if (!tv || !tv->compact) return broken(to_string(threads), to_string(vals));
  const StridedLayout mn = *raked_product(threads, vals);
  for (Index t = 0; t < threads.size(); ++t) {
    for (Index v = 0; v < vals.size(); ++v) {
      const Index at = *offset(tv->layout, make_tuple(t, v));
      if (defined_offset(mn, at) != t + threads.size() * v)
        return broken(to_string(threads), to_string(vals), t, v);
    }
  }
  return is_bijective(tv->layout) ? held() : broken("no bijection:", to_string(tv->layout));
}

inline Held check_text(const StridedLayout& l) {
  const std::string text = to_string(l);
  const Result<TrackedLayout> back = parse_cute_layout(text);
  return back && back->layout == l ? held() : broken(text, "does not read back");
}

}  // namespace tessera::laws
