// SPDX-License-Identifier: Apache-2.0
/// \file
/// The laws of divides and products.
#pragma once

#include "laws/algebra_laws.h"

namespace tessera::laws {

/// Mode 0 is composition(L, T). If the tiler is exact, every offset of L occurs as often as before.
inline Held check_divide(const StridedLayout& l, const Tiler& t) {
  const std::string call = "zipped_divide(" + to_string(l) + ", " + to_string(t) + ")";
  const detail::Outcome<StridedLayout> r = detail::zipped_divide(l, t);
  if (!r) return held();
  const detail::Outcome<StridedLayout> tile = detail::composition(l, t);
  if (!tile || values(*detail::mode(*r, 0)) != values(*tile))
    return broken(call, "has the tile", to_string(*detail::mode(*r, 0)));
  const detail::Outcome<StridedLayout> logical = detail::logical_divide(l, t);
  const detail::Outcome<StridedLayout> tiled = detail::tiled_divide(l, t);
  const detail::Outcome<StridedLayout> flat = detail::flat_divide(l, t);
  if (!logical || !tiled || !flat) return broken(call, "without its other spellings");
  for (const StridedLayout& other : {*logical, *tiled, *flat}) {
    std::vector<Index> x = values(other);
    std::vector<Index> y = values(*r);
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    if (x != y) return broken(call, "differs from", to_string(other));
  }
  // evenly_divides() only counts. A tile with gaps that its complement cannot fill may still miss offsets.
  const bool fills = t.by_mode() || (detail::complement_tiles(terminal(t, 0)).ok() &&
                                     *detail::complement_tiles(terminal(t, 0)));
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
  const detail::Outcome<StridedLayout> r = detail::logical_product(a, t);
  if (!r) return held();
  if (r->rank() != 2 || !(*detail::mode(*r, 0) == a)) return broken(call, "is", to_string(*r));
  if (!compatible(t.shape(), detail::mode(*r, 1)->shape())) return broken(call, "is", to_string(*r));
  const bool apart = detail::injectivity(a)->injective && detail::injectivity(t).ok() &&
                     detail::injectivity(t)->injective && image_min(t) >= 0;
  if (apart && !detail::injectivity(*r)->injective) return broken(call, "overlaps:", to_string(*r));
  return held();
}

inline Held check_blocked_product(const StridedLayout& a, const StridedLayout& t) {
  const detail::Outcome<StridedLayout> blocked = detail::blocked_product(a, t);
  const detail::Outcome<StridedLayout> raked = detail::raked_product(a, t);
  if (blocked.ok() != raked.ok()) return broken(to_string(a), to_string(t), "only one product exists");
  if (!blocked) return held();
  for (int i = 0; i < blocked->rank(); ++i) {
    const StridedLayout x = *detail::mode(*blocked, i);
    const StridedLayout y = *detail::mode(*raked, i);
    if (!(*detail::mode(x, 0) == *detail::mode(y, 1)) || !(*detail::mode(x, 1) == *detail::mode(y, 0)))
      return broken(to_string(*blocked), to_string(*raked));
  }
  return held();
}

}  // namespace tessera::laws
