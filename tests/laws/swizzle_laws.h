// SPDX-License-Identifier: Apache-2.0
/// \file
/// The laws of swizzles, bases and thread-value layouts.
#pragma once

#include "laws/algebra_laws.h"

namespace tessera::laws {

inline Held check_swizzle(const Swizzle& s, Index x, Index y) {
  if (s(s(x)) != x) return broken(to_string(s), "is not an involution at", x);
  if (s(x ^ y) != (s(x) ^ s(y))) return broken(to_string(s), "is not linear at", x, y);
  const Index block = Index{1} << (s.bits + s.base + std::abs(s.shift));
  if (s(x) / block != x / block) return broken(to_string(s), "leaves the block of", x);
  return held();
}

/// The bases give every value, and from_linear() rebuilds the function from them.
inline Held check_linear(const ComposedLayout& c) {
  const detail::Outcome<LinearBases> table = detail::to_linear(c);
  if (!table) return broken("to_linear of", to_string(c), detail::word(table.error.code));
  for (Index i = 0; i < c.size(); ++i) {
    if ((*table)(i) != *detail::offset(c, i)) return broken("to_linear of", to_string(c), "at", i);
  }
  const detail::Outcome<ComposedLayout> back = detail::from_linear(*table);
  if (!back) return broken("from_linear of", to_string(c), detail::word(back.error.code));
  for (Index i = 0; i < c.size(); ++i) {
    if (*detail::offset(*back, i) != *detail::offset(c, i))
      return broken("from_linear of", to_string(c), "at", i);
  }
  return held();
}

/// right_inverse() of a swizzled bijection is its inverse.
inline Held check_composed_inverse(const ComposedLayout& c) {
  const detail::Outcome<ComposedLayout> r = detail::right_inverse(c);
  if (!r) return broken("right_inverse of", to_string(c));
  for (Index i = 0; i < c.size(); ++i) {
    const detail::Outcome<Index> at = detail::offset(*r, i);
    if (!at || *detail::offset(c, *at) != i) return broken("right_inverse of", to_string(c), "at", i);
  }
  return held();
}

/// A TV layout of compact threads and values is a bijection onto its tile, and it gives the owner of each
/// element.
inline Held check_thread_value(const StridedLayout& threads, const StridedLayout& vals) {
  const detail::Outcome<ThreadValue> tv = detail::make_layout_tv(threads, vals);
  if (!tv || !tv->compact) return broken(to_string(threads), to_string(vals));
  const StridedLayout mn = *detail::raked_product(threads, vals);
  for (Index t = 0; t < threads.size(); ++t) {
    for (Index v = 0; v < vals.size(); ++v) {
      const Index at = *detail::offset(tv->layout, make_tuple(t, v));
      if (defined_offset(mn, at) != t + threads.size() * v)
        return broken(to_string(threads), to_string(vals), t, v);
    }
  }
  return is_bijective(tv->layout) ? held() : broken("no bijection:", to_string(tv->layout));
}

}  // namespace tessera::laws
