// SPDX-License-Identifier: Apache-2.0
/// \file
/// The postconditions of the layout algebra as functions, shared by examples, random cases and fuzzers.
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
    const detail::Outcome<IntTuple> c = detail::idx2crd(i, l.shape());
    if (l(i) != wanted || l(-i) != -wanted) return broken(to_string(l), "at", i);
    if (!c || *detail::offset(l, *c) != wanted) return broken(to_string(l), "at natural coordinate of", i);
    if (*detail::crd2idx(*c, l.shape()) != i) return broken("crd2idx(idx2crd) of", i, "in", to_string(l));
  }
  return held();
}

inline Held check_facts(const StridedLayout& l) {
  const std::vector<Index> v = values(l);
  if (image_min(l) != *std::min_element(v.begin(), v.end())) return broken("image_min of", to_string(l));
  if (image_max(l) != *std::max_element(v.begin(), v.end())) return broken("image_max of", to_string(l));
  if (*detail::cosize(l) != 1 + image_max(l) - image_min(l)) return broken("cosize of", to_string(l));
  return held();
}

/// coalesce() gives the layout of the same function with the fewest modes.
inline Held check_coalesce(const StridedLayout& l) {
  const StridedLayout r = detail::coalesce(l);
  if (values(r) != values(l)) return broken(to_string(l), "became", to_string(r));
  if (depth(r) > 1 || (depth(r) == 1 && r.rank() == 1)) return broken("nested:", to_string(r));
  for (int i = 0; i < r.leaves(); ++i) {
    if (r.extent[i] == 1 && !(r == StridedLayout{})) return broken("extent 1 in", to_string(r));
    if (i > 0 && r.extent[i - 1] * r.stride[i - 1] == r.stride[i]) return broken("mergeable:", to_string(r));
  }
  if (!(detail::coalesce(r) == r)) return broken("not idempotent:", to_string(r));
  return held();
}

/// filter() keeps the set of offsets. If its result is injective, each offset occurs once.
inline Held check_filter(const StridedLayout& l) {
  const std::vector<Index> all = values(l);
  const std::vector<Index> kept = values(detail::filter(l));
  if (std::set(all.begin(), all.end()) != std::set(kept.begin(), kept.end()))
    return broken("filter of", to_string(l));
  const StridedLayout null = detail::nullspace(l);
  for (const Index at : values(null)) {
    if (defined_offset(l, at) != 0) return broken("nullspace of", to_string(l), "has", at);
  }
  if (null.size() * detail::filter(l).size() != l.size())
    return broken("size of the nullspace of", to_string(l));
  return held();
}

/// The complement's copies of L are increasing, disjoint from L except at 0, and together with L they cover
/// the codomain.
inline Held check_complement(const StridedLayout& l, Index cotarget) {
  const std::string call = "complement(" + to_string(l) + ", " + std::to_string(cotarget) + ")";
  const detail::Outcome<StridedLayout> r = detail::complement(l, cotarget);
  const StridedLayout f = detail::filter(l);
  if (!r) {
    if (r.error.code == Code::negative_stride) return held();
    if (r.error.code != Code::non_injective) return broken(call, shown(r));
    // complement() must fail only if modes overlap: some stride is inside the span of the smaller strides.
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
  const detail::Outcome<StridedLayout> both = detail::concat(f, *r);
  if (!both) return broken(call, shown(both));
  const bool tiles = *detail::complement_tiles(l);
  if (tiles && *detail::cosize(*both) < cotarget) return broken(call, "does not reach", to_string(*r));
  if (tiles && detail::injectivity(f).ok() && detail::injectivity(f)->injective &&
      !detail::injectivity(*both)->injective) {
    return broken(call, "overlaps", to_string(*both));
  }
  if (tiles && r->size() < cotarget / std::max<Index>(1, f.size()))
    return broken(call, "is too small:", to_string(*r));
  return held();
}

inline Held check_right_inverse(const StridedLayout& l) {
  const StridedLayout r = *detail::right_inverse(l);
  for (Index i = 0; i < r.size(); ++i) {
    if (defined_offset(l, defined_offset(r, i)) != i)
      return broken("right_inverse of", to_string(l), "at", i);
  }
  return held();
}

inline Held check_left_inverse(const StridedLayout& l) {
  const detail::Outcome<StridedLayout> r = detail::left_inverse(l);
  if (!r) return held();
  const bool one_to_one = detail::injectivity(l)->injective;
  for (Index i = 0; i < l.size(); ++i) {
    const Index at = defined_offset(*r, defined_offset(l, i));
    if (defined_offset(l, at) != defined_offset(l, i))
      return broken("left_inverse of", to_string(l), "at", i);
    if (one_to_one && at != i) return broken("left_inverse of injective", to_string(l), "at", i);
  }
  return held();
}

inline Held check_max_common(const StridedLayout& a, const StridedLayout& b) {
  const detail::Outcome<StridedLayout> r = detail::max_common_layout(a, b);
  if (!r) return broken(to_string(a), to_string(b), shown(r));
  const Index size = std::min(a.size(), b.size());
  for (Index i = 0; i < r->size(); ++i) {
    const Index at = defined_offset(*r, i);
    if (at >= size || defined_offset(a, at) != i || defined_offset(b, at) != i)
      return broken(to_string(a), to_string(b), "at", i);
  }
  if (detail::max_common_layout(b, a)->size() != r->size())
    return broken(to_string(a), to_string(b), "in the other order");
  // Of injective layouts it must be at least as long as the vector along the right inverse of `b`, cut to
  // whole modes. With stride 0 a longer vector may go through other coordinates: 6:6 is one of
  // (5,(5,6,1),1):(1,(0,5,0),8) and (1,6,6):(4,6,1), of which the answer is 5:6.
  if (!detail::injectivity(a)->injective || !detail::injectivity(b)->injective) return held();
  const detail::Outcome<StridedLayout> inverse = detail::right_inverse(b);
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

/// The predicates agree with brute force.
inline Held check_questions(const StridedLayout& l) {
  const std::vector<Index> v = values(l);
  const std::set<Index> image(v.begin(), v.end());
  const detail::Outcome<Injectivity> answer = detail::injectivity(l);
  if (!answer)
    return broken("injectivity of", to_string(l), shown(detail::Outcome<StridedLayout>(answer.error)));
  if (answer->injective != (image.size() == v.size())) return broken("injectivity of", to_string(l));
  if (!answer->injective && (answer->first == answer->second || l(answer->first) != l(answer->second))) {
    return broken("collision of", to_string(l));
  }
  const bool permutation = image.size() == v.size() && *image.begin() == 0 && *image.rbegin() + 1 == l.size();
  if (is_bijective(l) != permutation) return broken("is_bijective of", to_string(l));
  if (const detail::Outcome<Index> missing = detail::first_missing_offset(l)) {
    Index wanted = 0;
    while (image.contains(wanted)) ++wanted;
    if (*missing != wanted) return broken("first_missing_offset of", to_string(l));
  }
  const detail::Outcome<bool> whole = detail::is_contiguous(l);
  if (whole && *whole != (static_cast<Index>(image.size()) == *image.rbegin() + 1)) {
    return broken("is_contiguous of", to_string(l));
  }
  return held();
}

inline Held check_first_difference(const StridedLayout& a, const StridedLayout& b) {
  const detail::Outcome<Index> at = detail::first_difference(a, b);
  if (a.size() != b.size()) return at.ok() ? broken("sizes differ") : held();
  Index wanted = -1;
  for (Index i = 0; i < a.size() && wanted < 0; ++i) {
    if (defined_offset(a, i) != defined_offset(b, i)) wanted = i;
  }
  return *at == wanted ? held() : broken(to_string(a), to_string(b), "differ at", wanted, "not", *at);
}

/// For a slice S of L at c: L(c, with x in its holes) = offset + S(x).
inline Held check_slice(const Coord& c, const StridedLayout& l) {
  const detail::Outcome<Slice> s = detail::slice_and_offset(c, l);
  if (!s) return broken("slice of", to_string(l), "by", to_string(c), detail::word(s.error.code));
  const StridedLayout& rest = s->layout;
  for (Index k = 0; k < rest.size(); ++k) {
    // Each hole takes the 1-D coordinate of its mode of the slice. The first hole is the fastest.
    IntTuple filled = c.tuple;
    Index left = k;
    Cursor m = c.tuple.is_integer() ? Cursor{} : first_mode(rest.profile);
    for (int i = 0; i < filled.leaves(); ++i) {
      if (!c.is_hole(i)) continue;
      filled.leaf[i] = left % rest.size_at(m);
      left /= rest.size_at(m);
      m = after(rest.profile, m);
    }
    const detail::Outcome<Index> whole = detail::offset(l, filled);
    if (!whole || *whole != s->offset.leaf[0] + defined_offset(rest, k)) {
      return broken("slice of", to_string(l), "by", to_string(c), "at", k);
    }
  }
  return held();
}

inline Held check_text(const StridedLayout& l) {
  const std::string text = to_string(l);
  const Result<TrackedLayout> back = parse_cute_layout(text);
  return back && back->layout == l ? held() : broken(text, "does not read back");
}

}  // namespace tessera::laws
